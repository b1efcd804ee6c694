"""The model that scores new rows: fitted beside the page to the rows that are not held out, or a person's own."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import streamlit as st
from sklearn.utils.validation import has_fit_parameter

from espalier.data.dataset import Dataset
from espalier.data.folds import HeldOut, held_out
from espalier.fitting import fit
from espalier.language import in_style, say, to_say
from espalier.learners.catalogue import Model
from espalier.new_rows.answers import TableModel
from espalier.tasks import Call
from pages.shared.canvas.control import Control
from pages.shared.jobs import compilation, note
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import RUNNER, Job
from pages.shared.models import drawer, slots
from pages.shared.models.slots import Places
from pages.shared.models.targets import why_not
from pages.shared.own_models import fitted, uploads

FIRST = ("random",)
PLACES = Places(("n1",), {True: FIRST, False: FIRST})
SECONDS = Control(
    "limit", 10, (1, 120), to_say("Seconds for a search, at most"), to_say("For optimal trees."), name="seconds"
)


class ScoringModel(NamedTuple):
    """A `TaskList`: the model of the controls, fitted to the rows of the table that are not held out."""

    model: Model
    title: str
    seconds: float  # that a search may take
    dataset: Dataset
    holdout: HeldOut

    @property
    def key(self) -> str:
        """Digest of all that it depends on."""
        causes = (self.dataset.digest, self.holdout, self.model, self.seconds)
        return "scores " + hashlib.blake2b(repr(causes).encode(), digest_size=8).hexdigest()

    @property
    def n_tasks(self) -> int:
        """One: to fit it."""
        return 1

    @property
    def is_own(self) -> bool:
        """Whether it is a person's own model, which is not fitted again."""
        return self.model.name == uploads.NAME

    @property
    def seen(self) -> np.ndarray:
        """(n_samples,) bool: the rows that it learns from; of a person's own of which nobody knows, none."""
        if not self.is_own:
            return ~held_out(self.dataset, self.holdout)
        trained = uploads.rows_of(self.model, self.dataset)
        return np.zeros(len(self.dataset.y), bool) if trained is None else trained

    def tasks(self) -> list[Call]:
        """Fit it; waits for its engine to be compiled."""
        if self.model.stage:
            compilation.wait(self.model.stage)
        estimator = fitted.made(self.model, self.dataset, seconds=self.seconds)
        counts = has_fit_parameter(estimator, "progress")
        total = len(self.dataset.y) * (getattr(estimator, "n_estimators", 1) or 1) if counts else 0
        return [Call(fit, (estimator, self.dataset, self.seen), total)]

    def gathered(self, results: list[Any]) -> TableModel | None:
        """The fitted model with its table; None before it is there."""
        seen = self.seen
        return TableModel(results[0], self.dataset, seen, ~seen) if results else None


def draw_own(dataset: Dataset) -> None:
    """Draw the controls of a person's own model, if it is chosen."""
    if slots.has_own(PLACES):
        with st.container(border=True, key="controls of own model"):
            uploads.draw(dataset)


def chosen(dataset: Dataset) -> ScoringModel | None:
    """The model of the controls, which are drawn; None where none is chosen."""
    slots.draw(PLACES, "●", dataset.target)
    models = slots.models(PLACES, float(SECONDS.value), dataset.target)
    if not models:
        st.info(say("Choose a model above."))
        return None
    return ScoringModel(models[0].model, slots.titles(models)[0], models[0].seconds, dataset, drawer.holdout())


def made(chosen: ScoringModel) -> TableModel | None:
    """The fitted model; None while it is not there, with its progress or the reason on the page."""
    model, data = chosen.model, chosen.dataset
    if why := why_not(model, data, lambda: chosen.seen) or fitted.why_not(model, data):
        st.info(why)
        return None
    line = Line(chosen.key, f"**{chosen.title}**", partial(_how_far, chosen.title), model.stage)
    stopped, failed = say("The model was stopped."), say("The model could not be made.")
    return note.result(RUNNER.work_of(chosen), line, stopped, failed)


def _how_far(title: str, job: Job) -> Far:
    seconds = in_style(f"{job.seconds:.0f}")
    text = say("Growing **{title}**, {seconds} s so far", title=title, seconds=seconds)
    return Far(job.share, text, job.seconds_left)

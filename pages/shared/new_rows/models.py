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
from espalier.language import in_style, say
from espalier.learners.catalogue import Model
from espalier.new_rows.answers import TableModel
from espalier.tasks import Call
from pages.shared.app.address import Entry
from pages.shared.app.links.readers import whole
from pages.shared.comparison import folds as comparison_sentences
from pages.shared.comparison.folds import MOST_SECONDS
from pages.shared.jobs import compilation, note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import RUNNER, Job
from pages.shared.models import drawer, slots
from pages.shared.models.drawer import pick
from pages.shared.models.slots import Places
from pages.shared.models.targets import why_not
from pages.shared.own_models import fitted, uploads

FIRST = ("random",)
PLACES = Places(("n1",), {True: FIRST, False: FIRST})
SECONDS = 10  # of a search, if nobody says otherwise


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

    @property
    def why_not(self) -> str:
        """Why the model cannot be made of these data, Markdown; "" where it can."""
        return why_not(self.model, self.dataset, lambda: self.seen) or fitted.why_not(self.model, self.dataset)

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


def url_entries() -> list[Entry]:
    """The rows held out and the time of a search as parts of the address."""
    return [*drawer.held_out_entries(), Entry("limit", SECONDS, whole(1, MOST_SECONDS), name="seconds")]


def draw_controls() -> None:
    """Draw the rows held out, and the time of a search."""
    drawer.draw_held_out()
    pick(comparison_sentences.FOLD_HELP, "limit", st.number_input, min_value=1, max_value=MOST_SECONDS)


def draw_own(dataset: Dataset) -> None:
    """Draw the controls of a person's own model, if it is chosen."""
    if slots.has_own(PLACES):
        with st.container(border=True, key="controls of own model"):
            uploads.draw(dataset)


def chosen(dataset: Dataset) -> ScoringModel | None:
    """The model of the controls, which are drawn; None where none is chosen."""
    slots.draw(PLACES, "●", dataset.target)
    found = slots.models(PLACES, float(st.session_state["limit"]), dataset.target)
    if not found:
        st.info(say("Choose a model above."))
        return None
    title = slots.titles(found)[0]
    return ScoringModel(found[0].model, title, found[0].seconds, dataset, drawer.holdout())


def made(one: ScoringModel) -> TableModel | None:
    """The fitted model; None while it is not there, with its progress or the reason on the page."""
    if one.why_not:
        st.info(one.why_not)
        return None
    outcome = watch.outcome(RUNNER.work_of(one))
    note.ended(
        one.key,
        outcome,
        say("{title} was stopped before the model was ready.", title=one.title),
        say("The model could not be made."),
        goes_on=False,
    )
    if outcome.is_awaited:
        note.progress([Line(one.key, f"**{one.title}**", partial(_how_far, one), one.model.stage)])
    return outcome.value


def _how_far(one: ScoringModel, job: Job) -> Far:
    return Far(
        job.share,
        say("Growing **{title}**, {seconds} s so far", title=one.title, seconds=in_style(f"{job.seconds:.0f}")),
        job.seconds_left,
    )

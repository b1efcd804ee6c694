"""New rows at work: a job asks the model about each; another one tests whether they are like the old ones."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import streamlit as st
from sklearn.utils.validation import has_fit_parameter

from espalier.data.columns.new_rows import NewRows
from espalier.data.dataset import Dataset
from espalier.data.folds import HeldOut, held_out
from espalier.display.theme import count
from espalier.fitting import fit
from espalier.grown import why_not
from espalier.language import in_style, say, to_say
from espalier.learners.catalogue import Model
from espalier.new_rows.answers import (
    AnswersWithTruth,
    RowAnswers,
    TableModel,
    answers_to,
    asked_features,
    judge_answers,
)
from espalier.new_rows.scoring import (
    FEWEST,
    N_SHUFFLES,
    Drift,
    LeadingParts,
    drift,
    explainable_record,
    leading_parts,
    work_of,
)
from espalier.new_rows.words import drift_words
from espalier.progress import Progress
from espalier.tasks import Call
from pages.shared.app.frame import plain
from pages.shared.canvas.control import Control
from pages.shared.jobs import compilation, note
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import RUNNER, Job, Work
from pages.shared.models import drawer, slots
from pages.shared.models.slots import Places
from pages.shared.own_models import uploads

MOST_WORK = 2_000_000_000  # rows times nodes: about half a minute on two slow cores
STAGE, ENGINE = "explanation", "forest"  # of the kernels that find the columns, and that test the rows
DRIFT = Control(
    "drift", False, None, to_say("Are these rows like the old ones?"),
    to_say(
        "A forest learns to tell them apart, and 99 more after old and new rows have been mixed. *Terms:* drift, "
        "covariate shift."
    ),
)  # fmt: skip


# A model's answers to the rows that judge it and to new rows, and the columns that matter most.
AnsweredNewRows: TypeAlias = tuple[AnswersWithTruth | None, RowAnswers, LeadingParts | None]


class RowsAtWork(NamedTuple):
    """Rows that are to be scored: the work of a job."""

    key: str  # names model, rows and their columns
    title: str  # of the model
    model: TableModel
    rows: NewRows
    has_leading: bool

    @property
    def work(self) -> Work:
        """Work whose progress counts rows: those that judge, and each new one once, and once more with its columns
        that matter most, and with columns that the file does not have."""
        is_open = bool((self.rows.absent & asked_features(self.model)).any())
        n = int(self.model.judges.sum()) + len(self.rows.X) * (1 + self.has_leading + is_open)
        return Work(f"{self.key} {self.has_leading}", n, self.answered)

    def answered(self, progress: Progress) -> AnsweredNewRows | None:
        """Ask the model; None where it is stopped before all answers are there."""
        known = judge_answers(self.model, progress)
        said = None if progress.is_stopped else answers_to(self.model, self.rows.X, progress, self.rows.absent)
        if said is None:
            return None
        leading = None
        if self.has_leading:
            compilation.wait(STAGE)
            leading = leading_parts(self.model, self.rows.X, said, progress)
        return known, said, leading


def has_leading(model: TableModel, n_rows: int) -> bool:
    """Whether the columns that matter most are found: of trees and forests, where that is quick."""
    return explainable_record(model) is not None and work_of(model, n_rows) <= MOST_WORK


def outcome(asked: RowsAtWork) -> AnsweredNewRows | None:
    """The answers; None while they are not there, with their progress or the reason on the page."""
    work = asked.work

    def how_far(job: Job) -> Far:
        done, total = count(min(job.progress.done, work.total)), count(work.total)
        text = say("Asking about the rows: {done} of {total} steps", done=done, total=total)
        return Far(job.share, text, job.seconds_left)

    line = Line(work.key, say("New rows"), how_far, STAGE if asked.has_leading else "")
    return note.result(work, line, say("The work was stopped."), say("The rows could not be scored."))


def draw_drift(asked: RowsAtWork) -> None:
    """Draw the switch of the test whether new rows are like those the model learned from, and its result."""
    DRIFT.draw()
    if not DRIFT.value:
        return
    model, new = asked.model, asked.rows.X
    old = model.dataset.X[model.seen] if model.seen.any() else model.dataset.X
    if min(len(old), len(new)) < FEWEST:
        st.info(say("The test needs {fewest} new rows, and as many that the model learned from.", fewest=FEWEST))
        return

    def test(progress: Progress) -> Drift | None:
        compilation.wait(ENGINE)
        both = model.dataset._replace(X=np.asfortranarray(np.concatenate((old, new))))
        result = drift(both, np.arange(len(both.X)) >= len(old), N_SHUFFLES, progress=progress)
        return None if progress.is_stopped else result

    def how_far(job: Job) -> Far:
        text = say("{n} of {total} forests", n=job.progress.done, total=N_SHUFFLES)
        return Far(job.share, text, job.seconds_left)

    work = Work(f"drift {asked.key}", N_SHUFFLES, test)
    line = Line(work.key, say("Are they alike?"), how_far, ENGINE)
    result = note.result(work, line, say("The work was stopped."), say("The test came to no end."))
    if result is not None:
        st.markdown(drift_words(result, model.dataset, say("The new rows"), plain))


# ---- the model that scores new rows: fitted beside the page to the rows that are not held out, or a person's own

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
        estimator = uploads.made(self.model, self.dataset, seconds=self.seconds)
        counts = has_fit_parameter(estimator, "progress")
        total = len(self.dataset.y) * (getattr(estimator, "n_estimators", 1) or 1) if counts else 0
        return [Call(fit, (estimator, self.dataset, self.seen), total)]

    def gathered(self, results: list[Any]) -> TableModel | None:
        """The fitted model with its table; None before it is there."""
        seen = self.seen
        return TableModel(results[0], self.dataset, seen, ~seen) if results else None


def chosen(dataset: Dataset) -> ScoringModel | None:
    """The model of the controls, which are drawn; None where none is chosen."""
    slots.draw(PLACES, "●", dataset.target)
    models = slots.models(PLACES, dataset.target)
    if not models:
        st.info(say("Choose a model above."))
        return None
    return ScoringModel(models[0], slots.titles(models)[0], float(SECONDS.value), dataset, drawer.holdout())


def made(chosen: ScoringModel) -> TableModel | None:
    """The fitted model; None while it is not there, with its progress or the reason on the page."""
    model, data = chosen.model, chosen.dataset
    if why := why_not(model, data, lambda: chosen.seen) or uploads.why_not(model, data):
        st.info(why)
        return None
    line = Line(chosen.key, f"**{chosen.title}**", partial(_how_far, chosen.title), model.stage)
    stopped, failed = say("The model was stopped."), say("The model could not be made.")
    return note.result(RUNNER.work_of(chosen), line, stopped, failed)


def _how_far(title: str, job: Job) -> Far:
    seconds = in_style(f"{job.seconds:.0f}")
    text = say("Growing **{title}**, {seconds} s so far", title=title, seconds=seconds)
    return Far(job.share, text, job.seconds_left)

"""Models at work: each is a job of its own on the same folds; those that are done stay for when others change."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from espalier.comparison.cross_validation import fold_tasks, gather, try_fold
from espalier.data.dataset import Dataset
from espalier.data.folds import Fold, Folds
from espalier.display.theme import count
from espalier.grown import why_not
from espalier.language import say
from espalier.learners.catalogue import KINDS, Model
from espalier.tasks import PARTS, Call
from pages.shared.jobs import compilation, note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import RUNNER, Job, Outcome
from pages.shared.own_models import uploads

LARGE = 50_000_000  # values to learn from, over all folds and models: more is begun only when asked for


class ComparisonJob(NamedTuple):
    """A model, the data, and the folds: a `TaskList`, of which each fold is a task."""

    purpose = "compare"  # part of its key

    slot: int  # number of the model's place on the page
    model: Model
    seconds: float  # that a search may take each time it is fitted
    dataset: Dataset
    plan: Folds

    @property
    def key(self) -> str:
        """Digest of all that the outcome depends on."""
        causes = (self.dataset.digest, self.plan, self.model, self.seconds)
        return f"{self.purpose} " + hashlib.blake2b(repr(causes).encode(), digest_size=8).hexdigest()

    @property
    def n_tasks(self) -> int:
        """Number of folds; a person's own model is asked about all rows at once."""
        return 1 if self.is_own else self.plan.n_all

    @property
    def may_have_seen(self) -> bool:
        """Whether nobody knows which rows a person's own model was trained on."""
        return self.is_own and uploads.rows_of(self.model, self.dataset) is None

    def unseen(self) -> np.ndarray:
        """(n,) the rows that a person's own model was not trained on, or that it may not have been."""
        trained = uploads.rows_of(self.model, self.dataset)
        return np.arange(len(self.dataset.y)) if trained is None else np.flatnonzero(~trained)

    @property
    def why_not(self) -> str:
        """Why the model cannot be tried on these data, Markdown; "" where it can."""
        return why_not(self.model, self.dataset) or uploads.why_not(self.model, self.dataset)

    @property
    def is_own(self) -> bool:
        """Whether it is a person's own model, which is not fitted again."""
        return self.model.name == uploads.NAME

    def tasks(self) -> list[Call]:
        """A task for each fold: here, the model's scores on it."""
        if self.is_own:
            fold = Fold(0, self.unseen(), np.zeros(len(self.dataset.y), bool))
            return [Call(try_fold, (self.estimator(), self.dataset, fold))]
        return fold_tasks(try_fold, self.estimator(), self.dataset, self.plan)

    def gathered(self, results: list[Any]) -> Any:
        """Result of all folds, or of those that are done."""
        return gather(results, self.dataset, self.plan, self.unseen() if self.is_own else None)

    def estimator(self) -> Any:
        """The model, not fitted; waits for its engine to be compiled."""
        if self.model.stage:
            compilation.wait(self.model.stage)
        return uploads.made(self.model, self.dataset, seed=self.plan.seed, seconds=self.seconds)


def outcomes(trials: Sequence[ComparisonJob]) -> list[Outcome]:
    """Outcome of each trial by now; the others are at work, unless there is much to do and no one asked for it.

    In that case a button is drawn that begins it.
    """
    waiting = [trial for trial in trials if _outcome(trial).is_awaited]
    keys, n_fits = [trial.key for trial in trials], sum(trial.plan.n_all for trial in waiting)
    may_begin = watch.may_begin(keys, trials[0].dataset.X.size * n_fits, LARGE)
    watch.outcomes(
        [RUNNER.work_of(trial) for trial in sorted(trials, key=_turn) if may_begin and not trial.why_not]
    )
    if not may_begin:
        rows = count(len(trials[0].dataset.y))
        amount = say("{n_fits} models have to learn from about {n_rows} rows each.", n_fits=n_fits, n_rows=rows)
        watch.offer(keys, amount, say("Begin"))
    return [_outcome(trial) for trial in trials]


def _turn(trial: ComparisonJob) -> tuple[bool, int]:
    """Place of a trial in the queue: quick ones first, those that wait for the engine last."""
    model = trial.model
    place = -1 if trial.is_own else KINDS.index(model.kind)
    return bool(model.stage) and not compilation.is_ready(model.stage), place


def _outcome(trial: ComparisonJob) -> Outcome:
    if wrong := trial.why_not:
        return Outcome(wrong=wrong)
    return watch.found(trial.key) or Outcome()


def draw_progress(trials: Sequence[ComparisonJob], titles: Sequence[str]) -> None:
    """Draw the progress of the trials at work, each with Cancel; nothing where none is."""
    lines = [
        Line(trial.key, f"**{title}**", partial(_how_far, trial, title), trial.model.stage)
        for trial, title in zip(trials, titles, strict=True)
        if watch.find(trial.key)
    ]
    if lines:
        note.progress(lines)


def _how_far(trial: ComparisonJob, title: str, job: Job) -> Far:
    n_left = (job.work.total - job.progress.done) // PARTS  # folds that have not begun
    fold, n_folds = max(trial.n_tasks - n_left, 1), trial.n_tasks
    text = say("**{title}**: fold {fold} of {n_folds}", title=title, fold=fold, n_folds=n_folds)
    return Far(job.share, text, job.seconds_left)

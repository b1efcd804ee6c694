"""Models at work: each is a job of its own on the same folds; those that are done stay for when others change."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from espalier.analysis.comparison.cross_validation import ValidationRun, fold_tasks, gathered, try_fold
from espalier.data.dataset import Dataset
from espalier.data.rows.folds import Folds
from espalier.learners.catalogue import KINDS, CommonTerms, Model
from espalier.tasks import PARTS, Call
from pages.shared.jobs import compilation, note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import RUNNER, Job, Outcome
from pages.shared.models.slots import SlotModel
from pages.shared.models.targets import why_not
from pages.shared.words import compare as words

LARGE = 50_000_000  # values to learn from, over all folds and models: more is begun only when asked for


class ComparisonJob(NamedTuple):
    """A model, the data, and the folds: a `TaskList`, of which each fold is a task."""

    purpose = "compare"  # part of its key

    chosen: SlotModel
    dataset: Dataset
    plan: Folds

    @property
    def model(self) -> Model:
        """The model itself."""
        return self.chosen.model

    @property
    def slot(self) -> int:
        """Number of its place on the page."""
        return self.chosen.slot

    @property
    def key(self) -> str:
        """Digest of all that the outcome depends on."""
        causes = (self.dataset.digest, self.plan, self.model, self.chosen.seconds)
        return f"{self.purpose} " + hashlib.blake2b(repr(causes).encode(), digest_size=8).hexdigest()

    @property
    def n_tasks(self) -> int:
        """Number of folds."""
        return self.plan.n_all

    @property
    def is_possible(self) -> bool:
        """Whether the model is for this target."""
        return not why_not(self.model, self.dataset)

    def tasks(self) -> list[Call]:
        """A task for each fold: here, the model's scores on it."""
        return fold_tasks(try_fold, ValidationRun(self.estimator(), self.dataset, self.plan))

    def gathered(self, results: list[Any]) -> Any:
        """Result of all folds, or of those that are done."""
        return gathered(results, self.dataset, self.plan)

    def estimator(self) -> Any:
        """The model, not fitted; waits for its engine to be compiled."""
        if self.model.stage:
            compilation.wait(self.model.stage)
        terms = CommonTerms.of(self.dataset, seed=self.plan.seed, seconds=self.chosen.seconds)
        return self.model.make(terms)


def outcomes(trials: Sequence[ComparisonJob]) -> list[Outcome]:
    """Outcome of each trial by now; the others are at work, unless there is much to do and no one asked for it."""
    wanted = [trial for trial in sorted(trials, key=_turn) if trial.is_possible] if _may_begin(trials) else []
    watch.outcomes([RUNNER.work_of(trial) for trial in wanted])
    return [_outcome(trial) for trial in trials]


def _turn(trial: ComparisonJob) -> tuple[bool, int]:
    """Place of a trial in the queue: quick ones first, those that wait for the engine last."""
    model = trial.model
    return bool(model.stage) and not compilation.is_ready(model.stage), KINDS.index(model.kind)


def _outcome(trial: ComparisonJob) -> Outcome:
    if not trial.is_possible:
        return Outcome(wrong=why_not(trial.model, trial.dataset))
    return watch.found(trial.key) or Outcome()


def _awaited(trials: Sequence[ComparisonJob]) -> list[ComparisonJob]:
    return [trial for trial in trials if _outcome(trial).is_awaited]


def _may_begin(trials: Sequence[ComparisonJob]) -> bool:
    values = sum(trial.dataset.X.size * trial.plan.n_all for trial in _awaited(trials))
    return watch.may_begin([trial.key for trial in trials], values, LARGE)


def offer_to_begin(trials: Sequence[ComparisonJob], label: str = "") -> None:
    """Draw the button that begins the work, with its amount; nothing where there is little to do."""
    if not _may_begin(trials):
        fits, rows = sum(trial.plan.n_all for trial in _awaited(trials)), len(trials[0].dataset.y)
        watch.offer([trial.key for trial in trials], words.much_to_do(fits, rows), label or words.BEGIN)


def draw_progress(trials: Sequence[ComparisonJob], titles: Sequence[str]) -> None:
    """Draw the progress of the trials at work, each with Cancel; nothing where none is."""
    named = zip(trials, titles, strict=True)
    lines = [
        Line(trial.key, f"**{title}**", partial(_how_far, trial, title), trial.model.stage)
        for trial, title in named
        if watch.find(trial.key)
    ]
    if lines:
        note.progress(lines)


def _how_far(trial: ComparisonJob, title: str, job: Job) -> Far:
    n_left = (job.work.total - job.progress.done) // PARTS  # folds that have not begun
    fold = max(trial.n_tasks - n_left, 1)
    return Far(job.share, words.how_far(title, fold, trial.n_tasks, job.seconds), job.seconds_left)

"""The model that has not seen a row, and models on redrawn data: grown beside the page, for all rows of a fold."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from espalier.analysis.reliability.explanation import answers_of_refit
from espalier.analysis.reliability.reliability import FoldModel, fit_outside
from espalier.analysis.reliability.uncertainty import model_of
from espalier.data.dataset import Dataset
from espalier.tasks import Call
from pages.shared.app.frame import rerun
from pages.shared.jobs import note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import RUNNER, Job, Outcome
from pages.shared.jobs.store import n_bytes
from pages.shared.reliability.models import UncertainModel

AGAIN = 30  # models on redrawn data


class StoryModels(NamedTuple):
    """The models of a story, or the first of them."""

    fitted: Any  # the model of the fold
    again: list[np.ndarray]  # what models on redrawn data say of the fold's rows

    @property
    def megabytes(self) -> float:
        """Memory that they take."""
        return n_bytes((model_of(self.fitted), self.again)) / 1e6


class Refits(NamedTuple):
    """A `TaskList`: the model of a fold, and then models on redrawn data that say what its rows are."""

    trial: UncertainModel
    fold: FoldModel

    @property
    def key(self) -> str:
        """Names the job."""
        return f"{self.trial.key} story {self.fold.number}"

    @property
    def data(self) -> Dataset:
        """The data."""
        return self.trial.dataset

    @property
    def rows(self) -> np.ndarray:
        """(n_rows,) of the fold."""
        return self.fold.rows

    @property
    def n_tasks(self) -> int:
        """How many models there are to fit."""
        return 1 + AGAIN

    def tasks(self) -> list[Call]:
        """A task for each model: the first gives the model, the others what they say of the rows."""
        data, seed = (self.trial.estimator(), self.data, self.rows), self.trial.plan.seed
        outside = (self.trial.estimator(), *data[1:])
        return [Call(fit_outside, outside), *(Call(answers_of_refit, (*data, n, seed)) for n in range(AGAIN))]

    def gathered(self, results: list[Any]) -> StoryModels | None:
        """The models, or those that are there; None before there is the first."""
        return StoryModels(results[0], results[1:]) if results else None

    @property
    def so_far(self) -> StoryModels | None:
        """The models that there are by now."""
        outcome = RUNNER.outcome(self.key)
        if outcome is not None and outcome.value is not None:
            return outcome.value
        return self.gathered(list(RUNNER.results(self.key).values()))

    @property
    def fitted(self) -> Any:
        """The model of the fold; None before it is there."""
        return None if self.so_far is None else self.so_far.fitted

    @property
    def again(self) -> list[np.ndarray]:
        """What models on redrawn data say of the fold's rows, as far as they are there."""
        return [] if self.so_far is None else self.so_far.again

    @property
    def is_done(self) -> bool:
        """Whether all models are there."""
        return len(self.again) == AGAIN


def retelling(trial: UncertainModel, fold: FoldModel) -> tuple[Refits, Outcome]:
    """What is there by now for the rows of a fold, and how its job ended; it is begun unless it was stopped."""
    found = Refits(trial, fold)
    return found, watch.outcome(RUNNER.work_of(found), beside=True)


def draw_progress(found: Refits, outcome: Outcome) -> None:
    """How far it is, with Cancel; or the button to go on."""
    stopped = f"Stopped after {len(found.again)} of {AGAIN} models on redrawn data."
    note.ended(found.key, outcome, stopped, "The model could not be grown again.")
    if outcome.is_awaited:
        line = Line(found.key, "The story", partial(_how_far, found), found.trial.model.kind.stage)
        note.progress([line], partial(_show_first, found, found.fitted is None))


def _show_first(found: Refits, is_awaited: bool) -> None:
    """Run the page again as soon as the model is there that it waits for."""
    if is_awaited and found.fitted is not None:
        rerun()


def _how_far(found: Refits, job: Job) -> Far:
    if found.fitted is None:
        return Far(job.share, f"Growing the model that has not seen this row, {job.seconds:.0f} s so far")
    words = f"Drawing the data again: model {len(found.again) + 1} of {AGAIN}"
    return Far(job.share, words, job.seconds_left)

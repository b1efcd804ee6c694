"""The models of the page: their answers out of fold, each with its doubt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.comparison.cross_validation import fold_tasks
from espalier.data.dataset import Dataset
from espalier.data.folds import Fold, folds_of
from espalier.reliability.reliability import (
    Answers,
    CoverageCurve,
    FoldModel,
    FoldModels,
    answered,
    ask_fold,
    curve,
)
from espalier.reliability.uncertainty import NONE, OWN, SHARE
from espalier.tasks import Call
from pages.shared.app.store import of_table
from pages.shared.comparison import folds
from pages.shared.comparison.runs import ComparisonJob
from pages.shared.jobs.run import Outcome
from pages.shared.models import slots

FIRST = ("cultivated", "random", "cart", slots.NONE)
PLACES = folds.COMPARED._replace(defaults={True: FIRST, False: FIRST})
LEAST_FOLDS = 2  # of a model that was stopped


class UncertainModel(ComparisonJob):
    """A model, the data and the folds, asked for its answers out of fold and how much it doubts each."""

    __slots__ = ()
    purpose = "doubt"

    @property
    def n_tasks(self) -> int:
        """Number of folds; of a person's own model those with rows new to it."""
        return len(self._folds_of_own()) if self.is_own else self.plan.n_all

    def tasks(self) -> list[Call]:
        """A task for each fold: the model's answers to its rows, of a person's own to those new to it."""
        estimator = self.estimator()
        if self.is_own:
            return [Call(ask_fold, (estimator, self.dataset, fold)) for fold in self._folds_of_own()]
        return fold_tasks(ask_fold, estimator, self.dataset, self.plan)

    def _folds_of_own(self) -> list[Fold]:
        unseen = self.unseen()
        parts = [one._replace(rows=np.intersect1d(one.rows, unseen)) for one in folds_of(self.dataset, self.plan)]
        return [fold for fold in parts if len(fold.rows)]

    def gathered(self, results: list[FoldModel]) -> FoldModels:
        """Result of all folds, or of those that are done."""
        return FoldModels(tuple(results), self.dataset, self.plan)


class AnsweredModel(NamedTuple):
    """A model with its answers."""

    trial: UncertainModel
    title: str
    fold_models: FoldModels
    answers: Answers
    curve: CoverageCurve
    by: str  # OWN or SHARE: how its doubt is measured

    @property
    def measure(self) -> str:
        """Measure of its doubt, a key of `espalier.reliability.words.MEASURES`."""
        return SHARE if self.by == SHARE else self.fold_models.measure

    @property
    def key(self) -> str:
        """Key of the answers, for caches."""
        return f"{self.trial.key} {len(self.fold_models.tried)}"


def trials(dataset: Dataset) -> list[UncertainModel]:
    """The models of the places that are not empty."""
    plan = folds.plan(dataset)
    return [UncertainModel(*one, folds.seconds(), dataset, plan) for one in folds.models(dataset).items()]


def known(
    trials: Sequence[UncertainModel], titles: Sequence[str], outcomes: Sequence[Outcome]
) -> list[AnsweredModel]:
    """The models with answers so far."""
    return [
        _answered(trial, len(outcome.value.tried), outcome.value)._replace(title=title, trial=trial)
        for trial, title, outcome in zip(trials, titles, outcomes, strict=True)
        if outcome.value is not None and len(outcome.value.tried) >= LEAST_FOLDS
    ]


@of_table(max_entries=24)
def _answered(trial: UncertainModel, n_tried: int, _fold_models: FoldModels) -> AnsweredModel:
    by = SHARE if _fold_models.measure == NONE and trial.dataset.is_classification else OWN
    answers = answered(_fold_models, by)
    return AnsweredModel(trial, "", _fold_models, answers, curve(answers, _fold_models.plan), by)

"""The models of the page: their answers out of fold, each with its doubt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from espalier.comparison.cross_validation import ValidationRun, fold_tasks
from espalier.data.dataset import Dataset
from espalier.data.folds import Fold, folds_of
from espalier.language import say
from espalier.reliability.reliability import (
    Answers,
    Area,
    CoverageCurve,
    FoldModel,
    FoldModels,
    Steps,
    answered,
    area,
    ask_fold,
    curve,
    losses_by_uncertainty,
)
from espalier.reliability.uncertainty import NONE, OWN, SHARE
from espalier.tasks import Call
from pages.shared.app.address import Entry
from pages.shared.app.links.readers import one_of
from pages.shared.app.table_results import of_table
from pages.shared.comparison import folds
from pages.shared.comparison.runs import ComparisonJob
from pages.shared.jobs.run import Outcome
from pages.shared.models import slots
from pages.shared.models.drawer import pick

FIRST = ("cultivated", "random", "cart")
PLACES = folds.COMPARED._replace(defaults=dict.fromkeys((True, False), (*FIRST, slots.NONE)))
LEAST_FOLDS = 2  # of a model that was stopped
BY = (OWN, SHARE)


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
        return fold_tasks(ask_fold, ValidationRun(estimator, self.dataset, self.plan))

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
    area: Area
    steps: Steps
    by: str  # OWN or SHARE: how its doubt is measured

    @property
    def measure(self) -> str:
        """Measure of its doubt, a key of `espalier.reliability.words.MEASURES`."""
        return SHARE if self.by == SHARE else self.fold_models.measure

    @property
    def key(self) -> str:
        """Key of the answers, for caches."""
        return f"{self.trial.key} {len(self.fold_models.tried)} {self.by}"


def url_entry() -> Entry:
    """The measure of doubt as a part of the address."""
    return Entry("doubt", OWN, one_of(BY))


def trials(dataset: Dataset) -> list[UncertainModel]:
    """The models of the places that are not empty."""
    plan = folds.plan(dataset)
    return [UncertainModel(chosen, dataset, plan) for chosen in folds.models(dataset)]


def draw_measure(dataset: Dataset) -> None:
    """Draw the choice of the measure of doubt; of numbers there is one way."""
    if dataset.is_classification:
        titles = {OWN: say("what it is made of"), SHARE: say("the share of its answer")}
        pick(
            {
                "doubt": (
                    say("Doubt is measured by"),
                    say(
                        "- **What it is made of.** A cultivated tree's spread σ, a forest's votes, the leaf "
                        "of a single tree.\n- **The share of its answer.** 1 − the share that the model gives "
                        "the class that it says: the usual way, to compare with."
                    ),
                )
            },
            "doubt",
            st.selectbox,
            options=list(titles),
            format_func=titles.get,
        )


def known(
    chosen: Sequence[UncertainModel], titles: Sequence[str], outcomes: Sequence[Outcome]
) -> list[AnsweredModel]:
    """The models with answers so far."""
    by = st.session_state["doubt"] if chosen and chosen[0].dataset.is_classification else OWN
    return [
        _known(trial, len(one.value.tried), by, one.value)._replace(title=title, trial=trial)
        for trial, title, one in zip(chosen, titles, outcomes, strict=True)
        if one.value is not None and len(one.value.tried) >= LEAST_FOLDS
    ]  # fmt: skip


@of_table(max_entries=24)
def _known(trial: UncertainModel, n_tried: int, by: str, _fold_models: FoldModels) -> AnsweredModel:
    by = SHARE if _fold_models.measure == NONE and trial.dataset.is_classification else by
    answers = answered(_fold_models, by)
    plan = _fold_models.plan
    return AnsweredModel(
        trial, "", _fold_models, answers, curve(answers, plan), area(answers), losses_by_uncertainty(answers), by
    )

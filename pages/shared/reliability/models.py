"""The models whose doubts are looked at, and what became of them: answers out of fold, each with its doubt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from espalier.analysis.comparison.cross_validation import fold_tasks
from espalier.analysis.reliability.reliability import (
    Answers,
    Area,
    CoverageCurve,
    FoldModel,
    Questioned,
    Steps,
    answered,
    area,
    ask_fold,
    by_uncertainty,
    curve,
)
from espalier.analysis.reliability.uncertainty import NONE, OWN, SHARE
from espalier.data.dataset import Dataset
from espalier.tasks import Call
from pages.shared.app.address import Entry, one_of
from pages.shared.app.table_results import of_table
from pages.shared.comparison import folds
from pages.shared.comparison.runs import ComparisonJob
from pages.shared.jobs.run import Outcome
from pages.shared.models.rail import Help, pick
from pages.shared.models.slots import Places

FIRST = ("cultivated", "random", "cart")
PLACES = Places(("r1", "r2", "r3"), {True: FIRST, False: FIRST})
LEAST_FOLDS = 2  # of a model that was stopped
BY = {OWN: "what it is made of", SHARE: "the share of its answer"}
HELP = {
    "doubt": Help(
        "Doubt is measured by",
        "- **What it is made of.** A cultivated tree's spread σ, a forest's votes, the leaf of a single tree.\n"
        "- **The share of its answer.** 1 − the share that the model gives the class that it says: the usual way, "
        "to compare with.",
    ),
}


class UncertainModel(ComparisonJob):
    """A model, the data and the folds, asked for its answers out of fold and how much it doubts each."""

    __slots__ = ()
    purpose = "doubt"

    def tasks(self) -> list[Call]:
        """A task for each fold: the model's answers to its rows."""
        return fold_tasks(ask_fold, (self.estimator(), self.dataset, self.plan))

    def gathered(self, results: list[FoldModel]) -> Questioned:
        """Result of all folds, or of those that are done."""
        return Questioned(tuple(results), self.dataset, self.plan)


class AnsweredModel(NamedTuple):
    """A model that there are answers of."""

    trial: UncertainModel
    title: str
    questioned: Questioned
    answers: Answers
    curve: CoverageCurve
    area: Area
    steps: Steps
    by: str  # OWN or SHARE: how its doubt is measured

    @property
    def measure(self) -> str:
        """What its doubt is: a key of `espalier.views.reliability.words.MEASURES`."""
        return SHARE if self.by == SHARE else self.questioned.measure

    @property
    def key(self) -> str:
        """Names all that is known, for caches."""
        return f"{self.trial.key} {len(self.questioned.tried)} {self.by}"


def url_entries(dataset: Dataset) -> list[Entry]:
    """Folds, places and the measure as parts of the address."""
    return [*folds.url_entries(dataset, PLACES), Entry("doubt", OWN, one_of(BY))]


def trials(dataset: Dataset) -> list[UncertainModel]:
    """What the places stand for."""
    plan = folds.plan()
    return [UncertainModel(chosen, dataset, plan) for chosen in folds.models(PLACES)]


def draw_measure(dataset: Dataset) -> None:
    """How doubt is measured; of numbers there is one way."""
    if dataset.is_classification:
        pick(HELP, "doubt", st.selectbox, options=list(BY), format_func=BY.get)


def known(
    chosen: Sequence[UncertainModel], titles: Sequence[str], found: Sequence[Outcome]
) -> list[AnsweredModel]:
    """The models that there are answers of by now."""
    by = st.session_state["doubt"] if chosen and chosen[0].dataset.is_classification else OWN
    return [
        _known(trial.key, len(one.value.tried), by, trial, one.value)._replace(title=title, trial=trial)
        for trial, title, one in zip(chosen, titles, found, strict=True)
        if one.value is not None and len(one.value.tried) >= LEAST_FOLDS
    ]  # fmt: skip


@of_table(max_entries=24)
def _known(key: str, n_tried: int, by: str, _trial: UncertainModel, _questioned: Questioned) -> AnsweredModel:
    by = SHARE if _questioned.measure == NONE and _trial.dataset.is_classification else by
    found = answered(_questioned, by)
    plan = _questioned.plan
    return AnsweredModel(
        _trial, "", _questioned, found, curve(found, plan), area(found), by_uncertainty(found), by
    )

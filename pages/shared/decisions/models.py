"""Models whose answers are decided on, from the pages that ask them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from espalier.comparison.tables import Contestant
from espalier.data.dataset import Dataset
from espalier.decisions.judged import JudgedRows, rows_of_folds, rows_validated
from pages.shared.comparison.runs import ComparisonJob
from pages.shared.reliability.models import AnsweredModel


class DecidingModel(NamedTuple):
    """A model whose answers are decided on."""

    key: str  # names its answers, for caches
    title: str
    slot: int
    rows: Callable[[], JudgedRows]  # its answers to rows that it has not seen


def of_reliability(one: AnsweredModel) -> DecidingModel:
    """A model of the page Reliability."""
    return DecidingModel(one.key, one.title, one.trial.slot, lambda: rows_of_folds(one.fold_models))


def of_comparison(dataset: Dataset, trial: ComparisonJob, one: Contestant) -> DecidingModel:
    """A model of the page Compare, with the rows of its first repeat."""
    key = f"{trial.key} {len(one.validated.tried)}"
    return DecidingModel(key, one.title, one.slot, lambda: rows_validated(one.validated, dataset))

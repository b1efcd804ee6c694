"""Which new rows are for an expert, and why: too doubtful, unsettled, or unlike what the model learned from."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from espalier.data.columns.new_rows import NewRows
from espalier.new_rows.answers import AnswersWithTruth, RowAnswers, TableModel, asked_features
from espalier.reliability.abstention import Goal, choose, evidence


class LearnedRange(NamedTuple):
    """What a model has learned from of each column."""

    low: np.ndarray  # (n_features,) least number; -inf for categories
    high: np.ndarray  # (n_features,) greatest number; inf for categories
    has_missing: np.ndarray  # (n_features,) bool
    is_asked: np.ndarray  # (n_features,) bool: whether the model asks about it at all


class Handover(NamedTuple):
    """The reasons to hand rows over; of columns those alone that the model asks about."""

    threshold: float  # of doubt; inf: none is too doubtful
    doubted: np.ndarray  # (n_rows,) bool: above the threshold
    unsettled: np.ndarray  # (n_rows,) bool: trees as good say different classes
    unknown: np.ndarray  # (n_rows, n_features) bool: a category that the column did not have, or no number
    outside: np.ndarray  # (n_rows, n_features) bool: below or above all that the model learned from
    missing: np.ndarray  # (n_rows, n_features) bool: missing, which it never was where the model learned
    absent: np.ndarray  # (n_rows, n_features) bool: a column that the file has not, on which the answer hangs
    learned: LearnedRange

    @property
    def is_for_expert(self) -> np.ndarray:
        """Return whether there is any reason, (n_rows,) bool."""
        of_columns = self.unknown | self.outside | self.missing | self.absent
        return self.doubted | self.unsettled | of_columns.any(axis=1)


def threshold_of(goal: Goal, known: AnswersWithTruth | None) -> float:
    """Return the doubt up to which a goal lets the model answer; inf where no rows judge it."""
    if known is None:
        return math.inf
    return choose(known.said.doubt, known.loss, goal, evidence(known.weight, known.unit, goal))


def learned_range(model: TableModel) -> LearnedRange:
    """Return what the model has learned from of each column; of a model that says nothing of it, all rows."""
    data = model.dataset
    seen = data.X[model.seen] if model.seen.any() else data.X
    is_number = np.array([not feature.categories for feature in data.features])
    low, high = np.fmin.reduce(seen, axis=0), np.fmax.reduce(seen, axis=0)
    has_missing = np.asarray(np.isnan(seen).any(axis=0))
    return LearnedRange(
        np.where(is_number, low, -np.inf), np.where(is_number, high, np.inf), has_missing, asked_features(model)
    )


def hand_over(model: TableModel, rows: NewRows, said: RowAnswers, threshold: float) -> Handover:
    """Return which rows are for an expert, where the model may answer up to a threshold of doubt.

    >>> import pandas as pd
    >>> from espalier.new_rows.answers import answers_to
    >>> from espalier.data import samples
    >>> from espalier.data.columns.new_rows import new_rows
    >>> from espalier.learners import CartClassifier
    >>> iris, every = samples.load("iris"), np.ones(150, bool)
    >>> model = TableModel(CartClassifier(max_depth=2).fit(iris.X, iris.y), iris, every, ~every)
    >>> rows = new_rows(pd.DataFrame({"petal length": [1.4, 9, 5], "petal width": [0.2, 2, None]}), iris)
    >>> found = hand_over(model, rows, answers_to(model, rows.X), 0.5)
    >>> found.is_for_expert.tolist(), found.outside[1].tolist(), found.missing[2].tolist()
    ([False, True, True], [False, False, True, False], [False, False, False, True])
    """
    learned = learned_range(model)
    with np.errstate(invalid="ignore"):
        outside = (learned.low > rows.X) | (learned.high < rows.X)
    missing = np.isnan(rows.X) & ~rows.unknown & ~learned.has_missing & ~rows.absent
    doubted = said.doubt > threshold
    unsettled = np.zeros(len(doubted), bool) if said.possible is None else said.possible.sum(axis=1) > 1
    asked = learned.is_asked
    absent = np.zeros(rows.X.shape, bool)
    if said.reach is not None:
        absent[:, list(said.reach.features)] = said.reach.is_open[:, None]
    columns = rows.unknown & asked, outside & asked, missing & asked, absent
    return Handover(threshold, doubted, unsettled, *columns, learned)

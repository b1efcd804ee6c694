"""New rows scored by a fitted model: its answers, what it promises about them, and the rows for an expert."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pandas as pd

from espalier.data.columns.new_rows import NewRows, new_rows
from espalier.new_rows.answers import (
    AnswersWithTruth,
    RowAnswers,
    TableModel,
    answers_to,
    judged,
    losses,
    promised_ends,
    promised_limit,
    promised_sets,
)
from espalier.new_rows.handover import Handover, hand_over, threshold_of
from espalier.new_rows.leading import LeadingParts, leading_parts
from espalier.reliability.abstention import ANSWER, Goal
from espalier.wilson_interval import wilson

USUAL = Goal(ANSWER, 0.8)


class ScoringRules(NamedTuple):
    """How doubtful an answer may be, and how often a set, or an interval, is to hold the truth."""

    goal: Goal = USUAL
    level: float = 0.9


class ScoredRowSet(NamedTuple):
    """New rows with what a model says of them; arrays have an entry for each row."""

    rows: NewRows
    said: RowAnswers
    limit: float  # of `promised_limit`; inf where too few rows judge the model, nan where none do
    sets: np.ndarray | None  # (n_rows, n_classes) bool: classes promised to hold the truth; None: no promise
    ends: np.ndarray | None  # (n_rows, 2) of intervals of numbers; None: no promise
    handover: Handover
    leading: LeadingParts | None = None  # None where they were not asked for, or the model has none
    in_groups: bool = False  # whether the rows that judge the model come in groups, which then are counted


class Hits(NamedTuple):
    """How often answers are right, or by how much they are off, among the rows whose truth is known."""

    n: int
    mean: float  # share of right classes, or mean absolute error; nan for no rows
    low: float  # 95 % interval of the share (Wilson); nan of numbers
    high: float


def score_rows(
    model: TableModel, rows: NewRows | pd.DataFrame, rules: ScoringRules | None = None, *, reasons: bool = True
) -> ScoredRowSet:
    """Return what a fitted model says of new rows, what it promises, and which rows are for an expert.

    A data frame is put into the terms of the model's table by the names of its columns. The table's rows that
    judge the model choose the promise and the doubt that is allowed: at first sets that hold the truth in 90 % of
    rows, and answers to the 80 % of rows that are least in doubt. With `reasons`, the columns that matter most to
    each answer are found. Raises TableError where no column fits.

    >>> from espalier.data import HeldOut, held_out, samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> held = held_out(iris, HeldOut(30))
    >>> tree = CartClassifier(max_depth=3).fit(iris.X[~held], iris.y[~held])
    >>> frame = pd.DataFrame({"petal length": [1.4, 9.0], "petal width": [0.2, 2.1]})
    >>> found = score_rows(TableModel(tree, iris, ~held, held), frame)
    >>> found.said.prediction.tolist(), found.sets.sum(axis=1).tolist()
    ([0.0, 2.0], [1, 1])
    >>> found.handover.is_for_expert.tolist()  # a petal of 9 cm is longer than all that the tree has seen
    [False, True]
    """
    there = new_rows(rows, model.dataset) if isinstance(rows, pd.DataFrame) else rows
    said = answers_to(model, there.X, absent=there.absent)
    assert said is not None
    leading = leading_parts(model, there.X, said) if reasons else None
    return scored(model, judged(model), there, said, rules or ScoringRules())._replace(leading=leading)


def scored(
    model: TableModel, known: AnswersWithTruth | None, rows: NewRows, said: RowAnswers, rules: ScoringRules
) -> ScoredRowSet:
    """Return the rows with these answers, as the rules and the rows that judge the model have it."""
    limit = math.nan if known is None else promised_limit(known, rules.level)
    is_promised, is_classes = math.isfinite(limit), model.dataset.is_classification
    sets = promised_sets(said, limit) if is_promised and is_classes else None
    ends = promised_ends(said, limit) if is_promised and not is_classes else None
    handover = hand_over(model, rows, said, threshold_of(rules.goal, known))
    in_groups = model.dataset.roles.groups is not None
    return ScoredRowSet(rows, said, limit, sets, ends, handover, in_groups=in_groups)


def hits(found: ScoredRowSet, among: np.ndarray | None = None) -> Hits:
    """Return how often the answers are right among rows with a known truth, of all or those of a mask.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris, every = samples.load("iris"), np.ones(150, bool)
    >>> model = TableModel(CartClassifier(max_depth=1).fit(iris.X, iris.y), iris, every, ~every)
    >>> frame = pd.DataFrame({"petal length": [1.4, 5, 5], "species": ["setosa", "virginica", None]})
    >>> found = hits(score_rows(model, frame))
    >>> found.n, found.mean, round(found.low, 2)
    (2, 0.5, 0.09)
    """
    y = found.rows.y
    known = np.zeros(len(found.said.doubt), bool) if y is None else ~np.isnan(y)
    known = known if among is None else known & among
    n = int(known.sum())
    if y is None or not n:
        return Hits(0, math.nan, math.nan, math.nan)
    loss = float(losses(found.said, y)[known].mean())
    if found.said.answers.shape[1] == 1:
        return Hits(n, loss, math.nan, math.nan)
    low, high = wilson(np.array([1 - loss]), np.array([n]))
    return Hits(n, 1 - loss, float(low[0]), float(high[0]))

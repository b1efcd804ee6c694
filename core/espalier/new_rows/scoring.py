"""New rows scored by a fitted model: its answers, what it promises about them, and the rows for an expert."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pandas as pd

from espalier.comparison.calibration import wilson
from espalier.data.columns.new_rows import NewRows, new_rows
from espalier.explanation.dependence import can_explain
from espalier.explanation.shapley import LOG_ODDS, shapley_values
from espalier.kinds import trees_of
from espalier.new_rows.answers import (
    AnswersWithTruth,
    RowAnswers,
    TableModel,
    answers_to,
    asked_features,
    judged,
    losses,
    promised_ends,
    promised_limit,
    promised_sets,
)
from espalier.predict import record_of
from espalier.progress import Progress
from espalier.reliability.abstention import ANSWER, Goal, choose, evidence
from espalier.trees import Forest, Tree

N_LEADING = 3
MOST_VALUES = 4_000_000  # Shapley values in memory together
LEAST = 1e-9  # smaller ones are none


class LeadingParts(NamedTuple):
    """The columns that add most to each answer, or take most away."""

    feature: np.ndarray  # (n_rows, n_leading) int64; -1 where fewer matter
    added: np.ndarray  # (n_rows, n_leading) float64, in the units of `link`
    link: str  # as in `espalier.explanation.shapley.PredictionParts`


def explained(model: TableModel) -> Tree | Forest | None:
    """Return the record of a model whose answers have Shapley values; None for other models."""
    record = record_of(model.estimator)
    return record if isinstance(record, (Tree, Forest)) and can_explain(record) else None


def work_of(model: TableModel, n_rows: int) -> int:
    """Return the rows times the nodes that have to be looked at."""
    record = explained(model)
    return n_rows * sum(tree.n_nodes for tree in trees_of(record) if isinstance(tree, Tree))


def leading_parts(
    model: TableModel, X: np.ndarray, said: RowAnswers, progress: Progress | None = None, n_jobs: int | None = None
) -> LeadingParts | None:
    """Return the columns that matter most to the answer `said` of each row of X (n_rows, n_features).

    `progress` counts rows; None where it was stopped, and of models without Shapley values.

    >>> from espalier.new_rows.answers import answers_to
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris, every = samples.load("iris"), np.ones(150, bool)
    >>> model = TableModel(CartClassifier(max_depth=1).fit(iris.X, iris.y), iris, every, ~every)
    >>> leading = leading_parts(model, iris.X[:1], answers_to(model, iris.X[:1]))
    >>> leading.feature.tolist(), leading.added.round(2).tolist()
    ([[2, -1, -1]], [[0.67, 0.0, 0.0]])
    """
    record = explained(model)
    if record is None:
        return None
    n_outputs, n_features = said.answers.shape[1], X.shape[1]
    block = max(MOST_VALUES // (n_outputs * n_features), 64)
    parts = []
    for start in range(0, len(X), block):
        span = slice(start, start + block)
        added = shapley_values(record, np.asfortranarray(X[span]), n_jobs=n_jobs).added
        parts.append(_greatest(_of_answer(record, model, added, said.prediction[span])))
        if progress is not None:
            progress.advance(len(added))
            if progress.is_stopped:
                return None
    feature, added = (np.concatenate(part) for part in zip(*parts, strict=True))
    link = record.link if isinstance(record, Forest) else "identity"
    return LeadingParts(feature, added, link)


def _of_answer(record: Tree | Forest, model: TableModel, added: np.ndarray, prediction: np.ndarray) -> np.ndarray:
    """Return the values (n_rows, n_features) of the class that is said of each row, or of the number."""
    if not model.dataset.is_classification:
        return added[:, :, 0]
    classes = np.asarray(model.estimator.classes_)
    place = np.searchsorted(classes, prediction)
    if isinstance(record, Forest) and record.link == LOG_ODDS[0]:  # one score, that of the second class
        return added[:, :, 0] * np.where(place == 1, 1.0, -1.0)[:, None]
    return added[np.arange(len(added)), :, place]


def _greatest(added: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the features of the values that are greatest in size, and these, (n_rows, N_LEADING) each."""
    n_rows, n_features = added.shape
    feature, value = np.full((n_rows, N_LEADING), -1), np.zeros((n_rows, N_LEADING))
    n = min(N_LEADING, n_features)
    order = np.argsort(-np.abs(added), axis=1, kind="stable")[:, :n]
    value[:, :n] = np.take_along_axis(added, order, axis=1)
    feature[:, :n] = np.where(np.abs(value[:, :n]) > LEAST, order, -1)
    return feature, np.where(feature < 0, 0.0, value)


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


# ---- new rows scored by a fitted model: its answers, what it promises about them, and the rows for an expert

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

"""A table as exhaustive search sees it: its rows that weigh, its questions, and the least costs of its trees."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from benchmarks.brute_force import kernels
from benchmarks.brute_force.cases import Case
from benchmarks.brute_force.options import CLASSES
from benchmarks.brute_force.questions import Asked, Column, category_column, number_column
from espalier.learners.base import TrainingData

TIE = 1e-9  # of all that a table can cost: smaller differences are rounding
TIE_OF_NUMBERS = 1e-8  # the same of squared errors: the learner promises 10^-10, and 4 * 10^-10 for a split
# Weights or costs without a common measure are rounded to such parts of the greatest one; where neither have one,
# weights are rounded to such parts of their sum. With directions both share what is left of so many steps.
FINEST, ROOM, DIRECTED = 2.0**16, 2.0**12, 2.0**23
MEMO = kernels.make_memo()


class Problem(NamedTuple):
    """A table as exhaustive search sees it: rows that weigh, and what leaves cost."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    loss: np.ndarray  # (n, n_classes); (n, 0) for numbers
    share: float  # of all weight in a leaf
    least_rows: float  # in a leaf
    error: float  # of the sum of costs, where weights or costs are rounded; 0 where they are exact
    weight_error: float  # of a leaf's weight, likewise

    @property
    def tie(self) -> float:
        """Differences that are rounding, by what the docstrings promise."""
        if self.loss.shape[1]:
            return TIE * max(float(self.loss.sum()), 1e-300)
        return TIE_OF_NUMBERS * self._spread + self.dust

    @property
    def dust(self) -> float:
        """The same of squared errors, by what numbers can hold."""
        return 1e-12 * self._spread + float(self.weight.sum()) * (4 * float(np.spacing(np.abs(self.y).max()))) ** 2

    @property
    def _spread(self) -> float:
        away = self.y - self.y[0]
        return float((self.weight * (away - np.average(away, weights=self.weight)) ** 2).sum())


class Unreached(Exception):
    """The table is too large for exhaustive search, or its rounding leaves more than one answer."""


class Infeasible(Exception):
    """Given splits leave a side that may be no leaf."""


# ---- the table


def problem_of(case: Case, training: TrainingData) -> Problem:
    """Return the rows that weigh, with class weights and costs as the docstrings define them."""
    n = len(case.y)
    weight = np.ones(n) if case.weight is None else case.weight.copy()
    of_class = case.parameters.get("class_weight")
    if isinstance(of_class, dict):
        weight *= np.array([of_class[c] for c in case.y.tolist()])
    elif of_class == "balanced":
        counts = np.bincount(case.y)
        weight *= (n / (len(counts) * counts))[case.y]
    counts_at_all = weight > 0
    X, y, weight = case.X[counts_at_all], case.y[counts_at_all], weight[counts_at_all]
    least = case.parameters.get("min_samples_leaf", 1)
    count = least if isinstance(least, int) else least * len(y) - 1e-9
    if case.learner != CLASSES:
        return Problem(X, y.astype(float), weight, np.empty((len(y), 0)), 0.0, count, 0.0, 0.0)
    k = int(case.y.max()) + 1
    given = case.parameters.get("misclassification_cost")
    cost = 1.0 - np.eye(k) if given is None else np.array(given, float)
    of_costs = 0.0 if _have_measure(cost) else float(cost.max()) / FINEST * float(weight.sum())
    coarsest = max(float(weight.max()) / FINEST, float(weight.sum()) / ROOM if of_costs else 0.0)
    of_weights = 0.0 if _have_measure(weight) else coarsest * len(y)
    error = of_weights * float(cost.max()) + of_costs
    if error and "monotonic_cst" in case.parameters:  # which leave room for labels, out of which both are rounded
        error = max(error, 2 * math.sqrt(len(y) / DIRECTED) * float(weight.sum() * cost.max()))
    share = case.parameters.get("min_weight_fraction_leaf", 0.0)
    return Problem(X, y, weight, weight[:, None] * cost[y], share, 1, error, of_weights)


def _have_measure(values: np.ndarray) -> bool:
    """Return whether numbers are multiples of a thousandth of the least one above 0, or of a larger part."""
    used = np.unique(values[values > 0])
    if len(used) < 2:
        return True
    parts = [Fraction(float(ratio)).limit_denominator(1000) for ratio in used / used[0]]
    is_near = all(abs(float(p) - r) <= 1e-12 * r for p, r in zip(parts, used / used[0], strict=True))
    return is_near and math.lcm(*(part.denominator for part in parts)) <= 1000


def table_of(problem: Problem, asked: Asked, more_weight: float = 0.0) -> kernels.Table:
    """Return the table for the kernels; `more_weight` is added to the least weight of a leaf."""
    weight = problem.weight
    if problem.loss.shape[1]:
        amounts = np.column_stack([problem.loss, weight, np.ones(len(weight))])
    else:
        away = problem.y - problem.y[0]
        away = away - np.average(away, weights=weight)
        amounts = np.column_stack([weight, weight * away, weight * away**2, weight, np.ones(len(weight))])
    halves = np.zeros((2, 1 << kernels.HALF, amounts.shape[1]))
    for half, part in zip(halves, (amounts[: kernels.HALF], amounts[kernels.HALF :]), strict=True):
        kernels.fill_sums(part, half)
    whole = float(weight.sum())
    least = problem.share * whole - TIE * whole + more_weight if problem.share else 0.0
    low, high = halves
    limits = least, float(problem.least_rows)
    return kernels.Table(low, high, problem.loss.shape[1], *limits, asked.rows, asked.cells, asked.feature)


def columns_of(case: Case, problem: Problem, model, has_other: bool) -> list[Column]:
    """Return the columns that splits may ask about, with their questions."""
    chosen, parameters = None, case.parameters
    if parameters["max_thresholds"] is not None and not model.proof_.every_threshold:
        chosen = _chosen(case, problem, model)
    categorical = parameters.get("categorical_features", [])
    is_every_set = parameters.get("categories") == "subset" and problem.loss.shape[1] == 2
    if parameters["max_thresholds"] is not None:
        is_every_set = is_every_set and model.proof_.every_set is True
    found = []
    for j in range(problem.X.shape[1]):
        if j in parameters.get("forbidden_features", []):
            continue
        column = problem.X[:, j]
        if j in categorical:
            found.append(category_column(j, column, is_every_set, has_other))
        else:
            found.append(number_column(j, column, None if chosen is None else chosen[j]))
    return found


def _chosen(case: Case, problem: Problem, model) -> list[np.ndarray]:
    """Return the thresholds of each column that the learner has chosen, where it may not ask about every one."""
    asked = model.questions_
    if case.learner == CLASSES:
        asked = model.questions(TrainingData(problem.X, problem.y, problem.weight))
    is_cut = np.isfinite(asked.threshold) & (asked.categories == 0)
    found = [np.unique(asked.threshold[is_cut & (asked.feature == j)]) for j in range(problem.X.shape[1])]
    most = case.parameters["max_thresholds"]
    for j, cuts in enumerate(found):
        assert most == "auto" or len(cuts) <= most, f"{len(cuts)} thresholds of column {j}, at most {most}"
        known = problem.X[:, j][~np.isnan(problem.X[:, j])]
        assert not len(cuts) or (known.min() <= cuts[0] and cuts[-1] < known.max()), f"column {j} is not parted"
    return found


# ---- given splits


def forced_yes(case: Case, problem: Problem) -> dict[str, int]:
    """Return the rows that each given split sends left, by path."""
    bit, found = 1 << np.arange(len(problem.y)), {}
    for path, (j, at) in (case.parameters.get("forced_splits") or {}).items():
        yes = np.isin(problem.X[:, j], at) if isinstance(at, list) else problem.X[:, j] <= at
        found[path] = int(yes @ bit)
    return found


def forced_ends(case: Case, problem: Problem, table: kernels.Table) -> dict[str, int]:
    """Return the rows of each end of the given splits, by path. Raises Infeasible where one may be no leaf."""
    yes, found = forced_yes(case, problem), {}
    pending = [("", (1 << len(problem.y)) - 1)]
    while pending:
        path, rows = pending.pop()
        if path and not kernels.may_be_leaf(table, rows):
            raise Infeasible
        if path in yes:
            pending += [(path + "L", rows & yes[path]), (path + "R", rows & ~yes[path])]
        else:
            found[path] = rows
    return found


def least_costs(case: Case, problem: Problem, table: kernels.Table) -> np.ndarray:
    """Return the least costs of all trees of at most 0, 1, ... splits, which begin with the given ones."""
    kernels.start_round(MEMO)
    ends = forced_ends(case, problem, table)

    def costs(path: str) -> np.ndarray:
        depth = case.depth - len(path)
        if path in ends:
            return kernels.least_costs(table, MEMO, ends[path], depth)
        a, b, own = costs(path + "L"), costs(path + "R"), np.full(1 << depth, np.inf)
        for i in range(len(a)):
            own[i + 1 : i + 1 + len(b)] = np.minimum(own[i + 1 : i + 1 + len(b)], a[i] + b)
        return np.minimum.accumulate(own)

    found = costs("")
    if MEMO.state[kernels.IS_FULL]:
        raise Unreached("too many sets of rows")
    return found

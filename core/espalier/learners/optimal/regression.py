"""Optimal regression trees (Mazumder, Meng & Wang 2022, Quant-BnB): the estimator, the search, and its rows."""

from __future__ import annotations

from typing import Self

import numpy as np

from espalier.data.binarise import quantile_questions
from espalier.kernels.optimal.thresholds.nodes import SortedNode, make_nodes, rank_behind
from espalier.kernels.optimal.thresholds.numbers import TargetRows, best_stump, leaf_loss, note_cuts
from espalier.kernels.optimal.thresholds.search import SearchSize, make_search
from espalier.language import Refusal
from espalier.learners.base import Regressor, TrainingData, check_whole, count_of
from espalier.learners.conventions import removed_parameters
from espalier.learners.frames import Choice
from espalier.learners.optimal.classifier import AUTO, USUAL, Optimal, Thresholds
from espalier.learners.optimal.near_optimal import OptimalTrees
from espalier.learners.optimal.problem import (
    Costs,
    RankedColumns,
    SearchLimits,
    joined_columns,
    no_columns,
    ranked_columns,
)
from espalier.learners.optimal.threshold_search import without
from espalier.learners.optimal.tree_builder import BuildingData, regression_tree
from espalier.learners.optimal.tree_search import Proof, SortedRows, SortedSearch, middle_of, no_splits
from espalier.progress import Progress
from espalier.trees import Tree

# Samples times columns squared, by depth, up to which every threshold is searched in about a second, where the
# best tree is not noise.
QUICK = {1: 100_000_000, 2: 10_000_000, 3: 300_000, 4: 5_000}
CONSTANTS = "its leaves have constants; ModelTreeRegressor grows trees with linear formulas in their leaves"
FINEST = 2.0**30  # the greatest weight, where weights have no common measure that is as fine
NEAR = 1e-10  # of the loss of a lone root: smaller differences may be rounding
PER_SPLIT = 4e-10  # the same: what a split must save, where the fewest splits are wanted


@removed_parameters(
    criterion="its trees have the least squared error; for the absolute error take "
    'CartRegressor(criterion="absolute_error")',
    leaf_model=CONSTANTS,
    shrinkage=CONSTANTS,
    monotonic_cst="CartRegressor, RandomForestRegressor and GradientBoostingRegressor keep directions, and "
    "OptimalClassifier does for two classes",
)
class OptimalRegressor(Regressor, Optimal):
    """The regression tree with the least squared error of all trees of its size.

    The splits are yes/no questions about the features: thresholds of numbers, single categories. Missing values
    answer no, or yes, whichever is better, and a split may part them from all known values.

    Parameters
    ----------
    max_depth : most splits on the way to a leaf, 1 to 10
    max_splits : most splits of the tree; None for no limit
    fewest_splits : whether to find, of the trees with the least error, one with the fewest splits: a split must
        then lower the error by 4 * 10^-10 of that of a lone root
    min_samples_leaf : samples (int) or share of all samples (float) that a leaf has at least; a tree is the best
        of those that keep to it
    max_thresholds : thresholds per column at most, nearest to the quantiles of the weight; None for every
        threshold; "auto": every threshold where that takes less than about a second (see Notes), else 10
    time_limit : seconds after which the best tree so far is returned; None for no limit
    categorical_features : which columns are categories, split one by one; as in `CartClassifier`
    forbidden_features : columns, by name or number from 0 on, that no split asks about; None for no such column

    Notes
    -----
    The loss of the best tree whose leaves may have any number of samples can only rise as samples join. So two
    thresholds of a column that were solved bound all between them (Mazumder, Meng & Wang 2022), and the gap with
    the least bound is divided next. Trees of depth two are solved eight thresholds at a time, by one pass over
    each sorted column. Samples that no question separates count as one.

    "auto" takes every threshold where the samples, times the square of the number of columns, are at most 10^8 at
    depth 1, 10^7 at depth 2, 300,000 at depth 3 and 5,000 at depth 4. Where leaves need a tenth of the samples,
    the search may take several times as long.

    Losses that differ by less than 10^-10 of that of a lone root count as equal, and of equal trees the one that
    was found first is kept. Weights that are no multiples of the least one are rounded to a 2^30th of the
    greatest. ``proof_.tolerance`` says what both come to: no tree has less error than the lower bound by more.

    Attributes
    ----------
    tree_ : Tree, whose values are the means
    proof_ : Proof, whose objective is the weighted sum of squared errors
    questions_ : Questions that splits may ask
    search_ : RegressionSearch, which can be observed while it runs

    Examples
    --------
    >>> from espalier.data import samples
    >>> sine = samples.load("sine")
    >>> model = OptimalRegressor(max_depth=2).fit(sine.X, sine.y)
    >>> model.proof_.proved, model.tree_.n_leaves
    (True, 4)
    """

    search_: RegressionSearch

    def __init__(
        self, *, max_depth=3, max_splits=None, fewest_splits=True, min_samples_leaf: int | float = 1,
        max_thresholds: Thresholds = "auto", time_limit=None,
        categorical_features: Choice = "from_dtype", forbidden_features=None,
    ):  # fmt: skip
        super().__init__(
            max_depth=max_depth, max_splits=max_splits, fewest_splits=fewest_splits, max_thresholds=max_thresholds,
            time_limit=time_limit, categorical_features=categorical_features,
            forbidden_features=forbidden_features,
        )  # fmt: skip
        self.min_samples_leaf = min_samples_leaf

    def _grow(self, training: TrainingData, progress: Progress) -> Self:
        X, y, weight = training
        is_every = self._asks_every(X)
        most = USUAL if isinstance(self.max_thresholds, str) else self.max_thresholds
        forbidden = self._forbidden_numbers()
        questions = quantile_questions(X, weight, self.is_categorical_, None if is_every else most)
        self.questions_ = without(questions, forbidden)
        size = self.max_depth, self.split_limit, bool(self.fewest_splits)
        limits = SearchLimits(*size, max_memory=0.0, n_jobs=1)
        least = count_of(self.min_samples_leaf, len(y))
        none = np.empty((0, 0))
        inputs = BuildingData(self.questions_, no_columns(len(X)), y, weight, none, none)
        self.search_ = RegressionSearch(inputs, X, limits, least)
        is_every = is_every and not self.is_categorical_.all()
        self.search_.scope = {"every_threshold": is_every, "n_forbidden": len(forbidden)}
        return self._run(self.time_limit, progress)

    def _asks_every(self, X: np.ndarray) -> bool:
        """Return whether splits may ask about every threshold."""
        if self.max_thresholds is None:
            return True
        return self.max_thresholds == AUTO and len(X) * X.shape[1] ** 2 <= QUICK.get(self.max_depth, 0)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_whole("min_samples_leaf", self.min_samples_leaf, least=1, share=True)


# ---- the search


class RegressionSearch(SortedSearch):
    """A search for the best regression tree; values are losses of rows with scaled targets."""

    _rows: NumberRows

    def __init__(self, inputs: BuildingData, X: np.ndarray, limits: SearchLimits, min_samples_leaf: int):
        """`X` (n_samples, n_features) are the samples, whose columns need not be written out."""
        super().__init__(inputs, limits)
        columns = joined_columns(ranked_columns(inputs.questions, X))
        self._X, self.n_distinct = X, columns.n_distinct
        self._rows = NumberRows(columns, inputs, min_samples_leaf, limits.fewest)
        self.costs = Costs(np.empty(0, np.int64), np.empty((0, 0), np.int64), 1.0, 0.0)  # of losses: no rounding
        every, task = self._rows.everything, self._rows.task
        is_search = limits.depth > 1 and len(every) > 1
        self._value = self._low = self._rows.loss_of_stump(every, 0 if is_search else limits.max_splits)
        self._stack = None
        if is_search:
            self._tree, size = no_splits(3, 0), SearchSize(limits.depth, limits.max_splits)
            self._stack = make_search(task, self._rows.node(every), size, self._stop)

    @property
    def aim(self) -> tuple[float, float]:
        """Return the objective of the best tree so far, and the lower bound as a share of it."""
        best, low = self._seen
        return self.cost_of(best), 1.0 if self.is_proved else min(low / best, 1.0) if best > 0 else 0.0

    def tree_of(self, questions: list[int]) -> tuple[Tree, float]:
        """Return the tree of these `questions`, such as one of the `finds`, and its sum of errors."""
        return regression_tree(self.inputs, self._X, questions)

    def cost_of(self, value: float) -> float:
        """Return the weighted sum of errors of trees of this value, which counts each split a little."""
        return self._rows.objective(float(value), self.limits.max_splits)

    def _proof(self, objective: float) -> Proof:
        tolerance = self._rows.tolerance(self.limits.max_depth, self.limits.max_splits)
        return super()._proof(objective)._replace(tolerance=tolerance)

    def near(self, slack: float, limit: int, progress: Progress) -> OptimalTrees:
        """Raise ValueError: of numbers hardly any other tree is as good."""
        raise Refusal("trees as good as the best one are listed only where the target is a class")


# ---- the rows that it searches


class NumberRows(SortedRows):
    """Rows with a number as target, and how to read losses of the search.

    Targets are centred and scaled before they are squared, and weights made whole numbers, so that sums are exact
    enough however far from 0 the targets lie. Samples with equal ranks everywhere become one row, at their mean.
    """

    def __init__(self, columns: RankedColumns, inputs: BuildingData, min_samples_leaf: int, fewest: bool):
        """`columns` rank the samples of `inputs`."""
        self._question = columns.question
        weight, per = whole_weights(inputs.weight)
        away = inputs.label - float(inputs.label[0])
        is_spread = bool(away.any())
        away = away - np.average(away, weights=weight)
        spread = float(np.sqrt(np.average(away**2, weights=weight))) if is_spread else 0.0
        target = away / spread if is_spread else np.zeros(len(away))
        part = np.column_stack([weight, weight * target, weight * target**2, np.ones(len(target))])
        total = float(part[:, 2].sum())  # also what no question separates, which sums are rounded by
        rank = columns.rank if columns.rank.shape[1] else np.zeros((len(target), 1), np.int32)  # without a cut
        rank, part, self._unavoidable = _merge_equal(rank, part)
        self.rank, self.everything = rank.T.astype(np.int32), np.arange(len(part))
        least = float(min_samples_leaf) if min_samples_leaf > 1 else 0.0
        tie = PER_SPLIT * total if fewest else 0.0
        self.task = TargetRows(self.rank.ravel(), np.ascontiguousarray(part), least, NEAR * total, tie)
        self._unit = spread**2 / per  # loss of the samples for one of the rows
        self._rounding = float((np.abs(weight / per - inputs.weight) * away**2).sum())

    def objective(self, loss: float, splits: int) -> float:
        """Return the weighted sum of errors of the samples, or a lower bound, by the loss of so many splits."""
        return (max(loss - splits * self.task.tie, 0.0) + self._unavoidable) * self._unit

    def tolerance(self, depth: int, splits: int) -> float:
        """Return how much less error a tree may have than the best one found, which counts as none.

        Every set of samples on the way to it is solved up to `near`, and a split must be worth `tie`.
        """
        return (2**depth * self.task.near + splits * self.task.tie) * self._unit + 2 * self._rounding

    def node(self, rows: np.ndarray) -> SortedNode:
        """Return the node of some rows, by number."""
        (n_columns, n), m = self.rank.shape, len(rows)
        node = make_nodes((n_columns,), n, 4, np.float64)
        for f, keys in enumerate(self.rank):
            node.order[f * n : f * n + m] = rows[np.argsort(keys[rows], kind="stable")]
        node.size[0] = m
        return node

    def loss_of_stump(self, rows: np.ndarray, splits: int) -> float:
        """Return the loss of the best stump of these rows, or of a leaf where there are no splits."""
        node = self._noted(rows)
        return best_stump(self.task, node).loss if splits else float(leaf_loss(node))

    def best_stump(self, rows: np.ndarray) -> tuple[int, int] | None:
        """Return column and rank of the best stump of these rows; None where a leaf is better."""
        node = self._noted(rows)
        stump = best_stump(self.task, node)
        rank = None if stump.column < 0 else rank_behind(self.task, node, stump.column, stump.cut)
        return None if rank is None else (stump.column, int(rank))

    def _noted(self, rows: np.ndarray) -> SortedNode:
        node = self.node(rows)
        note_cuts(self.task, node)
        return node

    def question(self, column: int, rank: int, rows: np.ndarray) -> int:
        """Return the question that parts these rows at the rank."""
        return middle_of(self._question[column], self.rank[column, rows], rank)


def whole_weights(weight: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the weights as whole numbers (float64), and by how much they are multiplied.

    They are rounded to a 2^30th of the greatest unless they are multiples of the least one.

    >>> whole_weights(np.array([0.5, 1.5]))
    (array([1., 3.]), 2.0)
    """
    least, most = float(weight.min()), float(weight.max())
    parts = np.rint(weight / least)
    if most / least <= FINEST and np.allclose(parts * least, weight, rtol=1e-12, atol=0):
        return parts, 1 / least
    return np.maximum(np.rint(weight * (FINEST / most)), 1.0), FINEST / most


def _merge_equal(rank: np.ndarray, part: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Return ranks and parts of the groups of rows with equal ranks, and the loss inside of groups."""
    order = np.lexsort(rank.T)
    start = np.flatnonzero(np.append(True, (np.diff(rank[order], axis=0) != 0).any(axis=1)))
    sums = np.add.reduceat(part[order], start, axis=0)
    alike = sums[:, 1] ** 2 / sums[:, 0]
    unavoidable = float(np.maximum(sums[:, 2] - alike, 0.0)[np.diff(np.append(start, len(order))) > 1].sum())
    sums[:, 2] = alike
    return rank[order[start]], sums, unavoidable

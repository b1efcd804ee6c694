"""Optimal regression trees (Mazumder, Meng & Wang 2022, Quant-BnB) as a scikit-learn estimator."""

from __future__ import annotations

from typing import Literal, Self, TypeAlias

import numpy as np
from sklearn.utils.validation import check_is_fitted

from espalier.data.binarise import Questions, quantile_questions
from espalier.kernels.optimal.bitset import MAX_DEPTH
from espalier.leaf_models import LeafModels, ModelTree
from espalier.learners.base import (
    Regressor,
    TrainingData,
    TreeLearner,
    check_choice,
    check_numbers,
    check_whole,
    count_of,
)
from espalier.learners.conventions import OneTree, Paths
from espalier.learners.forbidden import forbidden_numbers
from espalier.learners.frames import Choice
from espalier.learners.model_trees.targets import fills
from espalier.learners.monotone import Directed, Directions
from espalier.learners.optimal.forced_search import without
from espalier.learners.optimal.regression.leaf_lines import LineColumns
from espalier.learners.optimal.regression.ordered_search import OrderedSearch
from espalier.learners.optimal.regression.problem import RegressionTask
from espalier.learners.optimal.regression.search import RegressionSearch
from espalier.learners.optimal.tree_search import SearchLimits
from espalier.predict import leaves, shares
from espalier.progress import Progress
from espalier.trees import Tree

AUTO, USUAL = "auto", 10  # thresholds per column: by the size of the table; where they are chosen
CRITERIA = ("squared_error", "absolute_error")
LEAF_MODELS = ("constant", "linear")
# Samples times columns squared, by depth, up to which every threshold is searched in about a second, where the
# best tree is not noise; medians take about a hundred times as long as means.
QUICK = {1: 100_000_000, 2: 10_000_000, 3: 300_000, 4: 5_000}
MEDIANS, ORDERED = 100, 2_000  # times as large as a table counts under absolute error, and with directions
Thresholds: TypeAlias = int | Literal["auto"] | None


class OptimalRegressor(Directed, OneTree, Paths, Regressor, TreeLearner):
    """The regression tree with the least squared or absolute error of all trees of its size.

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
    criterion : "squared_error" (leaves predict the mean) or "absolute_error" (the median)
    leaf_model : "constant", or "linear" for squared error: each leaf has a line over one of the columns of
        numbers, or the mean, whichever is better
    shrinkage : slopes are those of ridge regression, as if each line had seen so many more samples, in which the
        column varies as in all data and the target not at all; the penalty counts as error of the leaf
    max_thresholds : thresholds per column at most, nearest to the quantiles of the weight; None for every
        threshold; "auto": every threshold where that takes less than about a second (see Notes), else 10
    time_limit : seconds after which the best tree so far is returned; None for no limit
    categorical_features : which columns are categories, split one by one; as in `CartClassifier`
    monotonic_cst : directions of the columns, as in `CartRegressor`: 1 where predictions may only rise, -1 fall;
        the tree is the best of those that keep to them, which takes much longer. Not with linear leaves
    forbidden_features : columns, by name or number from 0 on, that no split asks about, nor any line; None for no
        such column

    Notes
    -----
    The loss of the best tree on a set of samples can only rise as samples join it. So two thresholds of a column
    that were solved bound all between them (Mazumder, Meng & Wang 2022), and the gap with the least bound is
    divided next. Trees of depth two are solved eight thresholds at a time, by one pass over each sorted column.
    Samples that no question separates count as one.

    "auto" takes every threshold where the samples, times the square of the number of columns, are at most 10^8 at
    depth 1, 10^7 at depth 2, 300,000 at depth 3 and 5,000 at depth 4; under absolute error a hundredth of that.

    Lines are as in `ModelTreeRegressor`: no formula is continued beyond the values of the leaf's training samples,
    nor predictions beyond the target's, and a missing value counts as the column's mean. The tree is the best of
    all trees of its size whose leaves have such lines, those of van den Bos, van der Linden & Demirović (2024,
    Piecewise constant and linear regression trees) with simple linear regression.

    With directions no leaf on the lower side of a split on such a column has more than any leaf on its upper side,
    as in `CartRegressor` and scikit-learn; a split that parts missing values from all others is free. Leaves have
    the best values in that order, which need not be their means. "auto" then counts a table 2,000 times as large,
    and trees deeper than 2 never take every threshold; where both sides of such a split share a value, they are
    proved to within 10^-6 of the error of a lone root.

    Losses that differ by less than 10^-10 of that of a lone root count as equal, and of equal trees the one that
    was found first is kept. Weights that are no multiples of the least one are rounded to a 2^30th of the
    greatest.

    Attributes
    ----------
    tree_ : Tree, whose values are the means or medians
    models_ : LeafModels, the formulas of its leaves, or None for constants
    model_tree_ : ModelTree, both in one record, where leaves have formulas
    proof_ : Proof, whose objective is the weighted sum of squared or absolute errors, and of lines' penalties
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

    tree_: Tree
    models_: LeafModels | None
    search_: RegressionSearch

    def __init__(
        self, *, max_depth=3, max_splits=None, fewest_splits=True, min_samples_leaf: int | float = 1,
        criterion="squared_error", leaf_model="constant", shrinkage=0.1,
        max_thresholds: Thresholds = "auto", time_limit=None,
        categorical_features: Choice = "from_dtype", monotonic_cst: Directions = None,
        forbidden_features=None,
    ):  # fmt: skip
        self.max_depth = max_depth
        self.max_splits = max_splits
        self.fewest_splits = fewest_splits
        self.min_samples_leaf = min_samples_leaf
        self.criterion = criterion
        self.leaf_model = leaf_model
        self.shrinkage = shrinkage
        self.max_thresholds = max_thresholds
        self.time_limit = time_limit
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.forbidden_features = forbidden_features

    def _grow(self, training: TrainingData, progress: Progress) -> Self:
        X, _, weight = training
        is_every = self._asks_every(X)
        self._left_out = forbidden_numbers(self.forbidden_features, self._named_columns())
        self.questions_ = without(self._questions(X, weight, None if is_every else self._most), self._left_out)
        self._every = is_every and not self.is_categorical_.all()
        size = self.max_depth, self.split_limit, bool(self.fewest_splits)
        limits = SearchLimits(*size, max_memory=0.0, n_jobs=1)
        self._lines = self._line_columns(training)
        task = self._task(training)
        kind = OrderedSearch if len(task.directions) else RegressionSearch
        self.search_ = kind(self.questions_, X, task, limits)
        return self._run(self.time_limit, progress)

    def _forbidden(self) -> list[int]:
        return []  # the search itself does without them: its proof says so

    def _line_columns(self, training: TrainingData) -> LineColumns:
        """Return the columns of numbers where leaves have lines, else none."""
        has_line = ~self.is_categorical_ & (self.leaf_model == "linear")
        has_line[self._left_out] = False
        return LineColumns(np.flatnonzero(has_line), fills(training, self.is_categorical_))

    def _task(self, training: TrainingData) -> RegressionTask:
        X, y, weight = training
        feature, fill = self._lines
        x, least = X[:, feature], count_of(self.min_samples_leaf, len(y))
        x = np.where(np.isnan(x), fill[feature], x)
        is_absolute, fewest = self.criterion == "absolute_error", bool(self.fewest_splits)
        directions = self.directions()
        return RegressionTask(y, weight, is_absolute, least, fewest, x, float(self.shrinkage), directions)

    def go_on(self, time_limit: float | None = None, progress: Progress | None = None) -> Self:
        """Continue a search that ended early, for at most `time_limit` seconds; None: to the end."""
        check_is_fitted(self, "search_")
        return self._run(time_limit, progress)

    def _run(self, time_limit: float | None, progress: Progress | None) -> Self:
        self.search_.run(time_limit, progress)
        self.tree_, proof = self.search_.best()
        self.proof_ = proof._replace(every_threshold=self._every, n_forbidden=len(self._left_out))
        is_linear = self.leaf_model == "linear"
        self.models_ = self.search_.lines_of(self.tree_, self._lines) if is_linear else None
        return self

    @property
    def model_tree_(self) -> ModelTree:
        """Tree and formulas in one record, which analyses and exports take, where leaves have formulas."""
        check_is_fitted(self)
        if self.models_ is None:
            raise AttributeError('leaves have no formulas; fit with leaf_model="linear"')
        return ModelTree(self.tree_, self.models_)

    def predict(self, X) -> np.ndarray:
        """Return what each sample's leaf predicts, (n_samples,)."""
        check_is_fitted(self)
        samples = self._samples(X)
        return shares(self.tree_ if self.models_ is None else self.model_tree_, samples)[:, 0]

    def apply(self, X) -> np.ndarray:
        """Return the leaf of each sample, (n_samples,) int32."""
        samples = self._samples(X)
        return leaves(self.tree_, samples)

    @property
    def split_limit(self) -> int:
        """Most splits of a tree that keeps to `max_depth` and `max_splits`."""
        most = 2**self.max_depth - 1
        return most if self.max_splits is None else min(self.max_splits, most)

    @property
    def _most(self) -> int:
        """Most thresholds of a column, where not every one is asked."""
        return USUAL if not isinstance(self.max_thresholds, int) else self.max_thresholds

    def _questions(self, X: np.ndarray, weight: np.ndarray, most: int | None) -> Questions:
        return quantile_questions(X, weight, self.is_categorical_, most)

    def _asks_every(self, X: np.ndarray) -> bool:
        """Return whether splits may ask about every threshold."""
        if self.max_thresholds is None:
            return True
        is_slow = self.criterion == "absolute_error" or self.leaf_model == "linear"
        is_ordered = self.monotonic_cst is not None and self.max_depth > 1
        work = len(X) * X.shape[1] ** 2 * (ORDERED if is_ordered else MEDIANS if is_slow else 1)
        most = 0 if is_ordered and self.max_depth > 2 else QUICK.get(self.max_depth, 0)
        return self.max_thresholds == AUTO and work <= most

    def _check_parameters(self) -> None:
        check_whole("max_depth", self.max_depth, least=1)
        if self.max_depth > MAX_DEPTH:
            raise ValueError(f"max_depth is {self.max_depth}; an optimal tree has a depth of {MAX_DEPTH} at most")
        check_whole("max_splits", self.max_splits, least=0, optional=True)
        check_whole("min_samples_leaf", self.min_samples_leaf, least=1, share=True)
        check_choice("criterion", self.criterion, CRITERIA)
        check_choice("leaf_model", self.leaf_model, LEAF_MODELS)
        if self.leaf_model == "linear" and self.criterion != "squared_error":
            raise ValueError('leaf_model="linear" is for criterion="squared_error"')
        if self.leaf_model == "linear" and self.monotonic_cst is not None:
            raise ValueError(
                'leaf_model="linear" cannot be kept together with monotonic_cst; leave one of them out'
            )
        check_numbers(self, ("shrinkage",))
        if self.max_thresholds != AUTO:
            check_whole("max_thresholds", self.max_thresholds, least=1, optional=True)
        if self.time_limit is not None:
            check_numbers(self, ("time_limit",))

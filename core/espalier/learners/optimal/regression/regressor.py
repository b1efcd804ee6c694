"""Optimal regression trees (Mazumder, Meng & Wang 2022, Quant-BnB) as a scikit-learn estimator."""

from __future__ import annotations

from typing import Literal, Self, TypeAlias

import numpy as np
from sklearn.utils.validation import check_is_fitted

from espalier.data.binarise import Questions, quantile_questions
from espalier.kernels.optimal.bitset import MAX_DEPTH
from espalier.learners.base import (
    Regressor,
    TrainingData,
    TreeLearner,
    check_numbers,
    check_whole,
    count_of,
)
from espalier.learners.conventions import OneTree, Paths, removed_parameters
from espalier.learners.forbidden import forbidden_numbers
from espalier.learners.frames import Choice
from espalier.learners.optimal.forced_search import without
from espalier.learners.optimal.regression.problem import RegressionTask
from espalier.learners.optimal.regression.search import RegressionSearch
from espalier.learners.optimal.tree_search import SearchLimits
from espalier.predict import leaves
from espalier.progress import Progress
from espalier.trees import Tree

AUTO, USUAL = "auto", 10  # thresholds per column: by the size of the table; where they are chosen
# Samples times columns squared, by depth, up to which every threshold is searched in about a second, where the
# best tree is not noise.
QUICK = {1: 100_000_000, 2: 10_000_000, 3: 300_000, 4: 5_000}
CONSTANTS = "its leaves have constants; ModelTreeRegressor grows trees with linear formulas in their leaves"
Thresholds: TypeAlias = int | Literal["auto"] | None


@removed_parameters(
    criterion="its trees have the least squared error; for the absolute error take "
    'CartRegressor(criterion="absolute_error")',
    leaf_model=CONSTANTS,
    shrinkage=CONSTANTS,
    monotonic_cst="CartRegressor, RandomForestRegressor and GradientBoostingRegressor keep directions, and "
    "OptimalClassifier does for two classes",
)
class OptimalRegressor(OneTree, Paths, Regressor, TreeLearner):
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

    tree_: Tree
    search_: RegressionSearch

    def __init__(
        self, *, max_depth=3, max_splits=None, fewest_splits=True, min_samples_leaf: int | float = 1,
        max_thresholds: Thresholds = "auto", time_limit=None,
        categorical_features: Choice = "from_dtype", forbidden_features=None,
    ):  # fmt: skip
        self.max_depth = max_depth
        self.max_splits = max_splits
        self.fewest_splits = fewest_splits
        self.min_samples_leaf = min_samples_leaf
        self.max_thresholds = max_thresholds
        self.time_limit = time_limit
        self.categorical_features = categorical_features
        self.forbidden_features = forbidden_features

    def _grow(self, training: TrainingData, progress: Progress) -> Self:
        X, y, weight = training
        is_every = self._asks_every(X)
        forbidden = forbidden_numbers(self.forbidden_features, self._named_columns())
        self.questions_ = without(self._questions(X, weight, None if is_every else self._most), forbidden)
        size = self.max_depth, self.split_limit, bool(self.fewest_splits)
        limits = SearchLimits(*size, max_memory=0.0, n_jobs=1)
        least = count_of(self.min_samples_leaf, len(y))
        task = RegressionTask(y, weight, least, bool(self.fewest_splits))
        self.search_ = RegressionSearch(self.questions_, X, task, limits)
        is_every = is_every and not self.is_categorical_.all()
        self.search_.scope = {"every_threshold": is_every, "n_forbidden": len(forbidden)}
        return self._run(self.time_limit, progress)

    def _forbidden(self) -> list[int]:
        return []  # the search itself does without them: its proof says so

    def go_on(self, time_limit: float | None = None, progress: Progress | None = None) -> Self:
        """Continue a search that ended early, for at most `time_limit` seconds; None: to the end."""
        check_is_fitted(self, "search_")
        return self._run(time_limit, progress)

    def _run(self, time_limit: float | None, progress: Progress | None) -> Self:
        self.search_.run(time_limit, progress)
        self.tree_, self.proof_ = self.search_.best()
        return self

    def predict(self, X) -> np.ndarray:
        """Return the mean of each sample's leaf, (n_samples,)."""
        leaf = self.apply(X)
        return self.tree_.value[leaf, 0]

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
        return self.max_thresholds == AUTO and len(X) * X.shape[1] ** 2 <= QUICK.get(self.max_depth, 0)

    def _check_parameters(self) -> None:
        check_whole("max_depth", self.max_depth, least=1)
        if self.max_depth > MAX_DEPTH:
            raise ValueError(f"max_depth is {self.max_depth}; an optimal tree has a depth of {MAX_DEPTH} at most")
        check_whole("max_splits", self.max_splits, least=0, optional=True)
        check_whole("min_samples_leaf", self.min_samples_leaf, least=1, share=True)
        if self.max_thresholds != AUTO:
            check_whole("max_thresholds", self.max_thresholds, least=1, optional=True)
        if self.time_limit is not None:
            check_numbers(self, ("time_limit",))

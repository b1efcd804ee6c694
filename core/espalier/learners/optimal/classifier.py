"""Optimal classification trees (Demirović et al. 2022, MurTree) as a scikit-learn estimator."""

from __future__ import annotations

import math
import os
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.utils.validation import check_is_fitted

from espalier.data.binarise import (
    MOST_CATEGORIES,
    Questions,
    answers,
    categories_of,
    chosen_questions,
    every_question,
    every_set,
    quantile_questions,
    sets_in_order,
)
from espalier.kernels.optimal.bitset import MAX_DEPTH
from espalier.language import Refusal
from espalier.learners.base import (
    Classifier,
    TrainingData,
    TreeLearner,
    check_choice,
    check_numbers,
    check_whole,
    is_number,
)
from espalier.learners.black_boxes import thresholds as proposals
from espalier.learners.conventions import OneTree, Paths
from espalier.learners.forbidden import forbidden_numbers
from espalier.learners.forced_splits import SplitsByPath, check_forced, read_forced
from espalier.learners.frames import Choice
from espalier.learners.monotone import Directed, Directions
from espalier.learners.optimal.monotone_search import MonotoneSearch
from espalier.learners.optimal.near_optimal import OptimalTrees
from espalier.learners.optimal.problem import (
    RankedColumns,
    SearchLimits,
    distinct_columns,
    every_threshold,
    no_columns,
    varying_columns,
)
from espalier.learners.optimal.search import OptimalSearch
from espalier.learners.optimal.threshold_search import (
    ForcedSearch,
    ThresholdSearch,
    every_is_quick,
    sorted_columns,
    without,
)
from espalier.learners.optimal.tree_builder import BuildingData
from espalier.learners.optimal.tree_search import Proof, TreeSearch
from espalier.progress import Progress
from espalier.trees import Tree

AUTO, USUAL = "auto", 10  # thresholds per column: by the size of the table; where they are chosen
BINARISATIONS = ("quantiles", "forest", "boosting")
CATEGORY_SPLITS = ("subset", "one-vs-rest")
Thresholds: TypeAlias = int | Literal["auto"] | None


class Optimal(OneTree, Paths, TreeLearner):
    """Base of the classifier and the regressor."""

    tree_: Tree
    proof_: Proof
    search_: Any

    def __init__(
        self, *, max_depth: int = 3, max_splits: int | None = None, fewest_splits=True,
        max_thresholds: Thresholds = "auto", time_limit: float | None = None,
        categorical_features: Choice = "from_dtype", forbidden_features=None,
    ):  # fmt: skip
        self.max_depth = max_depth
        self.max_splits = max_splits
        self.fewest_splits = fewest_splits
        self.max_thresholds = max_thresholds
        self.time_limit = time_limit
        self.categorical_features = categorical_features
        self.forbidden_features = forbidden_features

    def go_on(self, time_limit: float | None = None, progress: Progress | None = None) -> Self:
        """Continue a search that ended early, for at most `time_limit` seconds; None: to the end."""
        check_is_fitted(self, "search_")
        return self._run(time_limit, progress)

    def _run(self, time_limit: float | None, progress: Progress | None) -> Self:
        self.search_.run(time_limit, progress)
        self.tree_, self.proof_ = self.search_.best()
        return self

    @property
    def split_limit(self) -> int:
        """Most splits of a tree that keeps to `max_depth` and `max_splits`."""
        most = 2**self.max_depth - 1
        return most if self.max_splits is None else min(self.max_splits, most)

    def allowed_features(self) -> None:
        """Return None: the search itself does without forbidden columns, as its proof says."""

    def _forbidden_numbers(self) -> list[int]:
        columns = self.forbidden_features
        return [] if columns is None else forbidden_numbers(columns, self._named_columns())

    def _check_parameters(self) -> None:
        check_whole("max_depth", self.max_depth, least=1)
        if self.max_depth > MAX_DEPTH:
            raise ValueError(f"max_depth is {self.max_depth}; an optimal tree has a depth of {MAX_DEPTH} at most")
        check_whole("max_splits", self.max_splits, least=0, optional=True)
        if self.max_thresholds != AUTO:
            check_whole("max_thresholds", self.max_thresholds, least=1, optional=True)
        if self.time_limit is not None:
            check_numbers(self, ("time_limit",))


class OptimalClassifier(Directed, Classifier, Optimal):
    """The classification tree with the least misclassification cost of all trees of its size.

    The splits are yes/no questions about the features: thresholds of numbers, single categories.

    Parameters
    ----------
    max_depth : most splits on the way to a leaf, 1 to 10
    max_splits : most splits of the tree; None for no limit
    min_weight_fraction_leaf : least share of all weight in a leaf; a tree is the best of those that keep to it
    fewest_splits : whether to find, of the trees with the least cost, one with the fewest splits
    misclassification_cost : (n_classes, n_classes), [true, predicted], in the order of ``classes_``; 0 on the
        diagonal. None: every mistake costs 1
    class_weight : dict, "balanced" or None
    binarisation : where thresholds come from: "quantiles" (all midpoints of a column if they are at most
        `max_thresholds`; else those nearest to the quantiles of the weight, and where all samples weigh the same
        those between different classes first), or the splits of a "forest" or of "boosting"
    max_thresholds : thresholds per column at most; None for no limit; "auto": every threshold, whatever the
        binarisation, where that takes less than about a second (see below), else 10
    monotonic_cst : directions of the columns of two classes, as in `CartClassifier`; the tree is the best of those
        whose class and whose share of the second class keep to them
    forbidden_features : columns, by name or number from 0 on, that no split asks about; None for no such column
    forced_splits : dict of splits that the tree begins with, by the path to their node ("" for the root, then "L"
        or "R" for each step): a column, by name or number, and a threshold, up to which samples go left, or a list
        of categories that do; missing values go right. The tree is the best of those that begin so, its other
        splits among `questions_`, whatever these ask; None: of all
    time_limit : seconds after which the best tree so far is returned; None for no limit
    max_memory : MB for the bounds of subproblems; once full, those of least work, or the oldest, are replaced
    n_jobs : threads of the search over questions that are written out; -1 for as many as there are processors
    random_state : seed of the forest or the boosting that thresholds come from
    categorical_features : which columns are categories; as in `CartClassifier`
    categories : "subset": of two classes, a split on categories may part any set of them from the others, where
        every threshold is asked about and the column has at most 6 of them (of a tree of one split, any number);
        else, and with "one-vs-rest", it parts one category from all others. Where columns have four categories or
        more, two classes and "auto" or every threshold go with `min_weight_fraction_leaf` and `monotonic_cst` only
        if it is "one-vs-rest"

    Questions are counted in pairs, which takes the longer the more there are of them. Where all columns together
    have many more than columns (over 16 times as many), the search goes through the sorted columns instead, as
    ConTree does (Briţa, van der Linden & Demirović 2025), with 16 or 32 thresholds at a time and the most
    promising ones first: up to depth 4, and beyond where the questions are too many to write out. It uses one
    thread, since more did not pay. The result is the same; trees may differ that are as good.

    "auto" takes every threshold where the samples, times the square of the number of columns, are at most 10^8 at
    depth 1, 10^7 at depth 2, 600,000 at depth 3 and 5,000 at depth 4, a tree of few splits being no deeper than
    their number. Where leaves have a least weight or columns have directions, which takes longer, a table counts
    4 times as large at depth 2, 16 times at depth 3, and so on; with directions no tree deeper than 2 takes every
    threshold. A column of 4, 5 or 6 categories of which every set is asked about counts as 4, 7 or 11 columns;
    where that makes too many, each is asked about alone. A forest does not take every threshold.

    Weights and costs with a common measure (at least a thousandth of the least one) are counted exactly. Others
    are rounded to about 1 / 65,536 of the greatest, and more coarsely where both are, or columns have directions;
    the lower bound then allows for the error, and a leaf's weight must reach its least share even if it is less by
    the error.

    Attributes
    ----------
    tree_ : Tree, whose values are the shares of the costs that predicting each class would save: class shares
        if all mistakes cost the same
    proof_ : Proof
    questions_ : Questions that splits may ask, without those of `forced_splits`
    search_ : TreeSearch or MonotoneSearch, which can be observed while it runs
    classes_ : (n_classes,) the labels, in order

    Examples
    --------
    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> model = OptimalClassifier(max_depth=2).fit(iris.X, iris.y)
    >>> model.proof_.proved, model.proof_.objective
    (True, 6.0)
    """

    search_: TreeSearch | MonotoneSearch

    def __init__(
        self, *, max_depth=3, max_splits=None, min_weight_fraction_leaf=0.0, fewest_splits=True,
        misclassification_cost=None, class_weight=None, binarisation="quantiles",
        max_thresholds: Thresholds = "auto", time_limit=None, max_memory=256, n_jobs=1, random_state=None,
        categorical_features: Choice = "from_dtype", categories="subset", monotonic_cst: Directions = None,
        forbidden_features=None, forced_splits: SplitsByPath = None,
    ):  # fmt: skip
        super().__init__(
            max_depth=max_depth, max_splits=max_splits, fewest_splits=fewest_splits, max_thresholds=max_thresholds,
            time_limit=time_limit, categorical_features=categorical_features,
            forbidden_features=forbidden_features,
        )  # fmt: skip
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.misclassification_cost = misclassification_cost
        self.class_weight = class_weight
        self.binarisation = binarisation
        self.max_memory = max_memory
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.categories = categories
        self.monotonic_cst = monotonic_cst
        self.forced_splits = forced_splits

    def _grow(self, training: TrainingData, progress: Progress) -> Self:
        X, y, weight = training
        cost, is_every, several = self._cost_matrix(), self._asks_every(X), self._large_categories(X)
        self._check_sets(several)
        self._has_all_sets = True  # else there are enough for the best stump, but not for others as good
        sets = self._category_sets(training, several) if is_every else {}
        forbidden = self._forbidden_numbers()
        has_rules = self.forced_splits or self.monotonic_cst is not None or forbidden
        asks_numbers_only = is_every and not (has_rules or self.is_categorical_.any())
        quick = every_threshold(X) if asks_numbers_only else None
        if quick is not None:
            self.questions_ = quick[0]
        else:
            columns = self.is_categorical_, sets
            questions = every_question(X, *columns) if is_every else self.questions(training)
            self.questions_ = without(questions, forbidden)
        saving = cost.max(axis=1, keepdims=True) - cost
        inputs = BuildingData(self.questions_, no_columns(len(X)), y, weight, cost, saving)
        n_jobs = os.cpu_count() or 1 if self.n_jobs == -1 else self.n_jobs
        size = self.max_depth, self.split_limit, self.fewest_splits
        limits = SearchLimits(*size, self.max_memory, n_jobs, float(self.min_weight_fraction_leaf))
        if self.forced_splits:
            self.search_ = ForcedSearch(inputs, limits, X, read_forced(self.forced_splits, self._named_columns()))
        else:
            self.search_ = self._search(inputs, limits, X, None if quick is None else quick[1])
        self.search_.scope = {
            "every_threshold": is_every and not self.is_categorical_.all(),
            "every_set": several.keys() <= sets.keys() if several else None,
            "n_forced": len(self.forced_splits or ()),
            "n_forbidden": len(forbidden),
        }
        return self._run(self.time_limit, progress)

    def _search(
        self, inputs: BuildingData, limits: SearchLimits, X: np.ndarray, ranks: RankedColumns | None
    ) -> TreeSearch | MonotoneSearch:
        """Return the search: over sorted columns where it can and should, else over questions written out."""
        if not self._is_directed:
            columns = sorted_columns(inputs, X, limits, None, ranks)
            if columns is not None:
                return ThresholdSearch(inputs, limits, X, columns)
            return OptimalSearch(inputs._replace(columns=distinct_columns(answers(self.questions_, X))), limits)
        directions = self.directions()
        columns = sorted_columns(inputs, X, limits, directions, ranks)
        varying = varying_columns(answers(self.questions_, X), last=directions[self.questions_.feature] != 0)
        return MonotoneSearch(inputs._replace(columns=varying), limits, X, directions, columns)

    def optimal_trees(self, slack: float = 0, limit: int = 1000, progress: Progress | None = None) -> OptimalTrees:
        """Return every tree whose objective is within `slack` of the optimum, in order, each function once.

        Two trees are the same function if they predict the same for every x: for every combination of intervals
        between thresholds, of categories that occurred in training, and of missing values. Of equal trees, the one
        with the fewest splits is listed. Questions that separate the training samples alike count as one, the
        first of them: trees that differ only in such questions count as equal.

        Trees are computed on demand, up to `limit`, or until another thread stops `progress`; `is_complete` of the
        result then says whether these are all. Of the graph that `trees_as_good` counts, only what the trees so
        far need is explored, so that the first ten come soon where all are too many to count. Trees are as in
        `fit`, no split leaves a side without samples, and a leaf may predict any class. Raises ValueError unless
        the optimum is proved.

        >>> from sklearn.datasets import load_iris
        >>> model = OptimalClassifier(max_depth=2).fit(*load_iris(return_X_y=True))
        >>> [near.objective for near in model.optimal_trees(slack=1, limit=3)]
        [6.0, 6.0, 6.0]
        """
        check_whole("limit", limit, least=1)
        return self.proved_search(slack).near(slack, limit, progress or Progress())

    @property
    def lists_trees(self) -> bool:
        """Whether trees as good as the best one can be listed, as `optimal_trees` and `trees_as_good` do."""
        is_free = not isinstance(self.search_, (MonotoneSearch, ForcedSearch))
        return is_free and self.proof_.proved and self._has_all_sets

    def proved_search(self, slack: float) -> TreeSearch:
        """Return the search, which is to be asked for trees within this slack of the optimum.

        Raises ValueError unless the optimum is proved, for monotone columns, for a stump that may part more than
        six categories in any way, and for a slack below 0.
        """
        check_is_fitted(self)
        if isinstance(self.search_, MonotoneSearch):
            raise Refusal("trees as good as the best one are not listed with monotonic_cst; fit without it")
        if not self.proof_.proved:
            raise Refusal("the optimum is not proved yet; go_on() until it is, with more time")
        if not self._has_all_sets:
            raise Refusal(
                "trees as good as the best one are not listed where a single split may part more than {n} "
                'categories in any way: set categories="one-vs-rest", or allow a second split',
                n=MOST_CATEGORIES,
            )
        if not (is_number(slack) and slack >= 0):
            raise ValueError(f"slack is {slack!r}; it must be a number of at least 0")
        return self.search_

    def questions(self, training: TrainingData) -> Questions:
        """Return the questions that are chosen of these samples: as many thresholds as allowed, and categories."""
        (X, y, weight), categorical = training, self.is_categorical_
        most = USUAL if isinstance(self.max_thresholds, str) else self.max_thresholds
        if self.binarisation == "quantiles":
            label = y if (weight == weight[0]).all() else None  # else quantiles of the weight are better
            return quantile_questions(X, weight, categorical, most, label)
        thresholds = proposals.forest_thresholds if self.binarisation == "forest" else proposals.boosted_thresholds
        return chosen_questions(X, categorical, thresholds(X, y, weight, self._seed(), most))

    def _asks_every(self, X: np.ndarray) -> bool:
        """Return whether splits may ask about every threshold."""
        if self.max_thresholds is None:
            return self.binarisation == "quantiles"
        return self.max_thresholds == AUTO and self._is_quick(len(X), X.shape[1])

    @property
    def _is_directed(self) -> bool:
        return self.monotonic_cst is not None and len(self.directions()) > 0

    def _is_quick(self, n_samples: int, n_columns: int) -> bool:
        """Return whether a search over every threshold of so many columns takes less than about a second."""
        depth = max(min(self.max_depth, self.split_limit), 1)
        if self._is_directed and depth > 2:
            return False
        is_plain = self.min_weight_fraction_leaf == 0 and not self._is_directed
        return every_is_quick(n_samples if is_plain else n_samples * 4 ** (depth - 1), n_columns, depth)

    def _large_categories(self, X: np.ndarray) -> dict[int, int]:
        """Return how many categories columns of more than three have; of three, each set parts one from two."""
        counts = {int(f): len(categories_of(X[:, f])) for f in np.flatnonzero(self.is_categorical_)}
        return {feature: n for feature, n in counts.items() if n > 3}

    def _category_sets(self, training: TrainingData, numbers: dict[int, int]) -> dict[int, np.ndarray]:
        """Return by column the sets of categories that splits may ask about, where they ask about every threshold.

        Columns whose categories are asked about one by one have none. `numbers` are those of the categories. A
        stump gets every set of few categories, else those in order, among which is its best one.
        """
        X, y, weight = training
        if self.categories == "one-vs-rest" or len(self.classes_) != 2 or not numbers:
            return {}
        few = {feature: n for feature, n in numbers.items() if n <= MOST_CATEGORIES}
        if min(self.max_depth, self.split_limit) <= 1:
            self._has_all_sets = len(few) == len(numbers)
            return {f: every_set(X[:, f]) if f in few else sets_in_order(X[:, f], y, weight) for f in numbers}
        n_columns = X.shape[1] + sum(math.comb(n - 1, (n - 1) // 2) for n in few.values())  # sorted ones
        if self.max_thresholds is not None and not self._is_quick(len(X), n_columns):
            return {}
        return {feature: every_set(X[:, feature]) for feature in few}

    def _check_sets(self, numbers: dict[int, int]) -> None:
        """Raise Refusal for a least weight or directions beside columns whose categories splits may part in sets.

        Whatever the size of the table: what is allowed on all samples is so on some of them.
        """
        may_ask_every = self.max_thresholds == AUTO or (
            self.max_thresholds is None and self.binarisation == "quantiles"
        )
        has_sets = may_ask_every and self.categories == "subset" and len(self.classes_) == 2
        is_limited = self._is_directed or self.min_weight_fraction_leaf > 0
        if has_sets and is_limited and numbers:
            raise Refusal(
                'categories="subset" cannot be kept together with {option}: set categories="one-vs-rest", so that '
                "a split parts one category from all others, or leave {option} out",
                option="monotonic_cst" if self._is_directed else "min_weight_fraction_leaf",
            )

    def _cost_matrix(self) -> np.ndarray:
        """Return the cost matrix, (n_classes, n_classes) float64. Raises ValueError for an invalid one."""
        n = len(self.classes_)
        if self.misclassification_cost is None:
            return 1.0 - np.eye(n)
        try:
            cost = np.asarray(self.misclassification_cost, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"misclassification_cost is {self.misclassification_cost!r}; it must be a matrix"
            ) from None
        if cost.shape != (n, n):
            raise ValueError(
                f"misclassification_cost is {cost.shape}; there are {n} classes, so it must be {(n, n)}"
            )
        if not np.isfinite(cost).all() or (cost < 0).any() or cost.diagonal().any():
            raise ValueError("misclassification_cost must hold numbers of at least 0, with 0 on the diagonal")
        return cost

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not (is_number(self.max_memory) and self.max_memory > 0):
            raise ValueError(f"max_memory is {self.max_memory!r}; it must be a number of MB above 0")
        if self.n_jobs != -1:
            check_whole("n_jobs", self.n_jobs, least=1)
        check_choice("binarisation", self.binarisation, BINARISATIONS)
        check_choice("categories", self.categories, CATEGORY_SPLITS)
        check_numbers(self, ("min_weight_fraction_leaf",))
        splits = self.forced_splits
        if not splits:
            return
        check_forced(self)
        if len(splits) > self.split_limit or max(map(len, splits)) >= self.max_depth:
            raise ValueError(
                f"forced_splits has {len(splits)} splits, the deepest of depth {max(map(len, splits))}; that is "
                "more than max_splits or max_depth allows"
            )

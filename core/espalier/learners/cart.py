"""CART: classification and regression trees grown greedily (Breiman, Friedman, Olshen & Stone 1984)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from espalier.kernels.cart.columns import NO_DIRECTIONS, SortedColumns, make_columns
from espalier.kernels.cart.grow import Seedling, grow
from espalier.kernels.route import columns_of
from espalier.kernels.task import ABSOLUTE_ERROR, CODES, ENTROPY, POISSON, GrowthLimits, Task, table_of_x_log_x
from espalier.language import Refusal
from espalier.learners.base import (
    NO_LIMIT,
    Classifier,
    Regressor,
    TrainingData,
    TreeLearner,
    centre,
    check_choice,
    check_numbers,
    check_whole,
    count_of,
    features_tried,
)
from espalier.learners.conventions import OneTree, Paths, Pruned
from espalier.learners.forced_splits import SplitsByPath, among, cart_below, check_forced, read_forced
from espalier.learners.frames import Choice
from espalier.learners.missing import FILLS, WAYS, fill_in, fills_of, routed_as_filled, ways_with
from espalier.learners.monotone import Directed, Directions
from espalier.learners.pruning import prune
from espalier.progress import Progress
from espalier.trees import Tree, read_only

CATEGORY_SPLITS = ("subset", "one-vs-rest")


class CartGrowth(NamedTuple):
    """The task and the limits of CART trees on the same samples."""

    task: Task
    limits: GrowthLimits
    offset: float  # of the target, to be added to the values of a tree
    ccp_alpha: float  # price per leaf

    def finished(self, tree: Tree) -> Tree:
        """Return the tree that the kernels grew, in the units of the target, and pruned."""
        tree = tree._replace(value=read_only(tree.value + self.offset)) if self.offset else tree
        return self.pruned(tree) if self.ccp_alpha > 0 else tree

    def pruned(self, tree: Tree) -> Tree:
        """Return the tree pruned, if leaves have a price."""
        return prune(tree, self.ccp_alpha) if self.ccp_alpha > 0 else tree


class Cart(OneTree, Paths, Pruned, Directed, TreeLearner):
    """Base of the classifier and the regressor; parameters are described in `CartClassifier`."""

    _criteria: tuple[str, ...]
    _engine = staticmethod(grow)
    missing: str = "side"  # forests have no such parameters
    impute_with: str = "mean"
    max_surrogates: int = 5
    categories: str = "subset"
    forced_splits: SplitsByPath = None
    tree_: Tree
    fill_: Any = None

    def __init__(
        self, *, criterion="squared_error", splitter="best", max_depth=None, min_samples_split=2,
        min_samples_leaf=1, min_weight_fraction_leaf=0.0, max_features=None, max_leaf_nodes=None,
        min_impurity_decrease=0.0, ccp_alpha=0.0, random_state=None, categorical_features: Choice = "from_dtype",
        missing="side", impute_with="mean", max_surrogates=5, categories="subset",
        monotonic_cst: Directions = None, forbidden_features=None, forced_splits: SplitsByPath = None,
    ):  # fmt: skip
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.random_state = random_state
        self.categorical_features = categorical_features
        self.missing = missing
        self.impute_with = impute_with
        self.max_surrogates = max_surrogates
        self.categories = categories
        self.monotonic_cst = monotonic_cst
        self.forbidden_features = forbidden_features
        self.forced_splits = forced_splits

    def _grow(self, training: TrainingData, progress: Progress) -> Self:
        self.fill_ = fills = None
        if self.missing == "impute":
            self.fill_ = fills = fills_of(training, self.is_categorical_, self.impute_with)
            training = training._replace(X=fill_in(training.X, fills, self.is_categorical_))
        if self.forced_splits:
            tree = cart_below(self, training, read_forced(self.forced_splits, self._named_columns()), progress)
        else:
            growth, X = self.growth(training), columns_of(training.X)
            directions = NO_DIRECTIONS if self.monotonic_cst is None else self.directions()
            seedling = Seedling(X, self.is_categorical_, directions, growth.task, growth.limits, self._seed())
            tree = growth.finished(self._engine(seedling, progress.array))
        self.tree_ = tree if fills is None else routed_as_filled(tree, fills)
        return self

    def _part_attributes(self, allowed: np.ndarray) -> dict[str, Any]:
        own = super()._part_attributes(allowed)
        if not self.forced_splits:
            return own
        return own | {"forced_splits": among(read_forced(self.forced_splits, self._named_columns()), allowed)}

    def columns(self, X: np.ndarray) -> SortedColumns:
        """Return columns X (n_features, n_samples), prepared for growing, with their directions."""
        return make_columns(X, self.is_categorical_, self.directions())

    def growth(self, training: TrainingData, share: float = 1.0) -> CartGrowth:
        """Return what trees that grow on a share of these samples are to learn, and within which limits."""
        task, offset = self._task(training.y, training.weight)
        n, p = training.X.shape
        least = self.min_weight_fraction_leaf
        leaf_weight = float(least * task.weight.sum() * share) if least > 0 else 0.0
        leaf_samples = count_of(self.min_samples_leaf, n)
        limits = GrowthLimits(
            self.max_depth or NO_LIMIT,
            max(count_of(self.min_samples_split, n), 2),
            max(leaf_samples, math.ceil(leaf_weight)) if task.unit else leaf_samples,
            leaf_weight,
            float(self.min_impurity_decrease),
            self.max_leaf_nodes or 0,
            features_tried(self.max_features, p),
            self.splitter == "random",
            missing=WAYS[self.missing],
            max_surrogates=self.max_surrogates,
            one_category=self.categories == "one-vs-rest",
        )
        return CartGrowth(task, limits, offset, float(self.ccp_alpha))

    @property
    def max_features_(self) -> int:
        """Number of features tried at each node, at least one."""
        check_is_fitted(self)
        return features_tried(self.max_features, self.n_features_in_)

    def _check_parameters(self) -> None:
        check_choice("criterion", self.criterion, self._criteria)
        if self.splitter not in ("best", "random"):
            raise ValueError(f"splitter is {self.splitter!r}; it must be best or random")
        check_whole("max_depth", self.max_depth, least=1, optional=True)
        check_whole("max_leaf_nodes", self.max_leaf_nodes, least=2, optional=True)
        check_whole("min_samples_split", self.min_samples_split, least=2, share=True)
        check_whole("min_samples_leaf", self.min_samples_leaf, least=1, share=True)
        check_numbers(self, ("min_weight_fraction_leaf", "min_impurity_decrease", "ccp_alpha"))
        if self.forced_splits:
            check_forced(self)
        check_choice("missing", self.missing, tuple(WAYS))
        check_choice("categories", self.categories, CATEGORY_SPLITS)
        check_choice("impute_with", self.impute_with, FILLS)
        check_whole("max_surrogates", self.max_surrogates, least=0)
        if self.missing != "surrogate":
            return
        if self.monotonic_cst is not None:
            raise ValueError(
                "monotonic_cst does not go with missing='surrogate', since a surrogate may split on a column that "
                "has a direction; take another way of missing values"
            )
        if self.missing not in ways_with(self.criterion):
            raise ValueError(
                "criterion gain_ratio does not go with missing='surrogate', since the split information of C4.5 "
                "counts all samples; take criterion entropy, or another way of missing values"
            )

    def _task(self, y, weight) -> tuple[Task, float]:
        raise NotImplementedError


class CartClassifier(Classifier, Cart):
    """Classification tree.

    Parameters
    ----------
    criterion : "gini", "entropy" (or "log_loss"), "misclassification", or "gain_ratio" of C4.5: the feature
        whose best split gains most entropy for its split information, if it gains the average of all features
        or more (Quinlan 1993, section 2.2; 1996, section 3); impurities are then entropies
    splitter : "best", or "random": one random threshold for each feature tried
    max_depth : most splits on the way to a leaf; None for no limit
    min_samples_split, min_samples_leaf : samples (int) or share of all samples (float)
    min_weight_fraction_leaf : least share of all weight in a leaf
    max_features : features tried at each node: int, share (float), "sqrt", "log2", None for all
    max_leaf_nodes : with a number, the tree grows best first (largest decrease of impurity)
    min_impurity_decrease : least decrease, times the node's share of all weight
    ccp_alpha : price per leaf of cost-complexity pruning
    class_weight : dict, "balanced" or None
    random_state : seed of random features and thresholds
    categorical_features : which columns are categories, split as sets: the best set for two classes; for more,
        the best over the orders given by each class's share. "from_dtype": of a DataFrame the columns of text and
        of pandas' category type (those with an order are numbers in this order, truth values are 0 and 1), of an
        array none. Or a mask, column numbers, or names: of an array the values are codes 0 to 63, of a DataFrame
        anything; text is categories then, too. None: none are, and text is refused
    missing : the way of missing values (nan), see Notes: "side", "category", "impute", or "surrogate"
    impute_with : "mean" or "median", which "impute" fills columns of numbers with
    max_surrogates : most surrogates of a node; 5 as in rpart
    categories : "subset": a split on categories parts any set of them from the others. "one-vs-rest": it parts one
        category from all others, which is easier to read, and exact for any number of classes
    monotonic_cst : directions of the columns, a list with an entry for each or a dict by name: 1 where the
        prediction may only rise with the column, -1 where it may only fall, 0 for either. For two classes it is
        the share of the second; with three or more there are none. None: no directions. See Notes
    forbidden_features : columns, by name or number from 0 on, that no split asks about; None for no such column.
        The tree is that of the table without them
    forced_splits : dict of splits that the tree begins with, by the path to their node ("" for the root, then "L"
        for yes and "R" for no), as in `OptimalClassifier`; None for none. See Notes

    DataFrames may have nullable and Arrow-backed types. Of more than 64 categories the 63 most frequent are kept
    and the others count as one, with a warning. A category that `fit` did not see counts as missing.

    Attributes
    ----------
    tree_ : Tree, whose values are class shares
    classes_ : (n_classes,) the labels, in order
    is_categorical_ : (n_features,) bool: which columns are split as sets
    categories_ : for each column the values behind its codes 0, 1, …, or None where it holds numbers
    fill_ : (n_features,) the values that "impute" fills in (of a column without any value nan), else None

    Notes
    -----
    The ways of missing values, of which the first is the default:

    - "side": they go to the side that gives the better split, or the split separates them from all values (Twala,
      Jones & Hand 2008, "Good methods for coping with missing data in decision trees"); where a node saw none, to
      the larger side.
    - "category": missing is a category of its own (Hastie, Tibshirani & Friedman 2009, section 9.2.4). In a column
      of categories it may join either side, which is the search of "side". In a column of numbers it stands
      beyond all of them: a split leaves it with the greater numbers, or separates it from all.
    - "impute": the mean or the median, and of categories the most frequent one, stand in (weights count). The tree
      is that of the completed table; a missing value goes where its stand-in goes.
    - "surrogate": a split is chosen among the samples that have its value, and its gain is summed over these, as
      in rpart. The others follow the node's surrogate splits (Breiman et al. 1984, section 5.3), the best one
      first: splits on other features that agree with it most, where both are known, and more than sending all
      samples to the larger side would. Where none has a value, and where no surrogate is found, that side is the
      way. A category that a split never saw counts as missing. Forests refuse it.

    A column with a direction is split only so that both sides predict in its direction; below the split, no leaf
    of either side predicts past the middle of both, as in scikit-learn's trees. Pruning keeps the directions. They
    bind known values; a missing one has no place in their order, and a split that parts missing values from all
    others may go either way.

    Forced splits are made whatever the limits say, and pruning keeps them; limits on depth and leaves count them.
    A forced split that sends all samples of its node to one side, which can happen on other samples, is left out
    together with the forced splits below it.

    Examples
    --------
    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> model = CartClassifier(max_depth=2).fit(iris.X, iris.y)
    >>> model.tree_.n_leaves
    3
    >>> model.predict(iris.X[[0, 50, 100]])
    array([0, 1, 2])
    """

    _criteria = ("gini", "entropy", "log_loss", "misclassification", "gain_ratio")

    def __init__(
        self, *, criterion="gini", splitter="best", max_depth=None, min_samples_split=2, min_samples_leaf=1,
        min_weight_fraction_leaf=0.0, max_features=None, max_leaf_nodes=None, min_impurity_decrease=0.0,
        ccp_alpha=0.0, class_weight=None, random_state=None, categorical_features: Choice = "from_dtype",
        missing="side", impute_with="mean", max_surrogates=5, categories="subset",
        monotonic_cst: Directions = None, forbidden_features=None, forced_splits: SplitsByPath = None,
    ):  # fmt: skip
        super().__init__(
            criterion=criterion, splitter=splitter, max_depth=max_depth, min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf, min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features, max_leaf_nodes=max_leaf_nodes, min_impurity_decrease=min_impurity_decrease,
            ccp_alpha=ccp_alpha, random_state=random_state, categorical_features=categorical_features,
            missing=missing, impute_with=impute_with, max_surrogates=max_surrogates, categories=categories,
            monotonic_cst=monotonic_cst, forbidden_features=forbidden_features, forced_splits=forced_splits,
        )  # fmt: skip
        self.class_weight = class_weight

    def _task(self, y, weight):
        return task_of_classes(y, weight, self.criterion, len(self.classes_)), 0.0


class CartRegressor(Regressor, Cart):
    """Regression tree; parameters as in `CartClassifier`, without `class_weight`.

    The criterion is "squared_error" (leaves predict the mean), "absolute_error" (the median; categories are then
    ordered by their mean, which is an approximation), or "poisson", half the Poisson deviance, for counts: targets
    are at least 0, and leaves predict means above 0. Under "friedman_mse" the tree is that of squared error, since
    Friedman's improvement of a split is its gain in squared error.

    Attributes
    ----------
    tree_ : Tree, whose values are the means or medians

    Examples
    --------
    >>> from espalier.data import samples
    >>> sine = samples.load("sine")
    >>> CartRegressor(max_depth=2).fit(sine.X, sine.y).predict([[0.25]]).round(2)
    array([0.16])
    """

    _criteria = ("squared_error", "friedman_mse", "absolute_error", "poisson")

    def _task(self, y, weight):
        return task_of_numbers(y, weight, self.criterion)


def task_of_classes(y: np.ndarray, weight: np.ndarray, criterion: str, n_classes: int) -> Task:
    """Return the task of learning class numbers y (n_samples,) with these weights (n_samples,)."""
    unit = bool((weight == 1).all())
    pairs, code = unit and n_classes == 2, CODES[criterion]
    label, none = y.astype(np.uint16), np.empty(0)
    table = table_of_x_log_x(len(y)) if unit and code == ENTROPY else none
    return Task(code, n_classes, label, none, weight, unit, pairs, table, criterion == "gain_ratio")


def task_of_numbers(y: np.ndarray, weight: np.ndarray, criterion: str) -> tuple[Task, float]:
    """Return the task of learning numbers y (n_samples,), and the offset to add to the values of its tree."""
    if CODES[criterion] == POISSON:
        check_counts(y)
    offset = 0.0 if CODES[criterion] in (ABSOLUTE_ERROR, POISSON) else centre(y)
    y = np.ascontiguousarray(y, dtype=np.float64) - offset
    unit = bool((weight == 1).all())
    return Task(CODES[criterion], 0, np.empty(0, np.uint16), y, weight, unit, False, np.empty(1)), offset


def check_counts(y: np.ndarray, parameter: str = "criterion") -> None:
    """Raise ValueError for targets y (n_samples,) without a Poisson deviance, which `parameter` asks for."""
    if y.min() < 0:
        raise Refusal(
            "Some value(s) of y are negative which is not allowed for Poisson regression. The least is {least}; "
            "take {parameter} squared_error or absolute_error, or leave these samples out",
            least=float(y.min()),
            parameter=parameter,
        )
    if not y.max() > 0:
        raise Refusal(
            "Sum of y is not strictly positive which is necessary for Poisson regression. Here y is not "
            "positive in any sample; give some with events, or take {parameter} squared_error",
            parameter=parameter,
        )

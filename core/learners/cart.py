"""CART: classification and regression trees grown greedily (Breiman, Friedman, Olshen & Stone 1984)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state, compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from core.kernels.columns import make_columns
from core.kernels.grow import grow_tree
from core.kernels.impurity import ABSOLUTE_ERROR, CODES, ENTROPY, table_of_x_log_x
from core.kernels.route import columns_of, leaf_of
from core.kernels.task import Limits, Task
from core.learners.prune import prune
from core.trees import Tree, make_tree

NO_LIMIT = 2**31 - 1


class _Cart(BaseEstimator):
    """What classification and regression trees share; parameters are described in `CartClassifier`."""

    _criteria: tuple[str, ...]
    criterion: str
    splitter: str
    max_depth: int | None
    min_samples_split: int | float
    min_samples_leaf: int | float
    min_weight_fraction_leaf: float
    max_features: int | float | str | None
    max_leaf_nodes: int | None
    min_impurity_decrease: float
    ccp_alpha: float
    random_state: int | np.random.RandomState | None
    categorical_features: Sequence | np.ndarray | None
    tree_: Tree

    def fit(self, X, y, sample_weight=None, signals: np.ndarray | None = None):
        """Grow the tree on X (n_samples, n_features) and y (n_samples,).

        Missing values are nan; categories are codes 0 to 63. Samples of weight zero count as absent.
        `signals` is int64 (2,), shared with another thread: growing writes the number of samples whose leaf
        is decided into [0], and stops early, leaving a smaller tree, once [1] is not zero.
        Raises ValueError for parameters or data that cannot be used, saying which and why.
        """
        X, y = self._checked(X, y)
        weight: np.ndarray = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        weight = weight * self._class_weights(y)
        if not weight.any():
            raise ValueError("every sample has weight zero; give at least one a positive sample_weight")
        if not weight.all():
            X, y, weight = X[weight > 0], y[weight > 0], weight[weight > 0]
        task, offset = self._task(y, weight)
        signals = np.zeros(2, np.int64) if signals is None else signals
        seed = check_random_state(self.random_state).randint(NO_LIMIT)
        categorical = _category_mask(self.categorical_features, X.shape[1])
        limits = self._limits(X, task)
        columns = make_columns(columns_of(X), categorical)
        tree = grow_tree(columns, task, limits, seed, signals)
        self.tree_ = make_tree(*tree._replace(value=tree.value + offset))
        if self.ccp_alpha > 0:
            self.tree_ = prune(self.tree_, self.ccp_alpha)
        return self

    def apply(self, X) -> np.ndarray:
        """(n_samples,) int32: the leaf that each sample falls into."""
        check_is_fitted(self)
        samples: Any = validate_data(self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan")
        return leaf_of(self.tree_, samples)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _checked(self, X, y) -> Any:
        self._check_parameters()
        return validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan", order="F")

    def _check_parameters(self):
        if self.criterion not in self._criteria:
            raise ValueError(f"criterion is {self.criterion!r}; it must be one of {', '.join(self._criteria)}")
        if self.splitter not in ("best", "random"):
            raise ValueError(f"splitter is {self.splitter!r}; it must be best or random")
        _check_number("max_depth", self.max_depth, least=1, optional=True)
        _check_number("max_leaf_nodes", self.max_leaf_nodes, least=2, optional=True)
        _check_number("min_samples_split", self.min_samples_split, least=2, share=True)
        _check_number("min_samples_leaf", self.min_samples_leaf, least=1, share=True)
        for name in ("min_weight_fraction_leaf", "min_impurity_decrease", "ccp_alpha"):
            if not (_is_number(getattr(self, name)) and getattr(self, name) >= 0):
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be a number of at least 0")

    def _class_weights(self, y) -> np.ndarray | float:
        return 1.0

    def _task(self, y, weight) -> tuple[Task, float]:
        raise NotImplementedError

    def _limits(self, X, task: Task) -> Limits:
        n, p = X.shape
        leaf_weight = float(self.min_weight_fraction_leaf * task.weight.sum())
        leaf_samples = _count(self.min_samples_leaf, n)
        return Limits(
            self.max_depth or NO_LIMIT,
            max(_count(self.min_samples_split, n), 2),
            max(leaf_samples, math.ceil(leaf_weight)) if task.unit else leaf_samples,
            leaf_weight,
            float(self.min_impurity_decrease),
            self.max_leaf_nodes or 0,
            features_tried(self.max_features, p),
            self.splitter == "random",
        )


class CartClassifier(ClassifierMixin, _Cart):
    """Classification tree.

    Parameters
    ----------
    criterion : "gini", "entropy" (or "log_loss"), "misclassification"
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
    categorical_features : mask or column numbers whose values are category codes 0 to 63, split as sets:
        the best set for two classes; for more, the best over the orders given by each class's share

    Missing values (nan) go to the side that gives the better split; where a node saw none, to the larger one.

    Attributes
    ----------
    tree_ : Tree, whose values are class shares
    classes_ : (n_classes,) the labels, in order
    """

    _criteria = ("gini", "entropy", "log_loss", "misclassification")

    def __init__(
        self, *, criterion="gini", splitter="best", max_depth=None, min_samples_split=2, min_samples_leaf=1,
        min_weight_fraction_leaf=0.0, max_features=None, max_leaf_nodes=None, min_impurity_decrease=0.0,
        ccp_alpha=0.0, class_weight=None, random_state=None, categorical_features=None,
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
        self.class_weight = class_weight
        self.random_state = random_state
        self.categorical_features = categorical_features

    def predict_proba(self, X) -> np.ndarray:
        """(n_samples, n_classes): the class shares of each sample's leaf."""
        leaves = self.apply(X)
        return self.tree_.value[leaves]

    def predict(self, X) -> np.ndarray:
        """(n_samples,): the most frequent class of each sample's leaf, the first of equals."""
        leaves = self.apply(X)
        return self.classes_[self.tree_.value.argmax(axis=1)[leaves]]

    def _checked(self, X, y) -> Any:
        X, y = super()._checked(X, y)
        if y.dtype.kind not in "iub":  # whole numbers are always classes, and the check sorts them all
            check_classification_targets(y)
        self.classes_, codes = _encode(y)
        return X, codes

    def _class_weights(self, y):
        if self.class_weight is None:
            return 1.0
        return compute_sample_weight(self.class_weight, self.classes_[y])

    def _task(self, y, weight):
        unit = bool((weight == 1).all())
        pairs = unit and len(self.classes_) == 2
        criterion = CODES[self.criterion]
        table = table_of_x_log_x(len(y) if pairs and criterion == ENTROPY else 0)
        label, none = y.astype(np.uint16), np.empty(0)
        return Task(criterion, len(self.classes_), label, none, weight, unit, pairs, table), 0.0


class CartRegressor(RegressorMixin, _Cart):
    """Regression tree; parameters as in `CartClassifier`, without `class_weight`.

    The criterion is "squared_error" (leaves predict the mean) or "absolute_error" (the median; categories
    are then ordered by their mean, which is an approximation).

    Attributes
    ----------
    tree_ : Tree, whose values are the means or medians
    """

    _criteria = ("squared_error", "absolute_error")

    def __init__(
        self, *, criterion="squared_error", splitter="best", max_depth=None, min_samples_split=2,
        min_samples_leaf=1, min_weight_fraction_leaf=0.0, max_features=None, max_leaf_nodes=None,
        min_impurity_decrease=0.0, ccp_alpha=0.0, random_state=None, categorical_features=None,
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

    def predict(self, X) -> np.ndarray:
        """(n_samples,): the value of each sample's leaf."""
        leaves = self.apply(X)
        return self.tree_.value[leaves, 0]

    def _checked(self, X, y) -> Any:
        self._check_parameters()
        return validate_data(
            self, X, y, dtype=np.float64, ensure_all_finite="allow-nan", order="F", y_numeric=True
        )

    def _task(self, y, weight):
        criterion = CODES[self.criterion]
        offset = 0.0 if criterion == ABSOLUTE_ERROR else _centre(y)
        y = np.ascontiguousarray(y, dtype=np.float64) - offset
        unit = bool((weight == 1).all())
        return Task(criterion, 0, np.empty(0, np.uint16), y, weight, unit, False, np.empty(1)), offset


def _encode(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Classes in order, and the class number of each label; without sorting where labels are small counts."""
    if y.dtype.kind in "iu" and y.min() >= 0 and y.max() < 1000:
        counts = np.bincount(y)
        classes = np.flatnonzero(counts).astype(y.dtype)
        return classes, (np.cumsum(counts > 0) - 1)[y]
    return np.unique(y, return_inverse=True)


def features_tried(max_features, n_features: int) -> int:
    """Number of features tried at a node; at least one. Raises ValueError for what means no number."""
    if max_features is None:
        return n_features
    if max_features == "sqrt":
        return max(int(math.sqrt(n_features)), 1)
    if max_features == "log2":
        return max(int(math.log2(n_features)), 1)
    if _is_whole(max_features) and max_features >= 1:
        return min(int(max_features), n_features)
    if _is_number(max_features) and 0 < max_features <= 1:
        return max(int(max_features * n_features), 1)
    raise ValueError(f'max_features is {max_features!r}; it must be "sqrt", "log2", a count, or a share up to 1.0')


def _is_whole(value) -> TypeGuard[int]:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _is_number(value) -> TypeGuard[float]:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _count(samples: float, n: int) -> int:
    return int(samples) if _is_whole(samples) else math.ceil(samples * n)


def _check_number(name, value, *, least, share=False, optional=False) -> None:
    if optional and value is None:
        return
    if _is_whole(value) and value >= least:
        return
    if share and _is_number(value) and 0 < value <= 1 and not _is_whole(value):
        return
    or_share = " or a share between 0.0 and 1.0" if share else ""
    raise ValueError(f"{name} is {value!r}; it must be a whole number of at least {least}{or_share}")


def _category_mask(columns: Sequence | np.ndarray | None, n_features: int) -> np.ndarray:
    mask = np.zeros(n_features, dtype=bool)
    if columns is None:
        return mask
    columns = np.asarray(columns)
    if columns.dtype == bool and columns.shape != (n_features,):
        raise ValueError(f"categorical_features has {columns.size} entries; X has {n_features} features")
    try:
        mask[columns if columns.size else []] = True
    except IndexError as error:
        raise ValueError(f"categorical_features names a column that X does not have: {error}") from None
    return mask


def _centre(y: np.ndarray) -> float:
    """A number near the mean of y with few binary digits, so that taking it off and putting it on is exact."""
    spread = float(np.std(y))
    unit = 2.0 ** math.floor(math.log2(spread)) if spread > 0 else 0.0
    return float(np.round(np.mean(y) / unit) * unit) if unit else float(y[0])

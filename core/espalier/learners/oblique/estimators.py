"""Oblique trees: splits on weighted sums of a few features, wherever these part the samples better than one."""

from __future__ import annotations

from typing import Self

import numpy as np

from espalier.kernels.task import Task
from espalier.learners.base import (
    NO_LIMIT,
    Classifier,
    Regressor,
    TrainingData,
    TreeLearner,
    check_choice,
    check_numbers,
    check_whole,
    count_of,
)
from espalier.learners.cart import task_of_classes, task_of_numbers
from espalier.learners.conventions import OneTree, Paths, Pruned
from espalier.learners.frames import Choice
from espalier.learners.missing import fill_in, fills_of
from espalier.learners.oblique.grow import Ground, grow_oblique
from espalier.learners.pruning import prune
from espalier.oblique import ObliqueTree
from espalier.progress import Progress
from espalier.trees import read_only


class Oblique(OneTree, Paths, Pruned, TreeLearner):
    """Base of the classifier and the regressor; parameters are described in `ObliqueClassifier`."""

    _criteria: tuple[str, ...]
    tree_: ObliqueTree

    def __init__(
        self, *, criterion="squared_error", max_depth=None, max_terms: int | None = 3, min_samples_split=2,
        min_samples_leaf=1, min_weight_fraction_leaf=0.0, min_impurity_decrease=0.0, ccp_alpha=0.0,
        categorical_features: Choice = "from_dtype",
        forbidden_features=None,
    ):  # fmt: skip
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_terms = max_terms
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.categorical_features = categorical_features
        self.forbidden_features = forbidden_features

    def _grow(self, training: TrainingData, progress: Progress) -> Self:
        n, p = training.X.shape
        fill = _fill(training, self.is_categorical_)
        columns = read_only(np.ascontiguousarray(fill_in(training.X, fill, self.is_categorical_).T))
        task, offset = self._task(training)
        ground = Ground(
            columns,
            self.is_categorical_,
            _targets(task),
            task,
            count_of(self.min_samples_leaf, n),
            float(self.min_weight_fraction_leaf * task.weight.sum()),
            self.max_terms or p,
            self.max_depth or NO_LIMIT,
            max(count_of(self.min_samples_split, n), 2),
            float(self.min_impurity_decrease),
        )
        tree = grow_oblique(ground, fill, progress)
        tree = tree._replace(value=read_only(tree.value + offset)) if offset else tree
        self.tree_ = prune(tree, self.ccp_alpha) if self.ccp_alpha > 0 else tree
        return self

    def _check_parameters(self) -> None:
        check_choice("criterion", self.criterion, self._criteria)
        check_whole("max_depth", self.max_depth, least=1, optional=True)
        check_whole("max_terms", self.max_terms, least=1, optional=True)
        check_whole("min_samples_split", self.min_samples_split, least=2, share=True)
        check_whole("min_samples_leaf", self.min_samples_leaf, least=1, share=True)
        check_numbers(self, ("min_weight_fraction_leaf", "min_impurity_decrease", "ccp_alpha"))

    def _task(self, training: TrainingData) -> tuple[Task, float]:
        """Return the task of learning the target, and the offset to add to the values of its tree."""
        raise NotImplementedError


def _fill(training: TrainingData, is_categorical: np.ndarray) -> np.ndarray:
    """Return the mean or the commonest code of each column, (n_features,), which stands in for missing values."""
    fill = fills_of(training, is_categorical, "mean")
    inside = np.clip(
        fill, np.fmin.reduce(training.X), np.fmax.reduce(training.X)
    )  # a mean may be rounded past all
    return np.nan_to_num(inside)


def _targets(task: Task) -> np.ndarray:
    """Return what directions are to explain, (n_samples, n_targets): class indicators, or the numbers."""
    if task.n_classes == 0:
        return task.y[:, None]
    return (task.label[:, None] == np.arange(task.n_classes)).astype(np.float64)


class ObliqueClassifier(Classifier, Oblique):
    """Classification tree whose splits may weigh several features: ``petal length + 2.1 petal width <= 7.3``.

    At every node the best split on one feature, which is CART's, competes with slanted ones. One of these wins if
    it is purer, and by enough for its coefficients: each after the first must spare log2(n) / 2 bits of the
    classes' description, where n is the node's weight, its number of samples without weights (BIC; Schwarz 1978).
    No node is split worse than by CART. Sums of features in splits are an idea of CART's authors (CART-LC, Breiman
    et al. 1984, section 5.2; OC1, Murthy, Kasif & Salzberg 1994, searches better). Here they lie along linear
    discriminants, as in FACT (Loh & Vanichsetakul 1988), of a few features each, and the best one is refined by
    logistic regression of its two sides. Every threshold is the best one by impurity, and nothing is drawn at
    random.

    Parameters
    ----------
    criterion : "gini", or "entropy" (or "log_loss")
    max_depth : most splits on the way to a leaf; None for no limit
    max_terms : most features that a split weighs; 1: CART's splits alone; None for no limit
    min_samples_split, min_samples_leaf : samples (int) or share of all samples (float)
    min_weight_fraction_leaf : least share of all weight in a leaf
    min_impurity_decrease : least decrease, times the node's share of all weight
    ccp_alpha : price per leaf of cost-complexity pruning; a slanted split costs as much as any other
    class_weight : dict, "balanced" or None
    categorical_features : which columns are categories, as in `CartClassifier`; they are split as sets, never
        weighed
    forbidden_features : columns, by name or number from 0 on, that no split asks about; None for no such column

    A missing value (nan) counts as the mean of its feature in training, or as its most frequent category.
    Coefficients have as few digits as part the training samples equally well, the first of a split is 1.

    Attributes
    ----------
    tree_ : ObliqueTree, whose values are class shares
    classes_ : (n_classes,) the labels, in order

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[x, y] for x in range(6) for y in range(6) if x != y], dtype=float)
    >>> model = ObliqueClassifier().fit(X, X[:, 0] > X[:, 1])
    >>> model.tree_.depth, model.tree_.terms.coefficient.tolist()
    (1, [1.0, -1.0])
    """

    _criteria = ("gini", "entropy", "log_loss")

    def __init__(
        self, *, criterion="gini", max_depth=None, max_terms: int | None = 3, min_samples_split=2,
        min_samples_leaf=1, min_weight_fraction_leaf=0.0, min_impurity_decrease=0.0, ccp_alpha=0.0,
        class_weight=None, categorical_features: Choice = "from_dtype",
        forbidden_features=None,
    ):  # fmt: skip
        super().__init__(
            criterion=criterion, max_depth=max_depth, max_terms=max_terms, min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf, min_weight_fraction_leaf=min_weight_fraction_leaf,
            min_impurity_decrease=min_impurity_decrease, ccp_alpha=ccp_alpha,
            categorical_features=categorical_features, forbidden_features=forbidden_features,
        )  # fmt: skip
        self.class_weight = class_weight

    def _task(self, training):
        return task_of_classes(training.y, training.weight, self.criterion, len(self.classes_)), 0.0


class ObliqueRegressor(Regressor, Oblique):
    """Regression tree whose splits may weigh several features; parameters as in `ObliqueClassifier`.

    The criterion is "squared_error" (leaves predict the mean) or "absolute_error" (the median).

    Attributes
    ----------
    tree_ : ObliqueTree, whose values are the means or medians

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[x, y] for x in range(6) for y in range(6)], dtype=float)
    >>> ObliqueRegressor(max_depth=1).fit(X, 2.0 * (X[:, 0] + X[:, 1] > 5)).predict([[0, 5], [1, 5]])
    array([0., 2.])
    """

    _criteria = ("squared_error", "absolute_error")

    def _task(self, training):
        return task_of_numbers(training.y, training.weight, self.criterion)

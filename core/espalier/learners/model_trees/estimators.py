"""Model trees as estimators: linear models in the leaves for numbers, logistic ones for classes."""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from espalier.kernels.route import columns_of
from espalier.leaf_models import LeafModels, ModelTree
from espalier.learners.base import (
    NO_LIMIT,
    Classifier,
    Regressor,
    TrainingData,
    TreeLearner,
    check_numbers,
    check_whole,
)
from espalier.learners.conventions import OneTree, Paths
from espalier.learners.frames import Choice
from espalier.learners.missing import fills_of
from espalier.learners.model_trees.fits import LogLossTarget, SquaredErrorTarget, Target
from espalier.learners.model_trees.growth import (
    ModelTreeGrower,
    models_of,
    tree_of,
)
from espalier.progress import Progress
from espalier.trees import Tree


class ModelTreeLearner(OneTree, Paths, TreeLearner):
    """Base of the classifier and the regressor; parameters are described in `ModelTreeRegressor`."""

    tree_: Tree
    models_: LeafModels

    def __init__(
        self, *, max_depth=None, min_leaf_weight=5, shrinkage=0.1, categorical_features: Choice = "from_dtype",
        forbidden_features=None,
    ):  # fmt: skip
        self.max_depth = max_depth
        self.min_leaf_weight = min_leaf_weight
        self.shrinkage = shrinkage
        self.categorical_features = categorical_features
        self.forbidden_features = forbidden_features

    def _grow(self, training: TrainingData, progress: Progress) -> Self:
        self.fill_ = np.nan_to_num(fills_of(training, self.is_categorical_, "mean"))
        columns = columns_of(np.where(np.isnan(training.X), self.fill_, training.X))
        grower = ModelTreeGrower(
            columns, self.is_categorical_, self._target(training), training.weight,
            max_depth=self.max_depth or NO_LIMIT, min_leaf_weight=float(self.min_leaf_weight),
            shrinkage=float(self.shrinkage),
        )  # fmt: skip
        grower.grow(progress)
        if not progress.is_stopped:
            progress.done = len(training.y)
        self.tree_ = tree_of(grower, self.fill_, self._values(training, grower.rows))
        self.models_ = models_of(grower, self.fill_, self._range(training))
        return self

    @property
    def model_tree_(self) -> ModelTree:
        """Tree and formulas in one record, which analyses and exports take."""
        check_is_fitted(self)
        return ModelTree(self.tree_, self.models_)

    def _check_parameters(self) -> None:
        check_whole("max_depth", self.max_depth, least=1, optional=True)
        check_numbers(self, ("min_leaf_weight", "shrinkage"))

    def _target(self, training: TrainingData) -> Target:
        raise NotImplementedError

    def _values(self, training: TrainingData, rows: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        raise NotImplementedError

    def _range(self, training: TrainingData) -> np.ndarray:
        raise NotImplementedError


class ModelTreeRegressor(Regressor, ModelTreeLearner):
    """Regression tree with a linear model in each leaf.

    At each node lines are fitted first, one feature at a time, as long as the Bayesian information criterion
    falls; then three kinds of split compete, in every feature: a step, a line that bends, and two lines. What a
    model leaves over is what those below explain, so that a leaf's formula is the sum of the lines on its path
    (after PILOT; Raymaekers, Rousseeuw, Verdonck & Yao 2024, where lines and splits compete at once).

    Where none of them improves a node, no single feature says more, but two may together. So every pair is tried,
    for the split on one feature that turns the effect of the other: with a line in the other on each side, of
    categories with their means. PILOT ends there; MOB (Zeileis, Hothorn & Hornik 2008) tests whether the
    coefficients of a node's model change along a feature; M5 (Quinlan 1992) goes on and prunes. Here the criterion
    decides, as it does on other splits, and a node that no pair improves is a leaf. What three features say only
    together is not seen, nor a turn with less than a tenth of the node's weight on one side, nor any turn among
    more than 300 features.

    Formulas are not continued beyond the values that the leaf's training samples have, nor predictions beyond the
    target's.

    Parameters
    ----------
    max_depth : most splits on the way to a leaf; None for no limit
    min_leaf_weight : least weight on each side of a split; of samples without weights, their number
    shrinkage : slopes are those of ridge regression, as if each formula had seen so many more samples, in which
        every feature varies as in all data and the target not at all; 0 for none
    categorical_features : as in `CartClassifier`; categories are split as sets, and no line is fitted to them
    forbidden_features : columns, by name or number from 0 on, that no split and no formula has; None for no such
        column

    Missing values count as the feature's mean in the training samples, or its most frequent category.

    Attributes
    ----------
    tree_ : Tree, whose values are the means of the leaves
    models_ : LeafModels, the formulas of its leaves
    model_tree_ : ModelTree, both in one record
    fill_ : (n_features,) float64: what stands in for missing values

    Examples
    --------
    >>> from espalier.data import samples
    >>> sine = samples.load("sine")
    >>> model = ModelTreeRegressor(max_depth=1).fit(sine.X, sine.y)
    >>> model.tree_.n_leaves, model.models_.feature.tolist()
    (2, [0, 0])
    """

    def _target(self, training: TrainingData) -> Target:
        return SquaredErrorTarget(np.asarray(training.y, np.float64), training.weight)

    def _values(self, training: TrainingData, rows: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        y, weight = np.asarray(training.y, np.float64), training.weight
        mean = np.array([np.average(y[at], weights=weight[at]) for at in rows])
        square = [np.average((y[at] - m) ** 2, weights=weight[at]) for at, m in zip(rows, mean, strict=True)]
        return mean[:, np.newaxis], np.array(square)

    def _range(self, training: TrainingData) -> np.ndarray:
        return np.array([[training.y.min()], [training.y.max()]])


class ModelTreeClassifier(Classifier, ModelTreeLearner):
    """Classification tree with a logistic model in each leaf.

    Grown as a `ModelTreeRegressor`, on the responses of Newton's step for the log loss (LogitBoost; Friedman,
    Hastie & Tibshirani 2000), as in logistic model trees (Landwehr, Hall & Frank 2005): a leaf's formula gives the
    log odds of the second of two classes, or with more classes a score for each. A step that would raise the log
    loss of its samples is halved, at most four times, and else left out.

    Parameters and attributes are those of `ModelTreeRegressor`; the values of `tree_` are class shares.

    Parameters
    ----------
    class_weight : dict, "balanced" or None

    Examples
    --------
    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> model = ModelTreeClassifier(max_depth=1).fit(iris.X, iris.y)
    >>> model.predict_proba(iris.X[[0]]).round(1).tolist()
    [[1.0, 0.0, 0.0]]
    """

    def __init__(
        self, *, max_depth=None, min_leaf_weight=5, shrinkage=0.1, class_weight=None,
        categorical_features: Choice = "from_dtype",
        forbidden_features=None,
    ):  # fmt: skip
        super().__init__(
            max_depth=max_depth, min_leaf_weight=min_leaf_weight, shrinkage=shrinkage,
            categorical_features=categorical_features, forbidden_features=forbidden_features,
        )  # fmt: skip
        self.class_weight = class_weight

    def _target(self, training: TrainingData) -> Target:
        return LogLossTarget(training.y, training.weight, len(self.classes_))

    def _values(self, training: TrainingData, rows: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        sums = np.array([np.bincount(training.y[at], training.weight[at], len(self.classes_)) for at in rows])
        value = sums / sums.sum(axis=1, keepdims=True)
        return value, 1.0 - (value**2).sum(axis=1)

    def _range(self, training: TrainingData) -> np.ndarray:
        n_scores = 1 if len(self.classes_) == 2 else len(self.classes_)
        return np.array([np.full(n_scores, -np.inf), np.full(n_scores, np.inf)])

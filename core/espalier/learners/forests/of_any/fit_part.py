"""Fit an estimator to a part of a forest's samples and features."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from espalier.learners.base import TrainingData
from espalier.learners.forbidden import number_as_table
from espalier.learners.optimal.classifier import AUTO, USUAL
from espalier.progress import Progress
from espalier.tree_checks import boxed
from espalier.trees import LEAF, CultivatedTree, Tree


class PartLearner(NamedTuple):
    """An estimator for checked samples, and the samples of a forest."""

    learner: Any  # not fitted; its classes are those of the forest, even if a tree sees fewer
    training: TrainingData
    is_category: np.ndarray  # (n_features,) bool


class FittedPart(NamedTuple):
    """Samples, features and weights of one tree; None: all."""

    rows: np.ndarray | None = None  # numbers of the samples; one drawn twice is listed twice
    features: np.ndarray | None = None  # ascending
    weight: np.ndarray | None = None  # weights of all samples, in place of their own


def make_part_learner(
    estimator: Any, training: TrainingData, classes: np.ndarray | None, is_category: np.ndarray
) -> PartLearner:
    """Prepare a copy of the estimator; `classes` are the forest's labels, None for regression."""
    learner: Any = clone(estimator)
    if learner.get_params(deep=False).get("max_thresholds") == AUTO:  # every threshold is for one tree
        learner.set_params(max_thresholds=USUAL)
    if classes is not None:
        learner.classes_ = classes
    learner.is_categorical_ = is_category
    return PartLearner(learner, training, is_category)


def fit_part(stock: PartLearner, part: FittedPart, seed: int, progress: Progress | None = None) -> Any:
    """Fit the estimator to the part; ``tree_`` numbers the features by their place in `part`."""
    learner, (X, y, weight) = copy.copy(stock.learner), stock.training
    learner.random_state = seed
    weight = weight if part.weight is None else part.weight
    if part.features is not None:
        X = X.T[part.features].T
        learner.is_categorical_ = stock.is_category[part.features]
    if part.rows is not None:
        X, y, weight = X.T.take(part.rows, axis=1).T, y[part.rows], weight[part.rows]
    return learner.grow(TrainingData(X, y, weight), progress)


def of_table(tree: Any, features: np.ndarray | None) -> Any:
    """Return the tree of a part with these features (None: all), renumbered to the table's columns."""
    if features is None:
        return tree
    return number_as_table(boxed(tree, "a forest of parts of the columns"), features)


def asked_by(tree: Tree | CultivatedTree) -> np.ndarray:
    """Return the features that the tree's nodes use, ascending."""
    tree = boxed(tree, "a forest that draws features by their use")
    feature = tree.decisions.feature if isinstance(tree, CultivatedTree) else tree.feature
    return np.unique(feature[feature != LEAF])

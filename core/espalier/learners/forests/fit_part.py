"""What the trees of a forest grow from: an estimator, the samples, and the part of them that a tree sees."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from espalier.learners.forests.forest import Used
from espalier.trees import LEAF, CultivatedTree, Tree, read_only


class PartLearner(NamedTuple):
    """An estimator, ready to grow from checked samples, and the samples of a forest."""

    learner: Any  # not fitted; its classes are the forest's, whichever a tree sees
    used: Used
    is_category: np.ndarray  # (n_features,) bool


class FittedPart(NamedTuple):
    """What one tree sees; None: all."""

    rows: np.ndarray | None = None  # of the samples; one drawn twice stands there twice
    features: np.ndarray | None = None  # ascending
    weight: np.ndarray | None = None  # of all samples, instead of their own


def make_part_learner(
    estimator: Any, used: Used, classes: np.ndarray | None, is_category: np.ndarray
) -> PartLearner:
    """Stock of a copy of the estimator; `classes` are the forest's labels, None for numbers."""
    learner: Any = clone(estimator)
    if classes is not None:
        learner.classes_ = classes
    learner.is_categorical_ = is_category
    return PartLearner(learner, used, is_category)


def fit_part(stock: PartLearner, part: FittedPart, seed: int, signals: np.ndarray | None = None) -> Any:
    """The estimator, fitted to the part; ``tree_`` asks about the features by their place in `part`."""
    learner, (X, y, weight) = copy.copy(stock.learner), stock.used
    learner.random_state = seed
    weight = weight if part.weight is None else part.weight
    if part.features is not None:
        X = X.T[part.features].T
        learner.is_categorical_ = stock.is_category[part.features]
    if part.rows is not None:
        X, y, weight = X.T.take(part.rows, axis=1).T, y[part.rows], weight[part.rows]
    return learner._grow_on(X, y, weight, signals)


def of_table(tree: Any, features: np.ndarray | None) -> Any:
    """The tree of a part that has these features (None: all), in terms of the table's own columns."""
    if features is None:
        return tree
    pool = tree.decisions if isinstance(tree, CultivatedTree) else tree
    own = read_only(np.where(pool.feature == LEAF, LEAF, features[pool.feature]).astype(np.int32))
    pool = pool._replace(feature=own)
    return tree._replace(decisions=pool) if isinstance(tree, CultivatedTree) else pool


def asked_by(tree: Tree | CultivatedTree) -> np.ndarray:
    """The features that any node of the tree asks about, ascending."""
    feature = tree.decisions.feature if isinstance(tree, CultivatedTree) else tree.feature
    return np.unique(feature[feature != LEAF])

"""Small tables and forests for the tests of forests, and what several of them compare."""

from typing import Any

import numpy as np
from sklearn.datasets import load_diabetes, load_iris

from espalier.kernels.route import leaf_of
from espalier.learners import BaggedForestClassifier, OptimalClassifier, SubspaceForestClassifier
from tests.tools.same_trees import are_same

X, y = (np.asarray(a) for a in load_iris(return_X_y=True))
NUMBERS_X, NUMBERS = (np.asarray(a)[:150] for a in load_diabetes(return_X_y=True))
GAPS = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
MIXED = np.column_stack([GAPS, np.arange(len(X)) % 7, np.floor(X[:, 0])])
SMALL_OPTIMAL = OptimalClassifier(max_depth=2, max_thresholds=3)


def bagged(estimator=None, **parameters) -> BaggedForestClassifier:
    return BaggedForestClassifier(estimator, 7, random_state=0).set_params(**parameters)


def of_subspaces(estimator=None, **parameters) -> SubspaceForestClassifier:
    return SubspaceForestClassifier(estimator, 7, random_state=0).set_params(**parameters)


def same_tree(one, other):
    assert are_same(one, other)


def voted(tree, table) -> np.ndarray:
    return tree.value[leaf_of(tree, table)].argmax(axis=1)


def trees_of(forest) -> list[Any]:
    """The trees, of whichever kind the test is about."""
    return list(forest.forest_.trees)

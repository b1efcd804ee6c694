"""An oblique tree over its sums as features: the same nodes and leaves, and sums named by their terms."""

from typing import Any

import numpy as np
import pytest

from espalier.data import make_dataset, samples
from espalier.display.oblique_sums import tree_of_sums
from espalier.display.text.splits import oblique_condition
from espalier.display.text.trees import condition
from espalier.learners import ObliqueClassifier, ObliqueRegressor
from espalier.predict import leaves
from espalier.tree.rules import bounds


def with_gaps(name):
    data = samples.load(name)
    X = np.where(np.random.default_rng(0).random(data.X.shape) < 0.1, np.nan, data.X)
    return make_dataset(name, X, data.features, data.y, data.target)


def fitted(data, **settings) -> Any:
    learner: Any = ObliqueClassifier if data.is_classification else ObliqueRegressor
    model = learner(categorical_features=data.categorical, max_depth=4, **settings)
    return model.fit(data.X, data.y).tree_


@pytest.mark.parametrize("name", ["iris", "diabetes", "monks-1"])
def test_every_row_is_in_the_same_leaf_also_where_values_are_missing(name):
    data = with_gaps(name)
    oblique = fitted(data)
    found = tree_of_sums(oblique, data)
    assert (leaves(found.tree, found.dataset.X) == leaves(oblique, data.X)).all()
    for array in ("threshold", "left", "right", "value", "impurity", "weight"):
        assert np.array_equal(getattr(found.tree, array), getattr(oblique, array), equal_nan=True)


def test_conditions_read_as_those_of_the_oblique_tree():
    iris = samples.load("iris")
    oblique = fitted(iris)
    found = tree_of_sums(oblique, iris)
    assert oblique.is_slanted.any()
    for node in np.flatnonzero(oblique.left != -1).tolist():
        expected = oblique_condition(oblique, iris.features, node)
        assert condition(found.tree, found.dataset.features, node) == expected
        assert bounds(found.tree, node + 1)


def test_a_tree_that_weighs_nothing_needs_no_other_features_and_the_same_sums_make_the_same_digest():
    iris = samples.load("iris")
    assert tree_of_sums(fitted(iris, max_terms=1), iris).dataset is iris
    two, three = fitted(iris, max_terms=2), fitted(iris, max_terms=3)
    digests = [tree_of_sums(tree, iris).dataset.digest for tree in (two, two, three)]
    assert digests[0] == digests[1] != digests[2]
    assert iris.digest not in digests

"""What trees of both kinds and forests predict, and how much of a sample is in a node."""

import numpy as np
import pytest

from espalier import predict
from espalier.data import samples
from espalier.kernels.gate import fractions_of, reach
from espalier.learners import (
    BaggedForestClassifier,
    CartClassifier,
    CultivatedClassifier,
    CultivatedForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from espalier.trees import is_leaf, make_forest, softened
from tests.tools.by_hand import admission


@pytest.fixture(scope="module")
def grown():
    data = samples.load("wine")
    cart = CartClassifier(max_depth=4).fit(data.X, data.y).tree_
    return data, cart, CultivatedClassifier(max_depth=5).fit(data.X, data.y).tree_


def test_fractions_in_a_node_are_those_that_reach_it(grown):
    data, cart, tree = grown
    start, rows, fraction = reach(tree, data.X)
    for node in range(tree.n_nodes):
        expected = np.zeros(len(data.y))
        expected[rows[start[node] : start[node + 1]]] = fraction[start[node] : start[node + 1]]
        np.testing.assert_array_equal(predict.fractions_in(tree, data.X, node), expected)
    for node in range(cart.n_nodes):
        same = predict.fractions_in(softened(cart), data.X, node)
        np.testing.assert_array_equal(predict.fractions_in(cart, data.X, node), same)


def test_fractions_do_not_depend_on_how_many_rows_are_held_together(grown, monkeypatch):
    data, _, tree = grown
    whole_table = predict.fractions_in(tree, data.X, 2)
    monkeypatch.setattr(predict, "CHUNK", 7)
    np.testing.assert_array_equal(predict.fractions_in(tree, data.X, 2), whole_table)


def test_a_softened_tree_predicts_the_same_without_any_spread(grown):
    data, cart, tree = grown
    soft = softened(cart)
    np.testing.assert_allclose(predict.shares(soft, data.X), predict.shares(cart, data.X), atol=1e-12)
    assert (predict.classes(soft, data.X) == predict.classes(cart, data.X)).all()
    assert not predict.spreads(cart, data.X).any()
    np.testing.assert_allclose(predict.spreads(soft, data.X), 0, atol=1e-9)
    assert predict.spreads(tree, data.X).max() > 0.1


def test_the_leaf_of_a_softened_tree_is_the_leaf_of_the_tree(grown):
    data, cart, _ = grown
    leaf, said = predict.leaves_and_shares(cart, data.X)
    np.testing.assert_array_equal(predict.leaves(softened(cart), data.X), leaf)
    np.testing.assert_array_equal(predict.leaves(cart, data.X), leaf)
    np.testing.assert_array_equal(said, cart.value[leaf])


def test_the_leaf_of_a_cultivated_tree_has_the_largest_fraction(grown):
    data, _, tree = grown
    expected = [np.where(is_leaf(tree), fractions_of(tree, x), 0.0).argmax() for x in data.X]
    leaf, said = predict.leaves_and_shares(tree, data.X)
    assert leaf.tolist() == predict.leaves(tree, data.X).tolist() == expected
    np.testing.assert_allclose(said, predict.shares(tree, data.X), atol=1e-12)


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(n_estimators=9, random_state=0),
        BaggedForestClassifier(CultivatedClassifier(max_depth=2), 4, random_state=0),
    ],
)
def test_a_forest_of_classes_predicts_as_its_estimator_and_as_the_votes_of_its_trees(grown, estimator):
    data, *_ = grown
    forest = estimator.fit(data.X, data.y).forest_
    np.testing.assert_allclose(predict.shares(forest, data.X), estimator.predict_proba(data.X), atol=1e-12)
    np.testing.assert_array_equal(predict.classes(forest, data.X), estimator.predict(data.X))
    np.testing.assert_array_equal(predict.predictions(forest, data.X), estimator.predict(data.X))
    together = np.einsum("t,tik->ik", forest.weight, predict.votes(forest, data.X))
    np.testing.assert_allclose(together, predict.shares(forest, data.X), atol=1e-12)
    each = predict.shares_by_tree(forest, data.X).argmax(axis=2)
    for tree, chosen in zip(forest.trees, each, strict=True):
        np.testing.assert_array_equal(predict.classes(tree, data.X), chosen)


@pytest.mark.parametrize("kind", [RandomForestRegressor, CultivatedForestRegressor])
def test_a_forest_of_numbers_predicts_as_its_estimator(kind):
    data = samples.load("sine")
    estimator = kind(n_estimators=3, random_state=0).fit(data.X, data.y)
    np.testing.assert_allclose(predict.predictions(estimator.forest_, data.X), estimator.predict(data.X))
    assert (predict.packed(estimator.forest_) is None) == (kind is CultivatedForestRegressor)


def test_a_tie_in_a_forest_goes_to_the_class_that_is_most_frequent_in_training():
    tree = admission()
    tied = tree._replace(value=np.full_like(tree.value, 0.5))
    row = np.zeros((1, 2))
    assert predict.classes(tied, row).tolist() == [0]
    assert predict.classes(make_forest((tied,), [1.0], "mean", [0.3, 0.7]), row).tolist() == [1]

"""What trees of both kinds predict, and how much of a sample is in a node."""

import numpy as np
import pytest

from espalier.analysis import prediction
from espalier.data import samples
from espalier.kernels.gate import reach
from espalier.learners import CartClassifier, CultivatedClassifier
from espalier.trees import softened


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
        np.testing.assert_array_equal(prediction.fractions_in(tree, data.X, node), expected)
    for node in range(cart.n_nodes):
        same = prediction.fractions_in(softened(cart), data.X, node)
        np.testing.assert_array_equal(prediction.fractions_in(cart, data.X, node), same)


def test_fractions_do_not_depend_on_how_many_rows_are_held_together(grown, monkeypatch):
    data, _, tree = grown
    whole_table = prediction.fractions_in(tree, data.X, 2)
    monkeypatch.setattr(prediction, "CHUNK", 7)
    np.testing.assert_array_equal(prediction.fractions_in(tree, data.X, 2), whole_table)


def test_a_softened_tree_predicts_the_same_without_any_spread(grown):
    data, cart, tree = grown
    soft = softened(cart)
    np.testing.assert_allclose(prediction.shares(soft, data.X), prediction.shares(cart, data.X), atol=1e-12)
    assert (prediction.classes(soft, data.X) == prediction.classes(cart, data.X)).all()
    assert not prediction.spreads(cart, data.X).any()
    np.testing.assert_allclose(prediction.spreads(soft, data.X), 0, atol=1e-9)
    assert prediction.spreads(tree, data.X).max() > 0.1

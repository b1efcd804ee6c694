"""The way to a node is a filter that takes the rows of the node, and no others."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.analysis.tree.nodes import rows_in
from espalier.analysis.tree.paths import filter_of_node
from espalier.data import Feature, make_dataset, samples
from espalier.data.rows.filters import filter_of
from espalier.data.rows.subset import mask_of
from espalier.learners import catalogue
from espalier.learners.catalogue import CommonTerms, Model
from tests.tools import random_trees

N_ROWS = 120


@st.composite
def routed(draw):
    found = draw(random_trees.features())
    features = tuple(one._replace(name=f"{one.name} {i}") for i, one in enumerate(found))
    tree = draw(random_trees.trees(features, Feature("y", "category", ("a", "b"))))
    return tree, features, draw(random_trees.samples(features, tree))


@settings(deadline=None, max_examples=100)
@given(routed())
def test_the_way_to_every_node_of_any_tree_takes_its_rows(case):
    tree, features, X = case
    data = make_dataset("made", X, features, np.arange(len(X)) % 2, Feature("class", "category", ("a", "b")))
    for node in range(tree.n_nodes):
        taken = mask_of(data, filter_of(filter_of_node(tree, node, features).text))
        assert np.array_equal(taken, rows_in(tree, X, node))


def with_gaps(name):
    """Rows of a sample, a tenth of whose values are missing."""
    whole, rng = samples.load(name), np.random.default_rng(1)
    rows = rng.permutation(len(whole.y))[:N_ROWS]
    X = whole.X[rows].copy()
    X[rng.random(X.shape) < 0.1] = np.nan
    return make_dataset("gaps", X, whole.features, whole.y[rows], whole.target)


CASES = [
    (kind.name, name)
    for kind in catalogue.KINDS
    for name in ("tic-tac-toe", "iris", "diabetes")
    if kind.is_tree
    and kind.name != "cultivated"
    and samples.load(name).is_classification in kind.serves
    and not kind.beyond_boxes
]


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_the_way_to_every_node_of_every_learner_with_boxes_takes_its_rows(kind, name):
    data = with_gaps(name)
    tree = Model(kind).make(CommonTerms.of(data)).fit(data.X, data.y).tree_
    for node in range(tree.n_nodes):
        taken = mask_of(data, filter_of_node(tree, node, data.features))
        assert np.array_equal(taken, rows_in(tree, data.X, node))

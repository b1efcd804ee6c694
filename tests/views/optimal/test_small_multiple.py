"""A small multiple: what differs from the tree shown has a sign in the drawing and the same sign in words."""

import numpy as np
import pytest

from espalier.data import samples
from espalier.learners.optimal import OptimalClassifier, trees_as_good
from espalier.trees import LEAF
from espalier.views.optimal.small_multiple import (
    Mark,
    TreeNames,
    mark_words,
    marks,
    multiple_alt,
    multiple_tree,
)

IRIS = samples.load("iris")
NAMES = TreeNames(IRIS.features, IRIS.target)


@pytest.fixture(scope="module")
def trees():
    model = OptimalClassifier(max_depth=2, max_thresholds=10).fit(IRIS.X, IRIS.y)
    return trees_as_good(model, model.prepare(IRIS.X, IRIS.y), slack=2)


def test_a_tree_has_no_mark_beside_itself(trees):
    best = trees.near(0).tree
    assert marks(best, best, IRIS.X, NAMES) == []
    assert mark_words([]) == ["as the tree shown"]
    assert multiple_alt(best, [], NAMES).endswith("It differs from the tree shown in: nothing")


def test_a_threshold_that_sends_every_row_the_same_way_is_no_difference(trees):
    best = trees.near(0).tree
    split = int(np.flatnonzero(best.feature != LEAF)[0])
    near = best._replace(threshold=best.threshold + np.where(np.arange(best.n_nodes) == split, 1e-6, 0))
    assert marks(best, near, IRIS.X, NAMES) == []


def test_a_threshold_that_moves_rows_has_a_triangle_and_is_named(trees):
    best = trees.near(0).tree
    moved = best._replace(threshold=best.threshold + np.where(best.feature == best.feature[0], 0.5, 0))
    signs = [one.sign for one in marks(best, moved, IRIS.X, NAMES)]
    assert "Δ" in signs
    assert f">{signs[0]}<" in multiple_tree(moved, marks(best, moved, IRIS.X, NAMES), IRIS.target, False)


def test_every_tree_as_good_has_a_sign_in_the_drawing_for_each_mark_that_has_a_place(trees):
    best = trees.near(0).tree
    for number in range(0, trees.n_trees, 7):
        tree = trees.near(number).tree
        found = marks(best, tree, IRIS.X, NAMES)
        drawn, words = multiple_tree(tree, found, IRIS.target, True), multiple_alt(tree, found, NAMES)
        for sign in "Δ≠+−":
            assert drawn.count(f">{sign}<") == sum(one.sign == sign and one.node >= 0 for one in found)
        assert all(f"{one.sign} {one.words}" in words for one in found)
        assert all(0 <= one.node < tree.n_nodes for one in found)


def test_trees_without_a_mark_answer_alike(trees):
    best = trees.near(0).tree
    for number in range(trees.n_trees):
        tree = trees.near(number).tree
        if not marks(best, tree, IRIS.X, NAMES):
            assert tree.feature.tolist() == best.feature.tolist()
            assert tree.value.argmax(axis=1).tolist() == best.value.argmax(axis=1).tolist()


def test_of_many_marks_the_first_are_said_and_the_others_counted():
    many = [Mark(node, "≠", f"q{node}") for node in range(6)]
    assert mark_words(many) == ["≠ q0", "≠ q1", "≠ q2", "and 3 more"]
    assert mark_words(many[:4]) == ["≠ q0", "≠ q1", "≠ q2", "≠ q3"]

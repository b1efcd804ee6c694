"""FileNodes in any order become trees in preorder, or are refused."""

import numpy as np
import pytest

from espalier.language import Refusal
from espalier.learners.imports.nodes import FileNodes, trees_of
from espalier.tree_checks import check_tree

NAN = np.nan


def nodes(left, right, value, **more):
    n = len(left)
    feature = np.zeros(n, np.int64)
    threshold = np.arange(n, dtype=float)
    value = np.array(value, float)[:, None]
    return FileNodes(feature, threshold, np.array(left), np.array(right), np.zeros(n, bool), value, **more)


def test_nodes_of_two_trees_in_any_order_stand_in_preorder():
    #  the leaves first, then two roots: 4 has the leaves 1 and 3, whose split 3 has the leaves 0 and 2
    several = nodes([-1, -1, -1, 0, 1, -1], [-1, -1, -1, 2, 3, -1], [1, 2, 4, NAN, NAN, 9])
    first, second = trees_of(several, np.array([4, 5]), 1)
    check_tree(first)
    assert first.left.tolist() == [1, -1, 3, -1, -1]
    assert first.threshold[[0, 2]].tolist() == [4.0, 3.0]
    assert first.value[:, 0].tolist() == [7 / 3, 2, 2.5, 1, 4]
    assert second.value.tolist() == [[9.0]]


def test_a_node_with_two_parents_is_there_twice():
    tree = trees_of(nodes([1, 2, -1, -1], [2, 3, -1, -1], [NAN, NAN, 5, 7]), np.array([0]), 1)[0]
    assert tree.value[tree.left == -1, 0].tolist() == [5, 7, 5]
    assert tree.n_samples.tolist() == [3, 2, 1, 1, 1]


def test_gains_become_impurity_so_that_a_split_decreases_it_by_its_gain():
    gain = np.array([6.0, 4.0, 0, 0, 0])
    one = nodes([1, 2, -1, -1, -1], [4, 3, -1, -1, -1], [0] * 5, gain=gain, n_samples=np.array([8, 4, 2, 2, 4]))
    tree = trees_of(one, np.array([0]), 1)[0]
    amount = tree.weight * tree.impurity
    assert amount[0] - amount[1] - amount[4] == 6.0
    assert amount[1] - amount[2] - amount[3] == 4.0


@pytest.mark.parametrize(
    ("left", "right"),
    [([0], [0]), ([1, 0], [1, 0]), ([1, 7], [1, 7]), ([-2], [-2])],
    ids=["self", "circle", "far", "before"],
)
def test_nodes_that_make_no_tree_are_refused(left, right):
    with pytest.raises(Refusal, match="damaged"):
        trees_of(nodes(left, right, [0.0] * len(left)), np.array([0]), 1)


def test_a_question_about_a_column_that_is_not_there_is_refused():
    with pytest.raises(Refusal, match="column"):
        trees_of(nodes([1, -1, -1], [2, -1, -1], [0, 0, 0]), np.array([0]), 0)

"""How closely a tree follows a model: both measures by hand, the tree cut off at each depth, and where to stop."""

import math

import numpy as np
import pytest

from espalier.analysis.approximation.fidelity import (
    Fidelity,
    FidelityLevel,
    OfClass,
    by_class,
    by_depth,
    cut,
    enough,
    fidelity,
    r2,
)
from tests.tools.by_hand import admission

MODEL = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.4, 0.6]])
TREE = np.array([[0.7, 0.3], [0.4, 0.6], [0.2, 0.8], [0.4, 0.6]])


def level(depth, distance):
    return FidelityLevel(depth, 2**depth, Fidelity(100, distance, 0.0))


def test_of_two_classes_the_distance_is_the_difference_of_either_share():
    found = fidelity(MODEL, TREE, True)
    assert found.n_samples == 4
    assert found.distance == pytest.approx((0.2 + 0.2 + 0 + 0) / 4)
    assert found.distance == pytest.approx(np.abs(MODEL[:, 1] - TREE[:, 1]).mean())
    assert found.agreement == 3 / 4


def test_of_several_classes_the_distance_is_one_where_all_is_said_of_another_class():
    sure = np.eye(3)
    assert fidelity(sure, sure[[1, 2, 0]], True) == (3, 1.0, 0.0)
    assert fidelity(sure, sure, True) == (3, 0.0, 1.0)


def test_numbers_are_held_against_each_other_by_their_difference_and_r2():
    said, told = np.array([[1.0], [2.0], [6.0]]), np.array([[2.0], [2.0], [5.0]])
    found = fidelity(said, told, False)
    assert found.distance == pytest.approx(2 / 3)
    assert found.agreement == pytest.approx(1 - 2 / (4 + 1 + 9))


def test_of_no_rows_and_of_a_model_that_always_says_the_same_there_is_nothing_to_say():
    nothing = fidelity(np.empty((0, 2)), np.empty((0, 2)), True)
    assert nothing.n_samples == 0
    assert math.isnan(nothing.distance)
    assert math.isnan(nothing.agreement)
    assert math.isnan(r2(np.ones(3), np.ones(3)))


def test_a_tree_that_is_cut_off_answers_as_its_nodes_do():
    whole = admission()
    assert [cut(whole, depth).n_leaves for depth in range(4)] == [1, 2, 3, 3]
    assert cut(whole, 0).value.tolist() == [[0.6, 0.4]]
    assert cut(whole, 1).value[2].tolist() == whole.value[2].tolist()


def test_fidelity_by_depth_is_that_of_the_tree_cut_off_there():
    X = np.array([[2.0, 70], [3.5, 60], [3.5, 70], [4.0, 80]])
    said = np.array([[0.9, 0.1], [0.7, 0.3], [0.1, 0.9], [0.0, 1.0]])
    levels = by_depth(admission(), X, said, True)
    assert [one.depth for one in levels] == [0, 1, 2]
    assert [one.n_leaves for one in levels] == [1, 2, 3]
    assert [one.fidelity.agreement for one in levels] == [0.5, 0.75, 1.0]  # 6 of 10 rejected; by gpa; by both
    assert levels[0].fidelity.distance == pytest.approx(np.abs(said[:, 0] - 0.6).mean())
    assert levels[2].fidelity.distance == pytest.approx((0.1 + 0.3 + 0.1 + 0) / 4)


@pytest.mark.parametrize(
    ("distances", "depth"),
    [
        ([0.5, 0.2, 0.1, 0.095], 2),  # 0.005 is 1 % of 0.5
        ([0.5, 0.2, 0.1, 0.08], 3),
        ([0.5, 0.2, 0.194, 0.190, 0.188], 2),  # each takes 1 % away, all from depth 1 on more than 2 %
        ([0.5, 0.3, 0.4, 0.31], 1),  # what is lost on the way down does not come back
        ([0.0], 0),
        ([0.5, 0.5, 0.1], 2),  # a level may only pay later
    ],
)
def test_it_is_enough_where_all_deeper_levels_together_take_little_away(distances, depth):
    assert enough([level(d, distance) for d, distance in enumerate(distances)]) == depth


def test_agreement_is_counted_by_the_class_that_the_model_says():
    found = by_class(np.column_stack([MODEL, np.zeros(4)]), np.column_stack([TREE, np.zeros(4)]))
    assert found[:2] == [OfClass(2, 0.5), OfClass(2, 1.0)]
    assert found[2].n_samples == 0
    assert math.isnan(found[2].agreement)

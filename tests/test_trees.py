"""The Tree record: its laws, and what becomes of it."""

import copy
import pickle

import numpy as np
import pytest

from espalier.kernels.route import leaf_of, path_of
from espalier.trees import check_tree, depths, parents, path_to, prune_to, subtree_end
from tests.tools.by_hand import admission, colours


def test_the_tree_of_the_slides_sends_applicants_where_its_words_say():
    applicants = np.array([[2.9, 100], [3.0, 100], [3.1, 64], [3.1, 65]])
    assert leaf_of(admission(), applicants).tolist() == [1, 1, 3, 4]


def test_categories_in_the_mask_go_left_and_others_right():
    assert leaf_of(colours(), np.array([[0.0], [1.0], [2.0], [3.0]])).tolist() == [1, 2, 1, 2]


@pytest.mark.parametrize("value", [np.nan, -1.0, 64.0, 1e9])
def test_what_is_no_category_goes_where_missing_goes(value):
    assert leaf_of(colours(), np.array([[value]])).tolist() == [1]


def test_a_path_leads_from_the_root_to_the_leaf():
    assert path_of(admission(), np.array([3.1, 70])) == [0, 2, 4]
    assert path_to(admission(), 4) == [0, 2, 4]


def test_depths_and_parents_follow_the_children():
    assert depths(admission()).tolist() == [0, 1, 1, 2, 2]
    assert parents(admission()).tolist() == [-1, 0, 0, 2, 2]
    assert (admission().depth, admission().n_leaves, admission().n_nodes) == (2, 3, 5)


def test_a_subtree_is_a_slice():
    assert [subtree_end(admission(), node) for node in range(5)] == [5, 2, 5, 4, 5]


def test_pruning_a_split_makes_it_a_leaf_and_keeps_preorder():
    pruned = prune_to(admission(), np.array([True, False, False, False, False]))
    check_tree(pruned)
    assert pruned.feature.tolist() == [0, -1, -1]
    assert pruned.value[2].tolist() == admission().value[2].tolist()


def test_pruning_nothing_changes_nothing():
    again = prune_to(admission(), np.ones(5, dtype=bool))
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(again, admission(), strict=True))


@pytest.mark.parametrize("copied", [lambda t: pickle.loads(pickle.dumps(t)), copy.deepcopy])
def test_a_copied_tree_still_cannot_be_written(copied):
    with pytest.raises(ValueError, match="read-only"):
        copied(admission()).threshold[0] = 1.0


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("left", [2, -1, 3, -1, -1], "children of node 0"),
        ("right", [2, -1, 9, -1, -1], "children of node 2"),
        ("right", [4, -1, 4, -1, -1], "node 2"),
        ("threshold", [3.0, 1.0, 64.5, np.nan, np.nan], "leaf 1"),
        ("threshold", [np.nan, np.nan, 64.5, np.nan, np.nan], "node 0 needs"),
        ("weight", [1.0], "weight has 1 entries"),
    ],
)
def test_arrays_that_make_no_tree_are_refused_with_the_place(field, value, says):
    broken = admission()._replace(**{field: np.array(value)})
    with pytest.raises(ValueError, match=says):
        check_tree(broken)


def test_hand_made_trees_are_trees():
    check_tree(admission())
    check_tree(colours())

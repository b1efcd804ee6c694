"""Trees that are the same within neighbourhoods, or as functions: by hand, naively, and by law."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.analysis.stability.equality import ancestors, as_functions, ends_of, within_neighbourhoods
from espalier.analysis.stability.structures import structures
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier, CultivatedRegressor
from espalier.predict import shares
from espalier.trees import depths, make_cultivated, prune_to, softened
from tests.analysis.stability.test_structures import grown
from tests.tools.by_hand import admission, colours, neighbourhoods


def hesitating(cut, low, high, feature=0):
    """A stump whose one decision has a neighbourhood of three cuts."""
    nodes = ([1, -1, -1], [2, -1, -1], [4, 2, 2], [4, 2, 2], [[0.5, 0.5], [1, 0], [0, 1]], [0.5, 0, 0])
    decisions = ([0, 1, 1, 1], [feature], [cut], [False], [1.0], [0.5], [0.1])
    return make_cultivated(*nodes, decisions, ([0, 3], [low, cut, high], [1.0, 1.0, 1.0]))


def test_two_cuts_are_the_same_if_each_is_in_the_others_neighbourhood():
    wide, inside, narrow, other = (
        hesitating(2, 0, 4), hesitating(3, 1, 5), hesitating(3.5, 3.2, 3.9), hesitating(2, 0, 4, feature=1),
    )  # fmt: skip
    assert within_neighbourhoods([wide, inside], 1).n_structures.tolist() == [1]
    assert within_neighbourhoods([wide, narrow], 1).n_structures.tolist() == [2]  # 2 is not among 3.2 to 3.9
    assert within_neighbourhoods([wide, other], 1).n_structures.tolist() == [2]


def test_the_one_in_the_middle_takes_both_that_are_not_near_to_each_other():
    trees = [hesitating(0, -1.5, 1.5), hesitating(1, -0.5, 2.5), hesitating(2, 0.5, 3.5)]
    assert within_neighbourhoods(trees, 1).label.tolist() == [[0, 0, 0]]
    assert within_neighbourhoods([trees[0], trees[2]], 1).n_structures.tolist() == [2]


def test_the_order_of_the_trees_means_nothing():
    rng = np.random.default_rng(0)
    cuts = rng.integers(0, 9, 30)
    trees = [hesitating(cut, cut - rng.integers(1, 3), cut + rng.integers(1, 3)) for cut in cuts]
    label, order = within_neighbourhoods(trees, 1).label[0], rng.permutation(30)
    again = within_neighbourhoods([trees[i] for i in order], 1).label[0]
    assert len({*zip(label[order], again, strict=True)}) == label.max() + 1 == again.max() + 1


def test_without_neighbourhoods_it_is_the_exact_comparison():
    trees = [grown({"": (0, t, 0), "l": (1, u, 0)}) for t in (1.0, 2.0) for u in (1.0, 3.0, 3.0)]
    exact, near = structures(trees, 3), within_neighbourhoods(trees, 3)
    np.testing.assert_array_equal(exact.n_structures, near.n_structures)
    np.testing.assert_array_equal(exact.n_structures, [2, 4, 4])
    np.testing.assert_array_equal(within_neighbourhoods(list(map(softened, trees)), 3).label, near.label)
    assert within_neighbourhoods([colours(), softened(colours())], 4).n_structures.max() == 1


def test_the_ends_are_those_of_a_nodes_first_decision():
    tree = neighbourhoods()
    low, high = ends_of(tree)
    for node in np.flatnonzero(tree.left >= 0):
        first = tree.decisions.start[node]
        cuts = tree.cuts.value[tree.cuts.start[first] : tree.cuts.start[first + 1]]
        assert (low[node], high[node]) == (cuts.min(), cuts.max())
    assert np.isnan(low[tree.left < 0]).all()


# ---- functions


def classes_of_cut_off(tree, depth, X):
    return tuple(shares(prune_to(tree, depths(tree) < depth), X).argmax(axis=1))


@settings(max_examples=15)
@given(st.integers(0, 2**31), st.sampled_from([CartClassifier, CultivatedClassifier]))
def test_trees_are_one_function_just_where_they_say_the_same_everywhere(seed, make):
    rng = np.random.default_rng(seed)
    X, asked = rng.integers(0, 3, (30, 2)).astype(float), rng.integers(0, 3, (4, 2)).astype(float)
    trees = [make(max_depth=3).fit(X, [0, 1] * 15, rng.integers(1, 9, 30)).tree_ for _ in range(8)]
    same = as_functions(trees, 3, asked)
    for depth in (1, 2, 3):
        said = [classes_of_cut_off(tree, depth, asked) for tree in trees]
        counted = sorted((said.count(one) for one in set(said)), reverse=True)
        assert counted == np.bincount(same.label[depth - 1]).tolist()
        assert len({*zip(said, same.label[depth - 1], strict=True)}) == len(counted)


def test_one_function_may_be_written_as_two_trees():
    X = np.array([[x, z] for x in (0.0, 1.0) for z in (0.0, 1.0)])
    y = (X == 1).all(axis=1)
    tree = CartClassifier(max_depth=2).fit(X, y).tree_
    mirrored = tree._replace(feature=np.where(tree.feature < 0, -1, 1 - tree.feature).astype(np.int32))
    assert structures([tree, mirrored], 2).n_structures.tolist() == [2, 2]
    assert as_functions([tree, mirrored], 2, X).n_structures.tolist() == [1, 1]  # at depth 1 both say no


def test_trees_of_numbers_are_one_if_they_part_the_rows_alike():
    X = np.arange(8.0)[:, None]
    trees = [CartRegressor(max_depth=1).fit(X, y).tree_ for y in (X[:, 0] > 3, 5 * (X[:, 0] > 3), X[:, 0] > 5)]
    assert as_functions(trees, 1, X).label.tolist() == [[0, 0, 1]]
    assert as_functions(trees, 1, X[[0, 7]]).label.tolist() == [[0, 0, 0]]


def test_cultivated_trees_of_numbers_must_say_the_same():
    X = np.arange(20.0)[:, None]
    trees = [
        CultivatedRegressor(max_depth=1).fit(X, y).tree_ for y in (X[:, 0] > 9, X[:, 0] > 9, 2 * (X[:, 0] > 9))
    ]
    assert as_functions(trees, 1, X).label.tolist() == [[0, 0, 1]]


@pytest.mark.parametrize("tree", [admission(), colours()])
def test_a_node_is_cut_off_at_the_deepest_node_above_it_that_is_left(tree):
    depth, above = depths(tree), ancestors(tree, 3)
    for most in (1, 2, 3):
        assert (depth[above[most - 1]] == np.minimum(depth, most)).all()
        assert (above[most - 1] <= np.arange(tree.n_nodes)).all()


def test_what_cannot_be_compared_is_named():
    with pytest.raises(ValueError, match="no trees"):
        within_neighbourhoods([], 1)
    with pytest.raises(ValueError, match="max_depth is 0"):
        as_functions([admission()], 0, np.zeros((1, 3)))
    with pytest.raises(ValueError, match="no rows"):
        as_functions([admission()], 1, np.zeros((0, 3)))

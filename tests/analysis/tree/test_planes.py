"""How much of a tree's answers a plane shows, by hand and by laws."""

import numpy as np
import pytest

from espalier.analysis.tree.planes import best_plane, share_shown
from espalier.learners import CartClassifier, CartRegressor

RNG = np.random.default_rng(3)
X = RNG.normal(size=(300, 4))


def test_the_plane_of_all_that_the_tree_asks_shows_everything():
    tree = CartClassifier(max_depth=4).fit(X[:, [0, 2]], X[:, 0] * X[:, 2] > 0).tree_
    assert share_shown(tree, X[:, [0, 2]], (0, 1)) == pytest.approx(1.0)


def test_a_plane_of_features_that_the_tree_does_not_ask_shows_nothing():
    tree = CartClassifier(max_depth=1).fit(X, X[:, 1] > 0).tree_
    assert share_shown(tree, X, (0, 3)) == pytest.approx(0.0)


def test_one_of_two_features_that_are_added_up_shows_its_own_part_of_the_variance():
    # Over a full grid the answer is a + 2 b, with variances 1 and 4: the parts are 1/5 and 4/5.
    grid = np.array([[a, b] for a in (-1.0, 1.0) for b in (-1.0, 1.0)])
    tree = CartRegressor(max_depth=2).fit(grid, grid[:, 0] + 2 * grid[:, 1]).tree_
    assert share_shown(tree, grid, (0,)) == pytest.approx(0.2)
    assert share_shown(tree, grid, (1,)) == pytest.approx(0.8)


def test_the_plane_proposed_is_that_of_the_features_that_act_together():
    tree = CartRegressor(max_depth=5).fit(X, np.sign(X[:, 1] * X[:, 3]) + 0.1 * X[:, 0]).tree_
    assert best_plane(tree, X, [0, 1, 2, 3]) == (1, 3)


def test_of_planes_that_show_the_same_the_first_is_proposed_in_the_order_of_the_table():
    tree = CartClassifier(max_depth=1).fit(X, X[:, 3] > 0).tree_
    assert best_plane(tree, X, [3, 1, 0, 2]) == (1, 3)


def test_a_single_feature_is_a_plane_of_its_own():
    tree = CartClassifier(max_depth=1).fit(X[:, :1], X[:, 0] > 0).tree_
    assert best_plane(tree, X[:, :1], [0]) == (0,)

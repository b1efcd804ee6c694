"""The distance of trees by their paths: by hand, against every matching, and laws."""

import itertools

import numpy as np
import pytest

from espalier.analysis.stability.path_distance import Ranges, matched, path_distance, paths_of, ranges_of
from espalier.data import samples
from espalier.learners import CartClassifier, CartRegressor
from tests.tools.cases import case

PLAIN = Ranges(np.array([0.0, 0.0]), np.array([10.0, 4.0]), np.array([0, 0]), 0.0)
IRIS = samples.load("iris")


def stump(threshold, feature=0, classes=(0, 1)):
    X = np.zeros((4, 2))
    X[:, feature] = [threshold - 1, threshold - 1, threshold + 1, threshold + 1]
    return CartClassifier(max_depth=1).fit(X, np.repeat(classes, 2)).tree_


def apart(a, b, ranges=PLAIN) -> float:
    return path_distance(paths_of(a, ranges), paths_of(b, ranges), ranges)


def test_a_threshold_that_moves_counts_half_of_how_far_it_moves_on_both_sides():
    # (2 of 10) / 2 for the path on the left, as much for that on the right; 2 paths, 2 * depth + 1 = 3
    assert apart(stump(3.0), stump(5.0)) == pytest.approx((0.1 + 0.1) / (2 * 3))


def test_another_column_counts_the_ends_of_both_boxes():
    # left: 0..3 against 0..10 of the first column, 0..4 against 0..1 of the second; right alike
    left, right = 7 / 10 / 2 + 3 / 4 / 2, 3 / 10 / 2 + 1 / 4 / 2
    assert apart(stump(3.0), stump(1.0, feature=1)) == pytest.approx((left + right) / (2 * 3))


def test_paths_are_matched_across_where_that_is_nearer_than_another_answer():
    # same cut, answers exchanged: either the answers differ (1 each), or boxes of the other side (1/2 each)
    one, other = stump(5.0), stump(5.0)
    other = other._replace(value=other.value[[0, 2, 1]])
    assert apart(one, other) == pytest.approx((0.5 + 0.5) / (2 * 3))


def test_a_category_counts_by_the_share_of_categories_that_only_one_box_admits():
    X = np.repeat([[0.0], [1.0], [2.0], [3.0]], 2, axis=0)
    model = CartClassifier(max_depth=1, categorical_features=[0])
    one, other = (model.fit(X, np.repeat(y, 2)).tree_ for y in ([0, 0, 1, 1], [0, 1, 1, 1]))
    ranges = Ranges(np.zeros(1), np.zeros(1), np.array([4]), 0.0)
    assert apart(one, other, ranges) == pytest.approx((0.25 + 0.25) / (2 * 3))


def test_numbers_count_in_parts_of_the_range_of_the_target():
    X, ranges = np.array([[0.0], [0.0], [2.0], [2.0]]), Ranges(np.zeros(1), np.full(1, 2.0), np.array([0]), 10.0)
    targets = ([0.0, 0.0, 10.0, 10.0], [2.0, 2.0, 10.0, 10.0])
    one, other = (CartRegressor(max_depth=1).fit(X, y).tree_ for y in targets)
    assert apart(one, other, ranges) == pytest.approx(0.2 / (2 * 3))


def test_the_matching_is_the_best_of_all():
    for seed in range(8):
        with case(seed):
            source = np.random.default_rng(seed)
            n, m = source.integers(1, 6), source.integers(1, 4)
            cost = source.random((n, m))
            more = cost if n >= m else cost.T
            ways = itertools.product(range(more.shape[1]), repeat=more.shape[0])
            least = min(
                sum(more[i, j] for i, j in enumerate(way)) for way in ways if len(set(way)) == more.shape[1]
            )
            assert matched(cost) == pytest.approx(least)


def test_distances_are_those_of_a_metric():
    ranges, source = ranges_of(IRIS), np.random.default_rng(0)
    trees = []
    for depth in (1, 2, 3):
        rows = source.integers(0, 150, 150)
        trees.append(CartClassifier(max_depth=depth).fit(IRIS.X[rows], IRIS.y[rows]).tree_)
    for one, other in itertools.product(trees, repeat=2):
        assert (apart(one, other, ranges) == 0) == (one is other)
        assert apart(one, other, ranges) == pytest.approx(apart(other, one, ranges))
        assert apart(one, other, ranges) < 1


def test_classes_that_a_tree_has_not_seen_keep_their_numbers():
    tree = stump(3.0)
    both = (paths_of(tree, PLAIN), paths_of(tree, PLAIN, np.array([0, 2])))
    assert path_distance(*both, PLAIN) > 0
    assert both[1].answer.tolist() == [0, 2]

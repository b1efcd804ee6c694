"""Features and thresholds that trees choose, and what neighbourhoods cover: by hand and by law."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.analysis.stability.replicates import Plan, replicate
from espalier.analysis.stability.resampling import Redraw
from espalier.analysis.stability.split_choices import (
    away,
    covered,
    neighbourhoods,
    reach,
    split_choices,
    tolerances,
    widths,
    windows,
)
from espalier.data.dataset import Feature, make_dataset
from espalier.learners import CartClassifier, CultivatedClassifier
from espalier.trees import depths, softened
from tests.analysis.stability.test_structures import grown
from tests.tools.by_hand import admission, colours


def table(n=200):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=n), rng.normal(size=n), rng.integers(0, 3, n)])
    y = X[:, 0] + rng.normal(scale=0.5, size=n) > 0.3
    features = [Feature("a"), Feature("b"), Feature("c", "category", ("r", "g", "b"))]
    return make_dataset("t", X, features, y, Feature("y", "category", ("no", "yes")))


def test_choices_by_hand():
    one = grown({"": (2, 1.5, 0), "l": (0, 4.0, 0), "r": (0, 5.0, 0), "rl": (1, np.nan, 3)})
    other = grown({"": (2, 2.5, 0), "r": (1, 7.0, 0)})
    choices = split_choices([one, other])
    assert choices.splits(3).tolist() == [[0, 0, 2], [2, 1, 0], [0, 1, 0]]
    assert choices.trees(3).tolist() == [[0, 0, 2], [1, 1, 0], [0, 1, 0]]
    assert choices.threshold[choices.at(2, 0)].tolist() == [1.5, 2.5]
    assert choices.threshold[choices.at(0, 1)].tolist() == [4.0, 5.0]
    assert choices.tree[choices.at(0, 1)].tolist() == [0, 0]
    assert choices.node[choices.at(1, 1)].tolist() == [int(other.right[0])]
    assert np.isnan(choices.threshold[choices.at(1, 2)]).all()


@pytest.mark.parametrize("tree", [admission(), colours(), softened(admission())])
def test_every_split_of_every_tree_is_there_at_its_depth(tree):
    choices, depth = split_choices([tree, admission(), tree]), depths(tree)
    for position in (0, 2):
        here = choices.tree == position
        assert sorted(choices.node[here]) == np.flatnonzero(tree.left >= 0).tolist()
        np.testing.assert_array_equal(choices.depth[here], depth[choices.node[here]])
        np.testing.assert_array_equal(choices.feature[here], tree.feature[choices.node[here]])


def test_trees_without_splits_choose_nothing():
    choices = split_choices([grown({}), grown({})])
    assert len(choices.tree) == 0
    assert choices.splits(3).shape == (0, 3)
    assert choices.n_trees == 2


# ---- coverage


def test_samples_between_a_cut_and_a_threshold_by_hand():
    column = np.array([3.0, 1, 2, 2, np.nan, 4, 5, 5, 6])
    #        t0 = 3; in order: 1, 2, 2, 3, 4, 5, 5, 6
    for threshold, between in (
        (3, -1),
        (3.9, -1),
        (4, 0),
        (4.5, 0),
        (5, 1),
        (6, 3),
        (9, 3),
        (2, 0),
        (1.5, 2),
        (1, 2),
    ):
        assert away(column, 3.0, np.array([threshold])) == [between]
        assert away(column, 3.5, np.array([threshold])) == [between]  # parts the column as 3 does


def naive_neighbourhood(column, cut, k):
    """Values outwards from the cut, whole ones, until they have k samples on a side."""
    values, inside = np.unique(column), [cut]
    for side in (values[values > cut], values[values < cut][::-1]):
        room = k
        for value in side:
            if room <= 0:
                break
            inside.append(value)
            room -= (column == value).sum()
    return inside


@given(
    st.lists(st.integers(0, 12), min_size=1, max_size=30), st.integers(0, 29), st.sampled_from([0, 1, 2, 2.5, 7])
)
def test_fewer_than_k_between_means_inside_a_neighbourhood_of_k(numbers, which, k):
    column = np.array(numbers, float)
    cut = float(column[which % len(column)])
    values = np.unique(column)
    inside = naive_neighbourhood(column, cut, k)
    np.testing.assert_array_equal(away(column, cut, values) < k, np.isin(values, inside))


def test_coverage_and_reach_by_hand():
    between = np.array([-1, 0, 0, 3, 8])
    assert [covered(between, k) for k in (0, 0.5, 3, 4, 9)] == [0.2, 0.6, 0.6, 0.8, 1.0]
    assert [reach(between, share) for share in (0.1, 0.2, 0.21, 0.6, 0.8, 0.9, 1.0)] == [0, 0, 1, 1, 4, 9, 9]
    assert np.isnan(covered(np.empty(0), 3))
    with pytest.raises(ValueError, match="no threshold"):
        reach(np.empty(0), 0.5)


@given(st.lists(st.integers(-1, 20), min_size=1, max_size=20), st.floats(0.01, 1))
def test_the_reach_is_the_least_that_covers_so_many(numbers, share):
    between = np.array(numbers)
    k = reach(between, share)
    assert covered(between, k) >= share - 1e-9
    assert k == 0 or covered(between, k - 1) < share


def test_neighbourhoods_are_those_of_a_cultivated_root_and_the_square_root_window_is_the_same():
    data = table()
    around = neighbourhoods(data)
    root = CultivatedClassifier(max_depth=1, categorical_features=[2]).fit(data.X, data.y).tree_
    best = min(around.values(), key=lambda one: one.impurity)
    first = slice(*root.cuts.start[:2])
    assert best.feature == root.decisions.feature[0] == 0
    assert best.cut == root.decisions.threshold[0]
    np.testing.assert_array_equal(best.value, root.cuts.value[first])
    assert 2 not in around  # a category has no threshold
    own, cube, square = windows(data.X[:, 0], best, np.array([best.cut, best.low, best.high, 99.0]))
    assert (own.low, own.high, own.coverage) == (square.low, square.high, 0.75)
    assert square.coverage == 0.75
    assert (cube.samples, square.samples) == tuple(widths(200).values()) == (np.cbrt(200), 200**0.5)
    assert square.low < cube.low < best.cut < cube.high < square.high
    assert cube.coverage == 0.25


def test_windows_cover_what_replicates_chose_by_counting():
    data = table()
    trees = replicate(CartClassifier(max_depth=1), data, Plan(Redraw("bootstrap"), 100)).trees
    choices = split_choices(trees)
    thresholds = choices.threshold[choices.at(0, 0)]
    assert len(thresholds) > 90
    around = neighbourhoods(data)[0]
    column = np.sort(data.X[:, 0])
    for window in windows(data.X[:, 0], around, thresholds):
        after = column[column > window.high][0]  # a threshold parts as the greatest value up to it
        least = column[column <= window.low][-1]
        inside = [least <= threshold < after for threshold in thresholds]
        assert window.coverage == pytest.approx(np.mean(inside))


def test_nothing_is_covered_where_nothing_was_chosen():
    data = table()
    assert all(np.isnan(one.coverage) for one in windows(data.X[:, 1], neighbourhoods(data)[1], np.empty(0)))


def test_tolerances_are_half_the_width_of_the_neighbourhoods():
    data = table()
    around, width = neighbourhoods(data, "cbrt"), tolerances(data, "cbrt")
    assert width[0] == (around[0].high - around[0].low) / 2
    assert width[2] == 0
    assert (tolerances(data, "sqrt")[:2] > width[:2]).all()


def test_numbers_have_neighbourhoods_too():
    data = table()
    numbers = make_dataset("t", data.X, data.features, data.X[:, 0], Feature("y"))
    assert neighbourhoods(numbers)[0].low < neighbourhoods(numbers)[0].cut

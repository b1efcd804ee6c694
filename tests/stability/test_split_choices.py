"""Splits that redrawn trees choose and how answers agree: by hand, naively, by law; and the pictures of them."""

import itertools
import re
import xml.etree.ElementTree as ET
from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.forests.surfaces import plane_of
from espalier.kernels.cultivated.fractions import Slice
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier, ObliqueClassifier
from espalier.stability import bars as stability_bars
from espalier.stability import splits, thresholds
from espalier.stability.bars import Bar, Chart
from espalier.stability.replicates import Plan, replicate
from espalier.stability.resampling import Redraw
from espalier.stability.splits import Agreement, Neighbourhood, Window, difference, widths
from espalier.stability.structures import Equality, Structures, levels
from espalier.trees import LEAF, depths, is_leaf, prune_to, softened
from tests.stability.test_structures import grown
from tests.tools.by_hand import admission, colours


def table(n=200):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=n), rng.normal(size=n), rng.integers(0, 3, n)])
    y = X[:, 0] + rng.normal(scale=0.5, size=n) > 0.3
    features = [Feature("a"), Feature("b"), Feature("c", "category", ("r", "g", "b"))]
    return make_dataset("t", X, features, y, Feature("y", "category", ("no", "yes")))


def test_choices_by_hand_and_trees_without_splits_that_choose_nothing():
    one = grown({"": (2, 1.5, 0), "l": (0, 4.0, 0), "r": (0, 5.0, 0), "rl": (1, np.nan, 3)})
    other = grown({"": (2, 2.5, 0), "r": (1, 7.0, 0)})
    choices = splits.split_choices([one, other])
    assert choices.splits(3).tolist() == [[0, 0, 2], [2, 1, 0], [0, 1, 0]]
    assert choices.trees(3).tolist() == [[0, 0, 2], [1, 1, 0], [0, 1, 0]]
    assert choices.threshold[choices.at(2, 0)].tolist() == [1.5, 2.5]
    assert choices.threshold[choices.at(0, 1)].tolist() == [4.0, 5.0]
    assert choices.tree[choices.at(0, 1)].tolist() == [0, 0]
    assert choices.node[choices.at(1, 1)].tolist() == [int(other.right[0])]
    assert np.isnan(choices.threshold[choices.at(1, 2)]).all()
    choices = splits.split_choices([grown({}), grown({})])
    assert len(choices.tree) == 0
    assert choices.splits(3).shape == (0, 3)
    assert choices.n_trees == 2


@pytest.mark.parametrize("tree", [admission(), colours(), softened(admission())])
def test_every_split_of_every_tree_is_there_at_its_depth(tree):
    choices, depth = splits.split_choices([tree, admission(), tree]), depths(tree)
    for position in (0, 2):
        here = choices.tree == position
        assert sorted(choices.node[here]) == np.flatnonzero(tree.left >= 0).tolist()
        np.testing.assert_array_equal(choices.depth[here], depth[choices.node[here]])
        np.testing.assert_array_equal(choices.feature[here], tree.feature[choices.node[here]])


# ---- coverage


def test_samples_between_a_cut_and_a_threshold_and_coverage_by_hand():
    column = np.array([3.0, 1, 2, 2, np.nan, 4, 5, 5, 6])
    #        t0 = 3; in order: 1, 2, 2, 3, 4, 5, 5, 6
    thresholds = np.array([3, 3.9, 4, 4.5, 5, 6, 9, 2, 1.5, 1])
    for cut in (3.0, 3.5):  # which part the column alike
        assert splits.away(column, cut, thresholds).tolist() == [-1, -1, 0, 0, 1, 3, 3, 0, 2, 2]
    between = np.array([-1, 0, 0, 3, 8])
    assert [splits.coverage_of(between, k) for k in (0, 0.5, 3, 4, 9)] == [0.2, 0.6, 0.6, 0.8, 1.0]
    assert np.isnan(splits.coverage_of(np.empty(0), 3))


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
    np.testing.assert_array_equal(splits.away(column, cut, values) < k, np.isin(values, inside))


def test_neighbourhoods_are_those_of_a_cultivated_root_and_the_square_root_window_is_the_same():
    data = table()
    around = splits.neighbourhoods(data)
    root = CultivatedClassifier(max_depth=1, categorical_features=[2]).fit(data.X, data.y).tree_
    best = min(around.values(), key=lambda one: one.impurity)
    first = slice(*root.cuts.start[:2])
    assert best.feature == root.decisions.feature[0] == 0
    assert best.cut == root.decisions.threshold[0]
    np.testing.assert_array_equal(best.value, root.cuts.value[first])
    assert 2 not in around  # a category has no threshold
    own, cube, square = splits.windows(data.X[:, 0], best, np.array([best.cut, best.low, best.high, 99.0]))
    assert (own.low, own.high, own.coverage) == (square.low, square.high, 0.75)
    assert square.coverage == 0.75
    assert (cube.samples, square.samples) == tuple(widths(200).values()) == (np.cbrt(200), 200**0.5)
    assert square.low < cube.low < best.cut < cube.high < square.high
    assert cube.coverage == 0.25


def test_windows_cover_what_replicates_chose_by_counting():
    data = table()
    trees = replicate(CartClassifier(max_depth=1), data, Plan(Redraw("bootstrap"), 100)).trees
    choices = splits.split_choices(trees)
    thresholds = choices.threshold[choices.at(0, 0)]
    assert len(thresholds) > 90
    around = splits.neighbourhoods(data)[0]
    column = np.sort(data.X[:, 0])
    for window in splits.windows(data.X[:, 0], around, thresholds):
        after = column[column > window.high][0]  # a threshold parts as the greatest value up to it
        least = column[column <= window.low][-1]
        inside = [least <= threshold < after for threshold in thresholds]
        assert window.coverage == pytest.approx(np.mean(inside))


def test_tolerances_are_half_the_width_of_neighbourhoods_numbers_have_some_and_nothing_chosen_covers_nothing():
    data = table()
    assert all(
        np.isnan(one.coverage) for one in splits.windows(data.X[:, 1], splits.neighbourhoods(data)[1], np.empty(0))
    )
    around, width = splits.neighbourhoods(data, "cbrt"), splits.tolerances(data, "cbrt")
    assert width[0] == (around[0].high - around[0].low) / 2
    assert width[2] == 0
    assert (splits.tolerances(data, "sqrt")[:2] > width[:2]).all()
    numbers = make_dataset("t", data.X, data.features, data.X[:, 0], Feature("y"))
    assert splits.neighbourhoods(numbers)[0].low < splits.neighbourhoods(numbers)[0].cut


@given(st.integers(2, 7), st.integers(1, 5), st.integers(1, 4), st.integers(0, 2**31))
def test_agreement_is_the_mean_over_all_pairs(n_trees, n_rows, n_classes, seed):
    votes = np.random.default_rng(seed).integers(0, n_classes, (n_trees, n_rows))
    pairs = [a == b for a, b in combinations(votes, 2)]
    found = splits.pairwise_agreement(votes)
    np.testing.assert_allclose(found.by_row, np.mean(pairs, axis=0))
    assert found.mean == pytest.approx(np.mean(pairs))


@given(st.integers(2, 7), st.integers(1, 5), st.integers(0, 2**31))
def test_the_difference_is_the_root_mean_square_over_all_pairs(n_trees, n_rows, seed):
    numbers = np.random.default_rng(seed).normal(size=(n_trees, n_rows))
    squares = [(a - b) ** 2 for a, b in combinations(numbers, 2)]
    found = splits.pairwise_difference(numbers)
    np.testing.assert_allclose(found.by_row, np.sqrt(np.mean(squares, axis=0)))
    assert found.mean == pytest.approx(np.sqrt(np.mean(squares)))


def test_one_tree_has_none_to_agree_with():
    for ask in (splits.pairwise_agreement, splits.pairwise_difference):
        with pytest.raises(ValueError, match="at least two"):
            ask(np.zeros((1, 4), np.int64))
    with pytest.raises(ValueError, match="no trees"):
        splits.spread([], np.zeros((1, 2)))


@pytest.mark.parametrize("make", [CartClassifier, CultivatedClassifier, CartRegressor])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_mean_and_variance_are_those_of_the_trees_answers(make, n_classes):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, n_classes, 60)
    y = y + 1e6 if make is CartRegressor else y  # numbers far from 0 lose nothing
    models = [make(max_depth=2).fit(X, y, rng.integers(1, 5, 60)) for _ in range(37)]
    tell = (lambda model: model.predict(X)[:, None]) if make is CartRegressor else (lambda m: m.predict_proba(X))
    answers = np.stack([tell(model) for model in models])
    trees = [model.tree_ for model in models]
    np.testing.assert_array_equal(splits.votes_of(trees, X), [model.predict(X) for model in models])
    for n_threads in (1, 2):
        mean, variance = splits.spread(trees, X, n_threads)
        np.testing.assert_allclose(mean, answers.mean(axis=0), atol=1e-12)
        one_class = answers[:, :, 0].var(axis=0) if answers.shape[2] < 3 else answers.var(axis=0).sum(axis=1) / 2
        np.testing.assert_allclose(variance, one_class, atol=1e-9)


@pytest.mark.parametrize("make", [CartClassifier, CultivatedClassifier])
@pytest.mark.parametrize("axes", [[2, 0], [1, -1]])
def test_a_surface_is_the_spread_over_the_cells_of_the_plane(make, axes):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    trees = [make(max_depth=2).fit(X, y, rng.integers(1, 5, 60)).tree_ for _ in range(5)]
    plane = Slice(np.array(axes), np.array([-1.0, 0.5, 2.0]), np.array([0.25, 1.0]), np.array([7.0, 8.0, 9.0]))
    cells, (mean, variance) = splits.cells_of(plane), splits.surface(trees, plane)
    by_hand = np.array([[7.0, 8.0, 9.0]] * 6)
    for row, (z, x) in enumerate((z, x) for z in (0.25, 1.0) for x in (-1.0, 0.5, 2.0)):
        by_hand[row, axes[0]] = x
        if axes[1] >= 0:
            by_hand[row, axes[1]] = z
    np.testing.assert_array_equal(cells, by_hand)
    expected_mean, expected_variance = splits.spread(trees, cells)
    np.testing.assert_allclose(mean, expected_mean, atol=1e-12)
    np.testing.assert_allclose(variance, expected_variance, atol=1e-12)


YES = Feature("y", "category", ("no", "yes"))
KINDS = ("features", "exact", "tolerance", "neighbourhood")
STUMP = grown({"": (0, 1.0, 0)})
seeds = st.integers(0, 10_000)


def table_of(X, y):
    return make_dataset("t", X, [Feature(f"x{i}") for i in range(X.shape[1])], y, YES)


def replicates(learner, data, n=8):
    return replicate(learner, data, Plan(Redraw("bootstrap"), n)).trees


def coarse(seed):
    """A table_of of few values, so that thresholds of redrawn data are often the same."""
    rng = np.random.default_rng(seed)
    return table_of(rng.integers(0, 4, (40, 3)) * 1.0, rng.integers(0, 2, 40))


# ---- by hand


def test_a_split_comes_back_where_the_same_turns_pass_the_same_questions():
    tree = grown({"": (0, 1.0, 0), "l": (1, 2.0, 0)})
    other_root = grown({"": (1, 1.0, 0), "l": (1, 2.0, 0)})  # the lower split is there, after another question
    other_cut = grown({"": (0, 1.5, 0), "l": (1, 2.0, 0)})
    others = [tree, other_root, other_cut, STUMP]
    assert splits.split_recurrence(tree, others).times[~is_leaf(tree)].tolist() == [3, 2]
    assert splits.split_recurrence(tree, others, Equality("exact")).times[~is_leaf(tree)].tolist() == [2, 1]
    assert splits.split_recurrence(tree, others, Equality("tolerance", 0.5)).times[~is_leaf(tree)].tolist() == [
        3,
        2,
    ]


def test_categories_are_compared_as_sets_and_without_other_trees_or_with_sums_nothing_can_come_back():
    X = np.array([[0.0], [1.0], [2.0]] * 10)
    one, other = (
        CartClassifier(categorical_features=[0], max_depth=1).fit(X, np.isin(X[:, 0], left)).tree_
        for left in ((0.0,), (1.0,))
    )
    counted = {kind: int(splits.split_recurrence(one, [one, other], Equality(kind)).times[0]) for kind in KINDS}
    assert counted == {"features": 2, "exact": 1, "tolerance": 1, "neighbourhood": 1}
    with pytest.raises(ValueError, match="no other trees"):
        splits.split_recurrence(STUMP, [])
    with pytest.raises(ValueError, match="cannot be compared by 'function'"):
        splits.split_recurrence(STUMP, [STUMP], Equality("function"))
    data = coarse(0)
    oblique: Any = ObliqueClassifier(max_depth=1).fit(data.X, data.y).tree_
    with pytest.raises(ValueError, match="comparison of structures"):
        splits.split_recurrence(STUMP, [oblique])


# ---- as a naive walk counts it


def by_feature(tree, node, other, there):
    return tree.feature[node] == other.feature[there]


def exactly(tree, node, other, there):
    cuts = tree.threshold[node], other.threshold[there]
    is_same = cuts[0] == cuts[1] or np.isnan(cuts).all()
    return by_feature(tree, node, other, there) and is_same and tree.categories[node] == other.categories[there]


def within(widths):
    """Whether two splits ask the same feature, at thresholds no farther apart than its width."""

    def near(tree, node, other, there):
        apart = abs(tree.threshold[node] - other.threshold[there])
        return by_feature(tree, node, other, there) and apart <= widths[tree.feature[node]]

    return near


def naive_times(tree, others, are_equal):
    """In how many of the others each node's split comes back: a walk down both trees from their roots."""
    found = Counter(node for other in others for node in coming_back(tree, 0, other, 0, are_equal))
    return [found[node] for node in range(tree.n_nodes)]


def coming_back(tree, node, other, there, are_equal):
    if tree.left[node] == LEAF or other.left[there] == LEAF or not are_equal(tree, node, other, there):
        return
    yield node
    for side in (tree.left, other.left), (tree.right, other.right):
        yield from coming_back(tree, side[0][node], other, side[1][there], are_equal)


@given(seeds)
def test_counts_are_those_of_a_naive_walk(seed):
    data = coarse(seed)
    learner = CartClassifier(max_depth=3)
    tree, others = learner.fit(data.X, data.y).tree_, replicates(learner, data)
    widths = splits.tolerances(data)
    rules = {
        Equality("features"): by_feature,
        Equality("exact"): exactly,
        Equality("tolerance", 1.0): within([1.0] * 3),
    }
    for equality, rule in rules.items():
        assert splits.split_recurrence(tree, others, equality).times.tolist() == naive_times(tree, others, rule)
    near = splits.split_recurrence(tree, others, Equality("neighbourhood", widths))
    assert near.times.tolist() == naive_times(tree, others, within(widths.tolist()))


# ---- laws


@given(seeds, st.sampled_from(KINDS), st.booleans())
def test_all_splits_come_back_in_trees_of_the_same_structure_or_of_more_splits_alone(seed, kind, is_soft):
    data, equality = coarse(seed), Equality(kind, 1.0)
    learner = (CultivatedClassifier if is_soft else CartClassifier)(max_depth=2)
    tree = learner.fit(data.X, data.y).tree_
    for other in replicates(learner, data, 3):
        again = splits.split_recurrence(tree, [other], equality).times[~is_leaf(tree)].all()
        differs = splits.difference(tree, other, 2, equality)
        if differs is None:
            assert again
        elif differs.what != "leaf" or not is_leaf(tree)[differs.node]:  # where it has a leaf, the other may go on
            assert not again


@given(seeds)
def test_a_hesitating_tree_counts_as_its_first_decisions(seed):
    data = coarse(seed)
    tree: Any = CartClassifier(max_depth=3).fit(data.X, data.y).tree_
    others: Any = replicates(CartClassifier(), data, 5)
    soft = splits.split_recurrence(softened(tree), [softened(other) for other in others])
    assert soft.times.tolist() == splits.split_recurrence(tree, others).times.tolist()


def test_a_pruned_tree_has_its_counterparts_in_the_whole_one():
    iris = samples.load("iris")
    whole = CartClassifier().fit(iris.X, iris.y).tree_
    pruned = prune_to(whole, depths(whole) < 2)
    there = splits.counterparts(pruned, whole)
    assert np.array_equal(whole.weight[there], pruned.weight)
    assert (splits.counterparts(whole, pruned)[depths(whole) > 2] == LEAF).all()
    others = replicates(CartClassifier(), iris, 5)
    inner = ~is_leaf(pruned)
    counts = splits.split_recurrence(whole, others).times[there]
    assert splits.split_recurrence(pruned, others).times[inner].tolist() == counts[inner].tolist()


# ---- what cannot be compared


FEATURES = (Feature("gpa <b>"), Feature("toefl"))


def chart(*columns):
    """Columns of counts, the first bar of each being the structure to look for; trees numbered as they come."""
    bars = [tuple(Bar(n, i, i == 0, "" if i == 0 else "It differs.") for i, n in enumerate(c)) for c in columns]
    return Chart(sum(columns[0]), tuple(bars))


def elements(svg, name):
    return [e for e in ET.fromstring(svg).iter() if e.tag.endswith(name)]


def measure(element, name):
    return float(element.get(name))


def words(svg):
    return " ".join(e.text or "" for e in elements(svg, "text"))


# Bars ------------------------------------------------------------------------------------------------


def test_bars_are_as_high_as_their_share_in_the_column_of_their_depth_and_all_charts_have_one_scale():
    card = stability_bars.chart_card(chart([6, 2], [4, 2, 2]), "a", "")
    plot = card["floor"] - card["top"]
    heights = [bar["height"] / plot for bar in card["bars"]]
    assert heights == pytest.approx([6 / 8, 2 / 8, 4 / 8, 2 / 8, 2 / 8])
    assert all(bar["y"] + bar["height"] == pytest.approx(card["floor"]) for bar in card["bars"])
    one = chart([6, 2], [4, 2, 2])
    placed = stability_bars.place_bars(one)
    middle = (stability_bars.LEFT + stability_bars.WIDTH - stability_bars.RIGHT) / 2
    assert all((p.x + p.width <= middle) == (p.depth == 1) for p in placed)
    assert all(a.x + a.width <= b.x + 1e-9 for a, b in itertools.pairwise(placed))
    assert [p.key for p in placed] == ["1.0", "1.1", "2.0", "2.1", "2.2"]
    few, many = (stability_bars.chart_card(chart(column), "a", "") for column in ([3, 1], [300, 100]))
    assert [bar["height"] for bar in few["bars"]] == [bar["height"] for bar in many["bars"]]
    low, high = chart([1] * 20), chart([3, *[1] * 17])
    assert [one.most for one in stability_bars.scale_charts([low])] == [0.1]
    assert [one.most for one in stability_bars.scale_charts([low, high])] == [0.25, 0.25]
    assert stability_bars.scale_charts([chart([5])])[0].most == 1.0
    card = stability_bars.chart_card(stability_bars.scale_charts([low, high])[1], "a", "")
    assert card["bars"][0]["height"] / (card["floor"] - card["top"]) == pytest.approx(3 / 20 / 0.25, abs=1e-3)


@pytest.mark.parametrize("n", [1, 20, 150, 1000])
def test_what_does_not_fit_is_counted_on_a_block_beside_the_bars(n):
    one = chart([1] * n, [n], [n], [n])
    drawn = [p for p in stability_bars.place_bars(one) if p.depth == 1]
    svg = stability_bars.chart_picture(one, "CART").draw(False)
    left_out = n - len(drawn)
    assert (f"+{left_out}" in words(svg)) == (left_out > 0)
    assert all(p.width >= stability_bars.LEAST - 1e-9 for p in drawn)
    assert drawn[-1].x + drawn[-1].width <= stability_bars.LEFT + stability_bars.WIDTH / 4


def test_structures_are_bars_with_words_of_which_that_looked_for_is_stronger_and_titles_cannot_break_out():
    bars = stability_bars.chart_card(chart([6, 2, 1]), "a", "")["bars"]
    assert {bar["fill"] for bar in bars} == {"currentColor"}  # which the browser resolves, light or dark
    assert [bar["fill-opacity"] for bar in bars] == [1, 0.5, 0.5]
    said = [bar["say"] for bar in stability_bars.chart_card(chart([6, 2]), "a", "")["bars"]]
    assert said == [
        "6 of 8 trees (75 %) have this structure at the root.",
        "2 of 8 trees (25 %) have this structure at the root. It differs.",
    ]
    one = chart([6, 2], [4, 2, 2])
    svg = stability_bars.chart_picture(one, 'CART <script>"').draw(False)
    assert len(elements(svg, "rect")) == 5
    assert 'CART <script>"' in words(svg)
    assert stability_bars.chart_alt(one).startswith(
        "Structures of 8 trees: at the root 2 structures, the most frequent 75 %"
    )


# Words -----------------------------------------------------------------------------------------------


def said(tree, other, depth=2):
    found = difference(tree, other, depth, Equality("exact"))
    return stability_bars.differs(tree, other, found, FEATURES)


def test_the_first_difference_is_told_by_question_and_by_the_answers_that_lead_there():
    tree = admission()
    stump = prune_to(tree, np.array([True, False, False, False, False]))
    other = tree._replace(threshold=np.where(np.arange(5) == 2, 70.0, tree.threshold))
    assert said(tree, tree) == ""
    assert said(other, tree) == "After no it asks “toefl ≤ 70”, the most frequent “toefl ≤ 64.5”."
    assert said(stump, tree) == "After no it stops, where the most frequent asks “toefl ≤ 64.5”."
    assert said(tree, stump) == "After no it asks “toefl ≤ 64.5”, where the most frequent stops."
    assert said(colours(), tree).startswith("At the root it asks")
    assert stability_bars.where(()) == "at the root"
    assert stability_bars.where((True, False)) == "after yes, no"


# Tables ----------------------------------------------------------------------------------------------


def test_tables_have_a_line_for_every_depth_and_columns_nearest_the_root_come_first():
    by_depth = thresholds.level_table([("CART", 8, levels(Structures(np.array([[0] * 6 + [1] * 2]))))])
    assert by_depth.loc[0, ["structures", "most frequent", "trees"]].tolist() == [2, "75 %", 8]
    shares = np.array([[0.0, 1.0, 0.0], [0.9, 0.2, 0.0]])
    assert stability_bars.listed_features(shares) == [1, 0]
    picture = stability_bars.features_picture(shares, ["a", "b <i>", "c"], [1, 0])
    assert words(picture.draw(True)) == "root depth 1 b <i> 100 % 20 % a 90 %"
    assert picture.alt == "At the root: b <i> 100 %. At depth 1: a 90 %, b <i> 20 %."


# Features --------------------------------------------------------------------------------------------


def test_depths_that_no_tree_reaches_have_no_column_of_many_shares_lose_their_sign_and_small_ones_are_written():
    shares = np.array([[0.0, 1.0], [0.5, 0.0], [0.0, 0.0], [0.0, 0.0]])
    assert stability_bars.used_depths(shares).tolist() == shares[:2].tolist()
    assert stability_bars.used_depths(np.zeros((3, 2))).tolist() == [[0, 0]]
    svg = stability_bars.features_picture(np.full((6, 1), 0.5), ["a"], [0]).draw(False)
    assert words(svg) == "0 1 2 3 4 5 a 50 50 50 50 50 50"
    svg = stability_bars.features_picture(np.array([[0.999, 0.001]]), ["a", "b"], [0, 1]).draw(False)
    assert words(svg) == "root a >99 % b <1 %"


# Thresholds ------------------------------------------------------------------------------------------


def test_thresholds_are_bars_whose_heights_are_shares_of_all_trees():
    windows = [Window("neighbourhood", 2.0, 1.0, 3.0, 0.75), Window("cube root", 1.6, 1.5, 2.5, 0.5)]
    around = Neighbourhood(0, 2.0, np.array([1.0, 2.0, 3.0]), np.ones(3) / 3, 0.1)
    one = np.array([2.0, 2.0, 2.0, 9.0]), 8
    span = thresholds.span_of([one], windows)
    assert span.low < 1 < 9 < span.high
    picture = thresholds.thresholds_picture(*one, windows, around, span, Feature("gpa <b>"))
    svg = picture.draw(False)
    frame = thresholds.frame_of(span, 2, False)
    band, *bars = elements(svg, "rect")
    shares = [measure(bar, "height") / thresholds.PLOT * span.most for bar in bars]
    assert shares == pytest.approx([3 / 8, 1 / 8], abs=0.002)
    assert measure(band, "x") == pytest.approx(frame.x(1.0), abs=0.1)
    assert measure(band, "x") + measure(band, "width") == pytest.approx(frame.x(3.0), abs=0.15)
    (name,) = (text for text in elements(svg, "text") if text.text == "t₀")
    assert measure(name, "y") < frame.top
    assert "T(t₀)" in words(svg)
    assert "∛N" in words(svg)
    assert "covers 75 %" in picture.alt
    never = thresholds.thresholds_picture(np.empty(0), 8, windows, around, span, Feature("gpa"))
    assert never.alt == "No tree asks gpa at its root."


# Answers ---------------------------------------------------------------------------------------------


def test_rows_stand_in_the_histogram_where_their_agreement_is():
    found = Agreement(np.array([1.0, 1.0, 1.0, 0.5]), 0.875)
    picture = thresholds.rows_picture(found, 1.0, True)
    bars = elements(picture.draw(False), "rect")
    heights = [measure(bar, "height") / thresholds.ROWS_PLOT for bar in bars]
    assert heights == pytest.approx([0.25, 0.75])
    assert picture.alt == "Two trees agree on 87.5 % of the rows; all trees agree on 75 % of them."


def test_where_nothing_varies_the_map_is_paper():
    data = samples.load("iris")
    plane = plane_of(data, (0, 1))
    n = plane.cells[0] * plane.cells[1]
    still, varied = (
        thresholds.map_picture(values, 1.0, plane, data) for values in (np.zeros(n), np.linspace(0, 1, n))
    )
    sizes = [len("".join(re.findall('base64,([^"]*)', one.draw(False)))) for one in (still, varied)]
    assert 0 < sizes[0] < sizes[1] / 4
    assert still.alt == "The standard deviation is 0 over this plane, and none in 100 % of it."
    assert "0.5" in words(thresholds.map_legend(0.5).draw(True))

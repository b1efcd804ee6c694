"""Structures of trees: by hand, naively, by laws; one of pure data and many of noise; and where trees differ."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from espalier.data.dataset import Feature, make_dataset
from espalier.learners import (
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    CultivatedRegressor,
    OptimalClassifier,
)
from espalier.predict import shares
from espalier.stability.replicates import Plan, replicate
from espalier.stability.resampling import Redraw
from espalier.stability.splits import difference
from espalier.stability.structures import (
    EQUALITIES,
    Equality,
    ancestors,
    as_functions,
    ends_of,
    levels,
    structures,
    structures_of,
    wilson,
    within_neighbourhoods,
)
from espalier.trees import LEAF, depths, make_cultivated, make_tree, prune_to, softened
from tests.tools.by_hand import admission, colours, neighbourhoods
from tests.tools.cases import case

NAN = float("nan")


def stump(feature, threshold, categories=0):
    """One split; categories go left where there is no threshold."""
    return grown({"": (feature, threshold, categories)})


def grown(splits):
    """The tree with these splits, by their ways from the root: "", "l", "lr", …"""
    rows = []

    def grow(way):
        place = len(rows)
        rows.append((LEAF, NAN, LEAF, LEAF, 0))
        if way in splits:
            feature, threshold, categories = splits[way]
            grow(way + "l")
            right = len(rows)
            grow(way + "r")
            rows[place] = (feature, threshold, place + 1, right, categories)

    grow("")
    n = len(rows)
    feature, threshold, left, right, categories = zip(*rows, strict=True)
    masks, ones = np.array(categories, np.uint64), np.ones(n)
    return make_tree(feature, threshold, left, right, masks, [False] * n, ones, ones, ones[:, None], ones)


# ---- from the definition


def ways(tree, depth, node=0, way=""):
    """{way: (feature, threshold, categories)} of all splits above a depth."""
    if tree.left[node] == LEAF or len(way) == depth:
        return {}
    split = int(tree.feature[node]), float(tree.threshold[node]), int(tree.categories[node])
    return {
        way: split,
        **ways(tree, depth, tree.left[node], way + "l"),
        **ways(tree, depth, tree.right[node], way + "r"),
    }


def is_same(one, other, tolerance):
    """Whether two trees, as `ways`, have the same splits."""
    if {w: s[0] for w, s in one.items()} != {w: s[0] for w, s in other.items()}:
        return False
    return tolerance is None or all(is_near(one[way], other[way], tolerance) for way in one)


def is_near(one, other, tolerance):
    width = tolerance if np.ndim(tolerance) == 0 else tolerance[one[0]]
    equal = one[1] == other[1] or (np.isnan(one[1]) and np.isnan(other[1]))
    return one[2] == other[2] and (equal or abs(one[1] - other[1]) <= width + 1e-12)


def naive_groups(trees, depth, tolerance):
    """{frozenset of trees} by comparing each with each; thresholds depth after depth, the most crowded first."""
    groups = [list(range(len(trees)))]
    for d in range(1, depth + 1):
        groups = [
            part for group in groups for part in naive_parts(group, [ways(t, d) for t in trees], d, tolerance)
        ]
    return {frozenset(group) for group in groups}


def naive_parts(group, found, depth, tolerance):
    level = {i: {w: s for w, s in found[i].items() if len(w) == depth - 1} for i in group}
    parts, left = [], list(group)
    while left:
        near = {i: [j for j in left if is_same(level[i], level[j], tolerance)] for i in left}
        most = max(len(part) for part in near.values())
        crowded = [i for i in left if len(near[i]) == most]
        first = min(
            crowded, key=lambda i: [np.nan_to_num(level[i][w][1], posinf=np.inf) for w in sorted(level[i])]
        )
        parts.append(near[first])
        left = [i for i in left if i not in near[first]]
    return parts


def groups_of(label):
    return {frozenset(np.flatnonzero(label == k).tolist()) for k in range(label.max() + 1)}


@st.composite
def alike_trees(draw):
    """Trees of depth at most 3 whose thresholds lie on a coarse grid, so that many are equal or near."""
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    n_features, steps = draw(st.integers(1, 3)), draw(st.integers(1, 12))
    every = ["", "l", "r", "ll", "lr", "rl", "rr"]

    def one():
        splits = {}
        for way in every:
            if (not way or way[:-1] in splits) and rng.random() < 0.85:
                codes = int(rng.integers(1, 4)) if rng.random() < 0.1 else 0
                threshold = NAN if codes else float(rng.choice([rng.integers(0, steps) / 8, np.inf], p=[0.9, 0.1]))
                splits[way] = (int(rng.integers(n_features)), threshold, codes)
        return grown(splits)

    kinds = [one() for _ in range(draw(st.integers(1, 12)))]
    return [kinds[i] for i in rng.integers(0, len(kinds), draw(st.integers(1, 16)))]


TOLERANCES = st.sampled_from([None, 0.0, 0.125, 0.3, [0.0, 0.25, 0.5]])


@settings(max_examples=60, deadline=None)
@given(alike_trees(), TOLERANCES)
def test_trees_within_the_tolerance_are_gathered_as_the_definition_says(trees, tolerance):
    found = structures(trees, 3, tolerance)
    for depth in (1, 2, 3):
        assert groups_of(found.label[depth - 1]) == naive_groups(trees, depth, tolerance)


@settings(max_examples=40, deadline=None)
@given(alike_trees(), TOLERANCES, st.randoms())
def test_the_order_of_alike_trees_means_nothing(trees, tolerance, random):
    order = list(range(len(trees)))
    random.shuffle(order)
    found = structures(trees, 3, tolerance).label
    assert np.array_equal(structures([trees[i] for i in order], 3, tolerance).label, found[:, order])


@settings(max_examples=30, deadline=None)
@given(alike_trees(), TOLERANCES)
def test_what_is_said_of_structures_follows_from_their_counts(trees, tolerance):
    found = structures(trees, 2, tolerance)
    for depth, counts in enumerate(found.counts):
        assert counts.sum() == len(trees)
        assert (np.diff(counts) <= 0).all()
        assert found.n_structures[depth] == len(counts)
        assert found.top_share[depth] == counts[0] / len(trees)
        assert found.label[depth, found.typical(depth + 1)] == 0
        assert 0 <= found.entropy[depth] <= np.log2(len(counts)) + 1e-12


def test_structures_by_hand_of_thresholds_near_each_other_of_leaves_of_categories_and_of_first_decisions():
    four = [stump(0, t) for t in (0.1, 0.2, 0.3, 0.4)]
    assert structures(four, 1).entropy == pytest.approx([2.0])
    assert structures(four, 1, None).entropy.tolist() == [0.0]
    trees = [stump(0, t) for t in (0.46, 0.46, 0.50, 0.54, 0.60)]
    assert structures(trees, 1, 0.05).label.tolist() == [[0, 0, 0, 0, 1]]
    assert structures(trees, 1, 0.0).n_structures.tolist() == [4]
    assert structures(trees, 1, [0.01, 9.0]).n_structures.tolist() == [4]
    assert structures(trees, 1, [0.5]).n_structures.tolist() == [1]
    assert structures([stump(0, 0.1), stump(0, 0.3)], 1, 0.2).n_structures.tolist() == [1]
    short, long = grown({"": (0, 0.5, 0)}), grown({"": (0, 0.5, 0), "r": (1, 0.5, 0)})
    found = structures([short, long, grown({})], 3, None)
    assert found.n_structures.tolist() == [2, 3, 3]
    trees = [stump(0, NAN, 0b011), stump(0, NAN, 0b101), stump(0, NAN, 0b011), stump(0, 0.0)]
    assert structures(trees, 1).label.tolist() == [[0, 2, 0, 1]]
    assert structures(trees, 1, 5.0).n_structures.tolist() == [3]
    assert structures(trees, 1, None).n_structures.tolist() == [1]
    whole = neighbourhoods()
    stub = prune_to(whole, np.arange(whole.n_nodes) == 0)
    assert structures([whole, stub], 2).n_structures.tolist() == [1, 2]


@pytest.mark.parametrize("tree", [admission(), colours()])
def test_a_softened_tree_has_the_structure_of_the_tree(tree):
    assert structures([tree, softened(tree)], 4).n_structures.tolist() == [1] * 4


@pytest.mark.parametrize(
    ("trees", "depth", "tolerance", "words"),
    [
        ([], 1, 0.0, "no trees"),
        ([admission()], 0, 0.0, "max_depth is 0"),
        ([admission()], 99, 0.0, "max_depth is 99"),
        ([admission()], 1, -1.0, "at least 0"),
        ([admission()], 2, [1.0], "asks feature 1"),
    ],
)
def test_structures_that_cannot_be_compared_are_named(trees, depth, tolerance, words):
    with pytest.raises(ValueError, match=words):
        structures(trees, depth, tolerance)


def hesitating(cut, low, high, feature=0):
    """A stump whose one decision has a neighbourhood of three cuts."""
    nodes = ([1, -1, -1], [2, -1, -1], [4, 2, 2], [4, 2, 2], [[0.5, 0.5], [1, 0], [0, 1]], [0.5, 0, 0])
    decisions = ([0, 1, 1, 1], [feature], [cut], [False], [1.0], [0.5], [0.1])
    return make_cultivated(*nodes, decisions, ([0, 3], [low, cut, high], [1.0, 1.0, 1.0]))


def test_two_cuts_are_the_same_each_in_the_others_neighbourhood_and_one_in_the_middle_takes_both():
    wide, inside, narrow, other = (
        hesitating(2, 0, 4), hesitating(3, 1, 5), hesitating(3.5, 3.2, 3.9), hesitating(2, 0, 4, feature=1),
    )  # fmt: skip
    assert within_neighbourhoods([wide, inside], 1).n_structures.tolist() == [1]
    assert within_neighbourhoods([wide, narrow], 1).n_structures.tolist() == [2]  # 2 is not among 3.2 to 3.9
    assert within_neighbourhoods([wide, other], 1).n_structures.tolist() == [2]
    trees = [hesitating(0, -1.5, 1.5), hesitating(1, -0.5, 2.5), hesitating(2, 0.5, 3.5)]
    assert within_neighbourhoods(trees, 1).label.tolist() == [[0, 0, 0]]
    assert within_neighbourhoods([trees[0], trees[2]], 1).n_structures.tolist() == [2]


def test_the_order_of_trees_means_nothing_and_without_neighbourhoods_it_is_the_exact_comparison():
    rng = np.random.default_rng(0)
    cuts = rng.integers(0, 9, 30)
    trees = [hesitating(cut, cut - rng.integers(1, 3), cut + rng.integers(1, 3)) for cut in cuts]
    label, order = within_neighbourhoods(trees, 1).label[0], rng.permutation(30)
    again = within_neighbourhoods([trees[i] for i in order], 1).label[0]
    assert len({*zip(label[order], again, strict=True)}) == label.max() + 1 == again.max() + 1
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


def test_one_function_may_be_two_trees_and_of_numbers_it_is_how_rows_are_parted_or_what_cultivated_trees_say():
    X = np.array([[x, z] for x in (0.0, 1.0) for z in (0.0, 1.0)])
    y = (X == 1).all(axis=1)
    tree = CartClassifier(max_depth=2).fit(X, y).tree_
    mirrored = tree._replace(feature=np.where(tree.feature < 0, -1, 1 - tree.feature).astype(np.int32))
    assert structures([tree, mirrored], 2).n_structures.tolist() == [2, 2]
    assert as_functions([tree, mirrored], 2, X).n_structures.tolist() == [1, 1]  # at depth 1 both say no
    X = np.arange(8.0)[:, None]
    trees = [CartRegressor(max_depth=1).fit(X, y).tree_ for y in (X[:, 0] > 3, 5 * (X[:, 0] > 3), X[:, 0] > 5)]
    assert as_functions(trees, 1, X).label.tolist() == [[0, 0, 1]]
    assert as_functions(trees, 1, X[[0, 7]]).label.tolist() == [[0, 0, 0]]
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


def test_plain_trees_are_compared_by_tolerances_of_neighbourhoods_and_what_cannot_be_compared_is_named():
    with pytest.raises(ValueError, match="no trees"):
        within_neighbourhoods([], 1)
    with pytest.raises(ValueError, match="max_depth is 0"):
        as_functions([admission()], 0, np.zeros((1, 3)))
    with pytest.raises(ValueError, match="no rows"):
        as_functions([admission()], 1, np.zeros((0, 3)))
    trees = [grown({"": (0, t, 0)}) for t in (1.0, 1.4, 9.0)]
    assert structures_of(trees, 1, Equality("neighbourhood", [0.5])).label.tolist() == [[0, 0, 1]]
    assert difference(trees[0], trees[1], 1, Equality("neighbourhood", [0.5])) is None
    with pytest.raises(ValueError, match="no equality 'shape'; there are features, exact"):
        structures_of([grown({})], 1, Equality("shape"))
    with pytest.raises(ValueError, match="no rows"):
        structures_of([grown({})], 1, Equality("function"))


YES = Feature("y", "category", ("no", "yes"))


def table(X, y):
    return make_dataset("t", X, [Feature(f"x{i}") for i in range(X.shape[1])], y, YES)


def pure():
    """Two clouds far apart in one feature: every bootstrap sample parts them, and nothing else."""
    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    return table(np.column_stack([y * 10.0, rng.normal(size=100)]), y)


def noise():
    rng = np.random.default_rng(0)
    return table(rng.normal(size=(100, 4)), rng.integers(0, 2, 100))


LEARNERS = [CartClassifier(max_depth=3), CultivatedClassifier(max_depth=3), OptimalClassifier(max_depth=2)]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("kind", [name for name, _, _ in EQUALITIES])
def test_pure_data_give_one_structure_and_noise_gives_many(learner, kind):
    for data, few in ((pure(), True), (noise(), False)):
        trees = replicate(learner, data, Plan(Redraw("bootstrap"), 20)).trees
        bars = levels(structures_of(trees, 2, Equality(kind, 0.01), data.X))
        assert (bars[-1].n_structures == 1) == few
        assert (bars[-1].entropy == 0) == few


# ---- histograms


def test_bars_are_what_counting_signatures_gives():
    trees = replicate(CartClassifier(max_depth=3), table(np.random.default_rng(1).integers(0, 3, (40, 3)) * 1.0,
                      np.arange(40) % 2), Plan(Redraw("bootstrap"), 60)).trees  # fmt: skip
    bars = levels(structures_of(trees, 3, Equality("exact")))
    for bar in bars:
        signatures = [tuple(ways(tree, bar.depth).items()) for tree in trees]
        counted = Counter(signatures)
        assert bar.counts.tolist() == sorted(counted.values(), reverse=True)
        assert [counted[signatures[first]] for first in bar.first] == bar.counts.tolist()
        assert all(signatures.index(signatures[first]) == first for first in bar.first)
        assert bar.n_structures == len(counted)
        assert bar.top_share == max(counted.values()) / 60
        assert bar.unseen == sum(count == 1 for count in counted.values()) / 60
        assert bar.interval[0] < bar.top_share < bar.interval[1] or bar.top_share == 1


@given(st.integers(1, 60), st.data())
def test_the_interval_is_where_the_count_is_two_deviations_off(n, data):
    count = data.draw(st.integers(0, n))
    low, high = wilson(count, n, 2.0)

    def off(p):
        return (count / n - p) ** 2 - 4 * p * (1 - p) / n

    for end, inside in ((low, (0.0, count / n)), (high, (count / n, 1.0))):
        if 0 < count < n:
            assert end == pytest.approx(brentq(off, *inside))
        assert off(end) == pytest.approx(0, abs=1e-12)
    assert low <= count / n <= high


# ---- differences


BASE = {"": (0, 1.0, 0), "l": (1, 2.0, 0), "r": (2, 3.0, 0), "rl": (1, 4.0, 0)}


def test_the_first_difference_is_found_from_the_root_down_and_from_the_left():
    for changed, what, way in [
        ({"": (3, 1.0, 0)}, "feature", ()),
        ({"": (0, 1.5, 0), "l": (9, 2.0, 0)}, "threshold", ()),
        ({"l": (1, 2.5, 0), "r": (9, 2.0, 0)}, "threshold", (True,)),
        ({"rl": (1, 4.5, 0)}, "threshold", (False, True)),
        ({"rl": None}, "leaf", (False, True)),
        ({"ll": (0, 0.0, 0)}, "split", (True, True)),
        ({"r": (2, np.nan, 5)}, "categories", (False,)),
    ]:
        with case((changed, what, way)):
            tree, other = grown({k: v for k, v in {**BASE, **changed}.items() if v}), grown(BASE)
            found: Any = difference(tree, other, 3, Equality("exact"))
            assert (found.what, found.way, found.depth) == (what, way, len(way))
            for one, node in ((tree, found.node), (other, found.other)):
                at = 0
                for left in way:
                    at = int(one.left[at] if left else one.right[at])
                assert node == at


def test_what_an_equality_overlooks_is_no_difference():
    tree, other = grown({**BASE, "l": (1, 2.5, 0)}), grown(BASE)
    assert difference(tree, other, 3, Equality("features")) is None
    assert difference(tree, other, 3, Equality("tolerance", 0.5)) is None
    assert difference(tree, other, 3, Equality("tolerance", [0, 0.5, 0])) is None
    assert difference(tree, other, 3, Equality("tolerance", [9, 0.4, 9])) is not None
    assert difference(tree, other, 1, Equality("exact")) is None
    assert difference(other, softened(other), 3, Equality("exact")) is None
    near, far = hesitating(3, 1, 5), hesitating(3.5, 3.2, 3.9)
    assert difference(hesitating(2, 0, 4), near, 1, Equality("neighbourhood")) is None
    found: Any = difference(hesitating(2, 0, 4), far, 1, Equality("neighbourhood"))
    assert found.what == "threshold"


@pytest.mark.parametrize("kind", ["features", "exact"])
def test_trees_of_one_structure_do_not_differ_and_of_two_do(kind):
    trees = replicate(CartClassifier(max_depth=2), noise(), Plan(Redraw("folds", 10), 30)).trees
    label = structures_of(trees, 2, Equality(kind)).label[-1]
    for tree, own in zip(trees, label, strict=True):
        assert (difference(tree, trees[0], 2, Equality(kind)) is None) == (own == label[0])

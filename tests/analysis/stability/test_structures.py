"""Structures of trees: by hand, against comparing every tree with every other one, and laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.analysis.stability.structures import structures
from espalier.trees import LEAF, make_tree, prune_to, softened
from tests.tools.by_hand import admission, colours, neighbourhoods

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
@given(alike_trees(), st.sampled_from([None, 0.0]))
def test_trees_have_one_structure_just_where_all_their_splits_are_equal(trees, tolerance):
    found = structures(trees, 3, tolerance)
    for depth in (1, 2, 3):
        each = [ways(tree, depth) for tree in trees]
        alike = np.array([[is_same(one, other, tolerance) for other in each] for one in each])
        label = found.label[depth - 1]
        assert ((label[:, None] == label) == alike).all()


@settings(max_examples=60, deadline=None)
@given(alike_trees(), TOLERANCES)
def test_trees_within_the_tolerance_are_gathered_as_the_definition_says(trees, tolerance):
    found = structures(trees, 3, tolerance)
    for depth in (1, 2, 3):
        assert groups_of(found.label[depth - 1]) == naive_groups(trees, depth, tolerance)


@settings(max_examples=40, deadline=None)
@given(alike_trees(), TOLERANCES, st.randoms())
def test_the_order_of_the_trees_means_nothing(trees, tolerance, random):
    order = list(range(len(trees)))
    random.shuffle(order)
    found = structures(trees, 3, tolerance).label
    assert np.array_equal(structures([trees[i] for i in order], 3, tolerance).label, found[:, order])


@settings(max_examples=40, deadline=None)
@given(alike_trees())
def test_deeper_and_stricter_structures_refine(trees):
    exact, near, features = (structures(trees, 4, tolerance).label for tolerance in (0.0, 0.2, None))
    finer = [(exact, near), (near, features), *((found[1:], found[:-1]) for found in (exact, near, features))]
    for fine, coarse in finer:
        for one, other in zip(fine, coarse, strict=True):
            assert len(set(zip(one.tolist(), other.tolist(), strict=True))) == one.max() + 1


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


def test_entropy_is_in_bits():
    four = [stump(0, t) for t in (0.1, 0.2, 0.3, 0.4)]
    assert structures(four, 1).entropy == pytest.approx([2.0])
    assert structures(four, 1, None).entropy.tolist() == [0.0]


def test_thresholds_in_the_middle_take_those_on_both_sides():
    trees = [stump(0, t) for t in (0.46, 0.46, 0.50, 0.54, 0.60)]
    assert structures(trees, 1, 0.05).label.tolist() == [[0, 0, 0, 0, 1]]
    assert structures(trees, 1, 0.0).n_structures.tolist() == [4]
    assert structures(trees, 1, [0.01, 9.0]).n_structures.tolist() == [4]
    assert structures(trees, 1, [0.5]).n_structures.tolist() == [1]


def test_thresholds_as_far_apart_as_is_allowed_are_near():
    assert structures([stump(0, 0.1), stump(0, 0.3)], 1, 0.2).n_structures.tolist() == [1]


def test_a_leaf_is_unlike_a_split():
    short, long = grown({"": (0, 0.5, 0)}), grown({"": (0, 0.5, 0), "r": (1, 0.5, 0)})
    found = structures([short, long, grown({})], 3, None)
    assert found.n_structures.tolist() == [2, 3, 3]


def test_categories_are_compared_as_sets():
    trees = [stump(0, NAN, 0b011), stump(0, NAN, 0b101), stump(0, NAN, 0b011), stump(0, 0.0)]
    assert structures(trees, 1).label.tolist() == [[0, 2, 0, 1]]
    assert structures(trees, 1, 5.0).n_structures.tolist() == [3]
    assert structures(trees, 1, None).n_structures.tolist() == [1]


@pytest.mark.parametrize("tree", [admission(), colours()])
def test_a_softened_tree_has_the_structure_of_the_tree(tree):
    assert structures([tree, softened(tree)], 4).n_structures.tolist() == [1] * 4


def test_cultivated_trees_are_compared_by_their_first_decisions():
    whole = neighbourhoods()
    stub = prune_to(whole, np.arange(whole.n_nodes) == 0)
    assert structures([whole, stub], 2).n_structures.tolist() == [1, 2]


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
def test_what_cannot_be_compared_is_named(trees, depth, tolerance, words):
    with pytest.raises(ValueError, match=words):
        structures(trees, depth, tolerance)

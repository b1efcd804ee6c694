"""Fractions through typed and random cultivated trees: by hand, by equation (1), by the words of the record."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.kernels.cultivated.fractions import CHUNK, fractions_of, log_ensemble_size, predict, reach
from espalier.kernels.route import leaf_of
from espalier.trees import CultivatedTree, depths, is_leaf, make_cultivated, parents, softened
from tests.tools import random_trees
from tests.tools.by_hand import colours, neighbourhoods, options, soft_colours
from tests.tools.naive import cultivated as naive

SEEDS = st.integers(0, 2**32 - 1)
N_CODES = 4


def random_tree(rng: np.random.Generator, depth: int = 3, n_outputs: int = 1) -> CultivatedTree:
    """Any shape, up to three decisions a node, on features 0 and 1 (numbers) and 2 (categories 0 to 3)."""
    left, right, own = [], [], []

    def grow(levels):
        node = len(left)
        left.append(-1)
        right.append(-1)
        own.append([])
        if levels > 0 and rng.random() < 0.8:
            own[node] = [random_decision(rng) for _ in range(rng.integers(1, 4))]
            left[node], right[node] = grow(levels - 1), grow(levels - 1)
        return node

    grow(depth)
    n, decisions = len(left), [d for some in own for d in some]
    feature, threshold, is_reversed, missing_left, cuts = zip(*decisions, strict=True) if decisions else [()] * 5
    share = np.concatenate([rng.dirichlet(np.ones(len(some))) for some in own if some] or [[]])
    value = rng.dirichlet(np.ones(n_outputs), n) if n_outputs > 1 else rng.normal(size=(n, 1))
    start, cut_start = np.cumsum([0, *map(len, own)]), np.cumsum([0, *map(len, cuts)])
    return make_cultivated(
        left, right, np.ones(n), np.ones(n), value, np.zeros(n),
        (start, feature, threshold, is_reversed, share, missing_left, np.zeros(len(decisions))),
        (cut_start, *np.concatenate([np.empty((0, 2)), *cuts]).T),
    )  # fmt: skip


def random_decision(rng):
    feature = int(rng.integers(3))
    is_reversed, missing_left = bool(rng.random() < 0.5), rng.random()
    if feature < 2:
        value = np.unique(rng.integers(-3, 4, rng.integers(1, 4)))
        weight = rng.random(len(value)) + 0.1
        return feature, float(value[0]), is_reversed, missing_left, np.column_stack([value, weight])
    value = rng.permutation(N_CODES)[: rng.integers(2, N_CODES + 1)]
    weight = np.where(rng.random(len(value)) < 0.5, 0, rng.random(len(value)))
    weight[rng.integers(len(value))] = 1
    return feature, math.nan, is_reversed, missing_left, np.column_stack([value, weight])


def random_samples(rng, n):
    X = rng.integers(-4, 5, (n, 3)).astype(float)  # often a cut itself
    X[:, 2] = rng.integers(0, N_CODES + 2, n)  # the last two codes are unknown
    X[rng.random((n, 3)) < 0.2] = np.nan
    return X


def to_left(tree, x):
    return fractions_of(tree, np.array(x, dtype=float))[1]


def test_a_sample_goes_left_as_far_as_its_value_is_at_most_the_cuts_a_category_from_its_own_place_on():
    known = [4, 4.5, 5, 6, 6.5]
    assert [to_left(neighbourhoods(), [x, 0]) for x in known] == pytest.approx([1, 2 / 3, 2 / 3, 1 / 3, 0])
    assert to_left(neighbourhoods(), [-math.inf, 0]) == 1
    assert to_left(neighbourhoods(), [math.inf, 0]) == 0
    # In order 2, 0, 1, 3, with the weights 0, 3, 1, 0.
    assert [to_left(soft_colours(), [c]) for c in (2, 0, 1, 3)] == [1, 1, 0.25, 0]
    assert [to_left(soft_colours(), [c]) for c in (4, 64, -1, math.nan)] == [0.4] * 4
    assert to_left(neighbourhoods(), [math.nan, 0]) == 0.5
    assert to_left(options(), [math.nan, 4]) == (0.5 + 1) / 2
    assert to_left(options(), [4, math.nan]) == (1 + 0.25) / 2
    assert to_left(options(), [math.nan, math.nan]) == (0.5 + 0.25) / 2


def test_a_lone_leaf_is_one_tree_with_one_answer_and_a_cut_that_weighs_nothing_none():
    leaf = make_cultivated([-1], [-1], [3], [3], [[0.5]], [0], ([0, 0], *[[]] * 6), ([0], [], []))
    assert log_ensemble_size(leaf) == 0
    assert fractions_of(leaf, np.zeros(2)).tolist() == [1]
    mean, spread = predict(leaf, np.zeros((3, 2)))
    assert (mean.tolist(), spread.tolist()) == ([[0.5]] * 3, [0] * 3)
    assert log_ensemble_size(soft_colours()) == pytest.approx(math.log10(2))
    assert log_ensemble_size(softened(colours())) == 0


@settings(max_examples=60)
@given(seed=SEEDS)
def test_fractions_of_a_sample_sum_to_1_at_every_depth(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 4)
    depth, leaf, parent = depths(tree), is_leaf(tree), parents(tree)
    for x in random_samples(rng, 5):
        found = fractions_of(tree, x)
        for level in range(tree.depth + 1):
            here = (depth == level) | (leaf & (depth < level))
            assert found[here].sum() == pytest.approx(1, abs=1e-13)
        children = np.flatnonzero(parent >= 0)
        summed = np.bincount(parent[children], found[children], minlength=tree.n_nodes)
        assert summed[~leaf] == pytest.approx(found[~leaf], abs=1e-13)


@settings(max_examples=40)
@given(seed=SEEDS)
def test_reach_lists_for_every_node_the_samples_in_it_with_their_fractions(seed):
    rng = np.random.default_rng(seed)
    tree, X = random_tree(rng), random_samples(rng, 20)
    start, rows, fraction = reach(tree, X)
    table = np.zeros((len(X), tree.n_nodes))
    for node in range(tree.n_nodes):
        here = slice(start[node], start[node + 1])
        assert rows[here].tolist() == sorted(set(rows[here].tolist()))
        assert (fraction[here] > 0).all()
        table[rows[here], node] = fraction[here]
    assert table == pytest.approx(np.array([fractions_of(tree, x) for x in X]), abs=1e-15)


@settings(max_examples=60)
@given(seed=SEEDS, n_outputs=st.integers(1, 4))
def test_predictions_follow_the_words_of_the_record(seed, n_outputs):
    rng = np.random.default_rng(seed)
    tree, X = random_tree(rng, n_outputs=n_outputs), random_samples(rng, 12)
    mean, spread = predict(tree, X)
    expected = [naive.predict(naive.read(tree), x) for x in X]
    assert mean == pytest.approx(np.array([m for m, _ in expected]), abs=1e-12)
    assert spread**2 == pytest.approx(np.array([s for _, s in expected]) ** 2, abs=1e-12)


def test_samples_are_answered_alike_alone_and_in_a_crowd():
    rng = np.random.default_rng(0)
    tree, X = random_tree(rng, 4), random_samples(rng, 2 * CHUNK + 3)
    crowd = predict(tree, X)
    some = [0, CHUNK - 1, CHUNK, 2 * CHUNK, 2 * CHUNK + 2]
    for row in some:
        alone = predict(tree, X[[row]])
        assert (alone[0][0, 0], alone[1][0]) == (crowd[0][row, 0], crowd[1][row])
    assert predict(tree, X[:0])[0].shape == (0, 1)


def hard_trees(tree):
    """Every tree that takes one decision and one cut at each node, as {node: (decision, cut)}, with its weight."""
    choices = []
    for node in np.flatnonzero(~is_leaf(tree)):
        here = []
        for d in range(tree.decisions.start[node], tree.decisions.start[node + 1]):
            phi = tree.cuts.weight[tree.cuts.start[d] : tree.cuts.start[d + 1]]
            here += [(node, d, c, tree.decisions.share[d] * w / phi.sum()) for c, w in enumerate(phi) if w > 0]
        choices.append(here)
    for chosen in product(*choices):
        yield {node: (d, c) for node, d, c, _ in chosen}, math.prod(w for *_, w in chosen)


def hard_leaf(tree, chosen, x):
    """The leaf that a known sample x falls into, each node asking one decision with one cut."""
    node = 0
    while tree.left[node] >= 0:
        d, c = chosen[node]
        value = tree.cuts.value[tree.cuts.start[d] : tree.cuts.start[d + 1]]
        own = x[tree.decisions.feature[d]]
        at_most = own in value[: c + 1] if np.isnan(tree.decisions.threshold[d]) else own <= value[c]
        node = tree.left[node] if at_most != tree.decisions.reversed[d] else tree.right[node]
    return node


def assert_equation_1_holds(tree, samples):
    trees = list(hard_trees(tree))
    assert log_ensemble_size(tree) == pytest.approx(math.log10(len(trees)))
    for x in samples:
        expected = np.zeros(tree.n_nodes)
        for chosen, weight in trees:
            expected[hard_leaf(tree, chosen, x)] += weight
        leaf = is_leaf(tree)
        assert fractions_of(tree, x)[leaf] == pytest.approx(expected[leaf], abs=1e-13)


@pytest.mark.parametrize("tree", [neighbourhoods(), options()])
def test_equation_1_holds_for_the_trees_typed_by_hand(tree):
    assert_equation_1_holds(tree, [np.array(x, dtype=float) for x in product(range(3, 8), range(1, 7))])


@settings(max_examples=15)
@given(seed=SEEDS)
def test_fractions_are_those_of_the_ensemble_of_all_hard_trees(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 2)
    X = rng.integers(-4, 5, (4, 3)).astype(float)
    for d in np.flatnonzero(np.isnan(tree.decisions.threshold)):  # a known category of every decision
        own = slice(tree.cuts.start[d], tree.cuts.start[d + 1])
        X = X[np.isin(X[:, 2], tree.cuts.value[own])]
    assert_equation_1_holds(tree, X)


@settings(max_examples=80)
@given(data=st.data())
def test_a_softened_tree_answers_exactly_as_the_tree(data):
    columns, target = data.draw(random_trees.features()), data.draw(random_trees.targets())
    tree = data.draw(random_trees.trees(columns, target))
    X = data.draw(random_trees.samples(columns, tree))
    leaves, soft = leaf_of(tree, X), softened(tree)
    mean, spread = predict(soft, X)
    assert np.array_equal(mean, tree.value[leaves])
    assert not spread.any()
    assert np.array_equal(soft.feature, tree.feature)
    for x, leaf in zip(X, leaves, strict=True):
        assert np.flatnonzero(fractions_of(soft, x) * is_leaf(soft)).tolist() == [leaf]


def test_a_softened_split_on_categories_sends_the_unknown_where_the_tree_does():
    X = np.array([[0], [1], [2], [3], [63], [64], [-1], [np.nan]], dtype=float)
    assert predict(softened(colours()), X)[0].tolist() == colours().value[leaf_of(colours(), X)].tolist()

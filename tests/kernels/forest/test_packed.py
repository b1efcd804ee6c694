"""Packed forests and trees of a batch, beside the trees one by one."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_regression

from espalier.kernels.forest.bootstrap import LINE, MOST_BYTES, BatchNodes, NodeRoom, trees_of_batch
from espalier.kernels.forest.ordinal import MANY, make_coded
from espalier.kernels.forest.packed import (
    FEWEST,
    MANY_NODES,
    MOST_TOGETHER,
    block_rows,
    pack_forest,
    rows_of,
    short,
)
from espalier.learners import RandomForestClassifier, RandomForestRegressor
from espalier.predict import leaves
from espalier.trees import LEAF, Tree, make_forest, make_tree


def forest_of_numbers(**parameters) -> RandomForestRegressor:
    return RandomForestRegressor(n_estimators=8, random_state=0).set_params(**parameters)


def test_many_blocks_of_rows_are_predicted_like_each_alone():
    wide, numbers = (np.asarray(a) for a in make_regression(120, 1100, noise=5, random_state=0))
    forest = forest_of_numbers().fit(wide, numbers)
    assert block_rows(8 * 1100) == FEWEST
    many = np.random.default_rng(0).normal(size=(3 * FEWEST + 7, 1100))
    expected = np.mean([tree.value[leaves(tree, many), 0] for tree in forest.forest_.trees], axis=0)
    for n_jobs in (1, 2, 3):
        assert forest.set_params(n_jobs=n_jobs).predict(many) == pytest.approx(expected, abs=1e-9)


def assert_is_packed(packed, number: int, tree: Tree):
    """Walk through a tree and its packed nodes side by side."""
    pending = [(0, int(packed.root[number]))]
    while pending:
        node, at = pending.pop()
        step, is_leaf = packed.nodes[at], tree.feature[node] == LEAF
        assert packed.missing_left[at] == tree.missing_left[node]
        assert packed.categories[at] == tree.categories[node]
        assert (packed.leaf[at] >= 0) == is_leaf
        if is_leaf:
            assert np.array_equal(packed.value[packed.leaf[at]], tree.value[node])
            assert (step.feature, step.threshold, step.next) == (0, np.inf, at)
        else:
            assert step.feature == tree.feature[node]
            assert np.array_equal(step.threshold, tree.threshold[node], equal_nan=True)
            pending += [(tree.left[node], step.next), (tree.right[node], step.next + 1)]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_small_trees_packed_together_and_large_ones_are_the_trees_and_no_value_is_missing(n_threads):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, (300, 4)).astype(float), rng.integers(0, 3, 300)
    small = RandomForestClassifier(n_estimators=9, categorical_features=[3], random_state=0).fit(X, y).forest_
    X, y = rng.normal(size=(MOST_TOGETHER, 2)), rng.integers(0, 3, MOST_TOGETHER)
    large = RandomForestClassifier(n_estimators=2, max_depth=None, random_state=0).fit(X, y).forest_
    trees = [*small.trees, *large.trees, *small.trees, *large.trees * (MANY_NODES // large.trees[0].n_nodes)]
    packed = pack_forest(make_forest(trees, np.ones(len(trees)), "mean", small.prior), n_threads)
    assert packed.has_categories
    assert len(packed.value) == sum(tree.n_leaves for tree in trees)
    assert np.array_equal(np.sort(packed.leaf[packed.leaf >= 0]), np.arange(len(packed.value)))
    for number in (*range(len(small.trees)), len(small.trees) + 1, len(small.trees) + 3, len(trees) - 1):
        assert_is_packed(packed, number, trees[number])
    assert not pack_forest(large).has_categories


@pytest.mark.parametrize("gaps", [False, True])
def test_rows_of_short_numbers_are_predicted_as_they_are_beside_a_long_one(gaps):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 6, (300, 5)).astype(float)
    rows[(rng.random((300, 5)) < 0.2) & gaps] = np.nan
    forest = forest_of_numbers().fit(rows, rng.normal(size=300))
    beside = np.vstack([np.full(5, 0.1), rows])
    assert short(rows_of(rows)).dtype == np.float32
    assert short(rows_of(beside)).dtype == np.float64
    assert np.array_equal(forest.predict(rows), forest.predict(beside)[1:])


def test_values_that_differ_only_in_float64_are_told_apart():
    near = np.repeat([[1.0], [1.0 + 2.0**-40]], 100, axis=0)
    forest = forest_of_numbers(bootstrap=False).fit(near, np.repeat([0.0, 1.0], 100))
    assert np.array_equal(forest.predict(near), np.repeat([0.0, 1.0], 100))
    whole_before = np.vstack([np.ones((100, 1)), near])
    assert np.array_equal(forest.predict(whole_before), np.repeat([0.0, 0.0, 1.0], 100))


# ---- Trees of a batch: against trees whose arrays are made one by one

RNG = np.random.default_rng(0)
SIZES = np.array([3, 1, -5])


def nodes_of_three_trees(categories) -> BatchNodes:
    """The nodes of a split, of a lone leaf, and of a tree that was cut short; then memory that is not in use."""
    feature = np.array([1, LEAF, LEAF, LEAF, 0, 2, LEAF, LEAF, LEAF, 7, 7], np.int32)
    right = np.array([2, LEAF, LEAF, LEAF, 4, 3, LEAF, LEAF, LEAF, 9, 9], np.int32)
    threshold, impurity, chance = RNG.random((3, 11))
    weight = RNG.integers(1, 9, 11).astype(float)
    value = RNG.random((11, 2))
    return BatchNodes(feature, threshold, right, categories, chance < 0.5, weight, weight, value, impurity)


def made_by_itself(nodes, first, stop, left):
    """The tree of some of the nodes, whose left children are given."""
    own: Any = BatchNodes._make(None if array is None else array[first:stop] for array in nodes)
    categories = np.zeros(stop - first) if own.categories is None else own.categories
    return make_tree(own.feature, own.threshold, left, own.right, categories, *own[4:])


@pytest.mark.parametrize("categories", [None, RNG.integers(0, 9, 11).astype(np.uint64)])
def test_trees_of_a_batch_are_those_made_one_by_one_and_of_no_memory_that_is_used_again(categories):
    nodes = nodes_of_three_trees(categories)
    parts = [(0, 3, [1, LEAF, LEAF]), (3, 4, [LEAF]), (4, 9, [1, 2, LEAF, LEAF, LEAF])]
    grown = trees_of_batch(SIZES, nodes)
    assert [complete for _, complete in grown] == [True, True, False]
    for (tree, _), part in zip(grown, parts, strict=True):
        expected = made_by_itself(nodes, *part)
        for array, other in zip(
            (*tree[:-1], *tree.surrogates), (*expected[:-1], *expected.surrogates), strict=True
        ):
            assert array.dtype == other.dtype
            assert np.array_equal(array, other)
            assert array.flags.c_contiguous
            assert not array.flags.writeable
            assert not any(np.shares_memory(array, one) for one in nodes if one is not None)


def test_trees_of_several_batches_lie_in_one_room_and_their_values_have_its_offset():
    room, batches = NodeRoom(offset=2.5), [nodes_of_three_trees(None) for _ in range(40)]
    grown = [trees_of_batch(SIZES, nodes, room) for nodes in batches]
    for trees, nodes in zip(grown, batches, strict=True):
        plain = trees_of_batch(SIZES, nodes)
        for (tree, _), (other, _) in zip(trees, plain, strict=True):
            assert np.array_equal(tree.value, other.value + 2.5)
            assert all(np.array_equal(tree[i], other[i], equal_nan=True) for i in range(8))
            assert np.array_equal(tree.impurity, other.impurity)


def test_arrays_of_a_room_share_no_byte_and_are_aligned():
    room, shapes = NodeRoom(), RNG.integers(1, 50, (60, 2)).tolist()
    kinds = [np.dtype(("i4", "f8", "?", "i8")[i % 4]) for i in range(len(shapes))]
    arrays = [room.empty((a, b), kind) for (a, b), kind in zip(shapes, kinds, strict=True)]
    for i, array in enumerate(arrays):
        array[...] = i % 2 if array.dtype == bool else i
    assert all((array == (i % 2 if array.dtype == bool else i)).all() for i, array in enumerate(arrays))
    assert all(array.flags.aligned and array.flags.c_contiguous for array in arrays)
    starts = [array.__array_interface__["data"][0] for array in arrays]
    assert any((b - a) % LINE == 0 and b > a for a, b in pairwise(starts))
    assert room.empty((MOST_BYTES + 1,), np.uint8).shape == (MOST_BYTES + 1,)


def test_codes_are_the_same_for_any_number_of_threads_and_in_tables_that_wake_none():
    for n in (50, MANY // 4 + 1):
        columns = np.round(RNG.normal(size=(4, n)), 2)
        one, two = make_coded(columns), make_coded(columns, 2)
        assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_codes_of_8_bits_are_kept_where_no_column_has_more_than_256_values():
    columns = np.stack([RNG.permutation(np.arange(512) % n_values) for n_values in (2, 256)]).astype(float)
    for factor in (1.0, 0.5):  # whole numbers, and others
        coded = make_coded(factor * columns)
        assert coded.short.dtype == coded.upright.dtype == np.uint8
        assert np.array_equal(coded.short.reshape(512, 2), coded.codes)
        assert np.array_equal(coded.upright.reshape(2, 512), coded.codes.T)
    columns[0, 0], columns[1, 0] = 0.5, 0.5
    coded = make_coded(columns)
    assert coded.short.shape == coded.upright.shape == (0,)


@pytest.mark.parametrize("odd", [None, -1.0, 256.0, 0.5, -0.5, 1e300, 2.0**32, 255.0])
def test_whole_numbers_have_the_codes_that_sorting_gives(odd):
    columns = np.stack([RNG.choice([0, 3, 4, 77, 255], 600), RNG.integers(7, 9, 600), np.full(600, 5)]).astype(
        float
    )
    for at in (0, 1, 599):
        if odd is not None:
            columns[1, at] = odd
        coded = make_coded(columns)
        for column, codes, start, stop in zip(columns, coded.codes.T, coded.start, coded.start[1:], strict=False):
            values, expected = np.unique(column, return_inverse=True)
            assert np.array_equal(codes, expected)
            assert np.array_equal(coded.value[start:stop], values)

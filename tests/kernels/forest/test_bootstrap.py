"""Trees of a batch: against trees whose arrays are made one by one."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from espalier.kernels.forest.bootstrap import LINE, MOST_BYTES, BatchNodes, NodeRoom, trees_of_batch
from espalier.kernels.forest.ordinal import MANY, make_coded
from espalier.trees import LEAF, make_tree

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

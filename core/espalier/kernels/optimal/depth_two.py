"""The best trees of depth two, read off the counts of pairs of columns (Demirović et al. 2022, section 4.2).

With the root on column j and a child on column i, four numbers are enough: the earnings where both are 1, and the
three differences from the sums. The two children of a node need only one count: the earnings of one child, taken
from the node's, leave those of the other.

A *key* is ``cost * 4 + splits``: a tree of depth two has 3 splits at most, and among trees of the least cost the
least key has the fewest splits.

Where leaves have a least weight, four more numbers are the weights of the leaves: a split with a leaf that is too
light earns nothing, and a root with a side that is too light has the key LARGE. `thin_out` has already dropped the
columns that split the node itself so.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, uncounted
from espalier.kernels.optimal.bitset import (
    WORD,
    BitMove,
    SearchLevel,
    bits_of,
    move_bits,
    sum_columns,
    weigh_both,
    weigh_columns,
)
from espalier.kernels.simd import LANES, above, count_ones, greater, load, ones, same, smaller, spread, store

SPLITS = 4  # numbers of splits from 0 to 3
LARGE = 1 << 30
NO, YES = 0, SPLITS  # where a child's keys begin


class PairWorkspace(NamedTuple):
    """Scratch memory for the two children of a node: the rows with the rarer answer, and the rest.

    `sums` has four blocks, each as `sums` in `SearchLevel`: for the rarer answer, where another column is 1 and
    where it is 0; and the same for the rest.
    """

    words: np.ndarray  # (n_words * stride,) int32: the rows with the rarer answer, packed
    start: np.ndarray  # (n_planes + 1,) int64: as in `SearchLevel`
    sums: np.ndarray  # (4 * (n_classes + 1) * stride,) int32
    keys: np.ndarray  # (2 * SPLITS + LANES,) int32: least keys with at most 0 to 3 splits, for no and for yes
    weight: np.ndarray  # (2 * stride,) int32: of rows with the rarer answer where a column is 1; then of the rest


class SumBlocks(NamedTuple):
    """Where the sums of a set of rows stand: where another column is 1, and in the next block where it is 0."""

    base: int
    size: int  # of a block


class WeightBlock(NamedTuple):
    """Where the weights of a set of rows stand."""

    weight: np.ndarray  # int32
    base: int
    n_columns: int  # the place, from the base, of all rows


class ColumnPair(NamedTuple):
    """Two columns of questions in a tree of depth two."""

    i: int  # below the root
    j: int  # at the root: 16 from here on


def make_pair_workspace(level: SearchLevel) -> PairWorkspace:
    """Allocate scratch memory for the children of this level's nodes."""
    sizes = level.words.shape[1], 4 * level.sums.shape[1], 2 * SPLITS + LANES, 2 * level.weight.shape[1]
    words, sums, keys, weight = (np.zeros(size, np.int32) for size in sizes)
    return PairWorkspace(words, np.zeros(level.start.shape[1], np.int64), sums, keys, weight)


@uncounted
def solve_children(problem, level, k, column, scratch):
    """Write the least keys of trees of depth two for both answers to a column at depth k into ``scratch.keys``."""
    block = (len(problem.plane) - 1) * level.shape[k, 1]
    side = _pack_rarer(level, k, column, block - level.shape[k, 1], scratch)
    _sum_children(problem, level, k, scratch)
    if problem.least > 0:
        _solve_packed(problem, level, k, side, True, scratch)
    else:
        _solve_packed(problem, level, k, side, False, scratch)


@inlined
def _solve_packed(problem, level, k, side, is_weighed, scratch):
    """Write the keys of `solve_children`; `side` is packed, `is_weighed` says if leaves have a least weight."""
    n, stride, pairs, sums = level.shape[k, 0], level.shape[k, 1], level.pairs[k], scratch.sums
    plane, start, words, factor = problem.plane, scratch.start, scratch.words, problem.factor
    block = (len(plane) - 1) * stride
    blocks_rare, blocks_rest = SumBlocks(0, block), SumBlocks(2 * block, block)
    weights_rare, weights_rest = WeightBlock(scratch.weight, 0, n), WeightBlock(scratch.weight, stride, n)
    none, large = spread(0), spread(LARGE)
    least_rare, least_rest = (large, large, large), (large, large, large)
    for j in range(0, stride, LANES):
        rare_sums, rest_sums = (none, none, none), (none, none, none)
        for i in range(n):
            rare, rest = (none, none, none, none), (none, none, none, none)
            for c in range(len(plane) - 2):
                both = none
                for p in range(plane[c], plane[c + 1]):
                    count = none
                    for w in range(start[p], start[p + 1]):
                        count = count + ones(same(words, w * stride + i) & load(words, w * stride + j))
                    both = both + count * same(factor, p)
                at = c * stride
                rare = _earn(rare, both, sums, SumBlocks(at, block), ColumnPair(i, j))
                both = load(pairs, (c * n + i) * stride + j) - both
                rest = _earn(rest, both, sums, SumBlocks(at + 2 * block, block), ColumnPair(i, j))
            if is_weighed:
                both = weigh_both(problem, words, start, stride, i, j)
                rare = _only_heavy(problem, rare, both, weights_rare, ColumnPair(i, j))
                both = load(pairs, ((len(plane) - 2) * n + i) * stride + j) - both
                rest = _only_heavy(problem, rest, both, weights_rest, ColumnPair(i, j))
            rare_sums = _join(rare_sums, rare)
            rest_sums = _join(rest_sums, rest)
        if is_weighed:
            rare_sums = _check_roots(problem, rare_sums, weights_rare, j)
            rest_sums = _check_roots(problem, rest_sums, weights_rest, j)
        least_rare = _least_keys(least_rare, rare_sums, sums, blocks_rare, j, stride)
        least_rest = _least_keys(least_rest, rest_sums, sums, blocks_rest, j, stride)
    _write_keys(scratch, YES if side else NO, least_rare, blocks_rare, n, stride)
    _write_keys(scratch, NO if side else YES, least_rest, blocks_rest, n, stride)


@uncounted
def solve_node(problem, level, k, scratch):
    """Write the least keys of trees of depth two for the node at depth k itself, in place of YES.

    Those of its children with one split at most go where `solve_stumps` puts them. Pairs are counted.
    """
    n, stride = level.shape[k, 0], level.shape[k, 1]
    block = (len(problem.plane) - 1) * stride
    _sum_node(level, k, scratch, block)
    large = spread(LARGE)
    least = (large, large, large)
    for j in range(0, stride, LANES):
        saving = _earned_below(problem, level, k, scratch, j)
        least = _least_keys(least, saving, scratch.sums, SumBlocks(0, block), j, stride)
        _write_stumps(scratch, saving, block, j, stride)
    _write_keys(scratch, YES, least, SumBlocks(0, block), n, stride)


@uncounted
def solve_stumps(problem, level, k, scratch):
    """Write the least keys with one split at most for both answers to every column of the node at depth k.

    Those where column j is 1 go to ``scratch.words[j]``, those where it is 0 to ``scratch.words[stride + j]``.
    """
    stride = level.shape[k, 1]
    block = (len(problem.plane) - 1) * stride
    _sum_node(level, k, scratch, block)
    for j in range(0, stride, LANES):
        saving = _earned_below(problem, level, k, scratch, j)
        _write_stumps(scratch, saving, block, j, stride)


@inlined
def _write_stumps(scratch, earned, block, j, stride):
    """Write the least keys with one split at most for both answers to 16 columns, as `solve_stumps` does."""
    sums = scratch.sums
    for side in range(2):
        base = side * block
        leaf = spread(0)
        for at in range(base + j, base + block - stride, stride):
            leaf = greater(leaf, load(sums, at))
        worth, split = load(sums, base + block - stride + j), greater(earned[side], leaf)
        key = (worth - split) * spread(SPLITS) + above(split, leaf)
        store(scratch.words, side * stride + j, key)


@inlined
def _sum_node(level, k, scratch, block):
    """Write the sums over all rows of the node into the first two blocks of `scratch.sums`."""
    n, stride, sums = level.shape[k, 0], level.shape[k, 1], scratch.sums
    for at in range(0, block, LANES):
        store(sums, at, load(level.sums[k], at))
    _sum_others(sums, SumBlocks(0, block), n, stride)


@inlined
def _earned_below(problem, level, k, scratch, j):
    """Return the most earned by a split where each of the 16 columns from j on is 1, and where it is 0.

    And zeros.
    """
    n, stride, pairs = level.shape[k, 0], level.shape[k, 1], level.pairs[k]
    block, none = (len(problem.plane) - 1) * stride, spread(0)
    saving = (none, none, none)
    for i in range(n):
        leaves = (none, none, none, none)
        for c in range(len(problem.plane) - 2):
            both = load(pairs, (c * n + i) * stride + j)
            leaves = _earn(leaves, both, scratch.sums, SumBlocks(c * stride, block), ColumnPair(i, j))
        if problem.least > 0:
            both = load(pairs, ((len(problem.plane) - 2) * n + i) * stride + j)
            leaves = _only_heavy(problem, leaves, both, WeightBlock(level.weight[k], 0, n), ColumnPair(i, j))
        saving = _join(saving, leaves)
    return saving


@inlined
def _pack_rarer(level, k, column, worth, scratch):
    """Pack the rows whose answer to a column is worth less; return that answer, 1 for yes.

    The worths begin at place `worth` of the sums.
    """
    n, stride, words, start = level.shape[k, 0], level.shape[k, 1], level.words[k], level.start[k]
    side = 1 if 2 * level.sums[k, worth + column] <= level.sums[k, worth + n] else 0
    at = 0
    for p in range(len(start) - 1):
        at = (at + WORD - 1) // WORD * WORD
        scratch.start[p] = at // WORD
        for w in range(start[p], start[p + 1]):
            mask = bits_of(words, w * stride + column)
            if not side:
                mask ^= bits_of(words, w * stride + n)
            if mask != 0:
                end = at + count_ones(mask)
                move_bits(words, BitMove(w, mask, at, end), scratch.words, stride)
                at = end
    scratch.start[-1] = (at + WORD - 1) // WORD
    return side


@uncounted
def _sum_children(problem, level, k, scratch):
    n, stride, sums, node_sums = level.shape[k, 0], level.shape[k, 1], scratch.sums, level.sums[k]
    block = (len(problem.plane) - 1) * stride
    sum_columns(problem, scratch.words, scratch.start, sums, stride)
    for at in range(0, block, LANES):
        store(sums, 2 * block + at, load(node_sums, at) - load(sums, at))
    if problem.least > 0:
        weigh_columns(problem, scratch.words, scratch.start, scratch.weight, stride)
        for at in range(0, stride, LANES):
            store(scratch.weight, stride + at, load(level.weight[k], at) - load(scratch.weight, at))
    _sum_others(sums, SumBlocks(0, block), n, stride)
    _sum_others(sums, SumBlocks(2 * block, block), n, stride)


@inlined
def _sum_others(sums, blocks, n, stride):
    """Write the second of two blocks: the earnings where a column is 0; column n has everything."""
    base, block = blocks.base, blocks.size
    for at in range(0, block, stride):
        everything = same(sums, base + at + n)
        for j in range(0, stride, LANES):
            store(sums, base + block + at + j, everything - load(sums, base + at + j))


@inlined
def _earn(most, both, sums, blocks, pair):
    """Return the most earned in the four leaves below column j and, on both sides, i, updated by one class.

    `both` is what the class earns where the two columns are 1.
    """
    base, block, i, j = blocks.base, blocks.size, pair.i, pair.j
    only_i = same(sums, base + i) - both
    return (
        greater(most[0], both),
        greater(most[1], load(sums, base + j) - both),
        greater(most[2], only_i),
        greater(most[3], load(sums, base + block + j) - only_i),
    )


@inlined
def _only_heavy(problem, leaves, both, weights, pair):
    """Return the earnings of the four leaves, 0 on a side where column i has a leaf that is too light.

    `both` is the weight where the two columns are 1.
    """
    weight, base, n, i, j = weights.weight, weights.base, weights.n_columns, pair.i, pair.j
    limit, here = spread(problem.least - 1), load(weight, base + j)
    only_i = same(weight, base + i) - both
    yes = above(both, limit) * above(here - both, limit)
    no = above(only_i, limit) * above(same(weight, base + n) - here - only_i, limit)
    return leaves[0] * yes, leaves[1] * yes, leaves[2] * no, leaves[3] * no


@inlined
def _check_roots(problem, earned, weights, j):
    """Return the earnings below 16 roots, then a least key for each: LARGE if a side is too light, else 0."""
    weight, base, n = weights.weight, weights.base, weights.n_columns
    limit, here = spread(problem.least - 1), load(weight, base + j)
    is_heavy = above(here, limit) * above(same(weight, base + n) - here, limit)
    return earned[0], earned[1], (spread(1) - is_heavy) * spread(LARGE)


@inlined
def _join(most, leaves):
    """Return the most earned by a split where column j is 1, and where it is 0, updated by these leaves."""
    return greater(most[0], leaves[0] + leaves[1]), greater(most[1], leaves[2] + leaves[3]), most[2]


@inlined
def _least_keys(least, earned, sums, blocks, j, stride):
    """Return the least keys with 1, 2 and 3 splits, updated by these 16 roots; none is less than ``earned[2]``."""
    base, block = blocks.base, blocks.size
    leaf = spread(0), spread(0)
    for at in range(base + j, base + block - stride, stride):
        leaf = greater(leaf[0], load(sums, at)), greater(leaf[1], load(sums, at + block))
    split = greater(earned[0], leaf[0]), greater(earned[1], leaf[1])
    worth = load(sums, base + block - stride + j) + load(sums, base + 2 * block - stride + j)
    four = spread(SPLITS)
    key = (worth - leaf[0] - leaf[1]) * four + spread(1)
    two = (worth - greater(split[0] + leaf[1], leaf[0] + split[1])) * four + spread(2)
    splits = spread(1) + above(split[0], leaf[0]) + above(split[1], leaf[1])
    three = (worth - split[0] - split[1]) * four + splits
    key, two, three = greater(key, earned[2]), greater(two, earned[2]), greater(three, earned[2])
    return smaller(least[0], key), smaller(least[1], two), smaller(least[2], three)


@inlined
def _write_keys(scratch, side, least, blocks, n, stride):
    """Write the least keys with at most 0 (a leaf), 1, 2 and 3 splits."""
    sums, keys = scratch.sums, scratch.keys
    base, block = blocks.base, blocks.size
    most = np.int32(0)
    for at in range(base + n, base + block - stride, stride):
        most = max(most, sums[at])
    keys[side] = (sums[base + block - stride + n] - most) * SPLITS
    for splits in range(1, SPLITS):
        store(keys, 2 * SPLITS, least[splits - 1])
        key = keys[side + splits - 1]
        for lane in range(2 * SPLITS, 2 * SPLITS + LANES):
            key = min(key, keys[lane])
        keys[side + splits] = key

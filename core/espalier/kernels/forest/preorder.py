"""Predictions of a forest for many rows: sorted by region, 64 at once pass the splits of a region's trees.

They pass all splits of a tree in preorder. Those that a split sends right wait in a stack, those that it sends
left come to the next split. The place of a row's leaf is the number of leaves on the left of all splits that sent
it right. Where each level of a tree asks one question, as in those of CatBoost (oblivious trees), that question is
asked once a level, and no row waits. Results are those of one tree after the other, to the last bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.forest.coded.descent import code_rows
from espalier.kernels.forest.packed import PackedForest
from espalier.kernels.forest.regions import MIDDLE, RETURNS, WAITS
from espalier.kernels.vectors.simd import SHORTS, above, fill, load, same, store

BLOCK = 8192  # rows that are sorted by region at a time
TOGETHER = 2 * SHORTS  # rows
ROWS = 8 * TOGETHER  # of a region that go through its trees at a time


class LeafTable(NamedTuple):
    """The values of a packed forest's leaves, times their trees' weights."""

    value: np.ndarray  # (n_outputs, n_leaves) float64
    is_used: np.ndarray  # (n_trees, n_outputs) bool: whether any leaf of the tree has another value than 0


class CodedBlock(NamedTuple):
    """The rows of a block."""

    codes: np.ndarray  # (n, n_codes) uint16
    out: np.ndarray  # (n, n_outputs) float64: sums of their predictions


class RegionRoom(NamedTuple):
    """Memory for rows of a region, at most ROWS."""

    codes: np.ndarray  # (n_codes * ROWS,) int16, code after code
    leaves: np.ndarray  # (ROWS,) int16: place of each row's leaf among those of a tree
    names: np.ndarray  # (ROWS,) int32: its number in the packed forest
    waiting: np.ndarray  # int16: of TOGETHER rows each, 1 for a row that waits
    sums: np.ndarray  # (n_outputs, ROWS) float64


def leaf_table(packed: PackedForest) -> LeafTable:
    """Return the values of a packed forest's leaves, times their trees' weights."""
    n_leaves = (np.diff(np.append(packed.root, len(packed.nodes))) + 1) // 2
    weighted = packed.value * np.repeat(packed.weight, n_leaves)[:, None]
    is_used = np.logical_or.reduceat(weighted != 0, np.cumsum(n_leaves) - n_leaves)
    return LeafTable(np.ascontiguousarray(weighted.T), is_used)


@kernel
def _take_levels(regions, tree, n, room):
    """Find the leaves of n rows in a tree whose levels ask one question each."""
    codes, first = room.codes, np.uint32(regions.first[tree])
    number, place, left = regions.number, regions.place, regions.left
    last = np.uint32(first + regions.n_levels[tree])  # the first splits in preorder are one of each level
    nothing = fill(load(codes, 0), 0)
    for row in range(0, n, SHORTS):
        leaf = nothing
        for split in range(first, last):
            is_right = above(load(codes, np.int64(number[split]) * ROWS + row), same(place, split))
            leaf = leaf + is_right * same(left, split)
        store(room.leaves, row, leaf)


@kernel
def _take_splits(regions, tree, n, room):
    """Find the leaves of n rows in any tree."""
    codes, waiting = room.codes, room.waiting
    number, place, left, turn = regions.number, regions.place, regions.left, regions.turn
    nothing = fill(load(codes, 0), 0)
    for row in range(0, n, TOGETHER):
        a = b = fill(nothing, 1)  # 1 for the rows that come to the split
        leaf_a = leaf_b = nothing
        top = TOGETHER
        for split in range(np.uint32(regions.first[tree]), np.uint32(regions.first[tree + 1])):
            at = np.int64(number[split]) * ROWS + row
            limit, n_left = same(place, split), same(left, split)
            right_a, right_b = above(load(codes, at), limit) & a, above(load(codes, at + SHORTS), limit) & b
            leaf_a, leaf_b = leaf_a + right_a * n_left, leaf_b + right_b * n_left
            if turn[split] & WAITS:
                store(waiting, top, right_a)
                store(waiting, top + SHORTS, right_b)
                top += TOGETHER
            if turn[split] & RETURNS:  # none waits any more after the last split, for which there is room below
                top -= TOGETHER
                a, b = load(waiting, top), load(waiting, top + SHORTS)
            else:
                a, b = a - right_a, b - right_b
        store(room.leaves, row, leaf_a)
        store(room.leaves, row + SHORTS, leaf_b)


@kernel
def _add(value, leaves, sums):
    for row in range(len(sums)):
        sums[row] += value[np.uint16(leaves[row])]


@kernel
def _add_by_name(value, names, sums):
    for row in range(len(sums)):
        sums[row] += value[np.uint32(names[row])]


@kernel
def _sum_region(regions, table, region, n, room):
    """Write the sums of the trees' predictions for n rows, whose codes are in a room."""
    sums, leaf = room.sums, regions.leaf
    sums[:] = 0.0
    for number in range(regions.n_trees):
        tree = region * regions.n_trees + number
        if regions.n_levels[tree] >= 0:
            _take_levels(regions, tree, n, room)
        else:
            _take_splits(regions, tree, n, room)
        first = regions.first_leaf[tree]
        for row in range(n if len(leaf) else 0):
            room.names[row] = leaf[first + np.uint16(room.leaves[row])]
        for k in range(len(sums)):
            if not table.is_used[number, k]:  # to add 0 would change nothing
                continue
            if len(leaf):
                _add_by_name(table.value[k], room.names, sums[k, :n])
            else:
                _add(table.value[k, first:], room.leaves, sums[k, :n])


@kernel
def _sort(router, codes, begin, order):
    """Write the rows sorted by region, and the end of each region into begin (n_regions + 1,), which is all 0."""
    region = np.zeros(len(codes), np.int32)
    for row in range(len(codes) if len(router) > 1 else 0):
        step = np.uint32(0)
        while router[step, 2] >= 0:
            step = np.uint32(router[step, 2] + (codes[row, router[step, 0]] > router[step, 1]))
        region[row] = router[step, 1]
    for row in range(len(codes)):
        begin[region[row] + 1] += 1
    for i in range(1, len(begin)):
        begin[i] += begin[i - 1]
    for row in range(len(codes)):
        order[begin[region[row]]] = row
        begin[region[row]] += 1


@kernel
def _sum_rows(regions, table, region, rows, block, room):
    """Write the sums of the trees' predictions for some rows of a block."""
    codes, out, n = block.codes, block.out, len(rows)
    for number in range(codes.shape[1]):
        for i in range(n):
            room.codes[number * ROWS + i] = np.int16(np.int32(codes[rows[i], number]) - MIDDLE)
    _sum_region(regions, table, region, n, room)
    for i in range(n):
        for k in range(out.shape[1]):
            out[rows[i], k] = room.sums[k, i]


@kernel
def _room(coded, n_outputs):
    waiting = np.zeros((coded.depth.max() + 2) * TOGETHER, np.int16)
    codes, sums = np.zeros(max(len(coded.of), 1) * ROWS, np.int16), np.empty((n_outputs, ROWS))
    return RegionRoom(codes, np.empty(ROWS, np.int16), np.empty(ROWS, np.int32), waiting, sums)


@kernel
def sum_by_region(regions, coded, table, X, out):
    """Write all trees' predictions, times their weights, for rows X (n, n_features) into out (n, n_outputs).

    X is as from `espalier.kernels.forest.packed.rows_of`; it has missing values only if the forest is coded for
    them. table is a `LeafTable`.
    """
    n_regions, width = (len(regions.first) - 1) // regions.n_trees, len(coded.of)
    size = min(BLOCK, len(X))
    codes, order, room = np.empty(size * width, np.uint16), np.empty(size, np.int64), _room(coded, out.shape[1])
    for start in range(0, len(X), BLOCK):
        n = min(BLOCK, len(X) - start)
        code_rows(coded, X[start : start + n], codes)
        block = CodedBlock(codes[: n * width].reshape((n, width)), out[start : start + n])
        begin = np.zeros(n_regions + 1, np.int64)
        _sort(regions.router, block.codes, begin, order)
        for region in range(n_regions):
            first, last = begin[region - 1] if region else 0, begin[region]
            for at in range(first, last, ROWS):
                _sum_rows(regions, table, region, order[at : min(at + ROWS, last)], block, room)

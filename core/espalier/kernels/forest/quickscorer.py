"""Predictions of a forest for many rows: rows are sorted by region, and 16 at once go through its trees.

Lucchese et al. 2015, "QuickScorer".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.ranks import rank_rows
from espalier.kernels.vectors.simd import LANES, above, load, ones, same, spread, store

BLOCK = 8192  # rows that are sorted by region at a time
ROWS = 256  # rows of a region that go through its trees at a time


class RankedRows(NamedTuple):
    """The rows of a block."""

    ranks: np.ndarray  # (n, n_used) int32: of their values among the thresholds
    out: np.ndarray  # (n, n_outputs) float64: sums of their predictions


class RegionScratch(NamedTuple):
    """Memory for n rows of a region, n at most ROWS."""

    ranks: np.ndarray  # (n_used * n,) int32, feature after feature
    leaves: np.ndarray  # (n,) int32
    sums: np.ndarray  # (n_outputs, ROWS) float64


@kernel
def _find_leaves(regions, tree, ranks, n, leaves):
    """Write each row's place among a tree's leaves into leaves (n,); ranks (n_used * n,), n times LANES."""
    feature, rank, mask = regions.feature, regions.rank, regions.mask
    one, zero = spread(1), spread(0)
    for row in range(0, n, LANES):
        left = spread(-1)
        for split in range(np.uint32(regions.first[tree]), np.uint32(regions.first[tree + 1])):
            is_right = above(load(ranks, np.int64(feature[split]) * n + row), same(rank, split))
            left = left & (same(mask, split) | (is_right - one))
        store(leaves, row, ones((left & (zero - left)) - one))


@kernel
def _name_leaves(leaf, leaves):
    for row in range(len(leaves)):
        leaves[row] = leaf[np.uint32(leaves[row])]


@kernel
def _add(label, leaves, sums):
    for row in range(len(leaves)):
        sums[row] += label[np.uint32(leaves[row])]


@kernel
def _sum_region(regions, label, region, scratch):
    """Add the trees' predictions for the rows with the ranks in scratch to the sums there."""
    leaves, sums = scratch.leaves, scratch.sums
    n = len(leaves)
    for tree in range(region * regions.n_trees, (region + 1) * regions.n_trees):
        _find_leaves(regions, tree, scratch.ranks, n, leaves)
        _name_leaves(regions.leaf[regions.first_leaf[tree] :], leaves)
        for k in range(len(label)):
            _add(label[k], leaves, sums[k, :n])


@kernel
def _sort(router, ranks, begin, order):
    """Write the rows sorted by region, and the end of each region into begin (n_regions + 1,), which is all 0."""
    region = np.empty(len(ranks), np.int32)
    for row in range(len(ranks)):
        step = np.uint32(0)
        while router[step, 2] >= 0:
            step = np.uint32(router[step, 2] + (ranks[row, router[step, 0]] > router[step, 1]))
        region[row] = router[step, 1]
        begin[region[row] + 1] += 1
    for i in range(1, len(begin)):
        begin[i] += begin[i - 1]
    for row in range(len(ranks)):
        order[begin[region[row]]] = row
        begin[region[row]] += 1


@kernel
def _sum_rows(regions, label, region, rows, block, scratch):
    """Add the trees' predictions for some rows of a block, `RankedRows`, to its sums."""
    all_ranks, out, ranks, sums = block.ranks, block.out, scratch.ranks, scratch.sums
    size, n_used = len(rows), all_ranks.shape[1]
    n = (size + LANES - 1) // LANES * LANES
    for feature in range(n_used):
        for i in range(size):
            ranks[feature * n + i] = all_ranks[rows[i], feature]
    sums[:] = 0.0
    _sum_region(regions, label, region, RegionScratch(ranks[: n_used * n], scratch.leaves[:n], sums))
    for i in range(size):
        for k in range(len(sums)):
            out[rows[i], k] += sums[k, i]


@kernel
def sum_by_region(regions, label, rows, out):
    """Add all trees' predictions for rows (n, n_features), in which nothing is missing, to out (n, n_outputs).

    label (n_outputs, n_leaves) float64 is the value of each leaf of the packed forest times its tree's weight.
    """
    n_regions, n_used = (len(regions.first) - 1) // regions.n_trees, len(regions.ranks.feature)
    all_ranks, order = np.empty((min(BLOCK, len(rows)), n_used), np.int32), np.empty(BLOCK, np.int64)
    scratch = RegionScratch(
        np.zeros(n_used * ROWS, np.int32), np.empty(ROWS, np.int32), np.empty((len(label), ROWS))
    )
    for start in range(0, len(rows), BLOCK):
        n = min(BLOCK, len(rows) - start)
        for at in range(0, n, ROWS):  # few enough to stay in the cache while one column after the other is read
            rank_rows(regions.ranks, rows[start + at : start + min(at + ROWS, n)], all_ranks[at:])
        begin = np.zeros(n_regions + 1, np.int64)
        _sort(regions.router, all_ranks[:n], begin, order)
        block = RankedRows(all_ranks, out[start : start + n])
        for region in range(n_regions):
            first, last = begin[region - 1] if region else 0, begin[region]
            for at in range(first, last, ROWS):
                _sum_rows(regions, label, region, order[at : min(at + ROWS, last)], block, scratch)

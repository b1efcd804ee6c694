"""What a forest says of many rows, parcel by parcel: rows sorted into parcels, 16 of them asked at once."""

from __future__ import annotations

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.ranks import rank_rows
from espalier.kernels.simd import LANES, above, load, ones, same, spread, store

BLOCK = 8192  # rows that are sorted into parcels at a time
ROWS = 256  # of a parcel that are asked at a time


@kernel
def _find_leaves(parcels, tree, ranks, n, found):
    """Write into found (n,) where among a tree's leaves each row falls; ranks (n_used * n,), n times LANES."""
    feature, rank, mask = parcels.feature, parcels.rank, parcels.mask
    one, zero = spread(1), spread(0)
    for row in range(0, n, LANES):
        left = spread(-1)
        for split in range(np.uint32(parcels.first[tree]), np.uint32(parcels.first[tree + 1])):
            is_right = above(load(ranks, np.int64(feature[split]) * n + row), same(rank, split))
            left = left & (same(mask, split) | (is_right - one))
        store(found, row, ones((left & (zero - left)) - one))


@kernel
def _name_leaves(leaf, found):
    for row in range(len(found)):
        found[row] = leaf[np.uint32(found[row])]


@kernel
def _add(label, found, sums):
    for row in range(len(found)):
        sums[row] += label[np.uint32(found[row])]


@kernel
def _sum_parcel(parcels, label, parcel, ranks, room):
    """Add to room[1] (n_outputs, ROWS) what the trees say of the rows with these ranks (n_used * n,)."""
    found, sums = room
    n = len(found)
    for tree in range(parcel * parcels.n_trees, (parcel + 1) * parcels.n_trees):
        _find_leaves(parcels, tree, ranks, n, found)
        _name_leaves(parcels.leaf[parcels.first_leaf[tree] :], found)
        for k in range(len(label)):
            _add(label[k], found, sums[k, :n])


@kernel
def _sort(router, ranks, begin, order):
    """Write the rows in the order of their parcels; begin (n_parcels + 1,), all 0, has then where each ends."""
    parcel = np.empty(len(ranks), np.int32)
    for row in range(len(ranks)):
        step = np.uint32(0)
        while router[step, 2] >= 0:
            step = np.uint32(router[step, 2] + (ranks[row, router[step, 0]] > router[step, 1]))
        parcel[row] = router[step, 1]
        begin[parcel[row] + 1] += 1
    for i in range(1, len(begin)):
        begin[i] += begin[i - 1]
    for row in range(len(ranks)):
        order[begin[parcel[row]]] = row
        begin[parcel[row]] += 1


@kernel
def _sum_rows(parcels, label, parcel, rows, block):
    """Add to block[1] (n, n_outputs) what the trees say of some rows of it; block[0] (n, n_used): their ranks."""
    all_ranks, out, room = block
    ranks, found, sums = room
    size, n_used = len(rows), all_ranks.shape[1]
    n = (size + LANES - 1) // LANES * LANES
    for feature in range(n_used):
        for i in range(size):
            ranks[feature * n + i] = all_ranks[rows[i], feature]
    sums[:] = 0.0
    _sum_parcel(parcels, label, parcel, ranks[: n_used * n], (found[:n], sums))
    for i in range(size):
        for k in range(len(sums)):
            out[rows[i], k] += sums[k, i]


@kernel
def sum_by_region(parcels, label, rows, out):
    """Add to out (n, n_outputs) what all trees say of rows (n, n_features), none of whose values is missing.

    label (n_outputs, n_leaves) float64: what each leaf of the grove says, times how much its tree counts.
    """
    n_parcels, n_used = (len(parcels.first) - 1) // parcels.n_trees, len(parcels.ranks.feature)
    all_ranks, order = np.empty((min(BLOCK, len(rows)), n_used), np.int32), np.empty(BLOCK, np.int64)
    room = (np.zeros(n_used * ROWS, np.int32), np.empty(ROWS, np.int32), np.empty((len(label), ROWS)))
    for start in range(0, len(rows), BLOCK):
        n = min(BLOCK, len(rows) - start)
        for at in range(0, n, ROWS):  # few enough to stay near while one column after the other is read
            rank_rows(parcels.ranks, rows[start + at : start + min(at + ROWS, n)], all_ranks[at:])
        begin = np.zeros(n_parcels + 1, np.int64)
        _sort(parcels.router, all_ranks[:n], begin, order)
        block = (all_ranks, out[start : start + n], room)
        for parcel in range(n_parcels):
            first, last = begin[parcel - 1] if parcel else 0, begin[parcel]
            for at in range(first, last, ROWS):
                _sum_rows(parcels, label, parcel, order[at : min(at + ROWS, last)], block)

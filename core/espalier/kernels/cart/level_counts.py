"""Counts of two classes up to each level of every feature in levels: 64 features at once.

A row's levels are bytes beside each other. To count the rows up to a level is to compare their bytes with it and
to add 1 where they are not greater; for the counts of class 1, other rows get bytes greater than any level.
"""

from __future__ import annotations

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.vectors.octets import (
    count_up_to,
    larger,
    load_bytes,
    none_counted,
    or_all,
    plus_bytes,
    store_bytes,
    within,
)
from espalier.kernels.vectors.simd import BYTES, REALS, alike, borrow, load_reals, store_reals

TOGETHER = 4  # levels whose counts are made at once
MOST_ROWS = 255  # that a byte counts


def width_of(n_features: int) -> int:
    """Return the number of features, rounded up to whole vectors."""
    return -(-n_features // BYTES) * BYTES


@kernel
def count_levels(entries, codes, n_levels, counts):
    """Count a node's samples, and those of class 1, up to each level but the last.

    Codes (n_samples, n_features) uint8 are followed by 64 bytes that may be read. Counts are flat: of all samples,
    then of class 1, each (n_levels, width) for `width_of` features.
    """
    stride, flat = codes.shape[1], borrow(codes).reshape(codes.size)
    part = np.empty(2 * TOGETHER * BYTES, np.uint8)
    width = (stride + BYTES - 1) // BYTES * BYTES
    for first in range(0, n_levels - 1, TOGETHER):
        n_together = min(TOGETHER, n_levels - 1 - first)
        for block in range(0, width, BYTES):
            for start in range(0, len(entries), MOST_ROWS):
                _count_part(entries[start : start + MOST_ROWS], flat, stride, block, first, part)
                for level in range(n_together):
                    at = (first + level) * width + block
                    _add_part(part.view(np.int64), level, counts, at, start > 0)
                    _add_part(part.view(np.int64), TOGETHER + level, counts, n_levels * width + at, start > 0)


@inlined
def _add_part(words, level, counts, at, add):
    """Write the 64 counts of a level as real numbers, or add them to those that are there."""
    for i in range(REALS):
        before = load_reals(counts, at + i * REALS) if add else alike(0.0)
        store_reals(counts, at + i * REALS, plus_bytes(before, words[level * REALS + i]))


@kernel
def score_levels(counts, n_levels, totals, min_leaf, best):
    """Write the score by gini of each feature's best cut between two levels into best (width,); -inf for none.

    Counts are those of `count_levels`, totals the node's two counts. A level that no sample has scores as the one
    before it, or not at all.
    """
    width, n = len(best), float(totals[0] + totals[1])
    n0, n1, samples = alike(float(totals[0])), alike(float(totals[1])), alike(n)
    for block in range(0, width, REALS):
        most = alike(-np.inf)
        for level in range(n_levels - 1):
            left = within(load_reals(counts, level * width + block), float(min_leaf), n - min_leaf)
            l1 = load_reals(counts, (n_levels + level) * width + block)
            l0, right = left - l1, samples - left
            r0, r1 = n0 - l0, n1 - l1
            score = ((l0 * l0 + l1 * l1) * right + (r0 * r0 + r1 * r1) * left) / (left * right)
            most = larger(score, most)
        store_reals(best, block, most)


@kernel
def _count_part(entries, flat, stride, block, level, part):
    """Count at most 255 entries up to four levels, in one block of features."""
    a = b = c = d = none_counted()
    a1 = b1 = c1 = d1 = none_counted()
    for entry in entries:
        here = load_bytes(flat, np.int64(entry >> np.uint32(1)) * stride + block)
        a, b = count_up_to(a, here, level), count_up_to(b, here, level + 1)
        c, d = count_up_to(c, here, level + 2), count_up_to(d, here, level + 3)
        here = or_all(here, np.int64(entry & np.uint32(1)) * 255 ^ 255)
        a1, b1 = count_up_to(a1, here, level), count_up_to(b1, here, level + 1)
        c1, d1 = count_up_to(c1, here, level + 2), count_up_to(d1, here, level + 3)
    store_bytes(part, 0, a)
    store_bytes(part, BYTES, b)
    store_bytes(part, 2 * BYTES, c)
    store_bytes(part, 3 * BYTES, d)
    store_bytes(part, 4 * BYTES, a1)
    store_bytes(part, 5 * BYTES, b1)
    store_bytes(part, 6 * BYTES, c1)
    store_bytes(part, 7 * BYTES, d1)

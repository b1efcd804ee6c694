"""Columns of few values: classes counted by codes of 8 bits, and the cuts between these.

A node of many samples reads the codes column by column, where those of neighbouring samples are adjacent; one of
few samples reads them row by row, where those of a sample are. With two classes, a cell holds the weight of both
in one number, and no list of scores is written.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.forest.buckets import ROW, STRIDE
from espalier.kernels.forest.gini import ALMOST, BestCut, gini_of

DENSE = 16  # a node of at least a sixteenth of all samples reads column by column


class ShortCodes(NamedTuple):
    """Codes of 8 bits in the order in which a node reads them: one is at ``sample * step + feature * apart``."""

    codes: np.ndarray  # (n_samples * n_features,) uint8
    step: int
    apart: int


@inlined
def short_codes(coded, n):
    """Return the codes for a node of n entries."""
    n_rows, p = coded.codes.shape
    codes, step, apart = coded.short, p, 1
    if DENSE * n >= n_rows:
        codes, step, apart = coded.upright, 1, n_rows
    return ShortCodes(codes, np.uint64(step), np.uint64(apart))


@inlined
def _packed(entry):
    """Return the weight of an entry, and from bit 32 on that of the second class."""
    w = entry >> np.uint64(48)
    return np.int64(w | (w * (entry >> np.uint64(32) & np.uint64(1))) << np.uint64(32))


@kernel
def _count_four(short, entries, features, cells):
    codes, step, apart = short.codes, short.step, short.apart
    fa, fb = np.uint64(features[0]) * apart, np.uint64(features[1]) * apart
    fc, fd = np.uint64(features[2]) * apart, np.uint64(features[3]) * apart
    for i in range(np.uint32(len(entries))):
        one, row = _packed(entries[i]), (entries[i] & ROW) * step
        cells[codes[row + fa]] += one
        cells[np.uint32(codes[row + fb] + np.uint32(STRIDE))] += one
        cells[np.uint32(codes[row + fc] + np.uint32(2 * STRIDE))] += one
        cells[np.uint32(codes[row + fd] + np.uint32(3 * STRIDE))] += one


@kernel
def _count_three(short, entries, features, cells):
    codes, step, apart = short.codes, short.step, short.apart
    fa, fb, fc = np.uint64(features[0]) * apart, np.uint64(features[1]) * apart, np.uint64(features[2]) * apart
    for i in range(np.uint32(len(entries))):
        one, row = _packed(entries[i]), (entries[i] & ROW) * step
        cells[codes[row + fa]] += one
        cells[np.uint32(codes[row + fb] + np.uint32(STRIDE))] += one
        cells[np.uint32(codes[row + fc] + np.uint32(2 * STRIDE))] += one


@kernel
def _count_one(short, entries, feature, cells):
    codes, step, place = short.codes, short.step, np.uint64(feature) * short.apart
    for i in range(np.uint32(len(entries))):
        cells[codes[(entries[i] & ROW) * step + place]] += _packed(entries[i])


@inlined
def _count(short, entries, features, span, cells):
    """Add up the classes of entries by each feature's codes, those of a feature from STRIDE times its place on."""
    for j in range(len(features)):
        for b in range(span[j, 2]):
            cells[j * STRIDE + b] = 0
    j = 0
    while j < len(features):
        left = len(features) - j
        if left >= 4:
            _count_four(short, entries, features[j:], cells[j * STRIDE :])
            j += 4
        elif left == 3:
            _count_three(short, entries, features[j:], cells[j * STRIDE :])
            j += 3
        else:
            _count_one(short, entries, features[j], cells[j * STRIDE :])
            j += 1


@inlined
def cut_two(short, node, features, first, scratch, best):
    """Return the better of the given cut and the best one of these features, and whether any varies; two classes.

    first is the place of the first of these features among those tried.
    """
    _count(short, node.entries, features, scratch.span, scratch.packed)
    score, best_at, cut, bar, varies = best.score, best.place, best.code, best.score * ALMOST, False
    n0, n1, n, min_leaf = scratch.node.totals[0], scratch.node.totals[1], node.weight, node.min_leaf
    for j in range(len(features)):
        run = np.int64(0)
        for b in range(scratch.span[j, 2] - 1):
            run += scratch.packed[j * STRIDE + b]
            l1, nl = float(run >> np.int64(32)), float(run & np.int64(0xFFFFFFFF))
            l0, nr = nl - l1, n - nl
            r0, r1 = n0 - l0, n1 - l1
            varies = varies or (nl > 0 and nr > 0)
            squares_left, squares_right = l0 * l0 + l1 * l1, r0 * r0 + r1 * r1
            if squares_left * nr + squares_right * nl < bar * (nl * nr):  # no division is needed
                continue
            here = gini_of(squares_left, squares_right, nl, nr)
            if here > score and nl >= min_leaf and nr >= min_leaf:
                score, best_at, cut, bar = here, first + j, np.int64(b), here * ALMOST
    return BestCut(score, best_at, cut), varies


@kernel
def part_short(short, entries, spare, feature, cut):
    """Partition entries by a cut of a feature, stably; return how many go left, and the codes beside the cut."""
    codes, step, place, last = short.codes, short.step, np.uint64(feature) * short.apart, np.uint8(cut)
    n_left, n_right, low, high = np.uint32(0), np.uint32(0), np.uint8(0), np.uint8(255)
    for i in range(np.uint32(len(entries))):
        entry = entries[i]
        code = codes[(entry & ROW) * step + place]
        goes = code <= last
        entries[n_left] = entry
        spare[n_right] = entry
        low = max(low, code if goes else np.uint8(0))
        high = min(high, np.uint8(255) if goes else code)
        n_left += np.uint32(goes)
        n_right += np.uint32(1) - np.uint32(goes)
    for i in range(n_right):
        entries[n_left + i] = spare[i]
    return np.int64(n_left), np.int32(low), np.int32(high)

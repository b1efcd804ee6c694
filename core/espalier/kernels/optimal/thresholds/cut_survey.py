"""The worth of every question as the root of a set of rows: sums of its side of yes, and the best stumps of both.

Questions with nested answers are a chain: a row has a rank in it, and answers yes from the question of this number
on. The side of yes only grows along a chain, and with it the least cost of its stumps, since leaves may have any
weight here and there is no limit of splits (`ThresholdSearch.is_surveyed`). So known costs bound those
of the questions between them, and only questions that may begin a tree within a budget are solved: those with
stumps on both sides in lanes, those with deeper trees one by one (`SortedSurveyor`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.simd import LANES, above, fill, greater, load, same, store

EVERY = 2**31 - 1  # rank above all ranks


class CutTable(NamedTuple):
    """Rows that are told apart by chains of questions; what is flat holds one row, or chain, after the other."""

    rank: np.ndarray  # (n_chains * n_rows,) int32: how many of a chain's questions a row answers no
    order: np.ndarray  # (n_chains * n_rows,) int32: the rows by rank
    start: np.ndarray  # (n_chains + 1,) int64: number of the first question of each chain
    earned: np.ndarray  # (n_rows * n_classes,) int32: cost that predicting each class saves
    worth: np.ndarray  # (n_rows,) int64: the most that a row saves
    name: np.ndarray  # (2, n_rows) int64


class SurveyScratch(NamedTuple):
    """Scratch memory for the stumps of a set of rows."""

    order: np.ndarray  # (n_chains * n_rows,) int32: its rows by rank, each chain from its own place on
    end: np.ndarray  # (n_chains, n_rows + 1) int64: rows before each cut between ranks; the first is 0
    n_cuts: np.ndarray  # (n_chains,) int64: with those before and behind all rows
    bound: np.ndarray  # (2, n_rows + 1) int64: of the chain at work: least cost before each cut, and behind it
    behind: np.ndarray  # (n_rows + 1,) int64: worth of the rows before each cut
    solved: np.ndarray  # (n_rows + 1,) bool
    open: np.ndarray  # (n_rows + 1,) int64: cuts that may be a root
    lane: np.ndarray  # (LANES,) int64: the cut of each lane
    threshold: np.ndarray  # (LANES,) int32: rows of lower ranks go left
    sums: np.ndarray  # (2 * n_classes * LANES,) int32: of the left sides, up to a place and in all
    best: np.ndarray  # (2 * LANES,) int32: the most that stumps save on both sides
    total: np.ndarray  # (2, n_classes) int64: up to a place and in all


def make_survey_scratch(table: CutTable) -> SurveyScratch:
    """Allocate scratch memory."""
    n, n_chains = len(table.worth), len(table.start) - 1
    n_classes, shape = len(table.earned) // max(n, 1), (len(table.start) - 1, n + 1)
    arrays = [np.zeros(size, np.int64) for size in (shape, n_chains, (2, n + 1), n + 1)]
    lanes = [np.zeros(size * LANES, np.int32) for size in (1, 2 * n_classes, 2)]
    places = np.zeros(n + 1, dtype=bool), np.zeros(n + 1, np.int64), np.zeros(LANES, np.int64)
    return SurveyScratch(np.zeros_like(table.order), *arrays, *places, *lanes, np.zeros((2, n_classes), np.int64))


@kernel
def sum_cuts(table, inside, names, earned):
    """Write sums over the rows of the mask `inside` (n_rows,) that answer yes to each question; last over all.

    The names of the rows, combined, go into `names` (2, n_questions + 1) int64, what each class earns there, and
    the worths, into `earned` (n_classes + 1, n_questions + 1) int64.
    """
    n, last, n_sums = len(table.worth), names.shape[1] - 1, len(earned)
    names[:], earned[:] = 0, 0
    for row in range(n):
        if inside[row]:
            _add_row(table, row, last, names, earned)
    for f in range(len(table.start) - 1):
        first, end = table.start[f], table.start[f + 1]
        for row in range(n):
            at = first + table.rank[f * n + row]
            if inside[row] and at < end:
                _add_row(table, row, at, names, earned)
        for at in range(first + 1, end):
            for i in range(2):
                names[i, at] ^= names[i, at - 1]
            for i in range(n_sums):
                earned[i, at] += earned[i, at - 1]


@inlined
def _add_row(table, row, at, names, earned):
    n_classes = len(earned) - 1
    for i in range(2):
        names[i, at] ^= table.name[i, row]
    for c in range(n_classes):
        earned[c, at] += table.earned[row * n_classes + c]
    earned[n_classes, at] += table.worth[row]


@kernel
def stump_costs(table, inside, budget, low, scratch):
    """Write the least costs of stumps, or leaves, on both sides of each question into `low` (2, n_questions).

    The side of yes stands in `low[1]`. Costs are those of the rows of the mask `inside`. They are exact where both
    together are within the budget, else lower bounds whose sum is beyond it.
    """
    note_orders(table, inside, scratch)
    n, n_chains = len(table.worth), len(table.start) - 1
    scratch.threshold[:] = EVERY
    _solve_lanes(table, scratch, 0)
    worth = np.int64(0)
    for row in range(n):
        worth += table.worth[row] * inside[row]
    least = worth - scratch.best[0]
    for f in range(n_chains):
        begin_chain(table, scratch, f, least, worth)
        n_open = open_cuts(scratch, scratch.n_cuts[f], budget)
        while n_open > 0:
            _choose_lanes(table, scratch, f, n_open)
            _solve_lanes(table, scratch, f)
            _keep_lanes(scratch, worth, n_open)
            n_open = open_cuts(scratch, scratch.n_cuts[f], budget)
        write_chain(table, scratch, f, low)


@kernel
def note_orders(table, inside, scratch):
    """Write the order of the rows, and where ranks differ, in each chain."""
    n = len(table.worth)
    for f in range(len(table.start) - 1):
        m, k, at = 0, 1, f * n
        scratch.end[f, 0] = 0
        for i in range(n):
            row = table.order[at + i]
            if inside[row]:
                if m > 0 and table.rank[at + row] != table.rank[at + scratch.order[at + m - 1]]:
                    scratch.end[f, k] = m
                    k += 1
                scratch.order[at + m] = row
                m += 1
        scratch.end[f, k] = m
        scratch.n_cuts[f] = k + 1


@kernel
def begin_chain(table, scratch, f, least, worth):
    """Write what is known of the cuts of a chain: on all rows a stump costs at least `least`."""
    n, last = len(table.worth), scratch.n_cuts[f] - 1
    scratch.behind[0] = 0
    for k in range(last + 1):
        if k > 0:
            before = scratch.behind[k - 1]
            for i in range(scratch.end[f, k - 1], scratch.end[f, k]):
                before += table.worth[scratch.order[f * n + i]]
            scratch.behind[k] = before
        scratch.bound[0, k] = max(least - (worth - scratch.behind[k]), 0)
        scratch.bound[1, k] = max(least - scratch.behind[k], 0)
        scratch.solved[k] = k in (0, last)


@kernel
def open_cuts(scratch, n_cuts, budget):
    """Spread bounds from cut to cut; note the cuts that may be roots within the budget, and return how many."""
    bound, behind = scratch.bound, scratch.behind
    for k in range(1, n_cuts):
        step = behind[k] - behind[k - 1]
        bound[0, k] = max(bound[0, k], bound[0, k - 1])
        bound[1, k] = max(bound[1, k], bound[1, k - 1] - step)
    for k in range(n_cuts - 2, -1, -1):
        step = behind[k + 1] - behind[k]
        bound[0, k] = max(bound[0, k], bound[0, k + 1] - step)
        bound[1, k] = max(bound[1, k], bound[1, k + 1])
    n_open = 0
    for k in range(n_cuts):
        if not scratch.solved[k] and bound[0, k] + bound[1, k] <= budget:
            scratch.open[n_open] = k
            n_open += 1
    return n_open


@kernel
def _choose_lanes(table, scratch, f, n_open):
    """Choose open cuts, spread evenly, as the roots of the lanes."""
    n, n_lanes = len(table.worth), min(n_open, LANES)
    scratch.threshold[:] = 0
    for j in range(n_lanes):
        cut = scratch.open[(2 * j + 1) * n_open // (2 * n_lanes)]
        scratch.lane[j] = cut
        scratch.threshold[j] = table.rank[f * n + scratch.order[f * n + scratch.end[f, cut]]]


@kernel
def _keep_lanes(scratch, worth, n_open):
    """Take the costs of the lanes."""
    for j in range(min(n_open, LANES)):
        cut = scratch.lane[j]
        before = scratch.behind[cut]
        scratch.bound[0, cut] = before - scratch.best[j]
        scratch.bound[1, cut] = worth - before - scratch.best[LANES + j]
        scratch.solved[cut] = True


@kernel
def _solve_lanes(table, scratch, f):
    """Write the most that stumps save on both sides of the lanes' thresholds in chain f into `best`."""
    n, n_classes, sums, total = len(table.worth), scratch.total.shape[1], scratch.sums, scratch.total
    m, none, size = scratch.end[0, scratch.n_cuts[0] - 1], fill(load(scratch.threshold, 0), 0), n_classes * LANES
    _clear(sums, total, none)
    for i in range(m):
        _count(table, scratch, f, scratch.order[i])
    left, right = none, none
    for c in range(n_classes):
        left_sums = load(sums, c * LANES)
        store(sums, size + c * LANES, left_sums)
        total[1, c] = total[0, c]
        left, right = greater(left, left_sums), greater(right, fill(none, total[1, c]) - left_sums)
    store(scratch.best, 0, left)
    store(scratch.best, LANES, right)
    for g in range(len(table.start) - 1):
        _clear(sums, total, none)
        k = 1
        for i in range(m):
            _count(table, scratch, f, scratch.order[g * n + i])
            if i + 1 == scratch.end[g, k]:
                k += 1
                _try_cut(scratch, none)


@inlined
def _clear(sums, total, none):
    for c in range(total.shape[1]):
        store(sums, c * LANES, none)
        total[0, c] = 0


@inlined
def _count(table, scratch, f, row):
    """Add what a row saves to the sums, in the lanes in which it goes left, and to the totals."""
    n_classes = scratch.total.shape[1]
    is_left = above(load(scratch.threshold, 0), same(table.rank, f * len(table.worth) + row))
    for c in range(n_classes):
        amount = table.earned[row * n_classes + c]
        if amount != 0:
            here = load(scratch.sums, c * LANES) + is_left * same(table.earned, row * n_classes + c)
            store(scratch.sums, c * LANES, here)
            scratch.total[0, c] += amount


@inlined
def _try_cut(scratch, none):
    """Keep the stumps that part the rows here, where they save more on a side."""
    n_classes, sums, total = scratch.total.shape[1], scratch.sums, scratch.total
    a, b, c, d = none, none, none, none
    for label in range(n_classes):
        here = load(sums, label * LANES)
        rest = load(sums, (n_classes + label) * LANES) - here
        before, behind = total[0, label], total[1, label] - total[0, label]
        a, b = greater(a, here), greater(b, rest)
        c, d = greater(c, fill(none, before) - here), greater(d, fill(none, behind) - rest)
    store(scratch.best, 0, greater(load(scratch.best, 0), a + b))
    store(scratch.best, LANES, greater(load(scratch.best, LANES), c + d))


@kernel
def write_chain(table, scratch, f, low):
    """Write the costs of the cuts of a chain for its questions."""
    n, k, last = len(table.worth), 0, scratch.n_cuts[f] - 1
    for at in range(table.start[f], table.start[f + 1]):
        place = at - table.start[f]
        while k < last and table.rank[f * n + scratch.order[f * n + scratch.end[f, k]]] <= place:
            k += 1
        low[1, at], low[0, at] = scratch.bound[0, k], scratch.bound[1, k]

"""The absolute error of all sets of rows before and behind the cuts of a column.

Rows leave a list, linked in the order of their targets, one by one. The median moves by a step or two each time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.optimal.regression.rows import COUNT, MOMENT, WEIGHT


class MedianList(NamedTuple):
    """Rows in the order of their targets, linked, and what is known of their median."""

    before: np.ndarray  # (n_rows,) int32: the row before each; -1 for none
    behind: np.ndarray  # (n_rows,) int32: the row behind each
    place: np.ndarray  # (n_rows,) int32: among the node's rows in the order of targets
    at: np.ndarray  # (1,) int64: the row of the median; -1 where no rows are left
    sums: np.ndarray  # (4,) float64: weight and moment of all rows, and of those before the median
    low: np.ndarray  # (n_rows + 1,) float64: the loss of the rows before each cut
    high: np.ndarray  # (n_rows + 1,) float64: of those behind it
    n_before: np.ndarray  # (n_rows + 1,) float64: rows before it


class RowSide(NamedTuple):
    """A side of a node's rows: those left of a lane's threshold (0), the others (1), or all rows (2)."""

    which: int
    lane: int
    places: np.ndarray  # (n_rows,) int32: a bit for each lane that a row is left of


def make_median_list(n_rows: int) -> MedianList:
    """Allocate a list for so many rows."""
    links = (np.zeros(n_rows, np.int32) for _ in range(3))
    losses = (np.zeros(n_rows + 1) for _ in range(3))
    return MedianList(*links, np.zeros(1, np.int64), np.zeros(4), *losses)


@kernel
def losses_at_cuts(rows, node, g, side, chain):
    """Write the loss of a side's rows before and behind each cut of column g into `chain`; return that of all."""
    last = node.n_cuts[g] - 1
    order, cut = node.order[g], node.cut[g]
    _link(rows, node, side, chain)
    count = 0.0
    for k in range(1, last + 1):  # rows leave from the first on
        chain.high[k - 1] = _loss(rows, chain)
        chain.n_before[k - 1] = count
        for i in range(cut[k - 1], cut[k]):
            here = order[i]
            if _is_on(side, here):
                count += rows.part[here, COUNT]
                _leave(rows, here, chain)
    total = chain.high[0]
    chain.high[last], chain.n_before[last] = 0.0, count
    _link(rows, node, side, chain)
    for k in range(last, 0, -1):
        chain.low[k] = _loss(rows, chain)
        for i in range(cut[k - 1], cut[k]):
            here = order[i]
            if _is_on(side, here):
                _leave(rows, here, chain)
    chain.low[0] = 0.0
    return total


@kernel
def _is_on(side, here):
    """Return whether a row is on the side."""
    return side.which == 2 or (side.places[here] >> side.lane) & 1 != side.which


@kernel
def _link(rows, node, side, chain):
    """Link the side's rows in the order of their targets, and find their median."""
    order, before = node.order[len(node.n_cuts)], -1
    chain.sums[:], chain.at[0] = 0.0, -1
    for i in range(node.size[0]):
        here = order[i]
        chain.place[here] = i
        if _is_on(side, here):
            chain.before[here] = before
            if before >= 0:
                chain.behind[before] = here
            else:
                chain.at[0] = here
            before = here
            chain.sums[0] += rows.part[here, WEIGHT]
            chain.sums[1] += rows.part[here, MOMENT]
    if before >= 0:
        chain.behind[before] = -1
        _balance(rows, chain)


@kernel
def _balance(rows, chain):
    """Move the median to where no more than half of the weight lies before it, nor behind it."""
    at, sums = chain.at[0], chain.sums
    while sums[2] > sums[0] / 2:
        at = chain.before[at]
        sums[2] -= rows.part[at, WEIGHT]
        sums[3] -= rows.part[at, MOMENT]
    while sums[2] + rows.part[at, WEIGHT] < sums[0] / 2:
        sums[2] += rows.part[at, WEIGHT]
        sums[3] += rows.part[at, MOMENT]
        at = chain.behind[at]
    chain.at[0] = at


@kernel
def _leave(rows, here, chain):
    """Take a row out of the list."""
    at, sums, before, behind = chain.at[0], chain.sums, chain.before[here], chain.behind[here]
    weight, moment = rows.part[here, WEIGHT], rows.part[here, MOMENT]
    sums[0] -= weight
    sums[1] -= moment
    if chain.place[here] < chain.place[at]:
        sums[2] -= weight
        sums[3] -= moment
    elif here == at and behind >= 0:
        at = behind
    elif here == at:
        at = before
        if at >= 0:
            sums[2] -= rows.part[at, WEIGHT]
            sums[3] -= rows.part[at, MOMENT]
    if before >= 0:
        chain.behind[before] = behind
    if behind >= 0:
        chain.before[behind] = before
    chain.at[0] = at
    if at >= 0:
        _balance(rows, chain)


@kernel
def _loss(rows, chain):
    """Return the absolute error of the rows in the list around their median."""
    at, sums = chain.at[0], chain.sums
    if at < 0:
        return 0.0
    middle, weight, moment = rows.target[at], rows.part[at, WEIGHT], rows.part[at, MOMENT]
    below = middle * sums[2] - sums[3]
    above = sums[1] - sums[3] - moment - middle * (sums[0] - sums[2] - weight)
    return max(below + above, 0.0)

"""The rows on one side of a threshold, or of a whole node, in the order of their targets and of a column.

Loops over them run through short arrays without gaps: a row's place is its number in the order of targets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.optimal.regression.rows import MOMENT, WEIGHT
from espalier.kernels.vectors.simd import REALS

WHOLE = 2  # the side that holds all rows of a node; the others are 0, left, and 1
N_SUMS = 3 * REALS + 3  # of lines over eight columns


class SideRows(NamedTuple):
    """Scratch memory for a side, and for the losses of its parts before and behind each cut of a column."""

    n: np.ndarray  # (1,) int64: how many rows
    place: np.ndarray  # (n_rows,) int32: of each row of the node; -1 if it is on the other side
    row: np.ndarray  # (n_rows,) int32: as all that follow of rows, by place
    target: np.ndarray  # (n_rows,) float64
    weight: np.ndarray  # (n_rows,) float64
    moment: np.ndarray  # (n_rows,) float64
    before: np.ndarray  # (n_rows,) int32: the row before each that is still there; -1 for none
    behind: np.ndarray  # (n_rows,) int32: the row behind each
    order: np.ndarray  # (n_rows,) int32: places in the order of a column
    end: np.ndarray  # (n_rows + 1,) int32: how many of them lie before each of its cuts
    low: np.ndarray  # (n_rows + 1,) float64: the loss of the rows before each cut
    high: np.ndarray  # (n_rows + 1,) float64: of those behind it
    gain: np.ndarray  # (8,) float64: what each of some lines saves
    sums: np.ndarray  # (3, 27) float64: for lines, of all rows, of those before a cut and of those behind it


def make_side(n_rows: int) -> SideRows:
    """Allocate a side for so many rows."""
    whole = [np.zeros(n_rows, np.int32) for _ in range(5)]
    place, row, before, behind, order = whole
    of_rows, losses = (np.zeros(n_rows) for _ in range(3)), (np.zeros(n_rows + 1) for _ in range(2))
    end, n = np.zeros(n_rows + 1, np.int32), np.zeros(1, np.int64)
    sums = np.zeros(REALS), np.zeros((3, N_SUMS))
    return SideRows(n, place, row, *of_rows, before, behind, order, end, *losses, *sums)


@kernel
def take_side(rows, node, which, lane, places, side):
    """Write the rows of a side; `places` (n_rows,) has a bit for each lane that a row is left of."""
    order, n = node.order[len(node.n_cuts)], 0
    for i in range(node.size[0]):
        here = order[i]
        side.place[here] = -1
        if which == WHOLE or (places[here] >> lane) & 1 != which:
            side.place[here], side.row[n] = n, here
            side.target[n] = rows.target[here]
            side.weight[n], side.moment[n] = rows.part[here, WEIGHT], rows.part[here, MOMENT]
            n += 1
    side.n[0] = n


@kernel
def follow_column(node, g, side):
    """Write the places of the side's rows in the order of column g, and where its cuts are."""
    order, cut, n = node.order[g], node.cut[g], 0
    side.end[0] = 0
    for k in range(1, node.n_cuts[g]):
        for i in range(cut[k - 1], cut[k]):
            place = side.place[order[i]]
            if place >= 0:
                side.order[n] = place
                n += 1
        side.end[k] = n

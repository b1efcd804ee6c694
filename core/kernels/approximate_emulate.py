"""Emulating the sums of pseudo-samples that were never drawn: a cell of labelled samples fluctuates as a whole.

Samples that no prospective split parts are one cell. Of n independent samples the sums of counts and labels in a
cell are about normal, with a covariance of n times the cell's second moments; a multiplier that is normal, for
each sample of a pool, gives the same (van der Vaart & Wellner 1996, chapter 2.9), cell by cell.
"""

from __future__ import annotations

import numpy as np

from core.kernels import kernel
from core.kernels.approximate import add_cell, write_mean
from core.kernels.approximate_draw import normal_at
from core.kernels.randomness import uniform


@kernel
def count_cells(bins, cells, side, start, sums):
    """Add cells (n_cells, n_sums) to the sums (n_bins, 2, n_sums) of each bin and side of a split.

    bins (n_columns, n_cells) uint16, side (n_cells,) uint8; start as in `Prospects`.
    """
    for column in range(len(bins)):
        first = start[column] + column
        for cell in range(len(cells)):
            at = sums[first + bins[column, cell], side[cell]]
            for j in range(cells.shape[1]):
                at[j] += cells[cell, j]


@kernel
def variances(start, running, fixed, n_targets, found):
    """Write the variance of d of every split against the best into found (n_splits,); -1: they part alike.

    `running` as for `core.kernels.approximate.better_than`, `fixed` too.
    """
    m = n_targets
    best, other, cells = np.empty((2, m + 1)), np.empty((2, m + 1)), np.empty((2, 2, running.shape[2]))
    moments = np.empty(2)
    for column in range(len(start) - 1):
        whole = running[start[column + 1] + column]
        n = whole[0, 0] + whole[1, 0]
        for side in range(2):
            write_mean(whole[side], m, best[side])
        for split in range(start[column], start[column + 1]):
            for side in range(2):
                for j in range(running.shape[2]):
                    cells[side, 0, j] = running[split + column, side, j]
                    cells[side, 1, j] = whole[side, j] - cells[side, 0, j]
            for side in range(2):
                write_mean(cells[0, side] + cells[1, side], m, other[side])
            moments[:] = 0.0
            for side in range(2):
                for beside in range(2):
                    add_cell(cells[side, beside], best[side], other[beside], fixed, moments)
            unlike = min(cells[0, 1, 0] + cells[1, 0, 0], cells[0, 0, 0] + cells[1, 1, 0])
            variance = max(moments[1] / n - (moments[0] / n) ** 2, 0.0)
            found[split] = -1.0 if unlike <= 1e-9 * n else variance


@kernel
def fluctuate(bins, factor, start, seeds, sums):
    """Add to sums (n_draws, n_bins, 1 + n_targets) how the sums of one sample's size fluctuate in every bin.

    Each draw has its seed (n_draws,) uint64. factor (n_cells, 1 + n_targets, 1 + n_targets) is what makes of
    independent standard normal numbers those of a cell; its first row has nothing but the first entry.
    """
    m = factor.shape[1]
    drawn, normal, state = np.empty(m), np.empty(m), np.empty(1, np.uint64)
    for draw in range(len(seeds)):
        state[0] = seeds[draw]
        for cell in range(len(factor)):
            for j in range(m):
                normal[j] = normal_at(uniform(state))
            for j in range(m):
                drawn[j] = 0.0
                for k in range(m):
                    drawn[j] += factor[cell, j, k] * normal[k]
            for column in range(len(bins)):
                at = sums[draw, start[column] + column + bins[column, cell]]
                for j in range(m):
                    at[j] += drawn[j]

"""Emulation of sums over pseudo-samples that are never drawn, cell by cell.

Samples that no candidate split separates make one cell. Over n independent samples, the sums of counts and
labels in a cell are about normal, with a covariance of n times the cell's second moments. Multiplying each
sample of a pool by a normal number gives the same distribution (van der Vaart & Wellner 1996, chapter 2.9).
"""

from __future__ import annotations

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.approximation.density import normal_at
from espalier.kernels.randomness import uniform


@kernel
def count_cells(bins, cells, side, start, sums):
    """Add cells (n_cells, n_sums) to the sums (n_bins, 2, n_sums) of each bin and side of a split.

    bins (n_columns, n_cells) uint16, side (n_cells,) uint8; start as in `Candidates`.
    """
    for column in range(len(bins)):
        first = start[column] + column
        for cell in range(len(cells)):
            at = sums[first + bins[column, cell], side[cell]]
            for j in range(cells.shape[1]):
                at[j] += cells[cell, j]


@kernel
def fluctuate(bins, factor, start, seeds, sums):
    """Add the random fluctuations of the sums in every bin to sums (n_draws, n_bins, 1 + n_targets).

    Each draw has its seed (n_draws,) uint64. factor (n_cells, 1 + n_targets, 1 + n_targets) turns independent
    standard normal numbers into the fluctuations of a cell; its first row is 0 but for the first entry.
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

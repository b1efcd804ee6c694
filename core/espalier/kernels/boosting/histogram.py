"""Sums of the derivatives in a node, by feature and bin."""

from __future__ import annotations

import numpy as np

from espalier.kernels import kernel


@kernel
def fill(table, rows, pair, cells):
    """Sum the pairs (n_samples, 2) of the rows of a node into cells (2 n_bins,) int64."""
    for i in range(len(cells)):
        cells[i] = 0
    codes, start = table.codes, table.start
    for row in rows:
        first, second = pair[row, 0], pair[row, 1]
        code = codes[row]
        for feature in range(np.uint32(len(code))):
            at = np.uint64(2) * (np.uint64(start[feature]) + np.uint64(code[feature]))
            cells[at] += first
            cells[at + np.uint64(1)] += second


@kernel
def take_away(cells, less):
    """Subtract a child's cells from its parent's, which leaves those of the other child."""
    for i in range(len(cells)):
        cells[i] -= less[i]

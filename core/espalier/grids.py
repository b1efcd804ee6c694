"""The samples in the cells of a grid over one or two features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def samples_over(axes: Sequence[int] | np.ndarray, at: Sequence[np.ndarray], held: np.ndarray) -> np.ndarray:
    """Return the sample in each cell, (n_cells, n_features) float64, the first axis fastest.

    `at` has the values along each axis, `held` (n_features,) those of all other features; an axis of -1 is none.
    """
    grids = np.meshgrid(*at)
    X = np.tile(np.asarray(held, np.float64), (grids[0].size, 1))
    for axis, grid in zip(axes, grids, strict=True):
        if axis >= 0:
            X[:, axis] = grid.ravel()
    return X

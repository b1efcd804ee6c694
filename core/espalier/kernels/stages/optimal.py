"""Compiling the search for optimal trees."""

from __future__ import annotations

import numpy as np

from espalier.kernels.optimal.bitset import (
    MAX_DEPTH,
    Problem,
    make_level,
    stride_of,
)
from espalier.kernels.optimal.bounds_table import BUCKET, UNKNOWN, BoundsTable
from espalier.kernels.optimal.branch_and_bound import SearchState
from espalier.kernels.optimal.depth_two import make_pair_workspace
from espalier.kernels.optimal.run import solve


def run() -> None:
    """Call every kernel of the search."""
    solve(_search(), 3, UNKNOWN)


def _search() -> SearchState:
    """Return a search for the best tree of no rows."""
    salt = np.zeros(MAX_DEPTH + 1 + 2**MAX_DEPTH, np.int64)
    problem = Problem(np.arange(4), np.ones(3, np.int32), salt, 8, 1, True, np.zeros(2, np.int64), 0)
    level = make_level(4, 5, 3, 2, 2, 2)
    level.shape[0] = 2, stride_of(2)
    memory = BoundsTable(np.zeros(4 * BUCKET, np.int64), np.array([BUCKET - 1, 0, BUCKET - 1]))
    solved, stop = np.zeros(MAX_DEPTH + 1, np.int64), np.zeros(1, np.int64)
    return SearchState(
        problem, level, make_pair_workspace(level), memory, solved, stop, np.array([UNKNOWN]), False
    )

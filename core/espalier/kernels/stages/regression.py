"""Compiling the search for optimal trees of numbers over every threshold."""

from __future__ import annotations

import numpy as np

from espalier.kernels.optimal.regression.rows import TargetRows, make_nodes, node_at, note_cuts, rank_behind
from espalier.kernels.optimal.regression.search import make_regression_search, run_regression
from espalier.kernels.optimal.regression.stumps import best_stump, leaf_loss


def run() -> None:
    """Search for the best regression tree of two rows that differ."""
    part = np.array([[1.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0]])
    rank = np.arange(2, dtype=np.int32).reshape(1, 2)
    rows = TargetRows(rank, part, 1.0, 0.0, 0.0)
    nodes = make_nodes(1, 1, 2)
    nodes.order[:], nodes.size[:] = np.arange(2), 2
    run_regression(make_regression_search(rows, node_at(nodes, 0), 3, 7, np.zeros(1, np.int64)))
    node = node_at(nodes, 0)
    note_cuts(rows, node)
    leaf_loss(node)
    best_stump(rows, node, np.zeros(1))
    rank_behind(rows, node, 0, 0)

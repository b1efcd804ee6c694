"""Compiling the search for optimal trees of numbers over every threshold."""

from __future__ import annotations

import numpy as np

from espalier.kernels.optimal.regression.depth_two import make_scratch
from espalier.kernels.optimal.regression.ordered_pair import ValueBounds, best_ordered_pair, make_ordered
from espalier.kernels.optimal.regression.ordered_stumps import ColumnOrder
from espalier.kernels.optimal.regression.rows import TargetRows, make_nodes, node_at, note_cuts, rank_behind
from espalier.kernels.optimal.regression.search import make_regression_search, run_regression
from espalier.kernels.optimal.regression.stumps import best_stump, leaf_loss


def run() -> None:
    """Search for the best regression tree of two rows that differ, and for the best one of depth two in order."""
    part = np.array([[1.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0]])
    rank = np.arange(2, dtype=np.int32).reshape(1, 2)
    rows = TargetRows(rank, np.arange(2.0), part, False, 1.0, 0.0, 0.0, np.zeros(0), 0, 0.0)
    nodes = make_nodes(1, 1, 2)
    nodes.order[:], nodes.size[:] = np.arange(2), 2
    run_regression(make_regression_search(rows, node_at(nodes, 0), 3, 7, np.zeros(1, np.int64)))
    scratch, node = make_scratch(1, 2, np.zeros(1, np.int64)), node_at(nodes, 0)
    note_cuts(rows, node)
    leaf_loss(rows, node, scratch.stumps)
    best_stump(rows, node, scratch.stumps, scratch.of_column)
    rank_behind(rows, node, 0, 0)
    order, stop = ColumnOrder(np.ones(1, np.int64), np.full(1, -1)), np.zeros(1, np.int64)
    bounds = ValueBounds(-np.inf, np.inf, 0.0, 0.0)
    best_ordered_pair(rows, order, node, 3, 0.0, np.inf, bounds, make_ordered(1, 2, stop))

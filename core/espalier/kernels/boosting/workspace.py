"""Where a tree of gradient boosting grows; one workspace serves all trees of a fit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels.boosting.best_split import SplitLimits
from espalier.kernels.boosting.bins import BinnedTable

HISTOGRAM_BYTES = 2**28  # for histograms of leaves that wait; without one, a node sums its own rows


class LeafwiseLimits(NamedTuple):
    """When growing stops."""

    max_leaves: int  # 0: no limit
    max_depth: int
    split: SplitLimits


class LeafwiseNodes(NamedTuple):
    """The nodes of the tree that grows, in the order in which they are made: siblings side by side."""

    start: np.ndarray  # (n_nodes,) int64: the node's rows are rows[start:stop]
    stop: np.ndarray  # int64
    depth: np.ndarray  # int64
    child: np.ndarray  # int64: the left child, whose sibling follows it; -1 at a leaf
    slot: np.ndarray  # int64: place of its histogram, -1: it has none
    total: np.ndarray  # (n_nodes, 2) int64: sums of the pairs of its rows
    gain: np.ndarray  # float64: of its best split
    feature: np.ndarray  # int64: of its best split, as in `LeafSplit`; -1: it has none
    bin: np.ndarray  # int64
    mask: np.ndarray  # uint64
    missing_left: np.ndarray  # bool
    low: np.ndarray  # float64: least step, in units of the sums
    high: np.ndarray  # float64: greatest step


class LeafwiseWorkspace(NamedTuple):
    """Rows, nodes and histograms."""

    rows: np.ndarray  # (n,) uint32: those a tree grows on, node after node
    spare: np.ndarray  # (n,) uint32
    side: np.ndarray  # (256,) uint8: whether a code goes left
    cells: np.ndarray  # (n_slots + 1, 2 n_bins) int64: histograms; the last one is for those that are not kept
    free: np.ndarray  # (n_slots + 1,) int64: slots without a histogram; free[0] is their number
    waiting: np.ndarray  # (n_nodes + 1,) int64: nodes that may be split; waiting[0] is their number
    nodes: LeafwiseNodes


def make_leafwise_workspace(table: BinnedTable, max_leaves: int) -> LeafwiseWorkspace:
    """Workspace for trees of this table, with up to max_leaves leaves (0: no limit)."""
    n, n_bins = len(table.codes), len(table.threshold)
    most = min(max_leaves or n, n)
    n_slots = min(max(HISTOGRAM_BYTES // (16 * n_bins), 2), most + 1, n)
    m = 2 * most + 1
    nodes = LeafwiseNodes(
        *(np.empty(m, np.int64) for _ in range(5)), np.empty((m, 2), np.int64), np.empty(m), np.empty(m, np.int64),
        np.empty(m, np.int64), np.empty(m, np.uint64), np.empty(m, np.bool_), np.empty(m), np.empty(m),
    )  # fmt: skip
    return LeafwiseWorkspace(
        np.empty(n, np.uint32), np.empty(n, np.uint32), np.empty(256, np.uint8),
        np.empty((n_slots + 1, 2 * n_bins), np.int64), np.empty(n_slots + 1, np.int64), np.empty(m + 1, np.int64),
        nodes,
    )  # fmt: skip

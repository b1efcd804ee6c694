"""Compiling the searches for optimal trees over every threshold, of classes and of numbers."""

from __future__ import annotations

import numpy as np

from espalier.kernels.optimal.regression.ordered_pair import ValueBounds, best_ordered_pair, make_ordered
from espalier.kernels.optimal.regression.ordered_stumps import ColumnOrder
from espalier.kernels.optimal.regression.rows import TargetRows, make_nodes, node_at
from espalier.kernels.optimal.regression.search import make_regression_search, run_regression
from espalier.kernels.optimal.thresholds.cut_survey import (
    CutTable,
    QuestionSums,
    make_survey_scratch,
    stump_costs,
    sum_cuts,
)
from espalier.kernels.optimal.thresholds.samples import SortedSamples, make_node
from espalier.kernels.optimal.thresholds.search import run as search
from espalier.kernels.optimal.thresholds.stack import SearchSize, make_search
from espalier.kernels.optimal.thresholds.stump_of_rows import StumpRows, stump_of_rows


def run() -> None:
    """Call the search as it counts small tables, and large sums; the survey; and the search for numbers."""
    _run(np.int16)
    _run(np.int32)
    two = np.arange(2)
    stump_of_rows(StumpRows(two.reshape(1, 2), np.eye(2, dtype=np.int64), two, two[:1], 2, 0), two)
    _survey()
    _regress()


def _run(kind: type) -> None:
    """Search for the best tree of two samples that differ."""
    label, ones = np.arange(2), np.ones(2, kind)
    signed = np.array([-1, 1], kind)
    ranks, free = np.arange(2, dtype=kind), np.zeros(1, np.int64)
    samples = SortedSamples(ranks, label, ones, signed, label + 1, 2, 8, 1, ones, 0, free)
    root = make_node(1, 2)
    root.order[:], root.size[0] = label, 2
    search(make_search(samples, root, SearchSize(3, 7), np.zeros(1, np.int64)))


def _survey() -> None:
    """Survey two rows that differ."""
    ranks, start = np.arange(2, dtype=np.int32), np.array([0, 1])
    table = CutTable(
        ranks, ranks.copy(), start, np.array([1, 0, 0, 1], np.int32), start + 1, np.ones((2, 2), np.int64)
    )
    sum_cuts(table, np.ones(2, dtype=bool), QuestionSums(np.zeros((2, 2), np.int64), np.zeros((3, 2), np.int64)))
    stump_costs(table, np.ones(2, dtype=bool), 0, np.zeros((2, 1), np.int64), make_survey_scratch(table))


def _regress() -> None:
    """Search for the best regression tree of two rows that differ, and for the best one of depth two in order."""
    part = np.array([[1.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0]])
    rank = np.arange(2, dtype=np.int32).reshape(1, 2)
    rows = TargetRows(rank, np.arange(2.0), part, False, 1.0, 0.0, 0.0, np.zeros(0), 0, 0.0)
    nodes = make_nodes(1, 1, 2)
    nodes.order[:], nodes.size[:] = np.arange(2), 2
    run_regression(make_regression_search(rows, node_at(nodes, 0), 3, 7, np.zeros(1, np.int64)))
    order, stop = ColumnOrder(np.ones(1, np.int64), np.full(1, -1)), np.zeros(1, np.int64)
    bounds = ValueBounds(-np.inf, np.inf, 0.0, 0.0)
    best_ordered_pair(rows, order, node_at(nodes, 0), 3, 0.0, np.inf, bounds, make_ordered(1, 2, stop))

"""Compiling the search for optimal trees of classes over every threshold."""

from __future__ import annotations

import numpy as np

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
    """Call the search as it counts small tables, and large sums; and the survey."""
    _run(np.int16)
    _run(np.int32)
    two = np.arange(2)
    stump_of_rows(StumpRows(two.reshape(1, 2), np.eye(2, dtype=np.int64), two, two[:1], 2, 0), two)
    _survey()


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

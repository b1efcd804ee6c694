"""Compiling approximation trees."""

from __future__ import annotations

import numpy as np

from espalier.kernels.approximation.better_split_test import (
    Candidates,
    add_up,
    better_than,
    count,
    n_sums,
    put_in_bins,
    scores,
)
from espalier.kernels.approximation.density import Region, Smoothing, draw_rows, everywhere, make_region
from espalier.kernels.approximation.integrals import BoxCells, Boxes, CentreRange, integrate, spread_boxes
from espalier.kernels.ranks import slots_of
from espalier.kernels.stages.small_forest import run_regions, small_forest
from espalier.kernels.stages.table import N, X


def run() -> None:
    """Call every kernel of approximation trees."""
    _run_draws()
    _run_split_test()
    _run_integrals()


def _run_draws() -> None:
    """Draw pseudo-samples, and predict them by a forest."""
    draw_rows(*_density(), np.zeros(1, np.uint64), np.empty((8, X.shape[1])))
    run_regions()


def _run_split_test() -> None:
    """Call the better-split test of two splits of one column."""
    slots = slots_of([np.array([1.0, 2.0])])
    order, one = np.full((1, 64), -1), np.array([2])
    candidates = Candidates(np.zeros(1, np.int64), np.array([0, 2]), np.array([1.0, 2.0]), order, one, *slots)
    bins, y, sums = np.empty((1, 8), np.uint16), np.zeros((8, 1)), np.zeros((3, 2, n_sums(1)))
    put_in_bins(candidates, np.zeros((8, X.shape[1])), bins)
    count(bins, y, np.zeros(8, np.uint8), sums, candidates.start)
    running = add_up(candidates.start, sums)
    gains = scores(candidates.start, running, 1)
    better_than(candidates.start, running, gains[0], False, gains, np.empty(2))


def _run_integrals() -> None:
    """Call the integrals of a forest over the density."""
    p, none, nowhere = X.shape[1], np.empty(0), np.zeros(0, np.int64)
    low, high, missing, is_side = (np.full((3, p), v) for v in (-np.inf, np.inf, True, False))
    spread_boxes(small_forest().trees[0], low, high, np.zeros((3, p), np.uint64), missing, is_side)
    sides = (nowhere, none, none, np.zeros(0, np.uint64), np.zeros(0, np.bool_), nowhere, nowhere)
    boxes = Boxes(np.zeros(2, np.int64), np.zeros((1, 1)), *sides)
    cells = BoxCells(np.arange(0, 2 * p + 1, 2), np.full(2 * p, np.inf))
    integrate(boxes, *_density(), cells, CentreRange(0, 1), np.zeros((2 * p, 2)))


def _density() -> tuple[Smoothing, Region]:
    """Return kernels around the rows of the small table, in a box that contains everything."""
    p = X.shape[1]
    smoothing = Smoothing(np.zeros(p, np.uint8), np.ones(p), 0.2, np.zeros(p + 1, np.int64), np.empty(0))
    return smoothing, make_region(smoothing, X, np.ones(N), everywhere(p))

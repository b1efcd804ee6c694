"""Compiling forests and boosting."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from espalier.kernels.boosting import gradients
from espalier.kernels.boosting.best_split import SplitLimits
from espalier.kernels.boosting.bins import make_bins
from espalier.kernels.boosting.gradients import Derivatives, pack_derivatives
from espalier.kernels.boosting.grow import grow_leafwise
from espalier.kernels.boosting.workspace import LeafwiseLimits, make_leafwise_workspace
from espalier.kernels.boosting.write_tree import BoostingStep, OutputDerivatives, add_steps, boosted_tree
from espalier.kernels.forest.bootstrap import TreeBatch, refill
from espalier.kernels.forest.grow import grow_coded, make_workspace
from espalier.kernels.forest.grow_random import grow_random, make_random_workspace
from espalier.kernels.forest.ordinal import make_coded
from espalier.kernels.forest.out_of_bag import WeightedTarget, judge, rise
from espalier.kernels.forest.packed import pack_forest, rows_of, weighted_sum
from espalier.kernels.forest.quantiles import LeafSamples, quantiles_of_rows
from espalier.kernels.forest.random_split import RandomTable
from espalier.kernels.forest.small.lists import order_rows
from espalier.kernels.route import columns_of
from espalier.kernels.stages.growth import growth_state
from espalier.kernels.stages.small_forest import run_regions, small_forest
from espalier.kernels.stages.table import CATEGORICAL, LABEL, SIGNALS, N, X
from espalier.kernels.task import GrowthLimits


def run() -> None:
    """Call every kernel of forests, of their out-of-bag errors and predictions, and of boosting."""
    work = growth_state()
    refill(work, work.lists[0].copy(), 0, N)
    _run_ordinal()
    _run_random_cuts()
    _run_quantiles()
    _run_means()
    _run_out_of_bag()
    run_regions()
    _run_boosting()


def _run_ordinal() -> None:
    coded, task = make_coded(columns_of(X)), growth_state().task
    make_coded(columns_of(np.ones_like(X)))  # whole numbers have a way of their own
    limits = GrowthLimits(2, 2, 1, 0.0, 0.0, 0, 2, False)
    batch = TreeBatch(np.zeros(1, np.int64), N, SIGNALS)
    grow_coded(coded, task, limits, make_workspace(coded, task, limits), batch)
    order_rows(coded.codes, np.zeros(N + 1, np.int64), np.empty((X.shape[1], N), np.uint16))


def _run_random_cuts() -> None:
    table, task = RandomTable(columns_of(X), CATEGORICAL), growth_state().task
    limits, seeds = GrowthLimits(2, 2, 1, 0.0, 0.0, 0, 2, True), np.zeros(1, np.int64)
    grow_random(table, task, limits, make_random_workspace(table, task), TreeBatch(seeds, N, SIGNALS))


def _run_quantiles() -> None:
    one, shares = np.zeros(1, np.int64), np.ones(1)
    samples = LeafSamples(one, np.arange(2), np.zeros(1, np.int32), shares, shares, shares)
    leaves, seen = np.zeros((1, 1), np.int32), np.zeros((1, 1), np.uint8)
    quantiles_of_rows(leaves, samples, seen, np.ones(1), np.empty((1, 1)))


def _run_means() -> None:
    with ThreadPoolExecutor(1) as pool:
        for rows in (X, np.round(X)):  # the latter are predicted in float32
            weighted_sum(pack_forest(small_forest()), rows, pool, 1)


def _run_out_of_bag() -> None:
    packed, rows = pack_forest(small_forest()), rows_of(X)
    target = WeightedTarget(LABEL.astype(np.float64), np.ones(N), True)
    with ThreadPoolExecutor(1) as pool:
        judge(packed, rows, np.zeros((1, N), np.uint8), target, pool)
    rise(packed, 0, rows, target, 0)


def _run_boosting() -> None:
    table = make_bins(columns_of(X), CATEGORICAL, 3)
    y, ones, score = LABEL.astype(np.float64), np.ones(N), np.zeros((2, N))
    derivatives = Derivatives(np.empty((2, N)), np.empty((2, N)))
    of_numbers = gradients.squared_error, gradients.absolute_error, gradients.poisson
    for differentiate in (*of_numbers, gradients.log_loss, gradients.log_loss_of_many):
        differentiate(y, score, ones, derivatives)
    packed = pack_derivatives(derivatives.first[0], derivatives.second[0], np.empty((N, 2), np.int64))
    room, no_direction = make_leafwise_workspace(table, 3), np.empty(0, np.int64)
    limits = LeafwiseLimits(3, 2, SplitLimits(packed.units.n_bits, 1, 1.0, 0.0, no_direction))
    room.rows[:] = np.arange(N)
    n_nodes = grow_leafwise(table, packed.pair, limits, room, N, SIGNALS)
    learned = OutputDerivatives(packed, derivatives.first[0], ones, y, no_direction)
    _, values = boosted_tree(table, room, n_nodes, learned, BoostingStep(0.1, 0.0, 0, 2))
    add_steps(room, n_nodes, values, score[0])

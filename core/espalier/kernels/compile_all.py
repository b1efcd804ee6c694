"""Compiling every kernel ahead of use: ``python -m espalier.kernels.compile_all`` fills the cache on disk.

The app runs this in a process of its own, since a thread that compiles would stall all other sessions. It goes
by stages, one for each kind of tree, and leaves a mark after each. In every stage a second process compiles
kernels that the longest part does not need; both processes fill the same cache.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from espalier.kernels import cache_folder, cache_folders
from espalier.kernels.approximation.better_split_test import (
    Candidates,
    add_up,
    better_than,
    count,
    n_sums,
    put_in_bins,
    scores,
    variances,
)
from espalier.kernels.approximation.density import Region, Smoothing, draw_rows, everywhere, make_region
from espalier.kernels.approximation.emulation import count_cells, fluctuate
from espalier.kernels.approximation.integrals import BoxCells, Boxes, CentreRange, integrate, spread_boxes
from espalier.kernels.boosting import gradients
from espalier.kernels.boosting.best_split import SplitLimits
from espalier.kernels.boosting.bins import make_bins
from espalier.kernels.boosting.gradients import Derivatives, pack_derivatives
from espalier.kernels.boosting.grow import grow_leafwise
from espalier.kernels.boosting.workspace import LeafwiseLimits, make_leafwise_workspace
from espalier.kernels.boosting.write_tree import BoostingStep, OutputDerivatives, add_steps, boosted_tree
from espalier.kernels.cart.best_split import GrowthState, Segment, best_other_split
from espalier.kernels.cart.columns import make_columns
from espalier.kernels.cart.fast_split import NodeSlice, PairScoring, search_means, search_pairs
from espalier.kernels.cart.grow import begin, grow_tree, make_work
from espalier.kernels.cultivated.grow import cultivate
from espalier.kernels.cultivated.module import CultivatedParameters, ModuleData
from espalier.kernels.cultivated.slice import Slice, fraction_slice, predict_slice
from espalier.kernels.forest.bootstrap import TreeBatch, refill
from espalier.kernels.forest.grow import grow_coded, make_workspace
from espalier.kernels.forest.grow_random import grow_random, make_random_workspace
from espalier.kernels.forest.ordinal import make_coded
from espalier.kernels.forest.out_of_bag import WeightedTarget, judge, rise
from espalier.kernels.forest.packed import pack_forest, rows_of, weighted_sum
from espalier.kernels.forest.quantiles import LeafSamples, quantiles_of_rows
from espalier.kernels.forest.quickscorer import sum_by_region
from espalier.kernels.forest.random_split import RandomTable
from espalier.kernels.forest.regions import make_regions
from espalier.kernels.gate import predict, reach
from espalier.kernels.impurity import GINI, table_of_x_log_x
from espalier.kernels.model_trees.best_models import ModelTask, best_models
from espalier.kernels.oblique.every_search import find_slanted
from espalier.kernels.oblique.route import oblique_leaf_of
from espalier.kernels.optimal.bitset import (
    MAX_DEPTH,
    Problem,
    count_pairs,
    count_sums,
    make_level,
    name_answers,
    pack,
    stride_of,
    thin_out,
)
from espalier.kernels.optimal.bounds_table import BUCKET, UNKNOWN, BoundsTable, SetBounds, SetKey, remember
from espalier.kernels.optimal.branch_and_bound import ALL, SearchState, solve
from espalier.kernels.optimal.depth_two import make_pair_workspace, solve_children, solve_node
from espalier.kernels.optimal.read_tree import survey, write_tree
from espalier.kernels.optimal.split_limit import leaf_value, solve_few
from espalier.kernels.prune import collapse_prices
from espalier.kernels.ranks import slots_of
from espalier.kernels.route import columns_of, leaf_of, passes, path_of
from espalier.kernels.task import GrowthLimits, Split, Task
from espalier.oblique import make_oblique
from espalier.paths import KERNEL_CACHE
from espalier.trees import Forest, make_forest, make_tree, parents, softened

STAGES = ("cart", "forest", "cultivated", "optimal", "approximation")  # in the order in which they are wanted

# A table with a column of every kind: sorted, levels that are fractions or whole, categories.
_N = 70
_X = np.column_stack([np.arange(_N) / 3, np.arange(_N) % 3 / 2, np.arange(_N) % 2, np.arange(_N) % 5])
_LABEL = (np.arange(_N) > 40).astype(np.uint16)
_SIGNALS = np.zeros(2, np.int64)
_DIRECTION = np.empty(0, np.int64)
_STUMP = ([0, -1, -1], [1, np.nan, np.nan], [1, -1, -1], [2, -1, -1], np.zeros(3), np.zeros(3))
_STUMP += (np.ones(3), np.ones(3), np.ones((3, 2)), np.zeros(3))


FORGET_DAYS = 14


def is_warm(stage: str = STAGES[-1]) -> bool:
    """Return whether all kernels of these sources are in the cache, up to and including this stage."""
    return _mark(stage).exists()


def _mark(stage: str) -> Path:
    return cache_folder("espalier.kernels.compile_all") / f"warm {stage}"


def run_all() -> None:
    """Call every kernel once on a small table: compiles it, or loads it from the cache."""
    for stage in STAGES:
        RUN[stage]()


def _run_cart() -> None:
    work = _work()
    tree = grow_tree(work.columns, work.task, work.limits, 0, np.zeros(2, np.int64))
    leaf_of(tree, _X)
    path_of(tree, _X[0])
    collapse_prices(tree, parents(tree))
    _run_model_trees()
    _run_slanted()


def _run_model_trees() -> None:
    columns, categorical = columns_of(_X), np.array([False, False, False, True])
    ones = np.ones((1, _N))
    slopes = np.zeros((4, 1))
    task = ModelTask(columns, categorical, _LABEL[np.newaxis] + 0.0, ones, np.ones(4), slopes, ones[0], 1.0)
    best_models(task, np.argsort(columns, axis=1, kind="stable"))


def _run_slanted() -> None:
    feature, threshold, left, right, categories, _, *about = _STUMP
    terms = (np.array([0, 2, 2, 2]), np.array([0, 1]), np.ones(2))
    tree = make_oblique(feature, threshold, left, right, categories, *about, np.zeros(_X.shape[1]), terms)
    oblique_leaf_of(tree, _X)
    collapse_prices(tree, parents(tree))
    find_slanted(_X, _LABEL)


def _run_forest() -> None:
    work = _work()
    refill(work, work.lists[0].copy(), 0, _N)
    _run_ordinal()
    _run_random_cuts()
    _run_quantiles()
    _run_means()
    _run_out_of_bag()
    _run_regions()
    _run_boosting()


def _run_ordinal() -> None:
    coded, task = make_coded(columns_of(_X)), _work().task
    limits = GrowthLimits(2, 2, 1, 0.0, 0.0, 0, 2, False)
    batch = TreeBatch(np.zeros(1, np.int64), _N, _SIGNALS)
    grow_coded(coded, task, limits, make_workspace(coded, task, limits), batch)


def _run_random_cuts() -> None:
    table, task = RandomTable(columns_of(_X), np.array([False, False, False, True])), _work().task
    limits, seeds = GrowthLimits(2, 2, 1, 0.0, 0.0, 0, 2, True), np.zeros(1, np.int64)
    grow_random(table, task, limits, make_random_workspace(table, task), TreeBatch(seeds, _N, _SIGNALS))


def _run_quantiles() -> None:
    one, shares = np.zeros(1, np.int64), np.ones(1)
    samples = LeafSamples(one, np.arange(2), np.zeros(1, np.int32), shares, shares, shares)
    leaves, seen = np.zeros((1, 1), np.int32), np.zeros((1, 1), np.uint8)
    quantiles_of_rows(leaves, samples, seen, np.ones(1), np.empty((1, 1)))


def _forest() -> Forest:
    return make_forest((make_tree(*_STUMP),), [1.0], "mean", [0.5, 0.5])


def _run_means() -> None:
    with ThreadPoolExecutor(1) as pool:
        weighted_sum(pack_forest(_forest()), _X, pool, 1)


def _run_regions() -> None:
    regions: Any = make_regions(pack_forest(_forest()))
    sum_by_region(regions, np.ones((2, 2)), rows_of(_X), np.zeros((_N, 2)))


def _run_out_of_bag() -> None:
    packed, X = pack_forest(_forest()), rows_of(_X)
    target = WeightedTarget(_LABEL.astype(np.float64), np.ones(_N), True)
    with ThreadPoolExecutor(1) as pool:
        judge(packed, X, np.zeros((1, _N), np.uint8), target, pool)
    rise(packed, 0, X, target, 0)


def _run_boosting() -> None:
    table = make_bins(columns_of(_X), np.array([False, False, False, True]), 3)
    y, ones, score = _LABEL.astype(np.float64), np.ones(_N), np.zeros((2, _N))
    derivatives = Derivatives(np.empty((2, _N)), np.empty((2, _N)))
    of_numbers = gradients.squared_error, gradients.absolute_error, gradients.poisson
    for differentiate in (*of_numbers, gradients.log_loss, gradients.log_loss_of_many):
        differentiate(y, score, ones, derivatives)
    packed = pack_derivatives(derivatives.first[0], derivatives.second[0], np.empty((_N, 2), np.int64))
    room, limits = (
        make_leafwise_workspace(table, 3),
        LeafwiseLimits(3, 2, SplitLimits(packed.units.n_bits, 1, 1.0, 0.0, _DIRECTION)),
    )
    room.rows[:] = np.arange(_N)
    n_nodes = grow_leafwise(table, packed.pair, limits, room, _N, _SIGNALS)
    learned = OutputDerivatives(packed, derivatives.first[0], ones, y, _DIRECTION)
    _, values = boosted_tree(table, room, n_nodes, learned, BoostingStep(0.1, 0.0, 0, 2))
    add_steps(room, n_nodes, values, score[0])


def _run_cultivated() -> None:
    columns = make_columns(columns_of(_X), np.array([False, False, False, True]))
    y = _LABEL.astype(np.float64)
    data = ModuleData(columns, np.column_stack([np.ones(_N), y, y]), 2.0, 1.0)
    tree = cultivate(
        data, CultivatedParameters(2, 6.0, 0.3, 1.0, 0.5, 0.0, 0.0, 4, 1, True, 0.0), 0, np.zeros(2, np.int64)
    )
    collapse_prices(tree, parents(tree))


def _run_gates() -> None:
    stump = softened(make_tree(*_STUMP))
    predict(stump, _X)
    reach(stump, _X)
    plane = Slice(np.array([0, 1]), np.arange(3.0), np.arange(2.0), _X[0])
    predict_slice(stump, plane)
    fraction_slice(stump, plane, 1)


def _run_counts() -> None:
    """Call the counting and the bounds table of the search for optimal trees, without the search."""
    search = _search()
    level, problem = search.level, search.problem
    name_answers(level, 0)
    thin_out(level, 0, 0)
    count_sums(problem, level, 0)
    pack(level, 0, 0, 1)
    zero = np.int64(0)
    remember(search.memory, SetKey(level.rows[0, 0], level.rows[0, 1]), SetBounds(zero, zero, zero), 3)
    count_pairs(problem, level, 0)
    solve_node(problem, level, 0, search.scratch)


def _run_pairs() -> None:
    search = _search()
    solve_children(search.problem, search.level, 0, 0, search.scratch)


def _run_optimal() -> None:
    search = _search()
    solve(search, 0, 3, UNKNOWN, ALL)
    solve_few(search, 0, 3, 2, UNKNOWN)
    write_tree(search, 0, 3, 7, np.zeros(16, np.int64), 0)
    survey(search, np.zeros((1, 2), np.int64), 3, 7, UNKNOWN)
    leaf_value(search.problem, search.level, 0)


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


def _density() -> tuple[Smoothing, Region]:
    """Return kernels around the rows of the small table, in a box that contains everything."""
    p = _X.shape[1]
    smoothing = Smoothing(np.zeros(p, np.uint8), np.ones(p), 0.2, np.zeros(p + 1, np.int64), np.empty(0))
    return smoothing, make_region(smoothing, _X, np.ones(_N), everywhere(p))


def _run_draws() -> None:
    """Draw pseudo-samples, and predict them by a forest."""
    draw_rows(*_density(), np.zeros(1, np.uint64), np.empty((8, _X.shape[1])))
    _run_regions()


def _run_split_test() -> None:
    """Call the better-split test of two splits of one column."""
    slots = slots_of([np.array([1.0, 2.0])])
    order, one = np.full((1, 64), -1), np.array([2])
    candidates = Candidates(np.zeros(1, np.int64), np.array([0, 2]), np.array([1.0, 2.0]), order, one, *slots)
    bins, y, sums = np.empty((1, 8), np.uint16), np.zeros((8, 1)), np.zeros((3, 2, n_sums(1)))
    put_in_bins(candidates, np.zeros((8, _X.shape[1])), bins)
    count(bins, y, np.zeros(8, np.uint8), sums, candidates.start)
    running = add_up(candidates.start, sums)
    gains = scores(candidates.start, running, 1)
    better_than(candidates.start, running, gains[0], False, gains, np.empty(2))


def _run_emulation() -> None:
    """Call the test of the same two splits with emulated sums."""
    start, bins, sums = np.array([0, 2]), np.zeros((1, 8), np.uint16), np.zeros((3, 2, n_sums(1)))
    count_cells(bins, np.ones((8, n_sums(1))), np.zeros(8, np.uint8), start, sums)
    variances(start, add_up(start, sums), False, np.empty(2))
    fluctuate(bins, np.zeros((8, 2, 2)), start, np.zeros(1, np.uint64), np.zeros((1, 3, 2)))


def _run_integral() -> None:
    """Call the integrals of a forest over the density."""
    p, none, nowhere = _X.shape[1], np.empty(0), np.zeros(0, np.int64)
    low, high, missing, is_side = (np.full((3, p), v) for v in (-np.inf, np.inf, True, False))
    spread_boxes(_forest().trees[0], low, high, np.zeros((3, p), np.uint64), missing, is_side)
    sides = (nowhere, none, none, np.zeros(0, np.uint64), np.zeros(0, np.bool_), nowhere, nowhere)
    boxes = Boxes(np.zeros(2, np.int64), np.zeros((1, 1)), *sides)
    cells = BoxCells(np.arange(0, 2 * p + 1, 2), np.full(2 * p, np.inf))
    integrate(boxes, *_density(), cells, CentreRange(0, 1), np.zeros((2 * p, 2)))


def main() -> None:
    """Compile everything, each stage in two processes, and leave a mark after each for `is_warm`."""
    for stage in STAGES:
        if is_warm(stage):
            continue
        with subprocess.Popen([sys.executable, "-m", "espalier.kernels.compile_all", stage]) as helper:
            try:
                BESIDE[stage][0]()
                helper.wait()
            finally:
                with contextlib.suppress(ProcessLookupError):
                    helper.kill()
        RUN[stage]()
        _mark(stage).parent.mkdir(parents=True, exist_ok=True)
        _mark(stage).touch()
    _forget_old_caches()


def _forget_old_caches() -> None:
    """Delete the caches of other sources, such as another branch, that have not changed for two weeks."""
    oldest = time.time() - FORGET_DAYS * 24 * 3600
    for folder in set(KERNEL_CACHE.glob("*-" + "[0-9a-f]" * 16)) - cache_folders():
        if folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)


def _work() -> GrowthState:
    task = Task(GINI, 2, _LABEL, np.empty(0), np.ones(_N), True, True, table_of_x_log_x(0))
    columns = make_columns(columns_of(_X), np.array([False, False, False, True]))
    return make_work(columns, task, GrowthLimits(2, 2, 1, 0.0, 0.0, 0, 4, False), 0)


def _run_leaves() -> None:
    """Call all that growing CART calls, except for `_run_other`, with the same argument types as there."""
    work = _work()
    place, columns = NodeSlice(0, 0, _N, 1), work.columns
    scoring = PairScoring(work.task.criterion, work.task.table, work.scratch.packed, work.scratch.counted)
    search_pairs(work.lists, columns, work.features, place, (41, 29), scoring)
    search_means(work.lists, columns, work.features, place, 0.0, np.zeros(_N))
    begin(work)
    stump = make_tree(*_STUMP)
    passes(0.5, 0.5, np.uint64(0), False)
    leaf_of(stump, _X)
    collapse_prices(stump, parents(stump))


def _run_other() -> None:
    best = Split(-np.inf, -1, -1, np.nan, np.uint64(0), False)  # type: ignore[arg-type]
    best_other_split(_work(), Segment(0, 0, _N, -np.inf, np.inf), np.array([41.0, 29.0]), (0, 1), best)


RUN = {
    "cart": _run_cart,
    "forest": _run_forest,
    "cultivated": lambda: (_run_cultivated(), _run_gates()),
    "optimal": _run_optimal,
    "approximation": lambda: (_run_draws(), _run_split_test(), _run_emulation(), _run_integral()),
}
BESIDE = {
    "cart": (_run_leaves, _run_other),
    "forest": (
        lambda: (_run_ordinal(), _run_random_cuts()),
        lambda: (_run_out_of_bag(), _run_regions(), _run_boosting()),
    ),
    "cultivated": (_run_cultivated, _run_gates),
    "optimal": (_run_counts, _run_pairs),
    "approximation": (lambda: (_run_draws(), _run_split_test(), _run_emulation()), _run_integral),
}

if __name__ == "__main__":
    if sys.argv[1:]:
        BESIDE[sys.argv[1]][1]()
    else:
        main()

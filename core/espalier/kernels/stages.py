"""The kernels that each kind of tree needs, called once on a small table: see espalier.kernels.compile_all.

Each function `call_…` is the stage of that name, and they stand in the order in which stages are wanted: those of
no hurry near the end. Each imports what it calls, so that its mark depends on that and on nothing else.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from espalier.trees import Forest, Tree

N = 70  # rows of a table with a column of every kind: sorted, levels that are fractions or integers, categories
X = np.column_stack([np.arange(N) / 3, np.arange(N) % 3 / 2, np.arange(N) % 2, np.arange(N) % 5])
CATEGORICAL = np.array([False, False, False, True])
LABEL = (np.arange(N) > 40).astype(np.uint16)


def signals() -> np.ndarray:
    """Return signals of growth, which nobody has written into."""
    return np.zeros(2, np.int64)


def stump() -> Tree:
    """Return a tree of one split, for two classes."""
    from espalier.trees import make_tree

    zeros, ones, leaves = np.zeros(3), np.ones(3), [-1, -1]
    threshold = [1, np.nan, np.nan]
    return make_tree(
        [0, *leaves], threshold, [1, *leaves], [2, *leaves], zeros, zeros, ones, ones, np.ones((3, 2)), zeros
    )


def small_forest() -> Forest:
    """Return a forest of one stump, of two classes."""
    from espalier.trees import make_forest

    return make_forest((stump(),), [1.0], "mean", [0.5, 0.5])


def growth_state() -> Any:
    """Return the state from which CART grows on the table, of two classes."""
    from espalier.kernels.cart.columns import make_columns
    from espalier.kernels.cart.grow import make_work
    from espalier.kernels.route import columns_of
    from espalier.kernels.task import GINI, GrowthLimits, Task, table_of_x_log_x

    task = Task(GINI, 2, LABEL, np.empty(0), np.ones(N), True, True, table_of_x_log_x(0))
    columns = make_columns(columns_of(X), CATEGORICAL)
    return make_work(columns, task, GrowthLimits(2, 2, 1, 0.0, 0.0, 0, 4, False), 0)


def call_small() -> None:
    """Grow a tree of a small table of classes, and find the leaf of each row: ready long before the rest."""
    from espalier.kernels.cart.small_classes import grow_small
    from espalier.kernels.route import columns_of, leaf_of
    from espalier.kernels.task import GINI, GrowthLimits, Task, table_of_x_log_x

    task = Task(GINI, 2, LABEL, np.empty(0), np.ones(N), True, True, table_of_x_log_x(0))
    tree = grow_small(columns_of(X[:, :1]), task, GrowthLimits(2, 2, 1, 0.0, 0.0, 0, 1, False), signals())
    assert tree is not None
    leaf_of(tree, X)


def call_cart() -> None:
    """Call every kernel of CART, and those that all trees share."""
    from espalier.kernels.cart.columns import make_columns
    from espalier.kernels.cart.grow import grow_tree
    from espalier.kernels.cart.small_classes import grow_small
    from espalier.kernels.prune import collapse_prices
    from espalier.kernels.route import averages, columns_of, leaf_of, path_of, shares_of_rows
    from espalier.kernels.task import SQUARED_ERROR, Task
    from espalier.trees import parents

    work = growth_state()
    tree = grow_tree(work.columns, work.task, work.limits, 0, signals())
    numbers = make_columns(columns_of(X[:, :2]), np.zeros(2, np.bool_))
    y, no_labels = np.arange(N) / 7, np.empty(0, np.uint16)
    task = Task(SQUARED_ERROR, 0, no_labels, y, np.ones(N), True, False, np.zeros(1))
    grow_tree(numbers, task, work.limits, 0, signals())
    grow_small(columns_of(X[:, :1]), work.task, work.limits, signals())
    leaf_of(tree, X)
    path_of(tree, X[0])
    averages(tree, X, (0, 1), shares_of_rows(tree, X, (0, 1)))
    collapse_prices(tree, parents(tree))


def call_forest() -> None:
    """Call every kernel of forests, of their out-of-bag errors and predictions, and of boosting."""
    from espalier.kernels.forest.bootstrap import refill

    work = growth_state()
    refill(work, work.lists[0].copy(), 0, N)
    _grow_forests()
    _ask_forest()
    _predict_by_codes()
    _boost()


def _grow_forests() -> None:
    """Grow a tree by ordinal codes, and one by random cuts."""
    from espalier.kernels.forest.bootstrap import TreeBatch
    from espalier.kernels.forest.grow import grow_coded, make_workspace
    from espalier.kernels.forest.grow_random import RandomTable, grow_random, make_random_workspace
    from espalier.kernels.forest.ordinal import make_coded
    from espalier.kernels.route import columns_of
    from espalier.kernels.task import GrowthLimits

    table, task = make_coded(columns_of(X)), growth_state().task
    limits = GrowthLimits(2, 2, 1, 0.0, 0.0, 0, 2, False)
    batch = TreeBatch(np.zeros(1, np.int64), N, signals())
    grow_coded(table, task, limits, make_workspace(table, task, limits), batch)
    numbers = RandomTable(columns_of(X), CATEGORICAL)
    grow_random(numbers, task, limits._replace(random=True), make_random_workspace(numbers, task), batch)


def _ask_forest() -> None:
    """Ask a forest for quantiles, means, out-of-bag errors and importance."""
    from espalier.kernels.forest.out_of_bag import LeafSamples, WeightedTarget, judge, quantiles_of_rows, rise
    from espalier.kernels.forest.packed import none_missing, pack_forest, rows_of, weighted_sum

    zero, shares = np.zeros(1, np.int64), np.ones(1)
    samples = LeafSamples(zero, np.arange(2), np.zeros(1, np.int32), shares, shares, shares)
    leaves, is_out = np.zeros((1, 1), np.int32), np.zeros((1, 1), np.uint8)
    quantiles_of_rows(leaves, samples, is_out, np.ones(1), np.empty((1, 1)))
    forest, rows = pack_forest(small_forest()), rows_of(X)
    target = WeightedTarget(LABEL.astype(np.float64), np.ones(N), True)
    none_missing(rows)
    weighted_sum(forest, X)
    with ThreadPoolExecutor(1) as pool:
        judge(forest, rows, np.zeros((1, N), np.uint8), target, pool)
    rise(forest, 0, rows, target, 0)


def _predict_by_codes() -> None:
    """Call the prediction of a forest by codes."""
    from espalier.kernels.forest.coded import labels_of, leaf_table, make_coded, small_trees, sum_coded, sum_small
    from espalier.kernels.forest.packed import pack_forest, rows_of

    forest = pack_forest(small_forest())
    codes: Any = make_coded(forest, missing=True)
    sum_coded(codes, forest, labels_of(forest), rows_of(X), np.zeros((N, 2)))
    sum_small(small_trees(forest, codes), codes, leaf_table(forest), rows_of(X), np.zeros((N, 2)))


def _boost() -> None:
    """Grow a tree of boosting, and call the derivatives of every loss."""
    from espalier.kernels.boosting.bins import LeafwiseLimits, make_bins, make_leafwise_workspace
    from espalier.kernels.boosting.grow import SplitLimits, grow_leafwise
    from espalier.kernels.boosting.write_tree import (
        BoostingStep,
        Derivatives,
        OutputDerivatives,
        absolute_error,
        add_steps,
        boosted_tree,
        log_loss,
        log_loss_of_many,
        pack_derivatives,
        poisson,
        squared_error,
    )
    from espalier.kernels.route import columns_of

    table = make_bins(columns_of(X), CATEGORICAL, 3)
    y, ones, score = LABEL.astype(np.float64), np.ones(N), np.zeros((2, N))
    derivatives = Derivatives(np.empty((2, N)), np.empty((2, N)))
    for differentiate in (squared_error, absolute_error, poisson, log_loss, log_loss_of_many):
        differentiate(y, score, ones, derivatives)
    pairs = pack_derivatives(derivatives.first[0], derivatives.second[0], np.empty((N, 2), np.int64))
    room, no_direction = make_leafwise_workspace(table, 3), np.empty(0, np.int64)
    limits = LeafwiseLimits(3, 2, SplitLimits(pairs.units.n_bits, 1, 1.0, 0.0, no_direction))
    room.rows[:] = np.arange(N)
    n_nodes = grow_leafwise(table, pairs.pair, limits, room, N, signals())
    output = OutputDerivatives(pairs, derivatives.first[0], ones, y, no_direction)
    _, values = boosted_tree(table, room, n_nodes, output, BoostingStep(0.1, 0.0, 0, 2))
    add_steps(room, n_nodes, values, score[0])


def call_linear() -> None:
    """Call every kernel of trees with linear formulas, in their leaves or in their splits."""
    from espalier.kernels.model_trees import ModelTask, best_models, best_turns
    from espalier.kernels.oblique import find_slanted, oblique_leaf_of
    from espalier.kernels.route import columns_of
    from espalier.oblique import make_oblique

    columns, ones, slopes = columns_of(X), np.ones((1, N)), np.zeros((4, 1))
    task = ModelTask(columns, CATEGORICAL, LABEL[np.newaxis] + 0.0, ones, np.ones(4), slopes, ones[0], 1.0)
    orders = np.argsort(columns, axis=1, kind="stable")
    best_models(task, orders)
    best_turns(task, orders, np.arange(len(columns)), np.zeros(1, np.int64))
    tree, terms = stump(), (np.array([0, 2, 2, 2]), np.array([0, 1]), np.ones(2))
    oblique = make_oblique(
        tree.feature, tree.threshold, tree.left, tree.right, tree.categories, tree.n_samples, tree.weight,
        tree.value, tree.impurity, np.zeros(X.shape[1]), terms,
    )  # fmt: skip
    oblique_leaf_of(oblique, X)
    find_slanted(X, LABEL)


def call_explanation() -> None:
    """Call every kernel of explanations: Shapley values, answers along features, the search for changes."""
    from espalier.kernels.explanation.shapley import (
        FREE,
        Coalition,
        add_shapley_values,
        expected,
        most_features,
        quadrature,
    )
    from espalier.kernels.explanation.splits import add_jumps, add_pair, make_splits
    from espalier.kernels.route import columns_of

    columns, tree, n_features = columns_of(X), stump(), X.shape[1]
    splits, span = make_splits([tree], [tree.value]), np.array([0, 1])
    values = np.zeros((len(X), n_features, 2))
    add_shapley_values(splits, quadrature(1), Coalition(FREE, 0.0, 1.0), columns, span, values)
    most_features(splits)
    expected(splits, np.zeros(2))
    cut = np.zeros(1)
    add_pair(splits, np.arange(2), (cut, cut), columns, np.zeros((3, 3, 2)))
    add_jumps(splits, 0, cut, columns, np.zeros((len(X), 3, 2)))
    _search_changes(tree)


def _search_changes(tree: Tree) -> None:
    """Search for the smallest change that moves the first row to another class."""
    from espalier.kernels.explanation.smallest_change import (
        NOT_ASKED,
        ChangeCells,
        ChangeGoal,
        FoundChange,
        NearestPoint,
        add_leaves,
        empty_boxes,
        first_set,
        open_sets,
        search,
    )
    from espalier.kernels.forest.packed import pack_forest
    from espalier.trees import make_forest

    zero, column = np.zeros(1, np.int64), np.full(X.shape[1], -1)
    column[0] = 0
    cells = ChangeCells(zero, column, np.zeros(1, np.bool_), np.arange(2), np.full(1, 2.0), np.ones(1), zero)
    boxes = empty_boxes(2, 1)
    add_leaves(tree, 0, 0, X[0].copy(), cells, boxes, 0)
    forest = pack_forest(make_forest([tree], [1.0], "mean", []))
    boxes = boxes._replace(start=np.arange(3), missed=np.zeros(2, np.int32))
    goal, sets = ChangeGoal(np.ones(2), np.ones(2), 1.0, 0.0, 1), open_sets(4, 4, 1, 1)
    point = NearestPoint(zero.copy(), np.zeros(X.shape[1]), np.ones(1))
    first_set(boxes, goal, sets)
    counts = np.array([0, 0, 0, NOT_ASKED])
    search(forest, boxes, cells, goal, X[0].copy(), sets, counts, point, FoundChange(zero.copy(), np.ones(1)), 1)


def call_cultivated() -> None:
    """Call every kernel of cultivated trees: of growth, and of predictions."""
    from espalier.kernels.cart.columns import make_columns
    from espalier.kernels.cultivated.fractions import Slice, fraction_slice, predict, predict_slice, reach
    from espalier.kernels.cultivated.grow import cultivate
    from espalier.kernels.cultivated.module import CultivatedParameters, ModuleData
    from espalier.kernels.route import columns_of
    from espalier.trees import softened

    columns = make_columns(columns_of(X), CATEGORICAL)
    y = LABEL.astype(np.float64)
    data = ModuleData(columns, np.column_stack([np.ones(N), y, y]), 2.0, 1.0, 0.0, 1.0)
    parameters = CultivatedParameters(2, 6.0, 0.3, 1.0, 0.5, 0.0, 0.0, 4, 1, True, 0.0)
    cultivate(data, parameters, 0, signals())
    tree = softened(stump())
    predict(tree, X)
    reach(tree, X)
    plane = Slice(np.array([0, 1]), np.arange(3.0), np.arange(2.0), X[0])
    predict_slice(tree, plane)
    fraction_slice(tree, plane, 1)


def call_optimal() -> None:
    """Search for the best tree of no rows by branch and bound."""
    from espalier.kernels.optimal.bitset import MAX_DEPTH, Problem, make_level, stride_of
    from espalier.kernels.optimal.branch_and_bound import BUCKET, UNKNOWN, BoundsTable, SearchState
    from espalier.kernels.optimal.depth_two import make_pair_workspace
    from espalier.kernels.optimal.read_tree import solve

    salt = np.zeros(MAX_DEPTH + 1 + 2**MAX_DEPTH, np.int64)
    problem = Problem(np.arange(4), np.ones(3, np.int32), salt, 8, 1, True, np.zeros(2, np.int64), 0)
    level = make_level(4, 5, 3, 2, 2, 2)
    level.shape[0] = 2, stride_of(2)
    memory = BoundsTable(np.zeros(4 * BUCKET, np.int64), np.array([BUCKET - 1, 0, BUCKET - 1]))
    counts, stop = np.zeros(MAX_DEPTH + 1, np.int64), np.zeros(1, np.int64)
    best = np.array([UNKNOWN])
    solve(SearchState(problem, level, make_pair_workspace(level), memory, counts, stop, best, False), 3, UNKNOWN)


def call_regression() -> None:
    """Search for the best regression tree of two rows that differ, over every threshold."""
    from espalier.kernels.optimal.thresholds.nodes import make_nodes, rank_behind
    from espalier.kernels.optimal.thresholds.numbers import TargetRows, best_stump, leaf_loss, note_cuts
    from espalier.kernels.optimal.thresholds.search import SearchSize, make_search, run

    sums = np.array([[1.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0]])
    rows = TargetRows(np.arange(2, dtype=np.int32), sums, 0.0, 0.0, 0.0)
    node = make_nodes((1,), 2, 4, np.float64)
    node.order[:], node.size[:] = np.arange(2), 2
    run(make_search(rows, node, SearchSize(3, 7), np.zeros(1, np.int64)))
    note_cuts(rows, node)
    leaf_loss(node)
    best_stump(rows, node)
    rank_behind(rows, node, 0, 0)


def call_thresholds() -> None:
    """Call the search over every threshold as it counts small tables, and large sums; and the survey."""
    from espalier.kernels.optimal.thresholds import cut_survey
    from espalier.kernels.optimal.thresholds.stumps import StumpRows, stump_of_rows

    _search_thresholds(np.int16)
    _search_thresholds(np.int32)
    two = np.arange(2)
    stump_of_rows(StumpRows(two.reshape(1, 2), np.eye(2, dtype=np.int64), two, two[:1], 2, 0), two)
    ranks, start, every = np.arange(2, dtype=np.int32), np.array([0, 1]), np.ones(2, dtype=bool)
    table = cut_survey.CutTable(
        ranks, ranks.copy(), start, np.array([1, 0, 0, 1], np.int32), start + 1, np.ones((2, 2), np.int64)
    )
    scratch, low = cut_survey.make_survey_scratch(table), np.zeros((2, 1), np.int64)
    cut_survey.sum_cuts(table, every, np.zeros((2, 2), np.int64), np.zeros((3, 2), np.int64))
    cut_survey.stump_costs(table, every, 0, low, scratch)
    cut_survey.note_orders(table, every, scratch)
    cut_survey.begin_chain(table, scratch, 0, 0, 2)
    cut_survey.open_cuts(scratch, 2, 0)
    cut_survey.write_chain(table, scratch, 0, low)


def _search_thresholds(kind: type) -> None:
    """Search for the best tree of two samples that differ."""
    from espalier.kernels.optimal.thresholds.classes import SortedSamples
    from espalier.kernels.optimal.thresholds.nodes import make_nodes
    from espalier.kernels.optimal.thresholds.search import SearchSize, make_search, run, ways_of

    label, ones = np.arange(2), np.ones(2, kind)
    signs = np.array([-1, 1], kind)
    ranks, free = np.arange(2, dtype=kind), np.zeros(1, np.int64)
    samples = SortedSamples(ranks, label, ones, signs, label + 1, 2, 8, 1, ones, 0, free)
    root = make_nodes((1,), 2, 1, np.int64)
    root.order[:], root.size[0] = label, 2
    run(make_search(samples, root, SearchSize(3, 7), np.zeros(1, np.int64)))
    ways_of(3, 7)


def call_approximation() -> None:
    """Call every kernel of approximation trees."""
    from espalier.kernels.approximation.density import Smoothing, draw_rows, everywhere, make_region
    from espalier.kernels.approximation.integrals import BoxCells, Boxes, CentreRange, integrate, spread_boxes
    from espalier.kernels.randomness import child_seed

    p, none, nowhere = X.shape[1], np.empty(0), np.zeros(0, np.int64)
    smoothing = Smoothing(np.zeros(p, np.uint8), np.ones(p), 0.2, np.zeros(p + 1, np.int64), np.empty(0))
    density = smoothing, make_region(smoothing, X, np.ones(N), everywhere(p))  # around the rows, everywhere
    child_seed(np.uint64(0), True)
    child_seed(np.uint64(0), 1)
    draw_rows(*density, np.zeros(1, np.uint64), np.empty((8, X.shape[1])))
    _predict_by_codes()
    _test_splits()
    low, high, missing, is_side = (np.full((3, p), v) for v in (-np.inf, np.inf, True, False))
    spread_boxes(small_forest().trees[0], low, high, np.zeros((3, p), np.uint64), missing, is_side)
    sides = (nowhere, none, none, np.zeros(0, np.uint64), np.zeros(0, np.bool_), nowhere, nowhere)
    boxes = Boxes(np.zeros(2, np.int64), np.zeros((1, 1)), *sides)
    cells = BoxCells(np.arange(0, 2 * p + 1, 2), np.full(2 * p, np.inf))
    integrate(boxes, *density, cells, CentreRange(0, 1), np.zeros((2 * p, 2)))


def _test_splits() -> None:
    """Call the better-split test of two splits of one column."""
    from espalier.kernels.approximation.better_split_test import (
        Candidates,
        add_up,
        better_than,
        count,
        n_sums,
        put_in_bins,
        scores,
        slots_of,
    )

    slots = slots_of([np.array([1.0, 2.0])])
    order, two = np.full((1, 64), -1), np.array([2])
    candidates = Candidates(np.zeros(1, np.int64), np.array([0, 2]), np.array([1.0, 2.0]), order, two, *slots)
    bins, y, sums = np.empty((1, 8), np.uint16), np.zeros((8, 1)), np.zeros((3, 2, n_sums(1)))
    put_in_bins(candidates, np.zeros((8, X.shape[1])), bins)
    count(bins, y, np.zeros(8, np.uint8), sums, candidates.start)
    running = add_up(candidates.start, sums)
    gains = scores(candidates.start, running, 1)
    better_than(candidates.start, running, gains[0], False, gains, np.empty(2))

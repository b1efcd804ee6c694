"""The trees of a random forest, on threads or as tasks: the data that all share, and how some of them grow."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from itertools import count, islice
from operator import length_hint
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from espalier.kernels.cart.columns import SortedColumns
from espalier.kernels.cart.grow import grow_from, make_work
from espalier.kernels.forest.bootstrap import NodeRoom, TreeBatch, draw, lists_for_draws, refill
from espalier.kernels.forest.grow import grow_coded, make_workspace
from espalier.kernels.forest.grow_random import RandomTable, grow_random, make_random_workspace, suits_random_cuts
from espalier.kernels.forest.ordinal import OrdinalTable, make_coded, serves
from espalier.kernels.route import columns_of
from espalier.kernels.task import Task
from espalier.learners.base import TrainingData
from espalier.learners.cart import Cart, CartGrowth
from espalier.progress import Progress, Relay, ScaledProgress, ThreadProgress
from espalier.tasks import PARTS, Call, in_order, shares
from espalier.trees import AnyTree, Tree

# Grows the tree of a number; the progress is that of its thread; returns None if there are no more trees.
Grow: TypeAlias = "Callable[[int, Progress], AnyTree | None]"


class GrowthPlan(NamedTuple):
    """Number of trees at most, samples per tree, and number of threads."""

    n_trees: int
    n_samples: int
    n_threads: int  # 1 if a tree depends on the earlier ones: they then grow in order


def grow_in_threads(grow: Grow, plan: GrowthPlan, progress: Progress, trees: dict[int, AnyTree]) -> None:
    """Write the trees into `trees` by number; of incomplete trees keep only the first, if no tree is complete.

    `progress` as in `TreeForest.fit`. Trees for which `grow` returns None count as settled in the end.
    """
    relay = Relay(progress, min(plan.n_threads, plan.n_trees))
    numbers, cut_short = count(), {}

    def work(mine: ThreadProgress) -> None:
        for number in numbers:
            if number >= plan.n_trees or (mine.is_stopped and number > 0):
                return
            tree = grow(number, mine)
            if tree is None:
                return
            (cut_short if mine.is_stopped else trees)[number] = tree
            mine.settle(plan.n_samples)

    with ThreadPoolExecutor(len(relay.threads)) as pool:
        relay.attend([pool.submit(work, mine) for mine in relay.threads])
    if not trees:
        trees[0] = cut_short[0]
    if not progress.is_stopped:
        progress.done = plan.n_trees * plan.n_samples


def grow_in_tasks(
    executor: Executor,
    grow: Callable[[Any, Sequence[int], Progress], Sequence[AnyTree]],
    shared: Any,
    plan: GrowthPlan,
    progress: Progress,
) -> Iterator[tuple[int, AnyTree]]:
    """Yield each tree with its number, in order, as soon as the task that grows it has ended.

    `grow` takes `shared`, a tuple that each worker gets once, the numbers of some trees, and their progress.
    """
    parts = shares(range(plan.n_trees), executor)
    own = ScaledProgress(progress, plan.n_trees * plan.n_samples / (len(parts) * PARTS))
    tasks = [Call(grow, (shared, part), len(part) * plan.n_samples) for part in parts]
    for place, trees in in_order(tasks, executor, own):
        yield from zip(parts[place], trees, strict=True)


def grow_each(growth: tuple[Any, ...], numbers: Sequence[int], progress: Progress) -> list[AnyTree]:
    """Return the trees of these numbers; `growth` is a function and its arguments before those of `Grow`."""
    grow = partial(*growth)
    return [grow(number, progress) for number in numbers]


# ---- the trees of a random forest, on threads or as tasks: the data that all share, and how some of them grow

MOST_AT_ONCE = 16  # trees of a task that are grown in one call, where the kernel can
SECONDS_AT_ONCE = 0.03  # a thread grows trees for about this long before it delivers them
BALANCED_SUBSAMPLE = "balanced_subsample"  # a value of class_weight
NO_SEEDS = np.empty(0, np.int64)


class ForestData(NamedTuple):
    """Training data and parameters that all trees of a forest share."""

    # made once for all trees: ordinal codes, or plain columns for random cuts, where possible; else sorted columns
    table: OrdinalTable | RandomTable | SortedColumns
    growth: CartGrowth
    n_draws: int  # samples drawn with replacement for each tree; 0: each has all samples once
    seeds: np.ndarray = NO_SEEDS  # (n_trees,) int64
    balanced: bool = False  # whether classes weigh the same in what each tree has drawn


def take_numbers(numbers: Iterator[int], many: int, n_threads: int) -> Iterator[int]:
    """Return so many numbers at most, and fewer towards the end, so that threads end at about the same time.

    `numbers` iterate over a list, and know how many there are left.

    >>> numbers = iter([*range(10)])
    >>> [list(take_numbers(numbers, 5, n_threads=2)) for _ in range(4)]
    [[0, 1, 2], [3, 4], [5, 6], [7]]
    """
    share = -(-length_hint(numbers) // (2 * n_threads))
    return islice(numbers, max(min(many, share), 0))


def forest_data(learner: Cart, training: TrainingData, n_draws: int, n_threads: int = 1) -> ForestData:
    """Return the data of a forest whose trees have the parameters of the learner, each grown on so many draws."""
    growth = learner.growth(training, n_draws / len(training.y) if n_draws else 1.0)
    if n_draws and getattr(learner, "class_weight", None) == BALANCED_SUBSAMPLE:
        growth = growth._replace(task=growth.task._replace(unit=False, pairs=False))  # weights differ by tree
        return ForestData(_table_of_draws(learner, training), growth, n_draws, balanced=True)
    if suits_codes(learner, growth, training.X):
        return ForestData(make_coded(columns_of(training.X), n_threads), growth, n_draws)
    if suits_random_cuts(growth.task, growth.limits) and not len(learner.directions()):
        return ForestData(RandomTable(columns_of(training.X), learner.is_categorical_), growth, n_draws)
    table = _table_of_draws(learner, training) if n_draws else learner.columns(columns_of(training.X))
    return ForestData(table, growth, n_draws)


def _table_of_draws(learner: Cart, training: TrainingData) -> SortedColumns:
    """Return the columns, no value of which is distinct: a sample drawn twice ties with itself."""
    table = learner.columns(columns_of(training.X))
    return table._replace(distinct=np.zeros_like(table.distinct))


def suits_codes(learner: Cart, growth: CartGrowth, X: np.ndarray) -> bool:
    """Return whether trees can grow from ordinal codes: nothing about them needs sorted columns."""
    limits, is_special = growth.limits, learner.is_categorical_.any() or len(learner.directions())
    is_plain = not limits.random and not limits.max_leaves and limits.min_decrease == 0
    return is_plain and not is_special and serves(growth.task, X)


def grow_trees(inputs: ForestData, n_threads: int, progress: Progress, trees: dict) -> None:
    """Write the trees into `trees` by number; of incomplete trees keep only the first, if no tree is complete."""
    n_threads = min(n_threads, len(inputs.seeds))
    numbers = iter([number for number in range(len(inputs.seeds)) if number not in trees])
    take, relay, cut_short = partial(take_numbers, numbers, n_threads=n_threads), Relay(progress, n_threads), {}
    with ThreadPoolExecutor(n_threads) as pool:
        relay.attend([pool.submit(_grow_some, inputs, take, mine, trees, cut_short) for mine in relay.threads])
    if not trees:
        trees[0] = cut_short[0]


def grow_trees_in_tasks(
    inputs: ForestData, plan: GrowthPlan, executor: Executor, progress: Progress, trees: dict
) -> None:
    """Write the complete trees into `trees` by number, in order."""
    left = [number for number in range(plan.n_trees) if number not in trees]
    own = inputs._replace(seeds=inputs.seeds[left])
    for place, tree in grow_in_tasks(executor, _grow_numbered, own, plan._replace(n_trees=len(left)), progress):
        trees[left[place]] = tree


def _grow_numbered(inputs: ForestData, numbers: Sequence[int], progress: Progress) -> list[Tree]:
    """Grow the trees of some of the seeds: a task."""
    grow, trees = grower(inputs), list[Tree]()
    while len(trees) < len(numbers) and not progress.is_stopped:
        seeds = inputs.seeds[list(numbers[len(trees) : len(trees) + MOST_AT_ONCE])]
        trees += [tree for tree, _ in grow(seeds, progress)]
    return trees


def _grow_some(
    inputs: ForestData, take: Callable[[int], Iterator[int]], progress: Progress, trees: dict, cut_short: dict
) -> None:
    """Grow trees until there are no more numbers to take: the work of one thread."""
    grow = grower(inputs)
    left, many = deque[int](), 1
    while True:
        left.extend(take(many - len(left)))
        if not left or (progress.is_stopped and 0 not in left):
            return
        start = time.perf_counter()
        results = grow(inputs.seeds[list(left)], progress)
        for tree, complete in results:
            (trees if complete else cut_short)[left.popleft()] = tree
        seconds = (time.perf_counter() - start) / len(results)
        many = max(1, int(SECONDS_AT_ONCE / max(seconds, 1e-6)))


def grower(inputs: ForestData) -> Callable[[np.ndarray, Progress], list[tuple[Tree, bool]]]:
    """Return a function for one thread that grows the trees of given seeds and reports which are complete."""
    table, growth = inputs.table, inputs.growth
    if isinstance(table, SortedColumns):
        return _grower_of_columns(inputs, table)
    grow: Any = grow_coded if isinstance(table, OrdinalTable) else grow_random
    make: Any = make_workspace if isinstance(table, OrdinalTable) else make_random_workspace
    task, limits = growth.task, growth.limits
    work, room = make(table, task, limits) if grow is grow_coded else make(table, task), NodeRoom(growth.offset)

    def grow_some(seeds: np.ndarray, progress: Progress) -> list[tuple[Tree, bool]]:
        batch = TreeBatch(seeds, inputs.n_draws, progress.array)
        return [(growth.pruned(tree), count) for tree, count in grow(table, task, limits, work, batch, room)]

    return grow_some


def _grower_of_columns(
    inputs: ForestData, table: SortedColumns
) -> Callable[[np.ndarray, Progress], list[tuple[Tree, bool]]]:
    """Return what `grower` does, for sorted columns; it grows the tree of the first seed alone."""
    task, limits = inputs.growth.task, inputs.growth.limits
    work = make_work(table, task, limits, 0)
    order = work.lists[0].copy()
    work = lists_for_draws(work, inputs.n_draws)

    def grow(seeds: np.ndarray, progress: Progress) -> list[tuple[Tree, bool]]:
        before = progress.done
        refill(work, order, int(seeds[0]), inputs.n_draws)
        mine = work._replace(task=_balance(task, int(seeds[0]), inputs.n_draws)) if inputs.balanced else work
        tree, n_nodes = grow_from(mine, progress.array), before + work.lists.shape[2]
        complete = progress.done == n_nodes or not progress.is_stopped
        progress.done = n_nodes if complete else progress.done  # with limited leaves some samples were not visited
        return [(inputs.growth.finished(tree), complete)]

    return grow


def _balance(task: Task, seed: int, n_draws: int) -> Task:
    """Return the task with weights under which all classes of what this seed draws weigh the same.

    As scikit-learn defines "balanced_subsample": draws / (classes drawn * draws of the class), times the weight.
    """
    counts = draw(seed, len(task.weight), n_draws)[0]
    n_of_class = np.bincount(task.label, counts, minlength=task.n_classes)
    each = n_draws / (np.count_nonzero(n_of_class) * np.maximum(n_of_class, 1.0))
    return task._replace(weight=task.weight * each[task.label])

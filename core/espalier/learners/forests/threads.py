"""Grow many trees in several threads, or as tasks of an executor, with progress and a way to stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from itertools import count
from typing import Any, NamedTuple, TypeAlias

from espalier.progress import Progress, Relay, ScaledProgress, ThreadProgress
from espalier.tasks import PARTS, Call, in_order, shares
from espalier.trees import AnyTree

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

    `grow` takes `shared`, a record that each worker gets once, the numbers of some trees, and their progress.
    """
    parts = shares(range(plan.n_trees), executor)
    own = ScaledProgress(progress, plan.n_trees * plan.n_samples / (len(parts) * PARTS))
    tasks = [Call(grow, (shared, part), len(part) * plan.n_samples) for part in parts]
    for place, trees in in_order(tasks, executor, own):
        yield from zip(parts[place], trees, strict=True)


def grow_each(grow: Any, numbers: Sequence[int], progress: Progress) -> list[AnyTree]:
    """Return the trees of these numbers; `grow`, a record, is called as `Grow`."""
    return [grow(number, progress) for number in numbers]

"""Grow many trees in several threads, with progress and a way to stop."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import NamedTuple, TypeAlias

from espalier.progress import Progress, Relay, ThreadProgress
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

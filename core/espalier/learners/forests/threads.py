"""Grow many trees in several threads, with progress and a way to stop."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import count
from typing import NamedTuple, TypeAlias

import numpy as np

from espalier.trees import AnyTree

SECONDS_BETWEEN_SIGNALS = 0.02
# places in a thread's signals: samples of its tree, stop flag, samples of its complete trees
UNDER_WAY, STOP, DONE = range(3)

# Grows the tree of a number; signals (2,) as in `fit`; returns None if there are no more trees.
Grow: TypeAlias = "Callable[[int, np.ndarray], AnyTree | None]"


class GrowthPlan(NamedTuple):
    """Number of trees at most, samples per tree, and number of threads."""

    n_trees: int
    n_samples: int
    n_threads: int  # 1 if a tree depends on the earlier ones: they then grow in order


def grow_in_threads(grow: Grow, plan: GrowthPlan, signals: np.ndarray, trees: dict[int, AnyTree]) -> None:
    """Write the trees into `trees` by number; of incomplete trees keep only the first, if no tree is complete.

    `signals` as in `TreeForest.fit`. Trees for which `grow` returns None count as settled in the end.
    """
    own = np.zeros((min(plan.n_threads, plan.n_trees), 3), np.int64)
    own[:, STOP] = signals[1]
    numbers, cut_short = count(), {}

    def work(mine: np.ndarray) -> None:
        for number in numbers:
            if number >= plan.n_trees or (mine[STOP] and number > 0):
                return
            tree = grow(number, mine[:2])
            if tree is None:
                return
            (cut_short if mine[STOP] else trees)[number] = tree
            mine[UNDER_WAY] = 0
            mine[DONE] += plan.n_samples

    with ThreadPoolExecutor(len(own)) as pool:
        try:
            _relay([pool.submit(work, mine) for mine in own], own, signals)
        except BaseException:
            own[:, STOP] = 1
            raise
    if not trees:
        trees[0] = cut_short[0]
    if not signals[1]:
        signals[0] = plan.n_trees * plan.n_samples


def _relay(running: list[Future], own: np.ndarray, signals: np.ndarray) -> None:
    """Relay progress and stop signals until all threads are done; each thread has its own, so that no count is
    lost.
    """
    waiting = set(running)
    while waiting:
        done, waiting = wait(waiting, SECONDS_BETWEEN_SIGNALS)
        signals[0] = own[:, [UNDER_WAY, DONE]].sum()
        own[:, STOP] = signals[1]
        for future in done:
            future.result()

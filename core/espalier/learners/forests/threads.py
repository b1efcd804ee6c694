"""Growing many trees in several threads: who grows which, what is told of it, and how it is stopped."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import count
from typing import NamedTuple, TypeAlias

import numpy as np

from espalier.trees import AnyTree

SECONDS_BETWEEN_SIGNALS = 0.02
UNDER_WAY, STOP, DONE = range(3)  # of a thread's signals: of its tree, from outside, of its complete trees

# Grows the tree of a number, told to stop by signals (2,) as in `fit`; None: there are no more trees.
Grow: TypeAlias = "Callable[[int, np.ndarray], AnyTree | None]"


class GrowthPlan(NamedTuple):
    """How many trees there may be, how many samples each settles, and who grows them."""

    n_trees: int
    n_samples: int
    n_threads: int  # 1 where a tree depends on the earlier ones: they then grow in order


def grow_in_threads(grow: Grow, plan: GrowthPlan, signals: np.ndarray, trees: dict[int, AnyTree]) -> None:
    """Write the trees into `trees` by number; of those that were stopped half-way only the first, if no other.

    `signals` as in `TreeForest.fit`. Trees that `grow` leaves out count as settled in the end.
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
    """Hand signals on, both ways, until all threads are done; each has its own, so that no count is lost."""
    waiting = set(running)
    while waiting:
        done, waiting = wait(waiting, SECONDS_BETWEEN_SIGNALS)
        signals[0] = own[:, [UNDER_WAY, DONE]].sum()
        own[:, STOP] = signals[1]
        for future in done:
            future.result()

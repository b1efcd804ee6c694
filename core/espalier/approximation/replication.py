"""Grow an approximation tree many times with other pseudo-samples.

Zhou & Hooker (2016, section 4.1.2) call an approximation stable if repeated growing from the same black box and
table gives few structures; `espalier.stability.structures` counts these.
"""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from espalier.kernels.randomness import child_seed
from espalier.learners.approximation.replication import ReplicationData, inputs_of, regrow
from espalier.learners.approximation.split_record import Considered
from espalier.learners.base import n_threads_of
from espalier.progress import Progress, Relay, ScaledProgress
from espalier.tasks import PARTS, Call, in_order
from espalier.trees import Tree


class Replication(NamedTuple):
    """One of many trees that approximate the same model on the same table."""

    tree: Tree
    considered: Considered


def replications(
    model: Any,
    n: int,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> Generator[Replication]:
    """Grow a fitted approximation n times again, from other pseudo-samples; yield the trees in order.

    Parameters are those of `model`. Tree i depends only on `seed` and i, not on n or `n_jobs`, the number of
    threads (None for one, -1 for all processors), nor on an `executor`, which works in their place. `progress` is
    shared with another thread: it counts up to n times the rows of the table, and once it is stopped no further
    tree is yielded. Raises NotFittedError for an unfitted model, ValueError for n below 1.

    >>> from espalier.data import samples
    >>> from espalier.learners import ApproximationClassifier, CartClassifier
    >>> iris = samples.load("iris")
    >>> black_box = CartClassifier(max_depth=2).fit(iris.X, iris.y)
    >>> model = ApproximationClassifier(black_box, max_depth=2, random_state=0).fit(iris.X)
    >>> [one.tree.n_leaves for one in replications(model, 2)]
    [3, 3]
    """
    inputs, seeds = _inputs(model, n), seeds_of(seed, n)
    progress = progress or Progress()
    if executor is not None:
        return _by_tasks(inputs, seeds, executor, progress)
    return _streamed(inputs, seeds, _n_threads(n_jobs), progress)


def seeds_of(seed: int, n: int) -> list[int]:
    """Return the seeds of n replications."""
    return [int(child_seed(np.uint64(seed), number + 2)) for number in range(n)]


def _inputs(model: Any, n: int) -> ReplicationData:
    if n < 1:
        raise ValueError(f"the number of replications is {n}; it must be at least 1")
    return inputs_of(model)


def _n_threads(n_jobs: int | None) -> int:
    return n_threads_of(n_jobs)


def _by_tasks(
    inputs: ReplicationData, seeds: list[int], executor: Executor, progress: Progress
) -> Generator[Replication]:
    own = ScaledProgress(progress, inputs.n_samples / PARTS)
    for _, grown in in_order([Call(regrow, (inputs, seed), inputs.n_samples) for seed in seeds], executor, own):
        tree, considered = grown
        yield Replication(tree, considered)


def _streamed(
    inputs: ReplicationData, seeds: list[int], n_threads: int, progress: Progress
) -> Generator[Replication]:
    relay = Relay(progress, len(seeds))
    with ThreadPoolExecutor(n_threads) as pool:
        running = [pool.submit(regrow, inputs, *each) for each in zip(seeds, relay.threads, strict=True)]
        try:
            for future in running:
                relay.attend([future])
                if progress.is_stopped:
                    return
                yield Replication(*future.result())
        finally:
            relay.stop()
            pool.shutdown(cancel_futures=True)

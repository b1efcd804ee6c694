"""Emulate repeated growing of an approximation tree, for forests whose leaves are boxes.

Beyond the paper. At each node that any of the trees reaches, the mean of every sum of the better-split test is
integrated (`learners.approximation.exact`); the fluctuation of sums of n pseudo-samples is estimated from one pool
of samples labelled by the model. Each tree then passes through the rounds of the test as if it had drawn its own
samples (`learners.approximation.emulated_node`), and trees that take the same split continue together. One pool of
100,000 serves trees of a million samples a node. At nodes reached by few trees, where a pool would cost more than
it saves, the trees draw their own samples.

The emulation reproduces the probability of each tree, not the trees of certain seeds. It takes sums to be normal,
which needs some thousand samples at a node's first test, and the variance of a difference to be known.
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any, NamedTuple

import numpy as np

from espalier.kernels.approximation.density import everywhere
from espalier.kernels.randomness import child_seed
from espalier.language import Refusal
from espalier.learners.approximation.emulated_node import Draws, NodeField, field_of, split_tests
from espalier.learners.approximation.exact import Integral, integral_of
from espalier.learners.approximation.grow import ApproximationParameters, Grower, PendingNode, TestSite
from espalier.learners.approximation.oracle import forest_of
from espalier.learners.approximation.replication import ReplicationData
from espalier.learners.approximation.sampling import SampleSource, Stream
from espalier.learners.approximation.split_record import Considered
from espalier.learners.approximation.split_test import TestOutcome, TreeSplit, by_test
from espalier.progress import Progress
from espalier.trees import Tree

POOL = 100_000  # labelled samples in a node
WORTH = 1.5  # cost of emulating a node, in pools
OF_POOL = 1 << 40  # number of the child seed that draws a node's pool; no round uses it


class _Work(NamedTuple):
    """Inputs, the source of samples and the progress of an emulation."""

    inputs: ReplicationData
    integral: Integral
    source: SampleSource
    n_pool: int


def emulate(
    inputs: ReplicationData, seeds: list[int], pool: Executor, progress: Progress, n_pool: int = POOL
) -> list[tuple[Tree, Considered]]:
    """Return one tree for each seed, distributed as those of `espalier.learners.approximation.replication.regrow`.

    `progress` counts the rows settled, over all trees; once it is stopped, no trees are returned. `n_pool` samples
    of a node are labelled. Raises ValueError for a model that is no forest or tree of this project.
    """
    sample_data = inputs.sample_data
    if forest_of(inputs.model) is None:
        raise Refusal(
            "replications can be emulated for forests and trees of this project alone, with one leaf for every "
            "row; the model is {model}: grow them by sampling",
            model=type(inputs.model).__name__,
        )
    integral = integral_of(inputs.model, sample_data.smoothing, sample_data.coding, pool, progress)
    source: Any = SampleSource(inputs.oracle, sample_data.smoothing, pool, progress)  # type: ignore[arg-type]
    habit = ApproximationParameters(inputs.max_depth, inputs.min_split, _never, False)
    growers = {number: Grower(sample_data, habit, Progress()) for number in range(len(seeds))}
    together = _Together(_Work(inputs, integral, source, n_pool), growers)
    n, p = sample_data.table.X.shape
    together.grow(
        {i: PendingNode(np.arange(n), everywhere(p), 0, np.uint64(seed), None) for i, seed in enumerate(seeds)}
    )
    return [] if progress.is_stopped else [growers[number].grown() for number in range(len(seeds))]


def _never(*_of_node) -> TestOutcome:
    raise AssertionError("emulated contests are held for many trees at once")


class _Together:
    """Trees that grow side by side as long as they are equal."""

    def __init__(self, work: _Work, growers: dict[int, Grower]):
        self.work, self.growers = work, growers

    def grow(self, nodes: dict[int, PendingNode]) -> None:
        """Write the subtrees at the nodes of these trees; all nodes have the same samples and box."""
        progress = self.work.source.progress
        outcomes = self._outcomes(nodes)
        if progress.is_stopped:
            return
        places = {i: self.growers[i].write(node, outcomes[i]) for i, node in nodes.items()}
        progress.done = sum(grower.progress.done for grower in self.growers.values())
        for split, alike in _by_split(outcomes):
            children = {i: self.growers[i].children(nodes[i], outcomes[i]) for i in alike}  # type: ignore[arg-type]
            self.grow({i: left for i, (left, _) in children.items()})
            beside = {i: len(self.growers[i].splits) for i in alike}
            self.grow({i: right for i, (_, right) in children.items()})
            for i in alike:
                self.growers[i].join(places[i], beside[i], split)

    def _outcomes(self, nodes: dict[int, PendingNode]) -> dict[int, TestOutcome | None]:
        first = next(iter(nodes))
        site = self.growers[first].site(nodes[first])
        if site is None:
            return dict.fromkeys(nodes)
        outcomes = self._contests(site, [node.seed for node in nodes.values()])
        if not site.may_split:
            outcomes = [outcome._replace(split=None, runners=[]) for outcome in outcomes]
        return dict(zip(nodes, outcomes, strict=True))

    def _contests(self, site: TestSite, seeds: list[np.uint64]) -> list[TestOutcome]:
        """Return the outcomes of all tests.

        Few trees with few samples each draw, because emulation would save nothing.
        """
        rule, source = self.work.inputs.rule, self.work.source
        if len(seeds) * rule.most <= WORTH * self.work.n_pool:
            return [by_test(source, rule, site.prospects, site.region, seed) for seed in seeds]
        field = self._field(site, seeds[0])
        return split_tests(field, rule, Draws(np.array(seeds, np.uint64), source.pool))

    def _field(self, site: TestSite, seed: np.uint64) -> NodeField:
        """Return the exact sums of a node and its pool.

        The seed is that of the first tree that reaches the node.
        """
        seed = np.uint64(child_seed(seed, OF_POOL))
        whole, in_bins = self.work.integral.sums(site.prospects, site.region)
        bins, y = Stream(self.work.source, site.region, seed).draw(self.work.n_pool, site.prospects)
        return field_of(site.prospects, whole, in_bins, bins, y, self.work.inputs.rule)


def _by_split(outcomes: dict[int, TestOutcome | None]) -> list[tuple[TreeSplit, list[int]]]:
    """Group the trees by the split that they take."""
    alike: dict = {}
    for number, outcome in outcomes.items():
        if outcome is not None and outcome.split is not None:
            # Equal thresholds are the same float; nan (of categories) is replaced by one object.
            key = outcome.split._replace(threshold=str(outcome.split.threshold))
            alike.setdefault(key, (outcome.split, []))[1].append(number)
    return list(alike.values())

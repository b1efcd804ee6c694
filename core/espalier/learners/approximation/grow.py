"""Grow an approximation tree, node by node, with a record of the tests at each."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from espalier.kernels.approximation.better_split_test import Candidates
from espalier.kernels.approximation.density import Region, Smoothing, everywhere, make_region
from espalier.kernels.randomness import child_seed
from espalier.learners.approximation.candidates import candidates_of
from espalier.learners.approximation.oracle import Coding
from espalier.learners.approximation.smoothing import DistinctRows
from espalier.learners.approximation.split_record import Considered, make_considered
from espalier.learners.approximation.split_test import TestOutcome, TreeSplit
from espalier.progress import Progress
from espalier.trees import LEAF, Tree, make_tree


class SmoothedSamples(NamedTuple):
    """The original samples and their smoothing."""

    table: DistinctRows
    labels: np.ndarray  # (n_rows, n_targets) float64: the model's predictions for the rows
    categorical: np.ndarray  # (n_features,) bool
    smoothing: Smoothing
    coding: Coding
    is_classification: bool
    allowed: np.ndarray | None = None  # numbers of the columns that splits may ask about; None: of all


class ApproximationParameters(NamedTuple):
    """Limits of the tree, and the function that chooses a split."""

    max_depth: int
    min_split: float  # least weight of the original samples of a node
    # Called with the node's own seed and the most samples that it may take.
    decide: Callable[[Candidates, Region, np.uint64, float], TestOutcome]
    has_squares: bool  # whether its sums include products of labels
    budget: float = math.inf  # samples that all nodes may take together
    max_samples: float = math.inf  # the most that one may take


class Growth:
    """The number of pseudo-samples that nodes took so far, and the most that all may take; other threads read it.

    >>> growth = Growth(ApproximationParameters(2, 6, print, True, max_samples=100))
    >>> growth.most
    300
    >>> growth.settle(n_samples=40, n_nodes=1)  # the root was decided early
    >>> growth.most
    240
    """

    def __init__(self, habit: ApproximationParameters):
        self.budget, self.max_samples = habit.budget, habit.max_samples
        self.began = time.monotonic()  # seconds
        self.n_drawn = 0
        self.n_open = 2**habit.max_depth - 1  # splits that may still be looked for

    @property
    def most(self) -> float:
        """Samples that all nodes together take at most; it falls as nodes take fewer, or become leaves."""
        return min(self.budget, self.n_drawn + self.n_open * self.max_samples)

    def settle(self, n_samples: int, n_nodes: int) -> None:
        """Count a node that took so many samples; with it so many splits need not be looked for any more."""
        self.n_drawn += n_samples
        self.n_open -= n_nodes


class PendingNode(NamedTuple):
    """A node that is not yet processed."""

    rows: np.ndarray  # (n,) int64: its original samples
    box: tuple[np.ndarray, np.ndarray, np.ndarray]  # low, high, allowed, as in `Region`
    depth: int
    seed: np.uint64
    sums: np.ndarray | None  # (n_sums,) float64: sums of the parent's pseudo-samples on this side


class TestSite(NamedTuple):
    """Candidates and region of the split test at a node."""

    may_split: bool  # False: the node becomes a leaf, and only its value is wanted
    prospects: Candidates
    region: Region


class Grower:
    """Collects the nodes of a growing tree as lists, in preorder."""

    def __init__(
        self,
        sample_data: SmoothedSamples,
        habit: ApproximationParameters,
        progress: Progress,
        growth: Growth | None = None,
    ):
        self.sample_data, self.habit, self.progress = sample_data, habit, progress
        self.growth: Growth = growth or Growth(habit)
        self.splits: list[tuple] = []  # feature, threshold, left, right, categories, missing left
        self.facts: list[tuple] = []  # samples, weight, value, impurity
        self.outcomes: list[TestOutcome | None] = []
        self.settled = 0.0

    def grow(self, node: PendingNode, budget: float = math.inf) -> None:
        """Write the subtree at `node`, whose nodes take about `budget` samples at most.

        Each level of the subtree has the same part of them; what one node leaves over others may take.
        """
        before = self.growth.n_drawn
        outcome = self._outcome(node, budget / max(self.habit.max_depth - node.depth, 1))
        place = self.write(node, outcome)
        if outcome is None or outcome.split is None or self.progress.is_stopped:
            return
        left, right = self.children(node, outcome)
        self.grow(left, (budget - (self.growth.n_drawn - before)) / 2)
        beside = len(self.splits)
        self.grow(right, budget - (self.growth.n_drawn - before))
        self.join(place, beside, outcome.split)

    def write(self, node: PendingNode, outcome: TestOutcome | None) -> int:
        """Append a node, as a leaf for now, and return its number."""
        sums = node.sums if outcome is None else outcome.sums[0]
        self._settle(node, outcome)
        self.splits.append((LEAF, np.nan, LEAF, LEAF, 0, False))
        self.facts.append(self._facts(node, sums))
        self.outcomes.append(outcome)
        return len(self.splits) - 1

    def join(self, place: int, beside: int, split: TreeSplit) -> None:
        """Turn the node at `place` into a split with its right child at `beside`."""
        feature, threshold, categories, missing_left = split
        self.splits[place] = (feature, threshold, place + 1, beside, categories, missing_left)

    def _outcome(self, node: PendingNode, allowance: float) -> TestOutcome | None:
        """Return the outcome of the test at a node.

        None if there is no test and the parent's samples give the value.
        """
        site = self.site(node)
        if site is None:
            return None
        outcome = self.habit.decide(site.prospects, site.region, node.seed, allowance)
        return outcome if site.may_split else outcome._replace(split=None, runners=[])

    def site(self, node: PendingNode) -> TestSite | None:
        """Return the site of the test at a node; None for no test.

        The root has no parent, so it is always sampled, if only for its value.
        """
        sample_data, habit = self.sample_data, self.habit
        may_split = node.depth < habit.max_depth and not self.progress.is_stopped
        X, weight = sample_data.table.X[node.rows], sample_data.table.weight[node.rows]
        may_split = may_split and weight.sum() >= habit.min_split
        sums = weight[:, None] * np.column_stack([np.ones(len(X)), sample_data.labels[node.rows]])
        prospects = candidates_of(X, sums, sample_data.categorical, sample_data.allowed)
        if node.sums is not None and not (may_split and len(prospects.threshold)):
            return None
        return TestSite(bool(may_split), prospects, make_region(sample_data.smoothing, X, weight, node.box))

    def children(self, node: PendingNode, outcome: TestOutcome) -> tuple[PendingNode, PendingNode]:
        """Return the left and right child of the split in `outcome`."""
        split, sums = outcome.split, outcome.sums
        assert split is not None
        value = self.sample_data.table.X[node.rows, split.feature]
        left = _passes(value, split)
        nodes = []
        for is_left, side in ((True, left), (False, ~left)):
            seed = np.uint64(child_seed(node.seed, is_left))
            box = _narrowed(node.box, split, is_left)
            nodes.append(PendingNode(node.rows[side], box, node.depth + 1, seed, sums[1 if is_left else 2]))
        return nodes[0], nodes[1]

    def grown(self) -> tuple[Tree, Considered]:
        """Return the tree and the record of its nodes."""
        feature, threshold, left, right, categories, missing_left = zip(*self.splits, strict=True)
        n_samples, weight, value, impurity = zip(*self.facts, strict=True)
        masks = np.array(categories, np.uint64)
        tree = make_tree(
            feature, threshold, left, right, masks, missing_left, n_samples, weight, np.array(value), impurity
        )
        return tree, _considered(self.outcomes, self.sample_data)

    def _facts(self, node: PendingNode, sums: Any) -> tuple:
        sample_data, m = self.sample_data, self.sample_data.labels.shape[1]
        mean = sums[1 : 1 + m] / sums[0]
        value = sample_data.coding.plain(mean)
        size = self._size(node), sample_data.table.weight[node.rows].sum()
        if sample_data.is_classification:
            value = np.clip(value, 0.0, None) / np.clip(value, 0.0, None).sum()
            return *size, value, 1 - (value**2).sum()
        variance = max(sums[2] / sums[0] - mean[0] ** 2, 0.0) if self.habit.has_squares else self._variance(node)
        return *size, value, variance * sample_data.coding.scale**2

    def _variance(self, node: PendingNode) -> float:
        """Variance of the model's predictions for the node's own samples.

        Integrals give no squares for several trees.
        """
        labels, weight = self.sample_data.labels[node.rows, 0], self.sample_data.table.weight[node.rows]
        return float(np.average((labels - np.average(labels, weights=weight)) ** 2, weights=weight))

    def _size(self, node: PendingNode) -> int:
        return int(self.sample_data.table.n_equal[node.rows].sum())

    def _settle(self, node: PendingNode, outcome: TestOutcome | None) -> None:
        """Update progress: each level settles its part of a sample, a leaf the rest."""
        levels = self.habit.max_depth
        goes_on = outcome is not None and outcome.split is not None
        splits = 1 if goes_on else 2 ** (levels - node.depth) - 1
        self.growth.settle(0 if outcome is None else outcome.n_samples, splits)
        self.settled += self._size(node) * (1 if goes_on else levels - node.depth) / levels
        self.progress.done = round(self.settled)


def grow(
    sample_data: SmoothedSamples,
    habit: ApproximationParameters,
    seed: int,
    progress: Progress,
    growth: Growth | None = None,
) -> tuple[Tree, Considered]:
    """Grow the tree; return it with the record of its nodes. `progress` as in `ApproximationClassifier.fit`."""
    n, p = sample_data.table.X.shape
    grower = Grower(sample_data, habit, progress, growth)
    grower.grow(PendingNode(np.arange(n), everywhere(p), 0, np.uint64(seed), None), habit.budget)
    return grower.grown()


def _passes(value: np.ndarray, split: TreeSplit) -> np.ndarray:
    """Return which samples go left, by the rule of `espalier.kernels.route.passes`."""
    if np.isnan(split.threshold):
        known = np.nan_to_num(value, nan=0.0).astype(np.uint64)
        inside = (np.uint64(split.categories) >> known) & np.uint64(1) == 1
    else:
        inside = value <= split.threshold
    return np.where(np.isnan(value), split.missing_left, inside)


def _narrowed(box: tuple, split: TreeSplit, is_left: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the box of a child."""
    low, high, allowed = (bound.copy() for bound in box)
    at = split.feature
    if np.isnan(split.threshold):
        mask = np.uint64(split.categories)
        allowed[at] &= mask if is_left else ~mask
    elif split.threshold != np.inf:
        if is_left:
            high[at] = split.threshold
        else:
            low[at] = split.threshold
    return low, high, allowed


def _considered(outcomes: list[TestOutcome | None], sample_data: SmoothedSamples) -> Considered:
    """Return the record of all nodes, with decreases in the units of the tree's impurity."""
    tried = [outcome if outcome is not None and outcome.n_prospects else None for outcome in outcomes]
    drawn = [0 if outcome is None else outcome.n_samples for outcome in outcomes]
    names = ("n_prospects", "n_discarded", "n_rounds", "p_value", "decided")
    nothing = (0, 0, 0, np.nan, False)
    facts = [tuple(getattr(o, name) for name in names) if o else nothing for o in tried]
    n_prospects, n_discarded, n_rounds, p_value, decided = zip(*facts, strict=True)
    runners = [runner for outcome in tried if outcome for runner in outcome.runners]
    start = np.append(0, np.cumsum([len(outcome.runners) if outcome else 0 for outcome in tried]))
    pool = list(zip(*runners, strict=True)) if runners else [()] * 6
    feature, threshold, categories, missing_left, decrease, p = pool
    unit = sample_data.coding.scale**2
    return make_considered(
        n_prospects,
        n_discarded,
        drawn,
        n_rounds,
        p_value,
        decided,
        (start, feature, threshold, np.array(categories, np.uint64), missing_left, np.array(decrease) * unit, p),
    )

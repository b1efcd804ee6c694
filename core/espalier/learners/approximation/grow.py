"""Grow an approximation tree, node by node, with a record of the tests at each, or by exact integrals."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from espalier.kernels.approximation.better_split_test import Candidates, n_sums
from espalier.kernels.approximation.density import (
    ALL_CODES,
    CATEGORIES,
    Region,
    Smoothing,
    everywhere,
    make_region,
)
from espalier.kernels.approximation.integrals import N_CODES, BoxCells, Boxes, CentreRange, integrate, spread_boxes
from espalier.kernels.randomness import child_seed
from espalier.language import Refusal
from espalier.learners.approximation.oracle import Coding, forest_of
from espalier.learners.approximation.sampling import DistinctRows
from espalier.learners.approximation.split_test import (
    Considered,
    Rule,
    SplitTest,
    TestOutcome,
    candidates_of,
    make_considered,
)
from espalier.learners.forced_splits import TreeSplit
from espalier.predict import votes_at_nodes
from espalier.progress import Progress
from espalier.trees import LEAF, Forest, Tree, is_leaf, make_tree


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
        feature, threshold, categories, missing_left = outcome.split
        self.splits[place] = (feature, threshold, place + 1, beside, categories, missing_left)

    def write(self, node: PendingNode, outcome: TestOutcome | None) -> int:
        """Append a node, as a leaf for now, and return its number."""
        sums = node.sums if outcome is None else outcome.sums[0]
        self._settle(node, outcome)
        self.splits.append((LEAF, np.nan, LEAF, LEAF, 0, False))
        self.facts.append(self._facts(node, sums))
        self.outcomes.append(outcome)
        return len(self.splits) - 1

    def _outcome(self, node: PendingNode, allowance: float) -> TestOutcome | None:
        """Return the outcome of the test at a node.

        None if there is no test and the parent's samples give the value. The root has no parent, so it is always
        sampled, if only for its value.
        """
        sample_data, habit = self.sample_data, self.habit
        may_split = node.depth < habit.max_depth and not self.progress.is_stopped
        X, weight = sample_data.table.X[node.rows], sample_data.table.weight[node.rows]
        may_split = may_split and weight.sum() >= habit.min_split
        sums = weight[:, None] * np.column_stack([np.ones(len(X)), sample_data.labels[node.rows]])
        prospects = candidates_of(X, sums, sample_data.categorical, sample_data.allowed)
        if node.sums is not None and not (may_split and len(prospects.threshold)):
            return None
        region = make_region(sample_data.smoothing, X, weight, node.box)
        outcome = habit.decide(prospects, region, node.seed, allowance)
        return outcome if may_split else outcome._replace(split=None, runners=[])

    def children(self, node: PendingNode, outcome: TestOutcome) -> tuple[PendingNode, PendingNode]:
        """Return the left and right child of the split in `outcome`."""
        split, sums = outcome.split, outcome.sums
        assert split is not None
        value = self.sample_data.table.X[node.rows, split.feature]
        left = _passes(value, split)
        nodes = []
        for is_left, side in ((True, left), (False, ~left)):
            seed = np.uint64(child_seed(node.seed, is_left))
            box = _narrow_box(node.box, split, is_left)
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
        return tree, _considered_of(self.outcomes, self.sample_data)

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
        codes = np.nan_to_num(value, nan=0.0).astype(np.uint64)
        inside = (np.uint64(split.categories) >> codes) & np.uint64(1) == 1
    else:
        inside = value <= split.threshold
    return np.where(np.isnan(value), split.missing_left, inside)


def _narrow_box(box: tuple, split: TreeSplit, is_left: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the box of a child."""
    low, high, categories = (bound.copy() for bound in box)
    at = split.feature
    if np.isnan(split.threshold):
        mask = np.uint64(split.categories)
        categories[at] &= mask if is_left else ~mask
    elif split.threshold != np.inf:
        if is_left:
            high[at] = split.threshold
        else:
            low[at] = split.threshold
    return low, high, categories


def _considered_of(outcomes: list[TestOutcome | None], sample_data: SmoothedSamples) -> Considered:
    """Return the record of all nodes, with decreases in the units of the tree's impurity."""
    tests = [outcome if outcome is not None and outcome.n_prospects else None for outcome in outcomes]
    n_drawn = [0 if outcome is None else outcome.n_samples for outcome in outcomes]
    names = ("n_prospects", "n_discarded", "n_rounds", "p_value", "decided")
    nothing = (0, 0, 0, np.nan, False)
    facts = [tuple(getattr(o, name) for name in names) if o else nothing for o in tests]
    n_prospects, n_discarded, n_rounds, p_value, is_decided = zip(*facts, strict=True)
    runners = [runner for outcome in tests if outcome for runner in outcome.runners]
    start = np.append(0, np.cumsum([len(outcome.runners) if outcome else 0 for outcome in tests]))
    pool = list(zip(*runners, strict=True)) if runners else [()] * 6
    feature, threshold, categories, missing_left, decrease, p = pool
    unit = sample_data.coding.scale**2
    return make_considered(
        n_prospects,
        n_discarded,
        n_drawn,
        n_rounds,
        p_value,
        is_decided,
        (start, feature, threshold, np.array(categories, np.uint64), missing_left, np.array(decrease) * unit, p),
    )


# ---- the split that unlimited sampling would choose, from integrals, for forests whose leaves are boxes

CENTRES = 64  # kernel centres integrated at a time
DECIDING = Rule(0.1, 0, 0, False, 0.0, False)  # decides for a p-value of 0, not for the 0.5 of a tie


# Beyond the paper: without pseudo-samples there is no test, and the tree is the same every time. The mass of a
# box under the kernel density is a product of one-dimensional masses (`kernels.approximation.integrals`).
class Integral(NamedTuple):
    """A forest to integrate, the density, and how its parts are gone through."""

    boxes: Boxes
    smoothing: Smoothing
    map: Callable[..., Iterable[Any]]  # the built-in one, or that of a pool of threads
    progress: Progress

    def outcome(self, prospects: Candidates, region: Region) -> TestOutcome:
        """Return the best candidate split; a tie counts as undecided, and its first split is taken."""
        totals, sums_in_bins = self.sums(prospects, region)
        m = len(totals) - 1
        if not len(prospects.threshold):
            sums = np.zeros(n_sums(m))
            sums[: 1 + m] = totals
            return TestOutcome(None, np.tile(sums, (3, 1)), 0, 0, 0, 0, np.nan, False, [])
        bins = np.zeros((len(sums_in_bins), 2, n_sums(m)))
        bins[:, 0, : 1 + m] = sums_in_bins
        contest = SplitTest(prospects, m, DECIDING)
        contest.take(bins)
        return contest.outcome()._replace(n_samples=0, n_rounds=0)

    def sums(self, prospects: Candidates, region: Region) -> tuple[np.ndarray, np.ndarray]:
        """Integrate mass and labels over a node, (1 + n_targets,), and over each bin, (n_bins, 1 + n_targets)."""
        cells, boxes = _cells_of(prospects, self.smoothing, region, self.boxes)
        sums = self._sum_leaves(region, cells, boxes)
        bins = np.zeros((len(prospects.threshold) + len(prospects.feature), sums.shape[1]))
        for column in range(len(prospects.feature)):
            first = prospects.start[column] + column
            cells_ = slice(*cells.start[prospects.feature[column] :][:2])
            np.add.at(bins, first + _bins_of(prospects, column, cells), sums[cells_])
        return sums[: cells.start[1]].sum(axis=0), bins

    def _sum_leaves(self, region: Region, cells: BoxCells, boxes: Boxes) -> np.ndarray:
        """Sum over the cells, (n_cells, 1 + n_targets), in an order that does not depend on the threads."""
        n = len(region.chance)
        spans = [CentreRange(first, min(first + CENTRES, n)) for first in range(0, n, CENTRES)]

        def part(span: CentreRange) -> np.ndarray:
            sums = np.zeros((len(cells.bound), 1 + boxes.label.shape[1]))
            if not self.progress.is_stopped or span.first == 0:  # even if stopped, integrate the first centres
                integrate(boxes, self.smoothing, region, cells, span, sums)
            return sums

        return reduce(np.add, self.map(part, spans))


def integral_of(
    model: Any, smoothing: Smoothing, coding: Coding, map: Callable[..., Iterable[Any]], progress: Progress
) -> Integral:
    """Return the model as a forest to integrate by this `map`, such as a pool's, until `progress` is stopped.

    Raises ValueError for any model that is not a tree or forest of this project with boxes for leaves.
    """
    forest = forest_of(model)
    if forest is None and getattr(getattr(model, "forest_", None), "combine", "") == "sum":
        raise Refusal(
            "method is 'exact', which adds up the leaves of all trees; the shares that {model} predicts are no "
            "such sum, since a link bends them: take method='sampled'",
            model=type(model).__name__,
        )
    if forest is None:
        raise Refusal(
            "method is 'exact', which needs a forest or tree of this project, with one leaf for every row; the "
            "model is {model}: take method='sampled'",
            model=type(model).__name__,
        )
    return Integral(_boxes_of(forest, smoothing, coding), smoothing, map, progress)


def _boxes_of(forest: Forest, smoothing: Smoothing, coding: Coding) -> Boxes:
    """Return the boxes of all leaves of all trees."""
    parts = []
    for tree, weight in zip(forest.trees, forest.weight, strict=True):
        votes = votes_at_nodes(tree, forest.combine)
        parts.append(_sides_of(tree, len(smoothing.kind), coding.coded(votes) * weight))
    n_sides, label, *sides = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    start = np.append(0, np.cumsum(n_sides)).astype(np.int64)
    nowhere = np.zeros(start[-1], np.int64)
    return Boxes._make([start, np.ascontiguousarray(label), *sides, nowhere, nowhere])


def _sides_of(tree: Any, p: int, label: np.ndarray) -> tuple:
    """Return for a tree's leaves the number of sides, the label, and of all sides feature, low, high and so on."""
    n = tree.n_nodes
    low, high, missing, is_side = (np.full((n, p), v) for v in (-np.inf, np.inf, True, False))
    categories = np.full((n, p), ALL_CODES)
    spread_boxes(tree, low, high, categories, missing, is_side)
    leaves = np.flatnonzero(is_leaf(tree))
    leaf, feature = np.nonzero(is_side[leaves])
    at = leaves[leaf], feature
    return is_side[leaves].sum(axis=1), label[leaves], feature, low[at], high[at], categories[at], missing[at]


def _cells_of(prospects: Candidates, smoothing: Smoothing, region: Region, boxes: Boxes) -> tuple[BoxCells, Boxes]:
    """Return the cells between all thresholds inside the box, and the leaves in it with their cells."""
    bounds, n_cells = [], 0
    first, end = np.zeros_like(boxes.first), np.zeros_like(boxes.end)
    column_of = np.repeat(prospects.feature, np.diff(prospects.start))
    for feature, kind in enumerate(smoothing.kind):
        sides = np.flatnonzero(boxes.feature == feature)
        inside = np.arange(N_CODES - 1.0)
        if kind != CATEGORIES:
            low, high = region.low[feature], region.high[feature]
            keys = (boxes.low[sides], boxes.high[sides], prospects.threshold[column_of == feature])
            inside = np.unique(np.concatenate(keys))
            inside = inside[(inside > low) & (inside < high)]
            first[sides], end[sides] = (
                n_cells + np.searchsorted(inside, t, side="right") + (t >= high) for t in keys[:2]
            )
            end[sides] = np.maximum(first[sides], end[sides])  # for missing values alone, low may exceed high
        bounds.append(np.append(inside, [np.inf, np.nan]))
        n_cells += len(bounds[-1])
    start = np.append(0, np.cumsum([len(bound) for bound in bounds])).astype(np.int64)
    reaches = np.where(
        smoothing.kind[boxes.feature] == CATEGORIES,
        boxes.allowed & region.allowed[boxes.feature] != 0,
        first < end,
    )
    boxes_ = boxes._replace(first=first, end=end)
    return BoxCells(start, np.concatenate(bounds)), _those(boxes_, reaches | boxes.missing)


def _those(boxes: Boxes, reaches: np.ndarray) -> Boxes:
    """Keep the leaves all of whose sides intersect the box."""
    sizes = np.diff(boxes.start)
    n_short = np.add.reduceat(np.append(~reaches, False).astype(np.int64), boxes.start[:-1])
    is_kept = (n_short == 0) | (sizes == 0)
    is_entry_kept = np.repeat(is_kept, sizes)
    start = np.append(0, np.cumsum(sizes[is_kept])).astype(np.int64)
    return Boxes._make([start, boxes.label[is_kept], *(side[is_entry_kept] for side in boxes[2:])])


def _bins_of(prospects: Candidates, column: int, cells: BoxCells) -> np.ndarray:
    """Return for each cell of a feature its bin in this column."""
    feature = prospects.feature[column]
    bound = cells.bound[cells.start[feature] : cells.start[feature + 1] - 1]
    if prospects.order[column, 0] >= 0:
        order = prospects.order[column]
    else:
        order = np.searchsorted(prospects.threshold[prospects.start[column] : prospects.start[column + 1]], bound)
    return np.append(order, prospects.missing_bin[column])

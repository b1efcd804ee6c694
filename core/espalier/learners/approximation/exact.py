"""The split that unlimited sampling would choose, from integrals, for forests whose leaves are boxes.

Beyond the paper: without pseudo-samples there is no test, and the tree is the same every time. The mass of a box
under the kernel density is a product of one-dimensional masses (`kernels.approximation.integrals`).
"""

from __future__ import annotations

from concurrent.futures import Executor
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from espalier.kernels.approximation.better_split_test import Candidates, n_sums
from espalier.kernels.approximation.density import ALL_CODES, CATEGORIES, Region, Smoothing
from espalier.kernels.approximation.integrals import N_CODES, BoxCells, Boxes, CentreRange, integrate, spread_boxes
from espalier.language import Refusal
from espalier.learners.approximation.oracle import Coding, forest_of
from espalier.learners.approximation.split_test import Rule, SplitTest, TestOutcome
from espalier.predict import votes_at_nodes
from espalier.progress import Progress
from espalier.trees import Forest, is_leaf

CENTRES = 64  # kernel centres integrated at a time
DECIDED = Rule(0.1, 0, 0, False, 0.0, False)  # decides for a p-value of 0, not for the 0.5 of a tie


class Integral(NamedTuple):
    """A forest to integrate, the density, and the threads that integrate."""

    boxes: Boxes
    smoothing: Smoothing
    pool: Executor
    progress: Progress

    def outcome(self, prospects: Candidates, region: Region) -> TestOutcome:
        """Return the best candidate split; a tie counts as undecided, and its first split is taken."""
        whole, in_bins = self.sums(prospects, region)
        m = len(whole) - 1
        if not len(prospects.threshold):
            sums = np.zeros(n_sums(m))
            sums[: 1 + m] = whole
            return TestOutcome(None, np.tile(sums, (3, 1)), 0, 0, 0, 0, np.nan, False, [])
        bins = np.zeros((len(in_bins), 2, n_sums(m)))
        bins[:, 0, : 1 + m] = in_bins
        contest = SplitTest(prospects, m, DECIDED)
        contest.take(bins)
        return contest.outcome()._replace(n_samples=0, n_rounds=0)

    def sums(self, prospects: Candidates, region: Region) -> tuple[np.ndarray, np.ndarray]:
        """Integrate mass and labels over a node, (1 + n_targets,), and over each bin, (n_bins, 1 + n_targets)."""
        cells, boxes = _cells_of(prospects, self.smoothing, region, self.boxes)
        sums = self._summed(region, cells, boxes)
        bins = np.zeros((len(prospects.threshold) + len(prospects.feature), sums.shape[1]))
        for column in range(len(prospects.feature)):
            first = prospects.start[column] + column
            of_feature = slice(*cells.start[prospects.feature[column] :][:2])
            np.add.at(bins, first + _bins_of(prospects, column, cells), sums[of_feature])
        return sums[: cells.start[1]].sum(axis=0), bins

    def _summed(self, region: Region, cells: BoxCells, boxes: Boxes) -> np.ndarray:
        """Sum over the cells, (n_cells, 1 + n_targets), in an order that does not depend on the threads."""
        n = len(region.chance)
        spans = [CentreRange(first, min(first + CENTRES, n)) for first in range(0, n, CENTRES)]

        def part(span: CentreRange) -> np.ndarray:
            sums = np.zeros((len(cells.bound), 1 + boxes.label.shape[1]))
            if not self.progress.is_stopped or span.first == 0:  # even if stopped, integrate the first centres
                integrate(boxes, self.smoothing, region, cells, span, sums)
            return sums

        return reduce(np.add, self.pool.map(part, spans))


def integral_of(model: Any, smoothing: Smoothing, coding: Coding, pool: Executor, progress: Progress) -> Integral:
    """Return the model as a forest to integrate on the threads of `pool`, until `progress` is stopped.

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
    return Integral(_boxes_of(forest, smoothing, coding), smoothing, pool, progress)


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
    allowed = np.full((n, p), ALL_CODES)
    spread_boxes(tree, low, high, allowed, missing, is_side)
    leaves = np.flatnonzero(is_leaf(tree))
    leaf, feature = np.nonzero(is_side[leaves])
    at = leaves[leaf], feature
    return is_side[leaves].sum(axis=1), label[leaves], feature, low[at], high[at], allowed[at], missing[at]


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
            known = (boxes.low[sides], boxes.high[sides], prospects.threshold[column_of == feature])
            inside = np.unique(np.concatenate(known))
            inside = inside[(inside > low) & (inside < high)]
            first[sides], end[sides] = (
                n_cells + np.searchsorted(inside, t, side="right") + (t >= high) for t in known[:2]
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
    placed = boxes._replace(first=first, end=end)
    return BoxCells(start, np.concatenate(bounds)), _those(placed, reaches | boxes.missing)


def _those(boxes: Boxes, reaches: np.ndarray) -> Boxes:
    """Keep the leaves all of whose sides intersect the box."""
    sizes = np.diff(boxes.start)
    n_short = np.add.reduceat(np.append(~reaches, False).astype(np.int64), boxes.start[:-1])
    kept = (n_short == 0) | (sizes == 0)
    of_kept = np.repeat(kept, sizes)
    start = np.append(0, np.cumsum(sizes[kept])).astype(np.int64)
    return Boxes._make([start, boxes.label[kept], *(side[of_kept] for side in boxes[2:])])


def _bins_of(prospects: Candidates, column: int, cells: BoxCells) -> np.ndarray:
    """Return for each cell of a feature its bin in this column."""
    feature = prospects.feature[column]
    bound = cells.bound[cells.start[feature] : cells.start[feature + 1] - 1]
    if prospects.order[column, 0] >= 0:
        known = prospects.order[column]
    else:
        known = np.searchsorted(prospects.threshold[prospects.start[column] : prospects.start[column + 1]], bound)
    return np.append(known, prospects.missing_bin[column])

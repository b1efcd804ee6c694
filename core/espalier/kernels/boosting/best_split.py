"""The split of a node that lowers the second-order approximation of the loss most.

With the sums G and H of first and second derivatives, a split gains ``G_left^2 / (H_left + ridge) + G_right^2 /
(H_right + ridge) - G^2 / (H + ridge)`` (Chen & Guestrin 2016, equation 7, twice), which for the squared error
without a ridge is the decrease of the sum of squares. Of equal splits the first feature's with the lowest
threshold wins.

Where columns have directions, steps are kept within the bounds of their node, and both sides of a split on such a
column must step in its direction. Missing values have no place in the order: a split that parts them from all
others may step either way, as in CART. With the steps w a split gains ``-G_left w_left - G_right w_right + G w``,
which is the same wherever no bound is met.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.cart.columns import MAX_LEVELS

LEAST_GAIN = 1e-12  # of the score of a split: less is rounding


class SplitLimits(NamedTuple):
    """What a split must leave on both sides; in the units of `PackedDerivatives`."""

    n_bits: int
    min_leaf: int  # samples
    min_second: float  # sum of second derivatives
    ridge: float  # added to each sum of second derivatives
    direction: np.ndarray  # (n_features,) int64: 1 if steps may only rise with a column, -1 fall, 0; empty: all 0


class NodeSums(NamedTuple):
    """The sums of a node, and the bounds of its steps."""

    first: int
    packed: int  # second derivatives and the number of rows
    low: float
    high: float


class DirectedCut(NamedTuple):
    """Left of the first bin of a column, and its direction."""

    first: int
    packed: int
    direction: int


class LeafSplit(NamedTuple):
    """A split of a leaf that may be made. No split has the feature -1."""

    score: float  # G_left^2 / (H_left + ridge) + G_right^2 / (H_right + ridge)
    gain: float  # what that is more than G^2 / (H + ridge)
    feature: int
    bin: int  # the last bin on the left; of categories the mask says who goes left
    mask: int  # uint64
    missing_left: bool


@kernel
def _scan(cells, n_cuts, before, node, limits, least):
    """Best cut of one order of bins: (score, cut), or (least, -1) if none is better than least.

    cells (2 n,) hold the sums; `before` is a `DirectedCut`, `node` the `NodeSums`.
    """
    n_bits, ridge, min_second = limits.n_bits, limits.ridge, limits.min_second
    count = (np.int64(1) << n_bits) - 1
    n = node.packed & count
    g, h = np.float64(node.first), np.float64(node.packed >> n_bits)
    left, packed = before.first, before.packed
    best, cut = least, -1
    for b in range(np.uint64(n_cuts)):
        cell = cells[np.uint64(2) * b + np.uint64(1)]
        if cell == 0:
            continue
        left += cells[np.uint64(2) * b]
        packed += cell
        n_left = packed & count
        if n_left < limits.min_leaf:
            continue
        if n - n_left < limits.min_leaf:
            break
        g_left, h_left = np.float64(left), np.float64(packed >> n_bits)
        g_right, h_right = g - g_left, h - h_left
        if min(h_left, h_right) < min_second:
            continue
        h_left, h_right = h_left + ridge, h_right + ridge
        above, below = g_left * g_left * h_right + g_right * g_right * h_left, h_left * h_right
        if above > best * below:  # dividing takes long
            best, cut = above / below, np.int64(b)
    return best, cut


@kernel
def step_of(first, second, low, high):
    """The step -G / (H + ridge) of a node, kept within its bounds."""
    step = -first / second if second > 0 else 0.0
    return min(max(step, low), high)


@kernel
def _scan_within(cells, n_cuts, before, node, limits, least):
    """The cut of `_scan` where steps have bounds; on a directed column both steps are in its direction."""
    n_bits, ridge = limits.n_bits, limits.ridge
    count = (np.int64(1) << n_bits) - 1
    g, h, n = np.float64(node.first), np.float64(node.packed >> n_bits), node.packed & count
    left, packed, best, cut = before.first, before.packed, least, -1
    for b in range(n_cuts):
        if cells[2 * b + 1] == 0:
            continue
        left, packed = left + cells[2 * b], packed + cells[2 * b + 1]
        n_left = packed & count
        g_left, h_left = np.float64(left), np.float64(packed >> n_bits)
        if min(n_left, n - n_left) < limits.min_leaf or min(h_left, h - h_left) < limits.min_second:
            continue
        here = step_of(g_left, h_left + ridge, node.low, node.high)
        there = step_of(g - g_left, h - h_left + ridge, node.low, node.high)
        score = -(g_left * here + (g - g_left) * there)
        if before.direction * (there - here) >= 0 and score > best:
            best, cut = score, b
    return best, np.int64(cut)


@kernel
def _cut(cells, n_cuts, before, node, limits, best):
    """The best cut of one order of bins that is better than the split `best`, as in `_scan`."""
    if len(limits.direction) == 0:
        return _scan(cells, n_cuts, before, node, limits, best.score)
    return _scan_within(cells, n_cuts, before, node, limits, best.score)


@kernel
def parts_missing(n_bins, cut, missing_left):
    """Whether a cut of a column of numbers, the last of whose bins is of missing values, parts these from all."""
    return cut == n_bins - 2 and not missing_left


@kernel
def _search_apart(cells, feature, node, limits, best):
    """The better of `best` and the split that parts missing values from all others, which steps either way."""
    last = len(cells) // 2 - 1
    either = DirectedCut(np.int64(0), np.int64(0), np.int64(0))
    score, cut = _cut(cells[2 * last :], 1, either, node, limits, best)
    return best if cut < 0 else LeafSplit(score, 0.0, feature, last - 1, np.uint64(0), False)


@kernel
def _search_numbers(cells, feature, node, limits, best):
    """The better of `best` and the best split of a column of numbers; missing values go to either side."""
    last = len(cells) // 2 - 1
    missing = (cells[2 * last], cells[2 * last + 1])
    has_missing = missing[1] != 0
    way = limits.direction[feature] if len(limits.direction) > 0 else 0
    none = DirectedCut(np.int64(0), np.int64(0), way)
    n_cuts = last - 1 + has_missing
    if way != 0 and has_missing:
        best, n_cuts = _search_apart(cells, feature, node, limits, best), last - 1
    score, cut = _cut(cells, n_cuts, none, node, limits, best)
    if cut >= 0:
        best = LeafSplit(score, 0.0, feature, cut, np.uint64(0), False)
    if has_missing:
        score, cut = _cut(cells, last - 1, DirectedCut(missing[0], missing[1], way), node, limits, best)
        if cut >= 0:
            best = LeafSplit(score, 0.0, feature, cut, np.uint64(0), True)
    return best


@kernel
def _order_of_categories(cells, limits, steps, order):
    """Write into order the categories that occur, by their own steps G / (H + ridge); returns how many."""
    n = 0
    for b in range(len(cells) // 2 - 1):
        if cells[2 * b + 1] != 0:
            second = np.float64(cells[2 * b + 1] >> limits.n_bits) + limits.ridge
            steps[n] = np.float64(cells[2 * b]) / max(second, limits.min_second)
            order[n] = b
            n += 1
    for i in range(1, n):  # by insertion: few, and stable
        step, b, j = steps[i], order[i], i
        while j > 0 and steps[j - 1] > step:
            steps[j], order[j] = steps[j - 1], order[j - 1]
            j -= 1
        steps[j], order[j] = step, b
    return n


@kernel
def _search_categories(cells, feature, node, limits, best):
    """The better of `best` and the best set of categories: with the loss's own steps as order, no set is better.

    For the squared error that is Fisher (1958); Breiman et al. (1984), section 4.2. Missing values stand at either
    end of the order, or apart from all known ones.
    """
    steps = np.empty(MAX_LEVELS + 1)
    order = np.empty(MAX_LEVELS + 1, np.int64)
    last = len(cells) // 2 - 1
    n = _order_of_categories(cells, limits, steps, order)
    ordered = np.empty(2 * (MAX_LEVELS + 1), np.int64)
    for i in range(n):
        ordered[2 * i], ordered[2 * i + 1] = cells[2 * order[i]], cells[2 * order[i] + 1]
    missing = (cells[2 * last], cells[2 * last + 1])
    has_missing = missing[1] != 0
    for missing_left in range(1 + has_missing):
        outside = missing if missing_left else (np.int64(0), np.int64(0))
        before = DirectedCut(outside[0], outside[1], 0)
        n_cuts = n if has_missing and not missing_left else n - 1
        score, cut = _cut(ordered, max(n_cuts, 0), before, node, limits, best)
        if cut >= 0:
            mask = np.uint64(0)
            for i in range(cut + 1):
                mask |= np.uint64(1) << np.uint64(order[i])
            best = LeafSplit(score, 0.0, feature, order[cut], mask, missing_left == 1)
    return best


@kernel
def best_split(table, cells, node, limits):
    """The best split of a node with these `NodeSums` and cells (2 n_bins,)."""
    second = np.float64(node.packed >> limits.n_bits) + limits.ridge
    first = np.float64(node.first)
    parent = first * first / second if second > 0 else 0.0
    if len(limits.direction) > 0:
        parent = -first * step_of(first, second, node.low, node.high)
    none = LeafSplit(parent, 0.0, np.int64(-1), np.int64(-1), np.uint64(0), False)
    best = none
    for feature in range(len(table.is_category)):
        own = cells[2 * table.start[feature] : 2 * table.start[feature + 1]]
        if table.is_category[feature]:
            best = _search_categories(own, feature, node, limits, best)
        else:
            best = _search_numbers(own, feature, node, limits, best)
    gain = best.score - parent
    if gain <= LEAST_GAIN * best.score:
        return none
    return LeafSplit(best.score, gain, best.feature, best.bin, best.mask, best.missing_left)

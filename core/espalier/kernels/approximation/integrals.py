"""Predictions of a forest on both sides of every threshold, integrated over a kernel density instead of sampled.

The kernels around one centre are independent from feature to feature, and a leaf is a box. A leaf's share of the
kernel's mass is therefore a product; and along one feature, with all others integrated out, the forest's
prediction is constant between its thresholds on that feature. So each centre costs one pass over the leaves'
boxes, which adds each leaf to the features that bound it, and skips it as soon as its mass is negligible. What
remains is to add up cells: the intervals between the thresholds of the forest and of the candidate splits.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel, uncounted
from espalier.kernels.approximation.density import (
    CATEGORIES,
    LOW,
    MASS,
    SMOOTH,
    has_bit,
    is_level_inside,
    jump_chance,
    level_at,
)
from espalier.kernels.simd import (
    REALS,
    alike,
    at_least,
    is_any_above,
    load_reals,
    only_above,
    store_reals,
    total,
)
from espalier.kernels.task import first_not_below
from espalier.trees import LEAF

FAINT = 1e-8  # a leaf with less of a centre's mass is left out
FAR = 6.5  # standard deviations beyond which the mass is too small to change a sum
N_CODES = 64
STEPS = 64  # of the table of the normal distribution, per standard deviation
TABLE_END = 8 * STEPS


class Boxes(NamedTuple):
    """The leaves of a forest as boxes. A side is the range of one feature that a leaf's path allows."""

    start: np.ndarray  # (n_leaves + 1,) int64: leaf i has the sides ``start[i]:start[i + 1]``
    label: np.ndarray  # (n_leaves, n_targets) float64: a leaf's prediction, times its tree's weight
    feature: np.ndarray  # (n_sides,) int64
    low: np.ndarray  # (n_sides,) float64: values in the box are above this
    high: np.ndarray  # (n_sides,) float64: and at most this
    allowed: np.ndarray  # (n_sides,) uint64: categories in the box
    missing: np.ndarray  # (n_sides,) bool: whether missing values are in the box
    first: np.ndarray  # (n_sides,) int64: first of a node's cells that is in the box
    end: np.ndarray  # (n_sides,) int64: first cell beyond the box


class BoxCells(NamedTuple):
    """The box of a node in cells along each feature: between bounds, or one for each category.

    Feature j has the cells ``start[j]:start[j + 1]``, the last of them for missing values.
    """

    start: np.ndarray  # (n_features + 1,) int64
    bound: np.ndarray  # (n_cells,) float64: upper end of a cell; unused at the last two of a feature


class CentreRange(NamedTuple):
    """Centres of a region side by side, such as those that one thread adds."""

    first: int
    stop: int


class CentreBatch(NamedTuple):
    """Results for `REALS` centres at once, side by side in flat arrays that each batch overwrites."""

    below: np.ndarray  # (n_cells * REALS,) float64: mass of the kernel in the cells before; of a category, its own
    change: np.ndarray  # (n_cells * n_targets * REALS,) float64: prediction from a cell on, less that before
    total: np.ndarray  # (n_targets * REALS,) float64: prediction, over all leaves
    bounded: np.ndarray  # (n_features * n_targets * REALS,) float64: part of it from leaves that a feature bounds
    mass: np.ndarray  # (n_features * REALS,) float64: of the kernel between the sides of a leaf
    gap: np.ndarray  # ((n_features + 1) * REALS,) float64: 1 for a missing value; always 0 in the last place
    chance: np.ndarray  # (REALS,) float64: probability of each centre


@kernel
def spread_boxes(tree, low, high, allowed, missing, is_side):
    """Write the box of every node of a tree, all arrays (n_nodes, n_features); the root's is there already."""
    for node in range(len(tree.feature)):
        feature = tree.feature[node]
        if feature == LEAF:
            continue
        for child in (tree.left[node], tree.right[node]):
            low[child], high[child], allowed[child] = low[node], high[node], allowed[node]
            missing[child], is_side[child] = missing[node], is_side[node]
            is_left = child == tree.left[node]
            is_side[child, feature] = True
            missing[child, feature] &= tree.missing_left[node] == is_left
            threshold, mask = tree.threshold[node], tree.categories[node]
            if np.isnan(threshold):
                allowed[child, feature] &= mask if is_left else ~mask
            elif is_left:
                high[child, feature] = min(high[child, feature], threshold)
            else:
                low[child, feature] = max(low[child, feature], threshold)


def _normal_table() -> np.ndarray:
    """Return the mass below, and density times the step, of the standard normal at even steps, (n, 2) float64."""
    z = np.arange(-TABLE_END, TABLE_END + 1) / STEPS
    below = np.array([0.5 * math.erfc(-x / math.sqrt(2)) for x in z])
    return np.column_stack([below, np.exp(-z * z / 2) / math.sqrt(2 * math.pi) / STEPS])


TABLE = _normal_table()


@uncounted
def below_about(z):
    """Return the mass of the standard normal distribution below a z within `FAR`: fast, to 1 part in 10^10.

    It is interpolated by the cubic through values and slopes of a table.
    """
    x = z * STEPS + TABLE_END
    at = int(x)
    t = x - at
    low, high, from_low, from_high = TABLE[at, 0], TABLE[at + 1, 0], TABLE[at, 1], TABLE[at + 1, 1]
    rise = high - low
    return low + t * (from_low + t * (3 * rise - 2 * from_low - from_high + t * (from_low + from_high - 2 * rise)))


@uncounted
def _fill_smooth(smoothing, region, cells, centre, feature, below):
    """Write the mass of a number's kernel below each bound, given that it is in the box, into below (n_cells,)."""
    value, width = region.centres[centre, feature], smoothing.width[feature]
    low, mass = region.odds[centre, feature, LOW], region.odds[centre, feature, MASS]
    first, last = cells.start[feature], cells.start[feature + 1] - 1
    bound, after = cells.bound[first : last - 1], below[first + 1 : last + 1]
    begin = first_not_below(bound, 0, len(bound), value - FAR * width)
    end = first_not_below(bound, begin, len(bound), value + FAR * width)
    below[first] = 0.0
    after[:begin] = 0.0
    for cell in range(begin, end):
        after[cell] = min(max((below_about((bound[cell] - value) / width) - low) / mass, 0.0), 1.0)
    after[end:] = 1.0


@uncounted
def _fill_levels(smoothing, region, cells, centre, feature, below):
    """Do the same for values that jump; for categories, write the mass of each cell."""
    value = region.centres[centre, feature]
    first, last = cells.start[feature], cells.start[feature + 1] - 1
    below[first : last + 1] = 0.0
    at, mass, start = (
        level_at(smoothing, feature, value),
        region.odds[centre, feature, MASS],
        smoothing.start[feature],
    )
    is_category = smoothing.kind[feature] == CATEGORIES
    for to in range(smoothing.start[feature + 1] - start):
        level = smoothing.levels[start + to]
        if is_level_inside(smoothing, region, feature, level):
            chance = jump_chance(smoothing, feature, at, to) / mass
            if is_category:
                below[first + int(level)] = chance
            else:
                below[first_not_below(cells.bound, first, last - 1, level) + 1] += chance
    if not is_category:
        for cell in range(first, last):
            below[cell + 1] += below[cell]


@uncounted
def _begin(smoothing, region, cells, centres, batch):
    """Prepare the batch for centres (REALS,)."""
    batch.total[:] = 0.0
    batch.bounded[:] = 0.0
    for feature in range(len(smoothing.kind)):
        for i in range(REALS):
            below, centre = batch.below[i::REALS], centres[i]
            is_missing = np.isnan(region.centres[centre, feature])
            batch.gap[feature * REALS + i] = 1.0 if is_missing else 0.0
            if is_missing:
                below[cells.start[feature] : cells.start[feature + 1]] = 0.0
            elif smoothing.kind[feature] == SMOOTH:
                _fill_smooth(smoothing, region, cells, centre, feature, below)
            else:
                _fill_levels(smoothing, region, cells, centre, feature, below)


@uncounted
def _mass_of_codes(below, first, mask):
    """Return the mass of the kernels in some categories of a feature whose cells begin at `first`."""
    mass = alike(0.0)
    for code in range(N_CODES):
        if has_bit(mask, code):
            mass = mass + load_reals(below, (first + code) * REALS)
    return mass


@inlined
def _mass_in(boxes, leaf, start, is_category, batch):
    """Return the mass of the kernels in a leaf, 0 where it is negligible; write the mass between its sides."""
    below, no_gap, product = batch.below, len(is_category), alike(1.0)
    for side in range(np.uint64(boxes.start[leaf]), np.uint64(boxes.start[leaf + 1])):
        feature = boxes.feature[side]
        if is_category[feature]:
            mass = _mass_of_codes(below, start[feature], boxes.allowed[side])
        else:
            mass = load_reals(below, boxes.end[side] * REALS) - load_reals(below, boxes.first[side] * REALS)
        mass = mass + load_reals(batch.gap, (feature if boxes.missing[side] else no_gap) * REALS)
        store_reals(batch.mass, feature * REALS, mass)
        product = product * mass
        if not is_any_above(product, FAINT):
            break
    return only_above(product, FAINT)


@uncounted
def _add(array, place, reals):
    """Add to the numbers at a place of a flat array, counted in `REALS`."""
    store_reals(array, place * REALS, load_reals(array, place * REALS) + reals)


@inlined
def _add_leaf(boxes, leaf, start, is_category, batch, product):
    """Add a leaf's prediction to the cells between its sides."""
    m = boxes.label.shape[1]
    for j in range(m):
        label = alike(boxes.label[leaf, j])
        _add(batch.total, j, product * label)
        for side in range(np.uint64(boxes.start[leaf]), np.uint64(boxes.start[leaf + 1])):
            feature = boxes.feature[side]
            _add(batch.bounded, feature * m + j, product * label)
            prediction = product / at_least(load_reals(batch.mass, feature * REALS), FAINT) * label
            if is_category[feature]:
                _add_to_codes(batch.change, start[feature] * m + j, boxes.allowed[side], m, prediction)
            else:
                _add(batch.change, boxes.first[side] * m + j, prediction)
                _add(batch.change, boxes.end[side] * m + j, alike(0.0) - prediction)


@uncounted
def _add_to_codes(array, first, mask, m, prediction):
    for code in range(N_CODES):
        if has_bit(mask, code):
            _add(array, first + code * m, prediction)


@uncounted
def _add_leaves(boxes, start, is_category, batch):
    """Add all leaves to the batch; start (n_features + 1,) as in `BoxCells`."""
    for leaf in range(len(boxes.label)):
        product = _mass_in(boxes, leaf, start, is_category, batch)
        if is_any_above(product, 0.0):
            _add_leaf(boxes, leaf, start, is_category, batch, product)


@kernel
def _gather(cells, is_category, batch, prediction, sums):
    """Add the centres' cells to sums (n_cells, 1 + n_targets): their mass, and mass times prediction.

    prediction (n_targets * REALS,) is scratch memory.
    """
    m, below, chance = sums.shape[1] - 1, batch.below, load_reals(batch.chance, 0)
    for feature in range(len(is_category)):
        first, last = cells.start[feature], cells.start[feature + 1] - 1
        prediction[:] = batch.total - batch.bounded[feature * len(prediction) : (feature + 1) * len(prediction)]
        for cell in range(first, last):
            mass = load_reals(below, cell * REALS)
            if not is_category[feature]:
                mass = load_reals(below, (cell + 1) * REALS) - mass
            mass = chance * mass
            sums[cell, 0] += total(mass)
            for j in range(m):
                here = load_reals(prediction, j * REALS) + load_reals(batch.change, (cell * m + j) * REALS)
                sums[cell, 1 + j] += total(mass * here)
                if not is_category[feature]:
                    store_reals(prediction, j * REALS, here)
        batch.change[first * m * REALS : (last + 1) * m * REALS] = 0.0
        missing = chance * load_reals(batch.gap, feature * REALS)
        sums[last, 0] += total(missing)
        for j in range(m):
            sums[last, 1 + j] += total(missing * load_reals(batch.total, j * REALS))


@kernel
def integrate(boxes, smoothing, region, cells, span, sums):
    """Add the centres in the range `span` to sums (n_cells, 1 + n_targets) of every cell.

    The sums of a cell are its mass and the integral of the forest's prediction over it, along its own feature.
    """
    p, n_cells, m = region.centres.shape[1], len(cells.bound), boxes.label.shape[1]
    below, change = np.empty(n_cells * REALS), np.zeros(n_cells * m * REALS)
    totals = np.empty(m * REALS), np.empty(p * m * REALS)
    batch = CentreBatch(below, change, *totals, np.empty(p * REALS), np.zeros((p + 1) * REALS), np.empty(REALS))
    is_category, scratch = smoothing.kind == CATEGORIES, np.empty(m * REALS)
    positions = span.first + np.flatnonzero(region.chance[span.first : span.stop])
    for first in range(0, len(positions), REALS):
        centres = positions[np.minimum(np.arange(first, first + REALS), len(positions) - 1)]
        batch.chance[:] = region.chance[centres]
        batch.chance[len(positions) - first :] = 0.0
        _begin(smoothing, region, cells, centres, batch)
        _add_leaves(boxes, cells.start, is_category, batch)
        _gather(cells, is_category, batch, scratch, sums)

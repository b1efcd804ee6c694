"""What a forest says on either side of every threshold, integrated over a kernel density instead of sampled.

The kernels around one centre are independent from feature to feature, and a leaf is a box; so a leaf's share of
the kernel's mass is a product, and along one feature, all others integrated out, what the forest says is constant
between the thresholds of the forest on that feature. Each centre therefore costs one pass over the leaves' boxes,
each left as soon as its mass is next to nothing, which adds a leaf to the features that bound it; what is left is
to add up cells: the stretches between the forest's and the prospective thresholds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from core.kernels import kernel
from core.kernels.approximate_draw import (
    CATEGORIES,
    LOW,
    MASS,
    SMOOTH,
    has_bit,
    is_level_inside,
    jump_chance,
    level_at,
)
from core.trees import LEAF

FAINT = 1e-8  # a leaf with less of a centre's mass is left out
FAR = 6.5  # standard deviations beyond which there is no mass that a sum would notice
N_CODES = 64
STEPS = 64  # of the table of the normal distribution, for a standard deviation
TABLE_END = 8 * STEPS


class Boxes(NamedTuple):
    """The leaves of a forest, each as what its path asks of single features: its sides."""

    start: np.ndarray  # (n_leaves + 1,) int64: leaf i has the sides ``start[i]:start[i + 1]``
    label: np.ndarray  # (n_leaves, n_targets) float64: what it says, times how much its tree counts
    feature: np.ndarray  # (n_sides,) int64
    low: np.ndarray  # (n_sides,) float64: values in the box are above this
    high: np.ndarray  # (n_sides,) float64: and at most this
    allowed: np.ndarray  # (n_sides,) uint64: categories in the box
    missing: np.ndarray  # (n_sides,) bool: whether missing values are in it
    first: np.ndarray  # (n_sides,) int64: of the cells of a node, those from this
    end: np.ndarray  # (n_sides,) int64: to this one, excluded


class Cells(NamedTuple):
    """The box of a node in cells along each feature: between bounds, or one for each category.

    Feature j has the cells ``start[j]:start[j + 1]``, the last of them for missing values.
    """

    start: np.ndarray  # (n_features + 1,) int64
    bound: np.ndarray  # (n_cells,) float64: upper end of a cell; nothing of use at the last two of a feature


class Found(NamedTuple):
    """What is found of one centre; arrays that are written again and again."""

    below: np.ndarray  # (n_cells,) float64: mass of the kernel in the cells before; of a category, in it
    said: np.ndarray  # (n_cells, n_targets) float64: what is said from this cell on, less what is said before
    total: np.ndarray  # (n_targets,) float64: over all leaves
    bounded: np.ndarray  # (n_features, n_targets) float64: part of it from leaves that a feature bounds
    mass: np.ndarray  # (n_features,) float64: of the kernel between the sides of a leaf


@kernel
def spread_boxes(tree, low, high, allowed, missing, is_side):
    """Write the box of every node of a tree, all (n_nodes, n_features), from the root's, which stands there."""
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
    """(n, 2) float64: mass below, and density times the step, of the standard normal at even steps."""
    z = np.arange(-TABLE_END, TABLE_END + 1) / STEPS
    below = np.array([0.5 * math.erfc(-x / math.sqrt(2)) for x in z])
    return np.column_stack([below, np.exp(-z * z / 2) / math.sqrt(2 * math.pi) / STEPS])


TABLE = _normal_table()


@kernel
def below_about(z):
    """Mass of the standard normal distribution below a z within `FAR`: good to 1 part in 10^10, and fast.

    The cubic through values and slopes of a table.
    """
    x = z * STEPS + TABLE_END
    at = int(x)
    t = x - at
    low, high, from_low, from_high = TABLE[at, 0], TABLE[at + 1, 0], TABLE[at, 1], TABLE[at + 1, 1]
    rise = high - low
    return low + t * (from_low + t * (3 * rise - 2 * from_low - from_high + t * (from_low + from_high - 2 * rise)))


@kernel
def _fill_smooth(smoothing, region, cells, place, below):
    """Mass below each bound of a number's kernel, given that it is in the box."""
    centre, feature = place
    value, width = region.centres[centre, feature], smoothing.width[feature]
    low, mass = region.odds[centre, feature, LOW], region.odds[centre, feature, MASS]
    first, last = cells.start[feature], cells.start[feature + 1] - 1
    below[first] = 0.0
    for cell in range(first, last - 1):
        distance = cells.bound[cell] - value
        if width == 0.0 or distance > FAR * width:
            found = 1.0 if distance >= 0 else 0.0
        elif distance < -FAR * width:
            found = 0.0
        else:
            found = min(max((below_about(distance / width) - low) / mass, 0.0), 1.0)
        below[cell + 1] = found
    below[last] = 1.0


@kernel
def _fill_levels(smoothing, region, cells, place, below):
    """The same for values that jump; the mass of each cell for categories."""
    centre, feature = place
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
                below[first + np.searchsorted(cells.bound[first : last - 1], level) + 1] += chance
    if not is_category:
        for cell in range(first, last):
            below[cell + 1] += below[cell]


@kernel
def _begin(smoothing, region, cells, centre, found):
    """Make ready for a centre."""
    for feature in range(len(found.mass)):
        if np.isnan(region.centres[centre, feature]):
            continue
        if smoothing.kind[feature] == SMOOTH:
            _fill_smooth(smoothing, region, cells, (centre, feature), found.below)
        else:
            _fill_levels(smoothing, region, cells, (centre, feature), found.below)
    found.total[:] = 0.0
    found.bounded[:] = 0.0


@kernel
def _mass_of_codes(below, mask):
    """Mass of the kernel in some categories; below (64,) begins at the feature's cells."""
    mass = 0.0
    for code in range(N_CODES):
        if has_bit(mask, code):
            mass += below[code]
    return mass


@kernel
def _say(boxes, leaf, cells, known, found, product):
    """Add what a leaf says to the cells between its sides."""
    label = boxes.label[leaf]
    for j in range(len(label)):
        found.total[j] += product * label[j]
    for side in range(boxes.start[leaf], boxes.start[leaf + 1]):
        feature = boxes.feature[side]
        density = product / found.mass[feature]
        if not known[0, feature]:
            continue
        for j in range(len(label)):
            found.bounded[feature, j] += product * label[j]
            if not known[1, feature]:
                found.said[boxes.first[side], j] += density * label[j]
                found.said[boxes.end[side], j] -= density * label[j]
                continue
            for code in range(N_CODES):
                if has_bit(boxes.allowed[side], code):
                    found.said[cells.start[feature] + code, j] += density * label[j]


@kernel
def _ask_all(boxes, cells, known, found):
    """Go through all leaves; `known` (2, n_features): whether the centre's value is not missing, is a category."""
    start, features, first, end = boxes.start, boxes.feature, boxes.first, boxes.end
    below, mass = found.below, found.mass
    for leaf in range(len(start) - 1):
        product = 1.0
        for side in range(start[leaf], start[leaf + 1]):
            feature = features[side]
            if not known[0, feature]:
                mass[feature] = 1.0 if boxes.missing[side] else 0.0
            elif known[1, feature]:
                mass[feature] = _mass_of_codes(below[cells.start[feature] :], boxes.allowed[side])
            else:
                mass[feature] = below[end[side]] - below[first[side]]
            product *= mass[feature]
            if product <= FAINT:
                break
        if product > FAINT:
            _say(boxes, leaf, cells, known, found, product)


@kernel
def _gather(cells, found, known, chance, sums):
    """Add a centre's cells to sums (n_cells, 1 + n_targets): their mass, and that times what is said there."""
    said = np.empty(sums.shape[1] - 1)
    for feature in range(len(found.mass)):
        first, last = cells.start[feature], cells.start[feature + 1] - 1
        if not known[0, feature]:
            sums[last, 0] += chance
            for j in range(len(said)):
                sums[last, 1 + j] += chance * found.total[j]
            continue
        for j in range(len(said)):
            said[j] = found.total[j] - found.bounded[feature, j]
            found.said[last, j] = 0.0
        for cell in range(first, last):
            is_category = known[1, feature]
            mass = chance * (found.below[cell] if is_category else found.below[cell + 1] - found.below[cell])
            sums[cell, 0] += mass
            for j in range(len(said)):
                here = said[j] + found.said[cell, j]
                found.said[cell, j] = 0.0
                sums[cell, 1 + j] += mass * here
                if not is_category:
                    said[j] = here


@kernel
def integrate(boxes, smoothing, region, cells, span, sums):
    """Add the centres from span[0] to span[1], excluded, to sums (n_cells, 1 + n_targets) of every cell.

    A cell has its mass, and the integral of what the forest says in it, along its own feature.
    """
    p, n_cells, m = region.centres.shape[1], len(cells.bound), boxes.label.shape[1]
    found = Found(np.zeros(n_cells), np.zeros((n_cells, m)), np.empty(m), np.empty((p, m)), np.empty(p))
    known = np.empty((2, p), np.bool_)
    for feature in range(p):
        known[1, feature] = smoothing.kind[feature] == CATEGORIES
    for centre in range(span[0], span[1]):
        if region.chance[centre] == 0.0:
            continue
        for feature in range(p):
            known[0, feature] = not np.isnan(region.centres[centre, feature])
        _begin(smoothing, region, cells, centre, found)
        _ask_all(boxes, cells, known, found)
        _gather(cells, found, known, region.chance[centre], sums)

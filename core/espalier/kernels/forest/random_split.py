"""The split of a node in an extremely randomised tree: a random cut of each feature tried, and the best of these.

Nothing is sorted. The values of one feature are read, with their extremes; a threshold is drawn between these, and
one more pass adds up what lies on its left (Geurts, Ernst & Wehenkel 2006, table 1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.impurity import beyond, score_of_sides
from espalier.kernels.randomness import below, next_word, uniform
from espalier.kernels.task import GrowthLimits

BETWEEN = 0.5  # threshold of the sides 0 (left) and 1 (right), which stand for categories


class RandomTable(NamedTuple):
    """A table in which random cuts are drawn; missing values are nan, categories codes from 0 to 63."""

    columns: np.ndarray  # (n_features, n_samples) float64
    is_category: np.ndarray  # (n_features,) bool


class RandomNode(NamedTuple):
    """The samples of a node, each drawn at least once."""

    rows: np.ndarray  # (n,) uint32
    y: np.ndarray  # (n,) float64: class number, or the target
    mass: np.ndarray  # (n,) float64: weight times the number of draws
    n_samples: float  # draws in all


class CutTask(NamedTuple):
    """The facts about a tree that the search reads."""

    criterion: int  # espalier.kernels.impurity.CODES
    by_class: bool  # whether the target is a class (else a number)
    unit: bool  # whether every sample has weight one
    times: np.ndarray  # (n_samples,) uint8: how often each was drawn


class CutScratch(NamedTuple):
    """Scratch memory of the search, of one thread."""

    value: np.ndarray  # (2, n_samples) float64: of the feature at hand, and of the best one so far
    features: np.ndarray  # (n_features,) int64: a permutation
    state: np.ndarray  # (1,) uint64: random state
    totals: np.ndarray  # (n_sums,) float64: weight by class, or (weight, weighted y), of the node
    left: np.ndarray  # the same of a cut's left side
    right: np.ndarray
    missing: np.ndarray  # the same of the samples without a value


class RandomCut(NamedTuple):
    """A cut of one feature; feature -1 stands for none."""

    score: float  # S(left) + S(right); see espalier.kernels.impurity
    feature: int
    threshold: float  # of the values in `CutScratch.value`
    categories: int  # uint64 mask of those that go left; 0 for a number
    missing_left: bool
    at: int  # the row of `CutScratch.value` that has the feature's values
    some_missing: bool


@kernel
def read_values(column, rows, value):
    """Write the rows' values into value (n,); return the least, the greatest, and how many are missing."""
    low, high, n_missing = np.inf, -np.inf, 0
    other_low, other_high, n = np.inf, -np.inf, len(rows)
    for i in range(0, n - 1, 2):  # two at once, so that one need not wait for the other
        x, z = column[rows[i]], column[rows[i + 1]]
        value[i], value[i + 1] = x, z
        low, other_low = x if x < low else low, z if z < other_low else other_low
        high, other_high = x if x > high else high, z if z > other_high else other_high
        n_missing += (x != x) + (z != z)
    if n % 2 == 1:
        x = column[rows[n - 1]]
        value[n - 1] = x
        low, high = x if x < low else low, x if x > high else high
        n_missing += x != x
    return min(low, other_low), max(high, other_high), n_missing


@kernel
def draw_threshold(low, high, state):
    """Return a random threshold t with low <= t < high, uniform between both."""
    u = uniform(state)
    drawn = low * (1.0 - u) + high * u
    return drawn if low < drawn < high else low


@kernel
def draw_set(present, state):
    """Return a random proper subset of the categories present, not empty, and of those absent any subset.

    Both are uint64 masks; at least two categories are present. The absent ones, which no sample of the node has,
    go left or right by chance (Geurts, Ernst & Wehenkel 2006, table 1).
    """
    while True:
        word = next_word(state)
        if word & present != 0 and word & present != present:
            return word


@kernel
def _present(value):
    mask = np.uint64(0)
    for x in value:
        if x == x:
            mask |= np.uint64(1) << np.uint64(x)
    return mask


@kernel
def _write_sides(value, left):
    """Replace categories by 0 where they are in the set `left`, else by 1; missing values stay."""
    for i in range(len(value)):
        if value[i] == value[i]:
            value[i] = 0.0 if (left >> np.uint64(value[i])) & np.uint64(1) != 0 else 1.0


@kernel
def _add_two(value, threshold, node, left):
    """Write weight and weighted sum of y of the samples up to the threshold into left (2,).

    There is no branch, since nothing predicts on which side of a random threshold a sample is; and two samples are
    added at once, so that one sum need not wait for the other.
    """
    weight, s, other_weight, other = 0.0, 0.0, 0.0, 0.0
    y, mass, n = node.y, node.mass, len(value)
    for i in range(0, n - 1, 2):
        m = mass[i] * (value[i] <= threshold)
        k = mass[i + 1] * (value[i + 1] <= threshold)
        weight += m
        s += m * y[i]
        other_weight += k
        other += k * y[i + 1]
    if n % 2 == 1:
        m = mass[n - 1] * (value[n - 1] <= threshold)
        weight += m
        s += m * y[n - 1]
    left[0], left[1] = weight + other_weight, s + other


@kernel
def _add_missing(value, node, by_class, missing):
    for k in range(len(missing)):
        missing[k] = 0.0
    for i in range(len(value)):
        if value[i] != value[i]:
            if by_class:
                missing[np.int64(node.y[i])] += node.mass[i]
            else:
                missing[0] += node.mass[i]
                missing[1] += node.mass[i] * node.y[i]


@kernel
def _add_left(value, threshold, node, by_class, left):
    """Write the sums of the samples up to the threshold into left (n_sums,)."""
    if len(left) == 2:
        _add_two(value, threshold, node, left)
        if by_class:
            left[0] -= left[1]
        return
    for k in range(len(left)):
        left[k] = 0.0
    for i in range(len(value)):
        left[np.int64(node.y[i])] += node.mass[i] * (value[i] <= threshold)


@kernel
def weight_in(sums, by_class):
    """Return the weight that the sums (n_sums,) are of."""
    weight = sums[0]
    if by_class:
        for k in range(1, len(sums)):
            weight += sums[k]
    return weight


@kernel
def _samples_left(value, cut, rows, times):
    """Return how many draws go left; cut is (threshold, missing_left)."""
    n = 0
    for i in range(len(rows)):
        goes = value[i] <= cut[0] or (cut[1] and value[i] != value[i])
        n += times[rows[i]] if goes else 0
    return n


@inlined
def _leaves_enough(node, value, cut, task, limits, scratch):
    """Return whether both sides of a cut (threshold, missing_left) have the samples and weight of a leaf."""
    left, right = weight_in(scratch.left, task.by_class), weight_in(scratch.right, task.by_class)
    enough = left > 0 and right > 0 and left >= limits.min_leaf_weight and right >= limits.min_leaf_weight
    if enough and limits.min_leaf > 1:
        n_left = left if task.unit else float(_samples_left(value, cut, node.rows, task.times))
        enough = n_left >= limits.min_leaf and node.n_samples - n_left >= limits.min_leaf
    return enough


@kernel
def _with_missing(scratch, missing_left):
    if missing_left:
        for k in range(len(scratch.left)):
            scratch.left[k] += scratch.missing[k]
    for k in range(len(scratch.left)):
        scratch.right[k] = scratch.totals[k] - scratch.left[k]


@inlined
def _better(node, scratch, task, cut, limits, best):
    """Return the better of the best cut so far and this one, its missing values tried on both sides."""
    value = scratch.value[cut.at, : len(node.rows)]
    _add_left(value, cut.threshold, node, task.by_class, scratch.left)
    if cut.some_missing:
        _add_missing(value, node, task.by_class, scratch.missing)
    for side in range(2 if cut.some_missing else 1):
        _with_missing(scratch, side == 1)
        if not _leaves_enough(node, value, (cut.threshold, side == 1), task, limits, scratch):
            continue
        here = score_of_sides(scratch.left, scratch.right, task.criterion)
        if here > beyond(best.score):
            best = RandomCut(here, cut.feature, cut.threshold, cut.categories, side == 1, cut.at, cut.some_missing)
    return best


@inlined
def _draw_cut(table, feature, node, scratch, at):
    """Return a random cut of a feature, of score 0; of score -1 if the feature does not vary in the node."""
    value = scratch.value[at, : len(node.rows)]
    low, high, n_missing = read_values(table.columns[feature], node.rows, value)
    threshold, left, some, score = np.inf, np.uint64(0), n_missing > 0, 0.0
    if n_missing == len(value) or (low == high and n_missing == 0):
        score = -1.0
    elif table.is_category[feature]:
        left = _present(value)
        if low < high:
            left = draw_set(left, scratch.state)
        _write_sides(value, left)
        threshold = BETWEEN
    elif low < high:
        threshold = draw_threshold(low, high, scratch.state)
    return RandomCut(score, feature, threshold, left, False, at, some)


@inlined
def find_random_cut(table, task, node, limits: GrowthLimits, scratch):
    """Return the best of the random cuts of so many features; feature -1 if there is none.

    Of equal cuts the first one drawn wins. More features are drawn until one varies in the node.
    """
    features, p = scratch.features, len(scratch.features)
    for i in range(p):  # draws here must not depend on draws elsewhere
        features[i] = i
    best = RandomCut(-np.inf, np.int64(-1), np.nan, np.uint64(0), False, np.int64(1), False)
    varied, tried = False, limits.max_features
    if len(node.rows) == 2:
        tried = 1  # two samples have one split, by the first feature that varies
    for i in range(p):
        if i >= tried and varied:
            break
        j = i + below(scratch.state, p - i)
        features[i], features[j] = features[j], features[i]
        cut = _draw_cut(table, features[i], node, scratch, 1 - best.at)
        if cut.score >= 0:
            varied = True
            best = _better(node, scratch, task, cut, limits, best)
    return best

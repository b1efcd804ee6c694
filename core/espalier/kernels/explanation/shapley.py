"""Shapley values of what trees predict, for rows eight at a time.

The game of Lundberg et al. (2020, algorithm 1): a coalition of features is known, and at a split on any other
feature a row goes both ways, by the weights of the children. Let every feature be known with probability t, each
for itself. Then the expected prediction g is a polynomial in t, and a feature's Shapley value is the integral of
g's derivative along that feature alone, over t from 0 to 1 (Owen 1972). The number of features on the way to a
leaf bounds the degree, so that a few points of Gauss and Legendre give the integral exactly, for a tree of any
depth, as the interpolation of Yu et al. (2022, "Linear TreeSHAP") does.

At a point t the row is a fraction that flows down the tree. Where a feature is asked for the first time, left
takes ``p + t (m - p)``: p is the share of the weight, and m is 1 if the row itself goes left. Where it was asked
before, the answers so far have changed how likely it is known. With z the share of the weight that took the same
sides at those splits, and f = (1 - t) z + t, left takes ``p + (t / f) (m - p)`` as long as the row took these
sides itself, else p. The derivative is ``(z / f²) (m - p)``, times what reaches the split, times the difference
of its sides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic, overload

from espalier.kernels import inlined, kernel, uncounted
from espalier.kernels.explanation.splits import splits_of
from espalier.kernels.route import row_goes_left
from espalier.kernels.simd import REALS, Reals, alike, load_reals, store_reals


def multiplied_and_added(a: Reals, b: Reals, c: Reals) -> Reals:
    """Return a * b + c; compiled it is rounded once where the processor can."""
    return a * b + c


def at_most(a: Reals, limit: Reals) -> Reals:
    """Return 1 where a <= limit, else 0; where a is missing, 0."""
    return (a <= limit).astype(np.float64)


@intrinsic
def _fmuladd(context, a, b, c):
    def build(context, builder, sig, args):
        kind = args[0].type
        name = f"llvm.fmuladd.v{kind.count}f64"
        add = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind] * 3), name)
        return builder.call(add, args)

    return a(a, b, c), build


@intrinsic
def _ordered_at_most(context, a, limit):
    def build(context, builder, sig, args):
        return builder.uitofp(builder.fcmp_ordered("<=", *args), args[0].type)

    return a(a, limit), build


@overload(multiplied_and_added, inline="always")
def _multiplied_and_added(a, b, c):
    return lambda a, b, c: _fmuladd(a, b, c)


@overload(at_most, inline="always")
def _at_most(a, limit):
    return lambda a, limit: _ordered_at_most(a, limit)


# ---- Shapley values

POINTS = 3  # of the quadrature that are worked on together
TERMS = 2 * POINTS  # of a split: t / f at each point, then z / f² times the point's weight
FREE = -1  # in place of a feature: none is fixed
WIDTH = POINTS * REALS
ROWS = 1024  # of a block that goes through all trees, at most
BLOCK_NUMBERS = 32_768  # of a block, about: it stays in the processor's cache


class Quadrature(NamedTuple):
    """Points from 0 to 1, a multiple of `POINTS`, and their weights."""

    at: np.ndarray  # (n_points,) float64
    weight: np.ndarray  # (n_points,) float64; they sum to 1


class Coalition(NamedTuple):
    """A feature that is known, or is not, whatever the others are."""

    feature: int  # or FREE
    is_known: float  # 1 or 0
    scale: float  # by which the result is multiplied


class ShapleyBlock(NamedTuple):
    """Rows that go through all trees."""

    columns: np.ndarray  # (n_features + room, n) float64, n a multiple of 8; room for answers of a tree's splits
    has_missing: np.ndarray  # (n_features,) bool
    added: np.ndarray  # (n_outputs, n_features * n) float64


class FlowScratch(NamedTuple):
    """What flows through a tree, for eight rows."""

    took: (
        np.ndarray
    )  # (n_splits * 16,): 1 if a row took the right side here and at all splits of `before`; and left
    moved: np.ndarray  # (n_splits * 8,): m - p, or 0 if the row took another side before
    reach: np.ndarray  # (n_splits * 24,): what reaches the split, at each point
    mean: np.ndarray  # (n_splits * 24,): mean value below, at each point


def quadrature(n_features: int) -> Quadrature:
    """Return the points that are exact where no way down a tree asks for more features than these."""
    n_points = -(-max(n_features, 1) // TERMS) * POINTS  # n points are exact up to the degree 2 n - 1
    at, weight = np.polynomial.legendre.leggauss(n_points)
    return Quadrature((at + 1) / 2, weight / 2)


@kernel
def _write_terms(tree, points, coalition, terms):
    """Write what the splits of a tree need at each point into terms (n_groups, n_splits * TERMS)."""
    n, share = len(tree.feature), tree.share
    same = np.ones(n)
    for i in range(n):
        if tree.before[i] >= 0:
            up, is_left = tree.before[i] // 2, tree.before[i] % 2
            same[i] = same[up] * (share[up] if is_left else 1.0 - share[up])
        for k in range(len(points.at)):
            t, at = points.at[k], i * TERMS + k % POINTS
            f = (1.0 - t) * same[i] + t
            moves, counts = t / f, coalition.scale * points.weight[k] * same[i] / f**2
            if tree.feature[i] == coalition.feature:
                moves, counts = coalition.is_known, 0.0
            terms[k // POINTS, at] = moves
            terms[k // POINTS, at + POINTS] = counts


@uncounted
def _find_questions(tree, block, column, limit):
    """Write what the splits of a tree ask: whether a column of the block, maybe written here, is at most a limit.

    A threshold is asked of the feature's own column. Anything else is answered here: 0 in its column is left.
    """
    free = len(block.has_missing)
    for i in range(len(tree.feature)):
        feature = tree.feature[i]
        if tree.is_plain[i] and not (tree.missing_left[i] and block.has_missing[feature]):
            column[i], limit[i] = feature, tree.threshold[i]
            continue
        for row in range(block.columns.shape[1]):
            block.columns[free, row] = 0.0 if row_goes_left(tree, i, block.columns, row) else 1.0
        column[i], limit[i] = free, 0.5
        free += 1


@inlined
def _decide(tree, column, limit, numbers, n, row, scratch):
    """Write into the scratch which side eight rows take at each split, which asks for a column's limit."""
    before, share = tree.before, tree.share
    took, change = scratch.took, scratch.moved
    for i in range(len(column)):
        so_far = alike(1.0)
        if before[i] >= 0:
            so_far = load_reals(took, before[i] * REALS)
        part = so_far * at_most(load_reals(numbers, column[i] * n + row), alike(limit[i]))
        store_reals(took, 2 * i * REALS, so_far - part)
        store_reals(took, (2 * i + 1) * REALS, part)
        store_reals(change, i * REALS, part - so_far * alike(share[i]))


@inlined
def _go_down(tree, terms, scratch):
    """Write into the scratch what reaches each split at a group of points."""
    left, right, share = tree.left, tree.right, tree.share
    difference, reach = scratch.moved, scratch.reach
    for k in range(POINTS):
        store_reals(reach, k * REALS, alike(1.0))
    for i in range(len(left)):
        if left[i] < 0 and right[i] < 0:
            continue
        to_left, to_right = left[i] * WIDTH, right[i] * WIDTH
        change, usual = load_reals(difference, i * REALS), alike(share[i])
        for k in range(POINTS):
            here = load_reals(reach, i * WIDTH + k * REALS)
            goes = here * multiplied_and_added(alike(terms[i * TERMS + k]), change, usual)
            if to_left >= 0:
                store_reals(reach, to_left + k * REALS, goes)
            if to_right >= 0:
                store_reals(reach, to_right + k * REALS, here - goes)


@uncounted
def _mean_at(mean, child, k, value):
    """Return the mean value below a child, which may be a leaf, at a point."""
    if child >= 0:
        return load_reals(mean, child * WIDTH + k * REALS)
    return alike(value[-1 - child])


@inlined
def _come_up(tree, terms, value, scratch, added, n, row):
    """Add to `added` the parts of a group of points: what a row's own side changes at each split."""
    feature, left, right, share = tree.feature, tree.left, tree.right, tree.share
    difference, reach, mean = scratch.moved, scratch.reach, scratch.mean
    for back in range(1, len(left) + 1):
        i = len(left) - back
        to_left, to_right = left[i], right[i]
        change, usual, part = load_reals(difference, i * REALS), alike(share[i]), alike(0.0)
        for k in range(POINTS):
            at = i * WIDTH + k * REALS
            on_left = _mean_at(mean, to_left, k, value)
            on_right = _mean_at(mean, to_right, k, value)
            more = on_left - on_right
            goes = multiplied_and_added(alike(terms[i * TERMS + k]), change, usual)
            store_reals(mean, at, multiplied_and_added(goes, more, on_right))
            weight = load_reals(reach, at) * alike(terms[i * TERMS + POINTS + k])
            part = multiplied_and_added(weight, more, part)
        place = feature[i] * n + row
        store_reals(added, place, multiplied_and_added(part, change, load_reals(added, place)))


@kernel
def _explain_tree(tree, terms, block, scratch):
    """Add the Shapley values of one tree to those of a block."""
    n, numbers = block.columns.shape[1], block.columns.reshape(-1)
    column, limit = np.empty(len(tree.feature), np.int64), np.empty(len(tree.feature))
    _find_questions(tree, block, column, limit)
    for row in range(0, n, REALS):
        _decide(tree, column, limit, numbers, n, row, scratch)
        for group in range(len(terms)):
            _go_down(tree, terms[group], scratch)
            for k in range(len(tree.value)):
                _come_up(tree, terms[group], tree.value[k], scratch, block.added[k], n, row)


@kernel
def _explain_block(forest, points, coalition, block):
    """Add the Shapley values of all trees to those of a block; only of trees that ask for a fixed feature."""
    for number in range(len(forest.first) - 1):
        tree = splits_of(forest, number)
        n = len(tree.feature)
        if n == 0 or (coalition.feature != FREE and not np.any(tree.feature == coalition.feature)):
            continue
        terms = np.empty((len(points.at) // POINTS, n * TERMS))
        _write_terms(tree, points, coalition, terms)
        wide, width = n * REALS, n * POINTS * REALS
        scratch = FlowScratch(np.empty(2 * wide), np.empty(wide), np.empty(width), np.empty(width))
        _explain_tree(tree, terms, block, scratch)


@uncounted
def _take_rows(columns, start, stop, block):
    """Copy rows from start to stop of columns (n_features, n_samples) into a block; those that it lacks are 0."""
    for feature in range(len(columns)):
        block.has_missing[feature] = False
        for row in range(block.columns.shape[1]):
            value = columns[feature, start + row] if start + row < stop else 0.0
            block.columns[feature, row] = value
            block.has_missing[feature] |= np.isnan(value)
    block.added[:] = 0.0


@kernel
def add_shapley_values(forest, points, coalition, columns, span, added):
    """Add the Shapley values of the rows of a span to added (n_samples, n_features, n_outputs).

    columns is (n_features, n_samples), span is (2,): its first row and one past its last.
    """
    n_features, n_outputs = len(columns), len(forest.value)
    height = n_features + np.max(forest.first[1:] - forest.first[:-1])
    size = max(REALS, min(ROWS, BLOCK_NUMBERS // height // REALS * REALS))
    for start in range(span[0], span[1], size):
        stop = min(start + size, span[1])
        n = (stop - start + REALS - 1) // REALS * REALS
        has_missing, values = np.zeros(n_features, np.bool_), np.empty((n_outputs, n_features * n))
        block = ShapleyBlock(np.empty((height, n)), has_missing, values)
        _take_rows(columns, start, stop, block)
        _explain_block(forest, points, coalition, block)
        for k in range(n_outputs):
            for feature in range(n_features):
                for row in range(stop - start):
                    added[start + row, feature, k] += values[k, feature * n + row]


@kernel
def most_features(forest):
    """Return the most features that are asked for on a way from a root to a leaf."""
    most = 0
    for number in range(len(forest.first) - 1):
        tree = splits_of(forest, number)
        n_questions = np.zeros(len(tree.feature), np.int64)
        for i in range(len(n_questions)):
            n_questions[i] += tree.before[i] < 0
            most = max(most, n_questions[i])
            for child in (tree.left[i], tree.right[i]):
                if child >= 0:
                    n_questions[child] = n_questions[i]
    return most


@kernel
def expected(forest, mean):
    """Add to mean (n_outputs,) what the trees predict where nothing is known: a row goes both ways everywhere."""
    for number in range(len(forest.first) - 1):
        tree = splits_of(forest, number)
        n = len(tree.feature)
        reach = np.ones(n)
        for i in range(n):
            for child, part in ((tree.left[i], tree.share[i]), (tree.right[i], 1.0 - tree.share[i])):
                if child >= 0:
                    reach[child] = reach[i] * part
                else:
                    for k in range(len(mean)):
                        mean[k] += reach[i] * part * tree.value[k, -1 - child]
        if n == 0:
            for k in range(len(mean)):
                mean[k] += tree.value[k, 0]

"""Slanted splits: routing, the best cut along many directions, and two ways of finding directions.

Sparse linear discriminants of a node, from the moments of its features alone. A Gram matrix A and its products b
with a target say of every set S of features what the regression on them explains: ``b_S' A_S^-1 b_S``. Sets grow
by one feature at a time along a Cholesky decomposition of A whose pivots are the features chosen, so that a step
costs as much as one pass over the features chosen before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel, uncounted
from espalier.kernels.cart.columns import sort_rows
from espalier.kernels.cart.sweep import ClassSums, sweep_classes, sweep_means, sweep_pairs
from espalier.kernels.route import columns_of, passes
from espalier.kernels.task import (
    ENTROPY,
    GINI,
    SQUARED_ERROR,
    Sweep,
    Task,
    clear,
    midpoint,
    score,
    table_of_x_log_x,
    total,
)
from espalier.oblique import ObliqueTree
from espalier.trees import LEAF, read_only


@uncounted
def weighted_sum_of(columns, row, fill, feature, coefficient):
    """Return the sum of coefficient * value over the terms (n_terms,), added in this order; `fill` for nan."""
    total = 0.0
    for at in range(len(feature)):
        value = columns[feature[at], row]
        total += coefficient[at] * (fill[feature[at]] if np.isnan(value) else value)
    return total


@uncounted
def _row_goes_left(tree, node, columns, row):
    start, stop = tree.terms.start[node], tree.terms.start[node + 1]
    if start < stop:
        feature, coefficient = tree.terms.feature[start:stop], tree.terms.coefficient[start:stop]
        return weighted_sum_of(columns, row, tree.fill, feature, coefficient) <= tree.threshold[node]
    feature = tree.feature[node]
    value = columns[feature, row]
    is_category = np.isnan(tree.threshold[node])
    if np.isnan(value) or (is_category and not 0 <= value < 64):
        value = tree.fill[feature]
    return passes(value, tree.threshold[node], tree.categories[node], False)


@kernel
def _leaves(tree, columns):
    leaves = np.empty(columns.shape[1], np.int32)
    for row in range(columns.shape[1]):
        node = np.int32(0)
        while tree.feature[node] != LEAF:
            node = tree.left[node] if _row_goes_left(tree, node, columns, row) else tree.right[node]
        leaves[row] = node
    return leaves


@kernel
def project(columns, rows, fill, feature, coefficient):
    """Return `weighted_sum_of` each of the rows (n,) of columns (n_features, n_samples), (n,) float64."""
    sums = np.empty(len(rows))
    for i in range(len(rows)):
        sums[i] = weighted_sum_of(columns, rows[i], fill, feature, coefficient)
    return sums


def oblique_leaf_of(tree: ObliqueTree, X: np.ndarray) -> np.ndarray:
    """Return the leaf of each row of X (n_samples, n_features), as (n_samples,) int32."""
    return _leaves(tree, columns_of(X))


# ---- Logistic regression of two sides on a few features, by Newton's steps

NEWTON_STEPS = 12
HALVINGS = 6  # of a step, as long as the loss rises
SMALL = 1e-8  # ridge: so small that it parts whatever can be parted


@kernel
def logistic_regression(Z, side, weight):
    """Return the coefficients (1 + n_columns,) of the regression of `side` (n,), 0 to 1, the constant first.

    Z (n, n_columns) is standardised, `weight` (n,) sums to 1. Steps are halved as long as the loss rises (Hastie,
    Tibshirani & Friedman 2009, section 4.4.1). Where a line parts the sides the loss falls without end, and the
    direction comes to part them.
    """
    beta, loss = np.zeros(Z.shape[1] + 1), np.inf
    for _ in range(NEWTON_STEPS):
        step = _newton_step(Z, side, weight, beta)
        after = _log_loss(Z, side, weight, beta + step)
        for _ in range(HALVINGS):
            if after < loss:
                break
            step /= 2
            after = _log_loss(Z, side, weight, beta + step)
        if not after < loss:
            break
        beta += step
        loss = after
    return beta


@kernel
def _score(Z, row, beta):
    total = beta[0]
    for j in range(Z.shape[1]):
        total += Z[row, j] * beta[j + 1]
    return total


@kernel
def _newton_step(Z, side, weight, beta):
    m = len(beta)
    slope, curvature, x = -SMALL * beta, SMALL * np.eye(m), np.ones(m)
    for row in range(len(Z)):
        share = 1 / (1 + np.exp(-min(max(_score(Z, row, beta), -500.0), 500.0)))
        for j in range(m - 1):
            x[j + 1] = Z[row, j]
        off, bend = weight[row] * (side[row] - share), weight[row] * share * (1 - share)
        for i in range(m):
            slope[i] += off * x[i]
            for j in range(i + 1):
                curvature[i, j] += bend * x[i] * x[j]
    return solve_definite(curvature, slope)


@kernel
def _log_loss(Z, side, weight, beta):
    loss = 0.0
    for row in range(len(Z)):
        score = _score(Z, row, beta)
        loss += weight[row] * (max(score, 0.0) + np.log1p(np.exp(-abs(score))) - side[row] * score)
    return loss


@kernel
def solve_definite(matrix, right):
    """Return x with ``matrix @ x = right``, the matrix positive definite; its lower half is read and overwritten.

    By Cholesky's decomposition; a pivot that rounding made too small counts as 1e-14 of the largest.
    """
    m = len(right)
    floor = 0.0
    for i in range(m):
        floor = max(floor, 1e-14 * matrix[i, i])
    for i in range(m):
        for j in range(i + 1):
            entry = matrix[i, j]
            for k in range(j):
                entry -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = np.sqrt(max(entry, floor)) if i == j else entry / matrix[j, j]
    x = right.copy()
    for i in range(m):
        for k in range(i):
            x[i] -= matrix[i, k] * x[k]
        x[i] /= matrix[i, i]
    for i in range(m - 1, -1, -1):
        for k in range(i + 1, m):
            x[i] -= matrix[k, i] * x[k]
        x[i] /= matrix[i, i]
    return x


# ---- Sparse linear discriminants of a node

NEGLIGIBLE = 1e-6  # part of the largest standardised coefficient: smaller ones are left out
SINGULAR = 1e-12  # a pivot this small says that the features before explain the feature


class Directions(NamedTuple):
    """Weighted sums of features; the terms of each come by size, and the first has coefficient 1."""

    feature: np.ndarray  # (n_directions, most) int32; column of X
    coefficient: np.ndarray  # (n_directions, most) float64
    n_terms: np.ndarray  # (n_directions,) int64; 0: not a direction of two features or more


class Moments(NamedTuple):
    """What regressions on sets of features need to know of a node's samples."""

    gram: np.ndarray  # (n_varying, n_varying) float64, positive definite
    target: np.ndarray  # (n_targets, n_varying) float64: products with each centred target
    feature: np.ndarray  # (n_varying,) int64: column of X
    spread: np.ndarray  # (n_varying,) float64: standard deviation, which the features were divided by


@kernel
def find_discriminants(moments, most, among, n_pairs):
    """Return `Directions` that explain each target: of 2 to `most` features, and the `n_pairs` best pairs.

    Pairs are tried `among` so many features that explain the target best alone. Directions of one target follow
    each other: first the sets that grow feature by feature, then the pairs, the best first.
    """
    n_varying = len(moments.gram)
    last = min(most, n_varying) - 1
    each = last + n_pairs if n_varying > 1 else 0
    directions = Directions(
        np.zeros((len(moments.target) * each, most), np.int32),
        np.zeros((len(moments.target) * each, most)),
        np.zeros(len(moments.target) * each, np.int64),
    )
    for t in range(len(moments.target)):
        if each > 0:
            _grow_sets(moments, t, directions, t * each, min(most, n_varying))
            _best_pairs(moments, t, directions, t * each + last, min(among, n_varying), n_pairs)
    return directions


@kernel
def _grow_sets(moments, t, found, at, most):
    """Write the directions of 2, 3, … `most` features, each with the feature more that explains most."""
    p = len(moments.gram)
    factor, left = np.zeros((most, p)), moments.target[t].copy()
    pivot, members, along = np.empty(p), np.zeros(most, np.int64), np.zeros(most)
    is_free = np.ones(p, np.bool_)
    for j in range(p):
        pivot[j] = moments.gram[j, j]
    for step in range(most):
        best, gain = -1, 0.0
        for j in range(p):
            if is_free[j] and pivot[j] > SINGULAR and left[j] * left[j] / pivot[j] > gain:
                best, gain = j, left[j] * left[j] / pivot[j]
        if best < 0:
            return
        is_free[best] = False
        members[step] = best
        root = np.sqrt(pivot[best])
        along[step] = left[best] / root
        for j in range(p):
            entry = moments.gram[best, j]
            for before in range(step):
                entry -= factor[before, best] * factor[before, j]
            factor[step, j] = entry / root
            pivot[j] -= factor[step, j] * factor[step, j]
            left[j] -= factor[step, j] * along[step]
        if step > 0:
            support = members[: step + 1]
            write_direction(moments, support, _solve(factor, support, along), found, at + step - 1)


@kernel
def _solve(factor, chosen, along):
    """Return the coefficients of the features chosen, by substitution from the last to the first."""
    coefficient = np.empty(len(chosen))
    for i in range(len(chosen) - 1, -1, -1):
        rest = along[i]
        for later in range(i + 1, len(chosen)):
            rest -= factor[i, chosen[later]] * coefficient[later]
        coefficient[i] = rest / factor[i, chosen[i]]
    return coefficient


@kernel
def _best_pairs(moments, t, found, at, among, n_pairs):
    """Write the directions of the `n_pairs` best pairs of those `among` so many features that are best alone."""
    gram, target = moments.gram, moments.target[t]
    best = np.argsort(-np.abs(target), kind="mergesort")[:among]
    pair, gains = np.zeros((n_pairs, 2), np.int64), np.full(n_pairs, -1.0)
    for i in range(len(best)):
        for j in range(i + 1, len(best)):
            first, second = best[i], best[j]
            across = gram[first, second]
            determinant = gram[first, first] * gram[second, second] - across * across
            if determinant <= SINGULAR:
                continue
            here = gram[second, second] * target[first] ** 2 + gram[first, first] * target[second] ** 2
            here = (here - 2 * across * target[first] * target[second]) / determinant
            _insert(pair, gains, (first, second), here)
    for i in range(n_pairs):
        if gains[i] >= 0:
            first, second = pair[i]
            across = gram[first, second]
            coefficient = np.empty(2)
            coefficient[0] = gram[second, second] * target[first] - across * target[second]
            coefficient[1] = gram[first, first] * target[second] - across * target[first]
            write_direction(moments, pair[i], coefficient, found, at + i)


@kernel
def _insert(pair, explained, new, here):
    """Put a pair into the list of the best ones, if it is one of them; equals stay behind those before."""
    at = len(explained)
    while at > 0 and here > explained[at - 1]:
        at -= 1
        if at + 1 < len(explained):
            explained[at + 1] = explained[at]
            pair[at + 1, 0], pair[at + 1, 1] = pair[at, 0], pair[at, 1]
    if at < len(explained):
        explained[at] = here
        pair[at, 0], pair[at, 1] = new


@kernel
def write_direction(moments, support, standardised, found, at):
    """Write the direction of these coefficients of standardised features; of none where fewer than two count."""
    size = np.abs(standardised)
    bar = NEGLIGIBLE * np.max(size)
    order = np.argsort(-size, kind="mergesort")
    clear(found.coefficient[at])
    n = 0
    for i in order:
        if size[i] > bar:
            found.feature[at, n] = moments.feature[support[i]]
            found.coefficient[at, n] = standardised[i] / moments.spread[support[i]]
            n += 1
    found.n_terms[at] = n if n > 1 else 0
    for i in range(n - 1, -1, -1):
        found.coefficient[at, i] /= found.coefficient[at, 0]


# ---- The best cut along each of many directions, and the direction whose cut is best


class SideLimits(NamedTuple):
    """The least that each side of a cut has."""

    samples: int
    weight: float


@kernel
def best_direction(columns, rows, directions, task, limits):
    """Return the direction along which the rows (n,) are parted best, as (number, threshold, gain).

    The task's labels, targets and weights are those of the rows, one each. Of equal directions the first is
    returned, and -1 where no cut may be; limits are `SideLimits`. The gain is the decrease of impurity per unit of
    weight. Not for absolute error.
    """
    n = len(rows)
    values, order, keys = np.empty(n), np.empty(n, np.uint32), np.empty(n, np.uint64)
    spare, counts, fill = np.empty(n, np.uint64), np.empty((2, 2048), np.int64), np.zeros(len(columns))
    totals, best, best_at, threshold = _totals(task, n), -np.inf, -1, np.nan
    sums = ClassSums(totals, np.empty(len(totals)), np.empty(len(totals)), np.empty(len(totals)))
    for i in range(len(directions.n_terms)):
        m = directions.n_terms[i]
        if m == 0:
            continue
        feature, coefficient = directions.feature[i, :m], directions.coefficient[i, :m]
        for at in range(n):
            values[at] = weighted_sum_of(columns, rows[at], fill, feature, coefficient)
        _, equal = sort_rows(values, order, keys, spare, counts)
        if equal < 0:  # far outliers: sort by comparison
            order[:] = np.argsort(values, kind="mergesort").astype(np.uint32)
        here, cut = _best_cut(values, order, task, limits, sums, best)
        if cut >= 0:
            below, above = (order[cut] >> np.uint32(1)), (order[cut + 1] >> np.uint32(1))
            best, best_at, threshold = here, i, midpoint(values[below], values[above])
    return best_at, threshold, _gain(best, totals, task)


@kernel
def _gain(best, totals, task):
    weight = totals[0] if task.n_classes == 0 else total(totals)
    gain = (best - score(totals, task.criterion)) / weight
    return gain / np.log(2) if task.criterion == ENTROPY else gain


@kernel
def _totals(task, n):
    """Return the sums of a node: of the weights of each class, or the weight and the weighted sum of y."""
    totals = np.zeros(task.n_classes if task.n_classes > 0 else 2)
    for at in range(n):
        if task.n_classes > 0:
            totals[task.label[at]] += task.weight[at]
        else:
            totals[0] += task.weight[at]
            totals[1] += task.weight[at] * task.y[at]
    return totals


@kernel
def _best_cut(values, order, task, limits, sums, best):
    n, min_weight, totals = len(order), limits.weight, sums.node
    for at in range(n):
        order[at] = (order[at] << np.uint32(1)) | (
            np.uint32(task.label[order[at]]) if task.pairs else np.uint32(0)
        )
    sweep = Sweep(order, n, values, False, False, limits.samples - 1, n - limits.samples - 1)
    if task.pairs:
        counts = (np.int64(totals[0]), np.int64(totals[1]))
        return sweep_pairs(sweep, counts, task.criterion, task.table, best)
    if task.criterion == SQUARED_ERROR:
        return sweep_means(sweep, totals, task, min_weight, best)
    return sweep_classes(sweep, sums, task, min_weight, best)


# ---- All kernels of the search, called once: for compiling ahead of use


def find_slanted(X: np.ndarray, label: np.ndarray) -> None:
    """Look for slanted splits of two classes (n_samples,) uint16, and of numbers, by X (n_samples, n_features)."""
    n, p = X.shape
    columns, rows = read_only(np.ascontiguousarray(X.T)), np.arange(n)
    moments = Moments(np.eye(p), np.ones((2, p)), np.arange(p), np.ones(p))
    directions = find_discriminants(moments, 3, p, 1)
    beta = logistic_regression(X[:, :2].copy(), label + 0.0, np.full(n, 1 / n))
    write_direction(moments, np.arange(2), beta[1:], directions, 0)
    task = Task(GINI, 2, label, np.empty(0), np.ones(n), True, True, table_of_x_log_x(0))
    numbers = task._replace(criterion=SQUARED_ERROR, n_classes=0, y=label + 0.0, pairs=False)
    for this_task in (task, numbers):
        best_direction(columns, rows, directions, this_task, SideLimits(1, 0.0))
    project(columns, rows, np.zeros(p), np.zeros(2, np.int32), np.ones(2))

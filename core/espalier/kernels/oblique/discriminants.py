"""Sparse linear discriminants of a node, from the moments of its features alone.

A Gram matrix A and its products b with a target say of every set S of features what the regression on them
explains: ``b_S' A_S^-1 b_S``. Sets grow by one feature at a time along a Cholesky decomposition of A whose pivots
are the features chosen, so that a step costs as much as one pass over the features chosen before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.impurity import clear

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
    grown = min(most, n_varying) - 1
    each = grown + n_pairs if n_varying > 1 else 0
    found = Directions(
        np.zeros((len(moments.target) * each, most), np.int32),
        np.zeros((len(moments.target) * each, most)),
        np.zeros(len(moments.target) * each, np.int64),
    )
    for t in range(len(moments.target)):
        if each > 0:
            _grow_sets(moments, t, found, t * each, min(most, n_varying))
            _best_pairs(moments, t, found, t * each + grown, min(among, n_varying), n_pairs)
    return found


@kernel
def _grow_sets(moments, t, found, at, most):
    """Write the directions of 2, 3, … `most` features, each with the feature more that explains most."""
    p = len(moments.gram)
    factor, left = np.zeros((most, p)), moments.target[t].copy()
    pivot, chosen, along = np.empty(p), np.zeros(most, np.int64), np.zeros(most)
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
        chosen[step] = best
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
            support = chosen[: step + 1]
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
    pair, explained = np.zeros((n_pairs, 2), np.int64), np.full(n_pairs, -1.0)
    for i in range(len(best)):
        for j in range(i + 1, len(best)):
            first, second = best[i], best[j]
            across = gram[first, second]
            determinant = gram[first, first] * gram[second, second] - across * across
            if determinant <= SINGULAR:
                continue
            here = gram[second, second] * target[first] ** 2 + gram[first, first] * target[second] ** 2
            here = (here - 2 * across * target[first] * target[second]) / determinant
            _insert(pair, explained, (first, second), here)
    for i in range(n_pairs):
        if explained[i] >= 0:
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

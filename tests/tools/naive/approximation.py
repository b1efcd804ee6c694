"""The better-split test written down as in Zhou & Hooker (2016, section 2), one matrix at a time; and the density.

Labels Y are (n, k) points, such as class shares; a split is a (n,) bool: who goes left.
"""

import itertools
import math

import numpy as np
from scipy.stats import norm

from espalier.kernels.approximation.density import CATEGORIES, SMOOTH


def gini(Y, left) -> float:
    """Equation (1) after a split: 1 less the shares of the sides times their squared mean labels."""
    return 1 - sum(side.mean() * (Y[side].mean(axis=0) ** 2).sum() for side in (left, ~left) if side.any())


def fixed_variance(Y, one, other) -> float:
    """Theta' Sigma Theta of section 2.1: (1/n) times it is the variance of the difference, the shares known.

    Sigma is the 4k x 4k covariance of Y on each side of each split, the gradient that of f: 2 Theta / pi.
    """
    sides = (one, ~one, other, ~other)
    sigma = np.cov(np.hstack([Y * side[:, None] for side in sides]).T, ddof=0)
    signs = (-1, -1, 1, 1)
    theta = np.concatenate([s * 2 * Y[side].mean(axis=0) for s, side in zip(signs, sides, strict=True)])
    return float(theta @ sigma @ theta)


def full_variance(Y, one, other) -> float:
    """The same with the shares estimated too: the vector has them besides, and f their derivatives."""
    sides, signs = (one, ~one, other, ~other), (-1, -1, 1, 1)
    parts = np.hstack([np.column_stack([side, Y * side[:, None]]) for side in sides])
    gradient = []
    for sign, side in zip(signs, sides, strict=True):
        mean = Y[side].mean(axis=0)
        gradient += [-sign * (mean**2).sum(), *(sign * 2 * mean)]  # of sign * |S|^2 / pi
    gradient = np.array(gradient)
    return float(gradient @ np.cov(parts.T, ddof=0) @ gradient)


def p_value(Y, one, other, variance=full_variance) -> float:
    """Of equation (4): the chance that an independent set of samples prefers the other split."""
    difference = gini(Y, one) - gini(Y, other)
    z = difference / math.sqrt(2 * variance(Y, one, other) / len(Y))
    return 0.5 * math.erfc(-z / math.sqrt(2))


def far_worse(p_values, level) -> set[int]:
    """Benjamini & Hochberg (1995): all up to the largest i whose p-value is at most level * i / m."""
    by_p = sorted(range(len(p_values)), key=lambda i: p_values[i])
    small = [i for i, which in enumerate(by_p, 1) if p_values[which] <= level * i / len(by_p)]
    return set(by_p[: max(small, default=0)])


def kernel_draws(rng, smoothing, centres, n) -> np.ndarray:
    """(n, n_features) draws from the kernels around centres chosen evenly, in no box."""
    rows = centres[rng.integers(0, len(centres), n)].copy()
    for j in range(rows.shape[1]):
        levels = smoothing.levels[smoothing.start[j] : smoothing.start[j + 1]]
        for i in np.flatnonzero(~np.isnan(rows[:, j])):
            rows[i, j] = _moved(rng, smoothing, j, rows[i, j], levels)
    return rows


def _moved(rng, smoothing, j, value, levels):
    if smoothing.kind[j] == SMOOTH:
        return rng.normal(value, smoothing.width[j])
    u, at = rng.random(), int(np.flatnonzero(levels == value)[0])
    if smoothing.kind[j] == CATEGORIES:
        others = levels[levels != value]
        return rng.choice(others) if u < smoothing.jump and len(others) else value
    if u < smoothing.jump / 2:
        return levels[max(at - 1, 0)]
    return levels[min(at + 1, len(levels) - 1)] if u < smoothing.jump else value


def atoms(smoothing, box, feature, value, cuts):
    """What one feature of a pseudo-sample of this centre may be: values that stand for a cell, and their chances.

    Cells lie between the cuts and the ends of the box (low, high, allowed).
    """
    low, high, allowed = (bound[feature] for bound in box)
    levels = smoothing.levels[smoothing.start[feature] : smoothing.start[feature + 1]]
    if math.isnan(value):
        return [(value, 1.0)], 1.0
    if smoothing.kind[feature] != SMOOTH:
        chance = [_jump(smoothing, feature, levels, value, level) for level in levels]
        is_category = smoothing.kind[feature] == CATEGORIES
        inside = [int(allowed) >> int(v) & 1 if is_category else low < v <= high for v in levels]
        found = [(v, c) for v, c, i in zip(levels, chance, inside, strict=True) if i]
    else:
        ends = [low, *sorted(t for t in set(cuts) if low < t < high), high]
        mass = np.diff(norm.cdf(ends, value, smoothing.width[feature]))
        found = list(zip([*ends[1:-1], min(high, 1e9)], mass, strict=True))  # a cell's upper end is in it
    whole = sum(chance for _, chance in found)
    return [(v, c / whole) for v, c in found], whole


def _jump(smoothing, feature, levels, value, level) -> float:
    at, to, n = list(levels).index(value), list(levels).index(level), len(levels)
    if smoothing.kind[feature] == CATEGORIES:
        return (1 - smoothing.jump if at == to else smoothing.jump / (n - 1)) if n > 1 else 1.0
    if at == to:
        return 1 - smoothing.jump / 2 * ((at > 0) + (at < n - 1))
    return smoothing.jump / 2 if abs(at - to) == 1 else 0.0


def all_pseudo_samples(smoothing, box, centres, cuts) -> tuple[np.ndarray, np.ndarray]:
    """Rows (n, n_features) that stand for all cells, and their chances (n,), over all centres alike."""
    rows, chances = [], []
    for centre in centres:
        found = [atoms(smoothing, box, j, v, cuts[j]) for j, v in enumerate(centre)]
        inside = math.prod(whole for _, whole in found)
        for combination in itertools.product(*(values for values, _ in found)):
            rows.append([v for v, _ in combination])
            chances.append(inside * math.prod(c for _, c in combination))
    return np.array(rows), np.array(chances) / sum(chances)

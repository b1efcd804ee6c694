"""For every feature of a node, the least error of each kind of model: line, step, bent line, two lines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.model_trees.sums import (
    N_SUMS,
    ZZ,
    W,
    Z,
    add_sample,
    bent_error,
    constant_error,
    line_error,
)
from espalier.kernels.task import midpoint

CONSTANT, LINE, STEP, BENT, LINES = range(5)  # kinds of model of one feature
N_CODES = 64


class ModelTask(NamedTuple):
    """What the models of a node are to explain."""

    columns: np.ndarray  # (n_features, n_samples) float64, nothing missing
    is_categorical: np.ndarray  # (n_features,) bool
    z: np.ndarray  # (n_scores, n_samples) float64: responses
    weight: np.ndarray  # (n_scores, n_samples) float64
    ridge: np.ndarray  # (n_features,) float64: penalty of a squared slope
    slope: np.ndarray  # (n_features, n_scores) float64: the node's slopes so far
    mass: np.ndarray  # (n_samples,) float64: weight that counts for the least weight of a side
    min_leaf: float  # weight on each side of a split


class BestModels(NamedTuple):
    """The least sum of squared errors of each kind of model, for each feature, and its split."""

    error: np.ndarray  # (n_features, 5) float64; inf where there is no such model
    threshold: np.ndarray  # (n_features, 5) float64; nan where there is none
    categories: np.ndarray  # (n_features,) uint64: those that go left at the best step


@kernel
def sweep_number(task, feature, order, found):
    """Find the best models of a feature of numbers, over samples `order` (n,) that ascend in it."""
    x, n, n_scores = task.columns[feature], len(order), len(task.z)
    ridge = task.ridge[feature]
    centre = x[order].mean()
    total, left = np.zeros((n_scores, N_SUMS)), np.zeros((n_scores, N_SUMS))
    for row in order:
        for k in range(n_scores):
            add_sample(total[k], task.weight[k, row], x[row] - centre, task.z[k, row])
    found.error[feature, LINE] = 0.0
    for k in range(n_scores):
        found.error[feature, LINE] += line_error(total[k], ridge, task.slope[feature, k])
    right, mass, on_left = np.empty(N_SUMS), task.mass[order].sum(), 0.0
    for i in range(n - 1):
        row = order[i]
        on_left += task.mass[row]
        for k in range(n_scores):
            add_sample(left[k], task.weight[k, row], x[row] - centre, task.z[k, row])
        if x[row] == x[order[i + 1]] or on_left < task.min_leaf or mass - on_left < task.min_leaf:
            continue
        threshold = midpoint(x[row], x[order[i + 1]])
        step = bent = lines = 0.0
        for k in range(n_scores):
            right[:] = total[k] - left[k]
            step += constant_error(left[k]) + constant_error(right)
            bent += bent_error(total[k], right, threshold - centre, ridge)
            before = task.slope[feature, k]
            lines += line_error(left[k], ridge, before) + line_error(right, ridge, before)
        for kind, error in ((STEP, step), (BENT, bent), (LINES, lines)):
            if error < found.error[feature, kind]:
                found.error[feature, kind] = error
                found.threshold[feature, kind] = threshold


@kernel
def sweep_categories(task, feature, order, found):
    """Find the best step of a feature of categories: for each score, over the categories in order of its mean.

    For one score the best of all sets is among them (Breiman et al. 1984, section 8.8).
    """
    x, n_scores = task.columns[feature], len(task.z)
    sums, mass = np.zeros((N_CODES, n_scores, N_SUMS)), np.zeros(N_CODES)
    for row in order:
        code = int(x[row])
        mass[code] += task.mass[row]
        for k in range(n_scores):
            add_sample(sums[code, k], task.weight[k, row], 0.0, task.z[k, row])
    present = np.flatnonzero(mass)
    for by in range(n_scores):
        mean = np.array([sums[c, by, Z] / max(sums[c, by, W], 1e-300) for c in present])
        _sweep_order(task, feature, present[np.argsort(mean)], sums, mass, found)


@kernel
def _sweep_order(task, feature, codes, sums, mass, found):
    n_scores = sums.shape[1]
    left, right = np.zeros((n_scores, N_SUMS)), np.zeros((n_scores, N_SUMS))
    on_left, on_right, mask = 0.0, 0.0, np.uint64(0)
    for code in codes:
        right += sums[code]
        on_right += mass[code]
    for code in codes[:-1]:
        left += sums[code]
        right -= sums[code]
        on_left, on_right = on_left + mass[code], on_right - mass[code]
        mask |= np.uint64(1) << np.uint64(code)
        if on_left < task.min_leaf or on_right < task.min_leaf:
            continue
        error = 0.0
        for k in range(n_scores):
            error += constant_error(left[k]) + constant_error(right[k])
        if error < found.error[feature, STEP]:
            found.error[feature, STEP] = error
            found.categories[feature] = mask


@kernel
def fill_best_models(task, orders, found):
    """Fill the best models of every feature; `orders` (n_features, n) int64: the samples as each ascends."""
    n_scores = len(task.z)
    for feature in range(len(orders)):
        order = orders[feature]
        same = np.zeros((n_scores, N_SUMS))
        for row in order:
            for k in range(n_scores):
                add_sample(same[k], task.weight[k, row], 0.0, task.z[k, row])
        for k in range(n_scores):
            found.error[feature, CONSTANT] += same[k, ZZ] - same[k, Z] ** 2 / same[k, W]
        if task.is_categorical[feature]:
            sweep_categories(task, feature, order, found)
        else:
            sweep_number(task, feature, order, found)


def best_models(task: ModelTask, orders: np.ndarray) -> BestModels:
    """Return the best models of every feature over a node's samples.

    `orders` (n_features, n) int64 holds the samples once for each feature, as it ascends. After Raymaekers,
    Rousseeuw, Verdonck & Yao (2024), "Fast linear model trees by PILOT", section 3.
    """
    n = len(orders)
    error = np.full((n, 5), np.inf)
    error[:, CONSTANT] = 0.0
    found = BestModels(error, np.full((n, 5), np.nan), np.zeros(n, np.uint64))
    fill_best_models(task, orders, found)
    return found

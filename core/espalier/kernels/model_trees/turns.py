"""For every pair of features, the split on one that best turns the effect of the other, its partner.

Where the partner is a number, each side has a line in it; where it has categories, each side has their means.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.model_trees.best_models import N_CODES, ModelTask
from espalier.kernels.model_trees.sums import FLAT, N_SUMS, W, Z, add_sample, slope_of
from espalier.kernels.task import midpoint


class BestTurns(NamedTuple):
    """The least sum of squared errors for each feature to split on and each partner, and the split."""

    error: np.ndarray  # (n_features, n_partners) float64; inf where there is no such split
    threshold: np.ndarray  # (n_features, n_partners) float64; nan where there is none
    categories: np.ndarray  # (n_features, n_partners) uint64: those that go left


class Passage(NamedTuple):
    """A node's samples in the order in which they go over to the left side; cut i has samples 0..i there."""

    order: np.ndarray  # (n,) int64
    is_cut: np.ndarray  # (n,) bool: whether both sides weigh enough, and equal samples stay together
    weight: np.ndarray  # (n_scores, n) float64, as all below
    product: np.ndarray  # weight times response
    w_left: np.ndarray  # sum of the weights on the left of each cut
    z_left: np.ndarray  # sum of the products


@kernel
def make_passage(task, order, level):
    """Return the Passage of samples `order` (n,); neighbours of the same `level` (n,) stay together."""
    n, n_scores = len(order), len(task.z)
    is_cut, mass, passed = np.zeros(n, np.bool_), task.mass[order].sum(), 0.0
    for i in range(n - 1):
        passed += task.mass[order[i]]
        is_cut[i] = level[i] != level[i + 1] and passed >= task.min_leaf and mass - passed >= task.min_leaf
    weight, product = np.empty((n_scores, n)), np.empty((n_scores, n))
    w_left, z_left = np.empty((n_scores, n)), np.empty((n_scores, n))
    for k in range(n_scores):
        w = z = 0.0
        for i in range(n):
            weight[k, i] = task.weight[k, order[i]]
            product[k, i] = weight[k, i] * task.z[k, order[i]]
            w, z = w + weight[k, i], z + product[k, i]
            w_left[k, i], z_left[k, i] = w, z
    return Passage(order, is_cut, weight, product, w_left, z_left)


@kernel
def line_gain(w, x, xx, z, xz, ridge, before):
    """Return how much less than zero a line leaves of squared errors: `sums.line_error`, of numbers one by one."""
    mean = x / w
    varies, together = xx - x * mean, xz - z * mean - ridge * before
    gain = z * z / w
    return gain + together * together / (varies + ridge) if varies > FLAT * xx else gain


@kernel
def add_line_gains(task, partner, passage, gain):
    """Add to `gain` (n,) what lines in `partner` on both sides of each cut explain."""
    n, ridge = len(passage.order), task.ridge[partner]
    x = task.columns[partner][passage.order]
    x -= x.mean()
    for k in range(len(task.z)):
        weight, product, before = passage.weight[k], passage.product[k], task.slope[partner, k]
        w_left, z_left = passage.w_left[k], passage.z_left[k]
        x_all = xx_all = xz_all = x_left = xx_left = xz_left = 0.0
        for i in range(n):
            x_all += weight[i] * x[i]
            xx_all += weight[i] * x[i] * x[i]
            xz_all += product[i] * x[i]
        for i in range(n - 1):
            x_left += weight[i] * x[i]
            xx_left += weight[i] * x[i] * x[i]
            xz_left += product[i] * x[i]
            if passage.is_cut[i]:
                w, z = w_left[n - 1] - w_left[i], z_left[n - 1] - z_left[i]
                gain[i] += line_gain(w_left[i], x_left, xx_left, z_left[i], xz_left, ridge, before)
                gain[i] += line_gain(w, x_all - x_left, xx_all - xx_left, z, xz_all - xz_left, ridge, before)


@kernel
def add_mean_gains(task, partner, passage, gain):
    """Add to `gain` (n,) what the means of the categories of `partner` on both sides of each cut explain."""
    n, code = len(passage.order), task.columns[partner][passage.order].astype(np.int64)
    for k in range(len(task.z)):
        w, z, count = np.zeros((2, N_CODES)), np.zeros((2, N_CODES)), np.zeros((2, N_CODES), np.int64)
        explained = 0.0  # by both sides, which are 0 (right) and 1
        for i in range(n):
            explained += _move_sample(w, z, count, 0, code[i], passage.weight[k, i], passage.product[k, i], 1)
        for i in range(n - 1):
            explained += _move_sample(w, z, count, 0, code[i], passage.weight[k, i], passage.product[k, i], -1)
            explained += _move_sample(w, z, count, 1, code[i], passage.weight[k, i], passage.product[k, i], 1)
            gain[i] += explained


@kernel
def _move_sample(w, z, count, side, code, weight, product, sign):
    """Add a sample to its category on a side, or take it away; return how the gain changes."""
    before = z[side, code] ** 2 / w[side, code] if count[side, code] > 0 else 0.0
    w[side, code] += sign * weight
    z[side, code] += sign * product
    count[side, code] += sign
    return (z[side, code] ** 2 / w[side, code] if count[side, code] > 0 else 0.0) - before


@kernel
def best_cut(task, partner, passage):
    """Return how much the two sides of the best cut explain, and its number; -1 where there is no cut."""
    gain, best, cut = np.zeros(len(passage.order)), -np.inf, -1
    if task.is_categorical[partner]:
        add_mean_gains(task, partner, passage, gain)
    else:
        add_line_gains(task, partner, passage, gain)
    for i in range(len(gain)):
        if passage.is_cut[i] and gain[i] > best:
            best, cut = gain[i], i
    return best, cut


@kernel
def order_codes(task, feature, partner, rows, group, score):
    """Return the codes of a feature's categories that rows (n,) have, by the partner's effect in each.

    The effect is the slope of a number, or the mean of the samples whose partner is the category `group`.
    """
    x, other = task.columns[feature], task.columns[partner]
    has_groups = task.is_categorical[partner]
    centre = other[rows].mean()
    sums, is_present = np.zeros((N_CODES, N_SUMS)), np.zeros(N_CODES, np.bool_)
    for row in rows:
        code = int(x[row])
        is_present[code] = True
        if not has_groups or int(other[row]) == group:
            add_sample(sums[code], task.weight[score, row], other[row] - centre, task.z[score, row])
    codes = np.flatnonzero(is_present)
    effect = np.zeros(len(codes))
    for i in range(len(codes)):
        own = sums[codes[i]]
        if not has_groups:
            effect[i] = slope_of(own, task.ridge[partner], task.slope[partner, score])
        elif own[W] > 0:
            effect[i] = own[Z] / own[W]
    return codes[np.argsort(effect, kind="mergesort")]


@kernel
def fill_sets(task, feature, partner, at, rows, turns):
    """Fill the best set of categories: of those that come first in the order of the partner's effect."""
    x, n, best = task.columns[feature], len(rows), -np.inf
    groups = np.unique(task.columns[partner][rows]) if task.is_categorical[partner] else np.zeros(1)
    order, level = np.empty(n, np.int64), np.empty(n)
    for group in groups:
        for score in range(len(task.z)):
            codes, i = order_codes(task, feature, partner, rows, int(group), score), 0
            for code in codes:
                for row in rows:
                    if int(x[row]) == code:
                        order[i], level[i] = row, code
                        i += 1
            gain, cut = best_cut(task, partner, make_passage(task, order, level))
            if gain > best:
                best, mask = gain, np.uint64(0)
                for code in np.unique(level[: cut + 1]):
                    mask |= np.uint64(1) << np.uint64(code)
                turns.error[feature, at], turns.categories[feature, at] = -best, mask


@kernel
def fill_best_turns(task, orders, partners, stop, turns):
    """Fill the best split of every pair; arguments as in `best_turns`."""
    for feature in range(len(orders)):
        if stop[0] != 0:
            break
        order, x = orders[feature], task.columns[feature]
        passage = make_passage(task, order, x[order])
        for at in range(len(partners)):
            if partners[at] == feature:
                continue
            if task.is_categorical[feature]:
                fill_sets(task, feature, partners[at], at, order, turns)
                continue
            gain, cut = best_cut(task, partners[at], passage)
            if cut >= 0:
                turns.error[feature, at] = -gain
                turns.threshold[feature, at] = midpoint(x[order[cut]], x[order[cut + 1]])
    square = 0.0
    for k in range(len(task.z)):
        for row in orders[0]:
            square += task.weight[k, row] * task.z[k, row] ** 2
    turns.error[:] += square


def best_turns(task: ModelTask, orders: np.ndarray, partners: np.ndarray, stop: np.ndarray) -> BestTurns:
    """Return the best split of every pair: a feature, and one of `partners` (n_partners,) int64.

    `orders` (n_features, n) int64 holds a node's samples once for each feature, as it ascends. Of categories, all
    sets are tried that come first when these are ordered by the partner's effect. Once `stop` (1,) int64 is not
    zero, the features that are left get no split.
    """
    shape = len(orders), len(partners)
    turns = BestTurns(np.full(shape, np.inf), np.full(shape, np.nan), np.zeros(shape, np.uint64))
    fill_best_turns(task, orders, partners, stop, turns)
    return turns

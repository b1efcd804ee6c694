"""Linear models at a node: for every feature the best line, step and bent line, for pairs the best turn.

For every pair of features, the split on one that best turns the effect of the other, its partner. Where the
partner is a number, each side has a line in it; where it has categories, each side has their means.

From weighted sums of a set of samples the error of a constant, a line or a broken line follows at once. x and the
response z are centred at the node's means, so that differences of sums lose few digits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.task import midpoint

W, X, XX, Z, XZ, ZZ = range(6)  # sums of weight, w x, w x², w z, w x z and w z²
N_SUMS = 6
FLAT = 1e-12  # part of the sum of squares below which a feature does not vary


@kernel
def add_sample(sums, w, x, z):
    """Add a sample of weight w to the sums (6,)."""
    sums[W] += w
    sums[X] += w * x
    sums[XX] += w * x * x
    sums[Z] += w * z
    sums[XZ] += w * x * z
    sums[ZZ] += w * z * z


@kernel
def constant_error(s):
    """Return the sum of squared errors of the mean response."""
    return s[ZZ] - s[Z] * s[Z] / s[W] if s[W] > 0 else 0.0


@kernel
def slope_of(s, ridge, before):
    """Return what ridge regression adds to the slope so far, `before`; 0 where the feature does not vary.

    It minimises the squared errors plus ridge times the square of the whole slope.
    """
    if s[W] <= 0:
        return 0.0
    varies = s[XX] - s[X] * s[X] / s[W]
    if varies <= FLAT * s[XX]:
        return 0.0
    return (s[XZ] - s[X] * s[Z] / s[W] - ridge * before) / (varies + ridge)


@kernel
def line_error(s, ridge, before):
    """Return the squared errors of the line through the means with the slope of `slope_of`.

    The penalty of the whole slope is added, less that of the slope so far.
    """
    slope = slope_of(s, ridge, before)
    if slope == 0.0:
        return constant_error(s)
    varies, together = s[XX] - s[X] * s[X] / s[W], s[XZ] - s[X] * s[Z] / s[W]
    penalty = ridge * slope * (2.0 * before + slope)
    return constant_error(s) - 2.0 * slope * together + slope * slope * varies + penalty


@kernel
def bent_moments(total, right, threshold):
    """Return the centred sums x², x h, h², x z and h z, where h = max(x - threshold, 0).

    `total` are the sums of all samples, `right` of those beyond the threshold.
    """
    w = total[W]
    h = right[X] - threshold * right[W]
    hh = right[XX] - 2.0 * threshold * right[X] + threshold * threshold * right[W] - h * h / w
    xx = total[XX] - total[X] * total[X] / w
    xh = right[XX] - threshold * right[X] - total[X] * h / w
    xz = total[XZ] - total[X] * total[Z] / w
    hz = right[XZ] - threshold * right[Z] - h * total[Z] / w
    return xx, xh, hh, xz, hz


@kernel
def bent_error(total, right, threshold, ridge):
    """Return the sum of squared errors of a + b x + c max(x - threshold, 0), a line that bends at the threshold.

    b and c are those of ridge regression, whose penalty counts. Without such a line, the error of the constant.
    """
    xx, xh, hh, xz, hz = bent_moments(total, right, threshold)
    determinant = (xx + ridge) * (hh + ridge) - xh * xh
    if determinant <= FLAT * (xx + ridge) * (hh + ridge):
        return constant_error(total)
    b = (xz * (hh + ridge) - hz * xh) / determinant
    c = (hz * (xx + ridge) - xz * xh) / determinant
    explained_squares = b * b * (xx + ridge) + 2.0 * b * c * xh + c * c * (hh + ridge)
    return constant_error(total) - 2.0 * (b * xz + c * hz) + explained_squares


# ---- Models of one feature

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
    """The least sum of squared errors for each feature and each kind of model, or each partner, and its split."""

    error: np.ndarray  # (n_features, 5 or n_partners) float64; inf where there is no such model
    threshold: np.ndarray  # of the same shape, float64; nan where there is none
    categories: (
        np.ndarray
    )  # uint64: those that go left; (n_features,) at the best step, or (n_features, n_partners)


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
    models = BestModels(error, np.full((n, 5), np.nan), np.zeros(n, np.uint64))
    fill_best_models(task, orders, models)
    return models


# ---- Pairs of features


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
    is_cut, mass, before = np.zeros(n, np.bool_), task.mass[order].sum(), 0.0
    for i in range(n - 1):
        before += task.mass[order[i]]
        is_cut[i] = level[i] != level[i + 1] and before >= task.min_leaf and mass - before >= task.min_leaf
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
        gain_of_means = 0.0  # by both sides, which are 0 (right) and 1
        for i in range(n):
            gain_of_means += _move_sample(w, z, count, 0, code[i], passage.weight[k, i], passage.product[k, i], 1)
        for i in range(n - 1):
            gain_of_means += _move_sample(w, z, count, 0, code[i], passage.weight[k, i], passage.product[k, i], -1)
            gain_of_means += _move_sample(w, z, count, 1, code[i], passage.weight[k, i], passage.product[k, i], 1)
            gain[i] += gain_of_means


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


def best_turns(task: ModelTask, orders: np.ndarray, partners: np.ndarray, stop: np.ndarray) -> BestModels:
    """Return the best split of every pair: a feature, and one of `partners` (n_partners,) int64.

    `orders` (n_features, n) int64 holds a node's samples once for each feature, as it ascends. Of categories, all
    sets are tried that come first when these are ordered by the partner's effect. Once `stop` (1,) int64 is not
    zero, the features that are left get no split.
    """
    shape = len(orders), len(partners)
    turns = BestModels(np.full(shape, np.inf), np.full(shape, np.nan), np.zeros(shape, np.uint64))
    fill_best_turns(task, orders, partners, stop, turns)
    return turns

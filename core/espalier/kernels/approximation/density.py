"""Pseudo-samples: rows drawn from a kernel density over a node's own samples, inside the node's box.

Zhou & Hooker (2016, section 3.1) smooth the samples that came down the path by a Gaussian kernel, let discrete
values jump to a neighbour with a small probability, and keep the draws that agree with the splits of the path.
Here that density is drawn from exactly and without rejection: a centre is chosen with a probability proportional
to its weight times the mass of its kernel inside the box, and each feature is then drawn from its own kernel,
truncated to the box.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel, uncounted
from espalier.kernels.randomness import uniform
from espalier.kernels.task import first_not_below

SMOOTH, LEVELS, CATEGORIES = range(3)  # how a feature is smoothed
ROOT_2 = math.sqrt(2.0)
ALL_CODES = np.uint64(2**64 - 1)  # of `Region.allowed`: every category
LOW = 0  # of `Region.odds`: normal mass below the box, of numbers
MASS = 1  # and the mass of the kernel inside it


class Smoothing(NamedTuple):
    """The kernel around a sample, feature by feature; the same for a whole tree."""

    kind: np.ndarray  # (n_features,) uint8: SMOOTH, LEVELS or CATEGORIES
    width: np.ndarray  # (n_features,) float64: standard deviation, for smooth ones; 0: values do not move
    jump: float  # chance that a discrete value moves: half of it up a level, half down, none at an end;
    # of a category: to any of the others
    start: np.ndarray  # (n_features + 1,) int64: the levels of feature j are ``levels[start[j]:start[j + 1]]``
    levels: np.ndarray  # (n_levels,) float64: values of the discrete features in the table, ascending


class Region(NamedTuple):
    """The density in a node: its centres, its box, and the mass of each centre's kernels in the box."""

    centres: np.ndarray  # (n, n_features) float64, nan where missing: the node's samples
    chance: np.ndarray  # (n,) float64, sums to 1: probability of each centre
    low: np.ndarray  # (n_features,) float64: values in the box are above this
    high: np.ndarray  # (n_features,) float64: and at most this
    allowed: np.ndarray  # (n_features,) uint64: categories in the box, as bits
    odds: np.ndarray  # (n, n_features, 2) float64: LOW (or nothing) and MASS of each kernel in the box


@uncounted
def below_normal(z):
    """Return the mass of the standard normal distribution below z."""
    return 0.5 * math.erfc(-z / ROOT_2)


@inlined
def _horner(r, c):
    """Return a polynomial in r with eight coefficients, the constant first; most of the work is here."""
    return ((((((c[7] * r + c[6]) * r + c[5]) * r + c[4]) * r + c[3]) * r + c[2]) * r + c[1]) * r + c[0]


CENTRE_END = 0.425  # distance from a half up to which the first of three formulas holds

# Coefficients of algorithm AS 241, routine PPND16 (Wichura 1988, Applied Statistics 37), good to 1 part in 10^16.
_CENTRE = (
    (3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
     4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3),
    (1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
     2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3),
)  # fmt: skip
_MIDDLE = (
    (1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
     1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4),
    (1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9),
)  # fmt: skip
_TAIL = (
    (6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
     2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7),
    (1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15),
)  # fmt: skip


@kernel
def normal_at(p):
    """Return the z with mass p (between 0 and 1) of the standard normal distribution below it (AS 241)."""
    q = p - 0.5
    if abs(q) <= CENTRE_END:
        return _near_centre(q)
    tail = p if q < 0 else 1.0 - p
    r = math.sqrt(-math.log(max(tail, 1e-300)))
    if r <= 5.0:
        z = _horner(r - 1.6, _MIDDLE[0]) / _horner(r - 1.6, _MIDDLE[1])
    else:
        z = _horner(r - 5.0, _TAIL[0]) / _horner(r - 5.0, _TAIL[1])
    return -z if q < 0 else z


@inlined
def _near_centre(q):
    r = 0.180625 - q * q
    return q * (_horner(r, _CENTRE[0]) / _horner(r, _CENTRE[1]))


@kernel
def _all_normal_at(p, z):
    """Write `normal_at` of p (n,) into z (n,): first as if all were near the centre, which vectorises."""
    for i in range(len(p)):
        z[i] = _near_centre(p[i] - 0.5)
    for i in range(len(p)):
        if abs(p[i] - 0.5) > CENTRE_END:
            z[i] = normal_at(p[i])


@uncounted
def is_inside(value, low, high):
    """Return whether a value that is not missing is in the box along one feature."""
    return low < value and value <= high


@uncounted
def has_bit(mask, code):
    """Return whether the category with this code is in the mask; a code that is no category is not."""
    return code >= 0 and code < 64 and (mask >> np.uint64(code)) & np.uint64(1) != 0


@uncounted
def jump_chance(smoothing, feature, at, to):
    """Return the chance that the level at position `at` of a discrete feature moves to position `to`."""
    n = smoothing.start[feature + 1] - smoothing.start[feature]
    if smoothing.kind[feature] == CATEGORIES:
        if n == 1:
            return 1.0
        return 1.0 - smoothing.jump if at == to else smoothing.jump / (n - 1)
    if at == to:
        n_neighbours = (at > 0) + (at < n - 1)
        return 1.0 - n_neighbours * smoothing.jump / 2
    return smoothing.jump / 2 if abs(at - to) == 1 else 0.0


@uncounted
def is_level_inside(smoothing, region, feature, level):
    """Return whether a level of a discrete feature is in the box."""
    if smoothing.kind[feature] == CATEGORIES:
        return has_bit(region.allowed[feature], level)
    return is_inside(level, region.low[feature], region.high[feature])


@uncounted
def level_at(smoothing, feature, value):
    """Return the position of a value among the levels of a discrete feature; -1 if it is none of them."""
    first, last = smoothing.start[feature], smoothing.start[feature + 1]
    at = first_not_below(smoothing.levels, first, last, value)
    return at - first if at < last and smoothing.levels[at] == value else -1


@uncounted
def _level_mass(smoothing, region, feature, at):
    """Return the chance that a discrete value stays in the box."""
    mass, first = 0.0, smoothing.start[feature]
    for to in range(smoothing.start[feature + 1] - first):
        if is_level_inside(smoothing, region, feature, smoothing.levels[first + to]):
            mass += jump_chance(smoothing, feature, at, to)
    return mass


@uncounted
def _odds_of(smoothing, region, feature, value):
    """Return LOW and MASS of the kernel around a value: see `Region.odds`. A value that cannot move has mass 1."""
    if np.isnan(value):
        return 0.0, 1.0
    if smoothing.kind[feature] == SMOOTH:
        width = smoothing.width[feature]
        if width == 0.0:
            return 0.0, 1.0
        low = below_normal((region.low[feature] - value) / width)
        return low, below_normal((region.high[feature] - value) / width) - low
    at = level_at(smoothing, feature, value)
    return 0.0, 1.0 if at < 0 else _level_mass(smoothing, region, feature, at)


@kernel
def weigh(smoothing, region, weight):
    """Write `odds` and `chance` of a region, whose samples have these weights (n,)."""
    total = 0.0
    for i in range(len(region.centres)):
        chance = weight[i]
        for feature in range(region.centres.shape[1]):
            low, mass = _odds_of(smoothing, region, feature, region.centres[i, feature])
            region.odds[i, feature, LOW] = low
            region.odds[i, feature, MASS] = mass
            chance *= mass
        region.chance[i] = chance
        total += chance
    for i in range(len(region.chance)):
        region.chance[i] /= total


@kernel
def _smooth_column(smoothing, region, feature, centre, column):
    """Turn column (n,), uniform numbers, into numbers drawn from the kernels of centres (n,), inside the box."""
    width, low, high = smoothing.width[feature], region.low[feature], region.high[feature]
    p, z = np.empty(len(column)), np.empty(len(column))
    for i in range(len(column)):
        odds = region.odds[centre[i], feature]
        p[i] = odds[LOW] + column[i] * odds[MASS]
    _all_normal_at(p, z)
    for i in range(len(column)):
        value = region.centres[centre[i], feature]
        candidate = value + width * z[i]
        column[i] = value
        if width > 0.0 and candidate > low:  # only rounding can leave the box
            column[i] = high if candidate > high else candidate


@uncounted
def _level_column(smoothing, region, feature, centre, column):
    """Turn column (n,), uniform numbers, into levels drawn by the jumps of centres (n,), inside the box."""
    for i in range(len(column)):
        if not np.isnan(column[i]):
            column[i] = _level_value(smoothing, region, centre[i], feature, column[i])


@uncounted
def _level_value(smoothing, region, centre, feature, u):
    """Return a level drawn by the jumps of a centre, inside the box; u is uniform."""
    value = region.centres[centre, feature]
    at = level_at(smoothing, feature, value)
    if at < 0:
        return value
    left, first = u * region.odds[centre, feature, MASS], smoothing.start[feature]
    for to in range(smoothing.start[feature + 1] - first):
        level = smoothing.levels[first + to]
        if is_level_inside(smoothing, region, feature, level):
            left -= jump_chance(smoothing, feature, at, to)
            if left < 0.0:
                return level
    return value


@kernel
def _choose(chance, n_rows, state, times):
    """Count into times (n,) how often each centre is drawn for so many rows.

    The rows' uniform numbers are made in ascending order, as sums of exponential ones (Devroye 1986, section
    V.3.1), so that one pass over the centres places them all.
    """
    waits = np.empty(n_rows + 1)
    total = 0.0
    for i in range(n_rows + 1):
        total -= math.log(1.0 - uniform(state))
        waits[i] = total
    centre, last = 0, len(chance) - 1
    while chance[last] == 0.0:
        last -= 1
    running = chance[0]
    for i in range(n_rows):
        u = waits[i] / total
        while centre < last and u >= running:
            centre += 1
            running += chance[centre]
        times[centre] += 1


@uncounted
def _fill_uniform(region, state, centre, rows):
    """Fill rows (n, n_features) with uniform numbers, and with nan where a row's centre, centre (n,), has nan."""
    for row in range(len(rows)):
        for feature in range(rows.shape[1]):
            value = region.centres[centre[row], feature]
            rows[row, feature] = value if np.isnan(value) else uniform(state)


@kernel
def draw_rows(smoothing, region, state, rows):
    """Fill rows (n, n_features) with pseudo-samples of a region, grouped by centre."""
    times = np.zeros(len(region.chance), np.int64)
    _choose(region.chance, len(rows), state, times)
    centre = np.repeat(np.arange(len(times)), times)
    _fill_uniform(region, state, centre, rows)
    for feature in range(rows.shape[1]):
        if smoothing.kind[feature] == SMOOTH:
            _smooth_column(smoothing, region, feature, centre, rows[:, feature])
        else:
            _level_column(smoothing, region, feature, centre, rows[:, feature])


def everywhere(n_features: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the box that contains everything: low, high, allowed, as in `Region`."""
    return np.full(n_features, -np.inf), np.full(n_features, np.inf), np.full(n_features, ALL_CODES)


def make_region(
    smoothing: Smoothing, centres: np.ndarray, weight: np.ndarray, box: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> Region:
    """Return the density over centres (n, n_features) with weights (n,), inside the box (low, high, allowed)."""
    n, p = centres.shape
    centres = np.ascontiguousarray(centres, dtype=np.float64)
    region = Region(centres, np.empty(n), *box, np.empty((n, p, 2)))
    weigh(smoothing, region, np.ascontiguousarray(weight, dtype=np.float64))
    return region

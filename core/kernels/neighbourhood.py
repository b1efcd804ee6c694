"""One feature of a node: its best cut t0, the neighbourhood T(t0) around it, and the impurity there.

A *profile* lists a node's different values of a feature, ascending (categories in the order of their mean
target), with the running sums up to each: row 0 of `sums` is weight, row c weight times target c. Value i,
as a cut, parts values 0..i from the rest. Everything about cuts is said of profiles, whatever the feature is.

With one target per class as 0 or 1 (only the last class, if there are two) the impurity of a split is
``unit * (sum of w y^2 - S) / W``, where S is the sum over both sides and all targets of (sum of w y)^2 / (sum
of w): twice that variance is gini for two classes, once is gini for more, and variance for a number.
A missing value is divided between the sides as the known ones are.
"""

from __future__ import annotations

import numpy as np

from core.kernels import kernel
from core.kernels.columns import MAX_LEVELS

EMPTY = 1e-12  # of a side's weight, relative to the node: no mean is taken of less


@kernel
def profile_sorted(entries, column, distinct, moments, sums, first):
    """Profile of a node from its rows in order of the feature; returns the number of different values.

    moments (n_samples, 1 + n_targets) is zero for rows that are not in the node; such entries are skipped.
    first (n,) uint32 becomes a row that has the value.
    """
    if moments.shape[1] == 2:
        return _profile_single(entries, column, distinct, moments, sums, first)
    n, last = -1, np.nan
    total = np.zeros(moments.shape[1])
    for row in entries:
        if moments[row, 0] == 0:
            continue
        if column[row] != last:
            n += 1
            last, first[n] = column[row], row
        for c in range(len(total)):
            total[c] += moments[row, c]
            sums[c, n] = total[c]
    return n + 1


@kernel
def _profile_single(entries, column, distinct, moments, sums, first):
    """`profile_sorted` for one target, without a branch where no two values are equal."""
    weight, target = 0.0, 0.0
    if distinct:
        n = 0
        for row in entries:
            weight += moments[row, 0]
            target += moments[row, 1]
            sums[0, n], sums[1, n], first[n] = weight, target, row
            n += moments[row, 0] > 0
        return n
    n, last = -1, np.nan
    for row in entries:
        here = moments[row, 0]
        x = column[row]
        fresh = (x != last) & (here > 0)
        n += fresh
        last = x if fresh else last
        weight += here
        target += moments[row, 1]
        if n >= 0:
            sums[0, n], sums[1, n], first[n] = weight, target, row
    return n + 1


@kernel
def profile_levels(by_level, ordered, sums, first):
    """Profile of a node from its sums by level (65, 1 + n_targets); returns the number of levels present.

    Categories (not `ordered`) are put in the order of their first target's mean. first becomes the levels.
    """
    n = 0
    for level in range(MAX_LEVELS):
        if by_level[level, 0] > 0:
            at = n
            while not ordered and at > 0 and _mean(by_level[first[at - 1]]) > _mean(by_level[level]):
                first[at] = first[at - 1]
                at -= 1
            first[at] = level
            n += 1
    for c in range(by_level.shape[1]):
        total = 0.0
        for i in range(n):
            total += by_level[first[i], c]
            sums[c, i] = total
    return n


@kernel
def _mean(moments):
    return moments[1] / moments[0]


@kernel
def score_cuts(sums, n, totals, scores):
    """Write S of each of the n cuts of a profile into scores; totals (1 + n_targets,) are the node's sums.

    What the totals have more than the profile is missing, and is divided as the known weight is.
    """
    weight, known = totals[0], sums[0, n - 1]
    scale, low = weight / known, EMPTY * weight
    for i in range(n):
        scores[i] = 0.0
    for c in range(1, len(totals)):
        total, extra = totals[c], (totals[c] - sums[c, n - 1]) / known
        for i in range(n):
            left_weight = sums[0, i]
            left = sums[c, i] + extra * left_weight
            right, left_weight = total - left, scale * left_weight
            right_weight = max(weight - left_weight, low)
            left_weight = max(left_weight, low)
            scores[i] += (left * left * right_weight + right * right * left_weight) / (left_weight * right_weight)


@kernel
def best_cut(scores, n, tolerance):
    """The first of n cuts whose score is the greatest, up to the tolerance: rounding must not choose."""
    best = scores[0]
    for i in range(1, n):
        best = max(best, scores[i])
    at = 0
    while scores[at] < best - tolerance:
        at += 1
    return at


@kernel
def neighbourhood(sums, n, at, k, phi):
    """Write phi of every cut of T(t0) into phi (n,), at the cuts' own places; returns the first and the last.

    Whole values outwards from cut `at` until their weight reaches k on a side; the outermost takes what is
    left of k, and a side that runs out of values ends (Nalenz & Augustin 2021, equation 2).
    """
    phi[at] = _weight_of(sums, at)
    first = last = at
    room = k
    while room > EMPTY * k and first > 0:
        first -= 1
        phi[first] = min(_weight_of(sums, first), room)
        room -= phi[first]
    room = k
    while room > EMPTY * k and last < n - 1:
        last += 1
        phi[last] = min(_weight_of(sums, last), room)
        room -= phi[last]
    return first, last


@kernel
def _weight_of(sums, i):
    return sums[0, i] - sums[0, i - 1] if i > 0 else sums[0, 0]


@kernel
def mean_score(scores, phi, first, last):
    """Mean score over a neighbourhood, by phi."""
    weight, score = 0.0, 0.0
    for i in range(first, last + 1):
        weight += phi[i]
        score += phi[i] * scores[i]
    return score / weight

"""One feature of a node: its best cut t0, the neighbourhood T(t0) around it, and the impurity there.

A *profile* lists a node's samples by a feature, ascending: `places` are their rows (of a feature with few
values, its levels; categories in the order of their mean target), the highest bit set where a new value
begins, and `sums` the running sums up to each: row 0 is weight, row c weight times target c. Place i, if it is
the last of its value, is a cut: it separates places 0..i from the rest. All functions on cuts take profiles,
whatever the kind of feature.

    value       1.2  1.5  1.5  1.9          values may repeat
    places      7*   2*   4    9*           rows; * where a value begins
    sums[0]     1.0  2.0  2.6  3.6          weight up to here
    cut?        yes  no   yes  (yes)        the last one leaves nothing on the right

With a target for every class as 0 or 1 (of two classes only the second) the impurity of a split is
``factor * (sum of w y^2 - S) / W``, where S is the sum over both sides and all targets of (sum of w y)^2 / (sum
of w): twice that variance is gini for two classes, once is gini for more, and variance for a number.
Missing values are divided between the sides in the proportion of the known ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.cart.columns import MAX_LEVELS
from espalier.kernels.vectors.octets import larger
from espalier.kernels.vectors.simd import REALS, alike, is_any_above, load_reals, store_reals

BEGINS = np.uint32(1 << 31)  # the bit of a place where a new value begins
PLACE = np.uint32((1 << 31) - 1)  # the other bits
RIDGE = 0.5  # part of a cut's gain: on the ridge before it, the gain is less
HEAVY = 1e-12  # relative to a least weight: so much may be missing by rounding
EMPTY = 1e-12  # weight of a side relative to the node's: no mean is taken of less


class PlaceRange(NamedTuple):
    """Places of a profile side by side; empty if the first is beyond the last."""

    first: int
    last: int


@kernel
def sum_places(places, moments, sums):
    """Write running sums of moments (n_rows, 1 + n_targets) over the places; see the module's description."""
    if moments.shape[1] == 2:
        weight, target = 0.0, 0.0
        for i in range(len(places)):
            row = places[i] & PLACE
            weight += moments[row, 0]
            target += moments[row, 1]
            sums[0, i], sums[1, i] = weight, target
        return
    for c in range(moments.shape[1]):
        total = 0.0
        for i in range(len(places)):
            total += moments[places[i] & PLACE, c]
            sums[c, i] = total


@kernel
def sum_both(places, others, moments, sums, more):
    """Do `sum_places` for two lists at once, since each addition waits for the one before."""
    if moments.shape[1] != 2 or len(places) != len(others):
        sum_places(places, moments, sums)
        sum_places(others, moments, more)
        return
    weight, target, other_weight, other_target = 0.0, 0.0, 0.0, 0.0
    for i in range(len(places)):
        row, other = places[i] & PLACE, others[i] & PLACE
        weight += moments[row, 0]
        target += moments[row, 1]
        other_weight += moments[other, 0]
        other_target += moments[other, 1]
        sums[0, i], sums[1, i] = weight, target
        more[0, i], more[1, i] = other_weight, other_target


@kernel
def order_levels(by_level, ordered, places, tie):
    """Write the levels that have weight into places (65,); return how many there are.

    by_level is (65, 1 + n_targets). Categories (not `ordered`) come in the order of their first target's mean;
    means that differ by no more than `tie` are equal.
    """
    n = 0
    for level in range(MAX_LEVELS):
        if by_level[level, 0] > 0:
            at = n
            while not ordered and at > 0 and _is_after(by_level[places[at - 1] & PLACE], by_level[level], tie):
                places[at] = places[at - 1]
                at -= 1
            places[at] = np.uint32(level) | BEGINS
            n += 1
    return n


@kernel
def _is_after(one, other, tie):
    """Return whether the mean target of one level's sums is greater than another's, by more than `tie`."""
    return one[1] / one[0] > other[1] / other[0] + tie


@kernel
def score_cuts(places, sums, totals, scores):
    """Write S of each cut into scores, and 0 at places that are no cut; totals (1 + n_targets,) are the node's.

    The totals also include missing values, which are divided as the known weight is.
    """
    n = len(places)
    weight, known = totals[0], sums[0, n - 1]
    scale, low = weight / known, EMPTY * weight
    for c in range(1, len(totals)):
        total, extra = totals[c], (totals[c] - sums[c, n - 1]) / known
        for i in range(n):
            left_weight = max(scale * sums[0, i], low)
            right_weight = max(weight - scale * sums[0, i], low)
            left = sums[c, i] + extra * sums[0, i]
            right = total - left
            score = (left * left * right_weight + right * right * left_weight) / (left_weight * right_weight)
            scores[i] = score if c == 1 else scores[i] + score
    for i in range(n - 1):
        scores[i] = scores[i] if places[i + 1] >= BEGINS else 0.0


@kernel
def heavy_cuts(running, n, weight, least):
    """Return the range of the n places after which a cut leaves at least the weight `least` on both sides.

    running (n_places,) is the weight up to each place; `weight`, the node's, includes missing values.
    """
    first, last = 0, n - 1
    if least > 0.0:
        scale, low = weight / running[n - 1], least * (1 - HEAVY)
        while first <= last and scale * running[first] < low:
            first += 1
        while last >= first and weight - scale * running[last] < low:
            last -= 1
    return PlaceRange(first, last)


@kernel
def best_cut(scores, n, tolerance, lanes):
    """Return the first of n cuts with the greatest score up to a tolerance, so that rounding does not choose.

    lanes (8,) is scratch memory.
    """
    whole, best = n - n % REALS, alike(-np.inf)
    for i in range(0, whole, REALS):
        best = larger(load_reals(scores, i), best)
    store_reals(lanes, 0, best)
    most = lanes.max()
    for i in range(whole, n):
        most = max(most, scores[i])
    least, first = most - tolerance, 0
    too_low = np.nextafter(least, -np.inf)
    while first < whole and not is_any_above(load_reals(scores, first), too_low):
        first += REALS
    while scores[first] < least:
        first += 1
    return first


@kernel
def next_cut(scores, n, spans, pure):
    """Return the best cut that a ridge separates from each of the spans (n_spans, 2) of places.

    -1 if there is none.

    A ridge (of impurity) is a place where the gain, the score less the node's own (`pure`), is less than RIDGE
    times the cut's.
    """
    before, behind = np.empty(n), np.empty(n)  # the lowest score between here and the next span; -inf: no span
    _lowest(scores, spans, before, 1)
    _lowest(scores, spans, behind, -1)
    best = -1
    for at in range(n - 1):
        ridge = pure + RIDGE * (scores[at] - pure)
        parted = scores[at] > 0 and before[at] < ridge and behind[at] < ridge
        if parted and (best < 0 or scores[at] > scores[best]):
            best = at
    return best


@kernel
def _lowest(scores, spans, lowest, step):
    """Write the lowest score since the last span, going up (step 1) or down (-1).

    It is inf in a span, and -inf before the first.
    """
    n = len(lowest)
    low, at = -np.inf, 0 if step > 0 else n - 1
    while 0 <= at < n:
        for i in range(len(spans)):
            if spans[i, 0] <= at <= spans[i, 1]:
                low = np.inf
        lowest[at] = low
        if scores[at] > 0:
            low = min(low, scores[at])
        at += step


@kernel
def _value_begins(places, i):
    """Return the first place of the value at place i."""
    while i > 0 and places[i] < BEGINS:
        i -= 1
    return i


@kernel
def _value_ends(places, i):
    """Return the last place of the value at place i."""
    while i + 1 < len(places) and places[i + 1] < BEGINS:
        i += 1
    return i


@kernel
def _weight_of(sums, first, last):
    return sums[0, last] - sums[0, first - 1] if first > 0 else sums[0, last]


@kernel
def neighbourhood(places, sums, cut, k, phi, allowed):
    """Write phi of every cut of T(t0) at its place, and 0 between; return the range of places.

    Whole values are taken outwards from t0, at place `cut`, until their weight reaches k on each side; the
    outermost one gets the rest of k (Nalenz & Augustin 2021, equation 2). A side ends early where it runs out of
    values or leaves the `allowed` range.
    """
    first, last = _value_begins(places, cut), cut
    phi[cut] = _weight_of(sums, first, last)
    rest = k
    for i in range(first, last):
        phi[i] = 0.0
    while rest > EMPTY * k and first > allowed.first:
        end, first = first - 1, _value_begins(places, first - 1)
        for i in range(first, end):
            phi[i] = 0.0
        phi[end] = min(_weight_of(sums, first, end), rest)
        rest -= phi[end]
    rest = k
    while rest > EMPTY * k and last < allowed.last and _value_ends(places, last + 1) <= allowed.last:
        begin, last = last + 1, _value_ends(places, last + 1)
        for i in range(begin, last):
            phi[i] = 0.0
        phi[last] = min(_weight_of(sums, begin, last), rest)
        rest -= phi[last]
    return PlaceRange(first, last)


@kernel
def mean_score(scores, phi, span):
    """Return the mean score of the places in the span, weighted by phi."""
    weight, score = 0.0, 0.0
    for i in range(span.first, span.last + 1):
        weight += phi[i]
        score += phi[i] * scores[i]
    return score / weight

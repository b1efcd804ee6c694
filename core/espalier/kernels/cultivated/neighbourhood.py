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
from espalier.kernels.vectors.simd import borrow

BEGINS = np.uint32(1 << 31)  # the bit of a place where a new value begins
PLACE = np.uint32((1 << 31) - 1)  # the other bits
HEAVY = 1e-12  # relative to a least weight: so much may be missing by rounding
EMPTY = 1e-12  # weight of a side relative to the node's: no mean is taken of less


class PlaceRange(NamedTuple):
    """Places of a profile side by side; empty if the first is beyond the last."""

    first: int
    last: int


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
def _value_begins(places, phi, i):
    """Return the first place of the value at place i, and write phi 0 at all of them before i."""
    while i > np.uint64(0) and places[i] < BEGINS:
        i -= np.uint64(1)
        phi[i] = 0.0
    return i


@kernel
def _value_ends(places, i):
    """Return the last place of the value at place i."""
    last = np.uint64(len(places) - 1)
    while i < last and places[i + np.uint64(1)] < BEGINS:
        i += np.uint64(1)
    return i


@kernel
def _weight_of(running, first, last):
    return running[last] - running[first - np.uint64(1)] if first > np.uint64(0) else running[last]


@kernel
def neighbourhood(places, sums, cut, k, phi, allowed):
    """Write phi of every cut of T(t0) at its place, and 0 between; return the range of places.

    Whole values are taken outwards from t0, at place `cut`, until their weight reaches k on each side; the
    outermost one gets the rest of k (Nalenz & Augustin 2021, equation 2). A side ends early where it runs out of
    values or leaves the `allowed` range.
    """
    places, running, phi = borrow(places), borrow(sums)[0], borrow(phi)
    one, enough = np.uint64(1), EMPTY * k  # unsigned places need no check whether they are negative
    lowest, highest = np.uint64(allowed.first), np.uint64(allowed.last)
    middle = np.uint64(cut)
    first = _value_begins(places, phi, middle)
    phi[middle] = _weight_of(running, first, middle)
    rest = k
    while rest > enough and first > lowest:
        end = first - one
        first = _value_begins(places, phi, end)
        weight = _weight_of(running, first, end)
        if weight >= rest:  # a branch that is foreseen, where a minimum would have to be waited for
            phi[end] = rest
            break
        phi[end] = weight
        rest -= weight
    rest, last = k, middle
    while rest > enough and last < highest:
        begin = last + one
        end = _value_ends(places, begin)
        if end > highest:
            break
        for i in range(begin, end):
            phi[i] = 0.0
        last = end
        weight = _weight_of(running, begin, last)
        if weight >= rest:
            phi[last] = rest
            break
        phi[last] = weight
        rest -= weight
    return PlaceRange(np.int64(first), np.int64(last))

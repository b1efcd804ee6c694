"""Running sums of profiles: at the ends of all chunks, and place by place only where the best cut may be.

The score S (see `neighbourhood`) is convex in the sums (weight, weight times target) of the left side. Every
target lies between the lowest and the highest of the training data. So within a chunk these sums stay in a
parallelogram, and the S of its corners bound every S of the chunk:

    weight * target           the end of the chunk
                             ·········*
                    a corner *      ·        its sides rise by the highest target
                            ·     ·          and by the lowest one, which is 0 here
                           ·    ·
    start of the chunk     *···*  a corner
                                             weight

Most chunks cannot hold the best cut by this bound. Their sums are never written place by place, and their cuts are
not scored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.cultivated.neighbourhood import BEGINS, EMPTY, PLACE
from espalier.kernels.vectors.simd import borrow

CHUNK = 16  # places
NOISE = 1e-9  # part of the node's sum of squares: more than what rounding makes of a score
SLACK = 1e-9  # part of a weight: more than what rounding makes of it


class Four(NamedTuple):
    """Four arrays of one kind."""

    one: np.ndarray
    two: np.ndarray
    three: np.ndarray
    four: np.ndarray


class Profile(NamedTuple):
    """A profile, as `espalier.kernels.cultivated.neighbourhood` has it, with its sums as far as they are there."""

    places: np.ndarray  # (n_places,) uint32
    moments: np.ndarray  # (n_rows, 1 + n_targets)
    ends: np.ndarray  # (1 + n_targets, n_chunks + 1 or more): sums before each chunk, and of all places
    sums: np.ndarray  # (1 + n_targets, n_places or more): scratch memory for running sums


@inlined
def lent(p):
    """Return the profile with borrowed arrays (`kernels.vectors.simd.borrow`)."""
    return Profile(borrow(p.places), borrow(p.moments), borrow(p.ends), borrow(p.sums))


@inlined
def _lent_four(f):
    return Four(borrow(f.one), borrow(f.two), borrow(f.three), borrow(f.four))


@kernel
def count_chunks(n):
    """Return how many chunks n places are."""
    return (n + CHUNK - 1) // CHUNK


@kernel
def sum_chunks(places, moments, n_sums, ends):
    """Write the sums (n_sums, n_chunks + 1) before each chunk, and of all places, of four lists of one length.

    Four at once, and two sums of each, since every addition waits for the one before. One list can be given four
    times. The rows of moments (n_rows, n_sums or more) are as long as a power of two.
    """
    places, ends, flat, shift = _lent_four(places), _lent_four(ends), borrow(moments).reshape(-1), np.uint64(1)
    if moments.shape[1] == 2:  # written out, so that the compiler knows the length
        _sum_two(places, flat, flat[1:], np.uint64(1), _row(ends, 0), _row(ends, 1))
        return
    while 1 << shift < moments.shape[1]:
        shift += np.uint64(1)
    for c in range(0, n_sums, 2):
        d = min(c + 1, n_sums - 1)
        _sum_two(places, flat[c:], flat[d:], shift, _row(ends, c), _row(ends, d))


@inlined
def _row(ends, c):
    return Four(ends.one[c], ends.two[c], ends.three[c], ends.four[c])


@inlined
def _sum_two(places, flat, other, shift, ends, more):
    one, two, three, four = places.one, places.two, places.three, places.four
    a, b, c, d, e, f, g, h = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    i, k, n = np.uint64(0), np.uint64(0), np.uint64(len(one))
    while True:
        ends.one[k], ends.two[k], ends.three[k], ends.four[k] = a, c, e, g
        more.one[k], more.two[k], more.three[k], more.four[k] = b, d, f, h
        if i >= n:
            break
        stop = min(i + np.uint64(CHUNK), n)
        while i < stop:
            at = np.uint64(one[i] & PLACE) << shift
            a += flat[at]
            b += other[at]
            at = np.uint64(two[i] & PLACE) << shift
            c += flat[at]
            d += other[at]
            at = np.uint64(three[i] & PLACE) << shift
            e += flat[at]
            f += other[at]
            at = np.uint64(four[i] & PLACE) << shift
            g += flat[at]
            h += other[at]
            i += np.uint64(1)
        k += np.uint64(1)


@kernel
def bound_chunks(profile, totals, lowest, highest, bounds):
    """Write an upper bound, but for rounding, of the S of the cuts in each chunk; return the greatest bound.

    No target is below `lowest` or above `highest`. totals (1 + n_targets,) are the node's, and include missing
    values.
    """
    ends, bounds, totals = borrow(profile.ends), borrow(bounds), borrow(totals)
    n, pure = count_chunks(len(profile.places)), 0.0
    known, running, per = ends[0, n], ends[0], 1.0 / (highest - lowest)
    unit, scale = 1.0 / known, known * known / totals[0]  # parts of the weight, whose fourth power may be infinite
    for c in range(1, len(totals)):
        target, mean = ends[c], ends[c, n] / known
        pure += totals[c] * totals[c] / totals[0]
        for k in range(n):
            x, more = unit * running[k], unit * (running[k + 1] - running[k])
            off, rise = unit * target[k] - mean * x, unit * (target[k + 1] - target[k])
            steep = (rise - lowest * more) * per
            flat = more - steep
            # the greatest of four fractions, with one division
            over, under = off * off, _sides(x)
            high, deep = _square(off + rise - mean * more), _sides(x + more)
            is_more = high * under > over * deep
            over, under = high if is_more else over, deep if is_more else under
            high, deep = _square(off + (highest - mean) * steep), _sides(x + steep)
            is_more = high * under > over * deep
            over, under = high if is_more else over, deep if is_more else under
            high, deep = _square(off + (lowest - mean) * flat), _sides(x + flat)
            is_more = high * under > over * deep
            over, under = high if is_more else over, deep if is_more else under
            gain = scale * over / under
            bounds[k] = gain if c == 1 else bounds[k] + gain
    bits, greatest = bounds.view(np.int64), 0  # numbers of at least 0 are in the order of their bits
    for k in range(n):
        bounds[k] += pure
        greatest = bits[k] if bits[k] > greatest else greatest
    bits[n] = greatest
    return bounds[n]


@kernel
def bound_mean(profile, bounds, cut, k, best):
    """Return an upper bound, but for rounding, of the mean S over the neighbourhood of a cut.

    best is the cut's own S, which is the greatest. Chunks that lie wholly inside and end with a value count with
    their bounds. All other weight counts with `best`. If the cut's value begins in an earlier chunk, all does.
    """
    profile, bounds = lent(profile), borrow(bounds)
    places, running, sums, n = profile.places, profile.ends[0], profile.sums[0], len(profile.places)
    here = begin = cut
    here //= CHUNK
    while begin > here * CHUNK and places[begin] < BEGINS:
        begin -= 1
    if places[begin] < BEGINS:
        return best
    before = sums[begin - 1] if begin > 0 else 0.0
    low, high = before - k, sums[cut] + k
    inside, total = 0.0, high - low - max(-low, 0.0) - max(high - sums[n - 1], 0.0)
    score, first, last = 0.0, here, here
    while first >= 0 and running[first] >= low:
        first -= 1
    while last < count_chunks(n) and running[last + 1] <= high:
        last += 1
    for c in range(first + 1, last):
        stop = c * CHUNK + CHUNK
        if stop >= n or places[stop] >= BEGINS:
            inside += running[c + 1] - running[c]
            score += (running[c + 1] - running[c]) * min(bounds[c], best)
    return (score + max(total - inside, 0.0) * best) / max(total, inside)


@kernel
def slack(square, weight, square_of_target):
    """Return by how much S may exceed its bound: by rounding, and where a side has almost no weight.

    square is the node's sum of weight times squared targets, square_of_target the greatest of one of its samples.
    """
    return NOISE * square + 4 * EMPTY * weight * square_of_target


@kernel
def _square(x):
    return x * x


@kernel
def _sides(x):
    """Return the product of both sides' parts of the weight."""
    return max(x, EMPTY) * max(1.0 - x, EMPTY)


@kernel
def fill(profile, first, last):
    """Write the running sums of the chunks first..last, and of the place before them."""
    profile = lent(profile)
    places, moments, ends, sums = profile.places, profile.moments, profile.ends, profile.sums
    whole = min(last + 1, len(places) // CHUNK)  # chunks before this one have all their places
    for c in range(0, len(ends), 2):
        d, k = min(c + 1, len(ends) - 1), first
        if first > 0:
            sums[c, first * CHUNK - 1], sums[d, first * CHUNK - 1] = ends[c, first], ends[d, first]
        while k + 4 <= whole:
            _fill_four(places[k * CHUNK : k * CHUNK + 4 * CHUNK], moments, c, d, ends[:, k:], sums[:, k * CHUNK :])
            k += 4
        while k <= last:
            _fill_one(places[k * CHUNK : k * CHUNK + CHUNK], moments, c, d, ends[:, k:], sums[:, k * CHUNK :])
            k += 1


@inlined
def _fill_one(places, moments, c, d, ends, sums):
    """Write two running sums of one chunk."""
    total, other, running, others = ends[c, 0], ends[d, 0], sums[c], sums[d]
    for i in range(len(places)):
        row = places[i] & PLACE
        total += moments[row, c]
        other += moments[row, d]
        running[i], others[i] = total, other


@inlined
def _fill_four(places, moments, c, d, ends, sums):
    """Write two running sums of four chunks, each addition of which waits for the one before."""
    one, two, three, four = ends[c, 0], ends[c, 1], ends[c, 2], ends[c, 3]
    other_1, other_2, other_3, other_4 = ends[d, 0], ends[d, 1], ends[d, 2], ends[d, 3]
    running, others = sums[c], sums[d]
    for i in range(CHUNK):
        row = places[i] & PLACE
        one += moments[row, c]
        other_1 += moments[row, d]
        running[i], others[i] = one, other_1
        row = places[i + CHUNK] & PLACE
        two += moments[row, c]
        other_2 += moments[row, d]
        running[i + CHUNK], others[i + CHUNK] = two, other_2
        row = places[i + 2 * CHUNK] & PLACE
        three += moments[row, c]
        other_3 += moments[row, d]
        running[i + 2 * CHUNK], others[i + 2 * CHUNK] = three, other_3
        row = places[i + 3 * CHUNK] & PLACE
        four += moments[row, c]
        other_4 += moments[row, d]
        running[i + 3 * CHUNK], others[i + 3 * CHUNK] = four, other_4


@kernel
def fill_around(profile, cut, k, weight):
    """Write the running sums of the values within a weight k of a cut on either side; its own are there."""
    profile = lent(profile)
    places, running, n = profile.places, profile.ends[0], count_chunks(len(profile.places))
    first = last = cut // CHUNK
    while first > 0 and places[first * CHUNK] < BEGINS:  # the cut's own value begins earlier
        first -= 1
    room = k + SLACK * k + EMPTY * weight
    low, high = running[first] - room, profile.sums[0, cut] + room
    while first > 0 and (running[first] > low or places[first * CHUNK] < BEGINS):
        first -= 1
    while last + 1 < n and (running[last + 1] < high or places[last * CHUNK + CHUNK] < BEGINS):
        last += 1
    fill(profile, first, last)

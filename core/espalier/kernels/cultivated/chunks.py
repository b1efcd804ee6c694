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

The best cut is sought in the chunks that may hold it, by these bounds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.cultivated.neighbourhood import BEGINS, EMPTY, PLACE, PlaceRange
from espalier.kernels.simd import borrow
from espalier.kernels.task import score_of_squares

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
    places, ends, flat, shift = borrow(places), borrow(ends), borrow(moments).reshape(-1), np.uint64(1)
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
    first, second, third, fourth = places.one, places.two, places.three, places.four
    a, b, c, d, e, f, g, h = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    i, k, n = np.uint64(0), np.uint64(0), np.uint64(len(first))
    while True:
        ends.one[k], ends.two[k], ends.three[k], ends.four[k] = a, c, e, g
        more.one[k], more.two[k], more.three[k], more.four[k] = b, d, f, h
        if i >= n:
            break
        stop = min(i + np.uint64(CHUNK), n)
        while i < stop:
            at = np.uint64(first[i] & PLACE) << shift
            a += flat[at]
            b += other[at]
            at = np.uint64(second[i] & PLACE) << shift
            c += flat[at]
            d += other[at]
            at = np.uint64(third[i] & PLACE) << shift
            e += flat[at]
            f += other[at]
            at = np.uint64(fourth[i] & PLACE) << shift
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
    weight, running, per = ends[0, n], ends[0], 1.0 / (highest - lowest)
    unit, scale = (
        1.0 / weight,
        weight * weight / totals[0],
    )  # parts of the weight, whose fourth power may be infinite
    for c in range(1, len(totals)):
        target, mean = ends[c], ends[c, n] / weight
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
    profile, bounds = borrow(profile), borrow(bounds)
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
    profile = borrow(profile)
    places, moments, ends, sums = profile.places, profile.moments, profile.ends, profile.sums
    n_full = min(last + 1, len(places) // CHUNK)  # chunks before this one have all their places
    for c in range(0, len(ends), 2):
        d, k = min(c + 1, len(ends) - 1), first
        if first > 0:
            sums[c, first * CHUNK - 1], sums[d, first * CHUNK - 1] = ends[c, first], ends[d, first]
        while k + 4 <= n_full:
            _fill_four(places[k * CHUNK : k * CHUNK + 4 * CHUNK], moments, c, d, ends[:, k:], sums[:, k * CHUNK :])
            k += 4
        while k <= last:
            _fill_one(places[k * CHUNK : k * CHUNK + CHUNK], moments, c, d, ends[:, k:], sums[:, k * CHUNK :])
            k += 1


@inlined
def _fill_one(places, moments, c, d, ends, sums):
    """Write two running sums of one chunk."""
    total, other, running, running_other = ends[c, 0], ends[d, 0], sums[c], sums[d]
    for i in range(len(places)):
        row = places[i] & PLACE
        total += moments[row, c]
        other += moments[row, d]
        running[i], running_other[i] = total, other


@inlined
def _fill_four(places, moments, c, d, ends, sums):
    """Write two running sums of four chunks, each addition of which waits for the one before."""
    first, second, third, fourth = ends[c, 0], ends[c, 1], ends[c, 2], ends[c, 3]
    other_1, other_2, other_3, other_4 = ends[d, 0], ends[d, 1], ends[d, 2], ends[d, 3]
    running, running_other = sums[c], sums[d]
    for i in range(CHUNK):
        row = places[i] & PLACE
        first += moments[row, c]
        other_1 += moments[row, d]
        running[i], running_other[i] = first, other_1
        row = places[i + CHUNK] & PLACE
        second += moments[row, c]
        other_2 += moments[row, d]
        running[i + CHUNK], running_other[i + CHUNK] = second, other_2
        row = places[i + 2 * CHUNK] & PLACE
        third += moments[row, c]
        other_3 += moments[row, d]
        running[i + 2 * CHUNK], running_other[i + 2 * CHUNK] = third, other_3
        row = places[i + 3 * CHUNK] & PLACE
        fourth += moments[row, c]
        other_4 += moments[row, d]
        running[i + 3 * CHUNK], running_other[i + 3 * CHUNK] = fourth, other_4


@kernel
def fill_around(profile, cut, k, weight):
    """Write the running sums of the values within a weight k of a cut on either side; its own are there."""
    profile = borrow(profile)
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


# ---- Scores of cuts

MANY = 3  # where more than a third of all chunks may have the best cut, all are scored at once
RIDGE = 0.5  # part of a cut's gain: on the ridge before it, the gain is less


class CutScores(NamedTuple):
    """Scores of a profile's places, and what they are at most."""

    exact: np.ndarray  # (n_places,) scratch memory
    bounds: np.ndarray  # (n_chunks,) of the S of each chunk, from `chunks.bound_chunks`


class WantedCut(NamedTuple):
    """What the best cut has to be."""

    allowed: PlaceRange
    least: float  # score
    tolerance: float  # scores that differ by no more are equal: rounding must not choose
    slack: float  # by how much a score may exceed its bound: `chunks.slack`


@kernel
def score_cuts(places, sums, totals, span, exact):
    """Write S of each cut in a range of places into exact, and 0 at places that are no cut.

    totals (1 + n_targets,) are the node's. They also include missing values, which are divided as the known weight
    is.
    """
    n, first, stop = len(places), span.first, span.last + 1
    weight, known_weight = totals[0], sums[0, n - 1]
    scale, low = weight / known_weight, EMPTY * weight
    running, here, begins = sums[0, first:stop], exact[first:stop], places[first + 1 : stop + 1]
    for c in range(1, len(totals)):
        total, extra = totals[c], (totals[c] - sums[c, n - 1]) / known_weight
        running_target = sums[c, first:stop]
        for i in range(len(running)):
            left_weight = max(scale * running[i], low)
            right_weight = max(weight - scale * running[i], low)
            left = running_target[i] + extra * running[i]
            right = total - left
            score = score_of_squares(left * left, right * right, left_weight, right_weight)
            here[i] = score if c == 1 else here[i] + score
    for i in range(len(begins)):  # the last of all places has no next one
        here[i] = here[i] if begins[i] >= BEGINS else 0.0


@kernel
def best_cut(profile, totals, scores, wanted):
    """Return the first allowed cut with the greatest S up to the tolerance, and write its exact score.

    -1 if no cut has the least score that is wanted. Only chunks whose bound is high enough are scored. The one
    with the highest bound is first: its best cut rules out the most others. If many are left, all are scored.
    """
    profile, totals, bounds, exact = borrow(profile), borrow(totals), borrow(scores.bounds), borrow(scores.exact)
    n, first, least, n_more = count_chunks(len(profile.places)), 0, wanted.least - wanted.slack, 0
    for k in range(1, n):
        first = k if bounds[k] > bounds[first] else first
    if bounds[first] < least:
        return -1
    most = _score_chunks(profile, totals, exact, wanted.allowed, PlaceRange(first, first))
    limit = max(most - wanted.tolerance - wanted.slack, least)
    for k in range(n):
        n_more += bounds[k] >= limit
    if MANY * n_more > n:
        most = _score_chunks(profile, totals, exact, wanted.allowed, PlaceRange(0, n - 1))
    elif n_more > 1:
        for k in range(n):
            if bounds[k] >= max(most - wanted.tolerance - wanted.slack, least) and k != first:
                most = max(most, _score_chunks(profile, totals, exact, wanted.allowed, PlaceRange(k, k)))
    if most < least:
        return -1
    enough = most - wanted.tolerance
    for k in range(n):
        if bounds[k] >= max(enough - wanted.slack, least):  # no other chunk has been scored
            for i in range(k * CHUNK, min(k * CHUNK + CHUNK, len(profile.places))):
                if exact[i] >= enough:
                    return i
    return -1


@kernel
def _score_chunks(profile, totals, exact, allowed, chunks):
    """Write the sums of a range of chunks and the scores of their cuts, 0 where none is allowed.

    Return the greatest. Scores are compared by their bits, which are in the same order, and quicker.
    """
    profile, totals, exact = borrow(profile), borrow(totals), borrow(exact)
    n, bits, greatest = len(profile.places), exact.view(np.int64), 0
    first, last = chunks.first * CHUNK, min(chunks.last * CHUNK + CHUNK, n) - 1
    fill(profile, chunks.first, chunks.last)
    score_cuts(profile.places, profile.sums, totals, PlaceRange(first, last), exact)
    for i in range(first, min(allowed.first, last + 1)):
        exact[i] = 0.0
    for i in range(max(min(allowed.last + 1, n - 1), first), last + 1):  # the last of all places is no cut
        exact[i] = 0.0
    for i in range(first, last + 1):
        greatest = bits[i] if bits[i] > greatest else greatest
    for i in range(first, last + 1):
        if bits[i] == greatest:
            return exact[i]
    return 0.0


@kernel
def next_cut(scores, n, spans, pure, wanted):
    """Return the best allowed cut that a ridge separates from all spans (n_spans, 2) of places.

    Of cuts that are equal up to the tolerance it is the first. -1 if there is none.

    A ridge (of impurity) is a place where the gain, the score less the node's own (`pure`), is less than RIDGE
    times the cut's.
    """
    before, behind = np.empty(n), np.empty(n)  # the lowest score between here and the next span; -inf: no span
    _lowest(scores, spans, before, 1)
    _lowest(scores, spans, behind, -1)
    first, stop, most = wanted.allowed.first, min(wanted.allowed.last + 1, n - 1), 0.0
    for at in range(first, stop):
        ridge = pure + RIDGE * (scores[at] - pure)
        before[at] = scores[at] if before[at] < ridge and behind[at] < ridge else 0.0
        most = max(most, before[at])
    for at in range(first, stop):
        if before[at] > 0 and before[at] >= most - wanted.tolerance:
            return at
    return -1


@kernel
def _lowest(scores, spans, lowest, step):
    """Write the lowest score since the last span, going up (step 1) or down (-1).

    The outermost cut of the span is the first that counts. The lowest score is inf in a span, and -inf before the
    first.
    """
    n = len(lowest)
    low, at = -np.inf, 0 if step > 0 else n - 1
    while 0 <= at < n:
        is_inside = False
        for i in range(len(spans)):
            is_inside = is_inside or spans[i, 0] <= at <= spans[i, 1]
        lowest[at] = np.inf if is_inside else low
        if scores[at] > 0:  # a value of several places has its cut at the last one
            low = scores[at] if is_inside else min(low, scores[at])
        at += step


@kernel
def mean_score(scores, phi, span):
    """Return the mean score of the places in the span, weighted by phi."""
    weight, score = 0.0, 0.0
    for i in range(span.first, span.last + 1):
        weight += phi[i]
        score += phi[i] * scores[i]
    return score / weight

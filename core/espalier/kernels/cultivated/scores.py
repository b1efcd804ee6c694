"""Scores of the cuts of a profile, and the best of them: what `neighbourhood` calls S.

The best cut is sought in the chunks that may hold it, by the bounds of `chunks`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.cultivated.chunks import CHUNK, count_chunks, fill, lent
from espalier.kernels.cultivated.neighbourhood import BEGINS, EMPTY, PlaceRange
from espalier.kernels.vectors.simd import borrow

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
    weight, known = totals[0], sums[0, n - 1]
    scale, low = weight / known, EMPTY * weight
    running, here, begins = sums[0, first:stop], exact[first:stop], places[first + 1 : stop + 1]
    for c in range(1, len(totals)):
        total, extra = totals[c], (totals[c] - sums[c, n - 1]) / known
        running_target = sums[c, first:stop]
        for i in range(len(running)):
            left_weight = max(scale * running[i], low)
            right_weight = max(weight - scale * running[i], low)
            left = running_target[i] + extra * running[i]
            right = total - left
            score = (left * left * right_weight + right * right * left_weight) / (left_weight * right_weight)
            here[i] = score if c == 1 else here[i] + score
    for i in range(len(begins)):  # the last of all places has no next one
        here[i] = here[i] if begins[i] >= BEGINS else 0.0


@kernel
def best_cut(profile, totals, scores, wanted):
    """Return the first allowed cut with the greatest S up to the tolerance, and write its exact score.

    -1 if no cut has the least score that is wanted. Only chunks whose bound is high enough are scored. The one
    with the highest bound is first: its best cut rules out the most others. If many are left, all are scored.
    """
    profile, totals, bounds, exact = lent(profile), borrow(totals), borrow(scores.bounds), borrow(scores.exact)
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
    profile, totals, exact = lent(profile), borrow(totals), borrow(exact)
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

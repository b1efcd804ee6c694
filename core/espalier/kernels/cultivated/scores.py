"""Scores of the cuts of a profile, and the best of them: what `neighbourhood` calls S.

The one best cut is found by rough scores, in single precision; exact ones are made where they may decide, and in
neighbourhoods.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.cultivated.neighbourhood import BEGINS, EMPTY, PlaceRange

RIDGE = 0.5  # part of a cut's gain: on the ridge before it, the gain is less
CHUNK = 64  # places
ROUGH = 1e-6  # more than three roundings in single precision
NOISE = 1e-9  # more than what rounding in double precision makes of a side that is nearly EMPTY
LEAST_ROUGH = 1e-30  # of a cut that is one


class CutScores(NamedTuple):
    """Scratch memory for the scores of a profile's places."""

    exact: np.ndarray  # (n_places,) float64
    rough: np.ndarray  # (n_places,) float32
    peaks: np.ndarray  # (n_places,) float32: the greatest rough score of each chunk of places comes first


class WantedCut(NamedTuple):
    """What the best cut has to be."""

    allowed: PlaceRange
    square: float  # of the node
    least: float  # score
    tolerance: float  # scores that differ by no more are equal: rounding must not choose


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
def rough_cuts(places, sums, totals, square, rough):
    """Write what S of each cut is of the node's sum of squares, in single precision: quicker than `score_cuts`.

    No score is above 1, whatever the targets' unit. It is off by at most ROUGH, as a part of it, and NOISE. Places
    that are no cut get 0.
    """
    n = len(places)
    weight, known = totals[0], sums[0, n - 1]
    per_weight, per_target = 1.0 / known, 1.0 / (square * weight) ** 0.5
    for c in range(1, len(totals)):
        total, extra = totals[c] * per_target, (totals[c] - sums[c, n - 1]) / known
        for i in range(n):
            left_weight = max(per_weight * sums[0, i], EMPTY)
            right_weight = max(1.0 - per_weight * sums[0, i], EMPTY)
            left = (sums[c, i] + extra * sums[0, i]) * per_target
            right = total - left
            score = np.float32(left * left * right_weight + right * right * left_weight)
            score /= np.float32(left_weight * right_weight)
            rough[i] = score if c == 1 else rough[i] + score
    for i in range(n - 1):
        rough[i] = rough[i] if places[i + 1] >= BEGINS else np.float32(0)


@kernel
def _write_peaks(rough, peaks):
    """Write the greatest of every CHUNK rough scores into peaks.

    Scores are compared by their bits, which are in the same order, and quicker.
    """
    n, bits, greatest = len(rough), rough.view(np.int32), peaks.view(np.int32)
    for chunk in range((n + CHUNK - 1) // CHUNK):
        peak = np.int32(0)
        for i in range(chunk * CHUNK, min(chunk * CHUNK + CHUNK, n)):
            peak = bits[i] if bits[i] > peak else peak
        greatest[chunk] = peak


@kernel
def best_cut(places, sums, totals, scores, wanted):
    """Return the first allowed cut with the greatest S up to the tolerance, and write its exact score.

    -1 if it is certain that no cut has the least score that is wanted.
    """
    n = len(places)
    rough, peaks, square = scores.rough[:n], scores.peaks, wanted.square
    rough_cuts(places, sums, totals, square, rough)
    for i in range(wanted.allowed.first):
        rough[i] = 0.0
    for i in range(wanted.allowed.last + 1, n):
        rough[i] = 0.0
    _write_peaks(rough, peaks)
    most = 0.0
    for chunk in range((n + CHUNK - 1) // CHUNK):
        most = max(most, peaks[chunk])
    off = ROUGH * most + NOISE
    if square * (most + off) < wanted.least:
        return -1
    candidate = max(most - 2 * off - wanted.tolerance / square, LEAST_ROUGH)
    most = _exact_candidates(places, sums, totals, scores, candidate)
    for chunk in range((n + CHUNK - 1) // CHUNK):
        if peaks[chunk] < candidate:
            continue
        for i in range(chunk * CHUNK, min(chunk * CHUNK + CHUNK, n)):
            if rough[i] >= candidate and scores.exact[i] >= most - wanted.tolerance:
                return i
    return -1


@kernel
def _exact_candidates(places, sums, totals, scores, candidate):
    """Write the exact score of each place whose rough one is at least `candidate`; return the greatest."""
    n, most = len(places), -np.inf
    for chunk in range((n + CHUNK - 1) // CHUNK):
        if scores.peaks[chunk] < candidate:
            continue
        for i in range(chunk * CHUNK, min(chunk * CHUNK + CHUNK, n)):
            if scores.rough[i] >= candidate:
                score_cuts(places, sums, totals, PlaceRange(i, i), scores.exact)
                most = max(most, scores.exact[i])
    return most


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
def mean_score(scores, phi, span):
    """Return the mean score of the places in the span, weighted by phi."""
    weight, score = 0.0, 0.0
    for i in range(span.first, span.last + 1):
        weight += phi[i]
        score += phi[i] * scores[i]
    return score / weight

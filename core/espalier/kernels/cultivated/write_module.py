"""Writing a node's module: its decisions with their cuts, and the fraction of each sample that goes left."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.cart.columns import CATEGORIES, LEVELS, MISSING, SORTED
from espalier.kernels.cultivated.chunks import CHUNK, fill
from espalier.kernels.cultivated.module import (
    TIE,
    borrowed,
    borrowed_data,
    borrowed_node,
    open_profile,
    profile_of,
    spread_out,
)
from espalier.kernels.cultivated.neighbourhood import PLACE, PlaceRange
from espalier.kernels.task import midpoint
from espalier.kernels.vectors.simd import borrow


class ModuleFeature(NamedTuple):
    """The feature of a decision, and how its cuts are written."""

    kind: int
    slot: int
    number: int
    midway: bool  # whether cuts lie midway between values; never those of categories


_DECISION = {
    "feature": np.int32,
    "threshold": np.float64,
    "reversed": np.bool_,
    "share": np.float64,
    "missing_left": np.float64,
    "impurity": np.float64,
    "first": np.int64,  # of its cuts
}
DECISION = np.dtype((np.record, np.dtype(list(_DECISION.items()), align=True)))


class ModulePool(NamedTuple):
    """Decisions and cuts so far, in arrays with room for more."""

    decisions: np.ndarray  # DECISION
    value: np.ndarray  # of each cut
    weight: np.ndarray
    used: np.ndarray  # (2,) int64: number of decisions and of cuts


@kernel
def write_module(data, parameters, work, node, best, grown):
    """Append the chosen decisions to the pool, the best first, and fill the workspace's `left`; return the pool.

    Gains become shares: parts of their sum.
    """
    data, work, node = borrowed_data(data), borrowed(work), borrowed_node(node)
    total = 0.0
    for j in range(len(work.h)):
        total += work.gain[j]
    for j in range(len(work.h)):
        work.gain[j] /= total
    for i in range(len(node.rows)):
        work.left[i] = 0.0
    for i in range(-1, len(work.h)):
        j = best if i < 0 else i
        if work.gain[j] > 0 and i != best:
            grown = _write_decision(data, parameters, work, node, j, grown)
    return grown


@kernel
def _write_decision(data, parameters, work, node, j, grown):
    """Append the decision of neighbourhood j with its cuts, and add what it sends left; return the pool."""
    data, work, node = borrowed_data(data), borrowed(work), borrowed_node(node)
    at, columns, share = j // parameters.neighbourhoods, data.columns, work.gain[j]
    f = work.features[at]
    is_category = columns.kind[f] == CATEGORIES
    feature = ModuleFeature(columns.kind[f], columns.slot[f], f, parameters.midway and not is_category)
    profile, phi = profile_of(data, work, node, at), work.phi
    places, running = profile.places, work.sums[0]
    allowed = open_profile(parameters, profile, node, False)
    fill(profile, work.cut[j] // CHUNK, work.cut[j] // CHUNK)
    span = spread_out(profile, work, node, work.cut[j], allowed)
    if grown.used[0] == len(grown.decisions) or grown.used[1] + len(places) > len(grown.value):
        grown = _with_room(grown, len(places))
    decision = grown.decisions[grown.used[0]]
    grown.used[0] += 1
    decision.feature, decision.impurity, decision.first, decision.share = f, work.h[j], grown.used[1], share
    decision.reversed = _is_against(work.turn[j], work.axis, TIE * data.unit)
    # of categories all cuts are written, since their order belongs to the decision
    written = _all_places(span, len(places), phi) if is_category else span
    _read_values(columns, feature, node.rows, places, written, work.values)
    decision.threshold = (
        np.nan if is_category else _threshold(work.values, feature.midway, len(places), work.cut[j])
    )
    known_left = _gates(work.exact, phi, span, running) / running[len(places) - 1]
    decision.missing_left = 1.0 - known_left if decision.reversed else known_left
    _write_cuts(work.values, feature, len(places), written, phi, grown)
    if feature.kind == SORTED:
        _walk(places, span, work, decision)
    else:
        _look_up(node.rows, columns.codes[:, feature.slot], places, span, work, decision)
    if columns.has_missing[f] and feature.kind == SORTED:
        column = columns.values[f]
        for i in range(len(node.rows)):
            if np.isnan(column[node.rows[i]]):
                work.left[i] += share * decision.missing_left
    return grown


@kernel
def _gates(gate, phi, span, running):
    """Write psi of the places of a neighbourhood into gate; return the weight that goes left.

    psi of a place is the weight of the cuts at or above its value, as a part of the weight of all cuts: 1 before
    the neighbourhood and 0 behind it. running (n_places,) is the weight up to each place.
    """
    first, last = span.first, span.last
    total = 0.0
    for i in range(first, last + 1):
        total += phi[i]
    above, left = 0.0, 0.0
    for i in range(last, first - 1, -1):
        above += phi[i]
        gate[i] = above / total
        left += phi[i] * running[i]
    return left / total


@kernel
def _all_places(span, n, phi):
    """Write phi 0 at all places outside of a span; return the range of all n."""
    for i in range(span.first):
        phi[i] = 0.0
    for i in range(span.last + 1, n):
        phi[i] = 0.0
    return PlaceRange(0, n - 1)


@kernel
def _read_values(columns, feature, rows, places, span, values):
    """Write the values of a neighbourhood's places, and of the next one, at these places."""
    places, rows, values, n = borrow(places), borrow(rows), borrow(values), len(places)
    stop = min(span.last + 2, n)
    if feature.kind == SORTED:
        column = borrow(columns.values)[feature.number]
        for i in range(span.first, stop):
            values[i] = column[rows[places[i] & PLACE]]
        return
    levels = borrow(columns.levels)
    for i in range(span.first, stop):
        level = places[i] & PLACE
        values[i] = levels[feature.slot, level] if feature.kind == LEVELS else level


@kernel
def _write_cuts(values, feature, n, span, phi, grown):
    """Append the cuts of a neighbourhood, of n places in all, to the pool."""
    is_category = feature.kind == CATEGORIES
    at, value, weight = grown.used[1], borrow(grown.value), borrow(grown.weight)
    values, phi = borrow(values), borrow(phi)
    for i in range(span.first, span.last + 1):
        if phi[i] > 0 or is_category:
            value[at], weight[at] = values[i], phi[i]
            if feature.midway and i + 1 < n:
                value[at] = midpoint(values[i], values[i + 1])
            at += 1
    grown.used[1] = at


@kernel
def _walk(places, span, work, decision):
    """Add the fractions that the decision sends left, row by row in the order of its feature."""
    places, gate, left, share = borrow(places), borrow(work.exact), borrow(work.left), decision.share
    first, last = span.first, span.last
    if decision.reversed:
        for i in range(first, last + 1):
            left[places[i] & PLACE] += share * (1.0 - gate[i])
        for i in range(last + 1, len(places)):
            left[places[i] & PLACE] += share
        return
    for i in range(first):
        left[places[i] & PLACE] += share
    for i in range(first, last + 1):
        left[places[i] & PLACE] += share * gate[i]


@kernel
def _look_up(rows, codes, places, span, work, decision):
    """Add the fractions that the decision sends left, by the level of each row."""
    rows, codes, places, exact, left = (
        borrow(rows),
        borrow(codes),
        borrow(places),
        borrow(work.exact),
        borrow(work.left),
    )
    table = np.full(MISSING + 1, decision.missing_left)
    for i in range(len(places)):
        gate = 1.0 if i < span.first else 0.0
        if span.first <= i <= span.last:
            gate = exact[i]
        table[places[i] & PLACE] = 1.0 - gate if decision.reversed else gate
    for i in range(len(rows)):
        left[i] += decision.share * table[codes[rows[i]]]


@kernel
def _threshold(values, midway, n, i):
    """Return the threshold of the cut at place i: its value, or the midpoint to the next value in the node.

    The largest value has no next one: its cut stays on it.
    """
    return midpoint(values[i], values[i + 1]) if midway and i + 1 < n else values[i]


@kernel
def _is_against(turn, axis, tie):
    """Return whether the targets change against the axis from left to right, so that the decision is reversed."""
    along = 0.0
    for c in range(len(turn)):
        along += turn[c] * axis[c]
    return along < -tie


@kernel
def _with_room(grown, n_cuts):
    """Return the pool, enlarged if one more decision and n_cuts more cuts do not fit."""
    decisions, value, weight, used = grown.decisions, grown.value, grown.weight, grown.used
    if used[0] == len(decisions):
        decisions = np.empty(2 * len(grown.decisions), decisions.dtype)
        for i in range(used[0]):
            decisions[i] = grown.decisions[i]
    if used[1] + n_cuts > len(value):
        size = used[1] + used[1] // 2 + n_cuts
        value, weight = np.empty(size), np.empty(size)
        for i in range(used[1]):
            value[i], weight[i] = grown.value[i], grown.weight[i]
    return ModulePool(decisions, value, weight, used)

"""A node's ensemble module: every feature's best neighbourhood of cuts, and the features that are good enough.

Nalenz & Augustin 2021, section 3: robust split modules (the neighbourhoods) inside option modules (the features
whose mean impurity h_j is within a tolerance of the least).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.cart.columns import CATEGORIES, LEVELS, MAX_LEVELS, MISSING, SORTED, SortedColumns
from espalier.kernels.cultivated.neighbourhood import (
    PLACE,
    best_cut,
    heavy_cuts,
    mean_score,
    neighbourhood,
    next_cut,
    order_levels,
    score_cuts,
    sum_places,
)
from espalier.kernels.cultivated.sorted_blocks import list_of
from espalier.kernels.task import midpoint

LEAST_GAIN = 1e-9  # of impurity, in units of gini: what a split must gain
TIE = 1e-10  # impurities that differ by less are equal: rounding must not choose


class ModuleData(NamedTuple):
    """What a cultivated tree grows on: the features, and the targets with their weights."""

    columns: SortedColumns
    moments: np.ndarray  # (n_samples, n_targets + 2) float64: weight, weight * each target, weight * their squares
    factor: float  # impurity = factor * (mean square of the targets - mean score)
    unit: float  # of tolerances: 1 for gini; for a number twice its variance, so that both mean the same


class CultivatedParameters(NamedTuple):
    """How a cultivated tree grows."""

    max_depth: int
    min_weight: float  # of a node that is split
    eta: float  # tolerance of the root's option module; 0: one decision in every node
    k: float  # weight on either side of t0 in a neighbourhood is k * W ** power, at most W; 0: one cut
    power: float
    min_fraction: float  # while growing, no child has less than this part of a sample
    share_power: float  # shares are proportional to gain ** share_power
    max_features: int  # features tried at a node
    neighbourhoods: int  # of a feature, at most
    midway: bool  # whether cuts lie midway between a node's values (as CART's), else on them, as the paper has it
    min_leaf_weight: float  # of a child


class ModuleWorkspace(NamedTuple):
    """What is known of the node at hand, and where its search works."""

    totals: np.ndarray  # (1 + n_targets,) float64: weight, and weight times target
    moments: np.ndarray  # (n_samples, 1 + n_targets) the same of every sample of the node
    by_level: np.ndarray  # (n_with_levels, 65, 1 + n_targets) the same of every level; 64 is missing
    features: np.ndarray  # (n_features,) int64: those tried come first, ascending
    h: np.ndarray  # (n_tried,) float64: mean impurity over each neighbourhood of each feature; inf: no such
    cut: np.ndarray  # (n_tried,) int64: place of t0 in its profile
    turn: np.ndarray  # (n_tried, n_targets) how the mean targets change there from left to right
    gain: np.ndarray  # (n_tried,) what the shares are in proportion to; 0: not in the module
    spans: np.ndarray  # (n_neighbourhoods, 2) int64: first and last place of a feature's neighbourhoods
    axis: np.ndarray  # (n_targets,) the direction of the module
    left: np.ndarray  # (n_samples,) fraction of each of the node's samples that goes left
    places: np.ndarray  # (65,) uint32
    sums: np.ndarray  # (1 + n_targets, n_samples + 64)
    scores: np.ndarray  # (n_samples + 64,)
    phi: np.ndarray  # (n_samples + 64,)


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
    """Decisions and cuts found so far, in arrays with room for more."""

    decisions: np.ndarray  # DECISION
    value: np.ndarray  # of each cut
    weight: np.ndarray
    used: np.ndarray  # (2,) int64: decisions and cuts that there are


@kernel
def make_workspace(columns, n_targets, habit):
    """Room for the search of any node."""
    p, n = columns.values.shape
    several = habit.max_features * habit.neighbourhoods
    n_sums, size = n_targets + 1, n + MAX_LEVELS
    return ModuleWorkspace(
        np.zeros(n_sums), np.zeros((n, n_sums)), np.zeros((columns.codes.shape[1], MISSING + 1, n_sums)),
        np.arange(p), np.empty(several), np.zeros(several, np.int64), np.empty((several, n_targets)),
        np.empty(several), np.empty((habit.neighbourhoods, 2), np.int64),
        np.empty(n_targets), np.empty(n), np.empty(MISSING + 1, np.uint32), np.empty((n_sums, size)),
        np.empty(size), np.empty(size),
    )  # fmt: skip


@kernel
def sum_levels(rows, columns, room):
    """Fill the room's sums by level."""
    by_level, codes, moments = room.by_level, columns.codes, room.moments
    for i in range(by_level.shape[0]):
        for level in range(by_level.shape[1]):
            for c in range(by_level.shape[2]):
                by_level[i, level, c] = 0.0
    if by_level.shape[0] > 0:
        for row in rows:
            for i in range(by_level.shape[0]):
                for c in range(by_level.shape[2]):
                    by_level[i, codes[row, i], c] += moments[row, c]


@inlined
def _profile(soil, room, blocks, block, f):
    """The places of feature f's profile, whose running sums are then in the room."""
    kind, slot = soil.columns.kind[f], soil.columns.slot[f]
    if kind == SORTED:
        places = list_of(blocks, block, slot)
        sum_places(places, room.moments, room.sums)
    else:
        n_levels = order_levels(room.by_level[slot], kind == LEVELS, room.places, TIE * soil.unit**0.5)
        places = room.places[:n_levels]
        sum_places(places, room.by_level[slot], room.sums)
    return places


@kernel
def search(soil, habit, room, node, around):
    """Find the best neighbourhoods of every feature tried; returns the least h_j, inf if nothing gains.

    node is (weight, impurity, square, tolerance), around is (blocks, block, k). What cannot join the module needs
    no neighbourhood: none has a lesser mean impurity than its best cut.
    """
    weight, impurity, square, tolerance = node
    blocks, block, k = around
    per_score, tie = soil.factor / weight, TIE * soil.unit
    least = np.inf
    for j in range(habit.max_features * habit.neighbourhoods):
        room.h[j] = np.inf
    for i in range(habit.max_features):
        f = room.features[i]
        places = _profile(soil, room, blocks, block, f)
        if len(places) < 2:
            continue
        score_cuts(places, room.sums, room.totals, room.scores)
        for nth in range(habit.neighbourhoods if soil.columns.kind[f] != CATEGORIES else 1):
            j = i * habit.neighbourhoods + nth
            most = min(impurity - LEAST_GAIN * soil.unit, least + tolerance + 2 * tie)  # impurity of use here
            first, last = heavy_cuts(room.sums[0], len(places), weight, habit.min_leaf_weight)
            if first > last:
                break
            if nth == 0:
                cut = first + best_cut(room.scores[first:], last + 1 - first, tie / per_score)
            else:
                cut = next_cut(room.scores, len(places), room.spans[:nth], square - impurity / per_score)
            if cut < first or cut > last or (square - room.scores[cut]) * per_score >= most:
                break
            span = neighbourhood(places, room.sums, cut, k, room.phi, (first, last))
            room.spans[nth, 0], room.spans[nth, 1] = span
            room.h[j] = (square - mean_score(room.scores, room.phi, span)) * per_score
            room.cut[j] = cut
            _note_turn(room, len(places), j)
            least = min(least, room.h[j])
    return least


@inlined
def _note_turn(room, n, j):
    sums, cut = room.sums, room.cut[j]
    left, right = sums[0, cut], max(sums[0, n - 1] - sums[0, cut], 1e-300)
    for c in range(room.turn.shape[1]):
        room.turn[j, c] = (sums[c + 1, n - 1] - sums[c + 1, cut]) / right - sums[c + 1, cut] / left


@kernel
def choose(soil, habit, room, impurity, tolerance):
    """Fill the room's gains of the features that join, and its axis; returns the position of the best one."""
    least = np.inf
    for j in range(len(room.h)):
        least = min(least, room.h[j])
    best = 0
    while room.h[best] > least + TIE * soil.unit:
        best += 1
    for j in range(len(room.h)):
        joins = j == best or (tolerance > 0 and room.h[j] <= least + tolerance + TIE * soil.unit)
        room.gain[j] = max(1 - room.h[j] / impurity, 1e-12) ** habit.share_power if joins else 0.0
    growth = 0.0
    for c in range(len(room.axis)):
        growth += (c + 1) * room.turn[best, c]
    for c in range(len(room.axis)):  # the mean target, or class number, grows to the right
        room.axis[c] = room.turn[best, c] if growth >= -TIE * soil.unit**0.5 else -room.turn[best, c]
    return best


@kernel
def write_module(soil, habit, room, node, around):
    """Add the chosen decisions to those grown, the best first, and fill the room's `left`; returns what is grown.

    node is (rows, best, grown), around is (blocks, block, k).
    """
    rows, best, grown = node
    total = 0.0
    for j in range(len(room.h)):
        total += room.gain[j]
    for row in rows:
        room.left[row] = 0.0
    for i in range(-1, len(room.h)):
        j = best if i < 0 else i
        if room.gain[j] > 0 and i != best:
            grown = _write_decision(soil, habit, room, (rows, j, room.gain[j] / total), (grown, *around))
    return grown


@kernel
def _write_decision(soil, habit, room, one, about):
    """Add one decision with its cuts, and what it sends left.

    one is (rows, neighbourhood, share), about is (grown, blocks, block, k).
    """
    (rows, j, share), (grown, blocks, block, k) = one, about
    f, columns = room.features[j // len(room.spans)], soil.columns
    feature = (columns.kind[f], columns.slot[f], f)
    places = _profile(soil, room, blocks, block, f)
    allowed = heavy_cuts(room.sums[0], len(places), room.totals[0], habit.min_leaf_weight)
    span = neighbourhood(places, room.sums, room.cut[j], k, room.phi, allowed)
    grown = _with_room(grown, len(places))
    decision = grown.decisions[grown.used[0]]
    grown.used[0] += 1
    decision.feature, decision.impurity, decision.first, decision.share = f, room.h[j], grown.used[1], share
    decision.reversed = _is_against(room.turn[j], room.axis, TIE * soil.unit)
    is_category = feature[0] == CATEGORIES
    decision.threshold = np.nan if is_category else _threshold(columns, feature, places, room.cut[j], habit.midway)
    known_left = _gates(room, span, len(places)) / room.sums[0, len(places) - 1]
    decision.missing_left = 1.0 - known_left if decision.reversed else known_left
    _write_cuts(columns, feature, (places, span, habit.midway), room.phi, grown)
    if feature[0] == SORTED:
        _walk(places, span, room, decision)
    else:
        _look_up(rows, columns.codes[:, feature[1]], places, room, decision)
    if columns.has_missing[f] and feature[0] == SORTED:
        column = columns.values[f]
        for row in rows:
            if np.isnan(column[row]):
                room.left[row] += share * decision.missing_left
    return grown


@kernel
def _gates(room, span, n):
    """Write psi of all n places into the room's scores; returns the weight that goes left.

    psi of a place is the weight of the cuts from its own value on, as a part of all.
    """
    gate, phi, sums = room.scores, room.phi, room.sums
    first, last = span
    total = 0.0
    for i in range(first, last + 1):
        total += phi[i]
    above, left = 0.0, 0.0
    for i in range(last, first - 1, -1):
        above += phi[i]
        gate[i] = above / total
        left += phi[i] / total * sums[0, i]
    for i in range(first):
        gate[i] = 1.0
    for i in range(last + 1, n):
        gate[i] = 0.0
    return left


@kernel
def _write_cuts(columns, feature, profile, phi, grown):
    places, (first, last), midway = profile
    at, is_category = grown.used[1], feature[0] == CATEGORIES
    if is_category:  # all of them, since their order belongs to the decision
        for i in range(first):
            phi[i] = 0.0
        for i in range(last + 1, len(places)):
            phi[i] = 0.0
        first, last = 0, len(places) - 1
    for i in range(first, last + 1):
        if phi[i] > 0 or is_category:
            grown.value[at] = _threshold(columns, feature, places, i, midway and not is_category)
            grown.weight[at] = phi[i]
            at += 1
    grown.used[1] = at


@kernel
def _walk(places, span, room, decision):
    """Add what the decision sends left, row by row in the order of its feature."""
    share, gate, left = decision.share, room.scores, room.left
    first, last = span
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
def _look_up(rows, codes, places, room, decision):
    """Add what the decision sends left, by the level of each row."""
    table = np.full(MISSING + 1, decision.missing_left)
    for i in range(len(places)):
        gate = room.scores[i]
        table[places[i] & PLACE] = 1.0 - gate if decision.reversed else gate
    for row in rows:
        room.left[row] += decision.share * table[codes[row]]


@kernel
def _value(columns, feature, place):
    """The value that a place stands for; feature is (kind, slot, number)."""
    kind, slot, f = feature
    if kind == SORTED:
        return columns.values[f, place]
    return columns.levels[slot, place] if kind == LEVELS else np.float64(place)


@kernel
def _threshold(columns, feature, places, i, midway):
    """Threshold of the cut at place i: its value, or the middle between it and the next one in the node.

    The largest value has no next one: its cut stays on it.
    """
    value = _value(columns, feature, places[i] & PLACE)
    if not midway or i + 1 == len(places):
        return value
    return midpoint(value, _value(columns, feature, places[i + 1] & PLACE))


@kernel
def _is_against(turn, axis, tie):
    """Whether the targets change against the axis from left to right: the decision is then reversed."""
    along = 0.0
    for c in range(len(turn)):
        along += turn[c] * axis[c]
    return along < -tie


@kernel
def _with_room(grown, n_cuts):
    """The same with room for one more decision and so many cuts."""
    decisions, value, weight, used = grown
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

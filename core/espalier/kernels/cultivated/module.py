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
from espalier.kernels.cultivated.sorted_blocks import Blocks, list_of
from espalier.kernels.task import midpoint

LEAST_GAIN = 1e-9  # of impurity, in units of gini: what a split must gain
TIE = 1e-10  # impurities that differ by less are equal: rounding must not choose


class ModuleData(NamedTuple):
    """Training data of a cultivated tree: the features, and the targets with their weights."""

    columns: SortedColumns
    moments: np.ndarray  # (n_samples, n_targets + 2) float64: weight, weight * each target, weight * their squares
    factor: float  # impurity = factor * (mean square of the targets - mean score)
    unit: float  # of tolerances: 1 for gini; twice the variance for a number, so that eta means the same


class CultivatedParameters(NamedTuple):
    """Growth parameters of a cultivated tree."""

    max_depth: int
    min_weight: float  # of a node that is split
    eta: float  # tolerance of the root's option module; 0: one decision in every node
    k: float  # weight on either side of t0 in a neighbourhood is k * W ** power, at most W; 0: one cut
    power: float
    min_fraction: float  # while growing, no child has less than this part of a sample
    share_power: float  # shares are proportional to gain ** share_power
    max_features: int  # features tried at a node
    neighbourhoods: int  # at most this many per feature
    midway: bool  # whether cuts lie midway between a node's values (as CART's), else on them, as the paper has it
    min_leaf_weight: float  # of a child


class ModuleWorkspace(NamedTuple):
    """Sums of the node that is being split, and scratch memory for its search."""

    totals: np.ndarray  # (1 + n_targets,) float64: weight, and weight times target
    moments: np.ndarray  # (n_samples, 1 + n_targets) the same of every sample of the node
    by_level: np.ndarray  # (n_with_levels, 65, 1 + n_targets) the same of every level; 64 is missing
    features: np.ndarray  # (n_features,) int64: those tried come first, ascending
    h: np.ndarray  # (n_tried,) float64: mean impurity over each neighbourhood of each feature; inf: none
    cut: np.ndarray  # (n_tried,) int64: place of t0 in its profile
    turn: np.ndarray  # (n_tried, n_targets) how the mean targets change there from left to right
    gain: np.ndarray  # (n_tried,) shares are proportional to it, and in the end are it; 0: not in the module
    spans: np.ndarray  # (n_neighbourhoods, 2) int64: first and last place of a feature's neighbourhoods
    axis: np.ndarray  # (n_targets,) the direction of the module
    left: np.ndarray  # (n_samples,) fraction of each of the node's samples that goes left
    places: np.ndarray  # (65,) uint32
    sums: np.ndarray  # (1 + n_targets, n_samples + 64)
    scores: np.ndarray  # (n_samples + 64,)
    phi: np.ndarray  # (n_samples + 64,)


class ModuleNode(NamedTuple):
    """The node whose module is searched."""

    rows: np.ndarray  # (n,) uint32: its samples
    weight: float
    impurity: float
    square: float  # sum of weight times squared targets
    tolerance: float  # of its option module
    k: float  # weight on either side of t0 in a neighbourhood
    blocks: Blocks
    block: int  # its own, or the one that it reads


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
def make_workspace(columns, n_targets, parameters):
    """Allocate the workspace for the search of any node."""
    p, n = columns.values.shape
    several = parameters.max_features * parameters.neighbourhoods
    n_sums, size = n_targets + 1, n + MAX_LEVELS
    return ModuleWorkspace(
        np.zeros(n_sums), np.zeros((n, n_sums)), np.zeros((columns.codes.shape[1], MISSING + 1, n_sums)),
        np.arange(p), np.empty(several), np.zeros(several, np.int64), np.empty((several, n_targets)),
        np.empty(several), np.empty((parameters.neighbourhoods, 2), np.int64),
        np.empty(n_targets), np.empty(n), np.empty(MISSING + 1, np.uint32), np.empty((n_sums, size)),
        np.empty(size), np.empty(size),
    )  # fmt: skip


@kernel
def sum_levels(rows, columns, work):
    """Fill the workspace's sums by level."""
    by_level, codes, moments = work.by_level, columns.codes, work.moments
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
def _profile(data, work, node, f):
    """Return the places of feature f's profile, and write its running sums into the workspace."""
    kind, slot = data.columns.kind[f], data.columns.slot[f]
    if kind == SORTED:
        places = list_of(node.blocks, node.block, slot)
        sum_places(places, work.moments, work.sums)
    else:
        n_levels = order_levels(work.by_level[slot], kind == LEVELS, work.places, TIE * data.unit**0.5)
        places = work.places[:n_levels]
        sum_places(places, work.by_level[slot], work.sums)
    return places


@kernel
def search(data, parameters, work, node):
    """Find the best neighbourhoods of every feature tried; return the least h_j, or inf if no split gains.

    A cut that cannot join the module needs no neighbourhood, whose mean impurity is never below that of its best
    cut.
    """
    weight, impurity, square, tolerance = node.weight, node.impurity, node.square, node.tolerance
    per_score, tie = data.factor / weight, TIE * data.unit
    least = np.inf
    for j in range(parameters.max_features * parameters.neighbourhoods):
        work.h[j] = np.inf
    for i in range(parameters.max_features):
        f = work.features[i]
        places = _profile(data, work, node, f)
        if len(places) < 2:
            continue
        score_cuts(places, work.sums, work.totals, work.scores)
        for nth in range(parameters.neighbourhoods if data.columns.kind[f] != CATEGORIES else 1):
            j = i * parameters.neighbourhoods + nth
            most = min(impurity - LEAST_GAIN * data.unit, least + tolerance + 2 * tie)  # above it, nothing joins
            allowed = heavy_cuts(work.sums[0], len(places), weight, parameters.min_leaf_weight)
            first, last = allowed.first, allowed.last
            if first > last:
                break
            if nth == 0:
                cut = first + best_cut(work.scores[first:], last + 1 - first, tie / per_score)
            else:
                cut = next_cut(work.scores, len(places), work.spans[:nth], square - impurity / per_score)
            if cut < first or cut > last or (square - work.scores[cut]) * per_score >= most:
                break
            span = neighbourhood(places, work.sums, cut, node.k, work.phi, allowed)
            work.spans[nth, 0], work.spans[nth, 1] = span.first, span.last
            work.h[j] = (square - mean_score(work.scores, work.phi, span)) * per_score
            work.cut[j] = cut
            _note_turn(work, len(places), j)
            least = min(least, work.h[j])
    return least


@inlined
def _note_turn(work, n, j):
    sums, cut = work.sums, work.cut[j]
    left, right = sums[0, cut], max(sums[0, n - 1] - sums[0, cut], 1e-300)
    for c in range(work.turn.shape[1]):
        work.turn[j, c] = (sums[c + 1, n - 1] - sums[c + 1, cut]) / right - sums[c + 1, cut] / left


@kernel
def choose(data, parameters, work, node):
    """Fill the workspace's gains of the neighbourhoods that join, and its axis; return the best one's position."""
    least, impurity, tolerance = np.inf, node.impurity, node.tolerance
    for j in range(len(work.h)):
        least = min(least, work.h[j])
    best = 0
    while work.h[best] > least + TIE * data.unit:
        best += 1
    for j in range(len(work.h)):
        joins = j == best or (tolerance > 0 and work.h[j] <= least + tolerance + TIE * data.unit)
        work.gain[j] = max(1 - work.h[j] / impurity, 1e-12) ** parameters.share_power if joins else 0.0
    growth = 0.0
    for c in range(len(work.axis)):
        growth += (c + 1) * work.turn[best, c]
    for c in range(len(work.axis)):  # the mean target, or class number, grows to the right
        work.axis[c] = work.turn[best, c] if growth >= -TIE * data.unit**0.5 else -work.turn[best, c]
    return best


@kernel
def write_module(data, parameters, work, node, best, grown):
    """Append the chosen decisions to the pool, the best first, and fill the workspace's `left`; return the pool.

    Gains become shares: parts of their sum.
    """
    total = 0.0
    for j in range(len(work.h)):
        total += work.gain[j]
    for j in range(len(work.h)):
        work.gain[j] /= total
    for row in node.rows:
        work.left[row] = 0.0
    for i in range(-1, len(work.h)):
        j = best if i < 0 else i
        if work.gain[j] > 0 and i != best:
            grown = _write_decision(data, parameters, work, node, j, grown)
    return grown


@kernel
def _write_decision(data, parameters, work, node, j, grown):
    """Append the decision of neighbourhood j with its cuts, and add what it sends left; return the pool."""
    f, columns, share = work.features[j // len(work.spans)], data.columns, work.gain[j]
    is_category = columns.kind[f] == CATEGORIES
    feature = ModuleFeature(columns.kind[f], columns.slot[f], f, parameters.midway and not is_category)
    places = _profile(data, work, node, f)
    allowed = heavy_cuts(work.sums[0], len(places), work.totals[0], parameters.min_leaf_weight)
    span = neighbourhood(places, work.sums, work.cut[j], node.k, work.phi, allowed)
    grown = _with_room(grown, len(places))
    decision = grown.decisions[grown.used[0]]
    grown.used[0] += 1
    decision.feature, decision.impurity, decision.first, decision.share = f, work.h[j], grown.used[1], share
    decision.reversed = _is_against(work.turn[j], work.axis, TIE * data.unit)
    decision.threshold = np.nan if is_category else _threshold(columns, feature, places, work.cut[j])
    known_left = _gates(work, span, len(places)) / work.sums[0, len(places) - 1]
    decision.missing_left = 1.0 - known_left if decision.reversed else known_left
    _write_cuts(columns, feature, places, span, work.phi, grown)
    if feature.kind == SORTED:
        _walk(places, span, work, decision)
    else:
        _look_up(node.rows, columns.codes[:, feature.slot], places, work, decision)
    if columns.has_missing[f] and feature.kind == SORTED:
        column = columns.values[f]
        for row in node.rows:
            if np.isnan(column[row]):
                work.left[row] += share * decision.missing_left
    return grown


@kernel
def _gates(work, span, n):
    """Write psi of all n places into the workspace's scores; return the weight that goes left.

    psi of a place is the weight of the cuts at or above its value, as a part of the weight of all cuts.
    """
    gate, phi, sums = work.scores, work.phi, work.sums
    first, last = span.first, span.last
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
def _write_cuts(columns, feature, places, span, phi, grown):
    first, last = span.first, span.last
    at, is_category = grown.used[1], feature.kind == CATEGORIES
    if is_category:  # all of them, since their order belongs to the decision
        for i in range(first):
            phi[i] = 0.0
        for i in range(last + 1, len(places)):
            phi[i] = 0.0
        first, last = 0, len(places) - 1
    for i in range(first, last + 1):
        if phi[i] > 0 or is_category:
            grown.value[at] = _threshold(columns, feature, places, i)
            grown.weight[at] = phi[i]
            at += 1
    grown.used[1] = at


@kernel
def _walk(places, span, work, decision):
    """Add the fractions that the decision sends left, row by row in the order of its feature."""
    share, gate, left = decision.share, work.scores, work.left
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
def _look_up(rows, codes, places, work, decision):
    """Add the fractions that the decision sends left, by the level of each row."""
    table = np.full(MISSING + 1, decision.missing_left)
    for i in range(len(places)):
        gate = work.scores[i]
        table[places[i] & PLACE] = 1.0 - gate if decision.reversed else gate
    for row in rows:
        work.left[row] += decision.share * table[codes[row]]


@kernel
def _value(columns, feature, place):
    """Return the value that a place stands for."""
    if feature.kind == SORTED:
        return columns.values[feature.number, place]
    return columns.levels[feature.slot, place] if feature.kind == LEVELS else np.float64(place)


@kernel
def _threshold(columns, feature, places, i):
    """Return the threshold of the cut at place i: its value, or the midpoint to the next value in the node.

    The largest value has no next one: its cut stays on it.
    """
    value = _value(columns, feature, places[i] & PLACE)
    if not feature.midway or i + 1 == len(places):
        return value
    return midpoint(value, _value(columns, feature, places[i + 1] & PLACE))


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

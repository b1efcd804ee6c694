"""A node's ensemble module: every feature's best neighbourhood of cuts, and the features that are good enough.

Nalenz & Augustin 2021, section 3: robust split modules (the neighbourhoods) inside option modules (the features
whose mean impurity h_j is within a tolerance of the least).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.cart.columns import CATEGORIES, LEVELS, MAX_LEVELS, MISSING, SORTED, SortedColumns
from espalier.kernels.cultivated.chunks import (
    CHUNK,
    CutScores,
    Four,
    Profile,
    WantedCut,
    best_cut,
    bound_chunks,
    bound_mean,
    count_chunks,
    fill,
    fill_around,
    mean_score,
    next_cut,
    score_cuts,
    slack,
    sum_chunks,
)
from espalier.kernels.cultivated.neighbourhood import (
    PLACE,
    Blocks,
    PlaceRange,
    heavy_cuts,
    list_of,
    neighbourhood,
    order_levels,
)
from espalier.kernels.simd import borrow
from espalier.kernels.task import midpoint

LEAST_GAIN = 1e-9  # of impurity, in units of gini: what a split must gain
TIE = 1e-10  # impurities that differ by less are equal: rounding must not choose
AT_ONCE = 4  # features whose sums are made at once


class ModuleData(NamedTuple):
    """Training data of a cultivated tree: the features, and the targets with their weights."""

    columns: SortedColumns
    moments: np.ndarray  # (n_samples, n_targets + 2) float64: weight, weight * each target, weight * their squares
    factor: float  # impurity = factor * (mean square of the targets - mean score)
    unit: float  # of tolerances: 1 for gini; twice the variance for a number, so that eta means the same
    lowest: float  # target
    highest: float


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
    """Sums of the node that is being split, and scratch memory for its search.

    Rows of `moments` and of `by_level` are as long as a power of two.
    """

    totals: np.ndarray  # (1 + n_targets,) float64: weight, and weight times target
    moments: np.ndarray  # (n_samples, 1 + n_targets or more) the same of every sample of the node, as its rows
    by_level: np.ndarray  # (n_with_levels, 65, 1 + n_targets or more) the same of every level; 64 is missing
    features: np.ndarray  # (n_features,) int64: those tried come first, ascending
    h: np.ndarray  # (n_tried,) float64: mean impurity over each neighbourhood of each feature; inf: none
    cut: np.ndarray  # (n_tried,) int64: place of t0 in its profile
    turn: np.ndarray  # (n_tried, n_targets) how the mean targets change there from left to right
    gain: np.ndarray  # (n_tried,) shares are proportional to it, and in the end are it; 0: not in the module
    spans: np.ndarray  # (n_tried, 2) int64: first and last place of each neighbourhood
    axis: np.ndarray  # (n_targets,) the direction of the module
    left: np.ndarray  # (n_samples,) fraction of each of the node's samples that goes left
    levels: np.ndarray  # (max_features, 65) uint32: places of the profiles of features with levels
    n_levels: np.ndarray  # (max_features,) int64: how many these are
    ends: np.ndarray  # (max_features, 1 + n_targets, n_chunks + 1): sums before each chunk of each profile
    bounds: np.ndarray  # (max_features, n_chunks + 1): upper bounds of the S of its cuts
    promise: np.ndarray  # (max_features,) float64: the greatest of these
    sums: np.ndarray  # (1 + n_targets, n_samples + 64): of one profile
    values: np.ndarray  # (n_samples + 64,)
    exact: np.ndarray  # (n_samples + 64,): scores
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


@kernel
def make_workspace(columns, n_targets, parameters):
    """Allocate the workspace for the search of any node."""
    p, n = columns.values.shape
    n_tries = parameters.max_features
    several = n_tries * parameters.neighbourhoods
    n_sums, size, width = n_targets + 1, n + MAX_LEVELS, 2
    while width < n_sums:
        width *= 2
    n_chunks = count_chunks(size)
    return ModuleWorkspace(
        np.zeros(n_sums), np.zeros((n, width)), np.zeros((columns.codes.shape[1], MISSING + 1, width)),
        np.arange(p), np.empty(several), np.zeros(several, np.int64), np.empty((several, n_targets)),
        np.empty(several), np.empty((several, 2), np.int64), np.empty(n_targets), np.empty(n),
        np.empty((n_tries, MISSING + 1), np.uint32), np.zeros(n_tries, np.int64),
        np.empty((n_tries, n_sums, n_chunks + 1)), np.empty((n_tries, n_chunks + 1)), np.empty(n_tries),
        np.empty((n_sums, size)), np.empty(size), np.empty(size), np.empty(size),
    )  # fmt: skip


@kernel
def sum_levels(rows, data, work):
    """Fill the workspace's sums by level."""
    columns, work = borrow(data).columns, borrow(work)
    level_sums, codes, moments, n_sums = work.by_level, columns.codes, work.moments, len(work.totals)
    for i in range(level_sums.shape[0]):
        for level in range(level_sums.shape[1]):
            for c in range(level_sums.shape[2]):
                level_sums[i, level, c] = 0.0
    if level_sums.shape[0] > 0:
        for at in range(len(rows)):
            for i in range(level_sums.shape[0]):
                level = codes[rows[at], i]
                for c in range(n_sums):
                    level_sums[i, level, c] += moments[at, c]


@inlined
def profile_of(data, work, node, i):
    """Return the profile of the i-th feature tried, with the sums that `survey` wrote."""
    f = work.features[i]
    slot = data.columns.slot[f]
    if data.columns.kind[f] == SORTED:
        places, moments = list_of(node.blocks, node.block, slot), work.moments
    else:
        places, moments = work.levels[i, : work.n_levels[i]], work.by_level[slot]
    return Profile(places, moments, work.ends[i], work.sums)


@inlined
def survey(data, work, node, n_tried):
    """Write the sums at the chunks' ends, and the bounds, of all features tried."""
    columns, waiting, n_waiting = data.columns, np.empty(AT_ONCE, np.int64), 0
    for i in range(n_tried):
        f = work.features[i]
        if columns.kind[f] != SORTED:
            levels, is_ordered = work.by_level[columns.slot[f]], columns.kind[f] == LEVELS
            work.n_levels[i] = order_levels(levels, is_ordered, work.levels[i], TIE * data.unit**0.5)
            _sum_alone(data, work, node, i)
        elif columns.has_missing[f]:
            _sum_alone(data, work, node, i)
        else:
            waiting[n_waiting], n_waiting = i, n_waiting + 1
        if n_waiting == AT_ONCE or (i == n_tried - 1 and n_waiting > 0):
            for j in range(n_waiting, AT_ONCE):
                waiting[j] = waiting[0]
            _sum_together(data, work, node, waiting)
            n_waiting = 0
    for i in range(n_tried):
        profile = profile_of(data, work, node, i)
        work.promise[i] = -1.0
        if len(profile.places) > 1:
            work.promise[i] = bound_chunks(profile, work.totals, data.lowest, data.highest, work.bounds[i])


@inlined
def _sum_alone(data, work, node, i):
    profile = profile_of(data, work, node, i)
    places, ends = profile.places, profile.ends
    four = Four(places, places, places, places)
    sum_chunks(four, profile.moments, len(work.totals), Four(ends, ends, ends, ends))


@inlined
def _sum_together(data, work, node, four):
    """Write the sums of four features that have a place for each of the node's samples."""
    first, second = profile_of(data, work, node, four[0]), profile_of(data, work, node, four[1])
    three, last = profile_of(data, work, node, four[2]), profile_of(data, work, node, four[3])
    places, ends = Four(first.places, second.places, three.places, last.places), work.ends
    into = Four(ends[four[0]], ends[four[1]], ends[four[2]], ends[four[3]])
    sum_chunks(places, work.moments, len(work.totals), into)


@kernel
def search(data, parameters, work, node):
    """Find the best neighbourhoods of every feature tried; return the least h_j, or inf if no split gains.

    A cut that cannot join the module needs no neighbourhood: around a feature's best cut the mean impurity is
    never lower than at the cut. So the most promising feature is first, and fewer others need a neighbourhood.

    Where a feature may have several neighbourhoods, features come in their own order. A later neighbourhood may
    hold better cuts than the one that it is around, and so may have a lower mean. It is still tried only if its
    cut may join, as far as the features before tell: which ones are tried depends on the order of the features.
    """
    data, work, node = borrow(data), borrow(work), borrow(node)
    for j in range(parameters.max_features * parameters.neighbourhoods):
        work.h[j] = np.inf
    survey(data, work, node, parameters.max_features)
    best, least = 0, np.inf
    for i in range(parameters.max_features if parameters.neighbourhoods == 1 else 0):
        best = i if work.promise[i] > work.promise[best] else best
    for at in range(-1, parameters.max_features):
        if at != best:
            least = _try(data, parameters, work, node, best if at < 0 else at, least)
    return least


@inlined
def _try(data, parameters, work, node, i, least):
    """Find the best neighbourhoods of the i-th feature tried that may join; return the least h_j so far."""
    profile, impurity, square = profile_of(data, work, node, i), node.impurity, node.square
    places, sums, exact, n = profile.places, profile.sums, work.exact, len(profile.places)
    per_score, tie = data.factor / node.weight, TIE * data.unit
    off = slack(square, node.weight, max(data.lowest**2, data.highest**2))
    if n < 2:
        return least
    several = data.columns.kind[work.features[i]] != CATEGORIES and parameters.neighbourhoods > 1
    spans = open_profile(parameters, profile, node, several)
    for nth in range(parameters.neighbourhoods if several else 1):
        j = i * parameters.neighbourhoods + nth
        most = min(impurity - LEAST_GAIN * data.unit, least + node.tolerance + 2 * tie)  # of what may join
        goal = WantedCut(spans, square - most / per_score, tie / per_score, off)
        if nth == 0:
            cut = best_cut(profile, work.totals, CutScores(exact, work.bounds[i]), goal)
        else:
            score_cuts(places, sums, work.totals, PlaceRange(0, n - 1), exact)
            cut = next_cut(exact, n, work.spans[j - nth : j], square - impurity / per_score, goal)
        if cut < spans.first or cut > spans.last or (square - exact[cut]) * per_score >= most:
            break
        if not several and parameters.min_leaf_weight == 0:
            score = bound_mean(profile, work.bounds[i], cut, node.k, exact[cut] + tie / per_score) + off
            if (square - score) * per_score >= least + node.tolerance + 2 * tie:
                break
        span = spread_out(profile, work, node, cut, spans)
        score_cuts(places, sums, work.totals, span, exact)
        work.spans[j, 0], work.spans[j, 1] = span.first, span.last
        work.h[j] = (square - mean_score(exact, work.phi, span)) * per_score
        work.cut[j] = cut
        _note_turn(work, sums, n, j)
        least = min(least, work.h[j])
    return least


@inlined
def open_profile(parameters, profile, node, is_whole):
    """Write the sums of all places, and each of them where they are needed; return the range of allowed cuts."""
    n, n_chunks, least = len(profile.places), count_chunks(len(profile.places)), parameters.min_leaf_weight
    for c in range(len(profile.ends)):
        profile.sums[c, n - 1] = profile.ends[c, n_chunks]
    if is_whole or least > 0:
        fill(profile, 0, n_chunks - 1)
    return heavy_cuts(profile.sums[0], n, node.weight, least)


@inlined
def spread_out(profile, work, node, cut, allowed):
    """Return the neighbourhood of a cut whose own sums are there, and write its phi and its running sums."""
    fill_around(profile, cut, node.k, node.weight)
    return neighbourhood(profile.places, profile.sums, cut, node.k, work.phi, allowed)


@inlined
def _note_turn(work, sums, n, j):
    cut = work.cut[j]
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


# ---- Writing the decisions of a module, with their cuts, and the fraction of each sample that goes left


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
def write_module(data, parameters, work, node, best, pool):
    """Append the chosen decisions to the pool, the best first, and fill the workspace's `left`; return the pool.

    Gains become shares: parts of their sum.
    """
    data, work, node = borrow(data), borrow(work), borrow(node)
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
            pool = _write_decision(data, parameters, work, node, j, pool)
    return pool


@kernel
def _write_decision(data, parameters, work, node, j, pool):
    """Append the decision of neighbourhood j with its cuts, and add what it sends left; return the pool."""
    data, work, node = borrow(data), borrow(work), borrow(node)
    at, columns, share = j // parameters.neighbourhoods, data.columns, work.gain[j]
    f = work.features[at]
    is_category = columns.kind[f] == CATEGORIES
    feature = ModuleFeature(columns.kind[f], columns.slot[f], f, parameters.midway and not is_category)
    profile, phi = profile_of(data, work, node, at), work.phi
    places, running = profile.places, work.sums[0]
    spans = open_profile(parameters, profile, node, False)
    fill(profile, work.cut[j] // CHUNK, work.cut[j] // CHUNK)
    span = spread_out(profile, work, node, work.cut[j], spans)
    if pool.used[0] == len(pool.decisions) or pool.used[1] + len(places) > len(pool.value):
        pool = _make_room(pool, len(places))
    decision = pool.decisions[pool.used[0]]
    pool.used[0] += 1
    decision.feature, decision.impurity, decision.first, decision.share = f, work.h[j], pool.used[1], share
    decision.reversed = _is_against(work.turn[j], work.axis, TIE * data.unit)
    # of categories all cuts are written, since their order belongs to the decision
    places_of_cuts = _all_places(span, len(places), phi) if is_category else span
    _read_values(columns, feature, node.rows, places, places_of_cuts, work.values)
    decision.threshold = (
        np.nan if is_category else _threshold(work.values, feature.midway, len(places), work.cut[j])
    )
    known_left = _gates(work.exact, phi, span, running) / running[len(places) - 1]
    decision.missing_left = 1.0 - known_left if decision.reversed else known_left
    _write_cuts(work.values, feature, len(places), places_of_cuts, phi, pool)
    if feature.kind == SORTED:
        _walk(places, span, work, decision)
    else:
        _look_up(node.rows, columns.codes[:, feature.slot], places, span, work, decision)
    if columns.has_missing[f] and feature.kind == SORTED:
        column = columns.values[f]
        for i in range(len(node.rows)):
            if np.isnan(column[node.rows[i]]):
                work.left[i] += share * decision.missing_left
    return pool


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
def _make_room(pool, n_cuts):
    """Return the pool, enlarged if one more decision and n_cuts more cuts do not fit."""
    decisions, value, weight, sizes = pool.decisions, pool.value, pool.weight, pool.used
    if sizes[0] == len(decisions):
        decisions = np.empty(2 * len(pool.decisions), decisions.dtype)
        for i in range(sizes[0]):
            decisions[i] = pool.decisions[i]
    if sizes[1] + n_cuts > len(value):
        size = sizes[1] + sizes[1] // 2 + n_cuts
        value, weight = np.empty(size), np.empty(size)
        for i in range(sizes[1]):
            value[i], weight[i] = pool.value[i], pool.weight[i]
    return ModulePool(decisions, value, weight, sizes)

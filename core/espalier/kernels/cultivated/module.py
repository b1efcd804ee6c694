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
    Four,
    Profile,
    bound_chunks,
    bound_mean,
    count_chunks,
    fill,
    fill_around,
    slack,
    sum_chunks,
)
from espalier.kernels.cultivated.neighbourhood import PlaceRange, heavy_cuts, neighbourhood, order_levels
from espalier.kernels.cultivated.scores import CutScores, WantedCut, best_cut, mean_score, next_cut, score_cuts
from espalier.kernels.cultivated.sorted_blocks import Blocks, borrowed_blocks, list_of
from espalier.kernels.vectors.simd import borrow

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
    tried = parameters.max_features
    several = tried * parameters.neighbourhoods
    n_sums, size, width = n_targets + 1, n + MAX_LEVELS, 2
    while width < n_sums:
        width *= 2
    n_chunks = count_chunks(size)
    return ModuleWorkspace(
        np.zeros(n_sums), np.zeros((n, width)), np.zeros((columns.codes.shape[1], MISSING + 1, width)),
        np.arange(p), np.empty(several), np.zeros(several, np.int64), np.empty((several, n_targets)),
        np.empty(several), np.empty((several, 2), np.int64), np.empty(n_targets), np.empty(n),
        np.empty((tried, MISSING + 1), np.uint32), np.zeros(tried, np.int64),
        np.empty((tried, n_sums, n_chunks + 1)), np.empty((tried, n_chunks + 1)), np.empty(tried),
        np.empty((n_sums, size)), np.empty(size), np.empty(size), np.empty(size),
    )  # fmt: skip


@inlined
def borrowed(w):
    """Return the workspace with borrowed arrays (`kernels.vectors.simd.borrow`), to save time in small nodes."""
    return ModuleWorkspace(
        borrow(w.totals), borrow(w.moments), borrow(w.by_level), borrow(w.features), borrow(w.h), borrow(w.cut),
        borrow(w.turn), borrow(w.gain), borrow(w.spans), borrow(w.axis), borrow(w.left), borrow(w.levels),
        borrow(w.n_levels), borrow(w.ends), borrow(w.bounds), borrow(w.promise), borrow(w.sums), borrow(w.values),
        borrow(w.exact), borrow(w.phi),
    )  # fmt: skip


@inlined
def borrowed_data(data):
    """Return the training data with borrowed arrays."""
    c = data.columns
    columns = SortedColumns(
        borrow(c.values), borrow(c.kind), borrow(c.slot), borrow(c.has_missing), borrow(c.distinct),
        borrow(c.order), borrow(c.codes), borrow(c.levels), borrow(c.level_start), c.most_levels,
        borrow(c.direction),
    )  # fmt: skip
    return ModuleData(columns, borrow(data.moments), data.factor, data.unit, data.lowest, data.highest)


@inlined
def borrowed_node(node):
    """Return the node with borrowed arrays."""
    blocks = borrowed_blocks(node.blocks)
    return ModuleNode(
        borrow(node.rows), node.weight, node.impurity, node.square, node.tolerance, node.k, blocks, node.block
    )


@kernel
def sum_levels(rows, data, work):
    """Fill the workspace's sums by level."""
    columns, work = borrowed_data(data).columns, borrowed(work)
    by_level, codes, moments, n_sums = work.by_level, columns.codes, work.moments, len(work.totals)
    for i in range(by_level.shape[0]):
        for level in range(by_level.shape[1]):
            for c in range(by_level.shape[2]):
                by_level[i, level, c] = 0.0
    if by_level.shape[0] > 0:
        for at in range(len(rows)):
            for i in range(by_level.shape[0]):
                level = codes[rows[at], i]
                for c in range(n_sums):
                    by_level[i, level, c] += moments[at, c]


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
    one, two = profile_of(data, work, node, four[0]), profile_of(data, work, node, four[1])
    three, last = profile_of(data, work, node, four[2]), profile_of(data, work, node, four[3])
    places, ends = Four(one.places, two.places, three.places, last.places), work.ends
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
    data, work, node = borrowed_data(data), borrowed(work), borrowed_node(node)
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
    allowed = open_profile(parameters, profile, node, several)
    for nth in range(parameters.neighbourhoods if several else 1):
        j = i * parameters.neighbourhoods + nth
        most = min(impurity - LEAST_GAIN * data.unit, least + node.tolerance + 2 * tie)  # of what may join
        wanted = WantedCut(allowed, square - most / per_score, tie / per_score, off)
        if nth == 0:
            cut = best_cut(profile, work.totals, CutScores(exact, work.bounds[i]), wanted)
        else:
            score_cuts(places, sums, work.totals, PlaceRange(0, n - 1), exact)
            cut = next_cut(exact, n, work.spans[j - nth : j], square - impurity / per_score, wanted)
        if cut < allowed.first or cut > allowed.last or (square - exact[cut]) * per_score >= most:
            break
        if not several and parameters.min_leaf_weight == 0:
            score = bound_mean(profile, work.bounds[i], cut, node.k, exact[cut] + tie / per_score) + off
            if (square - score) * per_score >= least + node.tolerance + 2 * tie:
                break
        span = spread_out(profile, work, node, cut, allowed)
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

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
    PlaceRange,
    heavy_cuts,
    neighbourhood,
    order_levels,
    sum_both,
    sum_four,
    sum_places,
)
from espalier.kernels.cultivated.scores import CutScores, WantedCut, best_cut, mean_score, next_cut, score_cuts
from espalier.kernels.cultivated.sorted_blocks import Blocks, list_of
from espalier.kernels.vectors.simd import borrow

LEAST_GAIN = 1e-9  # of impurity, in units of gini: what a split must gain
TIE = 1e-10  # impurities that differ by less are equal: rounding must not choose
AT_ONCE = 4  # features whose running sums are made at once
MOST_SUMS = 1 << 22  # numbers: where more were needed to keep the sums of all features, those of four are kept


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
    moments: (
        np.ndarray
    )  # (n_samples, 1 + n_targets) the same of every sample of the node, in the order of its rows
    by_level: np.ndarray  # (n_with_levels, 65, 1 + n_targets) the same of every level; 64 is missing
    features: np.ndarray  # (n_features,) int64: those tried come first, ascending
    h: np.ndarray  # (n_tried,) float64: mean impurity over each neighbourhood of each feature; inf: none
    cut: np.ndarray  # (n_tried,) int64: place of t0 in its profile
    turn: np.ndarray  # (n_tried, n_targets) how the mean targets change there from left to right
    gain: np.ndarray  # (n_tried,) shares are proportional to it, and in the end are it; 0: not in the module
    spans: np.ndarray  # (n_tried, 2) int64: first and last place of each neighbourhood
    axis: np.ndarray  # (n_targets,) the direction of the module
    left: np.ndarray  # (n_samples,) fraction of each of the node's samples that goes left
    places: np.ndarray  # (65,) uint32
    sums: np.ndarray  # (n_kept, 1 + n_targets, n_samples + 64): of all features tried, or of four
    values: np.ndarray  # (n_samples + 64,)
    scores: CutScores  # of n_samples + 64 places
    phi: np.ndarray  # (n_kept, n_samples + 64)


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
    several = parameters.max_features * parameters.neighbourhoods
    n_sums, size = n_targets + 1, n + MAX_LEVELS
    n_kept = (
        AT_ONCE if parameters.max_features * n_sums * size > MOST_SUMS else max(AT_ONCE, parameters.max_features)
    )
    return ModuleWorkspace(
        np.zeros(n_sums), np.zeros((n, n_sums)), np.zeros((columns.codes.shape[1], MISSING + 1, n_sums)),
        np.arange(p), np.empty(several), np.zeros(several, np.int64), np.empty((several, n_targets)),
        np.empty(several), np.empty((several, 2), np.int64),
        np.empty(n_targets), np.empty(n), np.empty(MISSING + 1, np.uint32), np.empty((n_kept, n_sums, size)),
        np.empty(size), CutScores(np.empty(size), np.empty(size, np.float32), np.empty(size, np.float32)),
        np.empty((n_kept, size)),
    )  # fmt: skip


@inlined
def borrowed(w):
    """Return the workspace with borrowed arrays (`kernels.vectors.simd.borrow`), to save time in small nodes."""
    scores = CutScores(borrow(w.scores.exact), borrow(w.scores.rough), borrow(w.scores.peaks))
    return ModuleWorkspace(
        borrow(w.totals), borrow(w.moments), borrow(w.by_level), borrow(w.features), borrow(w.h), borrow(w.cut),
        borrow(w.turn), borrow(w.gain), borrow(w.spans), borrow(w.axis), borrow(w.left), borrow(w.places),
        borrow(w.sums), borrow(w.values), scores, borrow(w.phi),
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
    return ModuleData(columns, borrow(data.moments), data.factor, data.unit)


@kernel
def sum_levels(rows, columns, work):
    """Fill the workspace's sums by level."""
    by_level, codes, moments = work.by_level, columns.codes, work.moments
    for i in range(by_level.shape[0]):
        for level in range(by_level.shape[1]):
            for c in range(by_level.shape[2]):
                by_level[i, level, c] = 0.0
    if by_level.shape[0] > 0:
        for at in range(len(rows)):
            for i in range(by_level.shape[0]):
                level = codes[rows[at], i]
                for c in range(by_level.shape[2]):
                    by_level[i, level, c] += moments[at, c]


@inlined
def profile(data, work, node, f, sums):
    """Return the places of feature f's profile, and write its running sums."""
    kind, slot = data.columns.kind[f], data.columns.slot[f]
    if kind == SORTED:
        places = list_of(node.blocks, node.block, slot)
        sum_places(places, work.moments, sums)
    else:
        places = _levels(data, work, f)
        sum_places(places, work.by_level[slot], sums)
    return places


@inlined
def _levels(data, work, f):
    kind, slot = data.columns.kind[f], data.columns.slot[f]
    n_levels = order_levels(work.by_level[slot], kind == LEVELS, work.places, TIE * data.unit**0.5)
    return work.places[:n_levels]


@inlined
def _next_profile(data, work, node, i, n):
    """Return the places of the i-th of n features, and their sums; of sorted ones every fourth call sums four."""
    f, sums = work.features[i], work.sums[i % len(work.sums)]
    if i % AT_ONCE == 0:
        _sum_next(data, work, node, i, min(i + AT_ONCE, n))
    if data.columns.kind[f] == SORTED:
        places = list_of(node.blocks, node.block, data.columns.slot[f])
    else:
        places = profile(data, work, node, f, sums)
    return places, sums


@kernel
def _sum_next(data, work, node, first, stop):
    """Write the running sums of those of the features first..stop - 1 that are sorted; these are at most four."""
    lists, slot, kind, at = node.blocks, data.columns.slot, data.columns.kind, first % len(work.sums)
    features, sums, n_sorted = work.features[first:stop], work.sums[at:], 0
    for f in features:
        n_sorted += kind[f] == SORTED
    if n_sorted == AT_ONCE:
        sum_four(
            list_of(lists, node.block, slot[features[0]]), list_of(lists, node.block, slot[features[1]]),
            list_of(lists, node.block, slot[features[2]]), list_of(lists, node.block, slot[features[3]]),
            work.moments, sums,
        )  # fmt: skip
        return
    before = -1  # a sorted feature that waits for another
    for i in range(len(features)):
        if kind[features[i]] == SORTED and before >= 0:
            one, other = (
                list_of(lists, node.block, slot[features[before]]),
                list_of(lists, node.block, slot[features[i]]),
            )
            sum_both(one, other, work.moments, sums[before], sums[i])
            before = -1
        elif kind[features[i]] == SORTED:
            before = i
    if before >= 0:
        sum_places(list_of(lists, node.block, slot[features[before]]), work.moments, sums[before])


@kernel
def search(data, parameters, work, node):
    """Find the best neighbourhoods of every feature tried; return the least h_j, or inf if no split gains.

    A cut that cannot join the module needs no neighbourhood, whose mean impurity is never below that of its best
    cut.
    """
    weight, impurity, square, tolerance = node.weight, node.impurity, node.square, node.tolerance
    per_score, tie, exact = data.factor / weight, TIE * data.unit, work.scores.exact
    least = np.inf
    for j in range(parameters.max_features * parameters.neighbourhoods):
        work.h[j] = np.inf
    for i in range(parameters.max_features):
        f = work.features[i]
        places, sums = _next_profile(data, work, node, i, parameters.max_features)
        if len(places) < 2:
            continue
        n, slot = len(places), i % len(work.sums)
        for nth in range(parameters.neighbourhoods if data.columns.kind[f] != CATEGORIES else 1):
            j = i * parameters.neighbourhoods + nth
            most = min(impurity - LEAST_GAIN * data.unit, least + tolerance + 2 * tie)  # above it, nothing joins
            allowed = heavy_cuts(sums[0], n, weight, parameters.min_leaf_weight)
            if nth == 0:
                wanted = WantedCut(allowed, square, square - most / per_score, tie / per_score)
                cut = best_cut(places, sums, work.totals, work.scores, wanted)
            else:
                score_cuts(places, sums, work.totals, PlaceRange(0, n - 1), exact)
                cut = next_cut(exact, n, work.spans[j - nth : j], square - impurity / per_score)
            if cut < allowed.first or cut > allowed.last or (square - exact[cut]) * per_score >= most:
                break
            span = neighbourhood(places, sums, cut, node.k, work.phi[slot], allowed)
            score_cuts(places, sums, work.totals, span, exact)
            work.spans[j, 0], work.spans[j, 1] = span.first, span.last
            work.h[j] = (square - mean_score(exact, work.phi[slot], span)) * per_score
            work.cut[j] = cut
            _note_turn(work, sums, len(places), j)
            least = min(least, work.h[j])
    return least


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

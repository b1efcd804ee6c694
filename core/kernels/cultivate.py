"""Growing a cultivated tree: modules of all reasonable decisions, and samples that go both ways in fractions.

Nodes are grown depth first. A node holds its samples as (row, weight) pairs; for the search it also needs its
rows in the order of every sorted feature. These lists stand in blocks, one on top of the other: a node reads
the block of an ancestor, skipping the rows that it has not got, until so few of them are left that a block of
its own is worth writing. Blocks above those of a node's ancestors are free, since depth first comes back to
no other.

    blocks     | root: all rows by x1, by x2, … | child: half of them | grandchild … | free
                 ^ read by the root, and by           ^ read by the child and all below
                   children that have most of its rows  it that have most of its rows
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.kernels import kernel
from core.kernels.columns import CATEGORIES, LEVELS, MAX_LEVELS, MISSING, SORTED, Columns
from core.kernels.gate import DROPPED, first_cut
from core.kernels.neighbourhood import (
    best_cut,
    mean_score,
    neighbourhood,
    profile_levels,
    profile_sorted,
    score_cuts,
)
from core.kernels.randomness import below
from core.trees import LEAF, CultivatedTree, make_cultivated

LEAST_GAIN = 1e-9  # of impurity, in units of gini: what a split must gain
TIE = 1e-10  # impurities that differ by less are equal: rounding must not choose
SHARED = 0.7  # a node reads an ancestor's lists while it has this part of their rows


class Soil(NamedTuple):
    """What a cultivated tree grows on: the features, the targets, and the weights."""

    columns: Columns
    targets: np.ndarray  # (n_targets, n_samples) float64: see `core.kernels.neighbourhood`
    weight: np.ndarray  # (n_samples,) float64
    factor: float  # impurity = factor * (mean square of the targets - mean score)
    unit: float  # of tolerances: 1 for gini; for a number twice its variance, so that both mean the same


class Habit(NamedTuple):
    """How a cultivated tree grows."""

    max_depth: int
    min_weight: float  # of a node that is split
    eta: float  # tolerance of the root's option module, 0: one decision in every node
    k: float  # weight on either side of t0 in a neighbourhood, as scale * W ** power; 0: one cut
    power: float
    min_fraction: float  # while growing, less than this of a sample does not go to a child
    share_power: float  # shares are proportional to gain ** share_power
    max_features: int  # features tried at a node


NODE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("left", np.int32), ("right", np.int32), ("n_samples", np.int64), ("weight", np.float64),
                ("impurity", np.float64), ("first", np.int64),
            ],
            align=True,
        ),
    )
)  # fmt: skip
DECISION = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("feature", np.int32), ("threshold", np.float64), ("reversed", np.bool_), ("share", np.float64),
                ("missing_left", np.float64), ("impurity", np.float64), ("first", np.int64), ("n_cuts", np.int64),
            ],
            align=True,
        ),
    )
)  # fmt: skip


@kernel
def _longer(array, least):
    """The array in one of at least twice the length, and of at least `least`."""
    longer = np.empty(max(2 * len(array), least), array.dtype)
    for i in range(len(array)):
        longer[i] = array[i]
    return longer


@kernel
def _taller(array):
    taller = np.empty((2 * array.shape[0], array.shape[1]))
    for i in range(array.shape[0]):
        for k in range(array.shape[1]):
            taller[i, k] = array[i, k]
    return taller


@kernel
def _root_lists(columns):
    """The first block: known rows by each sorted feature, end to end, and where each list starts."""
    n_lists, n = columns.order.shape[0] - 1, columns.order.shape[1]
    rows, bounds = np.empty(n_lists * n + 1, np.uint32), np.zeros(n_lists + 1, np.int64)
    at = 0
    for f in range(len(columns.kind)):
        if columns.kind[f] == SORTED:
            for row in columns.order[columns.slot[f]]:
                if np.isnan(columns.values[f, row]):
                    break
                rows[at] = row
                at += 1
            bounds[columns.slot[f]] = at
    return rows, bounds


@kernel
def _filter_lists(rows, bounds, own_bounds, moments):
    """Copy what a block has of the node's rows to behind it, and note where the new lists start."""
    at = bounds[len(bounds) - 1]
    own_bounds[0] = at
    for i in range(len(bounds) - 1):
        for j in range(bounds[i], bounds[i + 1]):
            rows[at] = rows[j]
            at += moments[rows[j], 0] > 0
        own_bounds[i + 1] = at


@kernel
def _describe(rows, weights, targets, moments, totals):
    """Fill in the node's rows of moments and the sums of them; returns the sum of weight times square."""
    square = 0.0
    for c in range(len(totals)):
        totals[c] = 0.0
    for i in range(len(rows)):
        row, w = rows[i], weights[i]
        moments[row, 0] = w
        totals[0] += w
        for c in range(len(targets)):
            y = targets[c, row]
            moments[row, c + 1] = w * y
            totals[c + 1] += w * y
            square += w * y * y
    return square


@kernel
def _sum_levels(rows, columns, moments, by_level):
    """Fill by_level (n_with_levels, 65, 1 + n_targets) with the node's sums; level 64 is missing."""
    for i in range(by_level.shape[0]):
        for level in range(by_level.shape[1]):
            for c in range(by_level.shape[2]):
                by_level[i, level, c] = 0.0
    if by_level.shape[0] == 0:
        return
    for row in rows:
        for i in range(by_level.shape[0]):
            level = columns.codes[row, i]
            for c in range(by_level.shape[2]):
                by_level[i, level, c] += moments[row, c]


@kernel
def _draw(features, n, state):
    """Put a random choice of n of the features first, ascending."""
    for i in range(n):
        j = i + below(state, len(features) - i)
        features[i], features[j] = features[j], features[i]
    for i in range(1, n):
        f, at = features[i], i
        while at > 0 and features[at - 1] > f:
            features[at] = features[at - 1]
            at -= 1
        features[at] = f


@kernel
def _turn(sums, n, at, totals, turn):
    """Write how the mean targets change from the left to the right of a cut into turn (n_targets,)."""
    known = sums[0, n - 1]
    left, right = sums[0, at], max(known - sums[0, at], 1e-300)
    for c in range(len(turn)):
        turn[c] = (sums[c + 1, n - 1] - sums[c + 1, at]) / right - sums[c + 1, at] / left


@kernel
def _value(columns, f, kind, place):
    """The value that a profile's place stands for."""
    if kind == SORTED:
        return columns.values[f, place]
    return columns.levels[columns.slot[f], place] if kind == LEVELS else np.float64(place)


@kernel
def _against(turn, axis):
    """Whether a decision's right side lies against the axis: it is then reversed."""
    along = 0.0
    for c in range(len(turn)):
        along += turn[c] * axis[c]
    return along < 0


@kernel
def _orient(turn, axis):
    """The axis of a module: the best decision's turn, so that the mean target (class number) grows rightwards."""
    growth = 0.0
    for c in range(len(turn)):
        growth += (c + 1) * turn[c]
    for c in range(len(turn)):
        axis[c] = turn[c] if growth >= 0 else -turn[c]


@kernel
def _send_left(rows, weights, column, decision, cuts, left):
    """Add the decision's share of each sample's way to the left; returns the part of known weight it sends left.

    cuts is (value (n,), part (n,)): of the neighbourhood, the weight of each cut and those after it.
    """
    value, part = cuts
    n, ordered = len(value), not np.isnan(decision.threshold)
    known, known_left = 0.0, 0.0
    table = np.empty(MAX_LEVELS)
    if not ordered:
        for i in range(n):
            table[int(value[i])] = part[i]
    for i in range(len(rows)):
        x = column[rows[i]]
        if np.isnan(x):
            continue
        if not ordered:
            here = table[int(x)]
        elif x <= value[0]:
            here = 1.0
        elif x > value[n - 1]:
            here = 0.0
        else:
            here = part[first_cut(value, 0, n, x)]
        here = 1.0 - here if decision.reversed else here
        left[i] += decision.share * here
        known += weights[i]
        known_left += weights[i] * here
    return known_left / known


@kernel
def _send_missing(rows, column, decision, left):
    for i in range(len(rows)):
        if np.isnan(column[rows[i]]):
            left[i] += decision.share * decision.missing_left


@kernel
def _part(rows, weights, left, min_fraction, children):
    """Divide the samples between two children's (rows, weights); returns how many each has."""
    left_rows, left_weights, right_rows, right_weights = children
    n_left = n_right = 0
    for i in range(len(rows)):
        part = min(max(left[i], 0.0), 1.0)
        if part < min_fraction:
            part = 0.0
        elif 1.0 - part < min_fraction:
            part = 1.0
        left_rows[n_left], left_weights[n_left] = rows[i], weights[i] * part
        n_left += left_weights[n_left] > DROPPED
        right_rows[n_right], right_weights[n_right] = rows[i], weights[i] * (1.0 - part)
        n_right += right_weights[n_right] > DROPPED
    return n_left, n_right


@kernel
def _grow(soil, habit, seed, signals):
    columns, targets = soil.columns, soil.targets
    p, n = columns.values.shape
    n_sums = len(targets) + 1
    # The tree
    nodes, node_values, n_nodes = np.empty(64, NODE), np.empty((64, n_sums - 1)), 0
    decisions, n_decisions = np.empty(64, DECISION), 0
    cut_value, cut_weight, n_cuts = np.empty(256), np.empty(256), 0
    # The frontier: samples of a node are at sample_start in (pool_rows, pool_weights)
    up, is_left, depth, block = np.empty(64, np.int64), np.empty(64, np.bool_), np.empty(64, np.int64), np.empty(64, np.int64)
    span = np.zeros(65, np.int64)
    pool_rows, pool_weights = np.arange(2 * n + 1).astype(np.uint32), np.empty(2 * n + 1)
    up[0], is_left[0], depth[0], block[0], span[1] = -1, False, 1, 0, n
    for i in range(n):
        pool_weights[i] = soil.weight[i]
    n_frontier = 1
    # Lists
    lists, root_bounds = _root_lists(columns)
    bounds = np.zeros((2, len(root_bounds)), np.int64)
    for i in range(len(root_bounds)):
        bounds[0, i] = root_bounds[i]
    block_size = np.zeros(2, np.int64)
    block_size[0] = n
    # Room
    moments, totals = np.zeros((n, n_sums)), np.zeros(n_sums)
    sums, first, scores, phi = np.empty((n_sums, n + MAX_LEVELS)), np.empty(n + MAX_LEVELS, np.uint32), np.empty(n + MAX_LEVELS), np.empty(n + MAX_LEVELS)
    by_level = np.zeros((columns.codes.shape[1], MISSING + 1, n_sums))
    features, state = np.arange(p), np.array([seed], np.uint64)
    h, t0, gains = np.empty(p), np.empty(p), np.empty(p)
    found = np.zeros(p + 1, np.int64)  # where each tried feature's cuts start in the room for them
    near_value, near_weight = np.empty(256), np.empty(256)
    turn, axis = np.empty((p, n_sums - 1)), np.empty(n_sums - 1)
    left = np.empty(n)
    rows, weights = np.empty(n, np.uint32), np.empty(n)
    decided, n_here = 0.0, 0
    while n_frontier > 0:
        n_frontier -= 1
        at = n_frontier
        for i in range(n_here):
            for c in range(n_sums):
                moments[rows[i], c] = 0.0
        n_here = span[at + 1] - span[at]
        for i in range(n_here):
            rows[i], weights[i] = pool_rows[span[at] + i], pool_weights[span[at] + i]
        here, mass = rows[:n_here], weights[:n_here]
        square = _describe(here, mass, targets, moments, totals)
        # A new node
        if n_nodes == len(nodes):
            nodes, node_values = _longer(nodes, 0), _taller(node_values)
        node, s = nodes[n_nodes], depth[at]
        if up[at] >= 0:
            if is_left[at]:
                nodes[up[at]].left = n_nodes
            else:
                nodes[up[at]].right = n_nodes
        weight = totals[0]
        impurity = square
        for c in range(1, n_sums):
            node_values[n_nodes, c - 1] = totals[c] / weight
            impurity -= totals[c] * totals[c] / weight
        node.left = node.right = LEAF
        node.n_samples, node.weight, node.first = n_here, weight, n_decisions
        node.impurity = max(soil.factor * impurity / weight, 0.0)
        n_nodes += 1
        if s > habit.max_depth or weight < habit.min_weight or node.impurity <= LEAST_GAIN * soil.unit or signals[1] != 0:
            decided += weight
            signals[0] = int(decided)
            continue
        # Its lists
        b = block[at]
        if len(root_bounds) > 1 and n_here < SHARED * block_size[b]:
            if b + 1 == len(bounds):
                taller, sizes = np.zeros((2 * len(bounds), bounds.shape[1]), np.int64), np.zeros(2 * len(bounds), np.int64)
                for i in range(len(bounds)):
                    sizes[i] = block_size[i]
                    for j in range(bounds.shape[1]):
                        taller[i, j] = bounds[i, j]
                bounds, block_size = taller, sizes
            need = bounds[b, len(root_bounds) - 1] * 2 - bounds[b, 0] + 1
            if need > len(lists):
                lists = _longer(lists, need)
            _filter_lists(lists, bounds[b], bounds[b + 1], moments)
            b += 1
            block_size[b] = n_here
        # Search
        if habit.max_features < p:
            _draw(features, habit.max_features, state)
        _sum_levels(here, columns, moments, by_level)
        k = min(habit.k * weight**habit.power, weight)
        tolerance = TIE * soil.unit * weight / soil.factor
        least = np.inf
        n_found = 0
        found[0] = 0
        for j in range(habit.max_features):
            f = features[j]
            h[j] = np.inf
            found[j + 1] = n_found
            kind, slot = columns.kind[f], columns.slot[f]
            if kind == SORTED:
                entries = lists[bounds[b, slot - 1] : bounds[b, slot]]
                m = profile_sorted(entries, columns.values[f], columns.distinct[f], moments, sums, first)
            else:
                m = profile_levels(by_level[slot], kind == LEVELS, sums, first)
            if m < 2:
                continue
            score_cuts(sums, m, totals, scores)
            cut = best_cut(scores, m, tolerance)
            if node.impurity - soil.factor * (square - scores[cut]) / weight <= LEAST_GAIN * soil.unit:
                continue
            low, high = neighbourhood(sums, m, cut, k, phi)
            h[j] = soil.factor * (square - mean_score(scores, phi, low, high)) / weight
            least = min(least, h[j])
            t0[j] = _value(columns, f, kind, first[cut])
            _turn(sums, m, cut, totals, turn[j])
            if kind == CATEGORIES:
                t0[j] = np.nan
                for i in range(low):
                    phi[i] = 0.0
                for i in range(high + 1, m):
                    phi[i] = 0.0
                low, high = 0, m - 1
            if n_found + m > len(near_value):
                near_value, near_weight = _longer(near_value, n_found + m), _longer(near_weight, n_found + m)
            for i in range(low, high + 1):
                near_value[n_found], near_weight[n_found] = _value(columns, f, kind, first[i]), phi[i]
                n_found += 1
            found[j + 1] = n_found
        if least == np.inf:
            decided += weight
            signals[0] = int(decided)
            continue
        # The module
        best = 0
        while h[best] > least + TIE * soil.unit:
            best += 1
        _orient(turn[best], axis)
        eta = habit.eta * soil.unit / s**3
        all_shares, n_options = 0.0, 0
        for j in range(habit.max_features):
            joins = j == best or (eta > 0 and h[j] <= least + eta + TIE * soil.unit)
            gains[j] = max(node.impurity - h[j], 1e-300) ** habit.share_power if joins else 0.0
            all_shares += gains[j]
            n_options += joins
        for i in range(n_here):
            left[i] = 0.0
        while n_decisions + n_options > len(decisions):
            decisions = _longer(decisions, 0)
        if n_cuts + n_found > len(cut_value):
            cut_value, cut_weight = _longer(cut_value, n_cuts + n_found), _longer(cut_weight, n_cuts + n_found)
        for i in range(-1, habit.max_features):
            j = best if i < 0 else i  # the best comes first
            if gains[j] == 0.0 or i == best:
                continue
            decision = decisions[n_decisions]
            n_decisions += 1
            decision.feature, decision.threshold, decision.impurity = features[j], t0[j], h[j]
            decision.reversed = _against(turn[j], axis)
            decision.share = gains[j] / all_shares
            decision.first, decision.n_cuts = n_cuts, found[j + 1] - found[j]
            above = 0.0
            for q in range(found[j + 1] - 1, found[j] - 1, -1):
                above += near_weight[q]
                phi[q - found[j]] = above
            for q in range(decision.n_cuts):
                phi[q] /= above
                cut_value[n_cuts] = near_value[found[j] + q]
                cut_weight[n_cuts] = near_weight[found[j] + q]
                n_cuts += 1
            cuts = (cut_value[decision.first : n_cuts], phi[: decision.n_cuts])
            column = columns.values[features[j]]
            decision.missing_left = _send_left(here, mass, column, decision, cuts, left)
            if columns.has_missing[features[j]]:
                _send_missing(here, column, decision, left)
        # The children
        base = span[at]
        if base + 2 * n_here + 2 > len(pool_rows) or True:
            if base + 2 * n_here + 2 > len(pool_rows):
                pool_rows, pool_weights = _longer(pool_rows, base + 2 * n_here + 2), _longer(pool_weights, base + 2 * n_here + 2)
        children = (
            first, scores,
            pool_rows[base:], pool_weights[base:],
        )
        n_left, n_right = _part(here, mass, left, habit.min_fraction, children)
        for i in range(n_left):
            pool_rows[base + n_right + i], pool_weights[base + n_right + i] = first[i], scores[i]
        if n_left == 0 or n_right == 0:  # nothing was parted
            n_decisions = node.first
            n_cuts = decisions[n_decisions].first
            decided += weight
            continue
        if n_frontier + 2 > len(up):
            up, is_left, depth, block, span = _longer(up, 0), _longer(is_left, 0), _longer(depth, 0), _longer(block, 0), _longer(span, 0)
        for i in range(2):
            up[n_frontier], is_left[n_frontier], depth[n_frontier], block[n_frontier] = n_nodes - 1, i == 1, s + 1, b
            span[n_frontier + 1] = base + n_right + i * n_left
            n_frontier += 1
    return nodes[:n_nodes], node_values[:n_nodes], decisions[:n_decisions], cut_value[:n_cuts], cut_weight[:n_cuts]


def cultivate(soil: Soil, habit: Habit, seed: int, signals: np.ndarray) -> CultivatedTree:
    """Grow a cultivated tree."""
    nodes, values, decisions, cut_value, cut_weight = _grow(soil, habit, np.uint64(seed), signals)
    return make_cultivated(
        nodes["left"], nodes["right"], nodes["n_samples"], nodes["weight"], values, nodes["impurity"],
        (
            np.append(nodes["first"], len(decisions)), decisions["feature"], decisions["threshold"],
            decisions["reversed"], decisions["share"], decisions["missing_left"], decisions["impurity"],
        ),
        (np.append(decisions["first"], len(cut_value)), cut_value, cut_weight),
    )  # fmt: skip

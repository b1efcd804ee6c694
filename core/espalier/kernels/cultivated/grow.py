"""Growing a cultivated tree, depth first: samples go both ways in fractions (Nalenz & Augustin 2021, section 3).

The samples of the nodes that wait stand in a pool, each node's as one slice of (row, fraction). A node that is
split puts its children's samples on top of the pool, the left child's last, and the next node is the last one
that waits; what was above its slice is free again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.cultivated.module import (
    DECISION,
    LEAST_GAIN,
    TIE,
    CultivatedParameters,
    ModuleData,
    ModulePool,
    choose,
    make_workspace,
    search,
    sum_levels,
    write_module,
)
from espalier.kernels.cultivated.neighbourhood import HEAVY
from espalier.kernels.cultivated.sorted_blocks import add_block, first_block, wants_block
from espalier.kernels.gate import DROPPED
from espalier.kernels.randomness import below
from espalier.trees import LEAF, CultivatedTree, make_cultivated

_NODE = {
    "left": np.int32,
    "right": np.int32,
    "n_samples": np.int64,
    "weight": np.float64,
    "impurity": np.float64,
    "first": np.int64,  # of its decisions
}
NODE = np.dtype((np.record, np.dtype(list(_NODE.items()), align=True)))
_WAITING = {
    "parent": np.int64,
    "is_left": np.bool_,
    "depth": np.int64,  # 1 at the root, as in the paper
    "block": np.int64,
    "start": np.int64,  # its samples in the pool
    "stop": np.int64,
}
WAITING = np.dtype((np.record, np.dtype(list(_WAITING.items()), align=True)))


class Pool(NamedTuple):
    """Samples of the nodes that wait."""

    rows: np.ndarray  # uint32
    fraction: np.ndarray  # float64


@kernel
def _first_pool(n):
    pool = Pool(np.empty(4 * n + 4, np.uint32), np.empty(4 * n + 4))
    for i in range(n):
        pool.rows[i], pool.fraction[i] = i, 1.0
    return pool


@kernel
def _larger(pool, used, need):
    """The pool with room for `need` samples, if it has not; the first `used` of them are kept."""
    if need <= len(pool.rows):
        return pool
    rows, fraction = np.empty(2 * need, np.uint32), np.empty(2 * need)
    for i in range(used):
        rows[i], fraction[i] = pool.rows[i], pool.fraction[i]
    return Pool(rows, fraction)


@kernel
def _enter(soil, room, rows, fractions):
    """Note the node's samples in the room; returns the sum of weight times squared targets."""
    moments, totals, whole = room.moments, room.totals, soil.moments
    if len(totals) == 2:
        weight, target, square = 0.0, 0.0, 0.0
        for i in range(len(rows)):
            row, part = rows[i], fractions[i]
            here, there = part * whole[row, 0], part * whole[row, 1]
            moments[row, 0], moments[row, 1] = here, there
            weight += here
            target += there
            square += part * whole[row, 2]
        totals[0], totals[1] = weight, target
        return square
    square = 0.0
    for c in range(len(totals)):
        totals[c] = 0.0
    for i in range(len(rows)):
        row, part = rows[i], fractions[i]
        for c in range(len(totals)):
            moments[row, c] = part * whole[row, c]
            totals[c] += moments[row, c]
        square += part * whole[row, len(totals)]
    return square


@kernel
def _describe(soil, room, node, value, square):
    """Write what the node says of itself; returns its impurity."""
    totals = room.totals
    rest = square
    for c in range(1, len(totals)):
        value[c - 1] = totals[c] / totals[0]
        rest -= totals[c] * totals[c] / totals[0]
    node.left = node.right = LEAF
    node.weight = totals[0]
    node.impurity = max(soil.factor * rest / totals[0], 0.0)
    return node.impurity


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
def _part(pool, span, left, min_fraction):
    """Write both children's samples above the node's; returns where the right child's, and the left child's, end.

    The right child's begin where the node's end, and the left child's as much higher as the node has samples.
    """
    start, stop = span
    rows, fraction = pool
    n_right, n_left = stop, 2 * stop - start
    for i in range(start, stop):
        row, whole = rows[i], fraction[i]
        part = min(max(left[row], 0.0), 1.0)
        here, there = whole * part, whole * (1.0 - part)
        if min(here, there) < min_fraction - TIE:
            here, there = (whole, 0.0) if part > 0.5 - TIE else (0.0, whole)
        rows[n_right], fraction[n_right] = row, there
        n_right += there > DROPPED
        rows[n_left], fraction[n_left] = row, here
        n_left += here > DROPPED
    return n_right, n_left


@kernel
def _are_heavy(soil, pool, spans, habit):
    """Whether both children, the right one and the left one, have the weight that a leaf must have."""
    if habit.min_leaf_weight <= 0:
        return True
    least = habit.min_leaf_weight * (1 - HEAVY)
    right = _weight_of(soil, pool, spans[0], spans[1])
    return right >= least and _weight_of(soil, pool, spans[2], spans[3]) >= least


@kernel
def _weight_of(soil, pool, start, stop):
    weight = 0.0
    for i in range(start, stop):
        weight += pool.fraction[i] * soil.moments[pool.rows[i], 0]
    return weight


@kernel
def _wait(waiting, n, child, place):
    """Put a child behind the n nodes that wait: child is (parent, is_left, depth), place (block, start, stop)."""
    if n == len(waiting):
        longer = np.empty(2 * n, waiting.dtype)
        for i in range(n):
            longer[i] = waiting[i]
        waiting = longer
    one = waiting[n]
    one.parent, one.is_left, one.depth = child
    one.block, one.start, one.stop = place
    return waiting


@kernel
def _with_node(nodes, values, n):
    if n < len(nodes):
        return nodes, values
    longer, taller = np.empty(2 * n, nodes.dtype), np.empty((2 * n, values.shape[1]))
    for i in range(n):
        longer[i] = nodes[i]
        for c in range(values.shape[1]):
            taller[i, c] = values[i, c]
    return longer, taller


@kernel
def _grow(soil, habit, seed, signals):
    """Nodes (NODE) in preorder, their mean targets, and their decisions and cuts."""
    n, n_targets = soil.columns.values.shape[1], soil.moments.shape[1] - 2
    nodes, values, n_nodes = np.empty(64, NODE), np.empty((64, n_targets)), 0
    grown = ModulePool(np.empty(64, DECISION), np.empty(256), np.empty(256), np.zeros(2, np.int64))
    waiting, n_waiting = np.empty(64, WAITING), 1
    waiting = _wait(waiting, 0, (-1, False, 1), (0, 0, n))
    pool, blocks, room = _first_pool(n), first_block(soil.columns), make_workspace(soil.columns, n_targets, habit)
    is_here, state = np.zeros(n, np.uint8), np.array([seed], np.uint64)
    decided = 0.0
    while n_waiting > 0:
        n_waiting -= 1
        me = waiting[n_waiting]
        parent, depth, block, start, stop = me.parent, me.depth, me.block, me.start, me.stop
        rows, fractions = pool.rows[start:stop], pool.fraction[start:stop]
        square = _enter(soil, room, rows, fractions)
        nodes, values = _with_node(nodes, values, n_nodes)
        node = nodes[n_nodes]
        n_nodes += 1
        if parent >= 0 and me.is_left:
            nodes[parent].left = n_nodes - 1
        elif parent >= 0:
            nodes[parent].right = n_nodes - 1
        impurity = _describe(soil, room, node, values[n_nodes - 1], square)
        node.n_samples, node.first = stop - start, grown.used[0]
        least, weight = np.inf, node.weight
        heavy = weight >= habit.min_weight * (1 - TIE)
        splits = heavy and depth <= habit.max_depth and impurity > LEAST_GAIN * soil.unit
        tolerance = habit.eta * soil.unit / depth**3
        k = min(habit.k * weight**habit.power, weight)
        if splits and signals[1] == 0:
            if wants_block(blocks, block, stop - start):
                blocks = add_block(blocks, block, rows, is_here)
                block += 1
            if habit.max_features < len(room.features):
                _draw(room.features, habit.max_features, state)
            sum_levels(rows, soil.columns, room)
            least = search(soil, habit, room, (weight, impurity, square, tolerance), (blocks, block, k))
        if least < np.inf:
            best = choose(soil, habit, room, impurity, tolerance)
            about, n_cuts = (rows, best, grown), grown.used[1]
            grown = write_module(soil, habit, room, about, (blocks, block, k))
            pool = _larger(pool, stop, 3 * stop - 2 * start + 2)
            right, left = _part(pool, (start, stop), room.left, habit.min_fraction)
            top = 2 * stop - start
            if right > stop and left > top and _are_heavy(soil, pool, (stop, right, top, left), habit):
                waiting = _wait(waiting, n_waiting, (n_nodes - 1, False, depth + 1), (block, stop, right))
                waiting = _wait(waiting, n_waiting + 1, (n_nodes - 1, True, depth + 1), (block, top, left))
                n_waiting += 2
            else:  # nothing was parted
                grown.used[0], grown.used[1] = node.first, n_cuts
                least = np.inf
        if least == np.inf:
            decided += weight
            signals[0] = int(decided)
    n_decisions, n_cuts = grown.used
    tree = nodes[:n_nodes], values[:n_nodes]
    return tree, grown.decisions[:n_decisions], grown.value[:n_cuts], grown.weight[:n_cuts]


def cultivate(soil: ModuleData, habit: CultivatedParameters, seed: int, signals: np.ndarray) -> CultivatedTree:
    """Grow a cultivated tree.

    signals is int64 (2,), shared with another thread: [0] counts the weight that has come to leaves, [1] other
    than 0 stops growing, and nodes not split by then are leaves.
    """
    (nodes, values), decisions, cut_value, cut_weight = _grow(soil, habit, np.uint64(seed), signals)
    return make_cultivated(
        nodes["left"], nodes["right"], nodes["n_samples"], nodes["weight"], values, nodes["impurity"],
        (
            np.append(nodes["first"], len(decisions)), decisions["feature"], decisions["threshold"],
            decisions["reversed"], decisions["share"], decisions["missing_left"], decisions["impurity"],
        ),
        (np.append(decisions["first"], len(cut_value)), cut_value, cut_weight),
    )  # fmt: skip

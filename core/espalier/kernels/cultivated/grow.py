"""Growing a cultivated tree, depth first: samples go both ways in fractions (Nalenz & Augustin 2021, section 3).

The samples of the nodes that wait lie in a pool, one slice of (row, fraction) per node. A split puts the samples
of both children on top of the pool, the left child's last. The node added last is grown next, and everything above
its slice is free again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.cultivated.fractions import DROPPED
from espalier.kernels.cultivated.module import (
    DECISION,
    LEAST_GAIN,
    TIE,
    CultivatedParameters,
    ModuleData,
    ModuleNode,
    ModulePool,
    choose,
    make_workspace,
    search,
    sum_levels,
    write_module,
)
from espalier.kernels.cultivated.neighbourhood import (
    HEAVY,
    add_block,
    empty_lists,
    first_block,
    wants_block,
)
from espalier.kernels.randomness import below
from espalier.kernels.simd import borrow
from espalier.trees import LEAF, CultivatedTree, make_cultivated

CUTS_PER_SAMPLE = 64  # that have room at first; memory that no cut uses is never touched
MOST_CUTS_AT_FIRST = 1 << 22
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


class WaitingNode(NamedTuple):
    """The entry of a node that waits to be grown, as `WAITING`."""

    parent: int
    is_left: bool
    depth: int
    block: int
    start: int
    stop: int


class Pool(NamedTuple):
    """Samples of the nodes that wait, and their fractions."""

    rows: np.ndarray  # uint32
    place: np.ndarray  # uint32: among the samples of the parent
    fraction: np.ndarray  # float64


@kernel
def _first_pool(n):
    room = 4 * n + 4
    pool = Pool(np.empty(room, np.uint32), np.empty(room, np.uint32), np.empty(room))
    for i in range(n):
        pool.rows[i], pool.place[i], pool.fraction[i] = i, i, 1.0
    return pool


def _first_cuts(n: int) -> ModulePool:
    """Return an empty pool. NumPy's large arrays lie in large pages, where the system has them; Numba's do not."""
    room = min(CUTS_PER_SAMPLE * n, MOST_CUTS_AT_FIRST)
    return ModulePool(np.empty(64, DECISION), np.empty(room), np.empty(room), np.zeros(2, np.int64))


@kernel
def _larger(pool, used, need):
    """Return the pool, enlarged if it cannot hold `need` samples; the first `used` of them are copied."""
    if need <= len(pool.rows):
        return pool
    rows, place, fraction = np.empty(2 * need, np.uint32), np.empty(2 * need, np.uint32), np.empty(2 * need)
    for i in range(used):
        rows[i], place[i], fraction[i] = pool.rows[i], pool.place[i], pool.fraction[i]
    return Pool(rows, place, fraction)


@inlined
def _samples(pool, start, stop):
    """Return the rows, places and fractions of a slice, borrowed from the pool."""
    return borrow(pool.rows)[start:stop], borrow(pool.place)[start:stop], borrow(pool.fraction)[start:stop]


@kernel
def _enter(data, work, rows, fractions):
    """Fill the workspace's moments and totals for the node; return the sum of weight times squared targets."""
    moments, totals, table = work.moments, work.totals, data.moments
    if len(totals) == 2:
        weight, target, square = 0.0, 0.0, 0.0
        for i in range(len(rows)):
            row, part = rows[i], fractions[i]
            here, there = part * table[row, 0], part * table[row, 1]
            moments[i, 0], moments[i, 1] = here, there
            weight += here
            target += there
            square += part * table[row, 2]
        totals[0], totals[1] = weight, target
        return square
    square = 0.0
    for c in range(len(totals)):
        totals[c] = 0.0
    for i in range(len(rows)):
        row, part = rows[i], fractions[i]
        for c in range(len(totals)):
            moments[i, c] = part * table[row, c]
            totals[c] += moments[i, c]
        square += part * table[row, len(totals)]
    return square


@kernel
def _describe(data, work, node, value, square):
    """Write the node's value, weight and impurity; return the impurity."""
    totals = work.totals
    rest = square
    for c in range(1, len(totals)):
        value[c - 1] = totals[c] / totals[0]
        rest -= totals[c] * totals[c] / totals[0]
    node.left = node.right = LEAF
    node.weight = totals[0]
    node.impurity = max(data.factor * rest / totals[0], 0.0)
    return node.impurity


@inlined
def _may_split(data, parameters, weight, depth, impurity):
    """Return whether a node is heavy, shallow and impure enough to be split."""
    is_heavy = weight >= parameters.min_weight * (1 - TIE)
    return is_heavy and depth <= parameters.max_depth and impurity > LEAST_GAIN * data.unit


@kernel
def _link(nodes, parent, is_left, node):
    """Tell the parent, if there is one, which node its child is."""
    if parent >= 0 and is_left:
        nodes[parent].left = node
    elif parent >= 0:
        nodes[parent].right = node


@kernel
def _draw(features, n, state):
    """Move a random choice of n features to the front, in ascending order; nothing where it is all of them."""
    if n >= len(features):
        return
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
def _part(pool, start, stop, left, min_fraction):
    """Write both children's samples above the node's; return the ends of the right and of the left child's slice.

    The right child's slice begins where the node's ends, and the left child's one node size above that.
    """
    rows, places, fraction = borrow(pool.rows), borrow(pool.place), borrow(pool.fraction)
    own_rows, wholes, n = rows[start:stop], fraction[start:stop], stop - start
    if min_fraction > TIE:
        _round(wholes, left, min_fraction)
    right_rows, right_places, right_fraction = rows[stop:], places[stop:], fraction[stop:]
    left_rows, left_places, left_fraction = rows[stop + n :], places[stop + n :], fraction[stop + n :]
    n_right, n_left = np.uint32(0), np.uint32(0)
    for place in range(n):
        row, share = own_rows[place], wholes[place]
        part = min(max(left[place], 0.0), 1.0)
        here, there = share * part, share * (1.0 - part)
        right_rows[n_right], right_places[n_right], right_fraction[n_right] = row, place, there
        n_right = np.uint32(n_right + np.uint32(there > DROPPED))
        left_rows[n_left], left_places[n_left], left_fraction[n_left] = row, place, here
        n_left = np.uint32(n_left + np.uint32(here > DROPPED))
    return stop + np.int64(n_right), stop + n + np.int64(n_left)


@kernel
def _round(wholes, left, min_fraction):
    """Send samples wholly to the child that gets more of them where the other one would get too little."""
    for i in range(len(wholes)):
        part = min(max(left[i], 0.0), 1.0)
        if min(wholes[i] * part, wholes[i] * (1.0 - part)) < min_fraction - TIE:
            left[i] = 1.0 if part > 0.5 - TIE else 0.0


@kernel
def _is_heavy(data, pool, start, stop, least):
    """Return whether a child, whose samples are pool[start:stop], has any, and the least weight of a leaf."""
    if start == stop or least <= 0:
        return start < stop
    return _weight_of(data, pool, start, stop) >= least * (1 - HEAVY)


@kernel
def _weight_of(data, pool, start, stop):
    weight = 0.0
    for i in range(start, stop):
        weight += pool.fraction[i] * data.moments[pool.rows[i], 0]
    return weight


@kernel
def _make_room(waiting, n):
    if n <= len(waiting):
        return waiting
    more = np.empty(2 * n, waiting.dtype)
    for i in range(len(waiting)):
        more[i] = waiting[i]
    return more


@kernel
def _wait(one, node):
    """Write a node into an entry of those that wait."""
    one.parent, one.is_left, one.depth = node.parent, node.is_left, node.depth
    one.block, one.start, one.stop = node.block, node.start, node.stop


@kernel
def _add_node(nodes, values, n):
    if n < len(nodes):
        return nodes, values
    longer, taller = np.empty(2 * n, nodes.dtype), np.empty((2 * n, values.shape[1]))
    for i in range(n):
        longer[i] = nodes[i]
        for c in range(values.shape[1]):
            taller[i, c] = values[i, c]
    return longer, taller


@kernel
def _grow(data, work, parameters, seed, signals, memory):
    """Return the nodes (NODE) in preorder, their mean targets, and (decisions, cuts' values, cuts' weights).

    memory is an empty ModulePool, and an array for lists (`sorted_blocks.empty_lists`).
    """
    data, work = borrow(data), borrow(work)
    n, n_targets = data.columns.values.shape[1], data.moments.shape[1] - 2
    nodes, values, n_nodes = np.empty(64, NODE), np.empty((64, n_targets)), 0
    waiting, n_waiting = np.empty(64, WAITING), 1
    _wait(waiting[0], WaitingNode(-1, False, 1, 0, 0, n))
    pool, modules, blocks = _first_pool(n), memory[0], first_block(data.columns, memory[1])
    own_places, state, share_done = np.empty(n, np.uint32), np.array([seed], np.uint64), 0.0
    while n_waiting > 0:
        own, n_waiting = waiting[n_waiting - 1], n_waiting - 1
        parent, depth, block, start, stop = own.parent, own.depth, own.block, own.start, own.stop
        rows, places, fractions = _samples(pool, start, stop)
        square = _enter(data, work, rows, fractions)
        nodes, values = _add_node(nodes, values, n_nodes)
        node, me, n_nodes = nodes[n_nodes], n_nodes, n_nodes + 1
        _link(nodes, parent, own.is_left, me)
        impurity = _describe(data, work, node, values[me], square)
        node.n_samples, node.first = stop - start, modules.used[0]
        least, weight, n_cuts = np.inf, node.weight, modules.used[1]
        tolerance = parameters.eta * data.unit / depth**3
        k = min(parameters.k * weight**parameters.power, weight)
        if signals[1] == 0 and _may_split(data, parameters, weight, depth, impurity):
            if wants_block(blocks, block, len(places)):  # they are few of those in the block so far
                blocks, block = add_block(blocks, block, places, own_places), block + 1
            _draw(work.features, parameters.max_features, state)
            sum_levels(rows, data, work)
            here = ModuleNode(rows, weight, impurity, square, tolerance, k, borrow(blocks), block)
            least = search(data, parameters, work, here)
            if least < np.inf:
                modules = write_module(data, parameters, work, here, choose(data, parameters, work, here), modules)
        if least < np.inf:
            top, least_weight = 2 * stop - start, parameters.min_leaf_weight
            pool = _larger(pool, stop, 3 * stop - 2 * start + 2)
            right, left = _part(pool, start, stop, work.left, parameters.min_fraction)
            if _is_heavy(data, pool, stop, right, least_weight) and _is_heavy(data, pool, top, left, least_weight):
                waiting = _make_room(waiting, n_waiting + 2)
                _wait(waiting[n_waiting], WaitingNode(me, False, depth + 1, block, stop, right))
                _wait(waiting[n_waiting + 1], WaitingNode(me, True, depth + 1, block, top, left))
                n_waiting += 2
            else:  # a child would be empty or too light
                modules.used[0], modules.used[1] = node.first, n_cuts
                least = np.inf
        if least == np.inf:
            share_done += weight
            signals[0] = int(share_done)
    return nodes[:n_nodes], values[:n_nodes], _used_part(modules)


@kernel
def _used_part(grown):
    """Return the decisions, and the values and weights of the cuts, as far as they are written."""
    n_decisions, n_cuts = grown.used
    return grown.decisions[:n_decisions], grown.value[:n_cuts], grown.weight[:n_cuts]


def cultivate(
    data: ModuleData, parameters: CultivatedParameters, seed: int, signals: np.ndarray
) -> CultivatedTree:
    """Grow a cultivated tree.

    signals (2,) int64 is shared with another thread: [0] counts the weight that has reached leaves; a value
    other than 0 in [1] stops growing, and nodes not split by then become leaves.
    """
    work = make_workspace(data.columns, data.moments.shape[1] - 2, parameters)
    memory = _first_cuts(len(data.moments)), empty_lists(data.columns)
    nodes, values, (decisions, *cuts) = _grow(data, work, parameters, np.uint64(seed), signals, memory)
    cut_value, cut_weight = (_trim(array, len(memory[0].value)) for array in cuts)
    return make_cultivated(
        nodes["left"], nodes["right"], nodes["n_samples"], nodes["weight"], values, nodes["impurity"],
        (
            np.append(nodes["first"], len(decisions)), decisions["feature"], decisions["threshold"],
            decisions["reversed"], decisions["share"], decisions["missing_left"], decisions["impurity"],
        ),
        (np.append(decisions["first"], len(cut_value)), cut_value, cut_weight),
    )  # fmt: skip


def _trim(array: np.ndarray, room: int) -> np.ndarray:
    """Return the array, copied where less than half of the room that it keeps is used."""
    return array if 2 * len(array) > room else array.copy()

"""A tree of gradient boosting, grown leaf by leaf: the leaf that gains most is split next.

Leaf by leaf, not level by level: with as many leaves the loss falls further, a limit of leaves can be any number,
and with a limit of depth alone both give the same tree. Of two children the smaller one sums its rows into a
histogram; the other one's is their parent's, less that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.boosting.best_split import NodeSums, best_split, parts_missing, step_of
from espalier.kernels.boosting.histogram import fill, take_away

NO_SLOT = -1


class Family(NamedTuple):
    """A node and its two children."""

    parent: int
    smaller: int  # the child with fewer rows
    larger: int


@kernel
def _add_node(room, node, start, stop, depth):
    nodes = room.nodes
    nodes.start[node], nodes.stop[node], nodes.depth[node] = start, stop, depth
    nodes.child[node], nodes.slot[node], nodes.feature[node] = -1, NO_SLOT, -1
    nodes.low[node], nodes.high[node] = -np.inf, np.inf


@kernel
def _sum_pairs(rows, pair, total):
    total[0], total[1] = 0, 0
    for row in rows:
        total[0] += pair[row, 0]
        total[1] += pair[row, 1]


@kernel
def _may_split(nodes, node, n_leaves, limits):
    """Whether a node may have children once the tree has n_leaves."""
    has_room = limits.max_leaves == 0 or n_leaves < limits.max_leaves
    enough = nodes.stop[node] - nodes.start[node] >= 2 * limits.split.min_leaf
    return has_room and enough and nodes.depth[node] < limits.max_depth


@kernel
def _take_slot(room):
    """A free slot, or the last one, which is nobody's."""
    if room.free[0] == 0:
        return len(room.cells) - 1
    slot = room.free[room.free[0]]
    room.free[0] -= 1
    return slot


@kernel
def _give_back(room, slot):
    if slot != NO_SLOT and slot != len(room.cells) - 1:
        room.free[0] += 1
        room.free[room.free[0]] = slot


@kernel
def _search(table, limits, room, node, slot):
    """Find the node's best split from its histogram; keep both if there is one."""
    nodes = room.nodes
    sums = NodeSums(nodes.total[node, 0], nodes.total[node, 1], nodes.low[node], nodes.high[node])
    found = best_split(table, room.cells[slot], sums, limits.split)
    if found.feature < 0:
        _give_back(room, slot)
        return
    nodes.gain[node], nodes.feature[node], nodes.bin[node] = found.gain, found.feature, found.bin
    nodes.mask[node], nodes.missing_left[node] = found.mask, found.missing_left
    nodes.slot[node] = slot if slot < len(room.cells) - 1 else NO_SLOT
    room.waiting[0] += 1
    room.waiting[room.waiting[0]] = node


@kernel
def _next_node(room, limits):
    """The node that is split next, taken from those that wait: that of most gain, the first of equals."""
    waiting, gain = room.waiting, room.nodes.gain
    at = n = waiting[0]
    if limits.max_leaves > 0:
        for i in range(1, n):
            better = gain[waiting[i]] > gain[waiting[at]]
            if better or (gain[waiting[i]] == gain[waiting[at]] and waiting[i] < waiting[at]):
                at = i
    node = waiting[at]
    waiting[at] = waiting[n]
    waiting[0] = n - 1
    return node


@kernel
def _choose_sides(table, room, node):
    """Write for every code of the node's feature whether it goes left; returns the code of a missing value."""
    nodes, side = room.nodes, room.side
    feature = nodes.feature[node]
    missing = table.start[feature + 1] - table.start[feature] - 1
    for code in range(missing):
        if table.is_category[feature]:
            side[code] = (nodes.mask[node] >> np.uint64(code)) & np.uint64(1)
        else:
            side[code] = code <= nodes.bin[node]
    side[missing] = nodes.missing_left[node]
    return missing


@kernel
def _part(table, room, node):
    """Move the rows of a node to the sides of its split, in order; returns how many go left."""
    missing = _choose_sides(table, room, node)
    start, stop = room.nodes.start[node], room.nodes.stop[node]
    rows, spare, side = room.rows[start:stop], room.spare, room.side
    codes, feature = table.codes, np.uint64(room.nodes.feature[node])
    n_left, n_right, n_missing = np.uint64(0), np.uint64(0), 0
    for i in range(np.uint64(len(rows))):
        row = rows[i]
        code = codes[row, feature]
        goes = np.uint64(side[code])
        n_missing += code == missing
        rows[n_left] = row
        spare[n_right] = row
        n_left += goes
        n_right += np.uint64(1) - goes
    for i in range(n_right):
        rows[n_left + i] = spare[i]
    if n_missing == 0:  # then to the larger side, as in CART
        room.nodes.missing_left[node] = n_left > n_right
    return np.int64(n_left)


@kernel
def _split(table, pair, room, node, child):
    """Make both children of a node; returns the `Family`."""
    nodes = room.nodes
    start, stop, depth = nodes.start[node], nodes.stop[node], nodes.depth[node] + 1
    middle = start + _part(table, room, node)
    nodes.child[node] = child
    _add_node(room, child, start, middle, depth)
    _add_node(room, child + 1, middle, stop, depth)
    small, large = (child, child + 1) if middle - start <= stop - middle else (child + 1, child)
    _sum_pairs(room.rows[nodes.start[small] : nodes.stop[small]], pair, nodes.total[small])
    for i in range(2):
        nodes.total[large, i] = nodes.total[node, i] - nodes.total[small, i]
    return Family(node, small, large)


@kernel
def _step(nodes, node, limits):
    first, second = np.float64(nodes.total[node, 0]), np.float64(nodes.total[node, 1] >> limits.n_bits)
    return step_of(first, second + limits.ridge, nodes.low[node], nodes.high[node])


@kernel
def _bound_children(table, nodes, node, limits):
    """Bound the steps below a split: of a directed column by the middle of its sides' steps, else as the node's.

    The middle keeps all leaves of one side on its side of the other's, whatever is split later. It does not bind
    missing values that the split parts from all others.
    """
    if len(limits.direction) == 0:
        return
    child, way = nodes.child[node], limits.direction[nodes.feature[node]]
    for one in (child, child + 1):
        nodes.low[one], nodes.high[one] = nodes.low[node], nodes.high[node]
    first, stop = table.start[nodes.feature[node]], table.start[nodes.feature[node] + 1]
    if way == 0 or parts_missing(stop - first, nodes.bin[node], nodes.missing_left[node]):
        return
    middle = (_step(nodes, child, limits) + _step(nodes, child + 1, limits)) / 2
    below, above = (child, child + 1) if way > 0 else (child + 1, child)
    nodes.high[below], nodes.low[above] = middle, middle


@kernel
def _search_children(table, pair, limits, room, family, n_leaves):
    """Find the best splits of the children that may be split; the tree has n_leaves."""
    node, small, large = family.parent, family.smaller, family.larger
    nodes, slot = room.nodes, room.nodes.slot[node]
    nodes.slot[node] = NO_SLOT
    if not _may_split(nodes, large, n_leaves, limits):
        _give_back(room, slot)
        return
    own = _take_slot(room)
    fill(table, room.rows[nodes.start[small] : nodes.stop[small]], pair, room.cells[own])
    if slot != NO_SLOT:
        take_away(room.cells[slot], room.cells[own])
    if _may_split(nodes, small, n_leaves, limits):
        _search(table, limits, room, small, own)
    else:
        _give_back(room, own)
    if slot == NO_SLOT:
        slot = _take_slot(room)
        fill(table, room.rows[nodes.start[large] : nodes.stop[large]], pair, room.cells[slot])
    _search(table, limits, room, large, slot)


@kernel
def grow_leafwise(table, pair, limits, room, n_rows, signals):
    """Grow a tree of room.rows[:n_rows], with the pairs of `PackedDerivatives`; returns the number of nodes.

    signals are those of `espalier.progress.Progress`: growing ends with the tree so far once it is stopped.
    """
    free = room.free
    free[0] = len(free) - 1
    for i in range(1, len(free)):
        free[i] = len(free) - 1 - i
    room.waiting[0] = 0
    _add_node(room, 0, 0, n_rows, 0)
    _sum_pairs(room.rows[:n_rows], pair, room.nodes.total[0])
    if _may_split(room.nodes, 0, 1, limits):
        slot = _take_slot(room)
        fill(table, room.rows[:n_rows], pair, room.cells[slot])
        _search(table, limits, room, 0, slot)
    n_nodes, n_leaves = 1, 1
    while room.waiting[0] > 0 and signals[1] == 0 and (limits.max_leaves == 0 or n_leaves < limits.max_leaves):
        node = _next_node(room, limits)
        family = _split(table, pair, room, node, n_nodes)
        _bound_children(table, room.nodes, node, limits.split)
        n_nodes, n_leaves = n_nodes + 2, n_leaves + 1
        _search_children(table, pair, limits, room, family, n_leaves)
    for i in range(1, room.waiting[0] + 1):
        room.nodes.feature[room.waiting[i]] = -1
    return n_nodes

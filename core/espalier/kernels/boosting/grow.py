"""A tree of gradient boosting, grown leaf by leaf: the leaf that gains most is split next.

Leaf by leaf, not level by level: with as many leaves the loss falls further, a limit of leaves can be any number,
and with a limit of depth alone both give the same tree. Of two children the smaller one sums its rows into a
histogram; the other one's is their parent's, less that.

The split of a node that lowers the second-order approximation of the loss most. With the sums G and H of first and
second derivatives, a split gains ``G_left^2 / (H_left + ridge) + G_right^2 / (H_right + ridge) - G^2 / (H +
ridge)`` (Chen & Guestrin 2016, equation 7, twice), which for the squared error without a ridge is the decrease of
the sum of squares. Of equal splits the first feature's with the lowest threshold wins.

Where columns have directions, steps are kept within the bounds of their node, and both sides of a split on such a
column must step in its direction. Missing values have no place in the order: a split that parts them from all
others may step either way, as in CART. With the steps w a split gains ``-G_left w_left - G_right w_right + G w``,
which is the same wherever no bound is met.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.cart.columns import MAX_LEVELS


@kernel
def fill(table, rows, pair, cells):
    """Sum the pairs (n_samples, 2) of the rows of a node into cells (2 n_bins,) int64."""
    for i in range(len(cells)):
        cells[i] = 0
    codes, start = table.codes, table.start
    for row in rows:
        first, second = pair[row, 0], pair[row, 1]
        code = codes[row]
        for feature in range(np.uint32(len(code))):
            at = np.uint64(2) * (np.uint64(start[feature]) + np.uint64(code[feature]))
            cells[at] += first
            cells[at + np.uint64(1)] += second


@kernel
def take_away(cells, less):
    """Subtract a child's cells from its parent's, which leaves those of the other child."""
    for i in range(len(cells)):
        cells[i] -= less[i]


# ---- The best split of a node

LEAST_GAIN = 1e-12  # of the score of a split: less is rounding


class SplitLimits(NamedTuple):
    """What a split must leave on both sides; in the units of `PackedDerivatives`."""

    n_bits: int
    min_leaf: int  # samples
    min_second: float  # sum of second derivatives
    ridge: float  # added to each sum of second derivatives
    direction: np.ndarray  # (n_features,) int64: 1 if steps may only rise with a column, -1 fall, 0; empty: all 0


class NodeSums(NamedTuple):
    """The sums of a node, and the bounds of its steps."""

    first: int
    packed: int  # second derivatives and the number of rows
    low: float
    high: float


class DirectedCut(NamedTuple):
    """Left of the first bin of a column, and its direction."""

    first: int
    packed: int
    direction: int


class LeafSplit(NamedTuple):
    """A split of a leaf that may be made. No split has the feature -1."""

    score: float  # G_left^2 / (H_left + ridge) + G_right^2 / (H_right + ridge)
    gain: float  # what that is more than G^2 / (H + ridge)
    feature: int
    bin: int  # the last bin on the left; of categories the mask says who goes left
    mask: int  # uint64
    missing_left: bool


@kernel
def _scan(cells, n_cuts, before, node, limits, least):
    """Best cut of one order of bins: (score, cut), or (least, -1) if none is better than least.

    cells (2 n,) hold the sums; `before` is a `DirectedCut`, `node` the `NodeSums`.
    """
    n_bits, ridge, min_second = limits.n_bits, limits.ridge, limits.min_second
    count = (np.int64(1) << n_bits) - 1
    n = node.packed & count
    g, h = np.float64(node.first), np.float64(node.packed >> n_bits)
    left, second = before.first, before.packed
    best, cut = least, -1
    for b in range(np.uint64(n_cuts)):
        cell = cells[np.uint64(2) * b + np.uint64(1)]
        if cell == 0:
            continue
        left += cells[np.uint64(2) * b]
        second += cell
        n_left = second & count
        if n_left < limits.min_leaf:
            continue
        if n - n_left < limits.min_leaf:
            break
        g_left, h_left = np.float64(left), np.float64(second >> n_bits)
        g_right, h_right = g - g_left, h - h_left
        if min(h_left, h_right) < min_second:
            continue
        h_left, h_right = h_left + ridge, h_right + ridge
        above, below = g_left * g_left * h_right + g_right * g_right * h_left, h_left * h_right
        if above > best * below:  # dividing takes long
            best, cut = above / below, np.int64(b)
    return best, cut


@kernel
def step_of(first, second, low, high):
    """The step -G / (H + ridge) of a node, kept within its bounds."""
    step = -first / second if second > 0 else 0.0
    return min(max(step, low), high)


@kernel
def _scan_within(cells, n_cuts, before, node, limits, least):
    """The cut of `_scan` where steps have bounds; on a directed column both steps are in its direction."""
    n_bits, ridge = limits.n_bits, limits.ridge
    count = (np.int64(1) << n_bits) - 1
    g, h, n = np.float64(node.first), np.float64(node.packed >> n_bits), node.packed & count
    left, second, best, cut = before.first, before.packed, least, -1
    for b in range(n_cuts):
        if cells[2 * b + 1] == 0:
            continue
        left, second = left + cells[2 * b], second + cells[2 * b + 1]
        n_left = second & count
        g_left, h_left = np.float64(left), np.float64(second >> n_bits)
        if min(n_left, n - n_left) < limits.min_leaf or min(h_left, h - h_left) < limits.min_second:
            continue
        here = step_of(g_left, h_left + ridge, node.low, node.high)
        there = step_of(g - g_left, h - h_left + ridge, node.low, node.high)
        score = -(g_left * here + (g - g_left) * there)
        if before.direction * (there - here) >= 0 and score > best:
            best, cut = score, b
    return best, np.int64(cut)


@kernel
def _cut(cells, n_cuts, before, node, limits, best):
    """The best cut of one order of bins that is better than the split `best`, as in `_scan`."""
    if len(limits.direction) == 0:
        return _scan(cells, n_cuts, before, node, limits, best.score)
    return _scan_within(cells, n_cuts, before, node, limits, best.score)


@kernel
def parts_missing(n_bins, cut, missing_left):
    """Whether a cut of a column of numbers, the last of whose bins is of missing values, parts these from all."""
    return cut == n_bins - 2 and not missing_left


@kernel
def _search_apart(cells, feature, node, limits, best):
    """The better of `best` and the split that parts missing values from all others, which steps either way."""
    last = len(cells) // 2 - 1
    either = DirectedCut(np.int64(0), np.int64(0), np.int64(0))
    score, cut = _cut(cells[2 * last :], 1, either, node, limits, best)
    return best if cut < 0 else LeafSplit(score, 0.0, feature, last - 1, np.uint64(0), False)


@kernel
def _search_numbers(cells, feature, node, limits, best):
    """The better of `best` and the best split of a column of numbers; missing values go to either side."""
    last = len(cells) // 2 - 1
    missing = (cells[2 * last], cells[2 * last + 1])
    has_missing = missing[1] != 0
    way = limits.direction[feature] if len(limits.direction) > 0 else 0
    none = DirectedCut(np.int64(0), np.int64(0), way)
    n_cuts = last - 1 + has_missing
    if way != 0 and has_missing:
        best, n_cuts = _search_apart(cells, feature, node, limits, best), last - 1
    score, cut = _cut(cells, n_cuts, none, node, limits, best)
    if cut >= 0:
        best = LeafSplit(score, 0.0, feature, cut, np.uint64(0), False)
    if has_missing:
        score, cut = _cut(cells, last - 1, DirectedCut(missing[0], missing[1], way), node, limits, best)
        if cut >= 0:
            best = LeafSplit(score, 0.0, feature, cut, np.uint64(0), True)
    return best


@kernel
def _order_of_categories(cells, limits, steps, order):
    """Write into order the categories that occur, by their own steps G / (H + ridge); returns how many."""
    n = 0
    for b in range(len(cells) // 2 - 1):
        if cells[2 * b + 1] != 0:
            second = np.float64(cells[2 * b + 1] >> limits.n_bits) + limits.ridge
            steps[n] = np.float64(cells[2 * b]) / max(second, limits.min_second)
            order[n] = b
            n += 1
    for i in range(1, n):  # by insertion: few, and stable
        step, b, j = steps[i], order[i], i
        while j > 0 and steps[j - 1] > step:
            steps[j], order[j] = steps[j - 1], order[j - 1]
            j -= 1
        steps[j], order[j] = step, b
    return n


@kernel
def _search_categories(cells, feature, node, limits, best):
    """The better of `best` and the best set of categories: with the loss's own steps as order, no set is better.

    For the squared error that is Fisher (1958); Breiman et al. (1984), section 4.2. Missing values stand at either
    end of the order, or apart from all known ones.
    """
    steps = np.empty(MAX_LEVELS + 1)
    order = np.empty(MAX_LEVELS + 1, np.int64)
    last = len(cells) // 2 - 1
    n = _order_of_categories(cells, limits, steps, order)
    sequence = np.empty(2 * (MAX_LEVELS + 1), np.int64)
    for i in range(n):
        sequence[2 * i], sequence[2 * i + 1] = cells[2 * order[i]], cells[2 * order[i] + 1]
    missing = (cells[2 * last], cells[2 * last + 1])
    has_missing = missing[1] != 0
    for missing_left in range(1 + has_missing):
        outside = missing if missing_left else (np.int64(0), np.int64(0))
        before = DirectedCut(outside[0], outside[1], 0)
        n_cuts = n if has_missing and not missing_left else n - 1
        score, cut = _cut(sequence, max(n_cuts, 0), before, node, limits, best)
        if cut >= 0:
            mask = np.uint64(0)
            for i in range(cut + 1):
                mask |= np.uint64(1) << np.uint64(order[i])
            best = LeafSplit(score, 0.0, feature, order[cut], mask, missing_left == 1)
    return best


@kernel
def best_split(table, cells, node, limits):
    """The best split of a node with these `NodeSums` and cells (2 n_bins,)."""
    second = np.float64(node.packed >> limits.n_bits) + limits.ridge
    first = np.float64(node.first)
    parent = first * first / second if second > 0 else 0.0
    if len(limits.direction) > 0:
        parent = -first * step_of(first, second, node.low, node.high)
    none = LeafSplit(parent, 0.0, np.int64(-1), np.int64(-1), np.uint64(0), False)
    best = none
    for feature in range(len(table.is_category)):
        own = cells[2 * table.start[feature] : 2 * table.start[feature + 1]]
        if table.is_category[feature]:
            best = _search_categories(own, feature, node, limits, best)
        else:
            best = _search_numbers(own, feature, node, limits, best)
    gain = best.score - parent
    if gain <= LEAST_GAIN * best.score:
        return none
    return LeafSplit(best.score, gain, best.feature, best.bin, best.mask, best.missing_left)


# ---- Growing

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
    split = best_split(table, room.cells[slot], sums, limits.split)
    if split.feature < 0:
        _give_back(room, slot)
        return
    nodes.gain[node], nodes.feature[node], nodes.bin[node] = split.gain, split.feature, split.bin
    nodes.mask[node], nodes.missing_left[node] = split.mask, split.missing_left
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
    for side in (child, child + 1):
        nodes.low[side], nodes.high[side] = nodes.low[node], nodes.high[node]
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

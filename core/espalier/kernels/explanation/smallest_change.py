"""Branch and bound for the smallest change of a sample that moves a forest's score to a goal.

The search goes through sets of changes: each column keeps its own value, or changes to a cell between two, or is
open. Over such a set no change scores more than the sum over the trees of the best leaf that it leads to. Of the
set, the change that costs least is asked itself; while it falls short, the set is parted at the column that
the best leaves need most, and the cheaper part is searched first, depth first (Land & Doig 1960; for the bound
compare Cui et al. 2015, Devos et al. 2021).

The search stops whenever it needs something: more room, more time, or the model's own word on a tie.

The leaves that changes of a sample lead to, as boxes over the cells between a forest's thresholds. A column is a
feature that may change; its cells are the values that it may take instead of its own, one between any two
thresholds. A leaf admits an interval of the cells of a number, or a set of categories, and it may admit the
sample's own value, which is in no cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel, uncounted
from espalier.kernels.route import goes_left, passes
from espalier.kernels.task import first_not_below
from espalier.trees import LEAF

MOST_CODES = 64  # of a column whose cells are a set
STAYS, OPEN = -1, -2  # in place of a column's first cell: it keeps its own value; or either


class ChangeCells(NamedTuple):
    """The cells of all columns, one column after the other: column c has ``start[c]:start[c + 1]``."""

    feature: np.ndarray  # (n_columns,) int64
    column: np.ndarray  # (n_features,) int64; -1 where a feature may not change
    is_set: np.ndarray  # (n_columns,) bool: categories, at most `MOST_CODES`, in no order
    start: np.ndarray  # (n_columns + 1,) int64
    value: np.ndarray  # (n_cells,) float64, ascending within a column
    cost: np.ndarray  # (n_cells,) float64: what it costs to change to it; falls towards `own`, then rises
    own: np.ndarray  # (n_columns,) int64: cells of a column before this one are below the sample's own value


class LeafBoxes(NamedTuple):
    """Leaves of all trees, tree after tree, that some change leads to."""

    tree: np.ndarray  # (n_leaves,) int64
    row: np.ndarray  # (n_leaves,) int64: its row in `PackedForest.value`
    is_missed: np.ndarray  # (n_leaves, n_columns) bool: whether the sample's own value is outside
    first: np.ndarray  # (n_leaves, n_columns) int32: first cell inside
    last: np.ndarray  # (n_leaves, n_columns) int32: last cell inside; below `first` if none is
    member: np.ndarray  # (n_leaves, n_columns) uint64: of a set, the cells inside, as bits
    start: np.ndarray  # (n_leaves + 1,) int64: a leaf misses the columns ``missed[start[i]:start[i + 1]]``
    missed: np.ndarray  # (n,) int32


@uncounted
def _restrict(tree, node, is_left, cells, boxes, at):
    """Narrow the box `at` to what the node sends to this side; return whether any cell remains."""
    column = cells.column[tree.feature[node]]
    begin, stop = cells.start[column], cells.start[column + 1]
    if cells.is_set[column]:
        for i in range(stop - begin):
            if goes_left(tree, node, cells.value[begin + i]) != is_left:
                boxes.member[at, column] &= ~(np.uint64(1) << np.uint64(i))
        return boxes.member[at, column] != 0
    above = np.nextafter(tree.threshold[node], np.inf)  # the least number that goes right
    below = first_not_below(cells.value, begin, stop, above) - begin
    if is_left:
        boxes.last[at, column] = min(boxes.last[at, column], below - 1)
    else:
        boxes.first[at, column] = max(boxes.first[at, column], below)
    return boxes.first[at, column] <= boxes.last[at, column]


@uncounted
def _enter(tree, node, is_left, sample, cells, boxes):
    """Write the box of a child, whose place is its number; return whether a change leads there."""
    child, own = (
        tree.left[node] if is_left else tree.right[node],
        goes_left(tree, node, sample[tree.feature[node]]),
    )
    column = cells.column[tree.feature[node]]
    if column < 0:
        if own != is_left:
            return False
        _copy(boxes, node, boxes, child)
        return True
    _copy(boxes, node, boxes, child)
    has_cells = _restrict(tree, node, is_left, cells, boxes, child)
    boxes.is_missed[child, column] |= own != is_left
    return has_cells or not boxes.is_missed[child, column]


@uncounted
def _copy(source, at, target, to):
    for column in range(source.first.shape[1]):
        target.is_missed[to, column] = source.is_missed[at, column]
        target.first[to, column] = source.first[at, column]
        target.last[to, column] = source.last[at, column]
        target.member[to, column] = source.member[at, column]


@kernel
def add_leaves(tree, number, first_row, sample, cells, boxes, n):
    """Write the leaves of a tree that some change of the sample leads to, from place n on; return the next place.

    sample is (n_features,), first_row the row of the tree's first leaf in `PackedForest.value`. No surrogate split
    of the tree may be asked.
    """
    row, size, n_columns = first_row, len(tree.feature), len(cells.feature)
    nodes = empty_boxes(size, n_columns)
    _open_root(cells, nodes)
    is_reached = np.zeros(size, np.bool_)
    is_reached[0] = True
    for node in range(size):
        is_leaf = tree.feature[node] == LEAF
        row += is_leaf
        if not is_reached[node]:
            continue
        if is_leaf:
            boxes.tree[n], boxes.row[n] = number, row - 1
            _copy(nodes, node, boxes, n)
            n += 1
            continue
        is_reached[tree.left[node]] = _enter(tree, node, True, sample, cells, nodes)
        is_reached[tree.right[node]] = _enter(tree, node, False, sample, cells, nodes)
    return n


@uncounted
def _open_root(cells, boxes):
    for column in range(len(cells.feature)):
        size = cells.start[column + 1] - cells.start[column]
        boxes.first[0, column], boxes.last[0, column] = 0, size - 1
        boxes.member[0, column] = ~np.uint64(0) >> np.uint64(64 - min(size, MOST_CODES))


@kernel
def empty_boxes(n, n_columns):
    """Return room for n leaves."""
    zeros, wide = np.zeros(n, np.int64), np.zeros((n, n_columns), np.int32)
    is_missed, member = np.zeros((n, n_columns), np.bool_), np.zeros((n, n_columns), np.uint64)
    return LeafBoxes(
        zeros, zeros.copy(), is_missed, wide, wide.copy(), member, zeros.copy(), np.empty(0, np.int32)
    )


@uncounted
def meets(boxes, leaf, cells, column, low, high):
    """Return whether a leaf admits any cell of a column from `low` to `high`."""
    if cells.is_set[column]:
        span = ~np.uint64(0) >> np.uint64(63 - (high - low))
        return (boxes.member[leaf, column] >> np.uint64(low)) & span != 0
    first, last = boxes.first[leaf, column], boxes.last[leaf, column]
    return first <= high and last >= low and first <= last


@uncounted
def nearest(cells, column, low, high):
    """Return the cheapest cell of a column from `low` to `high`."""
    begin, own = cells.start[column], cells.own[column]
    if high < own:
        return high
    if low >= own:
        return low
    return own if cells.cost[begin + own] < cells.cost[begin + own - 1] else own - 1


# ---- The search

DONE, ASK, PAUSE, ROOM = range(4)  # why the search returns
N_TODO, LEVEL, N_STEPS, ANSWER = range(4)  # places in counts
YES, NO, NOT_ASKED = 1, 0, -1
NOTHING = -1  # in place of a level
LEAST_GAIN = 1e-300  # of a column that any leaf needs: where others have changed, it may gain


class ChangeGoal(NamedTuple):
    """What is searched for."""

    score: np.ndarray  # (n_leaves,) float64: of the leaves of `LeafBoxes`
    of_rows: np.ndarray  # (n_rows,) float64: of all leaves, the rows of `PackedForest.value`
    needed: float  # sum of the trees' scores, at least
    doubt: float  # so near to it, the model itself decides
    most: int  # columns that change, at most


class OpenSets(NamedTuple):
    """The set that is searched and those that it is a part of, a level for each; and the parts still to search."""

    leaf: np.ndarray  # (room,) int32: the leaves that each level leads to, level after level
    needs: np.ndarray  # (room,) int16: columns that have to change for it and are open
    start: np.ndarray  # (n_levels + 1,) int64: of the levels in these
    low: np.ndarray  # (n_levels, n_columns) int32: first cell, or STAYS or OPEN
    high: np.ndarray  # (n_levels, n_columns) int32
    best: np.ndarray  # (n_levels, n_trees) float64: best score that each tree reaches
    best_leaf: np.ndarray  # (n_levels, n_trees) int32
    left: np.ndarray  # (n_levels,) int64: columns that may still change
    column: np.ndarray  # (n_levels,) int64: the open one that may gain most
    todo: np.ndarray  # (n_todo, 4) int64: a level, and a column's first and last cell, to which it is narrowed


class FoundChange(NamedTuple):
    """The cheapest change so far."""

    cell: np.ndarray  # (n_columns,) int64; STAYS where a column keeps its value
    cost: np.ndarray  # (1,) float64; inf if there is none


class NearestPoint(NamedTuple):
    """The cheapest change of a set."""

    cell: np.ndarray  # (n_columns,) int64
    value: np.ndarray  # (n_features,) float64: the changed sample
    score: np.ndarray  # (n_trees,) float64


def open_sets(n_leaves: int, n_levels: int, n_columns: int, n_trees: int) -> OpenSets:
    """Return room for so many leaves, levels, columns and trees."""
    wide, trees = (n_levels, n_columns), (n_levels, n_trees)
    return OpenSets(
        np.empty(n_leaves, np.int32), np.empty(n_leaves, np.int16), np.zeros(n_levels + 1, np.int64),
        np.empty(wide, np.int32), np.empty(wide, np.int32), np.empty(trees), np.empty(trees, np.int32),
        np.empty(n_levels, np.int64), np.empty(n_levels, np.int64), np.empty((2 * n_levels, 4), np.int64),
    )  # fmt: skip


@kernel
def first_set(boxes, goal, sets):
    """Write the set of all changes as level 0; return whether any of them may do."""
    n = 0
    for leaf in range(len(boxes.tree)):
        n_missed = boxes.start[leaf + 1] - boxes.start[leaf]
        if n_missed <= goal.most:
            sets.leaf[n], sets.needs[n] = leaf, n_missed
            n += 1
    sets.start[0], sets.start[1] = 0, n
    sets.low[0], sets.left[0] = OPEN, goal.most
    return _bound(boxes, goal, sets, 0)


@kernel
def _bound(boxes, goal, sets, level):
    """Write the best leaf of each tree on a level; return whether the set may hold a change that does."""
    best, best_leaf = sets.best[level], sets.best_leaf[level]
    best[:] = -np.inf
    for i in range(sets.start[level], sets.start[level + 1]):
        leaf = sets.leaf[i]
        tree = boxes.tree[leaf]
        if goal.score[leaf] > best[tree]:
            best[tree], best_leaf[tree] = goal.score[leaf], leaf
    total = 0.0
    for tree in range(len(best)):
        total += best[tree]
    enough = goal.needed - goal.doubt
    return total >= enough and (sets.left[level] == 0 or _gain_enough(boxes, goal, sets, level, enough))


@kernel
def _gain_enough(boxes, goal, sets, level, enough):
    """Return whether as many open columns as may change can gain enough; write the one that may gain most.

    What a leaf scores more than the best one that needs no open column is owed to those that it needs, to each as
    much. A column gains in a tree at most the greatest part that it has of any leaf, since the columns that change
    include all that the tree's leaf needs. So the greatest sums of gains over all trees are a bound.
    """
    gain, base = np.zeros(sets.low.shape[1]), np.full(sets.best.shape[1], -np.inf)
    for i in range(sets.start[level], sets.start[level + 1]):
        leaf = sets.leaf[i]
        if sets.needs[i] == 0 and goal.score[leaf] > base[boxes.tree[leaf]]:
            base[boxes.tree[leaf]] = goal.score[leaf]
    _add_gains(boxes, goal, sets, level, base, gain)
    total = 0.0
    for each in base:
        total += each
    sets.column[level] = np.argmax(gain)
    most = _sum_greatest(gain, sets.left[level])
    return most > 0.0 and total + most >= enough


@uncounted
def _sum_greatest(gain, n):
    """Return the sum of the n greatest numbers, from the least of them on; overwrites them.

    The n greatest come first, in order, each having been swapped there.
    """
    n = min(n, len(gain))
    for i in range(n):
        for k in range(i + 1, len(gain)):
            if gain[k] > gain[i]:
                gain[i], gain[k] = gain[k], gain[i]
    total = 0.0
    for i in range(n - 1, -1, -1):
        total += gain[i]
    return total


@kernel
def _add_gains(boxes, goal, sets, level, base, gain):
    """Add to gain (n_columns,) what each open column may gain over the trees' scores without them, base."""
    here, tree, stop = np.zeros(len(gain)), 0, sets.start[level + 1]
    for i in range(sets.start[level], stop + 1):
        leaf = sets.leaf[i] if i < stop else 0
        if i == stop or boxes.tree[leaf] != tree:
            gain += here
            here[:] = 0.0
            tree = boxes.tree[leaf]
        if i == stop or sets.needs[i] == 0:
            continue
        part = max(LEAST_GAIN, (goal.score[leaf] - base[tree]) / sets.needs[i])
        for at in range(boxes.start[leaf], boxes.start[leaf + 1]):
            column = boxes.missed[at]
            if sets.low[level, column] == OPEN:
                here[column] = max(here[column], part)


@kernel
def _narrow(boxes, cells, goal, sets, level, column, low, high):
    """Write the part of a set in which a column is narrowed as the next level; return whether it may do."""
    below = level + 1
    sets.low[below], sets.high[below] = sets.low[level], sets.high[level]
    was_open = sets.low[level, column] == OPEN
    sets.low[below, column], sets.high[below, column] = low, high
    left = sets.left[level] - (was_open and low >= 0)
    sets.left[below] = left
    n = sets.start[below]
    for i in range(sets.start[level], sets.start[below]):
        leaf, needs = sets.leaf[i], sets.needs[i]
        if low == STAYS:
            is_in = not boxes.is_missed[leaf, column]
        else:
            if was_open:
                needs -= boxes.is_missed[leaf, column]
            is_in = needs <= left and meets(boxes, leaf, cells, column, low, high)
        sets.leaf[n], sets.needs[n] = leaf, needs
        n += is_in
    sets.start[below + 1] = n
    return _bound(boxes, goal, sets, below)


@uncounted
def _point_of(cells, sets, level, sample, point):
    """Write the cheapest change of a set; return its cost."""
    cost = 0.0
    for feature in range(len(sample)):
        point.value[feature] = sample[feature]
    for column in range(len(cells.feature)):
        point.cell[column] = STAYS
        if sets.low[level, column] >= 0:
            cell = nearest(cells, column, sets.low[level, column], sets.high[level, column])
            point.cell[column] = cell
            point.value[cells.feature[column]] = cells.value[cells.start[column] + cell]
            cost += cells.cost[cells.start[column] + cell]
    return cost


@uncounted
def _score_of(packed, of_rows, point):
    """Write the score of every tree for the changed sample; return their sum."""
    total = 0.0
    for tree in range(len(packed.root)):
        at = packed.root[tree]
        while packed.leaf[at] < 0:
            step = packed.nodes[at]
            value = point.value[step.feature]
            is_left = value <= step.threshold
            if not is_left:  # a greater, a missing value, or a category
                is_left = passes(value, step.threshold, packed.categories[at], packed.missing_left[at])
            at = np.int64(step.next) + (not is_left)
        point.score[tree] = of_rows[packed.leaf[at]]
        total += point.score[tree]
    return total


@uncounted
def _misses(boxes, cells, leaf, column, cell):
    return boxes.is_missed[leaf, column] if cell == STAYS else not meets(boxes, leaf, cells, column, cell, cell)


@kernel
def _part(boxes, cells, sets, level, point):
    """Return the column that the best leaves need most beyond the cheapest change, and the cell to part it at.

    The column is -1 if they need none. A cell is of no account for a column that is open.
    """
    credit, most = np.zeros(len(cells.feature)), np.zeros(len(cells.feature))
    at = np.zeros(len(credit), np.int64)
    for tree in range(len(point.score)):
        gap, leaf = sets.best[level, tree] - point.score[tree], sets.best_leaf[level, tree]
        if gap <= 0.0:
            continue
        for column in range(len(credit)):
            cell = point.cell[column]
            if sets.low[level, column] == STAYS or not _misses(boxes, cells, leaf, column, cell):
                continue
            credit[column] += gap
            if gap > most[column] and cell >= 0:
                most[column] = gap
                at[column] = _cut_between(boxes, cells, sets, level, leaf, column, cell)
    column = np.argmax(credit) if len(credit) else 0
    return (column, at[column]) if len(credit) and credit[column] > 0.0 else (-1, 0)


@uncounted
def _cut_between(boxes, cells, sets, level, leaf, column, cell):
    """Return the first cell of the upper of two parts, of which one has the cell and the other the leaf's."""
    if cells.is_set[column]:
        return cell + 1 if cell < sets.high[level, column] else cell
    first = boxes.first[leaf, column]
    return first if first > cell else boxes.last[leaf, column] + 1


@uncounted
def _any_part(sets, level, cells):
    """Return a column of which more than one value remains, and the cell to part it at; or -1."""
    for column in range(len(cells.feature)):
        low, high = sets.low[level, column], sets.high[level, column]
        if low >= 0 and low < high:
            return column, (low + high + 1) // 2
    return -1, 0


@uncounted
def _push(sets, counts, level, column, low, high):
    task = sets.todo[counts[N_TODO]]
    task[0], task[1], task[2], task[3] = level, column, low, high
    counts[N_TODO] += 1


@uncounted
def _divide(cells, sets, counts, level, column, cut, cell):
    """Note both parts of a set as still to search; what is noted last is searched first."""
    low, high = sets.low[level, column], sets.high[level, column]
    if low == OPEN:
        size = cells.start[column + 1] - cells.start[column]
        _push(sets, counts, level, column, STAYS, STAYS)
        _push(sets, counts, level, column, 0, size - 1)
    elif cell < cut:
        _push(sets, counts, level, column, cut, high)
        _push(sets, counts, level, column, low, cut - 1)
    else:
        _push(sets, counts, level, column, low, cut - 1)
        _push(sets, counts, level, column, cut, high)


@uncounted
def _cost_without(cells, sets, level, column):
    """Return what a set costs at least without what a column costs."""
    cost = 0.0
    for other in range(len(cells.feature)):
        if other != column and sets.low[level, other] >= 0:
            cell = nearest(cells, other, sets.low[level, other], sets.high[level, other])
            cost += cells.cost[cells.start[other] + cell]
    return cost


@uncounted
def _trim(cells, column, low, high, budget):
    """Return the cells from `low` to `high` without those at the ends that cost as much as the budget, or more."""
    begin = cells.start[column]
    while low <= high and cells.cost[begin + low] >= budget:
        low += 1
    while low <= high and cells.cost[begin + high] >= budget:
        high -= 1
    return low, high


@kernel
def _next_set(boxes, cells, goal, sets, counts, found):
    """Take a part that is to be searched; return its level, or -1 if it has nothing that is good enough."""
    counts[N_TODO] -= 1
    task = sets.todo[counts[N_TODO]]
    level, column, low, high = task[0], task[1], task[2], task[3]
    if low >= 0 and found.cost[0] < np.inf:  # it has to be cheaper than that
        budget = found.cost[0] - _cost_without(cells, sets, level, column)
        low, high = _trim(cells, column, low, high, budget)
        if low > high:
            return -1
    return level + 1 if _narrow(boxes, cells, goal, sets, level, column, low, high) else -1


@uncounted
def _has_room(sets, counts):
    """Return whether another level and its parts fit."""
    if counts[N_TODO] == 0:
        return True
    level = sets.todo[counts[N_TODO] - 1, 0]
    size = sets.start[level + 1] - sets.start[level]
    fits = sets.start[level + 1] + size <= len(sets.leaf) and level + 2 < len(sets.left)
    return fits and counts[N_TODO] + 2 <= len(sets.todo)


@kernel
def _look_at(packed, boxes, cells, goal, sample, sets, counts, point, found):
    """Ask the cheapest change of a set, and take it or part the set; return False if the model has to be asked."""
    level, answer = counts[LEVEL], counts[ANSWER]
    if sets.left[level] > 0:
        _divide(cells, sets, counts, level, sets.column[level], 0, STAYS)
        return True
    level, answer = counts[LEVEL], counts[ANSWER]
    cost = _point_of(cells, sets, level, sample, point)
    if cost >= found.cost[0]:
        return True
    over = _score_of(packed, goal.of_rows, point) - goal.needed
    if answer == NOT_ASKED and abs(over) <= goal.doubt:
        return False
    counts[ANSWER] = NOT_ASKED
    if answer == YES or (answer == NOT_ASKED and over > 0):
        found.cost[0] = cost
        found.cell[:] = point.cell
        return True
    column, cut = _part(boxes, cells, sets, level, point)
    if column < 0:
        column, cut = _any_part(sets, level, cells)
    if column >= 0:
        _divide(cells, sets, counts, level, column, cut, point.cell[column])
    return True


@kernel
def search(packed, boxes, cells, goal, sample, sets, counts, point, found, until):
    """Search until done, or until so many steps in all are taken; return why it stops, one of the four above.

    counts (4,) int64 begins at level 0, with NOT_ASKED. After ASK, the model has to say whether ``point.value``
    does; its answer goes into ``counts[ANSWER]``.
    """
    while True:
        if counts[LEVEL] != NOTHING:
            if not _look_at(packed, boxes, cells, goal, sample, sets, counts, point, found):
                return ASK
            counts[LEVEL] = NOTHING
        if counts[N_TODO] == 0:
            return DONE
        if not _has_room(sets, counts):
            return ROOM
        if counts[N_STEPS] >= until:
            return PAUSE
        counts[N_STEPS] += 1
        counts[LEVEL] = _next_set(boxes, cells, goal, sets, counts, found)

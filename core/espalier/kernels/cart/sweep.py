"""The search along one sorted list: the cut with the largest score, as (score, position).

Each function returns (best, -1) if no cut beats the score `best` that it was given, so that ties keep the first
cut of the first feature.

Splits where columns have directions: predictions may only rise, or only fall, with such a column. A node has
bounds for what its leaves may predict: a number, or the share of the second of two classes. On a directed column a
split is admitted if both of its sides predict within these bounds, and in the direction of the column. Below it
the middle of both sides bounds either of them, so that all leaves of one side stay on their side of the other's,
whatever is split later. Below any other split both sides keep the node's bounds. A node that would predict more or
less predicts its bound. That is the way of scikit-learn's trees.

Every node's prediction lies within its bounds, and so a tree that is pruned keeps its directions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.task import (
    ENTROPY,
    GINI,
    POISSON,
    ROUNDING,
    beyond,
    clear,
    score,
    score_of_sides,
    score_of_squares,
    score_of_two,
    total,
    x_log_x,
)

BLOCK = 64


class PairBlock(NamedTuple):
    """A block of cuts, from start to stop, with the samples of both classes to its left and in the node."""

    start: int
    stop: int
    left_0: int
    left_1: int
    node_0: int
    node_1: int


class ClassSums(NamedTuple):
    """The weights of the classes in a node, and scratch memory for those beside a cut; (n_classes,) each."""

    node: np.ndarray
    left: np.ndarray
    right: np.ndarray
    ahead: np.ndarray  # to the left of the last cut of a block


class ClassBlock(NamedTuple):
    """A block of cuts, from start to stop, with the weight of the node and the least weight of a side."""

    start: int
    stop: int
    weight: float
    min_weight: float


@kernel
def parts(sweep, cut):
    """Return whether the values on the two sides of a cut differ (missing values differ from all known ones)."""
    if sweep.distinct or cut + 1 == sweep.known:  # without a look-up, which may be a cache miss
        return True
    here = sweep.column[sweep.entries[cut] >> np.uint32(1)]
    return here != sweep.column[sweep.entries[cut + 1] >> np.uint32(1)]


@kernel
def _ones(entries, start, stop):
    """Return the number of entries of class 1 in a range. With unsigned indices the loop vectorises."""
    total = np.uint32(0)
    for i in range(np.uint32(start), np.uint32(stop)):
        total = np.uint32(total + (entries[i] & np.uint32(1)))
    return np.int64(total)


@kernel
def score_of_cut(l0, l1, totals, criterion, table):
    """Return the score of the split with these counts on its left, for any criterion."""
    r0, r1 = totals[0] - l0, totals[1] - l1
    if criterion == GINI and l0 + l1 > 0 and r0 + r1 > 0:
        left, right = float(l0 + l1), float(r0 + r1)
        squares_left = float(l0) * l0 + float(l1) * l1
        squares_right = float(r0) * r0 + float(r1) * r1
        return score_of_squares(squares_left, squares_right, left, right)
    return score_of_two(l0, l1, criterion, table) + score_of_two(r0, r1, criterion, table)


@kernel
def _best_gini_cut(sweep, block, best):
    """Return the best cut of a block for gini."""
    l0, l1, n0, n1 = float(block.left_0), float(block.left_1), float(block.node_0), float(block.node_1)
    at = -1
    for i in range(np.uint32(block.start), np.uint32(block.stop)):
        label = float(sweep.entries[i] & np.uint32(1))
        l1 += label
        l0 += 1 - label
        r0, r1 = n0 - l0, n1 - l1
        nl, nr = l0 + l1, r0 + r1
        here = score_of_squares(l0 * l0 + l1 * l1, r0 * r0 + r1 * r1, nl, nr)
        if here > best and parts(sweep, np.int64(i)):
            best, at = here, np.int64(i)
    return best, at


@kernel
def _best_cut(sweep, block, criterion, table, best):
    """Return the best cut of a block for any criterion."""
    l0, l1 = block.left_0, block.left_1
    at = -1
    for i in range(block.start, block.stop):
        label = np.int64(sweep.entries[i] & np.uint32(1))
        l1 += label
        l0 += 1 - label
        here = score_of_cut(l0, l1, (block.node_0, block.node_1), criterion, table)
        if here > best and parts(sweep, i):
            best, at = here, i
    return best, at


@kernel
def sweep_pairs(sweep, totals, criterion, table, best):
    """Return the best cut for two classes of unit weight; totals are the node's two counts.

    The entries of a block are counted at once, and its single cuts are scored only if a bound beats the best so
    far. The left counts of all cuts in a block lie in a box, and the score is convex, so its largest value over
    the box is at a corner. Blocks of about the square root of the list's length skip most.
    """
    at = -1
    entries = sweep.entries
    l1 = _ones(entries, sweep.known, len(entries)) if sweep.missing_left else 0
    l0 = len(entries) - sweep.known - l1 if sweep.missing_left else 0
    before = _ones(entries, np.int64(0), sweep.first)
    l1 += before
    l0 += sweep.first - before
    step = _block_size(len(entries))
    first_corner = score_of_cut(l0, l1, totals, criterion, table)
    start = sweep.first
    while start <= sweep.last:
        stop = min(start + step, sweep.last + 1)
        ones = _ones(entries, start, stop)
        b0, b1 = l0 + stop - start - ones, l1 + ones
        last_corner = score_of_cut(b0, b1, totals, criterion, table)
        bound = max(first_corner, last_corner)
        if bound <= best:
            bound = max(bound, score_of_cut(b0, l1, totals, criterion, table))
            bound = max(bound, score_of_cut(l0, b1, totals, criterion, table))
        if bound > best:
            block = PairBlock(start, stop, l0, l1, totals[0], totals[1])
            if criterion == GINI:
                best, cut = _best_gini_cut(sweep, block, best)
            else:
                best, cut = _best_cut(sweep, block, criterion, table, best)
            at = cut if cut >= 0 else at
        l0, l1, first_corner = b0, b1, last_corner
        start = stop
    return best, at


@kernel
def _block_size(n):
    size = 8
    while size < BLOCK and size * size < n:
        size *= 2
    return size


@kernel
def _add_classes(entries, start, stop, task, sums):
    for i in range(start, stop):
        row = entries[i] >> np.uint32(1)
        sums[task.label[row]] += 1.0 if task.unit else task.weight[row]


@kernel
def sweep_classes(sweep, sums, task, min_weight, best):
    """Return the best cut for any number of classes and any weights; sums are `ClassSums` with the node's.

    Skips a block of entries where no cut can beat the best so far (lists of one block are never skipped). In the
    others a sample changes only its own class's terms under Gini and entropy, however many classes there are.
    """
    at, start, n = -1, sweep.first, len(sweep.entries)
    clear(sums.left)
    if sweep.missing_left:
        _add_classes(sweep.entries, sweep.known, n, task, sums.left)
    _add_classes(sweep.entries, np.int64(0), start, task, sums.left)
    step = n if n <= BLOCK else _block_size(n)
    weight = total(sums.node)
    while start <= sweep.last:
        block = ClassBlock(start, min(start + step, sweep.last + 1), weight, min_weight)
        if n > BLOCK and not _may_beat(sweep, block, sums, task, best):
            for k in range(len(sums.left)):
                sums.left[k] = sums.ahead[k]
        else:
            best, cut = _best_of_classes(sweep, block, sums, task, best)
            at = cut if cut >= 0 else at
        start = block.stop
    return best, at


@kernel
def _may_beat(sweep, block, sums, task, best):
    """Return whether a cut within a block d may beat the best; writes what is left of its last cut into `ahead`.

    None does where S(before) + pure(d) + S(after) does not (subadditivity; pure is the score that d would have if
    it were pure: its weight, or 0 for entropy).
    """
    clear(sums.ahead)
    _add_classes(sweep.entries, block.start, block.stop, task, sums.ahead)
    bound = score(sums.left, task.criterion)
    bound += 0.0 if task.criterion == ENTROPY else total(sums.ahead)
    for k in range(len(sums.node)):
        sums.ahead[k] += sums.left[k]
        sums.right[k] = sums.node[k] - sums.ahead[k]
    return bound + score(sums.right, task.criterion) > best


@kernel
def _best_of_classes(sweep, block, sums, task, best):
    """Return the best cut of a block, and move its entries to the left."""
    for k in range(len(sums.node)):
        sums.right[k] = sums.node[k] - sums.left[k]
    if task.criterion == GINI:
        return _best_gini_of_classes(sweep, block, sums, task, best)
    if task.criterion == ENTROPY:
        return _best_entropy_of_classes(sweep, block, sums, task, best)
    at = -1
    for i in range(block.start, block.stop):
        _move(sweep.entries[i] >> np.uint32(1), sums, task)
        here = _exact_score(sweep, i, block, sums, task.criterion)
        if here > best:
            best, at = here, i
    return best, at


@kernel
def _move(row, sums, task):
    """Move a sample from right to left; return its class and weight."""
    k = task.label[row]
    weight = 1.0 if task.unit else task.weight[row]
    sums.left[k] += weight
    sums.right[k] = sums.node[k] - sums.left[k]
    return k, weight


@kernel
def _exact_score(sweep, cut, block, sums, criterion):
    """Return the score of a cut from the sums beside it, without running totals; -inf where it may not be."""
    if parts(sweep, cut) and heavy(total(sums.left), block.weight, block.min_weight):
        return score_of_sides(sums.left, sums.right, criterion)
    return -np.inf


@kernel
def _best_gini_of_classes(sweep, block, sums, task, best):
    """Return the best cut of a block for gini.

    Running sums of squares are exact for unit weights. For others they are kept a little too large, by more than
    rounding can take away, and cuts that may then beat the best are scored exactly.
    """
    left, right, at = total(sums.left), total(sums.right), -1
    squares_left, squares_right = _squares(sums.left), _squares(sums.right)
    slack = 1.0
    if not task.unit:
        squares_right += ROUNDING * right * block.weight
        slack += ROUNDING
    for i in range(block.start, block.stop):
        k, weight = _move(sweep.entries[i] >> np.uint32(1), sums, task)
        squares_left += weight * (2 * sums.left[k] - weight)
        squares_right -= weight * (2 * sums.right[k] + weight)
        left += weight
        right -= weight
        bound = score_of_squares(squares_left, squares_right, left, right) * slack
        if right <= 0 or not bound <= best:
            here = _exact_score(sweep, i, block, sums, GINI)
            if here > best:
                best, at = here, i
    return best, at


@kernel
def _squares(sums):
    result = 0.0
    for value in sums:
        result += value * value
    return result


@kernel
def _best_entropy_of_classes(sweep, block, sums, task, best):
    """Return the best cut of a block for entropy.

    The running score is kept a little too large, and cuts that may beat the best are scored exactly.
    """
    left, right, at = total(sums.left), total(sums.right), -1
    table = task.table if task.unit and len(task.table) > len(sweep.entries) else task.table[:0]
    terms = ROUNDING * block.weight * max(abs(math.log(block.weight)), 1.0)
    for k in range(len(sums.node)):
        terms += _x_log_x(sums.left[k], table) + _x_log_x(sums.right[k], table)
    for i in range(block.start, block.stop):
        row = sweep.entries[i] >> np.uint32(1)
        k = task.label[row]
        terms -= _x_log_x(sums.left[k], table) + _x_log_x(sums.right[k], table)
        _, weight = _move(row, sums, task)
        terms += _x_log_x(sums.left[k], table) + _x_log_x(sums.right[k], table)
        left += weight
        right -= weight
        if not terms - _x_log_x(left, table) - _x_log_x(right, table) <= best:
            here = _exact_score(sweep, i, block, sums, ENTROPY)
            if here > best:
                best, at = here, i
    return best, at


@kernel
def _x_log_x(x, table):
    """Return ``x ln x``, from the table of whole numbers where there is one."""
    return table[np.int64(x)] if len(table) > 0 else x_log_x(x)


@kernel
def heavy(left, weight, min_weight):
    """Return whether a side of weight `left`, and the rest of `weight`, both have the least weight."""
    return left >= min_weight and weight - left >= min_weight


@kernel
def sweep_means(sweep, totals, task, min_weight, best):
    """Return the best cut for squared error; totals are the node's weight and weighted sum of y."""
    at, bar = -1, beyond(best)
    weight, moment = 0.0, 0.0
    if sweep.missing_left:
        for i in range(sweep.known, len(sweep.entries)):
            row = sweep.entries[i] >> np.uint32(1)
            weight += task.weight[row]
            moment += task.weight[row] * task.y[row]
    for i in range(sweep.last + 1):
        row = sweep.entries[i] >> np.uint32(1)
        w = 1.0 if task.unit else task.weight[row]
        weight += w
        moment += w * task.y[row]
        if i < sweep.first:
            continue
        weight_right, rest = totals[0] - weight, totals[1] - moment
        here = score_of_squares(moment * moment, rest * rest, weight, weight_right)
        if here > bar and parts(sweep, i) and heavy(weight, totals[0], min_weight):
            best, at, bar = here, i, beyond(here)
    return best, at


# ---- Columns with directions


class Bounds(NamedTuple):
    """What the sides of a split on a column may predict."""

    low: float
    high: float
    direction: int  # 1 if predictions may only rise with the column, -1 fall, 0 anything


@inlined
def admits(bounds, left, right, apart):
    """Return whether the predictions of two sides are admitted; those of missing values set `apart` always are."""
    inside = min(left, right) >= bounds.low and max(left, right) <= bounds.high
    return apart or (inside and (right - left) * bounds.direction >= 0)


@inlined
def _prediction(sums, by_class):
    return sums[1] / (sums[0] + sums[1]) if by_class else sums[1] / sums[0]


@inlined
def _add(entry, task, sums):
    """Add a sample to the sums (2,) of a side: weights of two classes, or weight and weighted y."""
    row = entry >> np.uint32(1)
    if task.n_classes > 0:
        sums[task.label[row]] += task.weight[row]
    else:
        sums[0] += task.weight[row]
        sums[1] += task.weight[row] * task.y[row]


@kernel
def sweep_directed(sweep, terms, min_weight, best):
    """Return the best cut that the bounds admit as (score, position), for sums; terms are `SearchTerms`."""
    task, totals, classes = terms.task, terms.totals, terms.task.n_classes > 0
    at, bar = -1, best if classes else beyond(best)
    left, right = np.zeros(2), np.zeros(2)
    if sweep.missing_left:
        for i in range(sweep.known, len(sweep.entries)):
            _add(sweep.entries[i], task, left)
    weight = totals[0] + totals[1] if classes else totals[0]
    for i in range(sweep.last + 1):
        _add(sweep.entries[i], task, left)
        if i < sweep.first:
            continue
        right[0], right[1] = totals[0] - left[0], totals[1] - left[1]
        here = score_of_sides(left, right, task.criterion)
        on_left = left[0] + left[1] if classes else left[0]
        if not (here > bar and parts(sweep, i) and heavy(on_left, weight, min_weight)):
            continue
        if task.criterion == POISSON and not _has_events(sweep, task, i):
            continue
        if admits(terms.bounds, _prediction(left, classes), _prediction(right, classes), i + 1 == sweep.known):
            best, at, bar = here, i, here if classes else beyond(here)
    return best, at


@kernel
def _has_events(sweep, task, cut):
    """Return whether samples of either side have a target above 0, without which Poisson has no mean."""
    left, right = False, False
    for i in range(len(sweep.entries)):
        positive = task.y[sweep.entries[i] >> np.uint32(1)] > 0
        if i <= cut or (i >= sweep.known and sweep.missing_left):
            left = left or positive
        else:
            right = right or positive
    return left and right


@kernel
def bound_children(nodes, values, parent, first, direction):
    """Write the bounds of two children, numbered from `first` on, whose values (n_nodes, n_outputs) are known.

    The middle of both binds them on a directed column, unless the split parts missing values from all others. A
    value past a bound is set to it.
    """
    node, out = nodes[parent], values.shape[1] - 1
    for child in (first, first + 1):
        nodes[child].low, nodes[child].high = node.low, node.high
    if direction != 0 and not np.isinf(node.threshold):
        middle = min(max((values[first, out] + values[first + 1, out]) / 2, node.low), node.high)
        below, above = (first, first + 1) if direction > 0 else (first + 1, first)
        nodes[below].high, nodes[above].low = middle, middle
    for child in (first, first + 1):
        _clip(values[child], nodes[child])


@kernel
def _clip(value, node):
    out = len(value) - 1
    if value[out] < node.low or value[out] > node.high:
        value[out] = min(max(value[out], node.low), node.high)
        if out > 0:
            value[0] = 1 - value[1]

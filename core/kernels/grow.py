"""Growing a tree: the loop that takes a node from the frontier, splits it, and describes its children.

Every list of rows (as they stand; by each sorted feature) holds a node's samples as one slice, in the same
place of every list. Splitting a node moves its slices, stably, from one buffer to the other:

    before   | . . . | b a c e d | . . |      node = slice 3:8, here by some feature
    after    | . . . | a e | b c d | . . |    left child 3:5, right child 5:8, each still in order

so that no child is ever sorted again. Children that will not be split are described but never moved.
"""

from __future__ import annotations

import math

import numpy as np

from core.kernels import kernel
from core.kernels.columns import CATEGORIES, MISSING
from core.kernels.impurity import ABSOLUTE_ERROR, ENTROPY, SQUARED_ERROR, class_impurity, score
from core.kernels.median import Ranks, weighted_median
from core.kernels.route import passes
from core.kernels.split import Segment, Work, find_split
from core.trees import LEAF

EPSILON = np.finfo(np.float64).eps

NODE = np.dtype(
    [
        ("feature", np.int32),
        ("threshold", np.float64),
        ("left", np.int32),
        ("right", np.int32),
        ("categories", np.uint64),
        ("missing_left", np.bool_),
        ("weight", np.float64),
        ("impurity", np.float64),
        ("gain", np.float64),  # of the split found, times the node's weight: what best-first growing ranks by
        ("start", np.int64),
        ("stop", np.int64),
        ("depth", np.int64),
        ("buffer", np.int64),
    ]
)


@kernel
def _rank_room(n, task):
    size = n if task.criterion == ABSOLUTE_ERROR else 1
    return Ranks(np.empty(size), np.empty(size, np.int64), np.empty(size), np.empty(size), np.empty(size))


@kernel
def _lists(columns, task):
    """Both buffers of the lists; entries carry the class for pairs. Absolute error adds one by target."""
    n_lists, n = columns.order.shape
    extra = 1 if task.criterion == ABSOLUTE_ERROR else 0
    lists = np.empty((2, n_lists + extra, n), np.uint32)
    for i in range(n_lists):
        for at in range(n):
            row = columns.order[i, at]
            one = np.uint32(task.label[row]) if task.pairs else np.uint32(0)
            lists[0, i, at] = (row << np.uint32(1)) | one
    if extra:
        for at, row in enumerate(np.argsort(task.y, kind="mergesort")):
            lists[0, n_lists, at] = np.uint32(row) << np.uint32(1)
    return lists


@kernel
def make_work(columns, task, limits, seed):
    """Everything the search needs, with its working room."""
    n_sums = task.n_classes if task.n_classes else 2
    p, n = columns.values.shape
    state = np.empty(1, np.uint64)
    state[0] = seed
    sequence = np.empty(n if task.criterion == ABSOLUTE_ERROR else 1, np.uint32)
    return Work(
        columns, task, limits, _lists(columns, task), np.arange(p),
        np.zeros((MISSING + 1, n_sums)), np.zeros(MISSING + 1, np.int64), sequence, _rank_room(n, task), state,
    )  # fmt: skip


@kernel
def _sum_classes(entries, task, sums):
    if task.pairs:
        ones = np.uint32(0)
        for entry in entries:
            ones += entry & np.uint32(1)
        sums[1] = ones
        sums[0] = len(entries) - sums[1]
        return
    for entry in entries:
        row = entry >> np.uint32(1)
        sums[task.label[row]] += task.weight[row]


@kernel
def _describe_classes(entries, task, sums, value):
    """Fill sums and value (n_classes,); returns (weight, impurity, pure)."""
    sums[:] = 0
    _sum_classes(entries, task, sums)
    weight = sums.sum()
    for k in range(len(sums)):
        value[k] = sums[k] / weight
    return weight, class_impurity(sums, task.criterion), np.count_nonzero(sums) <= 1


@kernel
def _describe_targets(entries, task, sums, value):
    """Fill sums (weight, weighted y) and value (the mean); returns (weight, impurity, pure)."""
    sums[:] = 0
    low, high = np.inf, -np.inf
    for entry in entries:
        row = entry >> np.uint32(1)
        y = task.y[row]
        sums[0] += task.weight[row]
        sums[1] += task.weight[row] * y
        low, high = min(low, y), max(high, y)
    value[0] = sums[1] / sums[0] if low < high else low
    if task.criterion == ABSOLUTE_ERROR:
        value[0] = _median(entries, task)
    spread = 0.0
    for entry in entries:  # a second pass: exact where the deviations are small beside the mean
        row = entry >> np.uint32(1)
        off = task.y[row] - value[0]
        spread += task.weight[row] * (off * off if task.criterion == SQUARED_ERROR else abs(off))
    return sums[0], spread / sums[0], low == high


@kernel
def _median(entries, task):
    y, weight = np.empty(len(entries)), np.empty(len(entries))
    for i in range(len(entries)):
        row = entries[i] >> np.uint32(1)
        y[i], weight[i] = task.y[row], task.weight[row]
    order = np.argsort(y, kind="mergesort")
    return weighted_median(y[order], weight[order])


@kernel
def _describe(work, entries, sums, value):
    if work.task.n_classes:
        return _describe_classes(entries, work.task, sums, value)
    return _describe_targets(entries, work.task, sums, value)


@kernel
def _may_split(node, pure, limits):
    n = node.stop - node.start
    if pure or n < limits.min_split or n < 2 * limits.min_leaf or node.depth >= limits.max_depth:
        return False
    return node.weight >= 2 * limits.min_leaf_weight and node.impurity > 0


@kernel
def _gain(split, node, sums, criterion):
    """Impurity decrease of a split times the node's weight."""
    if criterion == ABSOLUTE_ERROR:
        return node.impurity * node.weight + split.score
    gain = split.score - score(sums, criterion)
    return gain / math.log(2) if criterion == ENTROPY else gain


@kernel
def _seek_split(work, node, sums, all_weight):
    """Find the node's split and write it into its record; returns whether there is one worth making."""
    split = find_split(work, Segment(node.buffer, node.start, node.stop), sums)
    if split.feature < 0:
        return False
    node.gain = _gain(split, node, sums, work.task.criterion)
    if node.gain / all_weight + EPSILON < work.limits.min_decrease:
        return False
    node.feature = split.feature
    node.threshold = split.threshold
    node.categories = split.categories
    node.missing_left = split.missing_left
    return True


@kernel
def _part_rows(work, node, side):
    """Move list 0 of a node by its split, note the side of each row; returns (left samples, any missing)."""
    source = work.lists[node.buffer, 0]
    target = work.lists[1 - node.buffer, 0]
    column = work.columns.values[node.feature]
    missing = False
    left = node.start
    for i in range(node.start, node.stop):
        value = column[source[i] >> np.uint32(1)]
        goes = passes(value, node.threshold, node.categories, node.missing_left)
        missing = missing or np.isnan(value)
        side[source[i] >> np.uint32(1)] = goes
        left += goes
    right = left
    n_left = left - node.start
    left = node.start
    for i in range(node.start, node.stop):
        if side[source[i] >> np.uint32(1)]:
            target[left] = source[i]
            left += 1
        else:
            target[right] = source[i]
            right += 1
    return n_left, missing


@kernel
def _part_both(source, target, side, span):
    start, middle, stop = span
    left, right = start, middle
    for i in range(start, stop):
        entry = source[i]
        goes = np.int64(side[entry >> np.uint32(1)])
        # No branch to mispredict: write to the one place where the entry goes.
        target[left if goes else right] = entry
        left += goes
        right += 1 - goes


@kernel
def _part_one(source, target, side, span, keep_left):
    """Write one child only. A write too many is overwritten by the next, or falls into the other child."""
    start, middle, stop = span
    at, end = (start, middle) if keep_left else (middle, stop)
    for i in range(start, stop):
        if at == end:
            break
        entry = source[i]
        target[at] = entry
        at += np.int64(side[entry >> np.uint32(1)] == keep_left)


@kernel
def _part_lists(work, node, middle, side, wanted):
    """Move all other lists of a node; `wanted` says which children will be split."""
    span = (node.start, middle, node.stop)
    for i in range(1, work.lists.shape[1]):
        source, target = work.lists[node.buffer, i], work.lists[1 - node.buffer, i]
        if wanted[0] and wanted[1]:
            _part_both(source, target, side, span)
        else:
            _part_one(source, target, side, span, wanted[0])


@kernel
def _absent_categories(work, node):
    """Mask of the categories that no sample of the node has: they go where missing values go."""
    mask = np.uint64(0xFFFFFFFFFFFFFFFF)
    codes = work.columns.codes[work.columns.slot[node.feature]]
    for i in range(node.start, node.stop):
        level = codes[work.lists[node.buffer, 0, i] >> np.uint32(1)]
        if level < MISSING:
            mask &= ~(np.uint64(1) << np.uint64(level))
    return mask


@kernel
def _settle_unknown(work, node, n_left, missing):
    """Send what the node never saw: missing values to the larger child, absent categories along with them."""
    if not missing and not np.isinf(node.threshold):
        node.missing_left = n_left > node.stop - node.start - n_left
    if work.columns.kind[node.feature] == CATEGORIES and node.missing_left:
        node.categories |= _absent_categories(work, node)


@kernel
def _next_node(frontier, n_frontier, nodes, best_first):
    """Position in the frontier of the node to split next: the newest, or the one with the largest gain."""
    at = n_frontier - 1
    if best_first:
        for i in range(n_frontier - 1):
            if nodes[frontier[i]].gain > nodes[frontier[at]].gain:
                at = i
    return at


@kernel
def _start_node(node, span, depth, buffer):
    node.feature = LEAF
    node.threshold = np.nan
    node.left = LEAF
    node.right = LEAF
    node.categories = 0
    node.missing_left = False
    node.gain = 0.0
    node.start, node.stop = span
    node.depth = depth
    node.buffer = buffer


@kernel
def _grown(array, size):
    larger = np.empty((max(2 * len(array), size),) + array.shape[1:], array.dtype)
    larger[: len(array)] = array
    return larger


@kernel
def _grow(work, progress, cancel):
    """Nodes in the order they were made (NODE records) and their values; node 0 is the root."""
    n = work.lists.shape[2]
    limits = work.limits
    n_sums = work.sums.shape[1]
    n_values = max(work.task.n_classes, 1)
    nodes = np.empty(64, NODE)
    values = np.empty((64, n_values))
    sums = np.empty((64, n_sums))
    frontier = np.empty(64, np.int64)
    side = np.empty(n, np.bool_)
    _start_node(nodes[0], (0, n), 0, 0)
    nodes[0].weight, nodes[0].impurity, pure = _describe(work, work.lists[0, 0], sums[0], values[0])
    all_weight = nodes[0].weight
    n_nodes, n_frontier, n_leaves = 1, 0, 1
    if _may_split(nodes[0], pure, limits) and _seek_split(work, nodes[0], sums[0], all_weight):
        frontier[0] = 0
        n_frontier = 1
    else:
        progress[0] += n
    while n_frontier > 0 and cancel[0] == 0 and (limits.max_leaves == 0 or n_leaves < limits.max_leaves):
        at = _next_node(frontier, n_frontier, nodes, limits.max_leaves > 0)
        parent = frontier[at]
        n_frontier -= 1
        frontier[at] = frontier[n_frontier]
        if n_nodes + 2 > len(nodes):
            nodes, values = _grown(nodes, 0), _grown(values, 0)
            sums, frontier = _grown(sums, 0), _grown(frontier, 0)
        opened = _split_node(work, nodes, (sums, values), (parent, n_nodes), side)
        n_nodes += 2
        n_leaves += 1
        for child in (n_nodes - 1, n_nodes - 2):
            if opened[child - n_nodes + 2] and _seek_split(work, nodes[child], sums[child], all_weight):
                frontier[n_frontier] = child
                n_frontier += 1
            else:
                progress[0] += nodes[child].stop - nodes[child].start
    for i in range(n_frontier):  # what was not reached stays a leaf
        nodes[frontier[i]].feature = LEAF
    return nodes[:n_nodes], values[:n_nodes]


@kernel
def _split_node(work, nodes, about, ids, side):
    """Make the two children of a node; returns for each whether it may be split further."""
    sums, values = about
    parent, first = ids
    node = nodes[parent]
    n_left, missing = _part_rows(work, node, side)
    _settle_unknown(work, node, n_left, missing)
    middle = node.start + n_left
    node.left, node.right = first, first + 1
    opened = (False, False)
    for child, span in ((first, (node.start, middle)), (first + 1, (middle, node.stop))):
        _start_node(nodes[child], span, node.depth + 1, 1 - node.buffer)
        entries = work.lists[1 - node.buffer, 0, span[0] : span[1]]
        weight, impurity, pure = _describe(work, entries, sums[child], values[child])
        nodes[child].weight, nodes[child].impurity = weight, impurity
        may = _may_split(nodes[child], pure, work.limits)
        opened = (may, False) if child == first else (opened[0], may)
    if opened[0] or opened[1]:
        _part_lists(work, node, middle, side, opened)
    return opened


@kernel
def _preorder(nodes):
    """The nodes' numbers in preorder, and the place of each node in it."""
    order = np.empty(len(nodes), np.int64)
    place = np.empty(len(nodes), np.int32)
    stack = np.empty(len(nodes), np.int64)
    stack[0] = 0
    n_stack, n = 1, 0
    while n_stack > 0:
        n_stack -= 1
        node = stack[n_stack]
        order[n], place[node] = node, n
        n += 1
        if nodes[node].feature != LEAF:
            stack[n_stack], stack[n_stack + 1] = nodes[node].right, nodes[node].left
            n_stack += 2
    return order[:n], place


@kernel
def grow_nodes(columns, task, limits, seed, signals):
    """Grow a tree; returns the arrays of `core.trees.Tree` in its order.

    signals is int64 (2,): [0] counts the samples whose leaf is decided, [1] other than 0 stops growing, and
    nodes not split by then are leaves.
    """
    work = make_work(columns, task, limits, seed)
    nodes, values = _grow(work, signals[:1], signals[1:])
    order, place = _preorder(nodes)
    left, right = np.full(len(order), LEAF, np.int32), np.full(len(order), LEAF, np.int32)
    threshold = np.full(len(order), np.nan)
    categories, missing_left = np.zeros(len(order), np.uint64), np.zeros(len(order), np.bool_)
    for i, node in enumerate(order):
        if nodes[node].feature != LEAF:
            left[i], right[i] = place[nodes[node].left], place[nodes[node].right]
            threshold[i], categories[i] = nodes[node].threshold, nodes[node].categories
            missing_left[i] = nodes[node].missing_left
    made = nodes[order]
    n_samples = made["stop"] - made["start"]
    return (
        made["feature"].copy(), threshold, left, right, categories, missing_left,
        n_samples, made["weight"].copy(), values[order], made["impurity"].copy(),
    )  # fmt: skip

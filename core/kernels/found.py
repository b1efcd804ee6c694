"""Reading a tree off what the search of `optimal` and `budget` remembers, and what stands beside a node's best."""

from __future__ import annotations

import numpy as np

from core.kernels import inlined, kernel
from core.kernels.budget import most_splits, salt_of, solve_few
from core.kernels.optimal import best_remembered, is_stopped, open_node, value_of
from core.kernels.packed import pack
from core.kernels.pairs import NO, SPLITS, YES, solve_children, solve_stumps
from core.kernels.recall import LEAF_BEST, PAIR_BEST, UNKNOWN, recall

LEAF = -1


@kernel
def write_tree(search, k, budget, out, at):
    """Write the best tree known of the node at depth k in preorder, yes first; where it ends.

    `budget` are the splits on a path and in all; `out` (2 ** (MAX_DEPTH + 1),) int64 gets a question for each
    split and -1 for each leaf. What is no longer remembered is searched again, unless the search was stopped.
    """
    level = search.level
    left, splits = min(budget[0], budget[1]), budget[1]
    if splits == 0:
        out[at] = LEAF
        return at + 1
    low, value, question = _entry(search, k, left, splits)
    if left > 2 and (low != value or value == UNKNOWN) and not is_stopped(search):
        solve_few(search, k, left, splits, np.int64(UNKNOWN))
        low, value, question = _entry(search, k, left, splits)
    value, here = open_node(search, k, max(left, 2), value, question)
    if left > 2 and splits >= most_splits(left):
        _, here = best_remembered(search, k, value, here)
    if left <= 2 or here in (LEAF_BEST, PAIR_BEST):
        return _write_pair(search, k, min(splits, SPLITS - 1) if left > 1 else 1, out, at)
    column = _column_of(level, k, here)
    yes, no = _division(search, k, column, left - 1, splits - 1)
    out[at] = here
    pack(level, k, column, 1)
    at = write_tree(search, k + 1, (left - 1, yes), out, at + 1)
    pack(level, k, column, 0)
    return write_tree(search, k + 1, (left - 1, no), out, at)


@inlined
def _entry(search, k, left, splits):
    """What is remembered of the node at depth k."""
    first, second = search.level.rows[k, 0], search.level.rows[k, 1]
    return recall(search.memory, first ^ salt_of(search.problem, left, splits), second)


@inlined
def _column_of(level, k, question):
    column = 0
    while level.question[k, column] != question:
        column += 1
    return column


@kernel
def _division(search, k, column, left, splits):
    """How many of these splits the yes side has, and the no side, in the best tree known."""
    most = most_splits(left)
    if splits >= 2 * most:
        return most, most
    best, yes = np.int64(UNKNOWN), np.int64(0)
    for some in range(max(0, splits - most), min(most, splits) + 1):
        value = _child_value(search, k, column, (left, some), 1)
        value += _child_value(search, k, column, (left, splits - some), 0)
        if value < best:
            best, yes = value, some
    return yes, splits - yes


@inlined
def _child_value(search, k, column, budget, side):
    """Least value known of a child with these splits on a path and in all."""
    left, splits = budget
    left = min(left, splits)
    pack(search.level, k, column, side)
    if left <= 2:
        found = solve_few(search, k + 1, left, splits, np.int64(UNKNOWN))
        return found[1]
    found = _entry(search, k + 1, left, splits)
    return found[1]


@kernel
def _write_pair(search, k, splits, out, at):
    """Write the best tree of depth two with so many splits at most, of a node whose pairs are counted; its end."""
    level, problem = search.level, search.problem
    n = level.shape[k, 0]
    least = search.bench.keys[YES]
    chosen = (np.int64(-1), np.int64(-1), np.int64(-1))
    for j in range(n):
        yes_leaf, yes_split, yes_column = _best_child(problem, level, k, j, 1)
        no_leaf, no_split, no_column = _best_child(problem, level, k, j, 0)
        for option in range(4):
            splits_yes, splits_no = option & 1 and yes_column >= 0, option & 2 and no_column >= 0
            used = 1 + (1 if splits_yes else 0) + (1 if splits_no else 0)
            cost = (yes_split if splits_yes else yes_leaf) + (no_split if splits_no else no_leaf)
            if used <= splits and cost * SPLITS + used < least:
                least = cost * SPLITS + used
                chosen = (j, yes_column if splits_yes else np.int64(-1), no_column if splits_no else np.int64(-1))
    if chosen[0] < 0:
        out[at] = LEAF
        return at + 1
    out[at] = level.question[k, chosen[0]]
    at = _write_stump(level, k, chosen[1], out, at + 1)
    return _write_stump(level, k, chosen[2], out, at)


@inlined
def _write_stump(level, k, column, out, at):
    out[at] = LEAF
    if column < 0:
        return at + 1
    out[at] = level.question[k, column]
    out[at + 1], out[at + 2] = LEAF, LEAF
    return at + 3


@kernel
def _best_child(problem, level, k, j, side):
    """(cost of a leaf, least cost of one split, its column) of the rows with this answer to column j."""
    n, stride, n_classes = level.shape[k, 0], level.shape[k, 1], len(problem.plane) - 2
    sums, pairs = level.sums[k], level.pairs[k]
    at = n_classes * stride
    worth = np.int64(sums[at + j] if side else sums[at + n] - sums[at + j])
    leaf, split, column = worth, worth, np.int64(-1)
    for i in range(n):
        yes, no = np.int64(0), np.int64(0)
        for c in range(n_classes):
            both = pairs[(c * n + i) * stride + j]
            here = both if side else sums[c * stride + i] - both
            mine = sums[c * stride + j] if side else sums[c * stride + n] - sums[c * stride + j]
            yes, no = max(yes, np.int64(here)), max(no, np.int64(mine - here))
            leaf = min(leaf, worth - mine)
        if worth - yes - no < split:
            split, column = worth - yes - no, np.int64(i)
    return leaf, split, column if split < leaf else np.int64(-1)


@kernel
def survey(search, k, budget, goal):
    """Into ``low`` and ``high`` of the node at depth k: the least values of every column's children, as budget.

    They are right for all columns whose tree is below the goal, unless the search is stopped. A child
    has one split less than the node on a path, and in all, whatever the other one has.
    """
    problem, level = search.problem, search.level
    left, splits = min(budget[0], budget[1]) - 1, budget[1] - 1
    open_node(search, k, max(left + 1, 2), np.int64(UNKNOWN), np.int64(LEAF_BEST))
    if left <= 1:
        _survey_stumps(search, k, left)
        return
    for column in range(level.shape[k, 0]):
        if is_stopped(search):
            return
        if left == 2:
            solve_children(problem, level, k, column, search.bench)
            for side in range(2):
                key = search.bench.keys[(YES if side else NO) + min(splits, SPLITS - 1)]
                _settle(search, k, column, side, key)
            continue
        for side in range(2):
            target = goal - problem.tie - level.low[k, 1 - side, column]
            if level.low[k, side, column] < target:
                pack(level, k, column, side)
                low, high = solve_few(search, k + 1, left, splits, target)
                level.low[k, side, column] = max(level.low[k, side, column], low)
                level.high[k, side, column] = high


@kernel
def _survey_stumps(search, k, left):
    """`survey` for children that are leaves, or may split once."""
    problem, level = search.problem, search.level
    stride, top = level.shape[k, 1], (len(problem.plane) - 2) * level.shape[k, 1]
    solve_stumps(problem, level, k, search.bench)
    for side in range(2):
        for column in range(level.shape[k, 0]):
            key = search.bench.words[column if side else stride + column]
            if left == 0:
                most = np.int32(0)
                for at in range(column, top, stride):
                    most = max(most, search.bench.sums[at if side else at + top + stride])
                key = (search.bench.sums[top + column + (0 if side else top + stride)] - most) * SPLITS
            _settle(search, k, column, side, key)


@inlined
def _settle(search, k, column, side, key):
    """The least value of a child is known."""
    value = value_of(search.problem, key)
    search.level.low[k, side, column], search.level.high[k, side, column] = value, value


@kernel
def descend(search, path):
    """Pack the rows that give these answers, (n, 2): column and 0 or 1, at depth n; their names, combined.

    Columns are those of the root: the problem must not thin them out.
    """
    level = search.level
    for k in range(len(path)):
        pack(level, k, path[k, 0], path[k, 1])
    return level.rows[len(path), 0], level.rows[len(path), 1]

"""Optimal trees with a limit of splits, the best tree read from the bounds table, and the calls from Python."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel, uncounted
from espalier.kernels.optimal import branch_and_bound
from espalier.kernels.optimal.bitset import (
    MAX_DEPTH,
    count_sums,
    name_answers,
    pack,
    weigh_node,
)
from espalier.kernels.optimal.branch_and_bound import (
    ALL,
    LEAF_BEST,
    PAIR_BEST,
    UNKNOWN,
    SearchState,
    SetBounds,
    SetKey,
    best_remembered,
    is_stopped,
    open_node,
    recall,
    remember,
    search_node,
    value_of,
)
from espalier.kernels.optimal.depth_two import NO, SPLITS, YES, solve_children, solve_stumps
from espalier.kernels.simd import borrow


@inlined
def most_splits(left):
    """Return the number of splits of a full tree with `left` of them on every path."""
    return (1 << left) - 1


@inlined
def salt_of(problem, left, splits):
    """Return the salt that distinguishes this depth and number of splits in keys."""
    salt = problem.salt[left]
    return salt if splits >= most_splits(left) else salt ^ problem.salt[MAX_DEPTH + 1 + splits]


@uncounted
def leaf_value(problem, level, k):
    """Return the value of a leaf with the rows of the node at depth k, which are packed."""
    count_sums(problem, level, k)
    n, stride, sums = level.shape[k, 0], level.shape[k, 1], level.sums[k]
    top = (len(problem.plane) - 2) * stride
    most = np.int32(0)
    for at in range(0, top, stride):
        most = max(most, sums[at + n])
    return np.int64(sums[top + n] - most) * problem.unit


@kernel
def search_few(search, k, left, splits, goal):
    """Return (lower bound, least value found), as `search_node` does, over trees with so many splits in all.

    Bounds of children are those of trees with all the splits that their depth allows: with fewer none costs less.
    """
    problem, level = search.problem, search.level
    left = min(left, splits)  # no path has more
    if splits == 0:
        value = leaf_value(problem, level, k)
        return value, value
    if splits >= most_splits(left) and left > 2:
        return search_node(search, k, left, goal, np.int64(ALL))
    key = SetKey(level.rows[k, 0] ^ salt_of(problem, left, splits), level.rows[k, 1])
    low, value, question = recall(search.memory, key.first, key.second)
    if value == low or low >= goal or is_stopped(search):
        return low, value
    _, question = open_node(search, k, left, value, question)
    few = value_of(problem, search.scratch.keys[YES + min(splits, SPLITS - 1)])
    if few < value:
        value, question = few, np.int64(LEAF_BEST)  # or a tree of two levels: `write_solution` counts again
    if left <= 2:
        remember(search.memory, key, SetBounds(value, value, question), left)
        return value, value
    most = most_splits(left - 1)
    for rank in range(level.shape[k, 0]):
        column = level.order[k, rank]
        if level.low[k, 0, column] + level.low[k, 1, column] + problem.tie >= min(goal, value):
            continue
        if left == 3:
            solve_children(problem, level, k, column, search.scratch)
            search.solved[2] += 2
        for yes in range(max(0, splits - 1 - most), min(most, splits - 1) + 1):
            no = splits - 1 - yes
            if left == 3:
                total = _pair_value(search, yes, no)
            else:
                target = min(goal, value) - problem.tie
                pack(level, k, column, 1)
                bounds = search_few(search, k + 1, left - 1, yes, target - level.low[k, 0, column])
                total = bounds[1] + problem.tie
                if total + level.low[k, 0, column] < min(goal, value):
                    pack(level, k, column, 0)
                    bounds = search_few(search, k + 1, left - 1, no, target + problem.tie - total)
                    total += bounds[1]
                else:
                    total = np.int64(UNKNOWN)
            if total < value:
                value, question = total, level.question[k, column]
                if k == 0:  # to show progress
                    remember(search.memory, key, SetBounds(low, value, question), left)
    if not is_stopped(search):  # each column was ruled out by bounds, or solved for every way to share out splits
        low = max(low, min(goal, value))
    remember(search.memory, key, SetBounds(low, value, question), left)
    return low, value


@inlined
def _pair_value(search, yes, no):
    """Return the value of a split whose children, of depth two at most, have so many splits at most."""
    problem, keys = search.problem, search.scratch.keys
    return value_of(problem, keys[YES + yes]) + value_of(problem, keys[NO + no]) + problem.tie


# ---- Reading the best tree, and the survey of all questions at a set of rows

LEAF = -1


@kernel
def write_solution(search, k, left, splits, out, at):
    """Write the best tree known of the node at depth k in preorder, yes first; return its end.

    It has `left` splits on a path at most, and `splits` in all; `out` (2 ** (MAX_DEPTH + 1),) int64 gets a
    question for each split and -1 for each leaf. Sets evicted from the table are searched again, unless the
    search was stopped.
    """
    level = search.level
    left = min(left, splits)
    if splits == 0:
        out[at] = LEAF
        return at + 1
    low, value, question = _entry(search, k, left, splits)
    if left > 2 and (low != value or value == UNKNOWN) and not is_stopped(search):
        search_few(search, k, left, splits, np.int64(UNKNOWN))
        low, value, question = _entry(search, k, left, splits)
    value, here = open_node(search, k, max(left, 2), value, question)
    if left > 2 and splits >= most_splits(left):
        _, here = best_remembered(search, k, value, here)
    if left <= 2 or here in (LEAF_BEST, PAIR_BEST):
        return _write_pair(search, k, min(splits, SPLITS - 1) if left > 1 else 1, out, at)
    column = _column_of(level, k, here)
    yes, no = _division(search, k, column, left - 1, splits - 1, value - search.problem.tie)
    out[at] = here
    pack(level, k, column, 1)
    at = write_solution(search, k + 1, left - 1, yes, out, at + 1)
    pack(level, k, column, 0)
    return write_solution(search, k + 1, left - 1, no, out, at)


@inlined
def _entry(search, k, left, splits):
    """Return the bounds table's entry for the node at depth k."""
    first, second = search.level.rows[k, 0], search.level.rows[k, 1]
    return recall(search.memory, first ^ salt_of(search.problem, left, splits), second)


@inlined
def _column_of(level, k, question):
    column = 0
    while level.question[k, column] != question:
        column += 1
    return column


@kernel
def _division(search, k, column, left, splits, least):
    """Return how many of these splits the yes side has, and the no side, in the best tree known.

    Both sides together have the value `least`. Where the table has lost the bounds of a side, so that no tree is
    known to be as good, they are searched again.
    """
    most = most_splits(left)
    if splits >= 2 * most:
        return most, most
    best, yes = np.int64(UNKNOWN), np.int64(0)
    for some in range(max(0, splits - most), min(most, splits) + 1):
        value = _child_value(search, k, column, left, some, 1)
        value += _child_value(search, k, column, left, splits - some, 0)
        if value < best:
            best, yes = value, some
    if best > least and not is_stopped(search):
        again = _found_again(search, k, column, left, splits, least)
        yes = again if again >= 0 else yes
    return yes, splits - yes


@kernel
def _found_again(search, k, column, left, splits, least):
    """Return how many splits the yes side of a tree with this value has; -1 if the search is stopped before."""
    most = most_splits(left)
    for some in range(max(0, splits - most), min(most, splits) + 1):
        pack(search.level, k, column, 1)
        yes = search_few(search, k + 1, left, some, least + 1)[1]
        if yes <= least:
            pack(search.level, k, column, 0)
            if yes + search_few(search, k + 1, left, splits - some, least - yes + 1)[1] <= least:
                return np.int64(some)
    return np.int64(-1)


@inlined
def _child_value(search, k, column, left, splits, side):
    """Return the least value known of a child with `left` splits on a path at most, and `splits` in all."""
    left = min(left, splits)
    pack(search.level, k, column, side)
    if left <= 2:
        bounds = search_few(search, k + 1, left, splits, np.int64(UNKNOWN))
        return bounds[1]
    bounds = _entry(search, k + 1, left, splits)
    return bounds[1]


@uncounted
def _write_pair(search, k, splits, out, at):
    """Write the best tree of depth two with so many splits at most; return its end. Pairs must be counted."""
    level, problem = search.level, search.problem
    n = level.shape[k, 0]
    least = search.scratch.keys[YES]
    columns = (np.int64(-1), np.int64(-1), np.int64(-1))
    for j in range(n):
        yes_leaf, yes_split, yes_column = _best_child(problem, level, k, j, 1)
        no_leaf, no_split, no_column = _best_child(problem, level, k, j, 0)
        for option in range(4):
            splits_yes, splits_no = option & 1 and yes_column >= 0, option & 2 and no_column >= 0
            n_splits = 1 + (1 if splits_yes else 0) + (1 if splits_no else 0)
            cost = (yes_split if splits_yes else yes_leaf) + (no_split if splits_no else no_leaf)
            if n_splits <= splits and cost * SPLITS + n_splits < least:
                least = cost * SPLITS + n_splits
                columns = (j, yes_column if splits_yes else np.int64(-1), no_column if splits_no else np.int64(-1))
    if columns[0] < 0:
        out[at] = LEAF
        return at + 1
    out[at] = level.question[k, columns[0]]
    at = _write_stump(level, k, columns[1], out, at + 1)
    return _write_stump(level, k, columns[2], out, at)


@inlined
def _write_stump(level, k, column, out, at):
    out[at] = LEAF
    if column < 0:
        return at + 1
    out[at] = level.question[k, column]
    out[at + 1], out[at + 2] = LEAF, LEAF
    return at + 3


@uncounted
def _best_child(problem, level, k, j, side):
    """Return (cost of a leaf, least cost of one split, its column) for the rows with this answer to column j."""
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
        if worth - yes - no < split and (problem.least == 0 or _is_heavy(problem, level, k, j, i, side)):
            split, column = worth - yes - no, np.int64(i)
    return leaf, split, column if split < leaf else np.int64(-1)


@inlined
def _is_heavy(problem, level, k, j, i, side):
    """Return whether column i splits the rows with this answer to column j into two leaves of enough weight."""
    n, stride, weight = level.shape[k, 0], level.shape[k, 1], level.weight[k]
    both = level.pairs[k, ((len(problem.plane) - 2) * n + i) * stride + j]
    yes = both if side else weight[i] - both
    part = weight[j] if side else weight[n] - weight[j]
    return yes >= problem.least and part - yes >= problem.least


class Survey(NamedTuple):
    """The best value with each question at the top, for a set of rows: a place for each of the root's columns."""

    best: np.ndarray  # (n_columns,) int64: least value of a tree with this split; UNKNOWN where a side has no rows
    low: np.ndarray  # (2, n_columns) int64: least values of the two sides; [1]: of the answer yes
    yes: np.ndarray  # (2, n_columns) int64: names of the rows that answer yes, combined
    sums: np.ndarray  # (n_classes + 1, any) int32: earnings of each class, and worths; last those of all rows


@kernel
def fill_survey(search, path, left, splits, goal, out):
    """Write the survey of the rows that give the answers of `path`, (n, 2): a column of the root, and 0 or 1.

    Trees have `left` splits on a path at most, and `splits` in all; each side may have all but the one at the top,
    whatever the other one has. Values below the goal are exact and others are lower bounds, unless the search is
    stopped. With one split left, `low` is not computed, but the sums have a place for each column, and `best` is
    the least value of two leaves of different classes. The path must not be empty, because the rows at depth 0
    must stay as they are.
    """
    level, n, k = search.level, search.level.shape[0, 0], len(path)
    for depth in range(k):
        pack(level, depth, path[depth, 0], path[depth, 1])
    name_answers(level, k)
    out.yes[:, :] = level.yes[k, :, :n]
    left, splits = min(left, splits) - 1, splits - 1
    if left <= 0:
        count_sums(search.problem, level, k)
        weigh_node(search.problem, level, k)
    if left == 0:
        _best_leaves(search.problem, level, k, out.best)
    if left > 0:
        open_node(search, k, max(left + 1, 2), np.int64(UNKNOWN), np.int64(LEAF_BEST))
        _survey_children(search, k, left, splits, goal)
        _spread_out(search, k, out)
    _write_sums(level, k, out.sums)


@kernel
def _best_leaves(problem, level, k, best):
    """Write the least value of two leaves of different classes, for every column that splits the rows.

    Both sides must have the least weight of a leaf.
    """
    n, stride, sums, weight = level.shape[k, 0], level.shape[k, 1], level.sums[k], level.weight[k]
    top = (len(problem.plane) - 2) * stride
    for column in range(n):
        most = np.int64(-1)
        for at in range(0, top, stride):
            for other in range(0, top, stride):
                if at != other:
                    most = max(most, np.int64(sums[at + column] + sums[other + n] - sums[other + column]))
        is_heavy = weight[column] >= problem.least and weight[n] - weight[column] >= problem.least
        if most >= 0 and is_heavy and level.yes[k, 0, column] not in (0, level.rows[k, 0]):
            best[column] = (sums[top + n] - most) * problem.unit + problem.tie


@kernel
def _survey_children(search, k, left, splits, goal):
    """Write the least values of both children at every column of the node at depth k into ``low``."""
    problem, level = search.problem, search.level
    if left == 1:
        solve_stumps(problem, level, k, search.scratch)
    for column in range(level.shape[k, 0]):
        if is_stopped(search):
            return
        if left > 2:
            _search_children(search, k, column, left, splits, goal)
            continue
        if left == 2:
            solve_children(problem, level, k, column, search.scratch)
        for side in range(2):
            if left == 2:
                key = search.scratch.keys[(YES if side else NO) + min(splits, SPLITS - 1)]
            else:
                key = search.scratch.words[column if side else level.shape[k, 1] + column]
            level.low[k, side, column] = value_of(problem, key)


@kernel
def _search_children(search, k, column, left, splits, goal):
    """Search the least values of both children, as far as they can make a tree below the goal."""
    low = search.level.low[k]
    for side in range(2):
        target = goal - search.problem.tie - low[1 - side, column]
        if low[side, column] < target:
            pack(search.level, k, column, side)
            bounds = search_few(search, k + 1, left, splits, target)
            low[side, column] = max(low[side, column], bounds[0])


@kernel
def _spread_out(search, k, out):
    """Copy the values of the node's questions to all equivalent ones, into the `Survey`, whose `yes` is there."""
    yes, low, best = out.yes, out.low, out.best
    names, everything, thin = search.level.yes[k, 0], search.level.rows[k, 0], search.level.low[k]
    for column in range(len(best)):
        name = yes[0, column]
        for at in range(search.level.shape[k, 0]):
            if names[at] in (name, name ^ everything):
                same = 1 if names[at] == name else 0
                low[1, column], low[0, column] = thin[same, at], thin[1 - same, at]
                best[column] = low[0, column] + low[1, column] + search.problem.tie
                break


@inlined
def _write_sums(level, k, sums):
    """Write the last columns of the sums of the node at depth k: all of them, or that of all rows alone."""
    n, stride = level.shape[k, 0], level.shape[k, 1]
    first = n + 1 - sums.shape[1]
    for row in range(len(sums)):
        for column in range(first, n + 1):
            sums[row, column - first] = level.sums[k, row * stride + column]


# ---- Calls from Python: one kernel for all tasks, so that it is compiled once

SOLVE, SOLVE_FEW, WRITE, SURVEY = range(4)
NO_TREE, NO_PATH = np.zeros(0, np.int64), np.zeros((0, 2), np.int64)
NO_SURVEY = Survey(NO_TREE, NO_PATH, NO_PATH, np.zeros((0, 0), np.int32))


def solve(search: SearchState, left: int, goal: int, discrepancies: int = ALL) -> tuple[int, int]:
    """Return (lower bound, least value found) of all rows, as `branch_and_bound.search_node` does."""
    return _run(search, SOLVE, left, ALL, goal, discrepancies, NO_TREE, NO_PATH, NO_SURVEY)


def solve_few(search: SearchState, left: int, splits: int, goal: int) -> tuple[int, int]:
    """Return (lower bound, least value found) over trees with so many splits, as `search_few` does."""
    return _run(search, SOLVE_FEW, left, splits, goal, ALL, NO_TREE, NO_PATH, NO_SURVEY)


def write_tree(search: SearchState, left: int, splits: int, out: np.ndarray) -> int:
    """Write the best tree known of all rows into `out`, as `write_solution` does; return its end."""
    return _run(search, WRITE, left, splits, UNKNOWN, ALL, out, NO_PATH, NO_SURVEY)[1]


def survey(search: SearchState, path: np.ndarray, left: int, splits: int, goal: int) -> Survey:
    """Return the survey of the rows at the end of a path, as `fill_survey` writes it."""
    n, n_sums = int(search.level.shape[0, 0]), len(search.problem.plane) - 1
    low, yes = np.zeros((2, 2, n), np.int64)
    n_columns = n + 1 if min(left, splits) == 1 else 1
    out = Survey(np.full(n, UNKNOWN), low, yes, np.empty((n_sums, n_columns), np.int32))
    _run(search, SURVEY, left, splits, goal, ALL, NO_TREE, path, out)
    return out


@kernel
def _run(search, task, left, splits, goal, discrepancies, tree, path, facts) -> Any:
    """Do one of the tasks; the caller keeps the arrays alive, which are not counted in here."""
    search, root, end = borrow(search), np.int64(0), np.int64(0)  # a plain 0 would be a kind of its own
    if task == SOLVE:
        return branch_and_bound.search_node(search, root, left, goal, discrepancies)
    if task == SOLVE_FEW:
        return search_few(search, root, left, splits, goal)
    if task == WRITE:
        end = write_solution(search, root, left, splits, tree, root)
    else:
        fill_survey(search, path, left, splits, goal, facts)
    return end, end

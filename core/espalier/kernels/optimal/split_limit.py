"""Optimal trees with a limited number of splits: branch and bound also over how many splits each child has."""

from __future__ import annotations

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.optimal.bitset import MAX_DEPTH, count_sums, pack
from espalier.kernels.optimal.bounds_table import LEAF_BEST, UNKNOWN, SetBounds, SetKey, recall, remember
from espalier.kernels.optimal.branch_and_bound import ALL, is_stopped, open_node, search_node, value_of
from espalier.kernels.optimal.depth_two import NO, SPLITS, YES, solve_children


@inlined
def most_splits(left):
    """Return the number of splits of a full tree with `left` of them on every path."""
    return (1 << left) - 1


@inlined
def salt_of(problem, left, splits):
    """Return the salt that distinguishes this depth and number of splits in keys."""
    salt = problem.salt[left]
    return salt if splits >= most_splits(left) else salt ^ problem.salt[MAX_DEPTH + 1 + splits]


@kernel
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
def solve_few(search, k, left, splits, goal):
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
        value, question = few, np.int64(LEAF_BEST)  # or a tree of two levels: `write_tree` counts again
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
                bounds = solve_few(search, k + 1, left - 1, yes, target - level.low[k, 0, column])
                total = bounds[1] + problem.tie
                if total + level.low[k, 0, column] < min(goal, value):
                    pack(level, k, column, 0)
                    bounds = solve_few(search, k + 1, left - 1, no, target + problem.tie - total)
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

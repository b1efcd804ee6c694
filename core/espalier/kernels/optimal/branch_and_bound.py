"""Optimal trees: branch and bound over sets of rows (Nijssen & Fromont 2010; Demirović et al. 2022).

The *value* of a tree is ``cost * unit + splits``, or ``cost * unit`` where the number of splits does not matter.
`search_node` finds the least value of a set of rows below a goal, or proves that there is none. All
bounds go into the bounds table, so that a search that was stopped can go on where it was.

What is handed from one set of rows to another has to hold whatever limits a tree. A bound in the table is found
again only for the same rows, depth and number of splits, which are its key; costs, fixed labels and the least
weight of a leaf are those of the whole search. `_compare` alone tells of other rows, and a least weight rules it
out.

The bounds table: a hash table of bounds on sets of rows, within a fixed amount of memory (MurTree's *cache*). A
set is identified by a key of 128 bits, the xor of random names of its rows, so that two sets are taken for one
with a probability of about N² / 2¹²⁹. Several threads may share the table without locks: each key is stored
combined (xor) with its data, so that a half-written entry matches no key (Hyatt & Mann 2002).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel, uncounted
from espalier.kernels.optimal.bitset import (
    Problem,
    SearchLevel,
    count_pairs,
    count_sums,
    name_answers,
    pack,
    thin_out,
    weigh_node,
)
from espalier.kernels.optimal.depth_two import NO, SPLITS, YES, PairWorkspace, solve_children, solve_node
from espalier.kernels.simd import want

UNKNOWN = 1 << 42  # value while no tree has been found: greater than any tree's
LEAF_BEST, PAIR_BEST = -1, -2  # in place of a question: the best is a leaf, or a tree of depth two at most
BUCKET = 4  # entries in which a key may be stored
_DEPTH_BIT, _VALUE_BIT = 16, 20  # bits of an entry's last number: question + 2, depth, and the value
ENTRY_BYTES = 32


class BoundsTable(NamedTuple):
    """SetBounds by key: entry i of the table has the places 4i to 4i + 3."""

    table: np.ndarray  # int64: key, key, lower bound; value, depth and question in one number
    state: np.ndarray  # (3,) int64: mask of the entries in use, how many are taken, the greatest mask


class SetKey(NamedTuple):
    """The names of a set of rows, combined with the salt of the search in it."""

    first: int
    second: int


class SetBounds(NamedTuple):
    """What is known of the best tree of a set."""

    low: int  # lower bound of its value
    value: int  # least value found
    question: int  # at the top of the tree with that value; LEAF_BEST or PAIR_BEST


@uncounted
def recall(memory, first, second):
    """Return the `SetBounds` of a key: 0, UNKNOWN and LEAF_BEST if it is absent."""
    table = memory.table
    bucket = first & memory.state[0] & ~np.int64(BUCKET - 1)
    for entry in range(bucket, bucket + BUCKET):
        low, best = table[4 * entry + 2], table[4 * entry + 3]
        if table[4 * entry] ^ low == first and table[4 * entry + 1] ^ best == second:
            return SetBounds(low, best >> _VALUE_BIT, (best & 0xFFFF) - 2)
    return SetBounds(np.int64(0), np.int64(UNKNOWN), np.int64(LEAF_BEST))


@inlined
def expect(memory, first):
    """Prefetch what `recall` will read for this key: fifty keys are fetched in the time of one or two."""
    entry = first & memory.state[0] & ~np.int64(BUCKET - 1)
    want(memory.table, 4 * entry)
    want(memory.table, 4 * entry + 2 * BUCKET)


@uncounted
def remember(memory, key, bounds, depth):
    """Store the `SetBounds` of a `SetKey`, joined with the bounds it already has.

    If the bucket is full, the entry of the shallowest search is evicted, as the cheapest to find again.
    """
    first, second = key.first, key.second
    low, value, question = bounds.low, bounds.value, bounds.question
    table, state = memory.table, memory.state
    best = value << _VALUE_BIT | depth << _DEPTH_BIT | question + 2
    entry = _bounds_table_place(table, first & state[0] & ~np.int64(BUCKET - 1), first, second)
    entry_data, other = table[4 * entry + 2], table[4 * entry + 3]
    if table[4 * entry] == 0 and table[4 * entry + 1] == 0:
        state[1] += 1
    elif table[4 * entry] ^ entry_data == first and table[4 * entry + 1] ^ other == second:
        low = max(low, entry_data)  # another thread may have been here
        best = other if other >> _VALUE_BIT < value else best
    table[4 * entry], table[4 * entry + 1] = first ^ low, second ^ best
    table[4 * entry + 2], table[4 * entry + 3] = low, best
    if 2 * state[1] > state[0] and state[0] < state[2]:
        _double(table, state)


@inlined
def _bounds_table_place(table, bucket, first, second):
    """Return the key's entry, an empty one, or that of the shallowest search; bits of the key break ties."""
    place, least = bucket, np.int64(1 << 62)
    for entry in range(bucket, bucket + BUCKET):
        low, best = table[4 * entry + 2], table[4 * entry + 3]
        empty = table[4 * entry] == 0 and table[4 * entry + 1] == 0
        if table[4 * entry] ^ low == first and table[4 * entry + 1] ^ best == second:
            return entry
        rank = -1 if empty else (best >> _DEPTH_BIT & 15) * BUCKET + ((second + entry) & (BUCKET - 1))
        if rank < least:
            place, least = entry, rank
    return place


@uncounted
def _double(table, state):
    """Double the entries in use: each stays or moves up by their old number, as the next bit of its key says."""
    half = state[0] + 1
    if half > state[2]:
        return  # another thread was faster
    for entry in range(half):
        is_full = table[4 * entry] != 0 or table[4 * entry + 1] != 0
        if is_full and (table[4 * entry] ^ table[4 * entry + 2]) & half:
            for part in range(4):
                table[4 * (entry + half) + part] = table[4 * entry + part]
                table[4 * entry + part] = 0
    state[0] = 2 * half - 1


# ---- The search

ALL = 1 << 40  # discrepancies of a search without limit


class SearchState(NamedTuple):
    """All that a search thread needs; threads share the problem, the memory and the signals."""

    problem: Problem
    level: SearchLevel
    scratch: PairWorkspace
    memory: BoundsTable
    solved: np.ndarray  # (MAX_DEPTH + 1,) int64: number of subproblems opened, by the depth left to them
    stop: np.ndarray  # (1,) int64, shared: not zero to stop
    best: np.ndarray  # (1,) int64, shared: least value that any thread has found for the root
    backwards: bool  # whether the root's questions are tried from last to first, to meet another thread halfway


@kernel
def search_node(search, k, left, goal, discrepancies):
    """Return (lower bound, least value found) of the node at depth k, over trees with `left` splits on a path.

    Without a limit, the value is optimal if it is below the goal or equal to the bound; else no tree has a value
    below the goal. With `discrepancies`, only those trees are tried that on each path pass over at most so many
    questions that looked better (limited discrepancy search).
    """
    level, problem = search.level, search.problem
    key = SetKey(level.rows[k, 0] ^ problem.salt[left], level.rows[k, 1])
    low, value, question = recall(search.memory, key.first, key.second)
    if value == low or low >= goal or is_stopped(search):
        return low, value
    value, question = open_node(search, k, left, value, question)
    low = max(low, _node_bound(search))
    value, question = best_remembered(search, k, value, question)
    lows, highs, order = level.low[k], level.high[k], level.order[k]
    for rank in range(min(level.shape[k, 0], discrepancies + 1)):
        if value <= low or low >= goal or is_stopped(search):
            break
        column = order[_place(search, k, rank)]
        goal = min(goal, search.best[0]) if k == 0 else goal  # it ends work early and is no bound of this node
        if lows[0, column] + lows[1, column] + problem.tie >= min(goal, value):
            continue
        if left == 3:
            _solve_pair(search, k, column)
        else:
            if min(goal, value) <= problem.unit and max(lows[0, column], lows[1, column]) < SPLITS - 1:
                _bound_pair(search, k, left, column)
            for turn in range(2):
                side = _side(search, k, column, turn)
                if lows[side, column] == highs[side, column]:
                    continue
                # The other side costs at least its bound, and what was found there once it is solved.
                other = highs[1 - side, column] if turn else lows[1 - side, column]
                target = min(goal, value) - problem.tie - other
                if lows[side, column] >= target:
                    break
                pack(level, k, column, side)
                below, least = search_node(search, k + 1, left - 1, target, discrepancies - rank)
                _learn(search, k, column, side, below, least)
        total = highs[0, column] + highs[1, column] + problem.tie
        if total < value:
            value, question = total, level.question[k, column]
            if k == 0:
                # To show progress, and for other threads.
                remember(search.memory, key, SetBounds(low, value, question), left)
                search.best[0] = min(search.best[0], value)
    low = max(low, bound_of(search, k, value))
    remember(search.memory, key, SetBounds(low, value, question), left)
    return low, value


@inlined
def _place(search, k, rank):
    return search.level.shape[k, 0] - 1 - rank if search.backwards and k == 0 else rank


@inlined
def is_stopped(search):
    """Return whether the search shall stop."""
    return search.stop[0] != 0


@inlined
def value_of(problem, key):
    """Return the value of a tree of depth two from its key."""
    return np.int64(key) // SPLITS * problem.unit + np.int64(key) % SPLITS * problem.tie


@uncounted
def open_node(search, k, left, value, question):
    """Count the node at depth k and look up its children.

    Return (value, question) of the best tree known so far.
    """
    problem, level, keys = search.problem, search.level, search.scratch.keys
    search.solved[left] += 1
    name_answers(level, k)
    if problem.least > 0:
        weigh_node(problem, level, k)
    if problem.thin:
        thin_out(level, k, problem.least)
    count_sums(problem, level, k)
    count_pairs(problem, level, k)
    solve_node(problem, level, k, search.scratch)
    leaf, pair = value_of(problem, keys[YES]), value_of(problem, keys[YES + SPLITS - 1])
    if leaf <= value:
        value, question = leaf, np.int64(LEAF_BEST)
    if pair < value:
        value, question = pair, np.int64(PAIR_BEST)
    _recall_children(search, k, left - 1)
    _order_columns(search, k)
    return value, question


@inlined
def best_remembered(search, k, value, question):
    """Return the least value and its question, also over trees whose two sides are known but were not combined."""
    level = search.level
    for column in range(level.shape[k, 0]):
        total = level.high[k, 0, column] + level.high[k, 1, column] + search.problem.tie
        if total < value:
            value, question = total, level.question[k, column]
    return value, question


@uncounted
def _recall_children(search, k, left):
    """Look up the bounds of both children of every column at depth k; each may split `left` times on a path."""
    problem, level = search.problem, search.level
    for side in range(2):
        for column in range(level.shape[k, 0]):
            expect(search.memory, key_of_child(level, k, column, side)[0] ^ problem.salt[left])
    for side in range(2):
        for column in range(level.shape[k, 0]):
            low, high = np.int64(0), np.int64(0)
            if _is_impure(problem, level, k, column, side):
                first, second = key_of_child(level, k, column, side)
                low, high, _ = recall(search.memory, first ^ problem.salt[left], second)
                low = max(low, _child_bound(search, k, column, side))
            level.low[k, side, column], level.high[k, side, column] = low, high


@inlined
def key_of_child(level, k, column, side):
    """Return the key of a child: the combined names of the rows with this answer."""
    first, second = level.yes[k, 0, column], level.yes[k, 1, column]
    if not side:
        first, second = first ^ level.rows[k, 0], second ^ level.rows[k, 1]
    return first, second


@inlined
def _is_impure(problem, level, k, column, side):
    """Return whether a leaf for the rows with this answer would cost anything."""
    n, stride, sums = level.shape[k, 0], level.shape[k, 1], level.sums[k]
    most = np.int32(0)
    for at in range(0, (len(problem.plane) - 2) * stride, stride):
        most = max(most, sums[at + column] if side else sums[at + n] - sums[at + column])
    at = (len(problem.plane) - 2) * stride
    return most < (sums[at + column] if side else sums[at + n] - sums[at + column])


@uncounted
def _order_columns(search, k):
    """Sort the columns of the node at depth k by the gini impurity after their split, the least first."""
    level = search.level
    n, stride, sums = level.shape[k, 0], level.shape[k, 1], level.sums[k]
    top = (len(search.problem.plane) - 2) * stride
    order, score = level.order[k], level.score[k]
    for j in range(n):
        yes, no, yes_squares, no_squares = 0.0, 0.0, 0.0, 0.0
        for at in range(0, top, stride):
            here, rest = float(sums[at + j]), float(sums[at + n] - sums[at + j])
            yes, no = yes + here, no + rest
            yes_squares, no_squares = yes_squares + here * here, no_squares + rest * rest
        score[j] = -yes_squares / max(yes, 1.0) - no_squares / max(no, 1.0)
        at = j
        while at > 0 and score[order[at - 1]] > score[j]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = j


@inlined
def _side(search, k, column, turn):
    """Return the child to solve in this turn; turn 0 is for the one with more to earn."""
    level = search.level
    n, stride, sums = level.shape[k, 0], level.shape[k, 1], level.sums[k]
    at = (len(search.problem.plane) - 2) * stride
    larger = 1 if 2 * sums[at + column] >= sums[at + n] else 0
    return larger if turn == 0 else 1 - larger


@uncounted
def _solve_pair(search, k, column):
    """Solve both children of a column as trees of depth two at most."""
    problem, level = search.problem, search.level
    solve_children(problem, level, k, column, search.scratch)
    search.solved[2] += 2
    for side in range(2):
        value = value_of(problem, search.scratch.keys[(YES if side else NO) + SPLITS - 1])
        first, second = key_of_child(level, k, column, side)
        key = SetKey(first ^ problem.salt[2], second)
        remember(search.memory, key, SetBounds(value, value, np.int64(PAIR_BEST)), 2)
        _learn(search, k, column, side, value, value)


@inlined
def _node_bound(search):
    """Return a lower bound of the node just opened: its best tree of two splits, or the splits of any other.

    All trees of two splits have been tried, within the least weight of a leaf; any other has three or more.
    """
    key = search.scratch.keys[YES + SPLITS - 2]
    return min(value_of(search.problem, key), (SPLITS - 1) * search.problem.tie)


@inlined
def _child_bound(search, k, column, side):
    """Return a lower bound of a child: its best tree of one split, or the splits of any other tree.

    A column that parts the child into leaves of enough weight parts the node so, too, and was tried.
    """
    key = search.scratch.words[(1 - side) * search.level.shape[k, 1] + column]
    return min(value_of(search.problem, key), 2 * search.problem.tie)


@uncounted
def _bound_pair(search, k, left, column):
    """Bound both children of a column by their best trees of two splits, where a tree without cost is known.

    Then only splits count. Mostly neither child gets by with two, and the column is done without a search in them.
    """
    problem, level, keys = search.problem, search.level, search.scratch.keys
    solve_children(problem, level, k, column, search.scratch)
    search.solved[2] += 2
    for side in range(2):
        at = YES if side else NO
        few, value = value_of(problem, keys[at + SPLITS - 2]), value_of(problem, keys[at + SPLITS - 1])
        low = max(level.low[k, side, column], min(few, (SPLITS - 1) * problem.tie))
        first, second = key_of_child(level, k, column, side)
        key = SetKey(first ^ problem.salt[left - 1], second)
        remember(search.memory, key, SetBounds(low, value, np.int64(PAIR_BEST)), left - 1)
        _learn(search, k, column, side, low, value)


@inlined
def _learn(search, k, column, side, low, value):
    """Write down the lower bound and the least value of a child, and what follows for other columns' children."""
    level = search.level
    level.low[k, side, column] = max(level.low[k, side, column], low)
    level.high[k, side, column] = min(level.high[k, side, column], value)
    # A cost of one, or some splits, still bound the children that hold all rows of this one.
    if level.low[k, side, column] > search.problem.tie and search.problem.least == 0:
        _compare(search, k, column, side)


@uncounted
def _compare(search, k, column, side):
    """Raise the lower bounds of the children of other columns.

    Taking rows away from a set lowers its least cost by no more than these rows can earn (Demirović et al. 2022,
    section 4.4); the counts of pairs give that amount for any two children of a node. It does not hold where
    leaves have a least weight, since a tree for the other child may have leaves that are too light in this one.
    """
    level, unit = search.level, search.problem.unit
    n, stride, low = level.shape[k, 0], level.shape[k, 1], level.low[k]
    sums, pairs = level.sums[k], level.pairs[k]
    here = low[side, column]
    for other in range(n):
        both, mine, its, total = 0, 0, 0, 0
        for c in range(len(search.problem.plane) - 2):
            both += pairs[(c * n + column) * stride + other]
            mine += sums[c * stride + column]
            its += sums[c * stride + other]
            total += sums[c * stride + n]
        less_yes = mine - both if side else total - mine - its + both
        less_no = both if side else its - both
        low[1, other] = max(low[1, other], here - less_yes * unit)
        low[0, other] = max(low[0, other], here - less_no * unit)


@uncounted
def bound_of(search, k, value):
    """Return a lower bound of the node at depth k: the least of this value and of the bounds of all columns.

    Every tree is a leaf, which the value counts, or begins with a column that leaves enough weight on both sides.
    """
    level, least = search.level, value
    for column in range(level.shape[k, 0]):
        least = min(least, level.low[k, 0, column] + level.low[k, 1, column] + search.problem.tie)
    return least

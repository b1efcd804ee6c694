"""Bit sets of rows: the table of yes/no questions for optimal trees, and the packing of a node's rows.

A *column* holds the answers to a question; 1 is the rarer answer. A *unit* is a bit place: a group of equal rows
has one or more units, each in a *plane* of units that earn the same for the same class. A leaf that predicts class
c earns, summed over the planes of c, its units times the plane's factor. Its cost is the most that its rows could
earn (their `worth`) less that.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, uncounted
from espalier.kernels.simd import LANES, down, load, lowest, ones, same, spread, store, up

WORD = 32  # bits
FULL = 2**WORD - 1
MAX_DEPTH = 10  # of an optimal tree


class Problem(NamedTuple):
    """The problem to be minimised; all search threads share it."""

    plane: np.ndarray  # (n_classes + 2,) int64: planes ``plane[c]:plane[c + 1]`` are of class c, the last of worth
    factor: np.ndarray  # (n_planes,) int32: value of a unit of the plane; 0 for rows on which no cost depends
    salt: np.ndarray  # (MAX_DEPTH + 1 + 2 ** MAX_DEPTH,) int64: distinguishes depths and numbers of splits in keys
    unit: int  # value of a tree = cost * unit + its number of splits, if those count
    tie: int  # 1 if they count, else 0
    thin: bool  # whether questions that are equivalent within a node are tried only once
    scales: np.ndarray  # (2,) int64: planes ``scales[0]:scales[1]`` hold the rows' weights; none if `least` is 0
    least: int  # least weight of a leaf, 0: any. If it is not 0, `thin` must be true


class SearchLevel(NamedTuple):
    """The rows of one node per depth, and bounds for its questions: each array has a row for each depth."""

    words: np.ndarray  # (depths, n_words * stride) int32: column j of word w at w * stride + j
    start: np.ndarray  # (depths, n_planes + 1) int64: plane p has words ``start[p]:start[p + 1]``
    name: np.ndarray  # (depths, 2, n_words * WORD) int64: random names (hashes) of the units
    shape: np.ndarray  # (depths, 2) int64: number of columns, and stride; column n_columns has all units
    question: np.ndarray  # (depths, stride) int64: the question of each column
    rows: np.ndarray  # (depths, 2) int64: names of the node's units, combined by xor
    yes: np.ndarray  # (depths, 2, stride) int64: the same for its units that answer yes to a column
    sums: np.ndarray  # (depths, (n_classes + 1) * stride) int32: earned by class c where a column is 1; worths
    pairs: np.ndarray  # (depths, n_classes * n_columns * stride) int32: earned where two columns are 1; if leaves
    # have a least weight, the rows' weights follow, as for one more class
    weight: np.ndarray  # (depths, stride) int32: weight where a column is 1, if leaves have a least weight
    low: np.ndarray  # (depths, 2, stride) int64: lower bound of the children's values; [1]: of the answer yes
    high: np.ndarray  # (depths, 2, stride) int64: least value found there
    order: np.ndarray  # (depths, stride) int64: columns in the order in which they are tried
    score: np.ndarray  # (depths, stride) float64


def make_level(
    depths: int, n_words: int, n_planes: int, n_columns: int, n_classes: int, n_counted: int
) -> SearchLevel:
    """Allocate a level for that many depths, all zeros.

    `n_counted` quantities are counted in pairs: the classes, and the weight if leaves have a least one.
    """
    n, stride = n_columns, stride_of(n_columns)
    ints, short = partial(np.zeros, dtype=np.int64), partial(np.zeros, dtype=np.int32)
    return SearchLevel(
        short((depths, n_words * stride)), ints((depths, n_planes + 1)), ints((depths, 2, n_words * WORD)),
        ints((depths, 2)), ints((depths, stride)), ints((depths, 2)), ints((depths, 2, stride)),
        short((depths, (n_classes + 1) * stride)), short((depths, n_counted * n * stride)),
        short((depths, stride)), ints((depths, 2, stride)), ints((depths, 2, stride)), ints((depths, stride)),
        np.zeros((depths, stride)),
    )  # fmt: skip


class BitMove(NamedTuple):
    """Bits that are moved together."""

    word: int  # they are in this word of each column
    mask: int  # under this mask
    at: int  # the bit places that they get: from here
    end: int  # to here, excluded


@inlined
def bits_of(words, at):
    """Return the word at a place as a number of at least 0."""
    return np.int64(words[at]) & FULL


@uncounted
def pack(level, k, column, side):
    """Write the rows on one side of a column of the node at depth k, without gaps, to depth k + 1."""
    n, stride = level.shape[k, 0], level.shape[k, 1]
    words, start = level.words[k], level.start[k]
    level.rows[k + 1, 0], level.rows[k + 1, 1] = 0, 0
    at = 0
    for p in range(len(start) - 1):
        at = (at + WORD - 1) // WORD * WORD
        level.start[k + 1, p] = at // WORD
        for w in range(start[p], start[p + 1]):
            mask = bits_of(words, w * stride + column)
            if not side:
                mask ^= bits_of(words, w * stride + n)
            if mask != 0:
                end = _move_names(level, k, w, mask, at)
                move_bits(words, BitMove(w, mask, at, end), level.words[k + 1], stride)
                at = end
    level.start[k + 1, -1] = (at + WORD - 1) // WORD
    level.shape[k + 1, 0], level.shape[k + 1, 1] = n, stride
    for j in range(n):
        level.question[k + 1, j] = level.question[k, j]


@inlined
def _move_names(level, k, w, mask, at):
    """Append the names of the units under the mask of word w at a bit place of the next depth; return the end."""
    names, below = level.name[k], level.name[k + 1]
    first, second = np.int64(0), np.int64(0)
    while mask != 0:
        place = w * WORD + lowest(mask)
        mask &= mask - 1
        below[0, at], below[1, at] = names[0, place], names[1, place]
        first ^= names[0, place]
        second ^= names[1, place]
        at += 1
    level.rows[k + 1, 0] ^= first
    level.rows[k + 1, 1] ^= second
    return at


@uncounted
def move_bits(words, move, target, stride):
    """Append the bits under the mask of a `BitMove`, of that word of every column, to the target.

    The number of gaps below a bit, written in binary, says whether it moves right by 1, 2, 4, 8 and 16 places
    (Warren 2012, Hacker's Delight, section 7-4).
    """
    w, mask, at, end = move.word, move.mask, move.at, move.end
    word, shift = at // WORD, at % WORD
    gap0, rest, below = _gap(mask, ~mask << 1 & FULL, 1)
    gap1, rest, below = _gap(rest, below, 2)
    gap2, rest, below = _gap(rest, below, 4)
    gap3, rest, below = _gap(rest, below, 8)
    gap4, rest, below = _gap(rest, below, 16)
    for j in range(0, stride, LANES):
        bits = load(words, w * stride + j) & spread(mask)
        bits = _close(bits, gap0, 1)
        bits = _close(bits, gap1, 2)
        bits = _close(bits, gap2, 4)
        bits = _close(bits, gap3, 8)
        bits = _close(bits, gap4, 16)
        here = word * stride + j
        store(target, here, bits if shift == 0 else load(target, here) | up(bits, shift))
        if end > (word + 1) * WORD:
            store(target, here + stride, down(bits, WORD - shift))


@inlined
def _gap(mask, below, places):
    """Return the bits of the mask with an odd number of gaps below, the mask after their move, and halved gaps."""
    odd = below ^ (below << 1)
    odd ^= odd << 2
    odd ^= odd << 4
    odd ^= odd << 8
    odd = (odd ^ (odd << 16)) & FULL
    moving = odd & mask
    return moving, (mask ^ moving) | (moving >> places), below & ~odd


@inlined
def _close(bits, gap, places):
    """Return the bits of every lane, with those of the gap moved down by so many places."""
    moving = bits & spread(gap)
    return (bits ^ moving) | down(moving, places)


@uncounted
def name_answers(level, k):
    """Write, for every column of the node at depth k, the combined names of the units that answer yes."""
    n, stride = level.shape[k, 0], level.shape[k, 1]
    words, names, yes = level.words[k], level.name[k], level.yes[k]
    for j in range(n):
        yes[0, j], yes[1, j] = 0, 0
    for w in range(level.start[k, -1]):
        for j in range(n):
            mask = bits_of(words, w * stride + j)
            first, second = np.int64(0), np.int64(0)
            while mask != 0:
                place = w * WORD + lowest(mask)
                mask &= mask - 1
                first ^= names[0, place]
                second ^= names[1, place]
            yes[0, j] ^= first
            yes[1, j] ^= second


@uncounted
def thin_out(level, k, least):
    """Drop the columns that are constant among the node's rows, or that equal an earlier one or its opposite.

    If `least` is not 0, columns with an answer that weighs less are dropped, too; `weigh_node` must come first.
    """
    n, stride = level.shape[k, 0], level.shape[k, 1]
    left = _keep_columns(level, k, least)
    if left == n:
        return
    words, order = level.words[k], level.order[k]
    narrow = stride_of(left)
    for w in range(level.start[k, -1]):
        everything = words[w * stride + n]
        for i in range(left):
            words[w * narrow + i] = words[w * stride + order[i]]
        words[w * narrow + left] = everything
        for i in range(left + 1, narrow):
            words[w * narrow + i] = 0
    level.shape[k, 0], level.shape[k, 1] = left, narrow


@inlined
def _keep_columns(level, k, least):
    """Move the columns that stay to the front, and write their places into `order`; return how many stay."""
    yes, everything, order, question = level.yes[k], level.rows[k, 0], level.order[k], level.question[k]
    weight, n = level.weight[k], level.shape[k, 0]
    left, total = 0, weight[n]
    for j in range(n):
        name = yes[0, j]
        new = name not in (0, everything)
        new = new and weight[j] >= least and total - weight[j] >= least
        for i in range(left):
            new = new and yes[0, i] not in (name, name ^ everything)
        if new:
            yes[0, left], yes[1, left], question[left], order[left] = name, yes[1, j], question[j], j
            weight[left] = weight[j]
            left += 1
    weight[left] = total
    return left


@inlined
def stride_of(n_columns):
    """Return the number of places for the columns and the one with all units, rounded up to whole lanes."""
    return (n_columns + LANES) // LANES * LANES


@uncounted
def count_sums(problem, level, k):
    """Sum what each class could earn where a column is 1, and the worths, for the node at depth k."""
    sum_columns(problem, level.words[k], level.start[k], level.sums[k], level.shape[k, 1])


@inlined
def sum_columns(problem, words, start, sums, stride):
    """Sum what each class could earn where a column is 1, and the worths, for packed rows: as in `SearchLevel`."""
    plane = problem.plane
    top = (len(plane) - 2) * stride
    for j in range(0, stride, LANES):
        worth = spread(0)
        for c in range(len(plane) - 1):
            saving = spread(0)
            for p in range(plane[c], plane[c + 1]):
                count = spread(0)
                for w in range(start[p], start[p + 1]):
                    count = count + ones(load(words, w * stride + j))
                saving = saving + count * same(problem.factor, p)
            store(sums, c * stride + j, saving)
            worth = worth + saving
        if plane[-2] == plane[-1]:  # no planes of their own: each row earns for one class only
            store(sums, top + j, worth)


@uncounted
def weigh_node(problem, level, k):
    """Sum the weights of the rows of the node at depth k where a column is 1."""
    weigh_columns(problem, level.words[k], level.start[k], level.weight[k], level.shape[k, 1])


@inlined
def weigh_columns(problem, words, start, weight, stride):
    """Write the weights of packed rows where a column is 1 into the first places of `weight`."""
    for j in range(0, stride, LANES):
        total = spread(0)
        for p in range(problem.scales[0], problem.scales[1]):
            count = spread(0)
            for w in range(start[p], start[p + 1]):
                count = count + ones(load(words, w * stride + j))
            total = total + count * same(problem.factor, p)
        store(weight, j, total)


@inlined
def weigh_both(problem, words, start, stride, i, j):
    """Return the weights of packed rows where column i and each of the 16 from j on are both 1."""
    total = spread(0)
    for p in range(problem.scales[0], problem.scales[1]):
        count = spread(0)
        for w in range(start[p], start[p + 1]):
            count = count + ones(same(words, w * stride + i) & load(words, w * stride + j))
        total = total + count * same(problem.factor, p)
    return total


@uncounted
def _weigh_pairs(problem, level, k):
    n, stride, words, start = level.shape[k, 0], level.shape[k, 1], level.words[k], level.start[k]
    pairs, first = level.pairs[k], (len(problem.plane) - 2) * n
    for j in range(0, stride, LANES):
        for i in range(n):
            store(pairs, (first + i) * stride + j, weigh_both(problem, words, start, stride, i, j))


@uncounted
def count_pairs(problem, level, k):
    """Sum what each class could earn where two columns are both 1, for the node at depth k.

    If leaves have a least weight, sum the rows' weights there, too.
    """
    if problem.least > 0:
        _weigh_pairs(problem, level, k)
    n, stride, plane, start = level.shape[k, 0], level.shape[k, 1], problem.plane, level.start[k]
    words, pairs = level.words[k], level.pairs[k]
    for j in range(0, stride, LANES):
        for i in range(n):
            for c in range(len(plane) - 2):
                saving = spread(0)
                for p in range(plane[c], plane[c + 1]):
                    count = spread(0)
                    for w in range(start[p], start[p + 1]):
                        count = count + ones(same(words, w * stride + i) & load(words, w * stride + j))
                    saving = saving + count * same(problem.factor, p)
                store(pairs, (c * n + i) * stride + j, saving)

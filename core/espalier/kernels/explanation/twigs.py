"""Twigs: the last few splits of a way down a tree, with all their leaves, and how rows answer their questions.

The answers of a row on the way to a twig and in it are a number: a bit for each feature of the way, set if the row
answers all its questions there so, and a bit for each split of the twig, set if the row goes left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel

IN_TWIG = 3  # splits of a twig, at most
QUESTIONS = 12  # of a twig and the way to it, at most, of which tables are made
LEAVES = IN_TWIG + 1
SETS = 1 << QUESTIONS  # of answers


class Twigs(NamedTuple):
    """The twigs of a tree; each is a split with what is below it, or a leaf beside a larger part of the tree."""

    top: np.ndarray  # (n_splits + 1,) int64: a split, or -1 - the number of a leaf
    above: np.ndarray  # (n_splits + 1,) int64: the split above, twice, + 1 if on its left; -1: none
    parent: np.ndarray  # (n_splits,) int64: the same for each split
    size: np.ndarray  # (n_splits,) int64: splits from this one downwards
    n: np.ndarray  # (1,) int64: how many twigs


class Twig(NamedTuple):
    """A twig: bits of the features that are asked on the way to it, then of its splits, and its leaves."""

    feature: np.ndarray  # (QUESTIONS,) int64: of each column of the table; those of the way come first
    leaf: np.ndarray  # (LEAVES,) int64
    column: np.ndarray  # (LEAVES, QUESTIONS) int64: columns of the table that a leaf asks about
    is_set: np.ndarray  # (LEAVES, QUESTIONS) int64: bits that have to be set for each
    is_clear: np.ndarray  # (LEAVES, QUESTIONS) int64: and bits that must not be
    counts: np.ndarray  # (4 + LEAVES,) int64: features of the way, splits, columns, leaves; columns of each leaf


class AnswerSets(NamedTuple):
    """The sets of answers that rows give in a twig, as numbers."""

    of_row: np.ndarray  # (n,) int32
    counts: np.ndarray  # (SETS,) float64: rows that give each
    found: np.ndarray  # (SETS,) int64: those that are given
    n: np.ndarray  # (1,) int64: how many


@kernel
def find_twigs(tree, twigs):
    """Write the twigs of a tree."""
    n = len(tree.feature)
    twigs.parent[:] = -1
    for back in range(1, n + 1):
        i = n - back
        twigs.size[i] = 1
        for child, is_left in ((tree.left[i], 1), (tree.right[i], 0)):
            if child >= 0:
                twigs.size[i] += twigs.size[child]
                twigs.parent[child] = 2 * i + is_left
    found = 0
    if n and twigs.size[0] <= IN_TWIG:
        twigs.top[0], twigs.above[0], found = 0, -1, 1
    for i in range(n):
        if twigs.size[i] <= IN_TWIG:
            continue
        for child, is_left in ((tree.left[i], 1), (tree.right[i], 0)):
            if child < 0 or twigs.size[child] <= IN_TWIG:
                twigs.top[found], twigs.above[found] = child, 2 * i + is_left
                found += 1
    twigs.n[0] = found


@kernel
def _place_of(numbers, n, number):
    """Return the place of a number among the first n, or n."""
    for place in range(n):
        if numbers[place] == number:
            return place
    return n


@kernel
def _read_way(tree, twigs, number, twig):
    """Write the features on the way to a twig; return whether there is room for its questions."""
    top, up, n = twigs.top[number], twigs.above[number], 0
    n_splits = twigs.size[top] if top >= 0 else 0
    while up >= 0:
        place = _place_of(twig.feature, n, tree.feature[up // 2])
        if place == n:
            if n + n_splits >= QUESTIONS:
                return False
            twig.feature[n] = tree.feature[up // 2]
            n += 1
        up = twigs.parent[up // 2]
    twig.counts[0], twig.counts[1], twig.counts[2], twig.counts[3] = n, n_splits, n, 0
    return True


@kernel
def _read_leaf(tree, twigs, top, up, leaf, twig):
    """Write what a leaf of a twig asks for; `up` is the split above it, as `Twigs.above`."""
    at, n = twig.counts[3], twig.counts[0]
    twig.leaf[at] = leaf
    for column in range(n):
        twig.column[at, column], twig.is_set[at, column], twig.is_clear[at, column] = column, 1 << column, 0
    while twig.counts[1] and up >= 0 and up // 2 >= top:
        split = up // 2
        column = _place_of(twig.feature, twig.counts[2], tree.feature[split])
        twig.feature[column] = tree.feature[split]
        twig.counts[2] = max(twig.counts[2], column + 1)
        place = _place_of(twig.column[at], n, column)
        if place == n:
            twig.column[at, n], twig.is_set[at, n], twig.is_clear[at, n] = column, 0, 0
            n += 1
        bit = 1 << (twig.counts[0] + split - top)
        if up % 2:
            twig.is_set[at, place] |= bit
        else:
            twig.is_clear[at, place] |= bit
        up = twigs.parent[split]
    twig.counts[4 + at] = n
    twig.counts[3] += 1


@kernel
def read_twig(tree, twigs, number, twig):
    """Write a twig, which has room for its questions, and its leaves."""
    _read_way(tree, twigs, number, twig)
    top = twigs.top[number]
    if top < 0:
        _read_leaf(tree, twigs, 0, -1, -1 - top, twig)
        return
    for split in range(top, top + twigs.size[top]):
        for child, is_left in ((tree.left[split], 1), (tree.right[split], 0)):
            if child < 0:
                _read_leaf(tree, twigs, top, 2 * split + is_left, -1 - child, twig)


@kernel
def is_small(tree, twigs, twig):
    """Return whether all twigs of a tree have room for their questions."""
    fits = True
    for number in range(twigs.n[0]):
        fits = fits and _read_way(tree, twigs, number, twig)
    return fits


@kernel
def _answer(tree, twigs, number, twig, sides, of_row):
    """Write the set of answers of each row: of sides (n_splits, n), 1 on the left."""
    n, n_way, top = len(of_row), twig.counts[0], twigs.top[number]
    of_row[:] = (1 << n_way) - 1
    up = twigs.above[number]
    while up >= 0:
        side, bit = sides[up // 2], np.int32(1 << _place_of(twig.feature, n_way, tree.feature[up // 2]))
        if up % 2:
            for row in range(n):
                of_row[row] &= ~(bit * np.int32(1 - side[row]))
        else:
            for row in range(n):
                of_row[row] &= ~(bit * np.int32(side[row]))
        up = twigs.parent[up // 2]
    for split in range(twig.counts[1]):
        side, bit = sides[top + split], np.int32(1 << (n_way + split))
        for row in range(n):
            of_row[row] |= bit * np.int32(side[row])


@kernel
def answer(tree, twigs, number, twig, sides, sets):
    """Write the set of answers of each row, and count them; sides (n_splits, n) are 1 on the left, else 0."""
    of_row = sets.of_row
    _answer(tree, twigs, number, twig, sides, of_row)
    for place in range(sets.n[0]):
        sets.counts[sets.found[place]] = 0.0
    sets.n[0] = 0
    for row in range(len(of_row)):
        if sets.counts[of_row[row]] == 0.0:
            sets.found[sets.n[0]] = of_row[row]
            sets.n[0] += 1
        sets.counts[of_row[row]] += 1.0


@kernel
def so_answered(twig, leaf, answers):
    """Return as bits which of a leaf's features are answered so that they lead to it."""
    bits = 0
    for place in range(twig.counts[4 + leaf]):
        wanted = twig.is_set[leaf, place]
        if answers & wanted == wanted and answers & twig.is_clear[leaf, place] == 0:
            bits |= 1 << place
    return bits


@kernel
def empty_sets(n):
    """Return room for the answers of n rows."""
    return AnswerSets(np.empty(n, np.int32), np.zeros(SETS), np.empty(SETS, np.int64), np.zeros(1, np.int64))


@kernel
def empty_twigs(n):
    """Return room for the twigs of a tree of n splits."""
    room = np.empty((4, n + 1), np.int64)
    return Twigs(room[0], room[1], room[2, :n], room[3, :n], np.zeros(1, np.int64))


@kernel
def empty_twig():
    """Return room for a twig."""
    whole, each = np.empty(QUESTIONS, np.int64), (LEAVES, QUESTIONS)
    parts = np.empty(each, np.int64), np.empty(each, np.int64), np.empty(each, np.int64)
    return Twig(whole, np.empty(LEAVES, np.int64), *parts, np.zeros(4 + LEAVES, np.int64))

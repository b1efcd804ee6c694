"""Shapley values of what trees predict, where features that are not known have the values of background rows.

Beside one background row, a leaf is reached by a coalition if each feature's questions on the way are answered
so by the row where the feature is known, and by the background row where it is not. If neither answers some
feature's questions so, no coalition reaches it. Else let a features be those that only the row answers so, and b
those that only the background row does: of all orders, a share ``(a - 1)! b! / (a + b)!`` has the leaf's value
come with a given one of the first, and ``a! (b - 1)! / (a + b)!`` has it go with a given one of the second
(Štrumbelj & Kononenko 2014; Laberge et al. 2023).

So a leaf has to know no rows, only which questions are answered so, and how many background rows answer them how:
it takes as long for many background rows as to send each down the tree once. Rows are met by twig: the last few
splits of a way down, with all their leaves. A table holds what each column owes for each set of answers on the way
to the twig and in it (compare Nadel & Wettenstein 2025, who have tables of leaves). Trees that ask for too many
features for tables are walked for each row beside each background row instead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.explanation.pair_walk import explain_pairs
from espalier.kernels.explanation.splits import splits_of
from espalier.kernels.explanation.twigs import (
    QUESTIONS,
    SETS,
    AnswerSets,
    Twig,
    answer,
    empty_sets,
    empty_twig,
    empty_twigs,
    find_twigs,
    is_small,
    read_twig,
    so_answered,
)
from espalier.kernels.route import row_goes_left


class TwigTable(NamedTuple):
    """What each column owes, and room to find it."""

    owed: np.ndarray  # (n_outputs, QUESTIONS, SETS) float64
    part: np.ndarray  # (SETS, QUESTIONS) float64: of a leaf, by how its features are answered
    is_known: np.ndarray  # (SETS,) bool: whether that part has been found
    weight: np.ndarray  # (SETS,) float64: background rows by how they answer a leaf's features
    answers: np.ndarray  # (SETS,) int64: those that some give


class TwigRoom(NamedTuple):
    """What is at work on a twig."""

    twig: Twig
    own: AnswerSets  # of the rows that are explained
    others: AnswerSets  # of the background rows
    table: TwigTable
    weight: np.ndarray  # (n, n) float64, as `order_weights`
    ones: np.ndarray  # (SETS,) int64: the bits that are set in a number


@kernel
def order_weights(most, n_others):
    """Return a! b! / (a + b + 1)! over the number of background rows, for ways with at most so many features."""
    weight = np.empty((most + 2, most + 2))
    for b in range(most + 2):
        weight[0, b] = 1.0 / (b + 1) / n_others
        for a in range(1, most + 2):
            weight[a, b] = weight[a - 1, b] * a / (a + b + 1)
    return weight


@kernel
def _empty_room(n, n_others, n_outputs, weight):
    """Return room for twigs of n rows beside others."""
    ones = np.zeros(SETS, np.int64)
    for number in range(1, SETS):
        ones[number] = ones[number >> 1] + (number & 1)
    table = TwigTable(
        np.zeros((n_outputs, QUESTIONS, SETS)), np.empty((SETS, QUESTIONS)), np.zeros(SETS, np.bool_),
        np.zeros(SETS), np.empty(SETS, np.int64),
    )  # fmt: skip
    return TwigRoom(empty_twig(), empty_sets(n), empty_sets(n_others), table, weight, ones)


@kernel
def _write_sides(tree, columns, span, sides):
    """Write 1 into sides (n_splits, n) where a row of the span goes left, else 0."""
    for i in range(len(tree.feature)):
        numbers, limit, is_plain = columns[tree.feature[i]], tree.threshold[i], tree.is_plain[i]
        for row in range(span[1] - span[0]):
            own = numbers[span[0] + row]
            is_left = own <= limit
            if not is_plain or np.isnan(own):
                is_left = row_goes_left(tree, i, columns, span[0] + row)
            sides[i, row] = 1 if is_left else 0


@kernel
def _find_part(room, n_answers, n, own):
    """Write what each of a leaf's n features owes it where a row answers them as `own` says."""
    table, ones, orders = room.table, room.ones, room.weight
    part, every = table.part[own], (1 << n) - 1
    part[:n] = 0.0
    b, gone = n - ones[own], 0.0
    for place in range(n_answers):
        other = table.answers[place]
        if own | other != every:
            continue
        alone, weight = own & ~other, table.weight[other]
        a = ones[alone]
        if b:
            gone += weight * orders[a, b - 1]
        if a:
            come = weight * orders[a - 1, b]
            for j in range(n):
                part[j] += come * ((alone >> j) & 1)
    for j in range(n):
        if not own >> j & 1:
            part[j] = -gone
    table.is_known[own] = True


@kernel
def _weigh(room, leaf):
    """Write how the background rows answer a leaf's features; return how many ways there are."""
    twig, others, table, n = room.twig, room.others, room.table, 0
    for place in range(others.n[0]):
        answers = so_answered(twig, leaf, others.found[place])
        if table.weight[answers] == 0.0:
            table.answers[n] = answers
            n += 1
        table.weight[answers] += others.counts[others.found[place]]
    return n


@kernel
def _add_leaf(tree, leaf, room):
    """Add to the table what a leaf's features owe it, for each set of answers of the rows."""
    twig, own, table = room.twig, room.own, room.table
    n, n_answers, value = twig.counts[4 + leaf], _weigh(room, leaf), tree.value[:, twig.leaf[leaf]]
    for place in range(own.n[0]):
        answers = so_answered(twig, leaf, own.found[place])
        if not table.is_known[answers]:
            _find_part(room, n_answers, n, answers)
        for j in range(n):
            for k in range(len(value)):
                table.owed[k, twig.column[leaf, j], own.found[place]] += value[k] * table.part[answers, j]
    for place in range(own.n[0]):
        table.is_known[so_answered(twig, leaf, own.found[place])] = False
    for place in range(n_answers):
        table.weight[table.answers[place]] = 0.0


@kernel
def _add_rows(twig, own, table, found):
    """Add what the columns owe to found (n_outputs, n_features, n)."""
    for k in range(len(found)):
        for column in range(twig.counts[2]):
            owed, line = table.owed[k, column], found[k, twig.feature[column]]
            for row in range(len(own.of_row)):
                line[row] += owed[own.of_row[row]]


@kernel
def _explain_twigs(tree, twigs, sides, other_sides, room, found):
    """Add the Shapley values of a tree, twig by twig."""
    twig, own, table = room.twig, room.own, room.table
    for number in range(twigs.n[0]):
        read_twig(tree, twigs, number, twig)
        answer(tree, twigs, number, twig, sides, own)
        answer(tree, twigs, number, twig, other_sides, room.others)
        for place in range(own.n[0]):
            table.owed[:, : twig.counts[2], own.found[place]] = 0.0
        for leaf in range(twig.counts[3]):
            _add_leaf(tree, leaf, room)
        _add_rows(twig, own, table, found)


@kernel
def add_values_beside(forest, weight, background, columns, span, added):
    """Add the Shapley values of the rows of a span to added (n_samples, n_features, n_outputs).

    background is (n_features, n_background), columns (n_features, n_samples); span is (2,): the first row and one
    past the last. The weights are `order_weights` of the forest's `most_features`.
    """
    n, n_others, n_outputs = span[1] - span[0], background.shape[1], len(forest.value)
    found, whole = np.zeros((n_outputs, len(columns), n)), np.array([0, n_others])
    room = _empty_room(n, n_others, n_outputs, weight)
    for number in range(len(forest.first) - 1):
        tree = splits_of(forest, number)
        size = len(tree.feature)
        sides, other_sides = np.empty((size, n), np.uint8), np.empty((size, n_others), np.uint8)
        _write_sides(tree, columns, span, sides)
        _write_sides(tree, background, whole, other_sides)
        twigs = empty_twigs(size)
        find_twigs(tree, twigs)
        if is_small(tree, twigs, room.twig):
            _explain_twigs(tree, twigs, sides, other_sides, room, found)
        else:
            explain_pairs(weight, tree, sides, other_sides, found)
    for k in range(n_outputs):
        for feature in range(len(columns)):
            for row in range(n):
                added[span[0] + row, feature, k] += found[k, feature, row]


@kernel
def add_answers(forest, columns, mean):
    """Add to mean (n_outputs,) the mean over the rows of what the trees predict."""
    for number in range(len(forest.first) - 1):
        tree = splits_of(forest, number)
        feature, threshold, is_plain = tree.feature, tree.threshold, tree.is_plain
        left, right = tree.left, tree.right
        count = np.zeros(len(feature) + 1)
        for row in range(columns.shape[1]):
            here = 0 if len(feature) else -1
            while here >= 0:
                own = columns[feature[here], row]
                is_left = own <= threshold[here]
                if not is_plain[here] or np.isnan(own):
                    is_left = row_goes_left(tree, here, columns, row)
                here = left[here] if is_left else right[here]
            count[-1 - here] += 1.0
        for k in range(len(mean)):
            mean[k] += (tree.value[k] * count).sum() / columns.shape[1]

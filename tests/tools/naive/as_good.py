"""All trees within a slack of the best one, the obvious way: every tree is written out, without bound or graph.

Splits of one column that part the rows of a node alike, or opposite, are one split. No split leaves a side without
rows, or one that is too light for a leaf, and none has two leaves of the same class.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from espalier.data.binarise import Questions, answers
from tests.tools.naive.optimal import TIE, Case


class WrittenTree(NamedTuple):
    """A tree: a class, or the feature of a split with its two sides, each the rows and the tree there."""

    objective: float
    n_splits: int
    written: Any


class Table(NamedTuple):
    asked: np.ndarray  # (n_samples, n_questions) bool
    feature: np.ndarray  # (n_questions,)
    loss: np.ndarray  # (n_samples, n_classes)
    weight: np.ndarray  # (n_samples,)
    least: float  # weight of a leaf


def table_of(questions: Questions, case: Case, leaf_share: float = 0.0) -> Table:
    loss = case.weight[:, None] * case.cost[case.y]
    least = leaf_share * case.weight.sum()
    return Table(answers(questions, case.X), questions.feature, loss, case.weight, least)


def trees_within(table: Table, slack: float, max_depth: int, max_splits: int | None = None) -> list[WrittenTree]:
    everyone = frozenset(range(len(table.loss)))
    every = [t for t in trees_of(table, everyone, max_depth) if max_splits is None or t.n_splits <= max_splits]
    limit = min(tree.objective for tree in every) + slack + TIE
    return [tree for tree in every if tree.objective <= limit]


def trees_of(table: Table, rows: frozenset[int], depth: int) -> Iterator[WrittenTree]:
    for label, objective in enumerate(table.loss[sorted(rows)].sum(axis=0)):
        yield WrittenTree(float(objective), 0, label)
    for feature, sides in splits_of(table, rows) if depth else ():
        below = [list(trees_of(table, side, depth - 1)) for side in sides]
        for a, b in product(*below):
            if a.n_splits or b.n_splits or a.written != b.written:
                written = feature, frozenset(zip(sides, (a.written, b.written), strict=True))
                yield WrittenTree(a.objective + b.objective, a.n_splits + b.n_splits + 1, written)


def splits_of(table: Table, rows: frozenset[int]) -> set[tuple[int, tuple[frozenset[int], frozenset[int]]]]:
    found = set()
    for question, feature in enumerate(table.feature.tolist()):
        yes = frozenset(row for row in rows if table.asked[row, question])
        first, second = sorted((yes, rows - yes), key=sorted)
        weights = [table.weight[sorted(side)].sum() for side in (first, second)]
        if first and second and min(weights) >= table.least - TIE:
            found.add((feature, (first, second)))
    return found

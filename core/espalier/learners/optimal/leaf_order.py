"""Which leaves of a tree lie at or below which in columns with directions, and the best labels in that order.

A leaf is a product of cells: the thresholds of a number cut its range into cells, each category is one, and so is
the missing value. Cells of a falling column count from its greatest value, so that all directions rise. A leaf
lies at or below another one if some x of the first is at most some x' of the second in the directed columns, and
equal to it in all others. Predictions keep to the directions exactly if of two such leaves the upper one never has
the lower class.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from espalier.data.binarise import N_CODES, Questions, answers, make_questions
from espalier.learners.optimal.cells import codes_of
from espalier.learners.optimal.problem import DistinctQuestions
from espalier.learners.optimal.tree_builder import ColumnSplit, Shape

Region: TypeAlias = "tuple[int, ...]"  # of each feature the cells, as bits
ENDLESS = 1 << 30  # more than all rows can cost


class Leaf(NamedTuple):
    """A leaf of a shape."""

    region: Region
    rows: np.ndarray  # (n_groups,) bool: which groups of rows are in it


class Step(NamedTuple):
    """Two samples of which the second lies at or above the first; nan is the missing value."""

    low: np.ndarray  # (n_features,) float64
    high: np.ndarray


class Cells:
    """The cells of all features, as the columns of a search separate them."""

    def __init__(self, questions: Questions, columns: DistinctQuestions, directions: np.ndarray):
        self._feature = questions.feature[columns.question].tolist()
        self._values = [_values_of(i, questions, int(one)) for i, one in enumerate(directions)]
        self._directed = directions != 0
        self._known = [(1 << int(np.count_nonzero(~np.isnan(values)))) - 1 for values in self._values]
        self._questions, self._columns = questions, columns
        self._ones: dict[int, int] = {}  # of a column, the cells of its feature for which it is 1
        self.lowest = np.array([values[0] for values in self._values])  # (n_features,): a value in the first cell
        self.highest = np.array([values[-2] for values in self._values])  # in the last one; nan comes after it

    def _cells_of(self, column: int) -> int:
        """Return the cells of its feature for which a column is 1."""
        if column not in self._ones:
            asked = make_questions(*(field[self._columns.question[[column]]] for field in self._questions))
            values = self._values[self._feature[column]]
            yes = answers(asked._replace(feature=np.zeros(1, np.int32)), values[:, None])[:, 0]
            cells = np.flatnonzero(yes ^ self._columns.flipped[column])
            self._ones[column] = sum(1 << cell for cell in cells.tolist())
        return self._ones[column]

    def leaves(self, shape: Shape, bits: np.ndarray) -> list[Leaf]:
        """Return the leaves of a shape in preorder; `bits` (n_groups, n_columns) are the rows' answers."""
        everything = tuple((1 << len(values)) - 1 for values in self._values)
        return list(self._walk(shape, Leaf(everything, np.ones(len(bits), bool)), bits))

    def _walk(self, shape: Shape, leaf: Leaf, bits: np.ndarray) -> Iterator[Leaf]:
        if not isinstance(shape, ColumnSplit):
            yield leaf
            return
        at, ones, is_one = self._feature[shape.column], self._cells_of(shape.column), bits[:, shape.column]
        for below, cells, rows in ((shape.one, ones, is_one), (shape.zero, ~ones, ~is_one)):
            region = (*leaf.region[:at], leaf.region[at] & cells, *leaf.region[at + 1 :])
            yield from self._walk(below, Leaf(region, leaf.rows & rows), bits)

    def below(self, leaves: list[Leaf]) -> np.ndarray:
        """Return which leaf (row) lies at or below which other one (column), (n_leaves, n_leaves) bool."""
        return np.array(
            [[a is not b and self._is_below(a.region, b.region) for b in leaves] for a in leaves], dtype=bool
        )

    def _is_below(self, first: Region, second: Region) -> bool:
        """Return whether some x of the first region lies at or below some x' of the second."""
        for at, known in enumerate(self._known):
            one, other = first[at], second[at]
            if one & other:
                continue
            one, other = one & known, other & known
            if not (self._directed[at] and one and other and _least(one) < other.bit_length()):
                return False
        return True

    def step(self, first: Region, second: Region) -> Step:
        """Return samples of two regions of which the first lies below the second, far apart where that may be."""
        pairs = [self._cells_apart(at, first[at], second[at]) for at in range(len(first))]
        values = [[of[cell] for cell in pair] for of, pair in zip(self._values, pairs, strict=True)]
        return Step(*np.array(values, np.float64).reshape(-1, 2).T)

    def _cells_apart(self, at: int, one: int, other: int) -> tuple[int, int]:
        """Return a cell of each of two sets: the last of the first set and the first of the second, if in order.

        Else both are the one in the middle of those that the sets share.
        """
        known = self._known[at]
        top, bottom = (one & known).bit_length() - 1, _least(other & known)
        if self._directed[at] and 0 <= top <= bottom:
            return top, bottom
        shared = one & other & known or one & other
        cells = [cell for cell in range(len(self._values[at])) if shared >> cell & 1]
        middle = cells[len(cells) // 2]
        return middle, middle


def _least(cells: int) -> int:
    """Return the first cell of a set; -1 of the empty one."""
    return (cells & -cells).bit_length() - 1


def _values_of(feature: int, questions: Questions, direction: int) -> np.ndarray:
    """Return a value in each cell of a feature, in its direction, nan last."""
    about = questions.feature == feature
    codes = codes_of(questions, about)
    if len(codes):
        other = next(code for code in range(N_CODES + 1) if code not in codes)
        return np.append(codes, [other, np.nan]).astype(np.float64)
    cuts = questions.threshold[about]
    values = np.append(np.unique(cuts[cuts < np.inf]), np.inf)
    return np.append(values[::-1] if direction < 0 else values, np.nan)


def shares_in_order(share: np.ndarray, label: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Return shares of class 1 in the leaves' order, (n_leaves,), from their own shares and labels.

    A share becomes the middle of the greatest at or below it and the least at or above it; a leaf whose label is
    not its own best only knows on which side of a half it is.
    """
    order = below | np.eye(len(label), dtype=bool)
    for _ in range(len(label).bit_length()):
        order = (order.astype(np.int64) @ order) > 0
    is_own = (share > 0.5) == (label == 1)
    low, high = np.where(is_own, share, label / 2), np.where(is_own, share, (label + 1) / 2)
    most = np.where(order, low[:, None], 0.0).max(axis=0)
    least = np.where(order, high, 1.0).min(axis=1)
    return (most + least) / 2


def best_labels(cost: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Return the cheapest labels (n_leaves,) 0 or 1 of leaves in order, by a minimal cut (Picard 1976).

    `cost` (n_leaves, 2) are whole numbers; `below` (n_leaves, n_leaves) bool tells which leaf lies below which.
    """
    n = len(cost)
    room = np.zeros((n + 2, n + 2), np.int32)  # after the leaves the source, the side of label 1, and the sink
    room[:n, :n] = np.where(below, ENDLESS, 0)
    room[n, :n], room[:n, n + 1] = cost[:, 0], cost[:, 1]
    flow = maximum_flow(csr_array(room), n, n + 1).flow.toarray()
    rest = csr_array((room - flow > 0).astype(np.int32))
    labels = np.zeros(n + 2, np.int64)
    labels[breadth_first_order(rest, n, return_predecessors=False)] = 1
    return labels[:n]

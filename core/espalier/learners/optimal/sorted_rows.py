"""Rows in the order of every column, for the search over thresholds; and its trees as questions."""

from __future__ import annotations

import numpy as np

from espalier.kernels.optimal.thresholds.samples import SortedNode, SortedSamples, make_node
from espalier.kernels.optimal.thresholds.sides import LEFT, RIGHT
from espalier.kernels.optimal.thresholds.stump_of_rows import Stump, StumpRows, stump_of_rows
from espalier.learners.optimal.problem import MergedRows
from espalier.learners.optimal.ranks import RankedColumns
from espalier.trees import LEAF

SHORT = 2**15  # sums and ranks below it are counted in 16 bits


class SortedRows:
    """The rows at which a prediction saves anything; those with equal ranks everywhere are merged.

    Where a leaf has a least weight, also those that only weigh.
    """

    def __init__(self, columns: RankedColumns, rows: MergedRows, least: int = 0):
        """`rows` are the merged rows of these columns; `least` is the weight of a leaf, at least."""
        earning = (rows.worth > 0) | (least > 0)
        self.earned, self.worth, self._least = rows.earned[earning], int(rows.worth.sum()), least
        self._worths, self._weights = rows.worth[earning], rows.weight[earning]
        self._question, self._direction = columns.question, columns.direction
        ranks = [_without_gaps(rank) for rank in rows.bits[earning].T]
        self._given = [given for given, _ in ranks]  # the rank among the questions, by that among these rows
        self._rank = np.array([rank for _, rank in ranks], np.int64).reshape(len(ranks), len(self.earned))
        self.all = np.arange(len(self.earned))

    @property
    def n_cuts(self) -> int:
        """Number of cuts between rows, in all columns."""
        return sum(max(len(given) - 1, 0) for given in self._given)

    def samples(self, unit: int, tie: int) -> tuple[SortedSamples, SortedNode]:
        """Return the rows as samples of one class each, and the node of all of them."""
        saves = self.earned > 0
        saves[:, 0] |= ~saves.any(axis=1)
        row, label = np.nonzero(saves)
        amount, is_first = self.earned[row, label], np.diff(row, prepend=-1) > 0
        weight = np.where(is_first, self._weights[row], 0) * (self._least > 0)
        kind = np.int16 if max(amount.sum(), weight.sum(), len(row)) < SHORT else np.int32
        rank = self._rank[:, row]
        node = make_node(len(rank), len(row), self._least > 0)
        name = rank * self.earned.shape[1] + label  # of value and class; equal ones stay in order
        is_short = name.max(initial=0) < 2 * SHORT  # then sorting takes a quarter of the time
        node.order[:] = np.argsort(name.astype(np.uint16) if is_short else name, axis=1, kind="stable").ravel()
        node.size[0] = len(row)
        signed = np.where(label > 0, amount, -amount).astype(kind)
        worth = np.where(is_first, self._worths[row], 0).astype(np.int64)
        whose = rank.ravel().astype(kind), label.astype(np.int64), amount.astype(kind), signed, worth
        counted = self.earned.shape[1], unit, tie
        return SortedSamples(*whose, *counted, weight.astype(kind), self._least, self._direction), node

    @staticmethod
    def some(samples: SortedSamples, root: SortedNode, step: int) -> SortedNode:
        """Return the node of every so manieth row, of all `samples` with this `root`; rows are in random order."""
        row = np.cumsum((samples.worth > 0) | (samples.weight > 0)) - 1  # told by the first of its samples
        order = root.order.reshape(len(root.n_cuts), -1)
        kept = (row % step == 0)[order]
        size = int(kept[0].sum())
        node = make_node(*order.shape, samples.least > 0)
        node.order.reshape(order.shape)[:, :size] = order[kept].reshape(-1, size)
        node.size[0] = size
        return node

    def questions(self, tree: np.ndarray, rows: np.ndarray) -> list[int]:
        """Return the questions of these `rows` in preorder, -1 for a leaf.

        `tree` (3, n_splits) is written as in `kernels.optimal.thresholds.search`.
        """
        (column, rank, stumps), below = tree[:, 0].tolist(), tree.shape[1] // 2
        if column < 0:
            return self._stump_questions(rows) if stumps else [LEAF]
        is_left = self._rank[column, rows] < rank
        sides = rows[is_left], rows[~is_left]
        parts = tree[:, 1 : 1 + below], tree[:, 1 + below :]
        if not below:
            parts = (np.array([[LEAF], [0], [stumps & at]]) for at in (LEFT, RIGHT))
        shapes = [self.questions(part, side) for part, side in zip(parts, sides, strict=True)]
        return [self._asked(column, rank, rows), *shapes[0], *shapes[1]]

    def stump(self, rows: np.ndarray) -> Stump:
        """Return the best stump of these rows, or a leaf if none saves more."""
        most = max(map(len, self._given), default=0)
        earned, weight = np.ascontiguousarray(self.earned), np.ascontiguousarray(self._weights)
        return stump_of_rows(StumpRows(self._rank, earned, weight, self._direction, most, self._least), rows)

    def _stump_questions(self, rows: np.ndarray) -> list[int]:
        stump = self.stump(rows)
        return [LEAF] if stump.column == LEAF else [self._asked(stump.column, stump.rank, rows), LEAF, LEAF]

    def _asked(self, column: int, rank: int, rows: np.ndarray) -> int:
        """Return the question that separates these rows at the rank; of several the one in the middle."""
        given = self._given[column][self._rank[column, rows]]
        behind = self._given[column][rank]
        first, last = given[given < behind].max(), given[given >= behind].min() - 1
        return int(self._question[column][(first + last) // 2])


def _without_gaps(rank: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ranks that occur, ascending, and the place of each row's rank (n_rows,) among them."""
    occurs = np.bincount(rank) > 0
    if occurs.all():
        return np.arange(len(occurs)), rank
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[rank]

"""Branches of a regression tree whose values lie between two bounds: what they may be, and what was found."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.data.binarise import Questions
from espalier.kernels.optimal.regression.ordered_stumps import ColumnOrder
from espalier.kernels.optimal.regression.rows import TargetNode, make_nodes, node_at
from espalier.learners.optimal.ranks import RankedColumns


class Room(NamedTuple):
    """What a branch may be: its depth and splits at most, its least and greatest value, and what losses matter.

    Where a bound of the values has a slack, the loss is a bound instead: of what the branch loses when the bound
    has moved inwards by as much.
    """

    depth: int
    splits: int
    low: float
    high: float
    known: float  # no such branch has less
    limit: float  # branches of so much or more do not matter
    low_slack: float = 0.0
    high_slack: float = 0.0

    @property
    def is_small(self) -> bool:
        """Whether the kernel solves it."""
        return self.depth <= 2 or self.splits <= 1


class FoundBranch(NamedTuple):
    """The best branch that was found."""

    loss: float
    parts: tuple  # what its questions are read from
    least: float  # of its values
    most: float
    low: float  # no branch has less, even where leaves may have any number of rows


class Root(NamedTuple):
    """A cut at which a node is divided."""

    column: int
    cut: int
    rank: int  # of the first row on the right
    direction: int
    sides: tuple[TargetNode, TargetNode]
    splits: tuple[int, int]  # of both sides, at most


def deals_of(room: Room) -> range:
    """Return how many splits the left side may have at most, in all ways of dealing them."""
    most, rest = 2 ** (room.depth - 1) - 1, room.splits - 1
    return range(max(rest - most, 0), min(rest, most) + 1)


def node_in_orders(order: np.ndarray) -> TargetNode:
    """Return the node of rows that are given in all orders, (n_columns + 1, n)."""
    nodes = make_nodes(1, len(order) - 1, order.shape[1])
    nodes.order[0], nodes.size[0, 0] = order, order.shape[1]
    return node_at(nodes, 0)


def column_order(
    questions: Questions, columns: RankedColumns, directions: np.ndarray, n_columns: int
) -> ColumnOrder:
    """Return the directions of the search's columns; `directions` (n_features,) are those of the features."""
    direction, free = np.zeros(n_columns, np.int64), np.full(n_columns, -1, np.int64)
    for column, asked in enumerate(columns.question):
        if not questions.categories[asked[0]]:
            direction[column] = directions[questions.feature[asked[0]]]
            if questions.threshold[asked[-1]] == np.inf:
                free[column] = len(asked)
    return ColumnOrder(direction, free)

"""The trees as good that agree most with the answers of many."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from espalier.learners.optimal.as_good.graph import TreesAsGood
from espalier.learners.optimal.as_good.nodes import ChosenSplit, GraphTree, RowsNode, SplitNode


class _Pick(NamedTuple):
    """The best way to a tree of one value at a node."""

    agreement: float
    label: int  # of a leaf; -1 for a split
    split: SplitNode | None = None
    no: int = 0  # value of the tree on the side of no
    yes: int = 0


Picks: TypeAlias = "dict[int, _Pick]"  # by value


def nearest_of_each_value(trees: TreesAsGood, votes: np.ndarray) -> list[GraphTree]:
    """Return, of each cost and number of splits, the tree whose answers have the most votes."""
    search = _Nearest(trees, votes)
    picks = search.picks(trees.root, np.ones(len(votes), dtype=bool))
    return [search.tree(trees.root, value) for value in sorted(picks)]


class _Nearest:
    """The best tree of each value at each node, each node once."""

    def __init__(self, trees: TreesAsGood, votes: np.ndarray):
        self._trees, self._votes, self._bits = trees, votes, trees.questions.inputs.columns.bits
        self._known: dict[int, Picks] = {}

    def picks(self, node: RowsNode, rows: np.ndarray) -> Picks:
        """Return the best trees of a node, whose rows are a mask (n_samples,)."""
        if id(node) not in self._known:
            found: Picks = {}
            votes = self._votes[rows].sum(axis=0).tolist()
            for label, cost in enumerate(node.leaves):
                if cost <= node.budget:
                    _keep(found, cost * self._trees.unit, _Pick(votes[label], label))
            for split in node.splits:
                self._add(found, split, rows)
            self._known[id(node)] = found
        return self._known[id(node)]

    def _add(self, found: Picks, split: SplitNode, rows: np.ndarray) -> None:
        is_yes = self._bits[:, split.place]
        no, yes = self.picks(split.no, rows & ~is_yes), self.picks(split.yes, rows & is_yes)
        for a, first in no.items():
            for b, second in yes.items():
                if (value := a + b + 1) in split.table:
                    _keep(found, value, _Pick(first.agreement + second.agreement, -1, split, a, b))

    def tree(self, node: RowsNode, value: int) -> GraphTree:
        """Return the best tree of this value at a node."""
        pick = self._known[id(node)][value]
        if pick.split is None:
            return pick.label
        return ChosenSplit(pick.split, self.tree(pick.split.yes, pick.yes), self.tree(pick.split.no, pick.no))


def _keep(found: Picks, value: int, pick: _Pick) -> None:
    if value not in found or pick.agreement > found[value].agreement:
        found[value] = pick

"""Trees built by hand, node by node: the choices that still lead to a tree as good, each with what it leaves.

A tree that is being built is written in preorder, the side of yes first: "o" for a node that is open, "c2" for a
leaf of class 2, "q17" for question 17 of the search. Numbers of trees are exact: those of the and-or graph that
agree with all that is decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from espalier.learners.optimal.rashomon.graph import (
    ChosenSplit,
    PartialTree,
    RowsNode,
    SplitNode,
    TreesAsGood,
    product,
    shape_of,
)
from espalier.learners.optimal.tree_builder import Shape
from espalier.trees import LEAF

OPEN = "o"
_TOKEN = re.compile("o|c[0-9]{1,4}|q[0-9]{1,9}")


class PartialNode(NamedTuple):
    """A node of a tree that is being built."""

    path: str  # the answers that lead to it: "" for the root, "yn" for yes, then no
    rows: RowsNode
    tree: PartialTree


class NodeChoice(NamedTuple):
    """A choice at an open node that leads to a tree as good."""

    split: SplitNode | None  # None for a leaf
    label: int  # class of a leaf, -1 for a split
    n_trees: int  # trees as good that agree with it and with all that is decided
    objective: float  # the least of these


def is_written(text: str) -> bool:
    """Return whether a text may be that of a tree that is being built."""
    return all(_TOKEN.fullmatch(token) for token in text.split("."))


class TreeBuilding:
    """A tree that is being built by hand within trees as good."""

    def __init__(self, trees: TreesAsGood, text: str = OPEN):
        """`text` is what was decided. Raises ValueError if no tree as good agrees with it."""
        self.trees = trees
        if not is_written(text):
            raise ValueError(f"{text!r} is no tree that is being built")
        left = iter(text.split("."))
        self.tree = self._read(left, trees.root)
        if next(left, None) is not None or not self.n_trees:
            raise ValueError("no tree as good agrees with what was decided")

    def _read(self, tokens: Iterator[str], rows: RowsNode) -> PartialTree:
        token = next(tokens, "")
        if token == OPEN:
            return None
        if token.startswith("c") and int(token[1:]) in rows.leaves:
            return int(token[1:])
        inputs = self.trees.questions.inputs
        for split in rows.splits if token.startswith("q") else ():
            if int(token[1:]) in inputs.columns.question[list(split.places)]:
                return ChosenSplit(split, self._read(tokens, split.yes), self._read(tokens, split.no))
        raise ValueError("no tree as good agrees with what was decided")

    @property
    def text(self) -> str:
        """What is decided."""
        return ".".join(self._tokens(self.tree))

    @property
    def n_trees(self) -> int:
        """How many trees as good agree with what is decided."""
        return sum(self._agreeing(self.trees.root, self.tree).table.values())

    @property
    def objective(self) -> float:
        """The least objective that can be reached."""
        return self.trees.objective(min(self._agreeing(self.trees.root, self.tree).table))

    @property
    def nodes(self) -> list[PartialNode]:
        """The nodes in preorder, the side of yes first."""
        return list(_nodes(PartialNode("", self.trees.root, self.tree)))

    @property
    def is_finished(self) -> bool:
        """Whether no node is open."""
        return all(node.tree is not None for node in self.nodes)

    @property
    def shape(self) -> Shape:
        """The tree, with a leaf of the best class at each open node."""
        return shape_of(self.tree)

    def with_choice(self, path: str, choice: NodeChoice | None) -> TreeBuilding:
        """Return the tree with a choice at a node; None opens it again."""
        some: PartialTree = None
        if choice is not None:
            some = choice.label if choice.split is None else ChosenSplit(choice.split, None, None)
        return TreeBuilding(self.trees, ".".join(self._tokens(_with(self.tree, path, some))))

    def finished(self) -> TreeBuilding:
        """Return the best tree that agrees with what is decided."""
        building = self
        while open_nodes := [node for node in building.nodes if node.tree is None]:
            path = open_nodes[0].path
            building = building.with_choice(path, min(building.choices(path), key=lambda choice: choice.objective))
        return building

    def choices(self, path: str) -> list[NodeChoice]:
        """Return the choices at a node that lead to a tree as good: leaves first, then by number of trees."""
        rows = {node.path: node.rows for node in self.nodes}.get(path)
        if rows is None:
            raise ValueError(f"there is no node {path!r}")
        options: list[tuple[SplitNode | None, int]] = [(None, label) for label in rows.leaves]
        choices = []
        for split, label in [*options, *((split, LEAF) for split in rows.splits)]:
            tree = label if split is None else ChosenSplit(split, None, None)
            table = self._agreeing(self.trees.root, _with(self.tree, path, tree)).table
            if table:
                objective = self.trees.objective(min(table))
                choices.append(NodeChoice(split, label, sum(table.values()), objective))
        return sorted(choices, key=lambda choice: (choice.split is not None, -choice.n_trees))

    def _agreeing(self, rows: RowsNode, tree: PartialTree) -> RowsNode:
        """Return a node with the trees that agree with what is decided there and below it."""
        if tree is None:
            return rows
        if not isinstance(tree, ChosenSplit):
            leaves = {tree: rows.leaves[tree]} if tree in rows.leaves else {}
            return RowsNode(rows.budget, leaves, (), {cost * self.trees.unit: 1 for cost in leaves.values()})
        if tree.yes is None and tree.no is None:
            return RowsNode(rows.budget, {}, (), tree.split.table)
        no, yes = self._agreeing(tree.split.no, tree.no), self._agreeing(tree.split.yes, tree.yes)
        return RowsNode(rows.budget, {}, (), product(no, yes, self.trees.limits))

    def _tokens(self, tree: PartialTree) -> list[str]:
        if tree is None:
            return [OPEN]
        if not isinstance(tree, ChosenSplit):
            return [f"c{tree}"]
        question = self.trees.questions.inputs.columns.question[tree.split.place]
        return [f"q{question}", *self._tokens(tree.yes), *self._tokens(tree.no)]


def _nodes(node: PartialNode) -> Iterator[PartialNode]:
    yield node
    if isinstance(node.tree, ChosenSplit):
        split = node.tree.split
        yield from _nodes(PartialNode(f"{node.path}y", split.yes, node.tree.yes))
        yield from _nodes(PartialNode(f"{node.path}n", split.no, node.tree.no))


def _with(tree: PartialTree, path: str, some: PartialTree) -> PartialTree:
    """Return the tree with another one at a node."""
    if not path:
        return some
    if not isinstance(tree, ChosenSplit):
        raise ValueError(f"there is no node {path!r}")
    if path[0] == "y":
        return tree._replace(yes=_with(tree.yes, path[1:], some))
    return tree._replace(no=_with(tree.no, path[1:], some))

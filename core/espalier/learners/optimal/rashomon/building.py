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
    Table,
    TreesAsGood,
    join_tables,
    shape_of,
)
from espalier.learners.optimal.rashomon.surveys import NEVER
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
        if token.startswith("c") and int(token[1:]) < len(rows.leaves):
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
        return sum(self._table(self.trees.root, self.tree).values())

    @property
    def objective(self) -> float:
        """The least objective that can be reached."""
        return self.trees.objective(min(self._table(self.trees.root, self.tree)))

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
        rows, rests = self._around(path)
        choices = []
        for label, cost in enumerate(rows.leaves):
            if cost <= rows.budget:
                choices.append(self._choice(None, label, {cost * self.trees.unit: 1}, rests[label]))
        for split in rows.splits:
            choices.append(self._choice(split, LEAF, split.table, rests[LEAF]))
        left = [choice for choice in choices if choice.n_trees]
        return sorted(left, key=lambda choice: (choice.split is not None, -choice.n_trees))

    def _choice(self, split: SplitNode | None, label: int, table: Table, rest: Table) -> NodeChoice:
        holds, total, least = self.trees.limits.holds, 0, NEVER
        for a, n in table.items():
            for b, m in rest.items():
                if holds(a + b):
                    total, least = total + n * m, min(least, a + b)
        return NodeChoice(split, label, total, self.trees.objective(least))

    def _around(self, path: str) -> tuple[RowsNode, dict[int, Table]]:
        """Return the rows of a node, and the trees around it: the table for a split, and for a leaf of each class.

        A leaf of a class does not stand beside another one, so that the tables differ.
        """
        rows, tree, rest = self.trees.root, self.tree, {0: 1}
        rests: dict[int, Table] = dict.fromkeys(range(LEAF, len(rows.leaves)), rest)
        for answer in path:
            if not isinstance(tree, ChosenSplit):
                raise ValueError(f"there is no node {path!r}")
            other, beside = (tree.split.no, tree.no) if answer == "y" else (tree.split.yes, tree.yes)
            table = self._table(other, beside)
            around = rests[LEAF]
            rests = {LEAF: join_tables(around, table, self.trees.limits)}
            for label in range(len(rows.leaves)):
                rests[label] = join_tables(
                    around, self._without_leaf(table, other, beside, label), self.trees.limits
                )
            rows, tree = (tree.split.yes, tree.yes) if answer == "y" else (tree.split.no, tree.no)
        return rows, rests

    def _without_leaf(self, table: Table, rows: RowsNode, tree: PartialTree, label: int) -> Table:
        """Return the table of a node without the leaf of a class."""
        value = rows.leaves[label] * self.trees.unit
        if isinstance(tree, ChosenSplit) or tree not in (None, label) or value not in table:
            return table
        return {other: n - (other == value) for other, n in table.items() if n - (other == value)}

    def _table(self, rows: RowsNode, tree: PartialTree) -> Table:
        """Return how many trees agree with what is decided at a node and below it, by value."""
        if tree is None:
            return rows.table
        if not isinstance(tree, ChosenSplit):
            cost = rows.leaves[tree]
            return {cost * self.trees.unit: 1} if cost <= rows.budget else {}
        no, yes = self._table(tree.split.no, tree.no), self._table(tree.split.yes, tree.yes)
        counts = dict(join_tables(no, yes, self.trees.limits))
        for label in range(len(rows.leaves)):
            sides = [_leaf_cost(tree.split.no, tree.no, label), _leaf_cost(tree.split.yes, tree.yes, label)]
            value = sum(sides) * self.trees.unit + 1
            if value in counts and max(sides) < NEVER:
                counts[value] -= 1
        return {value: n for value, n in counts.items() if n}

    def _tokens(self, tree: PartialTree) -> list[str]:
        if tree is None:
            return [OPEN]
        if not isinstance(tree, ChosenSplit):
            return [f"c{tree}"]
        question = self.trees.questions.inputs.columns.question[tree.split.place]
        return [f"q{question}", *self._tokens(tree.yes), *self._tokens(tree.no)]


def _leaf_cost(rows: RowsNode, tree: PartialTree, label: int) -> int:
    """Return the cost of a leaf of a class, NEVER where there is none any more."""
    is_possible = not isinstance(tree, ChosenSplit) and tree in (None, label)
    return rows.leaves[label] if is_possible and rows.leaves[label] <= rows.budget else NEVER


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

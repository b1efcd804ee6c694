"""Trees on a plane of two columns, x and y, with whole numbers as thresholds; their parts, cells and texts.

A tree is written by its splits in preorder, with a dash for each leaf: "x3 - y6 - -" asks x ≤ 3, and where that is
not so y ≤ 6.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from espalier.predict import leaves
from espalier.trees import LEAF, Tree, make_tree

COLUMNS = "xy"
LETTERS = "ABCDEF"
WIDE = 10  # both columns have numbers from 0 to this
THRESHOLDS = range(1, WIDE)
NO_SPLIT = "-"  # in a text
MOST_NODES = 41  # of a text
_SPLIT = re.compile(r"([xy])([1-9])")
_HALVES = np.arange(WIDE) + 0.5
CELLS = np.array(list(itertools.product(_HALVES, repeat=2)))  # the middles of all squares between whole numbers


class PlaneBox(NamedTuple):
    """A part of the plane: above these numbers, and up to those, by column."""

    low: tuple[int, int]
    high: tuple[int, int]

    def halves(self, column: int, cut: int) -> tuple[PlaneBox, PlaneBox]:
        """Return the parts up to a threshold and above it."""
        low, high = list(self.low), list(self.high)
        low[column] = high[column] = cut
        return PlaneBox(self.low, (high[0], high[1])), PlaneBox((low[0], low[1]), self.high)

    def said(self) -> str:
        """Return the bounds of the part, such as "2 < x ≤ 8, y > 5"; of the whole plane, nothing."""
        bounds = [
            f"{low} < {name} ≤ {high}" if low and high < WIDE else f"{name} > {low}" if low else f"{name} ≤ {high}"
            for name, low, high in zip(COLUMNS, *self, strict=True)
            if low or high < WIDE
        ]
        return ", ".join(bounds)


PLANE = PlaneBox((0, 0), (WIDE, WIDE))


class PlaneSplit(NamedTuple):
    """A split and what is below it; a leaf is the number of its letter."""

    column: int
    cut: int
    yes: PlaneSplit | int
    no: PlaneSplit | int


PlaneShape = PlaneSplit | int
Change = Callable[[PlaneSplit], PlaneSplit]


def plane_shape(draw: random.Random, n_leaves: int) -> PlaneShape:
    """Return a tree whose leaves are two wide at least; every leaf is a class of its own."""
    boxes = [(0, PLANE)]
    splits: dict[int, tuple[int, int, int]] = {}  # by node: column, threshold, its first child
    while len(boxes) < n_leaves:
        column = draw.randrange(2)
        wide = [one for one in boxes if one[1].high[column] - one[1].low[column] >= 4]
        if not wide:
            continue
        node, box = chosen = draw.choice(wide)
        cut = draw.randint(box.low[column] + 2, box.high[column] - 2)
        boxes.remove(chosen)
        first = 2 * len(splits) + 1
        splits[node] = (column, cut, first)
        boxes += [(first + side, part) for side, part in enumerate(box.halves(column, cut))]
    return _below(splits, 0, itertools.count())


def _below(splits: dict[int, tuple[int, int, int]], node: int, letters: Iterator[int]) -> PlaneShape:
    if node not in splits:
        return next(letters)
    column, cut, first = splits[node]
    return PlaneSplit(column, cut, _below(splits, first, letters), _below(splits, first + 1, letters))


def plane_tree(draw: random.Random, n_leaves: int) -> Tree:
    """Return a tree on x and y with thresholds that are whole numbers; every leaf is a class of its own."""
    return tree_of(plane_shape(draw, n_leaves))


def nodes_of(shape: PlaneShape, box: PlaneBox = PLANE) -> Iterator[tuple[PlaneShape, PlaneBox]]:
    """Yield all nodes with their parts of the plane, in preorder."""
    yield shape, box
    if isinstance(shape, PlaneSplit):
        yes, no = box.halves(shape.column, shape.cut)
        yield from nodes_of(shape.yes, yes)
        yield from nodes_of(shape.no, no)


def tree_of(shape: PlaneShape) -> Tree:
    """Return the record of a tree, a class for each letter."""
    nodes = [node for node, _ in nodes_of(shape)]
    feature, threshold, left, right = [], [], [], []
    for place, node in enumerate(nodes):
        is_split = isinstance(node, PlaneSplit)
        feature.append(node.column if is_split else LEAF)
        threshold.append(node.cut if is_split else np.nan)
        left.append(place + 1 if is_split else LEAF)
        right.append(place + 1 + sum(1 for _ in nodes_of(node.yes)) if is_split else LEAF)
    letters = [LEAF if isinstance(node, PlaneSplit) else node for node in nodes]
    value = np.equal.outer(letters, np.arange(max(letters) + 1)).astype(np.float64)
    zeros, ones = np.zeros(len(nodes)), np.ones(len(nodes))
    return make_tree(feature, threshold, left, right, zeros, zeros, ones, ones, value, zeros)


def cells(shape: PlaneShape) -> np.ndarray:
    """Return the letter's number of each square between whole numbers, (100,) int64: the tree as a function."""
    tree = tree_of(shape)
    return tree.value[leaves(tree, CELLS)].argmax(axis=1)


def n_splits(shape: PlaneShape) -> int:
    """Return the number of splits."""
    return sum(isinstance(node, PlaneSplit) for node, _ in nodes_of(shape))


def turned(split: PlaneSplit) -> PlaneSplit:
    """Return the split with yes and no mixed up."""
    return split._replace(yes=split.no, no=split.yes)


def crossed(split: PlaneSplit) -> PlaneSplit:
    """Return the split with the columns mixed up."""
    return split._replace(column=1 - split.column)


def moved(split: PlaneSplit) -> PlaneSplit:
    """Return the split with its threshold counted from the other end."""
    return split._replace(cut=WIDE - split.cut)


def everywhere(shape: PlaneShape, change: Change) -> PlaneShape:
    """Return the tree with every split changed."""
    if not isinstance(shape, PlaneSplit):
        return shape
    return change(shape._replace(yes=everywhere(shape.yes, change), no=everywhere(shape.no, change)))


def at_one(shape: PlaneShape, chosen: PlaneSplit, change: Change) -> PlaneShape:
    """Return the tree with one of its splits changed."""
    return everywhere(shape, lambda split: change(split) if split == chosen else split)


def written(shape: PlaneShape) -> str:
    """Return the text of a tree.

    >>> written(PlaneSplit(0, 3, 0, PlaneSplit(1, 6, 1, 2)))
    'x3 - y6 - -'
    """
    words = [
        f"{COLUMNS[node.column]}{node.cut}" if isinstance(node, PlaneSplit) else NO_SPLIT
        for node, _ in nodes_of(shape)
    ]
    return " ".join(words)


def read(text: str) -> PlaneShape | None:
    """Return the tree of a text, its leaves numbered in order; None for a text of no tree.

    >>> read("x3 - y6 - -").no
    PlaneSplit(column=1, cut=6, yes=1, no=2)
    >>> read("x3 -") is None
    True
    """
    words = text.split()
    if len(words) > MOST_NODES:
        return None
    rest = iter(words)
    try:
        shape = _next_node(rest, itertools.count())
    except (StopIteration, ValueError):
        return None
    return shape if next(rest, None) is None else None


def _next_node(words: Iterator[str], letters: Iterator[int]) -> PlaneShape:
    word = next(words)
    if word == NO_SPLIT:
        return next(letters)
    found = _SPLIT.fullmatch(word)
    if not found:
        raise ValueError
    yes = _next_node(words, letters)
    return PlaneSplit(COLUMNS.index(found[1]), int(found[2]), yes, _next_node(words, letters))


def parts_as(shape: PlaneShape, surface: PlaneShape) -> bool:
    """Return whether no leaf of a tree holds two letters of a surface: with those, the tree is that function."""
    own, letters = cells(shape), cells(surface)
    return all(len(np.unique(letters[own == leaf])) == 1 for leaf in np.unique(own))

"""Exercises on a tree: what a node says, where a row ends, which part of the plane is a leaf's."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from espalier.language import Phrase
from espalier.learners import CartRegressor
from espalier.practice.exercise import Exercise, ExerciseTable, Mistake, of_choices
from espalier.practice.impurities import colour, grown, short
from espalier.predict import leaves
from espalier.trees import LEAF, Tree, make_tree

COLUMNS = "xy"
LETTERS = "ABCDEF"
WIDE = 10  # both columns have numbers from 0 to this


def node(draw: random.Random, level: int) -> Exercise | None:
    """Class of a node; mean of its numbers; or their median, where the error is absolute."""
    return _class_of_node(draw) if level == 1 else _number_of_node(draw, level)


def _class_of_node(draw: random.Random) -> Exercise | None:
    counts = [[draw.randint(0, 6) for _ in range(3)] for _ in range(2)]
    tree, all_rows = grown(counts), np.sum(counts, axis=0)
    best = [Counter(dict(enumerate(c))).most_common() for c in (counts[0], all_rows.tolist())]
    if (
        min(all_rows) == 0
        or tree.n_nodes != 3
        or any(b[0][1] == b[1][1] for b in best)
        or best[0][0][0] == best[1][0][0]
    ):
        return None
    right = int(tree.value[1].argmax())
    heads = (Phrase("node", {}), *(colour(k) for k in range(3)))
    rows = (
        (Phrase("root", {}), *all_rows.tolist()),
        (Phrase("left", {}), *counts[0]),
        (Phrase("right", {}), *counts[1]),
    )
    return Exercise(
        Phrase("Which class does the left leaf answer with?", {}),
        right,
        (
            Phrase(
                "A leaf answers with the most frequent class among its own rows: {name}.", {"name": colour(right)}
            ),
        ),
        of_choices(
            right, {best[1][0][0]: Phrase("That is the most frequent class of the root, not of the leaf.", {})}
        ),
        tuple(colour(k) for k in range(3)),
        table=ExerciseTable(heads, rows),
    )


def _number_of_node(draw: random.Random, level: int) -> Exercise | None:
    n = 5 if level == 2 else draw.choice([4, 5, 6])
    y = [draw.randint(0, 20) for _ in range(n)]
    criterion = "squared_error" if level == 2 else "absolute_error"
    tree = CartRegressor(criterion=criterion).fit(np.zeros((n, 1)), np.array(y, float)).tree_
    right, mean, middle = float(tree.value[0, 0]), sum(y) / n, float(np.median(y))
    if level == 2:
        way = Phrase("The mean makes the squared error least: {total} / {n} = {value}.",
                     {"total": sum(y), "n": n, "value": short(right)})  # fmt: skip
        lure = Mistake(middle, Phrase("That is the median, which makes the absolute error least.", {}))
    else:
        way = Phrase("The median makes the absolute error least. In order: {order}; in the middle stands {value}.",
                     {"order": ", ".join(map(str, sorted(y))), "value": short(right)})  # fmt: skip
        lure = Mistake(mean, Phrase("That is the mean, which makes the squared error least.", {}))
    ask = Phrase(
        "The rows of a leaf have these numbers. What does it answer, grown by the squared error?"
        if level == 2
        else "The rows of a leaf have these numbers. What does it answer, grown by the absolute error?",
        {},
    )
    return Exercise(ask, right, (way,), (lure,), table=ExerciseTable(("",) * n, (tuple(y),)))


class PlaneBox(NamedTuple):
    """A part of the plane: above these numbers, and up to those, by column."""

    low: tuple[int, int]
    high: tuple[int, int]


PLANE = PlaneBox((0, 0), (WIDE, WIDE))


def route(draw: random.Random, level: int) -> Exercise | None:
    """The leaf of a row; in level 3 a number of it stands exactly on a threshold of its way."""
    tree = plane_tree(draw, 2 + level)
    row = np.array([[draw.randint(1, WIDE - 1), draw.randint(1, WIDE - 1)]], float)
    way = list(way_of(tree, row[0]))
    on_threshold = [n for n in way if tree.feature[n] != LEAF and row[0, tree.feature[n]] == tree.threshold[n]]
    if bool(on_threshold) != (level == 3) or len(way) < 3:
        return None
    letter = letters(tree)
    right = letter[int(leaves(tree, row)[0])]
    after = letter[list(way_of(tree, row[0], strict=True))[-1]]
    mistakes = {letter[list(way_of(tree, row[0], other=True))[-1]]: Phrase("There yes and no are mixed up.", {})}
    if level == 3:
        mistakes[after] = Phrase("A row on the threshold fulfils the condition: ≤ is at most.", {})
    x, y = (int(value) for value in row[0])
    steps = [
        Phrase("{question}: yes." if row[0, tree.feature[n]] <= tree.threshold[n] else "{question}: no.",
               {"question": _question(tree, n)})
        for n in way[:-1]
    ]  # fmt: skip
    return Exercise(
        Phrase("In which leaf does the row with x = {x} and y = {y} end?", {"x": x, "y": y}),
        right,
        (*steps, Phrase("It ends in leaf {name}.", {"name": LETTERS[right]})),
        of_choices(right, mistakes),
        tuple(LETTERS[: tree.n_leaves]),
        tree=tree,
    )


def region(draw: random.Random, level: int) -> Exercise | None:
    """The part of the plane that belongs to a leaf, among the parts of usual mistakes."""
    tree = plane_tree(draw, 2 + level)
    boxes, letter = list(_boxes(tree)), letters(tree)
    deep = [(n, box) for n, box in boxes if sum(_sides(box)) >= (2 if level < 3 else 3)]
    if not deep:
        return None
    leaf, box = draw.choice(deep)
    swapped = PlaneBox((box.low[1], box.low[0]), (box.high[1], box.high[0]))
    mirrored = _mirrored(box)
    options = {
        _said(box): None,
        _said(swapped): Phrase("There the columns x and y are mixed up.", {}),
        _said(mirrored): Phrase("There yes and no are mixed up.", {}),
        _said(PlaneBox((box.low[0], 0), (box.high[0], WIDE))): Phrase("The questions on y count, too.", {}),
    }
    if len(options) < 4 or not all(options):
        return None
    names = list(options)
    draw.shuffle(names)
    right = names.index(_said(box))
    mistakes = {names.index(name): meaning for name, meaning in options.items() if meaning}
    return Exercise(
        Phrase("Which part of the plane belongs to leaf {name}?", {"name": LETTERS[letter[leaf]]}),
        right,
        (Phrase("Every question on the way from the root sets a bound: {said}.", {"said": names[right]}),),
        of_choices(right, mistakes),
        tuple(names),
        tree=tree,
    )


def _mirrored(box: PlaneBox) -> PlaneBox:
    """Return the box of a person who mixes up yes and no; a column with two bounds keeps them."""
    pairs = [_other_side(low, high) for low, high in zip(*box, strict=True)]
    return PlaneBox((pairs[0][0], pairs[1][0]), (pairs[0][1], pairs[1][1]))


def _other_side(low: int, high: int) -> tuple[int, int]:
    if (low == 0) == (high == WIDE):
        return low, high
    return (high, WIDE) if low == 0 else (0, low)


def _sides(box: PlaneBox) -> Iterator[int]:
    return (int(low > 0) + int(high < WIDE) for low, high in zip(*box, strict=True))


def _said(box: PlaneBox) -> str:
    bounds = [
        f"{low} < {name} ≤ {high}" if low and high < WIDE else f"{name} > {low}" if low else f"{name} ≤ {high}"
        for name, low, high in zip(COLUMNS, *box, strict=True)
        if low or high < WIDE
    ]
    return ", ".join(bounds)


def plane_tree(draw: random.Random, n_leaves: int) -> Tree:
    """Return a tree on x and y with thresholds that are whole numbers; every leaf is a class of its own."""
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
        boxes += [(first + side, part) for side, part in enumerate(_halves(box, column, cut))]
    return _in_preorder(splits, n_leaves)


def _halves(box: PlaneBox, column: int, cut: int) -> tuple[PlaneBox, PlaneBox]:
    low, high = list(box.low), list(box.high)
    low[column] = high[column] = cut
    return PlaneBox(box.low, (high[0], high[1])), PlaneBox((low[0], low[1]), box.high)


def _in_preorder(splits: dict[int, tuple[int, int, int]], n_leaves: int) -> Tree:
    order = list(_below(splits, 0))
    place = {node: n for n, node in enumerate(order)}
    leaf_order = [node for node in order if node not in splits]
    value = np.zeros((len(order), n_leaves))
    for k, node in enumerate(leaf_order):
        value[place[node], k] = 1
    feature = [splits[node][0] if node in splits else LEAF for node in order]
    threshold = [splits[node][1] if node in splits else np.nan for node in order]
    left = [place[splits[node][2]] if node in splits else LEAF for node in order]
    right = [place[splits[node][2] + 1] if node in splits else LEAF for node in order]
    zeros, ones = np.zeros(len(order)), np.ones(len(order))
    return make_tree(feature, threshold, left, right, zeros, zeros, ones, ones, value, zeros)


def _below(splits: dict[int, tuple[int, int, int]], node: int) -> Iterator[int]:
    yield node
    if node in splits:
        first = splits[node][2]
        yield from _below(splits, first)
        yield from _below(splits, first + 1)


def _boxes(tree: Tree, node: int = 0, box: PlaneBox = PLANE) -> Iterator[tuple[int, PlaneBox]]:
    if tree.feature[node] == LEAF:
        yield node, box
        return
    halves = _halves(box, int(tree.feature[node]), int(tree.threshold[node]))
    for child, half in zip((tree.left[node], tree.right[node]), halves, strict=True):
        yield from _boxes(tree, int(child), half)


def letters(tree: Tree) -> dict[int, int]:
    """Return the place of each leaf's letter, by node."""
    return {int(n): k for k, n in enumerate(np.flatnonzero(tree.feature == LEAF))}


def way_of(tree: Tree, row: np.ndarray, strict: bool = False, other: bool = False) -> Iterator[int]:
    """Yield the nodes of a row's way; with `strict` and `other` that of a person who makes these mistakes."""
    node = 0
    while tree.feature[node] != LEAF:
        yield node
        x, cut = row[tree.feature[node]], tree.threshold[node]
        goes_left = (x < cut if strict else x <= cut) != other
        node = int(tree.left[node] if goes_left else tree.right[node])
    yield node


def _question(tree: Tree, node: int) -> str:
    return f"{COLUMNS[tree.feature[node]]} ≤ {tree.threshold[node]:g}"

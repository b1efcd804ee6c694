"""Exercises on a tree: what a node says, where a row ends, which part of the plane is a leaf's."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np

from espalier.language import Phrase
from espalier.learners import CartRegressor
from espalier.practice.exercise import Exercise, ExerciseTable, Mistake, of_choices
from espalier.practice.impurities import colour, grown, short
from espalier.practice.plane import (
    COLUMNS,
    LETTERS,
    WIDE,
    PlaneBox,
    PlaneSplit,
    nodes_of,
    plane_shape,
    plane_tree,
    tree_of,
)
from espalier.predict import leaves
from espalier.trees import LEAF, Tree


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
    shape = plane_shape(draw, 2 + level)
    parts = [(node, box) for node, box in nodes_of(shape) if not isinstance(node, PlaneSplit)]
    deep = [(leaf, box) for leaf, box in parts if sum(_sides(box)) >= (2 if level < 3 else 3)]
    if not deep:
        return None
    leaf, box = draw.choice(deep)
    swapped = PlaneBox((box.low[1], box.low[0]), (box.high[1], box.high[0]))
    mirrored = _mirrored(box)
    options = {
        box.said(): None,
        swapped.said(): Phrase("There the columns x and y are mixed up.", {}),
        mirrored.said(): Phrase("There yes and no are mixed up.", {}),
        PlaneBox((box.low[0], 0), (box.high[0], WIDE)).said(): Phrase("The questions on y count, too.", {}),
    }
    if len(options) < 4 or not all(options):
        return None
    names = list(options)
    draw.shuffle(names)
    right = names.index(box.said())
    mistakes = {names.index(name): meaning for name, meaning in options.items() if meaning}
    return Exercise(
        Phrase("Which part of the plane belongs to leaf {name}?", {"name": LETTERS[leaf]}),
        right,
        (Phrase("Every question on the way from the root sets a bound: {said}.", {"said": names[right]}),),
        of_choices(right, mistakes),
        tuple(names),
        tree=tree_of(shape),
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

"""Exercises on a tree: what a node says, where a row ends, the part of a leaf, and the surface of all."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np

from espalier.language import Phrase
from espalier.learners import CartRegressor
from espalier.practice.exercises import (
    COLUMNS,
    LETTERS,
    WIDE,
    Exercise,
    ExerciseTable,
    Mistake,
    PlaneBox,
    PlaneShape,
    PlaneSplit,
    at_one,
    cells,
    choice_mistakes,
    everywhere,
    mirror_threshold,
    n_splits,
    nodes_of,
    parts_as,
    plane_shape,
    plane_tree,
    read_shape,
    swap_answers,
    swap_columns,
    tree_of,
)
from espalier.practice.impurities import colour, grow_stump, short
from espalier.predict import leaves
from espalier.trees import LEAF, Tree


def node(draw: random.Random, level: int) -> Exercise | None:
    """Class of a node; mean of its numbers; or their median, where the error is absolute."""
    return _class_of_node(draw) if level == 1 else _number_of_node(draw, level)


def _class_of_node(draw: random.Random) -> Exercise | None:
    counts = [[draw.randint(0, 6) for _ in range(3)] for _ in range(2)]
    tree, all_rows = grow_stump(counts), np.sum(counts, axis=0)
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
        choice_mistakes(
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
               {"question": f"{COLUMNS[tree.feature[n]]} ≤ {tree.threshold[n]:g}"})
        for n in way[:-1]
    ]  # fmt: skip
    return Exercise(
        Phrase("In which leaf does the row with x = {x} and y = {y} end?", {"x": x, "y": y}),
        right,
        (*steps, Phrase("It ends in leaf {name}.", {"name": LETTERS[right]})),
        choice_mistakes(right, mistakes),
        tuple(LETTERS[: tree.n_leaves]),
        tree=tree,
    )


def region(draw: random.Random, level: int) -> Exercise | None:
    """The part of the plane that belongs to a leaf, among the parts of usual mistakes."""
    shape = plane_shape(draw, 2 + level)
    parts = [(node, box) for node, box in nodes_of(shape) if not isinstance(node, PlaneSplit)]
    n_sides = [sum((low > 0) + (high < WIDE) for low, high in zip(*box, strict=True)) for _, box in parts]
    deep = [part for part, n in zip(parts, n_sides, strict=True) if n >= (2 if level < 3 else 3)]
    if not deep:
        return None
    leaf, box = draw.choice(deep)
    transpose = PlaneBox((box.low[1], box.low[0]), (box.high[1], box.high[0]))
    options = {
        box.said(): None,
        transpose.said(): Phrase("There the columns x and y are mixed up.", {}),
        _mirror(box).said(): Phrase("There yes and no are mixed up.", {}),
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
        choice_mistakes(right, mistakes),
        tuple(names),
        tree=tree_of(shape),
    )


def _mirror(box: PlaneBox) -> PlaneBox:
    """Return the box of a person who mixes up yes and no; a column with two bounds keeps them."""
    pairs = [_other_side(low, high) for low, high in zip(*box, strict=True)]
    return PlaneBox((pairs[0][0], pairs[1][0]), (pairs[0][1], pairs[1][1]))


def _other_side(low: int, high: int) -> tuple[int, int]:
    if (low == 0) == (high == WIDE):
        return low, high
    return (high, WIDE) if low == 0 else (0, low)


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


# ---- exercises on a tree and its surface, either way: which surface a tree has, and which tree a surface

SURFACE_IS_RIGHT, COLUMNS_SWAPPED, ANSWERS_SWAPPED, TOO_LONG, MIXED_LEAVES = range(
    5
)  # what the text of a tree can be


def surface(draw: random.Random, level: int) -> Exercise | None:
    """The surface of a tree, among those of usual mistakes: at every split, or from level 2 on at one alone."""
    n_leaves = 2 + level
    shape = plane_shape(draw, n_leaves)
    splits = [node for node, _ in nodes_of(shape) if isinstance(node, PlaneSplit)]
    mistakes = {
        swap_answers: Phrase("There yes and no are mixed up.", {}),
        swap_columns: Phrase("There the columns x and y are mixed up.", {}),
        mirror_threshold: Phrase("There a border is not at its threshold.", {}),
    }
    wrong = [
        everywhere(shape, change) if level == 1 else at_one(shape, draw.choice(splits), change)
        for change in mistakes
    ]
    shapes = [shape, *wrong]
    functions = {tuple(cells(each).tolist()) for each in shapes}
    if len(functions) < len(shapes) or any(len(set(letters)) < n_leaves for letters in functions):
        return None  # two are the same, or one gives itself away by a letter that it lacks
    order = list(range(len(shapes)))
    draw.shuffle(order)
    meanings = {order.index(n): meaning for n, meaning in enumerate(mistakes.values(), 1)}
    return Exercise(
        Phrase("Which surface belongs to this tree?", {}),
        order.index(0),
        tuple(
            Phrase("{name}: {said}", {"name": LETTERS[node], "said": box.said()})
            for node, box in nodes_of(shape)
            if not isinstance(node, PlaneSplit)
        ),
        choice_mistakes(order.index(0), meanings),
        tuple(str(n) for n in range(1, len(shapes) + 1)),
        tree=tree_of(shape),
        surfaces=tuple(tree_of(shapes[n]) for n in order),
    )


def drawing(draw: random.Random, level: int) -> Exercise | None:
    """The splits of a tree that has a surface; any tree with the same surface and as few splits is right."""
    shape = plane_shape(draw, 2 + level)
    if any(reading_of(everywhere(shape, c), shape) == SURFACE_IS_RIGHT for c in (swap_answers, swap_columns)):
        return None
    mistakes = {
        COLUMNS_SWAPPED: Phrase("There the columns x and y are mixed up.", {}),
        ANSWERS_SWAPPED: Phrase("There yes and no are mixed up.", {}),
        TOO_LONG: Phrase("The surface is right, but the tree has more questions than it needs.", {}),
        MIXED_LEAVES: Phrase(
            "A leaf of it holds several letters: a question is missing, or a threshold is wrong.", {}
        ),
    }
    return Exercise(
        Phrase("Which tree has this surface? {n} questions are enough.", {"n": n_splits(shape)}),
        SURFACE_IS_RIGHT,
        tuple(_split_words(shape)),
        tuple(Mistake(reading, meaning) for reading, meaning in mistakes.items()),
        surfaces=(tree_of(shape),),
        reading=lambda text: reading_of(read_shape(text), shape),
    )


def _split_words(shape: PlaneShape) -> list[Phrase]:
    """Return the questions in order, each with the part of the plane that it is about."""
    phrases = []
    for node, box in nodes_of(shape):
        if isinstance(node, PlaneSplit):
            question = f"{COLUMNS[node.column]} ≤ {node.cut}"
            values = {"part": box.said(), "question": question}
            phrases.append(Phrase("Where {part}: {question}?" if box.said() else "First: {question}?", values))
    return [*phrases, Phrase("Another tree with the same surface is right, too.", {})]


def reading_of(answer: PlaneShape | None, surface: PlaneShape) -> float | None:
    """Return what a tree is to a surface: right, or the mistake that it comes from; None for no tree."""
    if answer is None:
        return None
    as_meant = {
        SURFACE_IS_RIGHT: answer,
        COLUMNS_SWAPPED: everywhere(answer, swap_columns),
        ANSWERS_SWAPPED: everywhere(answer, swap_answers),
    }
    for reading, tree in as_meant.items():
        if parts_as(tree, surface):
            is_long = n_splits(answer) > n_splits(surface)
            return TOO_LONG if is_long and reading == SURFACE_IS_RIGHT else reading
    return MIXED_LEAVES

"""Exercises on a tree and its surface, either way: which surface a tree has, and which tree a surface."""

from __future__ import annotations

import random

from espalier.language import Phrase
from espalier.practice import plane
from espalier.practice.exercise import Exercise, Mistake, of_choices
from espalier.practice.plane import LETTERS, PlaneShape, PlaneSplit

RIGHT, CROSSED, TURNED, TOO_LONG, MIXED = range(5)  # what the text of a tree can be


def surface(draw: random.Random, level: int) -> Exercise | None:
    """The surface of a tree, among those of usual mistakes: at every split, or from level 2 on at one alone."""
    n_leaves = 2 + level
    shape = plane.plane_shape(draw, n_leaves)
    splits = [node for node, _ in plane.nodes_of(shape) if isinstance(node, PlaneSplit)]
    mistakes = {
        plane.turned: Phrase("There yes and no are mixed up.", {}),
        plane.crossed: Phrase("There the columns x and y are mixed up.", {}),
        plane.moved: Phrase("There a border is not at its threshold.", {}),
    }
    wrong = [
        plane.everywhere(shape, change) if level == 1 else plane.at_one(shape, draw.choice(splits), change)
        for change in mistakes
    ]
    shapes = [shape, *wrong]
    seen = {tuple(plane.cells(one).tolist()) for one in shapes}
    if len(seen) < len(shapes) or any(len(set(letters)) < n_leaves for letters in seen):
        return None  # two are the same, or one gives itself away by a letter that it lacks
    order = list(range(len(shapes)))
    draw.shuffle(order)
    meanings = {order.index(n): meaning for n, meaning in enumerate(mistakes.values(), 1)}
    return Exercise(
        Phrase("Which surface belongs to this tree?", {}),
        order.index(0),
        tuple(_leaf_words(shape)),
        of_choices(order.index(0), meanings),
        tuple(str(n) for n in range(1, len(shapes) + 1)),
        tree=plane.tree_of(shape),
        surfaces=tuple(plane.tree_of(shapes[n]) for n in order),
    )


def _leaf_words(shape: PlaneShape) -> list[Phrase]:
    return [
        Phrase("{name}: {said}", {"name": LETTERS[node], "said": box.said()})
        for node, box in plane.nodes_of(shape)
        if not isinstance(node, PlaneSplit)
    ]


def drawing(draw: random.Random, level: int) -> Exercise | None:
    """The splits of a tree that has a surface; any tree with the same surface and as few splits is right."""
    shape = plane.plane_shape(draw, 2 + level)
    if any(reading_of(plane.everywhere(shape, c), shape) == RIGHT for c in (plane.turned, plane.crossed)):
        return None
    mistakes = {
        CROSSED: Phrase("There the columns x and y are mixed up.", {}),
        TURNED: Phrase("There yes and no are mixed up.", {}),
        TOO_LONG: Phrase("The surface is right, but the tree has more questions than it needs.", {}),
        MIXED: Phrase("A leaf of it holds several letters: a question is missing, or a threshold is wrong.", {}),
    }
    return Exercise(
        Phrase("Which tree has this surface? {n} questions are enough.", {"n": plane.n_splits(shape)}),
        RIGHT,
        tuple(_split_words(shape)),
        tuple(Mistake(reading, meaning) for reading, meaning in mistakes.items()),
        surfaces=(plane.tree_of(shape),),
        reading=lambda text: reading_of(plane.read(text), shape),
    )


def _split_words(shape: PlaneShape) -> list[Phrase]:
    """Return the questions in order, each with the part of the plane that it is about."""
    said = []
    for node, box in plane.nodes_of(shape):
        if isinstance(node, PlaneSplit):
            question = f"{plane.COLUMNS[node.column]} ≤ {node.cut}"
            values = {"part": box.said(), "question": question}
            said.append(Phrase("Where {part}: {question}?" if box.said() else "First: {question}?", values))
    return [*said, Phrase("Another tree with the same surface is right, too.", {})]


def reading_of(answer: PlaneShape | None, surface: PlaneShape) -> float | None:
    """Return what a tree is to a surface: right, or the mistake that it comes from; None for no tree."""
    if answer is None:
        return None
    as_meant = {
        RIGHT: answer,
        CROSSED: plane.everywhere(answer, plane.crossed),
        TURNED: plane.everywhere(answer, plane.turned),
    }
    for reading, meant in as_meant.items():
        if plane.parts_as(meant, surface):
            is_long = plane.n_splits(answer) > plane.n_splits(surface)
            return TOO_LONG if is_long and reading == RIGHT else reading
    return MIXED

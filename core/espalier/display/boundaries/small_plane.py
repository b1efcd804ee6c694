"""A small drawing of a tree's surface over two numbers: its boxes, each with the name of its class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from espalier.data.dataset import Feature
from espalier.display import ink, svg
from espalier.display.boundaries.surface import Box, Interval, boxes_of
from espalier.display.svg import Frame
from espalier.display.text.trees import answers_of
from espalier.display.theme import rounded_to
from espalier.display.tree.small_tree import answer, leaf_colours
from espalier.language import say
from espalier.trees import Tree

WIDTH, HEIGHT = 220, 220
MARGINS = (26, 8, 8, 34)
FONT_SIZE = 12


def small_plane(
    tree: Tree, features: Sequence[Feature], target: Feature, ends: tuple[Interval, Interval], dark: bool
) -> str:
    """Return the SVG of the surface of a tree on two features, with the places of its borders along the axes.

    >>> from espalier.practice.plane import PlaneSplit, tree_of
    >>> target = Feature("leaf", "category", ("A", "B"))
    >>> stump = tree_of(PlaneSplit(0, 3, 0, 1))
    >>> small_plane(stump, [Feature("x"), Feature("y")], target, ((0, 10), (0, 10)), False).count("rect x=")
    2
    """
    frame = Frame((WIDTH, HEIGHT), MARGINS, *ends, dark)
    boxes = boxes_of(tree, features, (0, 1), ends, np.zeros(2))
    parts = [*_boxes(boxes, tree, target, frame), *_axes(boxes, features, frame)]
    return svg.picture(parts, frame.size, FONT_SIZE)


def _boxes(boxes: Sequence[Box], tree: Tree, target: Feature, frame: Frame) -> Iterator[str]:
    colours = leaf_colours(tree, target, frame.dark)
    border, written = ink.PAPER[ink.theme_of(frame.dark)], answers_of(tree)
    for box in boxes:
        (low, high), (floor, top) = box.sides
        x, y = frame.x(low), frame.y(top)
        size = (frame.x(high) - x, frame.y(floor) - y)
        yield svg.rectangle((x, y, *size), colours[box.leaf], stroke=border)
        name = answer(tree, target, box.leaf, written)
        middle = (x + size[0] / 2, y + size[1] / 2)
        yield svg.text(*middle, name, ink.readable_on(colours[box.leaf]), dy=4, text_anchor="middle")


def _axes(boxes: Sequence[Box], features: Sequence[Feature], frame: Frame) -> Iterator[str]:
    across, up = (sorted({end for box in boxes for end in box.sides[axis]}) for axis in (0, 1))
    yield from frame.ticks(across, rounded_to(across))
    written = rounded_to(up)
    for value in up:
        yield frame.words(frame.left - 5, frame.y(value), written(value), dy=4, text_anchor="end")
    yield frame.title_below(features[0].name, 4)
    yield frame.title_beside(features[1].name, 9)


def alt(tree: Tree, features: Sequence[Feature], target: Feature, ends: tuple[Interval, Interval]) -> str:
    """Return the surface in words, box by box."""
    boxes = list(boxes_of(tree, features, (0, 1), ends, np.zeros(2)))
    across, up = (rounded_to([end for box in boxes for end in box.sides[axis]]) for axis in (0, 1))
    written = answers_of(tree)
    return "; ".join(
        say(
            "{name} where {across} is from {left} to {right} and {up} from {floor} to {top}",
            name=answer(tree, target, box.leaf, written),
            across=features[0].name, left=across(box.sides[0][0]), right=across(box.sides[0][1]),
            up=features[1].name, floor=up(box.sides[1][0]), top=up(box.sides[1][1]),
        )
        for box in boxes
    )  # fmt: skip

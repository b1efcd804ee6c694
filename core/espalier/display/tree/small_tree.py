"""A small drawing of a tree: its questions from left to right, its leaves as bars with the classes' names.

The branch for "yes" goes up. Every leaf has a line of its own, so the height of the picture follows the number of
leaves. If a tree has many leaves, their names are left out first, then the lowest questions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.display import ink, svg
from espalier.display.boundaries.plane import Interval
from espalier.display.boundaries.surface import Box, boxes_of
from espalier.display.cultivated import decision_words, listed_decisions
from espalier.display.parts import Picture
from espalier.display.svg import Frame
from espalier.display.text.trees import answers_of, class_fills, class_words, condition
from espalier.display.text.values import subject
from espalier.display.theme import rounded_to
from espalier.inert import ISOLATES
from espalier.language import say
from espalier.predict import leaders
from espalier.tree.rules import boxed
from espalier.trees import LEAF, AnyTree, CultivatedTree, Tree, depths

WIDTH, WIDE, PAD = 340, 520, 4
DEEP = 4  # trees from this depth on are drawn wide
LINE, LEAST_LINE = 19, 5  # pixels from leaf to leaf
MOST_HEIGHT = 330
FONT_SIZE, LETTER = 12, 6.1  # pixels; average width of a letter
LEAST_TEXT = 11  # pixels: a lower line has no text
LEAST_BAR = 13  # the same for a leaf, whose name has a bar around it
LEAF_WIDTH = 80
MOST_INITIALS, LEAST_LETTERS = 2, 2  # of an abbreviated name
LEAST_NAME = 5  # letters of a feature's name: if fewer fit, the condition beside it is left out


class TreeLayout(NamedTuple):
    """The places of all nodes."""

    x: np.ndarray  # (n_nodes,) left end
    y: np.ndarray  # (n_nodes,) middle
    width: float
    column: float  # width of a question
    line: float  # height of a leaf
    height: float


def tree_picture(
    tree: AnyTree,
    features: Sequence[Feature],
    target: Feature,
    unfinished: Collection[int] = (),
    size: tuple[float, float] | None = None,
) -> Picture:
    """Return the drawing of the tree; for a numeric target, leaves with greater predictions are darker.

    Leaves that are `unfinished` have a question mark in place of an answer. `size` is the width of the drawing and
    the height of a leaf's line, in pixels; None: those of a small one. Raises ValueError for a tree whose leaves
    are no boxes.
    """
    draw = partial(_draw_tree, boxed(tree, "the drawing"), features, target, unfinished, size)
    return Picture(draw, alt(tree, features, target, unfinished))


def _draw_tree(
    tree: AnyTree,
    features: Sequence[Feature],
    target: Feature,
    unfinished: Collection[int],
    size: tuple[float, float] | None,
    dark: bool,
) -> str:
    plan = plan_of(tree, *(size or (None, None)))
    parts = [
        *_edges(tree, plan, dark),
        *_questions(tree, features, plan, dark),
        *_leaves(tree, target, plan, dark, unfinished),
    ]
    return svg.picture(parts, (plan.width, round(plan.height, 1)), FONT_SIZE)


def width_of(tree: AnyTree) -> int:
    """Return the width of the tree's drawing in pixels."""
    return WIDE if tree.depth >= DEEP else WIDTH


def plan_of(tree: AnyTree, width: float | None = None, line: float | None = None) -> TreeLayout:
    """Return the layout: leaves on lines from top to bottom, each split halfway between its children.

    Without a width and a height of lines, in pixels, they are those of a small drawing.
    """
    line = max(LEAST_LINE, min(LINE, MOST_HEIGHT / tree.n_leaves)) if line is None else line
    y = np.empty(tree.n_nodes)
    leaves = np.flatnonzero(tree.feature == LEAF)
    y[leaves] = PAD + line * (np.arange(len(leaves)) + 0.5)
    for node in np.flatnonzero(tree.feature != LEAF)[::-1]:  # children come after their parent
        y[node] = (y[tree.left[node]] + y[tree.right[node]]) / 2
    width = width_of(tree) if width is None else width
    column = (width - LEAF_WIDTH - 2 * PAD) / max(tree.depth, 1)
    return TreeLayout(PAD + column * depths(tree), y, width, column, line, 2 * PAD + line * len(leaves))


def _edges(tree: AnyTree, plan: TreeLayout, dark: bool) -> Iterator[str]:
    for _, corners in branches(tree, plan, 3):
        yield svg.line(corners, ink.LINE[ink.theme_of(dark)])


def branches(tree: AnyTree, plan: TreeLayout, radius: float) -> Iterator[tuple[int, list[tuple[float, float]]]]:
    """Yield each node but the root with the corners of the line to it, from a dot of this radius."""
    for node in np.flatnonzero(tree.feature != LEAF).tolist():
        x = plan.x[node] + radius
        for child in (int(tree.left[node]), int(tree.right[node])):
            yield child, [(x, plan.y[node]), (x, plan.y[child]), (plan.x[child], plan.y[child])]


def _questions(tree: AnyTree, features: Sequence[Feature], plan: TreeLayout, dark: bool) -> Iterator[str]:
    paper, text = ink.PAPER[ink.theme_of(dark)], ink.TEXT[ink.theme_of(dark)]
    for node in np.flatnonzero(tree.feature != LEAF):
        x, y = plan.x[node], plan.y[node]
        yield svg.circle(x + 3, y, 3, text)
        if plan.y[tree.right[node]] - plan.y[tree.left[node]] < LEAST_TEXT / 2:
            continue
        words = fitting(tree, features, int(node), int((_room(tree, plan, int(node)) - 12) / LETTER))
        yield svg.text(x + 9, y, words, text, dy=4, **svg.halo(paper, 3))


def _room(tree: AnyTree, plan: TreeLayout, node: int) -> float:
    """Return how far a question may go to the right: up to what stands on its own line, pixels."""
    inner = tree.feature != LEAF
    top = np.where(inner, plan.y[tree.left], plan.y - plan.line / 2)
    floor = np.where(inner, plan.y[tree.right], plan.y + plan.line / 2)
    near = (top - FONT_SIZE / 2 < plan.y[node]) & (plan.y[node] < floor + FONT_SIZE / 2)
    return float(plan.x[near & (plan.x > plan.x[node])].min(initial=plan.width) - plan.x[node])


def fitting(tree: AnyTree, features: Sequence[Feature], node: int, most: int) -> str:
    """Return the question of a node in at most so many letters: the feature's name is cut, or stands alone."""
    name = subject(features[tree.feature[node]])
    test = asked(tree, features, node)
    if len(test) <= most or not test.startswith(name):
        return svg.shortened(test, most)
    rest = test[len(name) :]
    left = most - len(rest)
    return squeeze(name, left) + rest if left >= LEAST_NAME else squeeze(name, most)


def asked(tree: AnyTree, features: Sequence[Feature], node: int) -> str:
    """Return the condition of a split's upper branch; for a module that of its first option, with ≲ or ≳."""
    if isinstance(tree, CultivatedTree):
        return decision_words(tree, features, listed_decisions(tree, node, 1)[0])
    return condition(tree, features, node)


def squeeze(name: str, most: int) -> str:
    """Return a name of two or three words abbreviated: initials, and the start of the last word, as in "p. len".

    Other names, and those whose words contain digits, are cut at the end.
    """
    if not name.isascii() and ISOLATES.search(name):
        return svg.shortened(name, most)
    *first, last = name.split() or [""]
    initials = "".join(f"{word[0]}." for word in first)
    letters = most - len(initials) - 1
    plain = all(word.isalpha() for word in first)
    if len(name) <= most or not (plain and 1 <= len(first) <= MOST_INITIALS) or letters < LEAST_LETTERS:
        return svg.shortened(name, most)
    return f"{initials} {last[:letters]}"


def _leaves(
    tree: AnyTree, target: Feature, plan: TreeLayout, dark: bool, unfinished: Collection[int]
) -> Iterator[str]:
    colours, format_answer = leaf_colours(tree, target, dark), answers_of(tree)
    for node in np.flatnonzero(tree.feature == LEAF).tolist():
        x, y, tall = plan.x[node], plan.y[node], max(plan.line - 3, 2)
        if node in unfinished:
            yield from _open_mark(x, y, tall, dark)
            continue
        yield svg.rectangle((x, y - tall / 2, LEAF_WIDTH, tall), colours[node], rx=3)
        if plan.line >= LEAST_BAR:
            name, most = answer(tree, target, node, format_answer), int((LEAF_WIDTH - 8) / LETTER)
            if len(name) > most and target.categories and len(leaders(tree.value[node])) > 1:
                name = say("tie")  # whose classes find no room
            yield svg.text(x + 5, y, svg.shortened(name, most), ink.readable_on(colours[node]), dy=4)


def _open_mark(x: float, y: float, tall: float, dark: bool) -> Iterator[str]:
    """Yield a box with a question mark at a leaf's place."""
    theme = ink.theme_of(dark)
    line = {"stroke": ink.TEXT[theme], "stroke-dasharray": "3 2"}
    yield svg.rectangle((x, y - tall / 2, LEAF_WIDTH, tall), ink.PAPER[theme], rx=3, **line)
    yield svg.text(x + LEAF_WIDTH / 2 - 3, y, "?", ink.TEXT[theme], dy=4)


def answer(tree: AnyTree, target: Feature, node: int, written: Callable[[float], str] | None = None) -> str:
    """Return what a node predicts: the class, or those that tie, or the number, `written` as in `says`."""
    if not target.categories:
        return (written or answers_of(tree))(float(tree.value[node, 0]))
    return class_words(target, tree.value[node], str)


def leaf_colours(tree: AnyTree, target: Feature, dark: bool, others: Sequence[AnyTree] = ()) -> list[str]:
    """Return the colour of each node as a leaf: its class's, or for a number darker if greater.

    Numbers are on the scale of all leaves of the tree and of `others`, which are drawn beside it.
    """
    theme = ink.theme_of(dark)
    if target.categories:
        return class_fills(target, tree.value, dark)
    value = tree.value[:, 0]
    leaves = np.concatenate([each.value[each.feature == LEAF, 0] for each in (tree, *others)])
    low, high = float(leaves.min()), float(leaves.max())
    depth = np.clip((value - low) / ((high - low) or 1.0), 0, 1)
    colour = ink.answer_colour(target, 0, dark)
    return [ink.mix(colour, ink.PAPER[theme], 0.15 + 0.85 * d) for d in depth.tolist()]


def alt(tree: AnyTree, features: Sequence[Feature], target: Feature, unfinished: Collection[int] = ()) -> str:
    """Return the tree in words, question by question."""
    format_answer = answers_of(tree)

    def sentence(node: int) -> str:
        if tree.feature[node] == LEAF:
            return "?" if node in unfinished else answer(tree, target, node, format_answer)
        yes, no = (sentence(int(child)) for child in (tree.left[node], tree.right[node]))
        return say("if {test} then ({yes}) else ({no})", test=asked(tree, features, node), yes=yes, no=no)

    return sentence(0)


# Its surface -----------------------------------------------------------------------------------------

PLANE_WIDTH, PLANE_HEIGHT = 220, 220
PLANE_MARGINS = (26, 8, 8, 34)
PLANE_FONT_SIZE = 12


def plane_picture(
    tree: Tree, features: Sequence[Feature], target: Feature, ends: tuple[Interval, Interval]
) -> Picture:
    """Return the surface of a tree on two features, with the places of its borders along the axes.

    >>> from espalier.practice.exercises import PlaneSplit, tree_of
    >>> target = Feature("leaf", "category", ("A", "B"))
    >>> stump = tree_of(PlaneSplit(0, 3, 0, 1))
    >>> picture = plane_picture(stump, [Feature("x"), Feature("y")], target, ((0, 10), (0, 10)))
    >>> picture.draw(False).count("rect x=")
    2
    """
    boxes = list(boxes_of(tree, features, (0, 1), ends, np.zeros(2)))
    across, up = (rounded_to([end for box in boxes for end in box.sides[axis]]) for axis in (0, 1))
    format_answer = answers_of(tree)
    words = "; ".join(
        say(
            "{name} where {across} is from {left} to {right} and {up} from {floor} to {top}",
            name=answer(tree, target, box.leaf, format_answer),
            across=features[0].name, left=across(box.sides[0][0]), right=across(box.sides[0][1]),
            up=features[1].name, floor=up(box.sides[1][0]), top=up(box.sides[1][1]),
        )
        for box in boxes
    )  # fmt: skip
    return Picture(partial(_draw_plane, tree, features, target, ends, boxes), words)


def _draw_plane(
    tree: Tree,
    features: Sequence[Feature],
    target: Feature,
    ends: tuple[Interval, Interval],
    boxes: Sequence[Box],
    dark: bool,
) -> str:
    frame = Frame((PLANE_WIDTH, PLANE_HEIGHT), PLANE_MARGINS, *ends, dark)
    parts = [*_boxes(boxes, tree, target, frame), *_axes(boxes, features, frame)]
    return svg.picture(parts, frame.size, PLANE_FONT_SIZE)


def _boxes(boxes: Sequence[Box], tree: Tree, target: Feature, frame: Frame) -> Iterator[str]:
    colours = leaf_colours(tree, target, frame.dark)
    border, format_answer = ink.PAPER[ink.theme_of(frame.dark)], answers_of(tree)
    for box in boxes:
        (low, high), (floor, top) = box.sides
        x, y = frame.x(low), frame.y(top)
        size = (frame.x(high) - x, frame.y(floor) - y)
        yield svg.rectangle((x, y, *size), colours[box.leaf], stroke=border)
        name = answer(tree, target, box.leaf, format_answer)
        middle = (x + size[0] / 2, y + size[1] / 2)
        yield svg.text(*middle, name, ink.readable_on(colours[box.leaf]), dy=4, text_anchor="middle")


def _axes(boxes: Sequence[Box], features: Sequence[Feature], frame: Frame) -> Iterator[str]:
    across, up = (sorted({end for box in boxes for end in box.sides[axis]}) for axis in (0, 1))
    yield from frame.ticks(across, rounded_to(across))
    format_place = rounded_to(up)
    for value in up:
        yield frame.words(frame.left - 5, frame.y(value), format_place(value), dy=4, text_anchor="end")
    yield frame.title_below(features[0].name, 4)
    yield frame.title_beside(features[1].name, 9)

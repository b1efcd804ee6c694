"""A tree drawn beside another one: each split has a mark for what became of it, and the way of a row is lit.

A sign stands in each mark, so that colours alone say nothing: Δ moved, ≠ another feature or answer, + only in B,
− only in A. What is the same is grey.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from espalier.display import ink, svg
from espalier.display.svg import Markup
from espalier.display.text.trees import answers_of
from espalier.display.tree.difference.words import KINDS, ComparedTrees, node_words, shift_words
from espalier.display.tree.small_tree import (
    LEAF_WIDTH,
    LEAST_BAR,
    LETTER,
    PAD,
    TreeLayout,
    answer,
    fitting,
    leaf_colours,
    plan_of,
)
from espalier.language import say, to_say
from espalier.tree.difference import alignment
from espalier.tree.difference.alignment import NONE
from espalier.tree.difference.differences import NodeChange
from espalier.trees import LEAF, Tree, path_to

FONT_SIZE, RADIUS, WAY = 11, 8, 4  # pixels of letters, of a mark, and of the line of a row's way
COLUMN, NARROW, WIDEST = 150, 84, 640  # pixels of a question; at least; and of all questions together
LINE, LEAST_LINE, TALLEST = 34, 6, 1_200  # pixels from leaf to leaf, at least, and of all of them
SIGNS = {
    alignment.MOVED: "Δ",
    alignment.OTHER: "≠",
    alignment.ANSWER: "≠",
    alignment.ONLY_A: "−",
    alignment.ONLY_B: "+",
    alignment.GROWN: "+",
    alignment.CUT: "−",
}
COLOURS = {  # on light and dark pages
    "Δ": ("#E69F00", "#E69F00"),
    "≠": ("#CC7AAB", "#CC7AAB"),
    "−": ("#D55E00", "#DE6520"),
    "+": ("#0072B2", "#56B4E9"),
}
LEGEND = {
    "Δ": to_say("moved"),
    "≠": to_say("another feature or answer"),
    "−": to_say("only in A"),
    "+": to_say("only in B"),
}


class MarkedTree(NamedTuple):
    """One of two trees, with the change of each of its nodes."""

    tree: Tree
    changes: dict[int, NodeChange]  # by node
    is_a: bool


def side_of(both: ComparedTrees, is_a: bool) -> MarkedTree:
    """Return tree A, or B, with its changes."""
    changes = {(c.pair.a if is_a else c.pair.b): c for c in both.difference.changes}
    changes.pop(NONE, None)
    return MarkedTree(both.a if is_a else both.b, changes, is_a)


def marked_tree(both: ComparedTrees, is_a: bool, dark: bool, row_leaf: int = NONE) -> str:
    """Return the SVG of tree A, or B; the way to `row_leaf` is lit, if there is one."""
    side = side_of(both, is_a)
    plan = _plan(side.tree)
    lit = set(path_to(side.tree, row_leaf)) if row_leaf != NONE else set()
    parts = [
        *_edges(side, plan, dark, lit),
        *_questions(both, side, plan, dark),
        *_leaves(both, side, plan, dark, lit),
        *_marks(side, plan, dark),
    ]
    return svg.picture(parts, (plan.width, round(plan.height, 1)), FONT_SIZE)


def width_of(tree: Tree) -> float:
    """Return the width of the drawing in pixels."""
    return _plan(tree).width


def _plan(tree: Tree) -> TreeLayout:
    depth = max(tree.depth, 1)
    column = min(max(WIDEST / depth, NARROW), COLUMN)
    line = min(max(TALLEST / tree.n_leaves, LEAST_LINE), LINE)
    plan = plan_of(tree, LEAF_WIDTH + 2 * PAD + column * depth, line)
    return plan._replace(width=plan.width + 2 * RADIUS)  # a mark moves a leaf to the right


def _edges(side: MarkedTree, plan: TreeLayout, dark: bool, lit: set[int]) -> Iterator[Markup]:
    tree = side.tree
    for node in np.flatnonzero(tree.feature != LEAF).tolist():
        x, y = plan.x[node] + RADIUS, plan.y[node]
        for child in (int(tree.left[node]), int(tree.right[node])):
            corners = [(x, y), (x, plan.y[child]), (plan.x[child], plan.y[child])]
            if child in lit:
                yield svg.line(corners, ink.TEXT[ink.theme_of(dark)], stroke_width=WAY)
            else:
                dashes = svg.DASHES if _is_only(side, child) else None
                yield svg.line(corners, ink.LINE[ink.theme_of(dark)], stroke_dasharray=dashes)


def _is_only(side: MarkedTree, node: int) -> bool:
    """Whether the node is in a branch that the other tree does not have."""
    pair = side.changes[node].pair
    return pair.kind in (alignment.ONLY_A, alignment.ONLY_B) and pair.stays == NONE


def _questions(both: ComparedTrees, side: MarkedTree, plan: TreeLayout, dark: bool) -> Iterator[Markup]:
    paper, text = ink.PAPER[ink.theme_of(dark)], ink.TEXT[ink.theme_of(dark)]
    tree = side.tree
    for node in np.flatnonzero(tree.feature != LEAF).tolist():
        room = plan.y[tree.right[node]] - plan.y[tree.left[node]]
        if room < FONT_SIZE:
            continue
        x, y, change = plan.x[node] + 2 * RADIUS + 4, plan.y[node], side.changes[node]
        most = int((plan.column - 2 * RADIUS - 8) / LETTER)
        faint = 0.75 if change.pair.kind == alignment.SAME else None
        words = fitting(tree, both.features, node, most)
        yield svg.text(x, y, words, text, dy=4, opacity=faint, **svg.halo(paper, 3))
        if change.pair.kind == alignment.MOVED and np.isfinite(change.shift) and change.shift and room >= 30:
            weight = {"font_weight": "bold"}
            yield svg.text(x, y + 12, shift_words(change), text, dy=4, **weight, **svg.halo(paper, 3))


def _leaves(
    both: ComparedTrees, side: MarkedTree, plan: TreeLayout, dark: bool, lit: set[int]
) -> Iterator[Markup]:
    colours, written = leaf_colours(side.tree, both.target, dark, (both.a, both.b)), answers_of(both.a, both.b)
    for node in np.flatnonzero(side.tree.feature == LEAF).tolist():
        x, y, tall = plan.x[node], plan.y[node], min(max(plan.line - 4, 2), 20)
        edge = {"stroke": ink.TEXT[ink.theme_of(dark)], "stroke_width": 3} if node in lit else {}
        left = x + RADIUS if sign_of(side, node) else x
        yield svg.rectangle((left, y - tall / 2, LEAF_WIDTH, tall), colours[node], rx=3, **edge)
        if plan.line >= LEAST_BAR:
            name = svg.shortened(answer(side.tree, both.target, node, written), int((LEAF_WIDTH - 14) / LETTER))
            yield svg.text(left + 10, y, name, ink.readable_on(colours[node]), dy=4)


def _marks(side: MarkedTree, plan: TreeLayout, dark: bool) -> Iterator[Markup]:
    for node, change in side.changes.items():
        is_split = side.tree.feature[node] != LEAF
        sign = sign_of(side, node)
        if not sign and not is_split:
            continue
        x, y = plan.x[node] + RADIUS, plan.y[node]
        if not sign:
            yield svg.circle(x, y, RADIUS / 2, ink.LINE[ink.theme_of(dark)])
            continue
        fill = COLOURS[sign][dark]
        title = svg.element("title", say(KINDS[change.pair.kind]))
        yield svg.element("g", title, *mark(sign, x, y, fill))


def mark(sign: str, x: float, y: float, fill: str) -> list[Markup]:
    """Return the round mark with its sign at a place."""
    style = {"text_anchor": "middle", "font_weight": "bold", "font_size": 12}
    return [svg.circle(x, y, RADIUS, fill), svg.text(x, y, sign, ink.readable_on(fill), dy=4, **style)]


def sign_of(side: MarkedTree, node: int) -> str:
    """Return the sign of a node; none where it is the same, and at leaves of branches whose splits have one."""
    pair = side.changes[node].pair
    is_leaf = side.tree.feature[node] == LEAF
    if is_leaf and pair.kind in (alignment.ONLY_A, alignment.ONLY_B):
        return ""
    return SIGNS.get(pair.kind, "")


def legend(dark: bool) -> str:
    """Return the SVG of the legend: a sign and its meaning, from left to right."""
    parts, x = [], float(RADIUS + 1)
    words = {"": say("the same")} | {sign: say(text) for sign, text in LEGEND.items()}
    theme = ink.theme_of(dark)
    for sign, text in words.items():
        middle = RADIUS + 2
        if sign:
            parts += mark(sign, x, middle, COLOURS[sign][dark])
        else:
            parts.append(svg.circle(x, middle, RADIUS / 2, ink.LINE[theme]))
        parts.append(svg.text(x + RADIUS + 4, middle, text, ink.TEXT[theme], dy=4))
        x += 3 * RADIUS + 12 + LETTER * len(text) * 1.08
    return svg.picture(parts, (x, 2 * RADIUS + 4), FONT_SIZE)


def alt(both: ComparedTrees, is_a: bool) -> str:
    """Return the tree in words: each split, and what became of it."""
    side = side_of(both, is_a)
    parts = [
        f"{node_words(both, side.tree, node)} ({say(KINDS[side.changes[node].pair.kind])})"
        for node in range(side.tree.n_nodes)
        if side.tree.feature[node] != LEAF
    ]
    letter = "A" if is_a else "B"
    return say("Tree {letter}, its splits from the root down: {splits}.", letter=letter, splits="; ".join(parts))

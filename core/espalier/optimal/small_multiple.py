"""A small multiple of trees as good: each drawn small in the same way, what differs from the tree shown is marked.

Marks are those of two trees laid over each other (`display.tree.difference`): a sign and a colour, and beside the
picture the sign again with the question or the answer in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.display import ink, svg
from espalier.display.svg import Markup
from espalier.display.text.trees import condition
from espalier.display.tree import small_tree
from espalier.display.tree.difference import COLOURS, SIGNS, mark
from espalier.display.tree.small_tree import LEAF_WIDTH, TreeLayout
from espalier.language import say
from espalier.tree.difference import alignment
from espalier.tree.difference.alignment import NONE
from espalier.tree.difference.differences import NodeChange, tree_difference
from espalier.trees import LEAF, Tree

WIDTH, LINE, LEAF_BAR, DOT = 116, 17, 18, 3  # pixels: of a drawing, from leaf to leaf, of a leaf, of a split
EDGE = 6  # pixels beside the tree, for the mark of its root and those of leaves
MOST_SAID = 4  # marks that are said in words beside a drawing


class Mark(NamedTuple):
    """A place in which a tree differs from the tree shown."""

    node: int  # of the tree; NONE for what only the tree shown has, and no place of this tree
    sign: str
    words: str


class TreeNames(NamedTuple):
    """What the columns and the classes are called."""

    features: Sequence[Feature]
    target: Feature


def marks(shown: Tree, tree: Tree, X: np.ndarray, names: TreeNames) -> list[Mark]:
    """Return where a tree differs from the one that is shown, from the root down.

    X (n_samples, n_features) has the samples: a threshold that sends each of them the same way is the same.
    """
    found = [_mark(change, shown, tree, names) for change in tree_difference(shown, tree, X).changes]
    return [one for one in found if one is not None]


def _mark(change: NodeChange, shown: Tree, tree: Tree, names: TreeNames) -> Mark | None:
    """Return the mark of two nodes; None where they are the same, and below a place that is marked."""
    pair = change.pair
    is_branch = pair.kind in (alignment.ONLY_A, alignment.ONLY_B) and pair.stays == NONE
    is_moved = pair.kind == alignment.MOVED and change.n_parted > 0
    if pair.kind not in SIGNS or is_branch or (pair.kind == alignment.MOVED and not is_moved):
        return None
    if pair.kind == alignment.ANSWER:
        said = say("answers {answer}", answer=small_tree.answer(tree, names.target, pair.b))
    elif pair.kind in (alignment.ONLY_A, alignment.CUT):
        said = condition(shown, names.features, pair.a)
    else:
        said = condition(tree, names.features, pair.b)
    return Mark(pair.over if pair.b == NONE else pair.b, SIGNS[pair.kind], said)


def mark_words(found: Sequence[Mark]) -> list[str]:
    """Return the marks in words, each with its sign: "≠ petal width ≤ 1.75"; the last may say how many more.

    >>> mark_words([Mark(0, "≠", "hue ≤ 1"), Mark(2, "+", "ash ≤ 2")])
    ['≠ hue ≤ 1', '+ ash ≤ 2']
    """
    n_said = MOST_SAID if len(found) <= MOST_SAID else MOST_SAID - 1
    said = [f"{one.sign} {one.words}" for one in found[:n_said]]
    if len(found) > n_said:
        said.append(say("and {n} more", n=len(found) - n_said))
    return said or [say("as the tree shown")]


def multiple_tree(tree: Tree, found: Sequence[Mark], target: Feature, dark: bool) -> str:
    """Return the SVG of a small tree without words: splits are dots, leaves bars, with a sign at each mark."""
    plan = small_tree.plan_of(tree, WIDTH - EDGE + LEAF_WIDTH - LEAF_BAR, LINE)
    plan = plan._replace(x=plan.x + EDGE, width=WIDTH + 2 * EDGE)
    parts = [*_edges(tree, plan, dark), *_nodes(tree, plan, target, dark)]
    for one in found:
        if one.node != NONE:
            is_leaf = tree.feature[one.node] == LEAF
            x = plan.x[one.node] + (LEAF_BAR / 2 if is_leaf else DOT)
            parts += mark(one.sign, x, plan.y[one.node], COLOURS[one.sign][dark])
    return svg.picture(parts, (plan.width, round(plan.height, 1)), small_tree.FONT_SIZE)


def _edges(tree: Tree, plan: TreeLayout, dark: bool) -> Iterator[Markup]:
    for node in np.flatnonzero(tree.feature != LEAF).tolist():
        x, y = plan.x[node] + DOT, plan.y[node]
        for child in (int(tree.left[node]), int(tree.right[node])):
            corners = [(x, y), (x, plan.y[child]), (plan.x[child], plan.y[child])]
            yield svg.line(corners, ink.LINE[ink.theme_of(dark)])


def _nodes(tree: Tree, plan: TreeLayout, target: Feature, dark: bool) -> Iterator[Markup]:
    colours, tall = small_tree.leaf_colours(tree, target, dark), LINE - 6
    for node in range(tree.n_nodes):
        x, y = plan.x[node], plan.y[node]
        if tree.feature[node] == LEAF:
            yield svg.rectangle((x, y - tall / 2, LEAF_BAR, tall), colours[node], rx=2)
        else:
            yield svg.circle(x + DOT, y, DOT, ink.TEXT[ink.theme_of(dark)])


def multiple_alt(tree: Tree, found: Sequence[Mark], names: TreeNames) -> str:
    """Return the words for a drawing: the tree, and all that differs from the tree shown."""
    said = ", ".join(f"{one.sign} {one.words}" for one in found) or say("nothing")
    whole = small_tree.alt(tree, names.features, names.target)
    return say("{tree}. It differs from the tree shown in: {marks}", tree=whole, marks=said)

"""The trees of a forest at a glance: a wall of icicles, which a browser lets people click.

An icicle has the root on top. A node is as wide as its samples are many, its children hang below it, and a leaf
hangs down to the floor, in the colour of its class (Kruskal and Landwehr 1983; Barlow and Neville 2001 find such
plots as good as drawings of nodes and links, and better for large trees).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.display import ink
from espalier.display.tree.small_tree import leaf_colours
from espalier.language import say
from espalier.trees import LEAF, AnyTree, depths

WIDTH, CELL, TALL, GAP = 642, 48, 29, 6  # pixels: of the wall, of an icicle, and between two
LEVELS = 8  # of questions that are drawn; what lies below is drawn as a leaf
LEAST = 0.4  # pixels: a narrower node is left out


class WallTree(NamedTuple):
    """A tree of the wall."""

    number: int  # in the forest, from 1
    tree: AnyTree
    target: Feature  # what its leaves say; of a step of a sum, a number
    words: str  # its size and error


def wall_card(trees: Sequence[WallTree], key: str, selected: str, dark: bool) -> dict[str, Any]:
    """Return the JSON of the wall for the browser, in which the tree whose number is `selected` is framed.

    `key` identifies this wall. Numbers are drawn on one scale over all trees.
    """
    abreast = (WIDTH + GAP) // (CELL + GAP)
    height = -(-len(trees) // abreast) * (TALL + GAP)
    still: list[list[Any]] = []
    bars: list[dict[str, Any]] = []
    for place, each in enumerate(trees):
        x, y = place % abreast * (CELL + GAP) + 2, place // abreast * (TALL + GAP) + 2
        neighbours = () if each.target.categories else [other.tree for other in trees]
        colours = leaf_colours(each.tree, each.target, dark, neighbours)
        still += [
            ["path", {"d": d, "fill": fill}, ""] for fill, d in icicle(each.tree, colours, x, y, dark).items()
        ]
        box = {"x": x - 2, "y": y - 2, "width": CELL + 4, "height": TALL + 4, "fill": "transparent", "rx": 3}
        bars.append(box | {"id": str(each.number), "say": each.words})
    return {
        "id": key, "width": WIDTH + 4, "height": height, "most": 2 * WIDTH, "top": 0, "floor": height,
        "alt": say("{n} trees, each with its root on top and its leaves below.", n=len(trees)),
        "keys": say("Arrows go from tree to tree, Enter shows one."),
        "still": still, "bars": bars, "selected": selected, "cells": True,
    }  # fmt: skip


def icicle(tree: AnyTree, colours: Sequence[str], x: float, y: float, dark: bool) -> dict[str, str]:
    """Return the paths of an icicle whose upper left corner is at (x, y), by their fill.

    `colours` are those of the nodes as leaves; one with a question has no hue, which classes have.
    """
    question = ink.mix(ink.LINE[ink.theme_of(dark)], ink.PAPER[ink.theme_of(dark)], 0.35)
    depth, n = depths(tree), tree.weight if tree.weight[0] > 0 else _leaves_below(tree)
    line = TALL / (min(int(depth.max()), LEVELS) + 1)
    left = np.zeros(tree.n_nodes)
    ways: dict[str, str] = {}
    for node in range(tree.n_nodes):
        is_leaf = tree.feature[node] == LEAF or depth[node] == LEVELS
        wide = CELL * n[node] / n[0]
        if depth[node] > LEVELS or wide < LEAST:
            continue
        top = line * int(depth[node])
        tall = TALL - top if is_leaf else line
        fill = colours[node] if is_leaf else question
        box = (x + left[node], y + top, max(wide - 0.5, LEAST), tall - 0.5)
        ways[fill] = ways.get(fill, "") + "M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z".format(*box, box[2])
        if not is_leaf:
            yes, no = int(tree.left[node]), int(tree.right[node])
            left[yes], left[no] = left[node], left[node] + CELL * n[yes] / n[0]
    return ways


def _leaves_below(tree: AnyTree) -> np.ndarray:
    """Return the number of leaves below each node: the width of trees whose rows nobody counted."""
    n = (tree.feature == LEAF).astype(float)
    for node in np.flatnonzero(tree.feature != LEAF)[::-1].tolist():  # children come after their parent
        n[node] = n[tree.left[node]] + n[tree.right[node]]
    return n

"""The classical drawing of a cultivated tree: modules as boxes that list their options."""

from __future__ import annotations

from collections.abc import Sequence

import graphviz

from espalier.data.dataset import Feature
from espalier.trees import CultivatedTree, parents
from espalier.views.cultivated.modules import conjunction, leads_to
from espalier.views.cultivated.words import options
from espalier.views.theme import number
from espalier.views.tree.graphviz import Telling, drawn, part

MAX_OPTIONS = 6  # of a module that its box lists


def drawing(
    tree: CultivatedTree,
    features: Sequence[Feature],
    target: Feature,
    dark: bool = False,
    max_depth: int | None = None,
) -> graphviz.Digraph:
    """Graphviz graph of the tree, as `espalier.views.tree.graphviz.drawing` has it.

    A box lists at most `MAX_OPTIONS` of its module. The left branch is what the module asks for; at either
    stands the share of the node's weight that goes along it.
    """

    ways: dict[int, tuple[str, ...]] = {0: ()}
    up = parents(tree)

    def tip(node: int) -> str:  # asked for in preorder: the way to the parent is known
        if node:
            step = leads_to(tree, features, up[node], bool(tree.left[up[node]] == node))
            ways[node] = (*ways[up[node]], step)
        return f"as far as {conjunction(ways[node])}" if node else "all rows"

    telling = Telling(
        asks=lambda node: options(tree, features, node, how=(None, MAX_OPTIONS)),
        size=lambda node: f"weight {number(float(tree.weight[node]))}  ({part(tree, node)})",
        tip=tip,
        branch=lambda node, child, name: f"{name} {part(tree, child, of=node)}",
    )
    return drawn(tree, target, telling, dark, max_depth)


def to_dot(tree: CultivatedTree, features: Sequence[Feature], target: Feature) -> str:
    """DOT source of the whole tree, in the light colours."""
    return drawing(tree, features, target).source

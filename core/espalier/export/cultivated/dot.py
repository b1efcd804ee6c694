"""The classical drawing of a cultivated tree: modules as boxes that list their options."""

from __future__ import annotations

from collections.abc import Sequence

import graphviz

from espalier.data.dataset import Feature
from espalier.display.cultivated import conjunction, leads_to, options_table
from espalier.display.theme import number
from espalier.display.tree.graphviz import NodeTexts, drawn, part
from espalier.language import say
from espalier.trees import CultivatedTree, parents

MAX_OPTIONS = 6  # listed in the box of a module


def drawing(
    tree: CultivatedTree,
    features: Sequence[Feature],
    target: Feature,
    dark: bool = False,
    max_depth: int | None = None,
) -> graphviz.Digraph:
    """Return the Graphviz graph of the tree, as `espalier.display.tree.graphviz.drawing` does.

    A box lists at most `MAX_OPTIONS` of its module. Samples that meet the module's conditions go left; each branch
    is labelled by the share of the node's weight that takes it.
    """

    ways: dict[int, tuple[str, ...]] = {0: ()}
    up = parents(tree)

    def tip(node: int) -> str:  # called in preorder, so that the path to the parent is known
        if node:
            step = leads_to(tree, features, up[node], bool(tree.left[up[node]] == node))
            ways[node] = (*ways[up[node]], step)
        return say("as far as {conditions}", conditions=conjunction(ways[node])) if node else say("all rows")

    texts = NodeTexts(
        asks=lambda node: options_table(tree, features, node, most=MAX_OPTIONS),
        size=lambda node: f"{_weight(tree, node)}  ({part(tree, node)})",
        tip=tip,
        branch=lambda node, child, name: f"{name} {part(tree, child, of=node)}",
        features=features,
    )
    return drawn(tree, target, texts, dark, max_depth)


def _weight(tree: CultivatedTree, node: int) -> str:
    return say("weight {weight}", weight=number(float(tree.weight[node])))


def to_dot(tree: CultivatedTree, features: Sequence[Feature], target: Feature) -> str:
    """Return the DOT source of the whole tree, in the light colours."""
    return drawing(tree, features, target).source

"""The classical drawing of an oblique tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import graphviz

from espalier.data.dataset import Feature
from espalier.display.text.splits import demands_words, oblique_condition
from espalier.display.tree.graphviz import NodeTexts, all_of, drawn, part
from espalier.oblique import ObliqueTree
from espalier.tree.rules import all_demands


def drawing(
    tree: ObliqueTree,
    features: Sequence[Feature],
    target: Feature,
    dark: bool = False,
    max_depth: int | None = None,
) -> graphviz.Digraph:
    """Return the Graphviz graph of the tree, as `espalier.display.tree.graphviz.drawing` does."""
    demands, any_tree = all_demands(tree), _as_any(tree)
    texts = NodeTexts(
        asks=lambda node: [oblique_condition(tree, features, node)],
        size=lambda node: f"n = {tree.n_samples[node]}  ({part(any_tree, node)})",
        tip=lambda node: all_of(demands_words(demands[node], features)),
        branch=lambda node, _, name: name if node == 0 else "",
        features=features,
    )
    return drawn(any_tree, target, texts, dark, max_depth)


def _as_any(tree: ObliqueTree) -> Any:
    """Return the tree for functions that read only what all trees have."""
    return tree


def to_dot(tree: ObliqueTree, features: Sequence[Feature], target: Feature) -> str:
    """Return the DOT source of the whole tree, in the light colours."""
    return drawing(tree, features, target).source

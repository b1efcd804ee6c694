"""What the exports of forests share: what a leaf adds to the scores, and which forests cannot be written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from espalier.data.dataset import Feature
from espalier.kernels.forest.out_of_bag import ALIKE
from espalier.language import Refusal
from espalier.predict import votes_at_nodes
from espalier.trees import Forest, Tree
from espalier.views.export.columns import one_line
from espalier.views.theme import count

MAX_NODES = 500_000  # of all trees, in a file: of Python about 40 MB


def plain_trees(forest: Forest) -> Sequence[Tree]:
    """Return the trees. Raises Refusal for cultivated ones, and for more nodes than a file has room for."""
    if not all(isinstance(tree, Tree) for tree in forest.trees):
        raise Refusal(
            "Code has trees in which each row is in one leaf, and those of this forest are cultivated: save it as "
            "JSON."
        )
    trees = cast("Sequence[Tree]", forest.trees)
    n_nodes = sum(tree.n_nodes for tree in trees)
    if n_nodes > MAX_NODES:
        raise Refusal(
            "{n} nodes are too many for code; the limit is {most}. Grow fewer trees, or trees of less depth, or "
            "save the forest as JSON.",
            n=count(n_nodes),
            most=count(MAX_NODES),
        )
    return trees


def added(forest: Forest, number: int) -> np.ndarray:
    """Return what each node of a tree adds to the scores, were it a leaf, (n_nodes, n_scores)."""
    return forest.weight[number] * votes_at_nodes(forest.trees[number], forest.combine)


def tolerance(forest: Forest) -> float:
    """Return by how much two shares may differ to be equal (`espalier.ties`)."""
    return ALIKE if len(forest.prior) else 0.0


def title(forest: Forest, target: Feature) -> str:
    """Return the first line of an export."""
    how = {"votes": "trees that vote", "mean": "trees, averaged", "sum": "trees, added up"}[forest.combine]
    leaves = sum(tree.n_leaves for tree in forest.trees)
    return f"Forest for {one_line(target.name)}: {count(forest.n_trees)} {how}, {count(leaves)} leaves."

"""What the exports of forests share: what a leaf adds to the scores, and which forests cannot be written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from espalier.data.dataset import Feature
from espalier.display.theme import count
from espalier.export.columns import one_line
from espalier.kernels.forest.out_of_bag import ALIKE
from espalier.language import Refusal
from espalier.predict import votes_at_nodes
from espalier.trees import CultivatedTree, Forest, Tree

MAX_NODES = 500_000  # of all trees, in a file: of Python about 40 MB
MAX_CUTS = 1_000_000  # of cultivated trees: of Python about 35 MB


class WrittenTrees(NamedTuple):
    """The trees of a forest as Python source: their tables, and the walk through one that ends in a loop."""

    words: tuple[str, ...]  # comments on the tables
    tables: tuple[str, ...]
    walk: str  # from `nodes` and `row` to a line that runs through what a tree adds: part, to score k
    imports: tuple[str, ...] = ()
    functions: str = ""  # that the walk calls


def is_cultivated(forest: Forest) -> bool:
    """Return whether its trees are cultivated, so that a row may be in several leaves of each."""
    return isinstance(forest.trees[0], CultivatedTree)


def plain_trees(forest: Forest) -> Sequence[Tree]:
    """Return trees in which each row is in one leaf. Raises Refusal for cultivated ones."""
    if is_cultivated(forest):
        raise Refusal(
            "In trees of ONNX each row is in one leaf. The trees of this forest are cultivated: a row is in "
            "several leaves of a tree, with a fraction in each. Save it as Python, SQL or JSON."
        )
    return cast("Sequence[Tree]", forest.trees)


def cultivated_trees(forest: Forest) -> Sequence[CultivatedTree]:
    """Return the trees of a forest that `is_cultivated`."""
    return cast("Sequence[CultivatedTree]", forest.trees)


def check_size(forest: Forest) -> None:
    """Raise Refusal for more nodes, or cuts of cultivated trees, than a file has room for."""
    n_cuts = sum(len(tree.cuts.value) for tree in cultivated_trees(forest)) if is_cultivated(forest) else 0
    if n_cuts > MAX_CUTS:
        raise Refusal(
            "{n} cuts are too many for code; the limit is {most}. Grow fewer trees, or trees of less depth, or "
            "save the forest as JSON.",
            n=count(n_cuts),
            most=count(MAX_CUTS),
        )
    n_nodes = sum(tree.n_nodes for tree in forest.trees)
    if n_nodes > MAX_NODES:
        raise Refusal(
            "{n} nodes are too many for code; the limit is {most}. Grow fewer trees, or trees of less depth, or "
            "save the forest as JSON.",
            n=count(n_nodes),
            most=count(MAX_NODES),
        )


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

"""What the exports of forests share: what a leaf adds to the scores, and which forests cannot be written.

Pages ask `check_python`, `check_onnx`, `espalier.export.sql.check_sql` and `bytes_of` before they offer a file.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from espalier.data.dataset import Feature
from espalier.display.theme import count
from espalier.export.columns import one_line
from espalier.export.node_sources import node_source
from espalier.kernels.forest.out_of_bag import ALIKE
from espalier.language import Refusal
from espalier.predict import votes_at_nodes
from espalier.trees import CultivatedTree, Forest

MAX_NODES = 500_000  # of all trees, in a file: of Python about 40 MB
MAX_CUTS = 1_000_000  # of cultivated trees: of Python about 35 MB
FEW, MORE = 10, 20  # trees from which the size of a larger file is known; the first ones name the columns


def forest_sources(forest: Forest) -> list[Any]:
    """Return the source of the nodes of each tree, all of one kind."""
    return [node_source(tree, (), Feature("score")) for tree in forest.trees]


def additions(forest: Forest, number: int) -> np.ndarray:
    """Return what each node of a tree adds to the scores, were it a leaf, (n_nodes, n_scores)."""
    return forest.weight[number] * votes_at_nodes(forest.trees[number], forest.combine)


def tolerance(forest: Forest) -> float:
    """Return by how much two shares may differ to be equal (`espalier.ties`)."""
    return ALIKE if len(forest.prior) else 0.0


def forest_title(forest: Forest, target: Feature) -> str:
    """Return the first line of an export."""
    how = {"votes": "trees that vote", "mean": "trees, averaged", "sum": "trees, added up"}[forest.combine]
    leaves = sum(tree.n_leaves for tree in forest.trees)
    return f"Forest for {one_line(target.name)}: {count(forest.n_trees)} {how}, {count(leaves)} leaves."


# ---- limits


def check_python(forest: Forest) -> None:
    """Raise Refusal for more nodes, or cuts of cultivated trees, than a file of code has room for."""
    n_cuts = sum(len(tree.cuts.value) for tree in forest.trees if isinstance(tree, CultivatedTree))
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


def check_onnx(forest: Forest) -> None:
    """Raise Refusal for a forest that is not written as ONNX, and where the package onnx lacks."""
    check_boxes(forest)
    check_python(forest)
    if importlib.util.find_spec("onnx") is None:
        raise Refusal("An ONNX file is written by the package onnx, which is not installed here.")


def check_boxes(forest: Forest) -> None:
    """Raise Refusal for trees in which a row is in several leaves."""
    if isinstance(forest.trees[0], CultivatedTree):
        raise Refusal(
            "In trees of ONNX each row is in one leaf. The trees of this forest are cultivated: a row is in "
            "several leaves of a tree, with a fraction in each. Save it as Python, SQL or JSON."
        )


def bytes_of(write: Callable[[Forest], str | bytes], forest: Forest) -> float:
    """Return about how many bytes `write` makes of the forest: from its first trees, by numbers of nodes.

    >>> from espalier.trees import make_forest, make_tree
    >>> leaf = make_tree([-1], [float("nan")], [-1], [-1], [0], [False], [4], [4.0], [[1.5]], [0.0])
    >>> bytes_of(lambda forest: "x" * (100 + 10 * forest.n_trees), make_forest([leaf] * 30, [1] * 30, "mean", []))
    400.0
    """
    first, more = (forest._replace(trees=forest.trees[:n], weight=forest.weight[:n]) for n in (FEW, MORE))
    sizes = [len(text.encode() if isinstance(text, str) else text) for text in (write(first), write(more))]
    nodes = [sum(tree.n_nodes for tree in part.trees) for part in (first, more, forest)]
    each = (sizes[1] - sizes[0]) / max(nodes[1] - nodes[0], 1)
    return sizes[1] + each * (nodes[2] - nodes[1])

"""Whether a forest can be written, and how large its file is, before it is written."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

from espalier.export.ensembles.parts import check_size, plain_trees
from espalier.export.ensembles.sql import check_sql
from espalier.language import Refusal
from espalier.trees import Forest

__all__ = ["bytes_of", "check_onnx", "check_python", "check_sql"]
FEW, MORE = 10, 20  # trees from which the size of a larger file is known; the first ones name the columns


def check_python(forest: Forest) -> None:
    """Raise Refusal for a forest that is not written as Python."""
    check_size(forest)


def check_onnx(forest: Forest) -> None:
    """Raise Refusal for a forest that is not written as ONNX, and where the package onnx lacks."""
    plain_trees(forest)
    check_size(forest)
    if importlib.util.find_spec("onnx") is None:
        raise Refusal("An ONNX file is written by the package onnx, which is not installed here.")


def bytes_of(write: Callable[[Forest], str | bytes], forest: Forest) -> float:
    """Return about how many bytes `write` makes of the forest: from its first trees, by numbers of nodes.

    >>> from espalier.trees import make_forest, make_tree
    >>> leaf = make_tree([-1], [float("nan")], [-1], [-1], [0], [False], [4], [4.0], [[1.5]], [0.0])
    >>> bytes_of(lambda forest: "x" * (100 + 10 * forest.n_trees), make_forest([leaf] * 30, [1] * 30, "mean", []))
    400.0
    """
    first, more = (_first(forest, n) for n in (FEW, MORE))
    sizes = [len(text.encode() if isinstance(text, str) else text) for text in (write(first), write(more))]
    nodes = [sum(tree.n_nodes for tree in one.trees) for one in (first, more, forest)]
    each = (sizes[1] - sizes[0]) / max(nodes[1] - nodes[0], 1)
    return sizes[1] + each * (nodes[2] - nodes[1])


def _first(forest: Forest, n: int) -> Forest:
    return forest._replace(trees=forest.trees[:n], weight=forest.weight[:n])

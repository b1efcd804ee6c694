"""The JSON of a model tree's graph: that of its tree, and on each leaf's card its formula in short."""

from __future__ import annotations

import hashlib
from typing import Any

from espalier.data.dataset import Dataset
from espalier.leaf_models import ModelTree
from espalier.model_trees.formulas import formula_lines, short_formula

MOST_LINES = 4  # of a formula under the pointer: one for each class


def with_formulas(cards: dict[str, Any], model: ModelTree, dataset: Dataset) -> dict[str, Any]:
    """Return the cards (`espalier.display.tree.cards.cards`) with the formulas of the leaves.

    A leaf's card gets "formula", in a few words, and "formulas", the lines that stand under the pointer.
    """
    nodes = [_with_formula(node, model, dataset) for node in cards["nodes"]]
    arrays = b"".join(array.tobytes() for array in model.models[:-1])
    digest = hashlib.blake2b(cards["id"].encode() + arrays, digest_size=8)
    return cards | {"id": digest.hexdigest(), "nodes": nodes}


def _with_formula(node: dict[str, Any], model: ModelTree, dataset: Dataset) -> dict[str, Any]:
    if "f" in node:
        return node
    lines = formula_lines(model, dataset.features, dataset.target, node["id"])
    short = short_formula(model, dataset.features, node["id"])
    return node | {"formula": short, "formulas": lines[:MOST_LINES]}

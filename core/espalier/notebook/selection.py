"""The selection in a notebook: a node, or a row with the leaf it is in; chosen by Python, or by a click."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.display.boundaries.plane import mark, typical
from espalier.kernels.gate import fractions_of
from espalier.predict import leaves
from espalier.trees import AnyTree, CultivatedTree, subtree_end


class NotebookTree(NamedTuple):
    """A tree as it is shown, with its rows."""

    tree: AnyTree
    data: Dataset
    axes: tuple[int, ...]
    id: str  # of its cards
    surface: str  # id of the surface


class SelectedNode(NamedTuple):
    """A node, and the row that chose it, if one did."""

    node: int | None
    sample: int | None


def clicked(sent: Any, one: NotebookTree) -> SelectedNode | None:
    """Return the selection that the browser reports; None for anything that is not there.

    A click comes as {"tree": id, "id": node or None}, {"surface": id, "row": sample} or {"surface": id, "x": …,
    "y": …}.
    """
    if not isinstance(sent, dict) or (sent.get("tree"), sent.get("surface")) not in (
        (one.id, None),
        (None, one.surface),
    ):
        return None
    if "tree" in sent:
        return SelectedNode(sent.get("id"), None) if is_place(sent.get("id"), one.tree.n_nodes) else None
    if "row" in sent:
        return of_sample(one, sent["row"]) if is_place(sent["row"], len(one.data.y)) else None
    spot = [sent.get(name) for name in ("x", "y")[: len(one.axes)]]
    if not all(isinstance(v, int | float) and math.isfinite(v) for v in spot):
        return None
    row = typical(one.data)
    row[list(one.axes)] = spot
    return SelectedNode(_leaf(one, row), None)


def is_place(value: Any, n: int) -> bool:
    """Return whether the value is None or one of 0 … n - 1."""
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value < n)


def of_sample(one: NotebookTree, sample: int | None) -> SelectedNode:
    """Return the leaf of a sample: of a cultivated tree, the one with most of it."""
    return SelectedNode(None if sample is None else _leaf(one, one.data.X[sample]), sample)


def _leaf(one: NotebookTree, row: np.ndarray) -> int:
    return int(leaves(one.tree, np.asfortranarray(row[np.newaxis]))[0])


def state_of(one: NotebookTree, chosen: SelectedNode, at: float) -> dict[str, Any]:
    """Return the selection as the components read it (`assets/components/shared/channel.js`)."""
    node = chosen.node or 0
    row = None if chosen.sample is None else mark(one.data, one.axes, chosen.sample) | _parts(one, chosen.sample)
    return {"tree": one.id, "id": node, "end": subtree_end(one.tree, node), "row": row, "at": at}


def _parts(one: NotebookTree, sample: int) -> dict[str, Any]:
    """Return the fractions of a row, per mille by node, where it is in several leaves."""
    if not isinstance(one.tree, CultivatedTree):
        return {}
    fractions = np.round(1000 * fractions_of(one.tree, one.data.X[sample])).astype(int)
    return {"fractions": {str(node): int(fractions[node]) for node in np.flatnonzero(fractions)}}

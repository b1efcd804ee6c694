"""What the components draw in a notebook: the JSON of a tree's cards and of a surface."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from espalier.data.dataset import Dataset
from espalier.display.boundaries.plane import check_axes, mark, raster, typical
from espalier.display.boundaries.surface import surface
from espalier.display.oblique_sums import tree_of_sums
from espalier.display.tree.cards import cards
from espalier.kernels.cultivated.fractions import fractions_of
from espalier.leaf_models import ModelTree
from espalier.model_trees import add_formulas
from espalier.model_trees import surface as formula_surface
from espalier.notebook.shown import ShownModel, axes_of
from espalier.oblique import ObliqueTree
from espalier.predict import leaves, shares
from espalier.trees import AnyTree, CultivatedTree, Forest, subtree_end


class NotebookTree(NamedTuple):
    """A tree as it is shown, with its rows."""

    tree: AnyTree
    data: Dataset
    axes: tuple[int, ...]
    id: str  # of its cards
    surface: str  # id of the surface


Selection: TypeAlias = tuple[int | None, int | None]  # a node, and the row that chose it, if one did


def selection_sent(sent: Any, one: NotebookTree) -> Selection | None:
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
        return (sent.get("id"), None) if is_place(sent.get("id"), one.tree.n_nodes) else None
    if "row" in sent:
        return leaf_of_sample(one, sent["row"]) if is_place(sent["row"], len(one.data.y)) else None
    spot = [sent.get(name) for name in ("x", "y")[: len(one.axes)]]
    if not all(isinstance(v, int | float) and math.isfinite(v) for v in spot):
        return None
    row = typical(one.data)
    row[list(one.axes)] = spot
    return _leaf(one, row), None


def is_place(value: Any, n: int) -> bool:
    """Return whether the value is None or one of 0 … n - 1."""
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value < n)


def leaf_of_sample(one: NotebookTree, sample: int | None) -> Selection:
    """Return the leaf of a sample: of a cultivated tree, the one with most of it."""
    return None if sample is None else _leaf(one, one.data.X[sample]), sample


def _leaf(one: NotebookTree, row: np.ndarray) -> int:
    return int(leaves(one.tree, np.asfortranarray(row[np.newaxis]))[0])


def state_of(one: NotebookTree, node: int | None, sample: int | None, at: float) -> dict[str, Any]:
    """Return the selection as the components read it (`assets/components/shared/channel.js`)."""
    node = node or 0
    row = None if sample is None else mark(one.data, one.axes, sample) | _parts(one, sample)
    return {"tree": one.id, "id": node, "end": subtree_end(one.tree, node), "row": row, "at": at}


def _parts(one: NotebookTree, sample: int) -> dict[str, Any]:
    """Return the fractions of a row, per mille by node, where it is in several leaves."""
    if not isinstance(one.tree, CultivatedTree):
        return {}
    fractions = np.round(1000 * fractions_of(one.tree, one.data.X[sample])).astype(int)
    return {"fractions": {str(node): int(fractions[node]) for node in np.flatnonzero(fractions)}}


HEIGHT = 420  # pixels of either canvas


def pictures(one: ShownModel, axes: Any, number: int, uid: str) -> tuple[dict[str, Any], NotebookTree | None]:
    """Return the data of both components for a model whose rows are known; of a forest, for this tree.

    With them comes the tree in which nodes are selected; None: a sum has no tree to show.

    Raises ValueError for axes that are not one or two different features.
    """
    data = one.data
    assert data is not None
    plane = axes_of(one.record, data, axes)
    check_axes(data, plane)
    about = {"channel": uid, "height": HEIGHT, "at": {}}
    picture = _surface(one, data, plane)
    tree = clicks = place = None
    if (figure := _draw_tree(one, data, number)) is not None:
        nodes, rows, card = figure
        tree = {"cards": card, "grows": False, **about}
        clicks = None if isinstance(one.record, Forest) else card["id"]
        place = NotebookTree(nodes, rows, plane, card["id"], picture["id"])
    components = {"tree": tree, "surface": {"surface": picture, "tree": clicks, "show": "probability", **about}}
    return components, place


def _draw_tree(one: ShownModel, data: Dataset, number: int) -> tuple[AnyTree, Dataset, dict[str, Any]] | None:
    """Return a tree of questions on one feature each, the rows with these features, and its cards."""
    record, rows = one.record, np.ones(len(data.y), dtype=bool)
    if isinstance(record, Forest):
        if record.combine == "sum":
            return None
        tree = record.trees[number]
        return tree, data, cards(tree, data, rows)
    if isinstance(record, ModelTree):
        return record.tree, data, add_formulas(cards(record.tree, data, rows), record, data)
    if isinstance(record, ObliqueTree):
        sums = tree_of_sums(record, data)
        return sums.tree, sums.dataset, cards(sums.tree, sums.dataset, rows)
    return record, data, cards(record, data, rows)


def _surface(one: ShownModel, data: Dataset, axes: tuple[int, ...]) -> dict[str, Any]:
    record = one.record
    if isinstance(record, Forest):
        return raster(lambda X: (shares(record, X), None), data, axes)
    if isinstance(record, ObliqueTree | ModelTree):
        return formula_surface(record, data, axes, typical(data))
    return surface(record, data, axes)

"""What the components draw in a notebook: the JSON of a tree's cards and of a surface."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.display.boundaries.plane import check_axes, typical
from espalier.display.boundaries.raster import raster
from espalier.display.boundaries.surface import surface
from espalier.display.oblique_sums import tree_of_sums
from espalier.display.tree.cards import cards
from espalier.leaf_models import ModelTree
from espalier.model_trees.cards import with_formulas
from espalier.model_trees.surface import surface as formula_surface
from espalier.notebook.plane import axes_of
from espalier.notebook.selection import NotebookTree
from espalier.notebook.shown import ShownModel
from espalier.oblique import ObliqueTree
from espalier.predict import shares
from espalier.trees import AnyTree, Forest

HEIGHT = 420  # pixels of either canvas


class NotebookPictures(NamedTuple):
    """The data of both components, and the tree in which nodes are selected; None: a sum has no tree to show."""

    data: dict[str, Any]  # {"tree": … or None, "surface": …}
    tree: NotebookTree | None


class DrawnTree(NamedTuple):
    """A tree of questions on one feature each, and the rows with these features."""

    tree: AnyTree
    data: Dataset
    cards: dict[str, Any]


def pictures(one: ShownModel, axes: Any, number: int, uid: str) -> NotebookPictures:
    """Return what is drawn of a model whose rows are known; of a forest, the tree of this number.

    Raises ValueError for axes that are not one or two different features.
    """
    data = one.data
    assert data is not None
    plane = axes_of(one.record, data, axes)
    check_axes(data, plane)
    drawn = _drawn(one, data, number)
    about = {"channel": uid, "height": HEIGHT, "at": {}}
    is_forest = isinstance(one.record, Forest)
    picture = _surface(one, data, plane)
    tree = None if drawn is None else {"cards": drawn.cards, "grows": False, **about}
    clicks = None if drawn is None or is_forest else drawn.cards["id"]
    shown = {"tree": tree, "surface": {"surface": picture, "tree": clicks, "show": "probability", **about}}
    if drawn is None:
        return NotebookPictures(shown, None)
    place = NotebookTree(drawn.tree, drawn.data, plane, drawn.cards["id"], picture["id"])
    return NotebookPictures(shown, place)


def _drawn(one: ShownModel, data: Dataset, number: int) -> DrawnTree | None:
    record, rows = one.record, np.ones(len(data.y), dtype=bool)
    if isinstance(record, Forest):
        if record.combine == "sum":
            return None
        tree = record.trees[number]
        return DrawnTree(tree, data, cards(tree, data, rows))
    if isinstance(record, ModelTree):
        return DrawnTree(record.tree, data, with_formulas(cards(record.tree, data, rows), record, data))
    if isinstance(record, ObliqueTree):
        found = tree_of_sums(record, data)
        return DrawnTree(found.tree, found.dataset, cards(found.tree, found.dataset, rows))
    return DrawnTree(record, data, cards(record, data, rows))


def _surface(one: ShownModel, data: Dataset, axes: tuple[int, ...]) -> dict[str, Any]:
    record = one.record
    if isinstance(record, Forest):
        return raster(lambda X: (shares(record, X), None), data, axes)
    if isinstance(record, ObliqueTree | ModelTree):
        return formula_surface(record, data, axes, typical(data))
    return surface(record, data, axes)

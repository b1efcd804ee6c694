"""Surfaces of a tree's answer averaged over rows: at each place of the plane, what it says on average if every row
has the values of that place and keeps its own of all other features (partial dependence; Friedman, 2001).

They are sent as the cells of a grid, as those of cultivated trees, and exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from espalier.data.dataset import Dataset
from espalier.display.boundaries.plane import Dots, points
from espalier.display.boundaries.raster import RasterValues, card_of, of_rows, packed, rulers_of, shape_of
from espalier.grids import samples_over
from espalier.kernels.averaging import averages, shares_of_rows
from espalier.tree.planes import share_shown
from espalier.trees import Tree, is_leaf, read_only, subtree_end


def tree_average(
    tree: Tree, dataset: Dataset, axes: Sequence[int], rows: np.ndarray, dots: Dots
) -> dict[str, Any]:
    """Return the surface of a tree averaged over rows (n_rows, n_features), as `surface` describes it.

    "seen" says how much of the variance of the tree's answers to the rows the plane shows.
    """
    rulers = rulers_of(dataset, axes, tree)
    places = samples_over(axes, [ruler.at for ruler in rulers], rows[0])
    mean = averages(tree, places, axes, shares_of_rows(tree, rows, axes))
    field = RasterValues(mean.reshape(*shape_of(rulers), -1), None)
    card = card_of(dataset, axes, rulers, field) | of_rows(rows) | points(dataset, axes, dots)
    return card | {"seen": round(max(share_shown(tree, rows, axes), 0.0), 3)}


def node_average(tree: Tree, dataset: Dataset, axes: Sequence[int], rows: np.ndarray, node: int) -> dict[str, Any]:
    """Return the share of the rows that would be in a node, in each cell: {"node": int, "cells": packed}."""
    number = np.arange(tree.n_nodes)
    inside = is_leaf(tree) & (number >= node) & (number < subtree_end(tree, node))
    asked = tree._replace(value=read_only(inside.astype(np.float64)[:, np.newaxis]))
    places = samples_over(axes, [ruler.at for ruler in rulers_of(dataset, axes, tree)], rows[0])
    share = averages(asked, places, axes, shares_of_rows(tree, rows, axes))[:, 0]
    return {"node": int(node), "cells": packed(share, 0.0, float(share.max()))}

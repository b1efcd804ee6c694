"""A grown tree that the browser cuts off at any level by itself: its surface, its nodes' answers and their order.

Many trees on one page are one tree cut off at different places: CART of depth 3 is CART of depth 9 without the
levels below. So the browser gets the greatest of them once, with the boxes of all nodes and not of leaves alone,
and shows the others without asking. The tree graph's part of it is `espalier.display.tree.cards`.

    {"name": str,                    of the slider
     "cards": {…},                   of the greatest tree
     "stop": [number, …],            by node: it is split in the tree of a value if the value is greater
     "prices": [[float, …], …]       where a second slider, "alpha", prunes: by value from 1 on, the price per leaf
                                     from which each node that is split in the tree of that value is a leaf
     "boxes": [x0, x1, y0, y1, node, …]   three numbers each where there is one axis; without them the surface is
                                     left to Python
     "average": {                    or, where the answers are averaged over rows,
         "rows": int,                how many
         "reached": [int, …],        how many of them are in each node if splits on an axis send them both ways
         "values": [[float, …], …],  the answer of each node
         "rulers": [{…}, …]},        of the cells along each axis (`display.boundaries.raster.ruler_cards`)
     "soft": {…},                    or, of a cultivated tree, what `display.boundaries.soft_fold` describes
     "doubt": [float, …],            impurity of each node (regression)
     "means": [float, …],            answer of each node (regression)
     "leaf": [node, …],              of each point that is drawn
     "scores": [{"lost": [float, …], "of": float}, …]   of held-out rows, then of the others: what each node gets
                                     wrong as a leaf, and what there is to get right (`lost`)
     "numbers": [[value, [str, …]], …]}   or what stands above the tree: from each value on
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from espalier import predict
from espalier.data.dataset import Dataset
from espalier.display.boundaries.plane import drawn_rows, ends_of
from espalier.display.boundaries.raster import ruler_cards
from espalier.display.boundaries.surface import boxes_of_nodes, flat
from espalier.display.scales import all_rounded
from espalier.kernels.averaging import shares_of_rows
from espalier.learners.pruning import node_losses, prices, said_at_nodes
from espalier.trees import Tree, depths, is_leaf, prune_to


def fold(tree: Tree, dataset: Dataset, axes: Sequence[int], held: np.ndarray) -> dict[str, Any]:
    """Return the surface's part of the fold: of all nodes their boxes, and of the points drawn their leaves.

    `axes` are one or two features, `held` (n_features,) the values of all others, or (n_rows, n_features) rows
    over which the answer is averaged: not where a split only asks whether a value is missing.
    """
    leaf = {"leaf": predict.leaves(tree, dataset.X[drawn_rows(len(dataset.y))]).tolist()}
    if held.ndim == 2:
        asks_missing = bool(np.isinf(tree.threshold).any())
        return {} if asks_missing else {"average": _average(tree, dataset, axes, held)} | leaf
    ends = tuple(ends_of(dataset.features[a], dataset.X[:, a]) for a in axes)
    card = {"boxes": flat(boxes_of_nodes(tree, dataset.features, axes, ends, held))} | leaf
    if dataset.is_classification:
        return card
    return card | {
        "means": all_rounded(tree.value[:, 0]),
        "doubt": all_rounded(tree.impurity),
    }


def _average(tree: Tree, dataset: Dataset, axes: Sequence[int], rows: np.ndarray) -> dict[str, Any]:
    reached = np.round(len(rows) * shares_of_rows(tree, rows, axes)).astype(int)
    values = [list(node) for node in zip(*(all_rounded(output) for output in tree.value.T), strict=True)]
    rulers = ruler_cards(dataset, axes)
    return {"rows": len(rows), "reached": reached.tolist(), "values": values, "rulers": rulers}


def prices_by_depth(tree: Tree) -> list[list[float]]:
    """Return for each depth from 1 on the price per leaf from which each split of that tree is pruned."""
    depth, found = depths(tree), []
    for limit in range(1, tree.depth + 1):
        cut = prune_to(tree, depth < limit)
        found.append(prices(cut)[~is_leaf(cut)].tolist())
    return found


def lost(tree: Tree, dataset: Dataset, rows: np.ndarray) -> dict[str, Any]:
    """Return what each node as a leaf gets wrong of these rows, and what there is to get right.

    Of classes the weight of the errors, and of all rows; of numbers the squared errors, and those of the mean.
    """
    y, weight = dataset.y[rows], dataset.weights_of(rows)
    weight = np.ones(len(y)) if weight is None else weight
    each = node_losses(tree, predict.leaves(tree, dataset.X[rows]), y, said_at_nodes(tree), weight).total
    mean = float(np.average(y, weights=weight))
    of = weight.sum() if dataset.is_classification else (weight * (y - mean) ** 2).sum()
    return {"lost": each.tolist(), "of": float(of)}

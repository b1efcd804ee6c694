"""A grown tree that the browser cuts off at any level by itself: its surface, its nodes' answers and their order.

Many trees on one page are one tree cut off at different places: CART of depth 3 is CART of depth 9 without the
levels below. So the browser gets the greatest of them once, with the boxes of all nodes and not of leaves alone,
and shows the others without asking. The tree graph's part of it is `espalier.views.tree.cards`.

    {"name": str,                    of the slider
     "cards": {…},                   of the greatest tree
     "stop": [number, …],            by node: it is split in the tree of a value if the value is greater
     "boxes": [x0, x1, y0, y1, node, …]   three numbers each where there is one axis; without them the surface is
                                     left to Python
     "doubt": [float, …],            impurity of each node (regression)
     "means": [float, …],            answer of each node (regression)
     "leaf": [node, …],              of each point that is drawn
     "numbers": [[value, [str, …]], …]}   what stands above the tree: from each value on
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from espalier import predict
from espalier.data.dataset import Dataset
from espalier.trees import Tree
from espalier.views.boundaries.plane import drawn_rows, ends_of
from espalier.views.boundaries.surface import boxes_of_nodes, flat
from espalier.views.scales import rounded


def fold(tree: Tree, dataset: Dataset, axes: Sequence[int], held: np.ndarray) -> dict[str, Any]:
    """Return the surface's part of the fold: of all nodes their boxes, and of the points drawn their leaves.

    `axes` are one or two features, `held` (n_features,) the values of all others.
    """
    ends = tuple(ends_of(dataset.features[a], dataset.X[:, a]) for a in axes)
    card: dict[str, Any] = {"boxes": flat(boxes_of_nodes(tree, dataset.features, axes, ends, held))}
    card["leaf"] = predict.leaves(tree, dataset.X[drawn_rows(len(dataset.y))]).tolist()
    if dataset.is_classification:
        return card
    return card | {
        "means": [rounded(v) for v in tree.value[:, 0].tolist()],
        "doubt": [rounded(v) for v in tree.impurity.tolist()],
    }

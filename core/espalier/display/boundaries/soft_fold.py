"""The surface of a cultivated tree for a browser that takes levels off by itself.

What a node sends left is the sum of a part along each axis and of one that the features on no axis decide. So
these are sent of every node; a tree of fewer levels mixes the values of the nodes at which it ends.

    {"soft": {
        "along": [{"edges": [float, …], "smooth": bool,   cells along each axis, as of other surfaces
                   "nodes": [node, …],                    those that ask for the axis
                   "parts": packed}, …],                  what each sends left in each cell, by the axis alone
        "others": packed,               by row that the answer is averaged over, what each node sends left besides
        "values": [[float, …], …],      the answer of each node
        "wrong": [[value, str], …]}}    from each value of the slider on: "1" for each point that is misclassified
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from espalier.data.dataset import Dataset
from espalier.display.boundaries.raster import Ruler, coarse, packed, rulers_of
from espalier.display.scales import all_rounded
from espalier.kernels.gate import parts_of
from espalier.trees import CultivatedTree


def soft_fold(tree: CultivatedTree, dataset: Dataset, axes: Sequence[int], held: np.ndarray) -> dict[str, Any]:
    """Return what the browser needs for the surfaces of all trees of fewer levels, but for the wrong points.

    `axes` are one or two features, `held` (n_features,) the values of all others, or (n_rows, n_features) rows
    over which the answer is averaged.
    """
    rulers, held = [coarse(ruler) for ruler in rulers_of(dataset, axes, tree)], np.atleast_2d(held)
    along = [np.zeros((tree.n_nodes, len(ruler.at))) for ruler in rulers]
    others = np.zeros((len(held), tree.n_nodes))
    for node, d, gate in _gates(tree):
        f, share = int(tree.decisions.feature[d]), tree.decisions.share[d]
        if f in axes:
            axis = list(axes).index(f)
            along[axis][node] += share * gate(rulers[axis].at)
        else:
            others[:, node] += share * gate(held[:, f])
    values = [list(node) for node in zip(*(all_rounded(output) for output in tree.value.T), strict=True)]
    cards = [_along(ruler, parts) for ruler, parts in zip(rulers, along, strict=True)]
    return {"along": cards, "others": packed(others, 0.0, 1.0), "values": values}


def _along(ruler: Ruler, parts: np.ndarray) -> dict[str, Any]:
    asks = np.flatnonzero(parts.any(axis=1))
    edges = all_rounded(ruler.edges)
    return {"edges": edges, "smooth": ruler.smooth, "nodes": asks.tolist(), "parts": packed(parts[asks], 0.0, 1.0)}


def _gates(tree: CultivatedTree) -> Iterator[tuple[int, int, Any]]:
    """Yield every decision: its node, its number, and what it sends left of each value (n,)."""
    part, decisions = parts_of(tree.cuts), tree.decisions
    for node, (start, stop) in enumerate(zip(decisions.start[:-1], decisions.start[1:], strict=True)):
        for d in range(start, stop):
            yield node, d, lambda x, d=d: _psi(tree, part, d, x)


def _psi(tree: CultivatedTree, part: np.ndarray, d: int, x: np.ndarray) -> np.ndarray:
    """Return `kernels.gate.psi` of many values (n,) at once."""
    decisions, (start, stop) = tree.decisions, tree.cuts.start[d : d + 2]
    cuts, below = tree.cuts.value[start:stop], np.append(part[start:stop], 0.0)
    if np.isnan(decisions.threshold[d]):
        is_here = x[:, np.newaxis] == cuts
        at, is_missing = is_here.argmax(axis=1), ~is_here.any(axis=1)
    else:
        at, is_missing = np.searchsorted(cuts, x), np.isnan(x)
    left = 1.0 - below[at] if decisions.reversed[d] else below[at]
    return np.where(is_missing, decisions.missing_left[d], left)

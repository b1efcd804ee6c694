"""The decision surface of a tree over one or two features, and the samples on top.

A `Tree` is constant on boxes, so its surface is sent as the boxes into which the tree cuts the plane: sharp at any
zoom, and smaller than a picture. A `CultivatedTree` is soft: its surface is sent as the
cells of a grid (`espalier.display.boundaries.plane`). The same arguments always give the same bytes.

    {"id": str,                      digest of tree, data and axes; a click sends it back
     "kind": "class" | "number", "target": str, "classes": [{"name", "light", "dark"}, …],
     "axes": [axis] | [axis, axis],  x, and y where there are two features
     "boxes": [x0, x1, y0, y1, answer, …]   five numbers each (three, x0, x1, answer, where there is one axis)
     "answers": [[share per mille, …], …] or [number, …],   prediction of each leaf
     "leaves": [int, …],             the node that gives each answer
     "doubt": [float, …],            impurity of each leaf (regression)
     "range": [float, float],        of the target (regression)
     "held": [["petal length", "4.35"], …]  values of the features that are split on but not shown
     "points": {"row": [int, …], "x": [float | None, …], "y": [… or the target, where there is one axis],
                "leaf": [node, …], "target": [class or number, …], "wrong": [0 | 1, …], "out": [0 | 1, …]},
     "left_out": int,                samples not drawn, past settings.MAX_POINTS
     "truth": [float, …]}            of a simulated sample: the mean of its target along the only axis

A `Tree` of classes also has "rows": [int, …] of each leaf, and where classes tie "ties": [str | None, …].

Points may also have "label": [str, …], and "ringed": [0 | 1, …] with "why": str; "wrong" then gets no rings
(`display.boundaries.plane.ringed`).

    axis = {"feature": int, "name": str, "low": float, "high": float, "names": [str, …] (categories),
            "missing": int}          samples without a value here; their x (or y) is None
            also "meaning": str, of a column of which a person said what it means

A box reaches to the ends of the axis, padded by 4 %; codes of categories stand at 0, 1, … and a box over
categories reaches half a step to either side. "out" marks held-out samples, "wrong" misclassified ones.

For a cultivated tree, and for any tree whose answer is averaged over rows, "boxes", "answers", "leaves" and
"doubt" are replaced by

     "cells": {"shares": packed,     shares of all classes but the first, one grid after the other
               "value": packed,      the mean (regression)
               "spread": packed}     sigma of the prediction, if the model gives one

    axis   = {…, "edges": [float, …], ascending; cell i reaches from edges[i] to edges[i + 1]
              "smooth": bool}        whether to interpolate between the centres of cells
    packed = {"low": float, "high": float, "data": str}   base64 of little-endian uint16, 0 for low and STEPS
                                     (10,000) for high; row by row, the lowest y first, x ascending

and "leaf" of a point is the one with the greatest fraction of it. A surface that is averaged over rows also has

     "averaged": int,                over how many
     "seen": float                   of a `Tree`: the share of the variance of its answers that the plane shows

and no "held".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from espalier import predict
from espalier.data.dataset import Dataset, Feature
from espalier.display.boundaries.plane import (
    Interval,
    Ruler,
    axis_card,
    check_axes,
    coarse,
    drawn_rows,
    ends_of,
    held_words,
    packed,
    points,
    ruler_cards,
    rulers_of,
    tree_average,
    tree_raster,
    typical,
)
from espalier.display.cultivated import node_decisions
from espalier.display.text.trees import class_words
from espalier.display.theme import all_rounded
from espalier.display.tree.cards import categories_going_left, class_colours_card, fingerprint
from espalier.inert import inert
from espalier.kernels.route import goes_left, shares_of_rows
from espalier.learners.pruning import node_losses, prices, said_at_nodes
from espalier.predict import are_tied, leaves_and_shares
from espalier.tree.modules import part_left
from espalier.tree.rules import boxed
from espalier.trees import LEAF, AnyTree, CultivatedTree, Tree, depths, is_leaf, prune_to


class Box(NamedTuple):
    """A region of the plane, one interval per axis, and its leaf."""

    sides: tuple[Interval, ...]
    leaf: int


def surface(
    tree: AnyTree,
    dataset: Dataset,
    axes: Sequence[int],
    held: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> dict[str, Any]:
    """Return the decision surface's data, as the module describes it.

    `axes` are one or two features, `held` (n_features,) the values of all others (nan: missing; by default
    `typical` ones), or (n_rows, n_features) rows with values of their own, over which the answer is averaged;
    `out` (n_samples,) bool the held-out rows, which are drawn hollow.
    Raises ValueError if the axes are not one or two different features.
    """
    tree = boxed(tree, "this surface")
    check_axes(dataset, axes)
    held = typical(dataset) if held is None else held
    dots = points(dataset, axes, lambda X: leaves_and_shares(tree, X), out)
    if isinstance(tree, CultivatedTree):
        return tree_raster(tree, dataset, axes, held) | dots
    if held.ndim == 2:
        return tree_average(tree, dataset, axes, held) | dots
    ends = tuple(ends_of(dataset.features[a], dataset.X[:, a]) for a in axes)
    boxes = boxes_of(tree, dataset.features, axes, ends, held)
    features_in_use = [f for f in np.unique(tree.feature[tree.feature != LEAF]).tolist() if f not in axes]
    return {
        "id": fingerprint(tree, dataset, repr(list(map(int, axes))).encode()),
        "kind": "class" if dataset.is_classification else "number",
        "target": inert(dataset.target.name),
        "classes": class_colours_card(dataset.target),
        "axes": [axis_card(dataset, a, end) for a, end in zip(axes, ends, strict=True)],
        **_answers(tree, dataset, boxes),
        "held": held_words(dataset, features_in_use, held),
        **dots,
    }


# Boxes -----------------------------------------------------------------------------------------------


def boxes_of(
    tree: Tree, features: Sequence[Feature], axes: Sequence[int], ends: Sequence[Interval], held: np.ndarray
) -> list[Box]:
    """Return the boxes into which the tree cuts the plane of `axes`, other features held; they tile `ends`."""
    return [box for box in boxes_of_nodes(tree, features, axes, ends, held) if tree.feature[box.leaf] == LEAF]


def boxes_of_nodes(
    tree: Tree, features: Sequence[Feature], axes: Sequence[int], ends: Sequence[Interval], held: np.ndarray
) -> Iterator[Box]:
    """Yield the boxes of all nodes that there are on the plane: those of a leaf, were the tree cut off there."""
    open_boxes = [Box(tuple(ends), 0)]
    while open_boxes:
        box = open_boxes.pop()
        yield box
        f = int(tree.feature[box.leaf])
        if f == LEAF:
            continue
        if f in axes:
            open_boxes += _cut(tree, features, list(axes).index(f), box)
        else:
            left = goes_left(tree, box.leaf, float(held[f]))
            open_boxes.append(box._replace(leaf=int(tree.left[box.leaf] if left else tree.right[box.leaf])))


def _cut(tree: Tree, features: Sequence[Feature], axis: int, box: Box) -> list[Box]:
    """Return both parts of a box at the split of its node; a set of categories may make several parts per side."""
    node, (low, high) = box.leaf, box.sides[axis]
    n = len(features[tree.feature[node]].categories)
    if n or np.isnan(tree.threshold[node]):
        left, right = _category_runs(tree, node, low, high)
    else:
        t = min(max(float(tree.threshold[node]), low), high)
        left, right = [(low, t)], [(t, high)]
    children = [(side, int(tree.right[node])) for side in right] + [(side, int(tree.left[node])) for side in left]
    return [
        Box((*box.sides[:axis], side, *box.sides[axis + 1 :]), child)
        for side, child in children
        if side[0] < side[1]
    ]


def _category_runs(tree: Tree, node: int, low: float, high: float) -> tuple[list[Interval], list[Interval]]:
    codes = range(round(low + 0.5), round(high + 0.5))
    going = set(categories_going_left(tree, node, codes.stop))
    runs: tuple[list[Interval], list[Interval]] = ([], [])
    for code in codes:
        side = runs[0] if code in going else runs[1]
        if side and side[-1][1] == code - 0.5:
            side[-1] = (side[-1][0], code + 0.5)
        else:
            side.append((code - 0.5, code + 0.5))
    return runs


# JSON ------------------------------------------------------------------------------------------------


def _answers(tree: Tree, dataset: Dataset, boxes: list[Box]) -> dict[str, Any]:
    leaves = sorted({box.leaf for box in boxes})
    place = {leaf: i for i, leaf in enumerate(leaves)}
    card: dict[str, Any] = {"boxes": flat([box._replace(leaf=place[box.leaf]) for box in boxes]), "leaves": leaves}
    if dataset.is_classification:
        value = tree.value[leaves]
        pairs = zip(are_tied(value).tolist(), value, strict=True)
        ties = [class_words(dataset.target, shares) if is_tied else None for is_tied, shares in pairs]
        card |= {"ties": ties} if any(ties) else {}
        card |= {"rows": tree.n_samples[leaves].tolist()}
        return card | {"answers": np.round(1000 * value).astype(int).tolist()}
    return card | {
        "answers": all_rounded(tree.value[leaves, 0]),
        "doubt": all_rounded(tree.impurity[leaves]),
        "range": all_rounded(np.array([dataset.y.min(), dataset.y.max()])),
    }


def flat(boxes: Iterable[Box]) -> list[float]:
    """Return the ends of the boxes' sides, and the number of the leaf after those of each."""
    boxes = list(boxes)
    if not boxes:
        return []
    sides = np.array([box.sides for box in boxes])  # (n_boxes, n_axes, 2)
    ends = [all_rounded(sides[:, axis].ravel()) for axis in range(sides.shape[1])]
    numbers: list[float] = []
    for i, box in enumerate(boxes):
        numbers += [end for axis in ends for end in axis[2 * i : 2 * i + 2]]
        numbers.append(box.leaf)
    return numbers


# Trees that the browser cuts off ---------------------------------------------------------------------


def fold(tree: Tree, dataset: Dataset, axes: Sequence[int], held: np.ndarray) -> dict[str, Any]:
    """Return the surface's part of the fold: of all nodes their boxes, and of the points drawn their leaves.

    Many trees on one page are one tree cut off at different places: CART of depth 3 is CART of depth 9 without the
    levels below. So the browser gets the greatest of them once, with the boxes of all nodes and not of leaves
    alone, and shows the others without asking. The tree graph's part of it is `espalier.display.tree.cards`.

        {"name": str,                    of the slider
         "cards": {…},                   of the greatest tree
         "stop": [number, …],            by node: it is split in the tree of a value if the value is greater
         "prices": [[float, …], …]       where a second slider, "alpha", prunes: from value 1 on, the price per
                                         leaf from which each node that is split in that tree is a leaf
         "boxes": [x0, x1, y0, y1, node, …]   three numbers each where there is one axis; without them the
                                         surface is left to Python
         "average": {                    or, where the answers are averaged over rows,
             "rows": int,                how many
             "reached": [int, …],        how many of them are in each node if splits on an axis send them both ways
             "values": [[float, …], …],  the answer of each node
             "rulers": [{…}, …]},        of the cells along each axis (`display.boundaries.plane.ruler_cards`)
         "soft": {…},                    or, of a cultivated tree, what `soft_fold` describes
         "doubt": [float, …],            impurity of each node (regression)
         "means": [float, …],            answer of each node (regression)
         "leaf": [node, …],              of each point that is drawn
         "scores": [{"lost": [float, …], "of": float}, …]   of held-out rows, then of the others: what each node
                                         gets wrong as a leaf, and what there is to get right (`lost`)
         "numbers": [[value, [str, …]], …]}   or what stands above the tree: from each value on

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
    n_reached = np.round(len(rows) * shares_of_rows(tree, rows, axes)).astype(int)
    values = [list(node) for node in zip(*(all_rounded(output) for output in tree.value.T), strict=True)]
    rulers = ruler_cards(dataset, axes)
    return {"rows": len(rows), "reached": n_reached.tolist(), "values": values, "rulers": rulers}


def prices_by_depth(tree: Tree) -> list[list[float]]:
    """Return for each depth from 1 on the price per leaf from which each split of that tree is pruned."""
    depth, levels = depths(tree), []
    for limit in range(1, tree.depth + 1):
        cut = prune_to(tree, depth < limit)
        levels.append(prices(cut)[~is_leaf(cut)].tolist())
    return levels


def lost(tree: Tree, dataset: Dataset, rows: np.ndarray) -> dict[str, Any]:
    """Return what each node as a leaf gets wrong of these rows, and what there is to get right.

    Of classes the weight of the errors, and of all rows; of numbers the squared errors, and those of the mean.
    """
    y, weight = dataset.y[rows], dataset.weights_of(rows)
    weight = np.ones(len(y)) if weight is None else weight
    each, _ = node_losses(tree, predict.leaves(tree, dataset.X[rows]), y, said_at_nodes(tree), weight)
    mean = float(np.average(y, weights=weight))
    of = weight.sum() if dataset.is_classification else (weight * (y - mean) ** 2).sum()
    return {"lost": each.tolist(), "of": float(of)}


def soft_fold(tree: CultivatedTree, dataset: Dataset, axes: Sequence[int], held: np.ndarray) -> dict[str, Any]:
    """Return what the browser needs for the surfaces of all trees of fewer levels, but for the wrong points.

    What a node sends left is the sum of a part along each axis and of one that the features on no axis decide. So
    these are sent of every node; a tree of fewer levels mixes the values of the nodes at which it ends.

        {"soft": {
            "along": [{"edges": [float, …], "smooth": bool,   cells along each axis, as of other surfaces
                       "nodes": [node, …],                    those that ask for the axis
                       "parts": packed}, …],                  what each sends left in each cell, by the axis alone
            "others": packed,          by row that the answer is averaged over, what each node sends left besides
            "values": [[float, …], …],      the answer of each node
            "wrong": [[value, str], …]}}  from each value of the slider on: "1" for each misclassified point

    `axes` are one or two features, `held` (n_features,) the values of all others, or (n_rows, n_features) rows
    over which the answer is averaged.
    """
    rulers, held = [coarse(ruler) for ruler in rulers_of(dataset, axes, tree)], np.atleast_2d(held)
    along = [np.zeros((tree.n_nodes, len(ruler.at))) for ruler in rulers]
    off_plane = np.zeros((len(held), tree.n_nodes))
    for node in range(tree.n_nodes):
        for d in node_decisions(tree, node):
            f, share = int(tree.decisions.feature[d]), tree.decisions.share[d]
            if f in axes:
                axis = list(axes).index(f)
                along[axis][node] += share * part_left(tree, d, rulers[axis].at)
            else:
                off_plane[:, node] += share * part_left(tree, d, held[:, f])
    values = [list(node) for node in zip(*(all_rounded(output) for output in tree.value.T), strict=True)]
    cards = [_along(ruler, parts) for ruler, parts in zip(rulers, along, strict=True)]
    return {"along": cards, "others": packed(off_plane, 0.0, 1.0), "values": values}


def _along(ruler: Ruler, parts: np.ndarray) -> dict[str, Any]:
    asks = np.flatnonzero(parts.any(axis=1))
    edges = all_rounded(ruler.edges)
    return {"edges": edges, "smooth": ruler.smooth, "nodes": asks.tolist(), "parts": packed(parts[asks], 0.0, 1.0)}

"""The decision surface of a tree over one or two features, and the samples on top.

A `Tree` is constant on boxes, so its surface is sent as the boxes into which the tree cuts the plane: sharp at any
zoom, and smaller than a picture. A `CultivatedTree` is soft: its surface is sent as the
cells of a grid (`espalier.display.boundaries.raster`). The same arguments always give the same bytes.

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
     "left_out": int}                samples not drawn, past settings.MAX_POINTS

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

from espalier.data.dataset import Dataset, Feature
from espalier.display.boundaries.averaged import tree_average
from espalier.display.boundaries.plane import (
    Dots,
    Interval,
    axis_card,
    check_axes,
    ends_of,
    held_words,
    in_unit,
    in_words,
    mark,
    named_value,
    points,
    typical,
)
from espalier.display.boundaries.raster import tree_raster
from espalier.display.scales import all_rounded
from espalier.display.text.answers import class_words
from espalier.display.tree.cards import categories_going_left, coloured, fingerprint
from espalier.inert import inert
from espalier.kernels.route import goes_left
from espalier.predict import leaves_and_shares
from espalier.ties import are_tied
from espalier.tree_checks import boxed
from espalier.trees import LEAF, AnyTree, CultivatedTree, Tree

__all__ = ["boxes_of", "in_unit", "in_words", "mark", "named_value", "surface", "typical"]


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
    dots = Dots(lambda X: leaves_and_shares(tree, X), out)
    if isinstance(tree, CultivatedTree):
        return tree_raster(tree, dataset, axes, held, dots)
    if held.ndim == 2:
        return tree_average(tree, dataset, axes, held, dots)
    ends = tuple(ends_of(dataset.features[a], dataset.X[:, a]) for a in axes)
    boxes = boxes_of(tree, dataset.features, axes, ends, held)
    used = [f for f in np.unique(tree.feature[tree.feature != LEAF]).tolist() if f not in axes]
    return {
        "id": fingerprint(tree, dataset, repr(list(map(int, axes))).encode()),
        "kind": "class" if dataset.is_classification else "number",
        "target": inert(dataset.target.name),
        "classes": coloured(dataset.target),
        "axes": [axis_card(dataset, a, end) for a, end in zip(axes, ends, strict=True)],
        **_answers(tree, dataset, boxes),
        "held": held_words(dataset, used, held),
        **points(dataset, axes, dots),
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
        tied = zip(are_tied(value).tolist(), value, strict=True)
        ties = [class_words(dataset.target, one) if is_tied else None for is_tied, one in tied]
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

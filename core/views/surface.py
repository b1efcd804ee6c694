"""The decision surface of a tree over one or two features: exact boxes, and the samples on top.

A tree is constant on boxes, so the surface is sent as the boxes that the tree really cuts out of the shown
plane: sharp at any zoom, and smaller than a picture. The same arguments always give the same bytes.

    {"id": str,                      digest of tree, data and axes: a click carries it back
     "kind": "class" | "number", "target": str, "classes": [{"name", "light", "dark"}, …],
     "axes": [axis] | [axis, axis],  x, and y where there are two features
     "boxes": [x0, x1, y0, y1, answer, …]   five numbers each (three, x0, x1, answer, where there is one axis)
     "answers": [[share per mille, …], …] or [number, …],   what each leaf says
     "leaves": [int, …],             the node that gives each answer
     "doubt": [float, …],            impurity of each leaf (regression)
     "range": [float, float],        of the target (regression)
     "held": [["petal length", "4.35"], …]  values of the features that are split on but not shown
     "points": {"row": [int, …], "x": [float | None, …], "y": [… or the target, where there is one axis],
                "leaf": [node, …], "target": [class or number, …], "wrong": [0 | 1, …], "out": [0 | 1, …]},
     "left_out": int}                samples not drawn, past settings.MAX_POINTS

    axis = {"feature": int, "name": str, "low": float, "high": float, "names": [str, …] (categories),
            "missing": int}          samples without a value here; their x (or y) is None

A box reaches to the ends of the axis, padded by 4 %; codes of categories stand at 0, 1, … and a box over
categories reaches half a step to either side. "out" marks held-out samples, "wrong" misclassified ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from core.data.dataset import Dataset, Feature
from core.kernels.route import goes_left, leaf_of
from core.settings import MAX_POINTS
from core.trees import LEAF, Tree
from core.views.cards import categories_going_left, coloured, fingerprint, rounded
from core.views.theme import number

PAD = 0.04  # of the data's range, at either end of an axis
Interval = tuple[float, float]


class Box(NamedTuple):
    """A region of the shown plane, one interval per axis, and the leaf that answers for it."""

    sides: tuple[Interval, ...]
    leaf: int


def surface(
    tree: Tree,
    dataset: Dataset,
    axes: Sequence[int],
    held: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> dict[str, Any]:
    """The decision surface's data, as the module describes it.

    `axes` are one or two features, `held` (n_features,) the values of all others (nan: missing; by default
    `typical` ones), `out` (n_samples,) bool the held-out rows, which are drawn hollow.
    Raises ValueError where the axes are not one or two different features.
    """
    if not 1 <= len(axes) <= 2 or len(set(axes)) != len(axes):
        raise ValueError(f"a surface has one or two different features, not {list(axes)}")
    if not all(0 <= a < len(dataset.features) for a in axes):
        raise ValueError(f"axes {list(axes)} name a feature that the data do not have")
    held = typical(dataset) if held is None else held
    out = np.zeros(len(dataset.y), dtype=bool) if out is None else out
    ends = tuple(ends_of(dataset.features[a], dataset.X[:, a]) for a in axes)
    boxes = boxes_of(tree, dataset.features, axes, ends, held)
    return {
        "id": fingerprint(tree, dataset, repr(list(map(int, axes))).encode()),
        "kind": "class" if dataset.is_classification else "number",
        "target": dataset.target.name,
        "classes": coloured(dataset.classes),
        "axes": [_axis(dataset, a, end) for a, end in zip(axes, ends, strict=True)],
        **_answers(tree, dataset, boxes),
        "held": _held(tree, dataset, axes, held),
        **_points(tree, dataset, axes, out),
    }


def mark(dataset: Dataset, axes: Sequence[int], row: int) -> dict[str, Any]:
    """Where a sample stands on the surface of `axes`, for the browser to mark it."""
    x = _values(dataset.X[row, list(axes)])
    spot = {"row": int(row), "x": x[0], "y": x[1] if len(axes) == 2 else None}
    return spot | {"target": _values(np.asarray(dataset.y[[row]], dtype=float))[0]}


def typical(dataset: Dataset) -> np.ndarray:
    """(n_features,) float64: median of numbers and ordered categories, else the most frequent code."""
    values = np.full(len(dataset.features), np.nan)
    for f, feature in enumerate(dataset.features):
        x = dataset.X[:, f]
        x = x[np.isfinite(x)]
        if not len(x):
            continue
        if feature.kind in ("category", "yes/no"):
            values[f] = np.bincount(x.astype(int)).argmax()
        elif feature.kind == "ordered":
            values[f] = np.sort(x)[(len(x) - 1) // 2]  # the lower median: a level that there is
        else:
            values[f] = np.median(x)
    return values


def ends_of(feature: Feature, x: np.ndarray) -> Interval:
    """Both ends of an axis: half a step around categories, else the data's range, padded."""
    if feature.categories:
        return -0.5, len(feature.categories) - 0.5
    known = x[np.isfinite(x)]
    if not len(known):
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    pad = PAD * (high - low) or max(abs(low), 1.0) / 2
    return low - pad, high + pad


# Boxes -----------------------------------------------------------------------------------------------


def boxes_of(
    tree: Tree, features: Sequence[Feature], axes: Sequence[int], ends: Sequence[Interval], held: np.ndarray
) -> list[Box]:
    """Boxes that the tree cuts out of the plane of `axes`, the other features held; they tile `ends`."""
    done, open_boxes = [], [Box(tuple(ends), 0)]
    while open_boxes:
        box = open_boxes.pop()
        f = int(tree.feature[box.leaf])
        if f == LEAF:
            done.append(box)
        elif f in axes:
            open_boxes += _cut(tree, features, list(axes).index(f), box)
        else:
            left = goes_left(tree, box.leaf, float(held[f]))
            open_boxes.append(box._replace(leaf=int(tree.left[box.leaf] if left else tree.right[box.leaf])))
    return done


def _cut(tree: Tree, features: Sequence[Feature], axis: int, box: Box) -> list[Box]:
    """Both parts of a box at the split of its node; a set of categories may give several parts a side."""
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


def _axis(dataset: Dataset, f: int, ends: Interval) -> dict[str, Any]:
    feature, x = dataset.features[f], dataset.X[:, f]
    axis: dict[str, Any] = {"feature": int(f), "name": feature.name}
    axis |= {"low": rounded(ends[0]), "high": rounded(ends[1]), "missing": int(np.isnan(x).sum())}
    return axis | ({"names": list(feature.categories)} if feature.categories else {})


def _answers(tree: Tree, dataset: Dataset, boxes: list[Box]) -> dict[str, Any]:
    leaves = sorted({box.leaf for box in boxes})
    place = {leaf: i for i, leaf in enumerate(leaves)}
    flat: list[float] = []
    for box in boxes:
        flat += [rounded(end) for side in box.sides for end in side]
        flat.append(place[box.leaf])
    card: dict[str, Any] = {"boxes": flat, "leaves": leaves}
    if dataset.is_classification:
        return card | {"answers": np.round(1000 * tree.value[leaves]).astype(int).tolist()}
    return card | {
        "answers": [rounded(float(v)) for v in tree.value[leaves, 0]],
        "doubt": [rounded(float(v)) for v in tree.impurity[leaves]],
        "range": [rounded(float(v)) for v in (dataset.y.min(), dataset.y.max())],
    }


def _held(tree: Tree, dataset: Dataset, axes: Sequence[int], held: np.ndarray) -> list[list[str]]:
    """Names and values of the features that the tree splits on and the surface does not show."""
    used = np.unique(tree.feature[tree.feature != LEAF]).tolist()
    return [
        [dataset.features[f].name, in_words(dataset.features[f], float(held[f]))] for f in used if f not in axes
    ]


def in_words(feature: Feature, value: float, digits: int = 3) -> str:
    """A feature's value as a person writes it, numbers with so many significant digits."""
    if np.isnan(value):
        return "missing"
    if feature.categories and 0 <= value < len(feature.categories):
        return feature.categories[int(value)]
    return number(value, digits)


def _points(tree: Tree, dataset: Dataset, axes: Sequence[int], out: np.ndarray) -> dict[str, Any]:
    rows = drawn_rows(len(dataset.y))
    X, y = dataset.X[rows], dataset.y[rows]
    points: dict[str, Any] = {"row": rows.tolist(), "x": _values(X[:, axes[0]])}
    points["y"] = _values(X[:, axes[1]]) if len(axes) == 2 else None
    leaf = leaf_of(tree, X)
    points["leaf"] = leaf.tolist()
    points["target"] = y.tolist() if dataset.is_classification else _values(y)
    if dataset.is_classification:
        points["wrong"] = (tree.value[leaf].argmax(axis=1) != y).astype(int).tolist()
    points["out"] = out[rows].astype(int).tolist()
    return {"points": points, "left_out": len(dataset.y) - len(rows)}


def drawn_rows(n: int) -> np.ndarray:
    """Rows drawn as points, ascending: all, or MAX_POINTS of them, the same ones each time."""
    if n <= MAX_POINTS:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, MAX_POINTS, replace=False))


def _values(x: np.ndarray) -> list[float | None]:
    return [rounded(v) if np.isfinite(v) else None for v in x.tolist()]

"""How far the answers of two trees are apart everywhere between the least and greatest values of a table.

Every leaf is a box. Wherever a box of A overlaps one of B both answers are constant, so that their distance is an
exact sum over pairs of leaves, without a sample. Numbers are spread evenly between the ends of their column, and
categories count the same; a missing value is nowhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.tree.rules import N_BITS, Bound, leaf_bounds
from espalier.trees import LEAF, Tree


class _Column(NamedTuple):
    """The values of a feature: categories, or the ends of its numbers."""

    feature: int
    n_categories: int
    low: float
    high: float


def distance_over_boxes(a: Tree, b: Tree, X: np.ndarray, n_categories: Sequence[int]) -> float:
    """Return the share of the space of values where two trees predict different classes; of numbers the mean gap.

    The space goes from the least to the greatest value of each column of X (n_samples, n_features), and over all
    of its `n_categories` (n_features,) where that is not 0. nan if a column that a tree asks has no known value.

    >>> from espalier.trees import make_tree
    >>> arrays = [1, -1, -1], [2, -1, -1], [0] * 3, [False] * 3, [2, 1, 1], [2, 1, 1], [[0], [1], [3]], [0] * 3
    >>> one, two = (make_tree([0, -1, -1], [t, math.nan, math.nan], *arrays) for t in (1.0, 2.0))
    >>> distance_over_boxes(one, two, np.array([[0.0], [10.0]]), [0])
    0.2
    """
    used = np.union1d(a.feature[a.feature != LEAF], b.feature[b.feature != LEAF]).tolist()
    columns = [_column(X[:, feature], feature, n_categories[feature]) for feature in used]
    if any(math.isnan(column.low) for column in columns):
        return math.nan
    boxes = [[bounds for _, bounds in leaf_bounds(tree)] for tree in (a, b)]
    shared = np.ones((a.n_leaves, b.n_leaves))
    for column in columns:
        shared *= _overlaps(column, *([_bound(box, column.feature) for box in some] for some in boxes))
    one, two = (tree.value[tree.feature == LEAF] for tree in (a, b))
    if one.shape[1] > 1:
        gap = (one.argmax(axis=1)[:, None] != two.argmax(axis=1)[None, :]).astype(float)
    else:
        gap = np.abs(one - two[:, 0][None, :])
    return float((shared * gap).sum() / shared.sum()) if shared.sum() else math.nan


def _column(values: np.ndarray, feature: int, n_categories: int) -> _Column:
    known = values[~np.isnan(values)]
    ends = (float(known.min()), float(known.max())) if len(known) else (math.nan, math.nan)
    return _Column(feature, n_categories, *ends)


def _bound(bounds: list[Bound], feature: int) -> Bound:
    return next((bound for bound in bounds if bound.feature == feature), Bound(feature))


def _overlaps(column: _Column, ours: list[Bound], theirs: list[Bound]) -> np.ndarray:
    """Return the share of the column's values that each of our bounds has in common with each of theirs."""
    if column.n_categories:
        masks = [
            np.array([[_has(bound, code) for code in range(column.n_categories)] for bound in some], float)
            for some in (ours, theirs)
        ]
        return masks[0] @ masks[1].T / column.n_categories
    low = np.maximum.outer([one.low for one in ours], [two.low for two in theirs])
    high = np.minimum.outer([one.high for one in ours], [two.high for two in theirs])
    width = column.high - column.low
    if not width:
        return ((low < column.low) & (column.low <= high)).astype(float)
    return np.clip(np.minimum(high, column.high) - np.maximum(low, column.low), 0, None) / width


def _has(bound: Bound, code: int) -> bool:
    return bound.low < code <= bound.high and bool(bound.categories >> code & 1) and code < N_BITS

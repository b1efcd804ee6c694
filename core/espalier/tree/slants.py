"""The conditions of a path through an oblique tree: bounds on single features, and on weighted sums of several."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from espalier.oblique import ObliqueTree, terms_of
from espalier.tree.rules import ALL, Bound, narrowed
from espalier.trees import LEAF


class Slant(NamedTuple):
    """The condition ``sum of coefficient * x <= threshold`` of a slanted split, or its opposite."""

    feature: tuple[int, ...]
    coefficient: tuple[float, ...]
    threshold: float
    left: bool  # whether the sum is at most the threshold; else it is above


class Demands(NamedTuple):
    """All conditions of a path: one bound for each feature that is split on alone, and the slants in order."""

    bounds: tuple[Bound, ...] = ()
    slants: tuple[Slant, ...] = ()


def oblique_step(tree: ObliqueTree, node: int, left: bool) -> Bound | Slant:
    """Return the condition under which a sample at `node` goes to its left (right) child.

    A bound admits a missing value where it admits the fill of the feature.
    """
    feature, coefficient = terms_of(tree, node)
    threshold = float(tree.threshold[node])
    if len(feature):
        return Slant(tuple(feature.tolist()), tuple(coefficient.tolist()), threshold, left)
    own = int(tree.feature[node])
    fill, mask = float(tree.fill[own]), int(tree.categories[node])
    if np.isnan(threshold):
        is_left = bool(mask >> int(fill) & 1)
        return Bound(own, categories=mask if left else ALL & ~mask, missing=is_left == left)
    missing = (fill <= threshold) == left
    return Bound(own, high=threshold, missing=missing) if left else Bound(own, low=threshold, missing=missing)


def all_demands(tree: ObliqueTree) -> list[Demands]:
    """Return the conditions to reach each node, in preorder.

    >>> none, one = [-1, -1], [1.0, 1.0]
    >>> from espalier.oblique import make_oblique
    >>> tree = make_oblique(
    ...     [0, *none], [3.0, np.nan, np.nan], [1, *none], [2, *none], [0, 0, 0], [4, 2, 2], [4, 2, 2],
    ...     [[0.5, 0.5], [1, 0], [0, 1]], [0.5, 0, 0], [1.2, 1.8], ([0, 2, 2, 2], [0, 1], one),
    ... )
    >>> all_demands(tree)[1].slants
    (Slant(feature=(0, 1), coefficient=(1.0, 1.0), threshold=3.0, left=True),)
    """
    found = [Demands()] * tree.n_nodes
    for node, left in itertools.product(range(tree.n_nodes), (True, False)):
        if tree.left[node] != LEAF:
            child = int(tree.left[node] if left else tree.right[node])
            found[child] = _joined(found[node], oblique_step(tree, node, left))
    return found


def _joined(demands: Demands, more: Bound | Slant) -> Demands:
    if isinstance(more, Slant):
        return demands._replace(slants=(*demands.slants, more))
    return demands._replace(bounds=tuple(narrowed(list(demands.bounds), more)))

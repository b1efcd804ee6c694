"""The conditions of a path through a tree, with repeated splits on a feature combined.

Rule texts and exports both use these bounds, so that they agree.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from espalier.tree_checks import boxed
from espalier.trees import LEAF, Tree, path_to

N_BITS = 64
ALL = (1 << N_BITS) - 1


class Bound(NamedTuple):
    """The condition of a path on one feature: ``low < x <= high``, and a category out of a set."""

    feature: int
    low: float = -math.inf
    high: float = math.inf
    categories: int = ALL  # bit c set: category c is admitted
    missing: bool = True  # whether a missing value is admitted

    @property
    def is_threshold(self) -> bool:
        """Whether a finite threshold bounds the feature."""
        return math.isfinite(self.low) or math.isfinite(self.high)

    @property
    def is_empty(self) -> bool:
        """Whether no known value is admitted."""
        return not (self.low < self.high and self.categories)


def step(tree: Tree, node: int, left: bool) -> Bound:
    """Return the condition under which a sample at `node` goes to its left (right) child.

    Where surrogate splits decide about a missing value, it is admitted on both sides. They decide about categories
    that the node never saw, too, and those are admitted on neither side.
    """
    boxed(tree, "a rule")
    feature = int(tree.feature[node])
    is_open = tree.surrogates.start[node] < tree.surrogates.start[node + 1]
    missing = bool(is_open) or bool(tree.missing_left[node]) == bool(left)
    if np.isnan(tree.threshold[node]):
        mask = int(tree.categories[node]) if left else ALL & ~int(tree.categories[node])
        seen = int(tree.surrogates.own_seen[node]) if is_open else ALL
        return Bound(feature, categories=mask & seen, missing=missing)
    threshold = float(tree.threshold[node])
    if left:
        return Bound(feature, high=threshold, missing=missing)
    return Bound(feature, low=threshold, missing=missing)


def both(first: Bound, second: Bound) -> Bound:
    """Return the intersection of two bounds on the same feature."""
    return Bound(
        first.feature,
        max(first.low, second.low),
        min(first.high, second.high),
        first.categories & second.categories,
        first.missing and second.missing,
    )


def narrowed(demands: list[Bound], bound: Bound) -> list[Bound]:
    """Return the demands, one per feature, joined with another bound; the given list is not changed."""
    features = [known.feature for known in demands]
    if bound.feature not in features:
        return [*demands, bound]
    at = features.index(bound.feature)
    return [*demands[:at], both(demands[at], bound), *demands[at + 1 :]]


def bounds(tree: Tree, node: int) -> list[Bound]:
    """Return the conditions to reach `node`: one bound per feature split on above it, in order of first use."""
    demands: list[Bound] = []
    for parent, child in itertools.pairwise(path_to(tree, node)):
        demands = narrowed(demands, step(tree, parent, left=child == int(tree.left[parent])))
    return demands


def admitted(bound: Bound, n_categories: int) -> list[int]:
    """Return codes below `n_categories` that the bound admits, ascending."""
    return [c for c in range(n_categories) if bound.low < c <= bound.high and bound.categories >> c & 1]


def all_bounds(tree: Tree) -> Iterator[tuple[int, list[Bound]]]:
    """Yield each node in preorder with its `bounds`, for all nodes in one walk."""
    todo: list[tuple[int, list[Bound]]] = [(0, [])]
    while todo:
        node, demands = todo.pop()
        yield node, demands
        if tree.feature[node] != LEAF:
            for child, left in ((tree.right[node], False), (tree.left[node], True)):
                todo.append((int(child), narrowed(demands, step(tree, node, left))))


def leaf_bounds(tree: Tree) -> list[tuple[int, list[Bound]]]:
    """Return each leaf, from left to right, with its bounds."""
    return [(node, demands) for node, demands in all_bounds(tree) if tree.feature[node] == LEAF]


def admits(bound: Bound, x: np.ndarray) -> np.ndarray:
    """Return which values of the feature (numbers or codes; nan: missing) are admitted, (n_samples,) bool."""
    known = (x > bound.low) & (x <= bound.high)
    if bound.categories != ALL:
        codes = np.where((x >= 0) & (x < N_BITS), x, 0).astype(np.uint64)
        known &= (codes == x) & (np.uint64(bound.categories) >> codes & np.uint64(1) != 0)
    return np.where(np.isnan(x), bound.missing, known)


def admits_value(bound: Bound, value: float) -> bool:
    """Return whether one value of the feature is admitted, as `admits` does of many.

    >>> admits_value(Bound(0, low=1.0), 2.0), admits_value(Bound(0, categories=0b101), 1.0)
    (True, False)
    """
    if math.isnan(value):
        return bound.missing
    if not bound.low < value <= bound.high:
        return False
    is_category = 0 <= value < N_BITS and value == int(value)
    return bound.categories == ALL or (is_category and bool(bound.categories >> int(value) & 1))

"""The conditions of a path through a tree, with repeated splits on a feature combined.

Rule texts and exports both use these bounds, so that they agree.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from espalier.data.columns.exact_text import number_text
from espalier.data.dataset import Feature
from espalier.data.moments import first_day
from espalier.data.rows.conditions import Condition, day_text
from espalier.data.rows.filters import Filter
from espalier.oblique import ObliqueTree, terms_of
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


# ---- the conditions of a path through an oblique tree: bounds on single features, and on weighted sums of several


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


# ---- the way to a node as a filter of rows: the node's samples, in the words of conditions on columns


def filter_of_node(
    tree: Tree, node: int, features: Sequence[Feature], missing: np.ndarray | None = None
) -> Filter:
    """Return the filter that takes the samples of a node, and no others.

    `missing` is (n_features,) bool: the features with missing values, which alone are spoken of; None: any may
    have some. Where surrogate splits decide about these, it takes all samples that they might send here. Raises
    ValueError for a tree whose leaves are no boxes.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> tree = CartClassifier(max_depth=2).fit(iris.X, iris.y).tree_
    >>> filter_of_node(tree, 3, iris.features, np.zeros(4, bool)).words
    'petal length > 2.45 and petal width ≤ 1.75'
    """
    found: list[Condition] = []
    for bound in bounds(tree, node):
        has_gaps = missing is None or bool(missing[bound.feature])
        conditions = _conditions(bound, features[bound.feature])
        found += conditions if has_gaps else [one._replace(missing=False) for one in conditions if one.values]
    return Filter((tuple(found),))


def _conditions(bound: Bound, feature: Feature) -> list[Condition]:
    """Return the conditions that a value meets if the bound admits it."""
    if feature.categories:
        return _of_categories(bound, feature)
    if bound.is_empty:
        return _no_value(bound, feature)
    found = _above(bound, feature) + _at_most(bound, feature)
    return found or ([] if bound.missing else [Condition(feature.name, "out")])


def _no_value(bound: Bound, feature: Feature) -> list[Condition]:
    """Return the conditions of a bound that admits no value, and may not even admit a missing one."""
    missing, known = Condition(feature.name, "in", missing=True), Condition(feature.name, "out")
    return [missing] if bound.missing else [missing, known]


def _above(bound: Bound, feature: Feature) -> list[Condition]:
    if not math.isfinite(bound.low):
        return []
    if feature.is_whole:
        return [Condition(feature.name, "ge", (_written(feature, math.floor(bound.low) + 1.0),), bound.missing)]
    return [Condition(feature.name, "gt", (number_text(bound.low),), bound.missing)]


def _at_most(bound: Bound, feature: Feature) -> list[Condition]:
    if not math.isfinite(bound.high):
        return []
    high = float(math.floor(bound.high)) if feature.is_whole else bound.high
    return [Condition(feature.name, "le", (_written(feature, high),), bound.missing)]


def _written(feature: Feature, number: float) -> str:
    since = first_day(feature.moment)
    return number_text(number) if since is None else day_text(number, since)


def _of_categories(bound: Bound, feature: Feature) -> list[Condition]:
    """Return the condition on a category: the names admitted, or the others, if these are fewer."""
    names = feature.categories
    codes = admitted(bound, len(names))
    others = sorted(set(range(len(names))) - set(codes))
    if not others and bound.missing:
        return []
    if len(others) < len(codes):
        return [Condition(feature.name, "out", tuple(names[c] for c in others), bound.missing)]
    if not codes:
        return _no_value(bound, feature)
    return [Condition(feature.name, "in", tuple(names[c] for c in codes), bound.missing)]

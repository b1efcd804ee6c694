"""The way to a node as a filter of rows: the node's samples, in the words of conditions on columns."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from espalier.data.columns.exact_text import number_text
from espalier.data.dataset import Feature
from espalier.data.moments import first_day
from espalier.data.rows.conditions import Condition, day_text
from espalier.data.rows.filters import Filter
from espalier.tree.rules import Bound, admitted, bounds
from espalier.trees import Tree


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

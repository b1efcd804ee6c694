"""The search over sets of categories at a node: their order, the number of sets, and one against the rest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.tree.impurity import POISSON, SortedTarget, node_impurity, sides, target
from espalier.tree.nodes import ImpurityCurve

MANY_LEVELS = 5  # categories, from which on there may be too many
FEW_ROWS = 10  # rows per category on average, below which a category's share is mostly chance
MEAN = -1  # in place of a class: categories are ordered by their mean


class CategorySearch(NamedTuple):
    """The categories at a node, in the order of their target, and the best split of two kinds.

    Of q categories, 2^(q-1) - 1 sets make different splits. For two classes and squared error the best of them
    is among the q - 1 cuts of the order (Breiman et al. 1984, theorem 4.5; Fisher 1958). For more classes every
    class gives an order; the best cut of these is taken, and a better set may exist, as it may for absolute error.
    """

    codes: np.ndarray  # (q,) int64: categories in the order in which they go left
    level: np.ndarray  # (q,) float64: share of the class, or mean target, of each
    n_samples: np.ndarray  # (q,) int64: samples with each
    ordered_by: int  # class whose share makes the order; MEAN: the mean
    n_orders: int  # that were tried: 1, or the number of classes
    is_exact: bool  # whether the best cut is the best of all sets
    n_left: int  # categories that the best cut of the order sends left; q: it parts known from missing values
    gain: float  # of that cut
    alone: int  # the category that is best split from all others
    gain_alone: float  # of that split

    @property
    def n_sets(self) -> int:
        """Number of different splits into two sets of categories."""
        return 2 ** (len(self.codes) - 1) - 1

    @property
    def n_tried(self) -> int:
        """Number of cuts tried instead, over all orders."""
        return self.n_orders * (len(self.codes) - 1)


def has_many_levels(n_categories: int, n_samples: int) -> bool:
    """Return whether a column has so many categories for its samples that it may win splits by chance.

    The number of sets grows exponentially with the categories, so that a set that suits the samples at hand is
    easily found among them. Here that is `MANY_LEVELS` or more categories with fewer than `FEW_ROWS` samples each,
    on average.

    >>> has_many_levels(30, 200), has_many_levels(30, 2000), has_many_levels(3, 10)
    (True, False, False)
    """
    return n_categories >= MANY_LEVELS and n_samples < FEW_ROWS * n_categories


def category_search(
    dataset: Dataset, rows: np.ndarray, weight: np.ndarray | None, criterion: str, curve: ImpurityCurve
) -> CategorySearch:
    """Return the search behind the curve of a categorical feature over a node's rows (bool or numbers).

    `weight` is (n_samples,) of the whole data set, or None. Raises ValueError for a curve without categories.
    """
    if not len(curve.order):
        raise ValueError("the feature has no order of categories: take the curve of a categorical feature")
    rows = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
    if curve.is_of_known:
        everyone, rows = rows, rows[~np.isnan(dataset.X[rows, curve.feature])]
        share = len(rows) / len(everyone) if weight is None else float(weight[rows].sum() / weight[everyone].sum())
    else:
        share = 1.0
    codes, y = dataset.X[rows, curve.feature], dataset.y[rows]
    node = target(y, None if weight is None else weight[rows], criterion, len(dataset.classes))
    inside = codes[:, None] == curve.order
    n_classes = len(dataset.classes)
    levels = _levels(node, inside, n_classes)
    by = _class_of_order(levels, curve.order) if n_classes else 0
    mean = 0.0 if n_classes or criterion == POISSON else float(y.mean())  # which the node's targets are without
    alone = [_gain_alone(node, one) for one in inside.T]
    return CategorySearch(
        curve.order,
        levels[by] + mean,
        inside.sum(axis=0),
        by if n_classes else MEAN,
        n_classes if n_classes > 2 else 1,
        n_classes <= 2 and criterion != "absolute_error",
        curve.best + 1,
        curve.gain,
        int(curve.order[int(np.argmax(alone))]),
        float(np.max(alone)) * share,
    )


def _levels(node: SortedTarget, inside: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the share of each class, or the mean, of each category, (n_classes or 1, q)."""
    weight = np.maximum(node.weight @ inside, 1e-300)
    return (node.sums if n_classes else node.sums[1:2]) @ inside / weight


def _class_of_order(levels: np.ndarray, order: np.ndarray) -> int:
    """Return the class whose share ascends in this order, the second of two."""
    if len(levels) == 2:
        return 1
    place = np.argsort(order)
    orders = [order[place][np.argsort(one[place], kind="stable")] for one in levels]
    return next((k for k, one in enumerate(orders) if np.array_equal(one, order)), 0)


def _gain_alone(node: SortedTarget, one: np.ndarray) -> float:
    """Return the decrease of impurity if the samples of one category (n,) bool go left and all others right."""
    n_left = int(np.count_nonzero(one))
    if not 0 < n_left < len(one):
        return 0.0
    order = np.argsort(~one, kind="stable")
    return node_impurity(node) - float(sides(node, order, np.array([n_left])).impurity[0])

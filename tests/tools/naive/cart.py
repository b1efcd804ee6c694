"""The obvious versions: slow, short, and written from the definitions alone. Oracles for everything fast."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np


def impurity(y, weight, criterion, n_classes=0):
    """Impurity of a node, per unit of weight; a mean of 0 is no prediction under the Poisson deviance."""
    if criterion == "poisson":
        mean = np.average(y, weights=weight)
        return half_poisson_deviance(y, mean, weight) if mean > 0 else np.inf
    if criterion in ("squared_error", "absolute_error"):
        if criterion == "squared_error":
            return np.average((y - np.average(y, weights=weight)) ** 2, weights=weight)
        return min(np.average(np.abs(y - m), weights=weight) for m in y)
    p = np.array([weight[y == k].sum() for k in range(n_classes)]) / weight.sum()
    if criterion == "gini":
        return 1 - (p**2).sum()
    if criterion == "misclassification":
        return 1 - p.max()
    return -sum(q * math.log2(q) for q in p if q > 0)


def half_poisson_deviance(y, mean, weight):
    """Mean of y ln(y / mean) - (y - mean), over two of the deviance (McCullagh & Nelder 1989, table 2.1)."""
    return np.average([v * math.log(v / mean) - v + mean if v > 0 else mean for v in y], weights=weight)


def cost(left, y, weight, criterion, n_classes=0):
    """Impurity after a split, times weight: of the samples on the left and of those on the right."""
    sides = [side for side in (left, ~left) if side.any()]
    return sum(weight[s].sum() * impurity(y[s], weight[s], criterion, n_classes) for s in sides)


def partitions(x, is_category):
    """Every way (a bool mask: left) in which a split on x may part the samples."""
    missing = np.isnan(x)
    values = np.unique(x[~missing])
    if is_category:
        subsets = (set(c) for n in range(1, len(values)) for c in combinations(values, n))
        parts = [np.isin(x, list(s)) for s in subsets]
    else:
        parts = [x <= v for v in values[:-1]]
    if not missing.any():
        return parts
    return [p for part in parts for p in (part, part | missing)] + ([~missing] if len(values) else [])


def best_cost(X, y, weight, criterion, *, n_classes=0, categorical=(), min_leaf=1, min_weight=0.0):
    """Least cost over all splits of all features that leave so much on both sides; inf where there is none."""
    best = np.inf
    for f in range(X.shape[1]):
        for left in partitions(X[:, f], f in categorical):
            light = min(weight[left].sum(), weight[~left].sum()) < min_weight
            if min(left.sum(), (~left).sum()) >= min_leaf and not light:
                best = min(best, cost(left, y, weight, criterion, n_classes))
    return best


def orders(codes, y, weight, n_classes):
    """Orders of the categories: by the share of class 1, or for more than two classes of each in turn."""
    present = np.unique(codes[~np.isnan(codes)])
    shares = [[weight[(codes == c) & (y == k)].sum() / weight[codes == c].sum() for c in present]
              for k in ([1] if n_classes <= 2 else range(n_classes))]  # fmt: skip
    return [present[np.argsort(share, kind="stable")] for share in shares]


def partitions_in_order(codes, y, weight, n_classes):
    """The ways of parting samples by a category that orders of the categories give."""
    parts = []
    for order in orders(codes, y, weight, n_classes):
        place = np.array([np.nan if np.isnan(c) else order.tolist().index(c) for c in codes])
        parts += partitions(place, False)
    return parts


def gain_and_ratio(left, y, weight, n_classes):
    """Information gain of a split in bits, and the gain over the entropy of the two sides' weights."""
    total = weight.sum()
    before = impurity(y, weight, "entropy", n_classes)
    gain = before - cost(left, y, weight, "entropy", n_classes) / total
    return gain, gain / impurity(left.astype(int), weight, "entropy", 2)


def best_by_ratio(X, y, weight, *, n_classes, categorical=()):
    """{feature: (gain, ratio)} of the features that gain ratio may choose (Quinlan 1993, section 2.2).

    Of each feature the split that gains most, of equal ones the least ratio; of all these the ones that gain the
    average or more.
    """
    best = {}
    for f in range(X.shape[1]):
        column = X[:, f]
        parts = (
            partitions_in_order(column, y, weight, n_classes) if f in categorical else partitions(column, False)
        )
        found = [gain_and_ratio(left, y, weight, n_classes) for left in parts]
        if found:
            most = max(gain for gain, _ in found)
            best[f] = most, min(ratio for gain, ratio in found if gain >= most - 1e-12)
    average = sum(gain for gain, _ in best.values()) / max(len(best), 1)
    return {f: both for f, both in best.items() if both[0] >= average - 1e-12}


def goes_left(tree, node, x):
    """Where a value goes, by the words of the `Tree` record."""
    if math.isnan(x):
        return bool(tree.missing_left[node])
    if not math.isnan(tree.threshold[node]):
        return x <= tree.threshold[node]
    if not 0 <= x < 64:
        return bool(tree.missing_left[node])
    return bool(int(tree.categories[node]) >> int(x) & 1)


def rows_by_node(tree, X):
    """For each node, the rows that reach it, in order."""
    rows = [[] for _ in range(tree.n_nodes)]
    for i, sample in enumerate(X):
        node = 0
        rows[0].append(i)
        while tree.feature[node] >= 0:
            left = goes_left(tree, node, sample[tree.feature[node]])
            node = int(tree.left[node] if left else tree.right[node])
            rows[node].append(i)
    return [np.array(r, dtype=int) for r in rows]


def prediction(y, weight, criterion):
    """What a node predicts: the share of class 1, the weighted mean, or under absolute error the middle median."""
    if criterion != "absolute_error":
        return np.average(y, weights=weight)
    half = weight.sum() / 2
    below = [v for v in y if weight[y <= v].sum() >= half - 1e-9]
    above = [v for v in y if weight[y >= v].sum() >= half - 1e-9]
    return (min(below) + max(above)) / 2


def best_directed_cost(X, y, weight, criterion, direction, *, min_leaf=1):
    """`best_cost` over splits whose sides predict in the direction of their column, where both have values."""
    best, n_classes = np.inf, 2 if criterion in ("gini", "entropy", "misclassification") else 0
    for f in range(X.shape[1]):
        known = ~np.isnan(X[:, f])
        for left in partitions(X[:, f], False):
            sides = [prediction(y[s], weight[s], criterion) for s in (left, ~left)]
            goes = np.array_equal(left, known) or (sides[1] - sides[0]) * direction[f] >= 0
            if goes and min(left.sum(), (~left).sum()) >= min_leaf:
                best = min(best, cost(left, y, weight, criterion, n_classes))
    return best


def partitions_of_one(codes):
    """Every way (a bool mask: left) of parting one category, or the missing values, from all others."""
    missing = np.isnan(codes)
    parts = [codes == c for c in np.unique(codes[~missing])]
    if not missing.any():
        return [p for p in parts if not p.all()]
    return [p for part in parts for p in (part, part | missing) if not p.all()] + ([~missing] if parts else [])

"""The obvious versions: slow, short, and written from the definitions alone. Oracles for everything fast."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np


def impurity(y, weight, criterion, n_classes=0):
    """Impurity of a node, per unit of weight."""
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


def best_cost(X, y, weight, criterion, *, n_classes=0, categorical=(), min_leaf=1):
    """Least cost over all splits of all features; inf where there is none."""
    best = np.inf
    for f in range(X.shape[1]):
        for left in partitions(X[:, f], f in categorical):
            if min(left.sum(), (~left).sum()) >= min_leaf:
                best = min(best, cost(left, y, weight, criterion, n_classes))
    return best


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

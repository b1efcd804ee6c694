"""Surrogate splits by their definition (Breiman et al. 1984, section 5.3): slow, short, for small tables."""

from __future__ import annotations

import numpy as np

from tests.tools.naive import cart as naive

LEAST = 2  # samples on each side of a threshold


def goes_left(tree, node, sample):
    """Where a sample goes, by the words of the `Tree` and `Surrogates` records."""
    pool, (first, stop) = tree.surrogates, tree.surrogates.start[node : node + 2]
    seen = pool.own_seen[node] if first < stop else 2**64 - 1
    tests = [(tree.feature[node], tree.threshold[node], tree.categories[node], seen, False)]
    tests += [tuple(field[at] for field in pool[2:7]) for at in range(first, stop)]
    for feature, threshold, categories, seen, is_reversed in tests:
        value = sample[feature]
        if np.isnan(value):
            continue
        if np.isnan(threshold) and not (0 <= value < 64 and int(seen) >> int(value) & 1):
            continue
        left = value <= threshold if not np.isnan(threshold) else bool(int(categories) >> int(value) & 1)
        return bool(left) != bool(is_reversed)
    return bool(tree.missing_left[node])


def rows_by_node(tree, X):
    """For each node, the rows that reach it, in order."""
    rows = [np.arange(len(X))] + [np.empty(0, int)] * (tree.n_nodes - 1)
    for node in np.flatnonzero(tree.feature >= 0):
        left = np.array([goes_left(tree, node, X[i]) for i in rows[node]], dtype=bool)
        rows[tree.left[node]], rows[tree.right[node]] = rows[node][left], rows[node][~left]
    return rows


def agreements(X, left, weight, own, categorical):
    """[(feature, agreement)] of the best surrogate on each feature but the node's own, the best one first.

    X are the samples of a node whose value of its own feature is known, `left` says which its split sends there.
    Features whose best surrogate does not beat sending all samples to the larger side are left out.
    """
    found = []
    for f in range(X.shape[1]):
        known = ~np.isnan(X[:, f])
        if f == own or not known.any():
            continue
        x, side, w = X[known, f], left[known], weight[known]
        agreement = max((_agreement(part, side, w) for part in _parts(x, side, w, f in categorical)), default=0)
        if agreement > max(w[side].sum(), w[~side].sum()) / w.sum() + 1e-12:
            found.append((f, agreement))
    return sorted(found, key=lambda one: -one[1])


def _parts(x, side, weight, is_category):
    """The ways of parting samples that a surrogate may have."""
    if is_category:
        more = {c: weight[(x == c) & side].sum() > weight[(x == c) & ~side].sum() for c in np.unique(x)}
        return [np.array([more[c] for c in x])]
    parts = [x <= v for v in np.unique(x)[:-1]]
    parts = [part for part in parts if min(part.sum(), (~part).sum()) >= LEAST]
    return parts + [~part for part in parts]


def _agreement(part, side, weight):
    return weight[part == side].sum() / weight.sum()


def best_gain(X, y, weight, criterion, n_classes, categorical):
    """The greatest gain over all features, of each among the samples whose value is known."""
    best = -np.inf
    for f in range(X.shape[1]):
        known = ~np.isnan(X[:, f])
        if known.any():
            one = (X[known][:, [f]], y[known], weight[known], criterion)
            cost = naive.best_cost(*one, n_classes=n_classes, categorical=[0] if f in categorical else [])
            whole = weight[known].sum() * naive.impurity(y[known], weight[known], criterion, n_classes)
            best = max(best, whole - cost)
    return best

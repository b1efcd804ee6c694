"""Rows that lie exactly at a model's thresholds, on either side of them, far from them, and nowhere."""

import numpy as np

from espalier.trees import LEAF


def rows_for(model, n=3_000, missing=True, codes=None, seed=0):
    """Rows (n, n_features): half have a value at a threshold or beside it; `codes` are columns of categories."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, model.n_features_in_))
    rows[rng.random(rows.shape) < 0.1] = 0.0
    cuts = [
        (tree.feature[node], tree.threshold[node])
        for tree in model.forest_.trees
        for node in np.flatnonzero((tree.feature != LEAF) & np.isfinite(tree.threshold))
    ]
    for row in range(n // 2):
        feature, cut = cuts[rng.integers(len(cuts))]
        rows[row, feature] = (cut, np.nextafter(cut, np.inf), np.nextafter(cut, -np.inf))[row % 3]
    for column, n_codes in (codes or {}).items():
        rows[:, column] = rng.integers(0, n_codes, n)
    if missing:
        rows[rng.random(rows.shape) < 0.1] = np.nan
    return rows


def table(n=400, n_codes=7, seed=0):
    """Rows of five columns with gaps, the fourth of codes, one with many zeros; three classes, and a number."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    X[:, 2] = np.where(rng.random(n) < 0.4, 0, X[:, 2])
    X[:, 3] = rng.integers(0, n_codes, n)
    X[:, 4] = np.round(X[:, 4], 1)
    y = (X[:, 0] + X[:, 1] > 0) * 1 + (X[:, 3] % 5 > 2)
    number = np.abs(3 * X[:, 0] + X[:, 3] + 2 * (X[:, 2] == 0)) + 0.1
    with_gaps = X.copy()
    with_gaps[rng.random(X.shape) < 0.1] = np.nan
    return X, with_gaps, y, number

"""How much of a tree's answers a plane of two features shows, and the plane that shows most."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from espalier.kernels.averaging import averages, shares_of_rows
from espalier.predict import shares
from espalier.trees import Tree

MOST_ROWS = 400  # asked, spread evenly over the table
MOST_FEATURES = 6  # whose pairs are tried
NEARLY = 0.05  # of the variance of the answers: a pair that shows so much less than the best is as good


def best_plane(tree: Tree, X: np.ndarray, features: Sequence[int]) -> tuple[int, ...]:
    """Return the two features whose plane shows most of the tree's answers, in the order of the table.

    X is (n_samples, n_features); only the first `MOST_FEATURES` of `features` are tried, those that the tree has
    most use for first. Of pairs that show nearly as much as the best, the first one is returned: it has the splits
    near the root. Fewer than two features are returned as they are.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> tree = CartClassifier(max_depth=3).fit(iris.X, iris.y).tree_
    >>> best_plane(tree, iris.X, [3, 2, 0, 1])
    (2, 3)
    """
    rows = X[np.linspace(0, len(X) - 1, min(len(X), MOST_ROWS)).astype(np.int64)]
    pairs = list(itertools.combinations(features[:MOST_FEATURES], 2))
    if not pairs:
        return tuple(features)
    shown = [share_shown(tree, rows, pair) for pair in pairs]
    chosen = next(pair for pair, share in zip(pairs, shown, strict=True) if share >= max(shown) - NEARLY)
    return tuple(sorted(chosen))


def share_shown(tree: Tree, X: np.ndarray, axes: Sequence[int]) -> float:
    """Return how much of the variance of the tree's answers to the rows of X the plane of `axes` shows.

    1 where the tree's answer averaged over the other features is everywhere its own answer, 0 where it tells no
    more than the mean of all answers; it may be negative. Of classes, the variances of all shares are added up.
    """
    says = shares(tree, X)
    off = says - averages(tree, X, axes, shares_of_rows(tree, X, axes))
    whole = float(np.square(says - says.mean(axis=0)).sum())
    return 1.0 - float(np.square(off).sum()) / whole if whole > 0 else 1.0

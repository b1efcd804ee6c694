"""What each tree of a forest gets to see: redrawn samples, half of them, some of the features."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from espalier.kernels.forest.bootstrap import draw
from espalier.learners.forests.fit_part import asked_by
from espalier.trees import AnyTree


def bootstrap(seed: int, rows: np.ndarray, n: int) -> np.ndarray:
    """(n,) uint8: how often each of n samples is drawn, of `rows` as many as they are, with replacement."""
    counts = np.zeros(n, np.uint8)
    counts[rows] = draw(seed, len(rows))[0]
    return counts


def half_of(seed: int, y: np.ndarray) -> np.ndarray:
    """(n_samples,) bool: the half that a tree grows on, by chance; of each class as near half as may be.

    y are class numbers; an odd sample is grown on.
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    grows = np.zeros(len(y), dtype=bool)
    grows[order[::2]] = True
    return grows


def uses(trees: Iterable[AnyTree], n_features: int) -> np.ndarray:
    """(n_features,) int64: how many of the trees ask about each feature."""
    asked = [asked_by(tree) for tree in trees]
    return np.bincount(np.concatenate([np.empty(0, np.int32), *asked]), minlength=n_features)


def soft_chances(used: np.ndarray) -> np.ndarray:
    """(n_features,): chances to be drawn first, inverse to one more than how many trees use a feature.

    Molhoek (2021), section 4.2.1, makes them inverse to the number of trees; the one more lets features in that
    no tree uses yet, and before the first tree makes all alike.
    """
    chances = 1.0 / (1.0 + used)
    return chances / chances.sum()


def softer_chances(used: np.ndarray) -> np.ndarray:
    """(n_features,): chances to be drawn first, in proportion to how much all other features are used.

    That is the sum of one more than how many trees use a feature, over the others: what the program does from
    which Molhoek's Table 9 comes, github.com/jmolhoek/forests_of_optimal_trees. No feature becomes rare.
    """
    others = (1.0 + used).sum() - (1.0 + used)
    return others / others.sum() if len(used) > 1 else np.ones(len(used))


def subspace(seed: int, chances: np.ndarray, size: int) -> np.ndarray:
    """(size,) features in order, drawn one after the other by their chances (n_features,), none twice."""
    return np.sort(np.random.default_rng(seed).choice(len(chances), size, replace=False, p=chances))

"""Which features act together: what two of them add to answers, beyond what each adds by itself."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from espalier.explanation.shapley import mean_size, shapley_interactions, shapley_values
from espalier.kinds import trees_of
from espalier.trees import Forest, Tree

MOST_FEATURES = 10  # that are looked at: those that add most
MOST_ROWS, LEAST_ROWS = 300, 20
ROUNDING = 1e-12  # of the greatest mean size of a feature: less is nothing
WORK = 150_000_000  # splits that rows go through, about: a second or two


class PairEffects(NamedTuple):
    """What pairs of features add to the answers of some rows."""

    features: np.ndarray  # (n,) int64: those that were looked at, the one that adds most first
    added: np.ndarray  # (n_samples, n, n, n_outputs): by both together; symmetric, 0 on the diagonal

    def pairs(self, output: int) -> list[tuple[int, int]]:
        """Return the pairs that change one output at all, by their places in `features`: the greatest first.

        >>> added = np.zeros((1, 3, 3, 1))
        >>> added[0, 0, 2] = added[0, 2, 0] = -1.0
        >>> PairEffects(np.array([5, 7, 9]), added).pairs(0)
        [(0, 2)]
        """
        size = np.abs(self.added[..., output]).mean(axis=0)
        both = combinations(range(len(self.features)), 2)
        return sorted((pair for pair in both if size[pair] > 0), key=lambda pair: -size[pair])


def rows_in_time(model: Tree | Forest) -> int:
    """Return how many rows a model's pairs can be found for while a person waits: fewer for large forests.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> rows_in_time(CartClassifier(max_depth=2).fit(iris.X, iris.y).tree_)
    300
    """
    n_splits = sum(tree.n_leaves - 1 for tree in trees_of(model))
    return int(np.clip(WORK // max(n_splits * (2 * MOST_FEATURES + 1), 1), LEAST_ROWS, MOST_ROWS))


def pair_effects(model: Tree | Forest, X: np.ndarray, n_jobs: int | None = None) -> PairEffects:
    """Return what the features of a model that add most to the answers for X (n_samples, n_features) add in pairs.

    It is their Shapley interaction value, both halves of it, path dependent, in the units of `shapley_values`.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> found = pair_effects(CartClassifier(max_depth=2).fit(iris.X, iris.y).tree_, iris.X)
    >>> found.features.tolist(), found.pairs(2), float(np.abs(found.added[..., 2]).mean(axis=0)[0, 1].round(3))
    ([2, 3], [(0, 1)], 0.188)
    """
    size = mean_size(shapley_values(model, X, n_jobs=n_jobs)).max(axis=1)
    order = np.argsort(-size, kind="stable")[:MOST_FEATURES]
    features = order[size[order] > 0]
    added = 2 * shapley_interactions(model, X, n_jobs=n_jobs, features=features.tolist()).added
    itself = np.arange(len(features))
    added[:, itself, itself] = 0.0
    added[np.abs(added) <= ROUNDING * size.max(initial=0.0)] = 0.0
    return PairEffects(features, added)

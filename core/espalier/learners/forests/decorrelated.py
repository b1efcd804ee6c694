"""Trees that agree little with earlier ones, chosen among all that are as good (Molhoek 2021, section 4.2.2)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from espalier.learners.forests.voting import voted_by
from espalier.trees import AnyTree


class Earlier:
    """What the trees chosen so far vote for, on the samples X (n_samples, n_features)."""

    def __init__(self, X: np.ndarray, n_classes: int):
        self._X, self._rows = X, np.arange(len(X))
        self._votes = np.zeros((n_classes, len(X)), np.int64)

    def agreement(self, tree: AnyTree) -> float:
        """Sum over the trees so far of the share of samples for which `tree` votes as they do (equation 4)."""
        return float(self._votes[voted_by(tree, self._X), self._rows].sum() / len(self._X))

    def least_alike(self, trees: Iterable[AnyTree]) -> AnyTree:
        """The tree of the least summed agreement, the first of equals, which then is one of the earlier ones."""
        chosen = min(trees, key=self.agreement)
        self._votes[voted_by(chosen, self._X), self._rows] += 1
        return chosen

"""A forest that is asked again and again: by way of its grove at first, by parcels once these pay."""

from __future__ import annotations

from threading import Lock

import numpy as np

from espalier.kernels.forest.packed import PackedForest, none_missing, sum_up
from espalier.kernels.forest.quickscorer import sum_by_region
from espalier.kernels.forest.regions import ForestRegions, make_regions

FEW = 512  # rows, of which parcels have too few each


class _Plan:
    """The parcels of a grove, made when as many rows as it has nodes were asked: that takes about as long."""

    def __init__(self, grove: PackedForest):
        self._grove, self._lock = grove, Lock()
        self._parcels: ForestRegions | None = None
        self._n_asked = 0
        self._is_made = grove.has_categories  # there are none

    def parcels(self, n: int) -> ForestRegions | None:
        """The parcels for n rows more; None: there are none, or not yet."""
        self._n_asked += n
        if self._n_asked > len(self._grove.nodes) and not self._is_made and self._lock.acquire(blocking=False):
            try:
                if not self._is_made:
                    self._parcels = make_regions(self._grove)
                    self._is_made = True
            finally:
                self._lock.release()
        return self._parcels if n >= FEW else None


class ForestPredictor:
    """The trees of a forest, that say together what rows are; the same, to the last bit, in either way."""

    def __init__(self, grove: PackedForest, plan: _Plan | None = None):
        self.grove = grove
        self._plan = plan or _Plan(grove)
        weight = np.repeat(grove.weight, np.add.reduceat((grove.leaf >= 0).astype(np.int64), grove.root))
        self._label = np.ascontiguousarray((grove.value * weight[:, None]).T)

    def saying(self, value: np.ndarray) -> ForestPredictor:
        """The same trees, whose leaves say value (n_leaves, n_outputs), in the order of `PackedForest.value`."""
        return ForestPredictor(self.grove._replace(value=np.ascontiguousarray(value)), self._plan)

    def said(self, X: np.ndarray) -> np.ndarray:
        """(n, n_outputs): the weighted sum of what the trees say of rows X (n, n_features), float64 in C order."""
        out = np.zeros((len(X), len(self._label)))
        parcels = self._plan.parcels(len(X))
        if parcels is not None and none_missing(X):
            sum_by_region(parcels, self._label, X, out)
        else:
            sum_up(self.grove, X, out)
        return out

    def __reduce__(self):
        return ForestPredictor, (self.grove,)

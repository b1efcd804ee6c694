"""Repeated prediction with a forest: packed arrays first, regions of space once they pay."""

from __future__ import annotations

from threading import Lock

import numpy as np

from espalier.kernels.forest.packed import PackedForest, none_missing, sum_up
from espalier.kernels.forest.quickscorer import sum_by_region
from espalier.kernels.forest.regions import ForestRegions, make_regions

FEW = 512  # with fewer rows, regions would have too few each


class _Plan:
    """Makes the regions of a packed forest after as many rows as it has nodes: that takes about as long as they
    did.
    """

    def __init__(self, grove: PackedForest):
        self._grove, self._lock = grove, Lock()
        self._parcels: ForestRegions | None = None
        self._n_asked = 0
        self._is_made = grove.has_categories  # forests with categories have no regions

    def parcels(self, n: int) -> ForestRegions | None:
        """Return the regions for n more rows; None if there are none, or none yet."""
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
    """Forest predictor. Both ways of prediction give bit-identical results."""

    def __init__(self, grove: PackedForest, plan: _Plan | None = None):
        self.grove = grove
        self._plan = plan or _Plan(grove)
        weight = np.repeat(grove.weight, np.add.reduceat((grove.leaf >= 0).astype(np.int64), grove.root))
        self._label = np.ascontiguousarray((grove.value * weight[:, None]).T)

    def saying(self, value: np.ndarray) -> ForestPredictor:
        """Return the predictor with other leaf values (n_leaves, n_outputs), in the order of
        `PackedForest.value`.
        """
        return ForestPredictor(self.grove._replace(value=np.ascontiguousarray(value)), self._plan)

    def said(self, X: np.ndarray) -> np.ndarray:
        """Return the weighted sum of the trees' predictions, (n, n_outputs), of rows X (n, n_features), float64 in
        C order.
        """
        out = np.zeros((len(X), len(self._label)))
        parcels = self._plan.parcels(len(X))
        if parcels is not None and none_missing(X):
            sum_by_region(parcels, self._label, X, out)
        else:
            sum_up(self.grove, X, out)
        return out

    def __reduce__(self):
        return ForestPredictor, (self.grove,)

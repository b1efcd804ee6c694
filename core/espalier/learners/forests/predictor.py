"""Repeated prediction with a forest: packed arrays first, regions of space once they pay."""

from __future__ import annotations

from functools import cached_property
from threading import Lock

import numpy as np

from espalier.kernels.forest.packed import PackedForest, none_missing, short, sum_up
from espalier.kernels.forest.quickscorer import sum_by_region
from espalier.kernels.forest.regions import ForestRegions, make_regions

FEW = 512  # with fewer rows, regions would have too few each


class _Plan:
    """Regions of a packed forest, made after as many rows as it has nodes: by then they pay."""

    def __init__(self, packed: PackedForest):
        self._packed, self._lock = packed, Lock()
        self._regions: ForestRegions | None = None
        self._n_asked = 0
        self._is_made = packed.has_categories  # forests with categories have no regions

    def regions(self, n: int) -> ForestRegions | None:
        """Return the regions for n more rows; None if there are none, or none yet."""
        self._n_asked += n
        if self._n_asked > len(self._packed.nodes) and not self._is_made and self._lock.acquire(blocking=False):
            try:
                if not self._is_made:
                    self._regions = make_regions(self._packed)
                    self._is_made = True
            finally:
                self._lock.release()
        return self._regions if n >= FEW else None


class ForestPredictor:
    """Forest predictor. Both ways of prediction give bit-identical results."""

    def __init__(self, packed: PackedForest, plan: _Plan | None = None):
        self.packed = packed
        self._plan = plan or _Plan(packed)

    def with_values(self, value: np.ndarray) -> ForestPredictor:
        """Return the predictor with other leaf values (n_leaves, n_outputs), as `PackedForest.value` has them."""
        return ForestPredictor(self.packed._replace(value=np.ascontiguousarray(value)), self._plan)

    def sums(self, X: np.ndarray) -> np.ndarray:
        """Return the weighted sums of the trees' predictions, (n, n_outputs).

        Rows X are (n, n_features), float64 in C order.
        """
        out = np.zeros((len(X), self.packed.value.shape[1]))
        regions = self._plan.regions(len(X))
        if regions is not None and none_missing(X):
            sum_by_region(regions, self._label, X, out)
        else:
            sum_up(self.packed, short(X), out)
        return out

    @cached_property
    def _label(self) -> np.ndarray:
        """The value of each leaf times its tree's weight, (n_outputs, n_leaves); only regions need it."""
        leaf = self.packed.leaf
        weight = np.repeat(self.packed.weight, np.add.reduceat(leaf >= 0, self.packed.root, dtype=np.int64))
        return np.ascontiguousarray((self.packed.value * weight[:, None]).T)

    def __reduce__(self):
        return ForestPredictor, (self.packed,)

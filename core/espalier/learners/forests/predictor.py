"""Prediction with a forest: packed arrays for few rows, codes for many, regions of space once they pay."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from threading import Lock

import numpy as np

from espalier.kernels.forest.coded.descent import sum_coded
from espalier.kernels.forest.coded.nodes import CodedForest, LeafVotes, make_coded, votes_of
from espalier.kernels.forest.packed import PackedForest, none_missing, parts_of, short, sum_up
from espalier.kernels.forest.quickscorer import sum_by_region
from espalier.kernels.forest.regions import ForestRegions, make_regions

FEW = 512  # with fewer rows, regions would have too few each
ROWS_PER_NODE = 2  # of a tree: as many rows pay for coding the nodes of all trees


class _Plan:
    """Codes of a packed forest, and its regions, made after as many rows as it has nodes: by then they pay."""

    def __init__(self, packed: PackedForest):
        self._packed, self._lock, self._lock_of_codes = packed, Lock(), Lock()
        self.coded: CodedForest | None = None
        self._is_coded = packed.has_categories  # forests with categories have no codes
        self._regions: ForestRegions | None = None
        self._n_asked = 0
        self._is_made = packed.has_categories  # forests with categories have no regions

    def count(self, n: int) -> None:
        """Count n more rows; where those so far pay for it, code the forest."""
        self._n_asked += n
        nodes_per_tree = len(self._packed.nodes) / len(self._packed.root)
        if not self._is_coded and self._n_asked >= ROWS_PER_NODE * nodes_per_tree:
            with self._lock_of_codes:  # other threads wait, which takes them less time than to go on without
                if not self._is_coded:
                    self.coded = make_coded(self._packed)
                    self._is_coded = True

    def regions(self, n: int) -> ForestRegions | None:
        """Return the regions for n rows, which are counted; None if there are none, or none yet."""
        if self._n_asked > len(self._packed.nodes) and not self._is_made and self._lock.acquire(blocking=False):
            try:
                if not self._is_made:
                    self._regions = make_regions(self._packed)
                    self._is_made = True
            finally:
                self._lock.release()
        return self._regions if n >= FEW else None


class ForestPredictor:
    """Forest predictor. All three ways of prediction give bit-identical results."""

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
        self._plan.count(len(X))
        return self._sums(X)

    def sums_in_parts(self, X: np.ndarray, pool: ThreadPoolExecutor, n_parts: int) -> np.ndarray:
        """Return `sums` of the rows, as many parts of them at a time as the pool has threads."""
        self._plan.count(len(X))
        return np.concatenate(list(pool.map(self._sums, [X[span] for span in parts_of(len(X), n_parts)])))

    def _sums(self, X: np.ndarray) -> np.ndarray:
        out = np.zeros((len(X), self.packed.value.shape[1]))
        regions = self._plan.regions(len(X))
        coded = self._plan.coded if len(X) >= FEW else None
        is_known = (regions is not None or coded is not None) and none_missing(X)
        if regions is not None and is_known:
            sum_by_region(regions, self._label, X, out)
        elif coded is not None and is_known:
            sum_coded(coded, self.packed, self._votes, X, out)
        else:
            sum_up(self.packed, short(X), out)
        return out

    @cached_property
    def _label(self) -> np.ndarray:
        """The value of each leaf times its tree's weight, (n_outputs, n_leaves); only regions need it."""
        leaf = self.packed.leaf
        weight = np.repeat(self.packed.weight, np.add.reduceat(leaf >= 0, self.packed.root, dtype=np.int64))
        return np.ascontiguousarray((self.packed.value * weight[:, None]).T)

    @cached_property
    def _votes(self) -> LeafVotes:
        return votes_of(self.packed)

    def __reduce__(self):
        return ForestPredictor, (self.packed,)

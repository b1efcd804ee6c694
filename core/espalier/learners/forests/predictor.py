"""Prediction with a forest: packed arrays for few rows, codes for many, regions of small trees where they pay."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from threading import Lock
from typing import TypeAlias

import numpy as np

from espalier.kernels.forest.coded import CodedForest, LeafVotes, make_coded, sum_coded, votes_of
from espalier.kernels.forest.packed import PackedForest, none_missing, parts_of, short, sum_up
from espalier.kernels.forest.regions import (
    ForestRegions,
    LeafTable,
    has_few_leaves,
    leaf_table,
    make_regions,
    single_region,
    sum_by_region,
)

FEW = 512  # with fewer rows, regions would have too few each
FEW_FEATURES, FEW_LEAVES = 6, 64  # of a forest of small trees: with more features or fewer leaves it is not cut
ROWS_PER_NODE = 2  # of a tree: as many rows pay for coding the nodes of all trees


# The way of rows through a forest: by regions, by codes alone, or with neither through packed arrays.
_Way: TypeAlias = tuple[CodedForest | None, ForestRegions | None]
_NEITHER: _Way = (None, None)


class _Codes:
    """The way by codes, made after as many rows as pay for it; where all trees are small, by a single region."""

    def __init__(self, packed: PackedForest, for_missing: bool):
        self._packed, self._for_missing, self._lock = packed, for_missing, Lock()
        self._is_made, self._n_asked = packed.has_categories, 0  # forests with categories have no codes
        self._way = _NEITHER

    def way(self, n: int) -> _Way:
        """Count n more rows, and return their way."""
        self._n_asked += n
        nodes_per_tree = len(self._packed.nodes) / len(self._packed.root)
        if not self._is_made and self._n_asked >= ROWS_PER_NODE * nodes_per_tree:
            with self._lock:  # other threads wait, which takes them less time than to go on without
                if not self._is_made:
                    self._way = self._make_way()
                    self._is_made = True
        return self._way

    def _make_way(self) -> _Way:
        codes = make_coded(self._packed, self._for_missing)
        if codes is None or not self._for_missing or not has_few_leaves(self._packed):
            return codes, None
        return codes, single_region(self._packed, codes)


class _Plan:
    """What a packed forest is made into: codes, and regions after as many rows as it has nodes."""

    def __init__(self, packed: PackedForest):
        self._packed, self._lock = packed, Lock()
        self._of_known, self._of_any = _Codes(packed, False), _Codes(packed, True)
        self._is_small = has_few_leaves(packed)
        self._by_region, self._n_asked = _NEITHER, 0
        self._is_cut = packed.has_categories or (self._is_small and not _pays_to_cut(packed))

    def way(self, X: np.ndarray, n_parts: int) -> _Way:
        """Return the way of rows X (n, n_features), which go in so many parts, and are counted."""
        self._n_asked += len(X)
        is_known, are_few = none_missing(X), len(X) < FEW * n_parts
        if is_known and not are_few and self._n_asked > len(self._packed.nodes):
            self._cut()
            if self._by_region[1] is not None:
                return self._by_region
        codes = self._of_known if is_known and not self._is_small else self._of_any
        way = codes.way(len(X))
        return _NEITHER if are_few and way[1] is None else way

    def _cut(self) -> None:
        """Cut the forest into regions, unless that was done, or is being done by another thread."""
        if self._is_cut or not self._lock.acquire(blocking=False):
            return
        try:
            codes = None if self._is_cut else make_coded(self._packed)
            if codes is not None:
                self._by_region = codes, make_regions(self._packed, codes)
            self._is_cut = True
        finally:
            self._lock.release()


class ForestPredictor:
    """Forest predictor. All ways of prediction give bit-identical results."""

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
        return self._sums(X, *self._plan.way(X, 1))

    def sums_in_parts(self, X: np.ndarray, pool: ThreadPoolExecutor, n_parts: int) -> np.ndarray:
        """Return `sums` of the rows, as many parts of them at a time as the pool has threads."""
        way, parts = self._plan.way(X, n_parts), [X[span] for span in parts_of(len(X), n_parts)]
        return np.concatenate(list(pool.map(lambda part: self._sums(part, *way), parts)))

    def _sums(self, X: np.ndarray, coded: CodedForest | None, regions: ForestRegions | None) -> np.ndarray:
        out = np.zeros((len(X), self.packed.value.shape[1]))
        if regions is not None:
            sum_by_region(regions, coded, self._table, X, out)
        elif coded is not None:
            sum_coded(coded, self.packed, self._votes, X, out)
        else:
            sum_up(self.packed, short(X), out)
        return out

    @cached_property
    def _table(self) -> LeafTable:
        return leaf_table(self.packed)

    @cached_property
    def _votes(self) -> LeafVotes:
        return votes_of(self.packed)

    def __reduce__(self):
        return ForestPredictor, (self.packed,)


def _pays_to_cut(packed: PackedForest) -> bool:
    """Return whether a forest of small trees is asked faster by several regions than by one."""
    n_features = len(np.unique(packed.nodes["feature"][packed.leaf < 0]))
    return n_features <= FEW_FEATURES and len(packed.value) > FEW_LEAVES * len(packed.root)

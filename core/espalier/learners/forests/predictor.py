"""Prediction with a forest: packed for few rows, coded for many."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from threading import Lock

import numpy as np

from espalier.kernels.forest.coded import (
    CodedForest,
    LeafTable,
    SmallTrees,
    has_few_leaves,
    labels_of,
    leaf_table,
    make_coded,
    small_trees,
    sum_coded,
    sum_small,
)
from espalier.kernels.forest.packed import PackedForest, none_missing, parts_of, sum_up

ROWS_PER_NODE = 2  # of a tree: as many rows pay for coding the nodes of all trees


class _Codes:
    """A forest's codes for rows with missing values or without, made after as many rows as pay for them."""

    def __init__(self, packed: PackedForest, missing: bool):
        self._packed, self._missing, self._lock = packed, missing, Lock()
        self._is_made, self._n_asked = False, 0
        self._codes: tuple[CodedForest | None, SmallTrees | None] = (None, None)

    def after(self, n: int) -> tuple[CodedForest | None, SmallTrees | None]:
        """Count n more rows, and return the codes and, where trees have few leaves, their splits."""
        self._n_asked += n
        nodes_per_tree = len(self._packed.nodes) / len(self._packed.root)
        if not self._is_made and self._n_asked >= ROWS_PER_NODE * nodes_per_tree:
            with self._lock:  # other threads wait, which takes them less time than to go on without
                if not self._is_made:
                    self._codes = self._make_codes()
                    self._is_made = True
        return self._codes

    def _make_codes(self) -> tuple[CodedForest | None, SmallTrees | None]:
        codes = make_coded(self._packed, self._missing)
        is_small = codes is not None and has_few_leaves(self._packed)
        return codes, small_trees(self._packed, codes) if is_small else None  # type: ignore[arg-type]


class ForestPredictor:
    """Forest predictor. All ways of prediction give bit-identical results."""

    def __init__(self, packed: PackedForest, codes: tuple[_Codes, _Codes] | None = None):
        self.packed = packed
        self._known_codes, self._any_codes = codes or (_Codes(packed, False), _Codes(packed, True))

    def with_values(self, value: np.ndarray) -> ForestPredictor:
        """Return the predictor with other leaf values (n_leaves, n_outputs), as `PackedForest.value` has them."""
        arrays = self.packed._replace(value=np.ascontiguousarray(value))
        return ForestPredictor(arrays, (self._known_codes, self._any_codes))

    def sums(self, X: np.ndarray) -> np.ndarray:
        """Return the weighted sums of the trees' predictions, (n, n_outputs).

        Rows X are (n, n_features), float64 in C order.
        """
        return self._sums(X, *self._codes_for(X))

    def sums_in_parts(self, X: np.ndarray, pool: ThreadPoolExecutor, n_parts: int) -> np.ndarray:
        """Return `sums` of the rows, as many parts of them at a time as the pool has threads."""
        codes, parts = self._codes_for(X), [X[span] for span in parts_of(len(X), n_parts)]
        return np.concatenate(list(pool.map(lambda part: self._sums(part, *codes), parts)))

    def _codes_for(self, X: np.ndarray) -> tuple[CodedForest | None, SmallTrees | None]:
        return (self._known_codes if none_missing(X) else self._any_codes).after(len(X))

    # What the ways gain in processor time, with 100 trees and 100,000 rows of 5 to 60 features: codes over the
    # packed forest 1.3 to 2.7 times for trees without a limit, small trees over other codes 1.4 to 2.9 times at
    # depth 6, and codes for known rows alone 1 to 1.3 times over codes for any. Single precision gained less and
    # is left out. So are regions in which large trees are small: where features are few they took 0.4 to 0.8 of
    # the time, but were made in about what 100,000 rows saved; for most forests they were too many.
    def _sums(self, X: np.ndarray, codes: CodedForest | None, small: SmallTrees | None) -> np.ndarray:
        out = np.zeros((len(X), self.packed.value.shape[1]))
        if codes is None:
            sum_up(self.packed, X, out)
        elif small is None:
            sum_coded(codes, self.packed, self._labels, X, out)
        else:
            sum_small(small, codes, self._table, X, out)
        return out

    @cached_property
    def _table(self) -> LeafTable:
        return leaf_table(self.packed)

    @cached_property
    def _labels(self) -> np.ndarray:
        return labels_of(self.packed)

    def __reduce__(self):
        return ForestPredictor, (self.packed,)

"""A forest of one stump, and the kernels that predict for it by regions."""

from __future__ import annotations

from typing import Any

import numpy as np

from espalier.kernels.forest.coded.descent import sum_coded
from espalier.kernels.forest.coded.nodes import make_coded, votes_of
from espalier.kernels.forest.packed import pack_forest, rows_of
from espalier.kernels.forest.preorder import leaf_table, sum_by_region
from espalier.kernels.forest.regions import make_regions, single_region
from espalier.kernels.stages.table import N, X, stump
from espalier.trees import Forest, make_forest


def small_forest() -> Forest:
    """Return the forest, of two classes."""
    return make_forest((stump(),), [1.0], "mean", [0.5, 0.5])


def run_regions() -> None:
    """Call its prediction by regions, and by codes."""
    packed = pack_forest(small_forest())
    coded: Any = make_coded(packed)
    make_regions(packed, coded)
    sum_coded(coded, packed, votes_of(packed), rows_of(X), np.zeros((N, 2)))
    coded = make_coded(packed, missing=True)
    regions = single_region(packed, coded)
    sum_by_region(regions, coded, leaf_table(packed), rows_of(X), np.zeros((N, 2)))

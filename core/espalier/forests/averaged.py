"""The surface of a forest's answer averaged over rows: `display.boundaries.raster` has that of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from espalier.data.dataset import Dataset
from espalier.display.boundaries.plane import Dots, points
from espalier.display.boundaries.raster import RasterValues, card_of, of_rows, rulers_of, shape_of
from espalier.forests.growth import averages_of_first
from espalier.trees import Forest


def forest_average(
    forest: Forest, dataset: Dataset, axes: Sequence[int], rows: np.ndarray, dots: Dots
) -> dict[str, Any]:
    """Return the surface of a forest averaged over rows (n_rows, n_features), as `surface` describes it.

    The forest is one that `forests.growth.can_average`.
    """
    rulers = rulers_of(dataset, axes)
    (mean,) = averages_of_first(forest, axes, [ruler.at for ruler in rulers], rows, [forest.n_trees])
    field = RasterValues(mean.reshape(*shape_of(rulers), -1), None)
    return card_of(dataset, axes, rulers, field) | of_rows(rows) | points(dataset, axes, dots)

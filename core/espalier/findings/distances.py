"""Distances between rows over their numeric columns, each squashed so that no far value outweighs the others."""

from __future__ import annotations

import numpy as np

from espalier.data.dataset import Dataset

MANY = 20  # different values from which on a number counts as measured


def measured(dataset: Dataset) -> list[int]:
    """Return the numeric features with more than `MANY` different values."""
    found = (f for f, feature in enumerate(dataset.features) if feature.kind == "number")
    return [f for f in found if len(np.unique(dataset.X[:, f])) > MANY]


def squashed(x: np.ndarray) -> np.ndarray:
    """Return numbers (n,) on a scale of about −1.5 to 1.5: the arc tangent of (x − median) / spread; missing is 0.

    The spread is the distance of the quartiles, or where that is 0 the standard deviation.
    """
    known = x[~np.isnan(x)]
    low, middle, high = np.quantile(known, [0.25, 0.5, 0.75]) if len(known) else (0.0, 0.0, 0.0)
    spread = high - low or known.std() or 1.0
    return np.nan_to_num(np.arctan((x - middle) / spread))

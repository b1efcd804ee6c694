"""Plain arrays of numbers, which need none of scikit-learn's checks.

For tables of a few hundred rows these checks take longer than growing a tree.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def is_plain(X: Any, y: Any) -> bool:
    """Return whether X is an array (n_samples, n_features) float64 and y one of as many numbers, all finite."""
    if type(X) is not np.ndarray or type(y) is not np.ndarray or X.ndim != 2 or y.ndim != 1:
        return False
    if X.dtype != np.float64 or y.dtype.kind not in "biuf" or not X.size or len(X) != len(y):
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        return math.isfinite(X.sum()) and (y.dtype.kind != "f" or math.isfinite(y.sum()))

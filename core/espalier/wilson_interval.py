"""The interval of a share of rows (Wilson 1927, "Probable inference, the law of succession")."""

from __future__ import annotations

import numpy as np

Z = 1.959963984540054  # of a 95 % interval


def wilson(share: np.ndarray, n: np.ndarray, z: float = Z) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the interval of a share of n rows, from 0 to 1; arrays of any shape.

    It is that of 95 %, or of the level whose normal quantile is `z`.

    >>> low, high = wilson(np.array([0.3]), np.array([20]))
    >>> low.round(2), high.round(2)
    (array([0.15]), array([0.52]))
    """
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)

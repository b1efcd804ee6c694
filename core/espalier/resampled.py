"""Means over divisions of the same samples into training and test, whose training samples overlap."""

from __future__ import annotations

from typing import Any

import numpy as np


def standard_error(spread: Any, n_divisions: Any, ratio_tested: float) -> Any:
    """Return the standard error of a mean over so many divisions, as spread * sqrt(1 / n + n_test / n_train).

    The spread is the standard deviation over the divisions, the ratio that of test to training samples. The usual
    spread / sqrt(n) is too small, since the divisions share samples (Nadeau & Bengio 2003, "Inference for the
    generalization error"). Numbers or arrays.

    >>> round(float(standard_error(1.0, 10, 0.25)), 3)
    0.592
    """
    return spread * np.sqrt(1 / n_divisions + ratio_tested)

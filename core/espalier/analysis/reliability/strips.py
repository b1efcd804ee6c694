"""Predictions along a feature, with all other values of a sample fixed."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset


class PredictionStrip(NamedTuple):
    """Predictions as one feature of a sample varies over its range and the others stay fixed."""

    feature: int
    values: np.ndarray  # (n,) ascending
    answers: np.ndarray  # (n, n_outputs)


def strip(dataset: Dataset, says: Callable, x: np.ndarray, feature: int, n: int = 60) -> PredictionStrip:
    """Return the strip of a feature; of a number, n even steps over its range, which includes the sample.

    `says` makes predictions (n, n_outputs) of samples (n, n_features).
    """
    names = dataset.features[feature].categories
    if names:
        values = np.arange(float(len(names)))
    else:
        known = np.append(dataset.X[:, feature], x[feature])
        known = known[np.isfinite(known)]
        values = np.linspace(known.min(), known.max(), n) if len(known) else np.empty(0)
    varied = np.tile(x, (len(values), 1))
    varied[:, feature] = values
    return PredictionStrip(feature, values, says(varied) if len(values) else np.empty((0, 1)))

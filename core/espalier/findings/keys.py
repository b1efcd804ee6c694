"""Keys of rows by their content: equal rows have equal keys, and the order of the file does not matter."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from espalier.data.dataset import Dataset

STEP = 0x9E3779B97F4A7C15  # 2^64 divided by the golden ratio
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def row_keys(dataset: Dataset) -> np.ndarray:
    """Return the key of each row, target included, (n_samples,) uint64: the sum of the keys of its cells.

    So the key of a row without one of its cells is a difference.

    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> keys = row_keys(iris)
    >>> len(set(keys.tolist())), len(keys)  # two flowers of iris are alike
    (149, 150)
    """
    keys = cell_keys(dataset, len(dataset.features))
    for column in range(len(dataset.features)):
        keys = keys + cell_keys(dataset, column)
    return keys


def column_keys(dataset: Dataset, columns: Iterable[int]) -> np.ndarray:
    """Return the sum of the keys of each row's cells of some features, as `cell_keys`, (n_samples,) uint64."""
    return sum((cell_keys(dataset, column) for column in columns), np.zeros(len(dataset.y), np.uint64))


def cell_keys(dataset: Dataset, column: int) -> np.ndarray:
    """Return the key of each cell of a feature, or past the last feature of the target, (n_samples,) uint64.

    The bits of each number are mixed as by SplitMix64 (Steele, Lea & Flood 2014).
    """
    values = dataset.y if column == len(dataset.features) else dataset.X[:, column]
    values = np.asarray(values, dtype=np.float64) + 0.0  # −0 is 0
    values = np.where(np.isnan(values), np.nan, values)  # one kind of nan
    mixed = values.view(np.uint64) + np.uint64(STEP * (column + 1) % 2**64)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * FIRST
    mixed = (mixed ^ (mixed >> np.uint64(27))) * SECOND
    return mixed ^ (mixed >> np.uint64(31))

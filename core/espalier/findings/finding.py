"""The record of something about a table that misleads, that of the inspected table, and distances of its rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.progress import Progress

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
    return column_keys(dataset, range(len(dataset.features) + 1))


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
    keys = values.view(np.uint64) + np.uint64(STEP * (column + 1) % 2**64)
    keys = (keys ^ (keys >> np.uint64(30))) * FIRST
    keys = (keys ^ (keys >> np.uint64(27))) * SECOND
    return keys ^ (keys >> np.uint64(31))


ALPHA = 0.001  # chance of a false alarm that each check allows itself, all columns together
PARTS = 100  # of a check, that progress is counted in
COPY, ALONE, ONLY_TRAINING = "copy", "alone", "only-training"
SAME_ROWS, NEAR_ROWS, ALIKE_ROWS = "same-rows", "near-rows", "alike-rows"
ORDER, IDENTIFIER, GROUPS, SERIES = "order", "identifier", "groups", "series"
CONSTANT, DRIFT, PARTS_DIFFER, RARE_CLASS = "constant", "drift", "parts-differ", "rare-class"
SERIOUS = (COPY, ALONE, ONLY_TRAINING, SAME_ROWS, ORDER)  # without which scores would be much lower
KINDS = (*SERIOUS, NEAR_ROWS, ALIKE_ROWS, GROUPS, SERIES, IDENTIFIER, RARE_CLASS, CONSTANT, DRIFT, PARTS_DIFFER)


class Finding(NamedTuple):
    """Something about a table that misleads, with the columns and rows that show it.

    >>> Finding("constant", (2,), (), {"n": 4}).is_serious
    False
    """

    kind: str  # one of `KINDS`
    columns: tuple[int, ...]  # indices of features
    rows: tuple[int, ...]  # indices of samples to look at, side by side; a few of them
    figures: Mapping[str, float]  # numbers by name, those that its sentences say

    @property
    def is_serious(self) -> bool:
        """Whether scores are much too good because of it."""
        return self.kind in SERIOUS


class Inspection(NamedTuple):
    """A table with its held-out rows, and how far the look at it is."""

    dataset: Dataset
    held: np.ndarray  # (n_samples,) bool
    n_folds: int
    progress: Progress

    def steps(self, n: int) -> Iterator[int]:
        """Yield 0 to n − 1 for the parts of a check, until it is asked to stop."""
        before = self.progress.done
        for i in range(n):
            if self.progress.is_stopped:
                return
            yield i
            self.progress.done = before + PARTS * (i + 1) // n

    def features(self) -> Iterator[int]:
        """Yield the index of each feature, until it is asked to stop."""
        return self.steps(len(self.dataset.features))

    @property
    def level(self) -> float:
        """The level of a test of one of the columns (Bonferroni)."""
        return ALPHA / max(len(self.dataset.features), 1)

    @property
    def units(self) -> np.ndarray:
        """What each sample is never parted from, (n_samples,): its group, its time, or itself."""
        roles = self.dataset.roles
        if roles.groups is not None:
            return roles.groups.codes
        return np.arange(len(self.held)) if roles.times is None else roles.times.values

    def one_of_each_unit(self) -> np.ndarray:
        """Return a sample of each unit, (n_units,) indices: they are independent. Their content picks them."""
        order = np.lexsort((row_keys(self.dataset), self.units))
        units = self.units[order]
        return np.sort(order[np.r_[True, units[1:] != units[:-1]]]) if len(order) else order


MANY = 20  # different values from which on a number counts as measured


def measured_features(dataset: Dataset) -> list[int]:
    """Return the numeric features with more than `MANY` different values."""
    numeric = (f for f, feature in enumerate(dataset.features) if feature.kind == "number")
    return [f for f in numeric if len(np.unique(dataset.X[:, f])) > MANY]


def squash(x: np.ndarray) -> np.ndarray:
    """Return numbers (n,) on a scale of about −1.5 to 1.5: the arc tangent of (x − median) / spread; missing is 0.

    The spread is the distance of the quartiles, or where that is 0 the standard deviation.
    """
    finite = x[~np.isnan(x)]
    low, middle, high = np.quantile(finite, [0.25, 0.5, 0.75]) if len(finite) else (0.0, 0.0, 0.0)
    spread = high - low or finite.std() or 1.0
    return np.nan_to_num(np.arctan((x - middle) / spread))

"""The record of something about a table that misleads, and of the table that is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.findings.keys import row_keys
from espalier.progress import Progress

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

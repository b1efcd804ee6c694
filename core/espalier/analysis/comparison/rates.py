"""What is right of each class, and what always giving the same answer would get right on the same rows.

A share of right answers says little where one class has most of the rows: whoever always gives that class is right
nearly as often. What tells then is the share right of each class, and their mean, the balanced accuracy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

GAINED = 0.1  # of the baseline's errors: a model that takes away less is hardly better
SKEWED = 1.2  # times its even share of the rows has the most frequent class of classes that are uneven
MOST_OF_ALL = 0.75  # of the rows in one class: accuracy is no score to begin with


class Rates(NamedTuple):
    """Counts of rows by their class; classes by their codes."""

    n: np.ndarray  # (n_classes,) int64: rows
    right: np.ndarray  # (n_classes,) int64: of these, those whose answer is their class
    answered: np.ndarray  # (n_classes,) int64: how often the class was the answer
    usual: int  # the class that the baseline always answers

    @property
    def n_rows(self) -> int:
        """All rows."""
        return int(self.n.sum())

    @property
    def accuracy(self) -> float:
        """Share of right answers; nan without rows."""
        return float(self.right.sum() / self.n_rows) if self.n_rows else float("nan")

    @property
    def baseline(self) -> float:
        """Share that would be right of the same rows, were the answer always the usual class; nan without rows."""
        return float(self.n[self.usual] / self.n_rows) if self.n_rows else float("nan")

    @property
    def of_class(self) -> np.ndarray:
        """(n_classes,) share right of each class (its recall); nan where it has no row."""
        return np.where(self.n > 0, self.right / np.maximum(self.n, 1), np.nan)

    @property
    def balanced(self) -> float:
        """Balanced accuracy: mean share right of the classes that occur; nan without rows."""
        return float(np.nanmean(self.of_class)) if self.n_rows else float("nan")

    @property
    def never(self) -> list[int]:
        """Classes that have rows and are never the answer."""
        return np.flatnonzero((self.n > 0) & (self.answered == 0)).tolist()

    @property
    def is_hardly_better(self) -> bool:
        """Whether uneven classes let the baseline be right nearly as often."""
        occur = np.count_nonzero(self.n)
        if occur < 2 or self.baseline * occur < SKEWED:
            return False
        return self.accuracy - self.baseline < GAINED * (1 - self.baseline)

    @property
    def is_blind(self) -> bool:
        """Whether the share of right answers hides what is wrong.

        Either it is hardly better than the baseline, or a class is never the answer that has few rows, so that it
        counts little.
        """
        occur = int(np.count_nonzero(self.n))
        overlooked = [k for k in self.never if self.n[k] * occur * SKEWED < self.n_rows]
        return self.is_hardly_better or bool(overlooked)


def rates(y: np.ndarray, answer: np.ndarray, n_classes: int, usual: int | None = None) -> Rates:
    """Of class codes y and answers (n,) each, int64; `usual` is the most frequent class of y unless it is given.

    >>> import numpy as np
    >>> y = np.repeat([0, 1], [90, 10])  # nine of ten are of class 0
    >>> found = rates(y, np.zeros(100, int), 2)  # and that is always the answer
    >>> found.accuracy, found.baseline, found.balanced, found.never
    (0.9, 0.9, 0.5, [1])
    """
    n = np.bincount(y, minlength=n_classes)
    right = np.bincount(y[y == answer], minlength=n_classes)
    usual = int(n.argmax()) if usual is None else usual
    return Rates(n, right, np.bincount(answer, minlength=n_classes), usual)


def is_skewed(y: np.ndarray) -> bool:
    """Whether one class of y (n,) has so many of the rows that accuracy is no score to begin with."""
    is_class = bool(np.issubdtype(y.dtype, np.integer)) and len(y) > 0
    return is_class and int(np.bincount(y).max()) >= MOST_OF_ALL * len(y)


def rarest(y: np.ndarray, n_classes: int) -> int:
    """The class of fewest rows that has any, the last of several: the one that is mostly sought.

    >>> import numpy as np
    >>> rarest(np.array([0, 1, 1, 1]), 2), rarest(np.array([0, 1, 2, 2]), 4)
    (0, 1)
    """
    n = np.bincount(y, minlength=n_classes)
    return int(max(range(n_classes), key=lambda k: (n[k] > 0, -n[k], k)))

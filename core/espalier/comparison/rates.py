"""Recall of each class, beside the result of always predicting the most frequent class.

Accuracy is uninformative if one class has most of the rows: always predicting that class is nearly as good. Then
the recall of each class, and its mean (balanced accuracy), are informative.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.data.weights import class_sizes

GAINED = 0.1  # share of the baseline's errors: a model that removes less is hardly better
SKEWED = 1.2  # uneven classes: the most frequent one has so many times its even share of the rows
MOST_OF_ALL = 0.75  # share of the rows in one class above which accuracy is a poor score from the start


class Rates(NamedTuple):
    """Counts of rows by their class, int64, or their weights, float64; classes by their codes."""

    n: np.ndarray  # (n_classes,) rows
    right: np.ndarray  # (n_classes,) of these, those whose answer is their class
    answered: np.ndarray  # (n_classes,) how often the class was the answer
    usual: int  # the class that the baseline always answers

    @property
    def n_rows(self) -> float:
        """All rows, or their weight."""
        return self.n.sum().item()

    @property
    def accuracy(self) -> float:
        """Share of right answers; nan without rows."""
        return float(self.right.sum() / self.n_rows) if self.n_rows else float("nan")

    @property
    def baseline(self) -> float:
        """Share of the same rows that the usual class would get right; nan without rows."""
        return float(self.n[self.usual] / self.n_rows) if self.n_rows else float("nan")

    @property
    def of_class(self) -> np.ndarray:
        """Recall of each class, (n_classes,); nan without rows."""
        return np.where(self.n > 0, self.right / np.where(self.n > 0, self.n, 1), np.nan)

    @property
    def balanced(self) -> float:
        """Balanced accuracy: mean recall of the classes that occur; nan without rows."""
        return float(np.nanmean(self.of_class)) if self.n_rows else float("nan")

    @property
    def never(self) -> list[int]:
        """Classes that have rows and are never predicted."""
        return np.flatnonzero((self.n > 0) & (self.answered == 0)).tolist()

    @property
    def is_hardly_better(self) -> bool:
        """Whether classes are uneven and the baseline is nearly as good."""
        occur = np.count_nonzero(self.n)
        if occur < 2 or self.baseline * occur < SKEWED:
            return False
        return self.accuracy - self.baseline < GAINED * (1 - self.baseline)

    @property
    def is_blind(self) -> bool:
        """Whether accuracy hides a failure.

        Either the model is hardly better than the baseline, or it never predicts a class that has too few rows to
        affect accuracy.
        """
        occur = int(np.count_nonzero(self.n))
        overlooked = [k for k in self.never if self.n[k] * occur * SKEWED < self.n_rows]
        return self.is_hardly_better or bool(overlooked)


class AgainstTheRest(NamedTuple):
    """Rates of one class against all others together, from 0 to 1; nan where they are shares of no row."""

    sensitivity: float  # of the rows of the class, those whose answer it is: its recall
    specificity: float  # of the other rows, those whose answer is another class
    precision: float  # of the rows whose answer is the class, those that are of it


def against_the_rest(rates: Rates, k: int) -> AgainstTheRest:
    """Return the rates of class k against the rest; of two classes, those of the other swap the first two.

    >>> import numpy as np
    >>> against_the_rest(rates(np.array([1, 1, 0, 0, 0]), np.array([1, 0, 1, 0, 0]), 2), 1)
    AgainstTheRest(sensitivity=0.5, specificity=0.6666666666666666, precision=0.5)
    """
    own, answered, right = (float(counts[k]) for counts in (rates.n, rates.answered, rates.right))
    others = float(rates.n_rows) - own
    return AgainstTheRest(_share(right, own), _share(others - (answered - right), others), _share(right, answered))


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else float("nan")


def rates(
    y: np.ndarray,
    answer: np.ndarray,
    n_classes: int,
    usual: int | None = None,
    weight: np.ndarray | None = None,
) -> Rates:
    """Return the rates for class codes y and answers (n,) each, int64.

    `usual` is the most frequent class by default. Rows count by `weight` (n,), or all the same.

    >>> import numpy as np
    >>> y = np.repeat([0, 1], [90, 10])  # nine of ten are of class 0
    >>> found = rates(y, np.zeros(100, int), 2)  # and that is always the answer
    >>> found.accuracy, found.baseline, found.balanced, found.never
    (0.9, 0.9, 0.5, [1])
    """
    is_right = y == answer
    n = class_sizes(y, n_classes, weight)
    right = class_sizes(y[is_right], n_classes, None if weight is None else weight[is_right])
    usual = int(n.argmax()) if usual is None else usual
    return Rates(n, right, class_sizes(answer, n_classes, weight), usual)


def is_skewed(y: np.ndarray, weight: np.ndarray | None = None) -> bool:
    """Return whether one class of y (n,) has so many rows that accuracy is a poor score from the start."""
    if not np.issubdtype(y.dtype, np.integer) or not len(y):
        return False
    sizes = class_sizes(y, 1, weight)
    return bool(sizes.max() >= MOST_OF_ALL * sizes.sum())

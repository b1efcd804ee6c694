"""Whether answers only rise, or only fall, along a feature: for which share of the rows, with an example."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.explanation.dependence import FeatureCurves

TOLERANCE = 1e-9  # by which answers may differ by rounding


class Reversal(NamedTuple):
    """The greatest change of an answer in one direction, along the curve of one row."""

    row: int  # its place among the rows
    before: float  # the answer
    after: float
    place: int  # of the feature's values, from which on the answer is `after`; the place before it has `before`


class Monotony(NamedTuple):
    """How answers change along a feature, over rows whose other values stay."""

    rising: float  # share of the rows whose answer never falls
    falling: float  # share of the rows whose answer never rises
    fall: Reversal | None  # the greatest fall from one place to the next; None: no answer falls
    rise: Reversal | None

    def kept(self, direction: int) -> float:
        """Return the share of the rows that keep to a direction, 1 for rising and -1 for falling."""
        return self.rising if direction > 0 else self.falling

    def against(self, direction: int) -> Reversal | None:
        """Return the greatest change against a direction; None where all rows keep to it."""
        return self.fall if direction > 0 else self.rise


def monotony(curves: FeatureCurves, output: int) -> Monotony:
    """Return how one output changes along the feature of the curves, which are exact: nothing is missed between.

    >>> answers = np.array([[[0.1], [0.4], [0.3]], [[0.2], [0.2], [0.6]]])
    >>> found = monotony(FeatureCurves(0, np.array([1.0, 2.0]), answers), 0)
    >>> found.rising, found.falling, found.fall
    (0.5, 0.0, Reversal(row=0, before=0.4, after=0.3, place=2))
    """
    answers = curves.answers[:, :, output]
    steps = np.diff(answers, axis=1)
    rising, falling = (steps >= -TOLERANCE).all(axis=1), (steps <= TOLERANCE).all(axis=1)
    return Monotony(float(rising.mean()), float(falling.mean()), _turn(answers, -steps), _turn(answers, steps))


def _turn(answers: np.ndarray, steps: np.ndarray) -> Reversal | None:
    """Return the greatest of the steps (n_rows, n_steps), if any is above rounding."""
    if not steps.size or steps.max() <= TOLERANCE:
        return None
    row, step = np.unravel_index(int(steps.argmax()), steps.shape)
    return Reversal(int(row), float(answers[row, step]), float(answers[row, step + 1]), int(step) + 1)

"""Rows of one number against another, one of which stands apart: after the chapter's examples of bagging.

Unlike the bundled samples they are no tables to grow on: a page draws them, and a person drags them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

LOW, HIGH = 0.0, 10.0  # of both axes
PLACES = 1  # decimal places of a row, so that links are short


class NoisyRows(NamedTuple):
    """Rows about a true curve."""

    x: np.ndarray  # (n_samples,) ascending but for the outlier
    y: np.ndarray  # (n_samples,)
    truth: Callable[[np.ndarray], np.ndarray]
    outlier: int | None  # the row that stands apart, the last one


def wave() -> NoisyRows:
    """Return 40 noisy rows about one period of a sine; none stands apart."""
    rng = np.random.default_rng(5)
    x = np.sort(rng.uniform(LOW, HIGH, 40))
    return _rows(x, _sine(x) + rng.normal(0, 0.9, 40), _sine, None)


def far_and_wrong() -> NoisyRows:
    """Return rows of a line, and one far to their right that is wrong: a row of high leverage."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(LOW, 5, 14))
    return _with(x, _line(x) + rng.normal(0, 0.5, 14), 9.5, 1.5)


def central_and_wrong() -> NoisyRows:
    """Return rows of a line, and one amidst them that is wrong: a row of low leverage."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(LOW, HIGH, 14))
    return _with(x, _line(x) + rng.normal(0, 0.5, 14), 5.0, 9.5)


def far_and_right() -> NoisyRows:
    """Return rows of a line with much noise, and one far to their right that is true."""
    rng = np.random.default_rng(1)
    x = np.sort(rng.uniform(LOW, 4, 14))
    return _with(x, _line(x) + rng.normal(0, 1.0, 14), 9.5, float(_line(np.array(9.5))))


EXAMPLES: dict[str, Callable[[], NoisyRows]] = {
    "wave": wave,
    "far": far_and_wrong,
    "central": central_and_wrong,
    "right": far_and_right,
}


def _sine(x: np.ndarray) -> np.ndarray:
    return 5 + 3 * np.sin(x * 2 * np.pi / HIGH)


def _line(x: np.ndarray) -> np.ndarray:
    return 2 + 0.6 * x


def _with(x: np.ndarray, y: np.ndarray, x_apart: float, y_apart: float) -> NoisyRows:
    return _rows(np.append(x, x_apart), np.append(y, y_apart), _line, len(x))


def _rows(
    x: np.ndarray, y: np.ndarray, truth: Callable[[np.ndarray], np.ndarray], outlier: int | None
) -> NoisyRows:
    return NoisyRows(x.round(PLACES), y.clip(LOW, HIGH).round(PLACES), truth, outlier)

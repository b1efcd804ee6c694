"""Thresholds of libraries that compare float32, for our rule: float64, and left on ``x <= threshold``.

A value is rounded to float32 before it is compared. The greatest double that still rounds to the greatest float32
on the left separates all doubles as the library does: those halfway to the next float32 round to the even one.
"""

from __future__ import annotations

import functools

import numpy as np

from espalier.language import Refusal

BEYOND = 2.0**128  # from halfway between the greatest float32 and here, doubles round to infinity


@functools.cache
def is_sklearn_float32() -> bool:
    """Return whether trees of the installed scikit-learn round values to float32 before they compare them.

    It is asked of a stump, since versions may differ. Raises Refusal if a value at a threshold does not go left.
    """
    from sklearn.tree import DecisionTreeClassifier

    stump = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    state = stump.tree_.__getstate__()
    state["nodes"]["threshold"][0] = 1.0
    stump.tree_.__setstate__(state)
    at, just_above, above = stump.predict(np.array([[1.0], [1.0 + 2.0**-40], [1.5]])).tolist()
    if (at, above) != (0, 1) or state["nodes"]["threshold"].dtype != np.float64:
        raise Refusal("the installed version of scikit-learn compares numbers in a way that is not known here")
    return just_above == 0


def sklearn_thresholds(threshold: np.ndarray) -> np.ndarray:
    """Return for thresholds (n,) of scikit-learn those of ours that send every double the same way."""
    return at_most_as_float32(threshold) if is_sklearn_float32() else np.asarray(threshold, np.float64)


def rounded_down(values: np.ndarray) -> np.ndarray:
    """Return the greatest float32 that is at most each value (n,), as float64; infinities stay.

    >>> rounded_down(np.array([0.5, 0.8]))
    array([0.5       , 0.79999995])
    """
    with np.errstate(over="ignore", under="ignore"):
        nearest = values.astype(np.float32)
        lower = np.nextafter(nearest, np.float32(-np.inf))
    return np.where(nearest > values, lower, nearest).astype(np.float64)


def at_most_as_float32(threshold: np.ndarray) -> np.ndarray:
    """Return the greatest double whose float32 is at most each threshold (n,); nan and inf stay.

    >>> float(at_most_as_float32(np.array([1.0]))[0]) == 1 + 2.0**-24
    True
    """
    last = rounded_down(np.asarray(threshold, np.float64)).astype(np.float32)
    with np.errstate(over="ignore", under="ignore"):
        after = np.nextafter(last, np.float32(np.inf)).astype(np.float64)
    ends = np.clip(last.astype(np.float64), -BEYOND, BEYOND), np.clip(after, -BEYOND, BEYOND)
    middle = (ends[0] + ends[1]) / 2
    is_even = last.view(np.uint32) % 2 == 0
    greatest = np.where(is_even, middle, np.nextafter(middle, -np.inf))
    return np.where(np.isfinite(last) | (last < 0), greatest, last)


def below_as_float32(threshold: np.ndarray) -> np.ndarray:
    """Return the greatest double whose float32 is below each threshold (n,), which is itself a float32.

    >>> float(below_as_float32(np.array([1.0]))[0]) < 1.0
    True
    """
    with np.errstate(over="ignore", under="ignore"):
        return at_most_as_float32(np.nextafter(np.asarray(threshold, np.float32), np.float32(-np.inf)))


def below(threshold: np.ndarray) -> np.ndarray:
    """Return the greatest double below each threshold (n,), for a library that compares doubles by ``<``."""
    return np.nextafter(np.asarray(threshold, np.float64), -np.inf)

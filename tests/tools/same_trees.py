"""Whether two trees are the same, array by array."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest


def arrays_of(record: Any) -> Iterator[np.ndarray]:
    """All arrays of a tree, those of its pools included."""
    for field in record:
        if isinstance(field, tuple):
            yield from arrays_of(field)
        else:
            yield field


def are_same(one: Any, other: Any) -> bool:
    """Whether two trees have the same nodes, to the last bit."""
    pairs = zip(arrays_of(one), arrays_of(other), strict=True)
    return type(one) is type(other) and all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in pairs)


def same_but_for_rounding(one: Any, other: Any) -> None:
    """Fail unless all arrays of two trees are equal within 1e-9."""
    for a, b in zip(arrays_of(one), arrays_of(other), strict=True):
        assert a == pytest.approx(b, rel=1e-9, abs=1e-9, nan_ok=True)

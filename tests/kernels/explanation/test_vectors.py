"""Steps on eight numbers at once: compiled they say what plain Python says."""

from typing import Any

import numba
import numpy as np
import pytest

from espalier.kernels.explanation.vectors import at_most, multiplied_and_added
from espalier.kernels.vectors.simd import load_reals, store_reals

NUMBERS = np.array([0.0, -0.0, 1.5, -2.25, np.inf, -np.inf, np.nan, 1e100])
LIMITS = np.array([0.0, 0.0, 1.5, -2.5, np.inf, 0.0, 0.0, 1e99])


def _at_most(a, b, out):
    store_reals(out, 0, at_most(load_reals(a, 0), load_reals(b, 0)))


def _multiplied_and_added(a, b, out):
    store_reals(out, 0, multiplied_and_added(load_reals(a, 0), load_reals(b, 0), load_reals(b, 0)))


@pytest.mark.parametrize("step", [_at_most, _multiplied_and_added])
def test_the_compiler_says_what_python_says(step):
    plain, compiled = np.empty(8), np.empty(8)
    with np.errstate(invalid="ignore"):
        step(NUMBERS, LIMITS, plain)
    compiler: Any = numba.njit
    compiler(step)(NUMBERS, LIMITS, compiled)
    assert compiled == pytest.approx(plain, nan_ok=True)


def test_a_number_that_is_missing_is_at_most_nothing():
    assert at_most(NUMBERS, LIMITS).tolist() == [1, 1, 1, 0, 1, 1, 0, 0]

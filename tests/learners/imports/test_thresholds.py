"""Thresholds of float32 as thresholds of doubles: by law, at the edges of float32 too."""

import numpy as np
import pytest

from espalier.learners.imports.thresholds import at_most_as_float32, below, below_as_float32

RNG = np.random.default_rng(0)
EDGES = [0.0, -0.0, 1e-45, -1e-45, 2.0**-126, 1e-300, -1e-300, 3.4028234663852886e38, -3.4028234663852886e38]
DOUBLES = np.concatenate(
    [RNG.normal(size=500), RNG.normal(size=500).astype(np.float32), 10.0 ** RNG.uniform(-44, 38, 500), EDGES]
)


def rounded(values):
    with np.errstate(over="ignore", under="ignore"):
        return values.astype(np.float32).astype(np.float64)


def test_the_threshold_is_the_greatest_double_whose_float32_is_at_most_the_librarys():
    ours = at_most_as_float32(DOUBLES)
    assert (rounded(ours) <= DOUBLES).all()
    assert (rounded(np.nextafter(ours, np.inf)) > DOUBLES).all()


def test_the_threshold_is_the_greatest_double_whose_float32_is_below_the_librarys():
    theirs = rounded(DOUBLES)
    ours = below_as_float32(theirs)
    assert (rounded(ours) < theirs).all()
    assert (rounded(np.nextafter(ours, np.inf)) >= theirs).all()


def test_a_value_halfway_between_two_float32_rounds_to_the_even_one():
    one, after = 1.0, float(np.nextafter(np.float32(1), np.float32(2)))
    assert at_most_as_float32(np.array([one]))[0] == (one + after) / 2  # 1 is even
    assert (
        at_most_as_float32(np.array([after]))[0]
        < (after + float(np.nextafter(np.float32(after), np.float32(2)))) / 2
    )


@pytest.mark.parametrize("same", [np.inf, np.nan])
def test_what_parts_known_from_missing_stays(same):
    assert np.array_equal(at_most_as_float32(np.array([same])), [same], equal_nan=True)


def test_doubles_below_a_threshold_are_at_most_the_one_before_it():
    assert below(np.array([0.5]))[0] == np.nextafter(0.5, 0)

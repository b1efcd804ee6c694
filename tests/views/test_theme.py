"""Numbers and shares as people write them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.views.theme import number, percent


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (5123.4, "5123"),
        (-1.5, "−1.5"),
        (0.80001, "0.8"),
        (100_000, "100000"),
        (999_999.6, "1,000,000"),
        (1_558_409.46, "1,558,409"),
        (-2_000_000, "−2,000,000"),
        (1.234e16, "1.23·10¹⁶"),
        (-2e-9, "−2·10⁻⁹"),
        (math.nan, "–"),
        (-math.inf, "−∞"),
    ],
)
def test_a_number_is_written_as_a_person_writes_it(x, expected):
    assert number(x) == expected


def test_more_digits_tell_great_neighbours_apart():
    assert number(1_558_409.25, 9) == "1,558,409.25"
    assert number(1_558_409.75, 9) == "1,558,409.75"


@given(st.floats(1e-4, 1e14), st.integers(3, 9))
def test_what_is_written_reads_back_to_the_digits_asked_for(x, digits):
    assert float(number(x, digits).replace(",", "")) == pytest.approx(x, rel=0.51 * 10 ** (1 - digits))


def test_a_share_is_never_rounded_to_all_or_nothing():
    assert [percent(x) for x in (0, 0.00001, 0.333, 0.99999, 1)] == ["0 %", "<0.1 %", "33.3 %", ">99.9 %", "100 %"]
    assert percent(-0.0) == "0 %"

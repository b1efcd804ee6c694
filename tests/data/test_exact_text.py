"""The one text of a number and of a category's value."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from espalier.data.columns.exact_text import exact_number, number_text, value_text
from espalier.data.columns.kinds import label
from tests.tools.cases import case

FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@given(FLOATS)
def test_the_text_of_a_number_reads_as_the_same_number(number):
    assert float(number_text(number)) == number
    assert exact_number(number_text(number)) == number


@given(FLOATS, FLOATS)
def test_two_numbers_have_one_text_only_if_they_are_equal(one, other):
    assert (number_text(one) == number_text(other)) == (one == other)


@given(st.integers(-(10**20), 10**20))
def test_a_whole_number_has_its_digits_beyond_what_a_float_holds_too(number):
    assert number_text(number) == str(number)
    assert exact_number(str(number)) == number


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_numbers_of_numpy_and_of_python_have_one_text(number):
    assert value_text(np.float32(number)) == value_text(np.float64(number)) == value_text(float(number))
    assert label(number) == value_text(number)


def test_texts_that_no_number_is_written_as_are_words():
    for text in ["01", "1.0", "+1", "1e5", " 1", "1_000", "nan", "inf", "", "x", "-0", "0x10"]:
        with case(text):
            assert exact_number(text) is None


def test_truth_values_have_the_words_of_databases():
    assert [value_text(value) for value in (True, np.bool_(False), 1, "True")] == ["true", "false", "1", "True"]


def test_what_is_not_finite_is_no_category_that_is_a_number():
    assert exact_number(number_text(math.inf)) is None

"""Dates in the form of the full model: a day and the number that stands for it."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from espalier.data.dataset import Feature
from espalier.data.moments import Moment
from pages.shared.questionnaire.full_model import day, number_of

SENT = Feature("sent", is_whole=True, moment=Moment("sent", "date"))


def test_a_day_is_counted_from_its_first_day_on():
    assert number_of(SENT, date(2021, 3, 31)) == 18717
    since = SENT._replace(moment=Moment("sent", "date", since=18262))
    assert number_of(since, date(2020, 1, 2)) == 1
    assert day(since, 1.0) == date(2020, 1, 2)


@given(st.dates())
def test_a_day_comes_back(when):
    assert day(SENT, number_of(SENT, when)) == when


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_has_a_day_that_a_calendar_has(x):
    assert date.min <= day(SENT, x) <= date.max

"""Features made of dates, times of day and durations: what people would work out from such a column by hand."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

MONTHS = ("January", "February", "March", "April", "May", "June", "July")
MONTHS += ("August", "September", "October", "November", "December")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
CYCLES = {"month": MONTHS, "weekday": WEEKDAYS}  # parts that are categories, in the order of the calendar
DATE_PARTS = ("date", "year", "month", "weekday", "day", "hour")
CLOCK, DURATION = "time of day", "duration"
PARTS = (*DATE_PARTS, CLOCK, DURATION)
FORMS = ("ymd", "dmy", "mdy", "dby")  # orders of day, month and year; the last is 01JAN2020
EPOCH = date(1970, 1, 1).toordinal()
DAY, HOUR, MINUTE, SECOND = 86_400, 3_600, 60, 1  # in seconds


class Moment(NamedTuple):
    """How a feature is worked out from a column of dates, times of day or durations.

    A "date" counts its unit (from `since`, in UTC), a "time of day" from midnight. Months and weekdays are
    categories with English names; "year", "day" (of the month) and "hour" are the numbers in the calendar.
    """

    column: str  # its name in the table
    part: str  # one of PARTS
    form: str = "ymd"  # one of FORMS: order of day, month and year in the column, unless the year comes first
    unit: int = DAY  # of a date, a time of day or a duration: seconds that are 1 in the feature
    since: int = 0  # of a date: the day from which it counts, in days since the beginning of 1970


def first_day(moment: Moment | None) -> int | None:
    """Return the day from which a feature counts days, in days since the beginning of 1970; None: it does not."""
    is_day = moment is not None and moment.part == "date" and moment.unit == DAY
    return moment.since if moment is not None and is_day else None


def calendar_day(x: float, since: int = 0) -> date:
    """Return the day so many days after the first one (`first_day`), or the nearest that a calendar has.

    >>> str(calendar_day(18717))
    '2021-03-31'
    """
    last = date.max.toordinal()
    return date.fromordinal(round(min(max(x + since + EPOCH, 1), last)))


def days_until(when: date, since: int = 0) -> float:
    """Return the number of days from the first one until this day.

    >>> days_until(date(2021, 3, 31))
    18717.0
    """
    return float(when.toordinal() - EPOCH - since)


def feature_name(column: str, part: str) -> str:
    """Return the name of the feature: the column's own for the date itself, else with its part.

    >>> feature_name("ordered", "date"), feature_name("ordered", "month")
    ('ordered', 'ordered (month)')
    """
    return f"{column} ({part})" if part in DATE_PARTS[1:] else column

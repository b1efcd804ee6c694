"""Features made of dates, times of day and durations: what people would work out from such a column by hand."""

from __future__ import annotations

from typing import NamedTuple

MONTHS = ("January", "February", "March", "April", "May", "June", "July")
MONTHS += ("August", "September", "October", "November", "December")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
CYCLES = {"month": MONTHS, "weekday": WEEKDAYS}  # parts that are categories, in the order of the calendar
DATE_PARTS = ("date", "year", "month", "weekday", "day", "hour")
CLOCK, DURATION = "time of day", "duration"
PARTS = (*DATE_PARTS, CLOCK, DURATION)
FORMS = ("ymd", "dmy", "mdy")  # orders of day, month and year
DAY, HOUR, MINUTE, SECOND = 86_400, 3_600, 60, 1  # in seconds


class Moment(NamedTuple):
    """How a feature is worked out from a column of dates, times of day or durations.

    A "date" counts its unit (from `since`, in UTC), a "time of day" from midnight. Months and weekdays are
    categories with English names; "year", "day" (of the month) and "hour" are the numbers in the calendar.
    """

    column: str  # its name in the table
    part: str  # one of PARTS
    form: str = "ymd"  # order of day, month and year in the column, unless the year comes first: "dmy" or "mdy"
    unit: int = DAY  # of a date, a time of day or a duration: seconds that are 1 in the feature
    since: int = 0  # of a date: the day from which it counts, in days since the beginning of 1970


def feature_name(column: str, part: str) -> str:
    """Return the name of the feature: the column's own for the date itself, else with its part.

    >>> feature_name("ordered", "date"), feature_name("ordered", "month")
    ('ordered', 'ordered (month)')
    """
    return f"{column} ({part})" if part in DATE_PARTS[1:] else column

"""Dates, times of day and durations of a table as seconds, in the forms in which people write them.

Dates are counted from the beginning of 1970; a time with a zone is turned to UTC, and one without is taken for it.
The patterns are RE2's, which Python and databases read, too: exports use the same ones.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from espalier.data.columns.numbers import pc, trimmed_texts
from espalier.data.options import DATE_PARTS, DAY, HOUR, MINUTE, SECOND

SHORT_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"  # dozens: in English, and in German in two ways
SHORT_MONTHS += " jän feb mär apr mai jun jul aug sep okt nov dez jän feb mrz apr mai jun jul aug sep okt nov dez"
_MONTH_NAMES = "|".join(dict.fromkeys(SHORT_MONTHS.split()))
_MARK = "[-/., ]+"  # between day, month and year
_MONTH = f"(?P<m>[0-9]{{1,2}}|(?:{_MONTH_NAMES})[a-z]*)"
_DAY = "(?P<d>[0-9]{1,2})"
_YEAR = "(?P<y>[0-9]{4}|[0-9]{2})"
_HOUR, _MINUTE, _HALF = "(?P<H>[0-9]{1,2})", "(?P<M>[0-9]{2})", " ?(?P<half>[ap])[.]?m[.]?"
_TIME = f"{_HOUR}:{_MINUTE}(?::(?P<S>[0-9]{{2}}(?:[.,][0-9]{{1,9}})?))?(?:{_HALF})?"
_OFFSET = "(?P<zone>[-+](?:[0-9]{2}(?::?[0-9]{2})?|[0-9](?::[0-9]{2})?))"  # +02:00, GMT+1, GMT+5:30
_ZONE = f"(?: ?(?:z|(?:utc|gmt)?{_OFFSET}|utc|gmt))?"
_AFTER = f"(?:[t, ]+{_TIME}{_ZONE})?$"
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
SHORT_WEEKDAYS = ("mo", "di", "mi", "do", "fr", "sa", "so")  # in German
_WEEKDAY = f"(?:(?:(?:{'|'.join(WEEKDAYS)})[a-z]*|{'|'.join(SHORT_WEEKDAYS)})[., ]+)?"
YEAR_FIRST = f"^(?P<y>[0-9]{{4}})[-/.]{_MONTH}(?:[-/.]{_DAY})?{_AFTER}"  # 2021-03 is the first of March
PATTERNS = {  # of texts in small letters; every form also allows the year first
    "dmy": f"^{_WEEKDAY}{_DAY}{_MARK}{_MONTH}{_MARK}{_YEAR}{_AFTER}",
    "mdy": f"^{_WEEKDAY}{_MONTH}{_MARK}{_DAY}{_MARK}{_YEAR}{_AFTER}",
    # 01JAN2020 and 01JAN20:10:30:00, as SAS and Stata write them
    "dby": f"^{_DAY}(?P<m>{_MONTH_NAMES}){_YEAR}(?:[t,: ]+{_TIME}{_ZONE})?$",
}
MAY_BE_CLOCK = "^[0-9]{1,2}[ .:aphu]"
CLOCK_PATTERNS = (
    f"^{_TIME}$",
    f"^{_HOUR}(?:{_HALF}| ?uhr| ?h)$",  # 7 am, 19 Uhr, 19 h
    f"^{_HOUR}(?: ?(?:h|uhr)[ ]?){_MINUTE}$",  # 7h30, 19 Uhr 30
    f"^{_HOUR}[.]{_MINUTE}(?:{_HALF}| ?uhr)$",
    f"^{_HOUR}:{_MINUTE} ?uhr$",
)
HOURS = "^[0-9]{1,2} ?h$"  # of the clock, or that it takes
_N = "[0-9]+(?:[.,][0-9]+)?"
DURATION_PATTERNS = (  # "PT3H", and "3 days 04:00" or "1h 20m"
    f"^p(?:(?P<w>{_N})w)?(?:(?P<d>{_N})d)?(?:t(?:(?P<h>{_N})h)?(?:(?P<m>{_N})m)?(?:(?P<s>{_N})s)?)?$",
    f"^(?:(?P<w>{_N}) ?(?:weeks?|wks?|wochen?|semaines?|w),? ?)?(?:(?P<d>{_N}) ?(?:days?|tage?|jours?|d),? ?)?"
    f"(?:(?P<h>{_N}) ?(?:hours?|hrs?|stunden?|std[.]?|heures?|h),? ?)?"
    f"(?:(?P<m>{_N}) ?(?:minutes?|minuten|mins?[.]?|m),? ?)?"
    f"(?:(?P<s>{_N}) ?(?:seconds?|secondes?|sekunden?|secs?[.]?|sek[.]?|s))?"
    "(?:(?P<H>[0-9]+):(?P<M>[0-9]{2})(?::(?P<S>[0-9]{2}(?:[.,][0-9]+)?))?)?$",
)
SECONDS = {"w": 7 * DAY, "d": DAY, "h": HOUR, "m": MINUTE, "s": SECOND, "H": HOUR, "M": MINUTE, "S": SECOND}
SURELY_DURATION = "[0-9] ?(?:h|[a-z]{3})|[0-9] s$|[0-9] ?m,? ?[0-9.,]+ ?s|[0-9]:[0-9]|^pt?[0-9]"
CENTURY = 69  # of years of two digits, 69 is 1969 and 68 is 2068, as in POSIX
TRIES = 1_000  # cells on which forms are tried first
FIRST = 200  # of these, on which they are tried one by one
A_YEAR, TWO_WEEKS = 365 * DAY, 14 * DAY  # from these spans on, months and weekdays come back
MOST_UNREAD = 0.05  # share of a column's cells that may be written in another way


class Dates(NamedTuple):
    """A column of dates."""

    seconds: np.ndarray  # (n_rows,) float64 since the beginning of 1970 (UTC); nan where missing
    form: str = "ymd"  # "dmy" or "mdy" where the year does not come first, "dby" if no mark parts 01JAN2020
    rival: str = ""  # the other of the two, if it reads every cell as well, with other days: "03/04/2021"

    @property
    def days(self) -> np.ndarray:
        """Days since the beginning of 1970 (n_rows,)."""
        return self.seconds / DAY


def dates_of(values: Any) -> Dates | None:
    """Return a column of dates, or of texts that are all dates of one form; None for any other.

    Where the day may come before the month or after it, the day comes first, unless some day says otherwise.

    >>> import pandas as pd
    >>> dates_of(pd.Series(["1970-01-02", None, "1971-01-01T12:00"])).days.tolist()
    [1.0, nan, 365.5]
    >>> dates_of(pd.Series(["03/04/2021", "05/06/2021"])).rival
    'mdy'
    """
    dates = most_dates(values)
    return dates if dates is not None and not (np.isnan(dates.seconds) & values.notna().to_numpy()).any() else None


def most_dates(values: Any, form: str = "") -> Dates | None:
    """Return the dates in a column, in this form or the one that reads most cells; other cells are missing.

    None if more than one cell in twenty is no such date.
    """
    if pd.api.types.is_datetime64_any_dtype(values):
        return Dates(seconds_of(values))
    if pd.api.types.is_numeric_dtype(values):
        return None
    texts = lower_texts(values)
    cells = texts.drop_null()
    some = cells.slice(0, TRIES)
    forms = [name for name, pattern in PATTERNS.items() if _may_match(some, (YEAR_FIRST, pattern))]
    if not forms or (form and form not in forms):
        return None
    if len(cells) > TRIES and not _mostly(max(_count(_dates(some, name)) for name in forms), some):
        return None
    first = _matches(texts, YEAR_FIRST)
    if 0 < len(cells) == _count(first):
        return Dates(first)
    read = {name: np.where(np.isnan(first), _matches(texts, PATTERNS[name]), first) for name in forms}
    best = form or max(forms, key=lambda name: _count(read[name]))
    if not _mostly(_count(read[best]), cells):
        return None
    if not form and _count(read[best]) == _count(first):
        return Dates(first)
    other = "mdy" if best == "dmy" else "dmy"
    is_rival = best != "dby" and other in forms and _count(read[other]) >= _count(read[best])
    is_rival = is_rival and not np.array_equal(read[other], read[best], equal_nan=True)
    return Dates(read[best], best, other if is_rival else "")


def usual_parts(read: Dates) -> tuple[str, ...]:
    """Return the parts of dates that become features unless others are chosen.

    The date itself; the month if the dates span a year, the weekday if two weeks, and the hour if they have times.

    >>> usual_parts(Dates(np.array([0.0, 20.0 * DAY])))
    ('date', 'weekday')
    """
    times = read.seconds[~np.isnan(read.seconds)]
    span = float(np.ptp(times)) if len(times) else 0.0
    is_usual = {
        "date": True,
        "month": span >= A_YEAR,
        "weekday": span >= TWO_WEEKS,
        "hour": bool((times % DAY != 0).any()),
    }
    return tuple(part for part in DATE_PARTS if is_usual.get(part))


def clock_of(values: Any) -> np.ndarray | None:
    """Return times of day as seconds since midnight (n_rows,), nan where missing; None if most cells are none.

    >>> clock_of(pd.Series(["14:35", "2:35 pm", "7 am", "19 Uhr", "7h30", None])).tolist()
    [52500.0, 52500.0, 25200.0, 68400.0, 27000.0, nan]
    """
    return _if_mostly(lower_texts(values), _clock, CLOCK_PATTERNS)


def are_hours(values: Any) -> bool:
    """Return whether all cells are whole hours that may be a time of day as well as a duration: "2h"."""
    cells = lower_texts(values).drop_null()
    return bool(pc.all(pc.match_substring_regex(cells, HOURS)).as_py())


def durations_of(values: Any) -> np.ndarray | None:
    """Return durations in seconds (n_rows,), nan where missing; None if most cells are none.

    >>> durations_of(pd.Series(["3 days 04:00", "PT3H", "1h 20m"])).tolist()
    [273600.0, 10800.0, 4800.0]
    """
    return _if_mostly(lower_texts(values), _durations, DURATION_PATTERNS)


def are_surely_durations(values: Any) -> bool:
    """Return whether cells of a column that can be durations are nothing else: "5 m" may be a length."""
    cells = lower_texts(values).drop_null().slice(0, TRIES)
    return bool(pc.any(pc.match_substring_regex(cells, SURELY_DURATION)).as_py())


def unit_of(seconds: np.ndarray, units: tuple[int, ...]) -> int:
    """Return the greatest of the units, descending, of which all known values are multiples; else the last."""
    times = seconds[~np.isnan(seconds)]
    return next((unit for unit in units if (times % unit == 0).all()), units[-1])


def seconds_of(moments: Any) -> np.ndarray:
    """Return a column of pandas' own times in seconds since the beginning of 1970 (n_rows,); nan where missing."""
    if getattr(moments.dtype, "tz", None) is not None:
        moments = moments.dt.tz_convert(None)
    micros = moments.to_numpy("datetime64[us]")
    return np.where(np.isnat(micros), np.nan, micros.astype("int64") / 1e6)


def lower_texts(values: Any) -> pa.Array:
    """Return the cells of a column as texts in small letters, without blanks around them."""
    return pc.utf8_lower(trimmed_texts(values))


def _count(seconds: np.ndarray) -> int:
    return int((~np.isnan(seconds)).sum())


def _mostly(n: int, cells: pa.Array) -> bool:
    """Return whether so many of the cells are enough to take the others for mistakes."""
    return n > 0 and n >= (1 - MOST_UNREAD) * len(cells)


def _may_match(cells: pa.Array, patterns: tuple[str, ...]) -> bool:
    """Return whether the first cells leave it open that most match a pattern; to set one up takes Arrow long."""
    regexes = [_compile_pattern(pattern) for pattern in patterns]
    misses = 0
    for text in cells.slice(0, FIRST).to_pylist():
        misses += not any(pattern.match(text) for pattern in regexes)
        if not _mostly(len(cells) - misses, cells):
            return False
    return len(cells) > 0


@functools.cache
def _compile_pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _if_mostly(
    texts: pa.Array, read: Callable[[pa.Array], np.ndarray], patterns: tuple[str, ...]
) -> np.ndarray | None:
    cells = texts.drop_null()
    some = cells.slice(0, TRIES)
    if not _may_match(some, patterns):
        return None
    if not _mostly(_count(read(some)), some):
        return None
    seconds = read(texts)
    return seconds if _mostly(_count(seconds), cells) else None


def _dates(texts: pa.Array, form: str) -> np.ndarray:
    first = _matches(texts, YEAR_FIRST)
    return np.where(np.isnan(first), _matches(texts, PATTERNS[form]), first)


def _matches(texts: pa.Array, pattern: str) -> np.ndarray:
    """Return the seconds of texts that match a pattern of dates (n,); nan for others and for days that are not."""
    fields = _fields(texts, pattern)
    year, day = _number(fields["y"]), _number(fields["d"])
    short = pc.fill_null(pc.equal(pc.utf8_length(fields["y"]), 2), False).to_numpy(zero_copy_only=False)
    year += short * np.where(year < CENTURY, 2000, 1900)
    day[np.isnan(day) & ~np.isnan(year)] = 1
    month = _month(fields["m"])
    is_there = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1)
    months = (np.where(is_there, 12 * (year - 1970) + month - 1, 0)).astype("int64").astype("M8[M]")
    days = months.astype("M8[D]") + np.where(is_there, day - 1, 0).astype("int64").astype("m8[D]")
    is_there &= days.astype("M8[M]") == months
    time = np.where(np.isnan(_number(fields["H"])), 0.0, _time(fields))
    return np.where(is_there, days.astype("int64") * float(DAY) + time - _zone(fields["zone"]), np.nan)


def _fields(texts: pa.Array, pattern: str) -> dict[str, pa.Array]:
    """Return the groups of a pattern in each text: missing where it does not match, or the group is not there."""
    groups = pc.extract_regex(texts, pattern)
    return {field.name: _or_null(pc.struct_field(groups, field.name)) for field in groups.type}


def _or_null(cells: pa.Array) -> pa.Array:
    return pc.if_else(pc.equal(cells, ""), pa.scalar(None, pa.string()), cells)


def _number(cells: pa.Array) -> np.ndarray:
    numbers = pc.cast(pc.replace_substring(cells, ",", "."), pa.float64())
    return numbers.to_numpy(zero_copy_only=False).astype(np.float64, copy=True)


def _month(cells: pa.Array) -> np.ndarray:
    """Return the numbers of months, also of those with a name."""
    places = pc.index_in(pc.utf8_slice_codeunits(cells, 0, 3), pa.array(SHORT_MONTHS.split()))
    numbers = pc.if_else(pc.match_substring_regex(cells, "^[0-9]"), cells, pa.scalar(None, pa.string()))
    names = pc.cast(places, pa.float64()).to_numpy(zero_copy_only=False) % 12 + 1
    plain = _number(numbers)
    return np.where(np.isnan(plain), names, plain)


def _time(fields: dict[str, pa.Array]) -> np.ndarray:
    """Return the seconds of a time of day; nan for one that no clock shows."""
    hour, minute, second = (_number(fields[name]) for name in "HMS")
    minute[np.isnan(minute) & ~np.isnan(hour)] = 0  # "7 am"
    half = fields["half"].to_numpy(zero_copy_only=False)
    is_half = (half == "a") | (half == "p")
    fits = (hour <= np.where(is_half, 12, 23)) & (minute <= 59) & ~(second >= 60) & ~(is_half & (hour < 1))
    hour = np.where(is_half, hour % 12 + 12 * (half == "p"), hour)
    return np.where(fits, hour * HOUR + minute * MINUTE + np.where(np.isnan(second), 0, second), np.nan)


def _zone(cells: pa.Array) -> np.ndarray:
    """Return the seconds by which times of a zone are ahead of UTC; 0 without a zone."""
    cells = pc.replace_substring_regex(cells, "^([-+])([0-9](:|$))", r"\10\2")
    digits = pc.replace_substring(cells, ":", "")
    hours, minutes = (_number(_or_null(pc.utf8_slice_codeunits(digits, *ends))) for ends in ((1, 3), (3, 5)))
    sign = np.where(pc.fill_null(pc.starts_with(digits, "-"), False).to_numpy(zero_copy_only=False), -1, 1)
    return sign * (np.nan_to_num(hours) * HOUR + np.nan_to_num(minutes) * MINUTE)


def _clock(texts: pa.Array) -> np.ndarray:
    seconds = np.full(len(texts), np.nan)
    if not pc.any(pc.match_substring_regex(texts, MAY_BE_CLOCK)).as_py():  # as in most columns of words
        return seconds
    for pattern in CLOCK_PATTERNS:
        fields = _fields(texts, pattern)
        nothing = pa.nulls(len(texts), pa.string())
        time = _time({name: fields.get(name, nothing) for name in ("H", "M", "S", "half")})
        seconds = np.where(np.isnan(time), seconds, time)
    return seconds


def _durations(texts: pa.Array) -> np.ndarray:
    total = np.full(len(texts), np.nan)
    for pattern in DURATION_PATTERNS:
        for name, cells in _fields(texts, pattern).items():
            amount = _number(cells) * SECONDS[name]
            total = np.where(np.isnan(amount), total, np.nan_to_num(total) + amount)
    return total

"""Dates and times of a table as numbers: days since the beginning of 1970 (UTC)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

DAY = np.timedelta64(1, "D")
SHOWN = 1_000  # different cells on which forms are tried first
CLOCKS = ("", " %H:%M", " %H:%M:%S", "T%H:%M", "T%H:%M:%S")
SEPARATORS = ("/", ".", "-")
BY_DAY = tuple(f"%d{mark}%m{mark}%{year}" for mark in SEPARATORS for year in "Yy")
BY_MONTH = tuple(f"%m{mark}%d{mark}%{year}" for mark in SEPARATORS for year in "Yy")
NAMED = ("%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%d-%b-%y", "%d. %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y")
ISO = "ISO8601"


class Dates(NamedTuple):
    """A column of dates."""

    days: np.ndarray  # (n_rows,) float64 days since the beginning of 1970; nan where missing
    form: str  # in which they are written, as `strftime` has it; "ISO8601"; empty: the file has dates itself
    rival: str = ""  # another form in which all could be read, with other days: "03/04/2021"


def dates_of(values: Any) -> Dates | None:
    """Return a column of dates, or of texts that are all written in one form of dates; None for any other.

    Where the day may come before the month or after it, the day comes first, unless some day says otherwise.

    >>> import pandas as pd
    >>> dates_of(pd.Series(["1970-01-02", None, "1971-01-01T12:00"])).days.tolist()
    [1.0, nan, 365.5]
    >>> dates_of(pd.Series(["03/04/2021", "05/06/2021"])).rival
    '%m/%d/%Y'
    """
    if pd.api.types.is_datetime64_any_dtype(values):
        return Dates(_days(values), "")
    if pd.api.types.is_numeric_dtype(values):
        return None
    fitting = [form for form in _forms() if _reads(values, form)]
    if not fitting:
        return None
    read = _read(values, fitting[0])
    others = [form for form in fitting[1:] if not np.array_equal(_read(values, form), read, equal_nan=True)]
    return Dates(read, fitting[0], others[0] if others else "")


def _forms() -> list[str]:
    return [ISO, *(date + clock for date in (*BY_DAY, *BY_MONTH, *NAMED) for clock in CLOCKS)]


def _reads(values: Any, form: str) -> bool:
    """Return whether every known cell is written in this form; first a few are tried."""
    known = values.dropna().drop_duplicates()
    some = known.iloc[:SHOWN]
    return len(known) > 0 and all(not np.isnan(_read(part, form)).any() for part in (some, known.iloc[SHOWN:]))


def _read(values: Any, form: str) -> np.ndarray:
    return _days(pd.to_datetime(values, format=form, errors="coerce", utc=True))


def _days(moments: Any) -> np.ndarray:
    if getattr(moments.dtype, "tz", None) is not None:
        moments = moments.dt.tz_convert(None)
    return ((moments.to_numpy("datetime64[us]") - np.datetime64(0, "us")) / DAY).astype(np.float64)

"""The part of exported Python that reads dates, times of day and durations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from espalier.data.columns import dates
from espalier.data.options import CLOCK, DAY, DURATION, MONTHS, WEEKDAYS, Moment

SECONDS = r'''

def _seconds(value, missing, read, *more, lossy=False):
    """The seconds that `read` finds in a cell; nan where it is missing, and for other texts if lossy."""
    text = "" if _is_missing(value) else str(value).strip()
    if not text or text in missing:
        return nan
    seconds = read(text.lower(), *more)
    if seconds is None and not lossy:
        raise ValueError(f"{value!r} is no date or time as the file writes them")
    return nan if seconds is None else seconds


def _amount(text):
    """The number in a part of a text; 0 where the part is not there."""
    return float((text or "0").replace(",", "."))


def _time(found):
    """The seconds since midnight; None for a time that no clock shows."""
    hour, minute, second = int(found["H"]), int(found["M"] or 0), _amount(found["S"])
    if hour > (12 if found["half"] else 23) or minute > 59 or second >= 60 or (found["half"] and not hour):
        return None
    if found["half"]:
        hour = hour % 12 + 12 * (found["half"] == "p")
    return hour * 3600 + minute * 60 + second'''
DATE_SOURCE = r'''


def _date(text, order):
    """The seconds from the beginning of 1970 (UTC) to a date."""
    found = fullmatch(YEAR_FIRST, text) or fullmatch(order, text)
    if not found:
        return None
    year, month = int(found["y"]), found["m"]
    if len(found["y"]) == 2:
        year += 2000 if year < 69 else 1900
    month = int(month) if month.isdecimal() else SHORT_MONTHS.index(month[:3]) % 12 + 1
    try:
        days = date(year, month, int(found["d"] or 1)).toordinal() - EPOCH
    except ValueError:
        return None
    seconds = _time(found) if found["H"] else 0
    if seconds is None:
        return None
    zone = found["zone"] or "+0"
    digits = zone[1:].replace(":", "")
    digits = "0" * (len(digits) % 2) + digits
    ahead = 3600 * int(digits[:2]) + 60 * int(digits[2:] or 0)
    return days * 86400.0 + seconds - (-ahead if zone[0] == "-" else ahead)


def _part(seconds, part):
    """The name of a date's month or weekday, None if missing, or its year, day or hour, nan if missing."""
    if seconds != seconds:
        return None if part in ("month", "weekday") else nan
    day = date.fromordinal(int(seconds // 86400) + EPOCH)
    if part == "hour":
        return seconds % 86400 // 3600
    if part in ("month", "weekday"):
        return MONTHS[day.month - 1] if part == "month" else WEEKDAYS[day.weekday()]
    return float(day.year if part == "year" else day.day)'''
CLOCK_SOURCE = r'''


def _clock(text):
    """The seconds from midnight to a time of day."""
    for pattern in TIMES_OF_DAY:
        found = fullmatch(pattern, text)
        if found:
            return _time({"M": None, "S": None, "half": None, **found.groupdict()})
    return None'''
DURATION_SOURCE = r'''


def _duration(text):
    """The seconds that a duration lasts."""
    for pattern in DURATIONS:
        found = fullmatch(pattern, text)
        if found and any(found.groups()):
            return sum(_amount(found[name]) * size for name, size in SIZES.items() if name in found.groupdict())
    return None'''


def imports(moments: Iterable[Moment]) -> str:
    """Return the imports that reading these needs; empty if there are none."""
    kinds = {_kind(moment) for moment in moments}
    return "from datetime import date" if "date" in kinds else ""


def constants(moments: Iterable[Moment]) -> Iterator[str]:
    """Yield lines with the patterns of cells and the names of months and weekdays."""
    moments = list(moments)
    kinds = {_kind(moment) for moment in moments}
    if "date" in kinds:
        yield f"EPOCH = {719163}  # the number that Python gives the first day of 1970"
        yield f"SHORT_MONTHS = {dates.SHORT_MONTHS.split()!r}"
        yield f"YEAR_FIRST = {dates.YEAR_FIRST!r}"
        for form in sorted({_order(moment) for moment in moments if _kind(moment) == "date"}):
            yield f"{form.upper()} = {dates.PATTERNS[form]!r}"
    parts = {moment.part for moment in moments}
    yield from [f"MONTHS = {MONTHS!r}"] if "date" in kinds else []
    yield from [f"WEEKDAYS = {WEEKDAYS!r}"] if "date" in kinds else []
    yield from [f"TIMES_OF_DAY = {dates.CLOCK_PATTERNS!r}"] if CLOCK in parts else []
    if DURATION in parts:
        yield f"DURATIONS = {dates.DURATION_PATTERNS!r}"
        yield f"SIZES = {dates.SECONDS!r}"


def functions(moments: Iterable[Moment]) -> str:
    """Return the source of the functions that `call` needs."""
    kinds = {_kind(moment) for moment in moments}
    sources = {"date": DATE_SOURCE, CLOCK: CLOCK_SOURCE, DURATION: DURATION_SOURCE}
    return SECONDS * bool(kinds) + "".join(source for kind, source in sources.items() if kind in kinds)


def call(moment: Moment, cell: str, missing: str, is_lossy: bool) -> str:
    """Return the source of a feature's value: a number (nan if missing) or the name of a category (or None)."""
    readers = {"date": f"_date, {_order(moment).upper()}", CLOCK: "_clock", DURATION: "_duration"}
    seconds = f"_seconds({cell}, {missing or '()'}, {readers[_kind(moment)]}{', lossy=True' * is_lossy})"
    if moment.part in ("date", CLOCK, DURATION):
        since = f"({seconds} - {moment.since * DAY})" if moment.since else seconds
        return f"{since} / {moment.unit}" if moment.unit != 1 else since
    return f"_part({seconds}, {moment.part!r})"


def _kind(moment: Moment) -> str:
    return moment.part if moment.part in (CLOCK, DURATION) else "date"


def _order(moment: Moment) -> str:
    return moment.form if moment.form in dates.PATTERNS else "dmy"

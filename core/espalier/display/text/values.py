"""Values and ranges of values in words: dates, times, durations, units, and whole numbers.

The words follow the name of the column: "ordered in December", "age is 3 or more" where a threshold is 2.5. Where
all known values are whole numbers of the feature's unit (`Feature.is_whole`), no text shows a threshold between
two of them. Exports that compute (Python, SQL, JSON) keep the threshold, since a new row may hold 2.5.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from espalier.data.dataset import Feature
from espalier.data.options import CLOCK, CYCLES, DAY, DURATION, HOUR, MINUTE, SECOND, Moment
from espalier.display.theme import MOST_OFF, digits_within, number, rounded_to, threshold
from espalier.inert import inert
from espalier.language import say, to_say

CALENDAR = "calendar"  # of a date without times
LATER = {  # from a value on, by part
    CALENDAR: to_say("on {value} or later"),
    "date": to_say("at {value} or later"),
    "year": to_say("in {value} or later"),
    "day": to_say("on day {value} or later"),
}
AT = {
    CALENDAR: to_say("on {value}"),
    "date": to_say("at {value}"),
    "year": to_say("in {value}"),
    "day": to_say("on day {value}"),
    "month": to_say("in {value}"),
    "weekday": to_say("on {value}"),
}
LEAST_RUN = 3  # months or weekdays that follow each other: from here on a range, "from May to July"
NAMES = {HOUR: "h", MINUTE: "min", SECOND: "s"}  # of units
LONGEST_YEAR = 10**12  # seconds from 1970 to beyond any year of four digits


def subject(feature: Feature) -> str:
    """Return the name to which the words of a condition belong: "ordered" of the month of "ordered"."""
    return inert(feature.name if feature.moment is None else feature.moment.column)


def value_text(feature: Feature, x: float, digits: int = 6) -> str:
    """Return a value of a number as a person writes it: "2021-03-31", "14:35", "3 days 4 h", or the number.

    >>> from espalier.data.options import MINUTE, Moment
    >>> value_text(Feature("sent", moment=Moment("sent", "date")), 18717)
    '2021-03-31'
    >>> value_text(Feature("due", moment=Moment("due", "time of day", unit=MINUTE)), 875)
    '14:35'
    """
    moment = feature.moment
    if moment is None or is_plain(feature) or not abs(x) * moment.unit < LONGEST_YEAR:
        return number(x, digits_within(x, MOST_OFF * feature.spread, digits))
    if moment.part == "date":
        return _date(x, moment)
    if moment.part == DURATION:
        return _duration(x * moment.unit, moment.unit)
    return _clock(x * HOUR if moment.part == "hour" else x * moment.unit)


def all_written(feature: Feature, values: Sequence[float], digits: int = 3) -> list[str]:
    """Return values of a column that stand beside each other, rounded by their spread.

    >>> all_written(Feature("length"), (52.51, 52.514))
    ['52.51', '52.514']
    """
    tell = rounded_to(values, digits) if is_plain(feature) else functools.partial(value_text, feature)
    return [tell(x) for x in values]


def is_plain(feature: Feature) -> bool:
    """Return whether the values of a number are written as numbers, not as dates or times."""
    return feature.moment is None or feature.moment.part in ("year", "day")


def range_words(feature: Feature, low: float, high: float) -> str:
    """Return the values x with ``low < x <= high`` in words: "before 2021-03-01", "at 14:35 or later".

    Empty for a feature that is no moment or has names, if nothing bounds it (or an infinite threshold separates
    known from missing values), or if no whole number is in between.
    """
    is_bound = (math.isfinite(low) or math.isfinite(high)) and math.inf not in (low, -high)
    if feature.moment is None or feature.categories or not is_bound:
        return ""
    if feature.moment.part == DURATION:
        return _length(feature, low, high)
    if not feature.is_whole:
        return _beside(feature, low, high)
    first, last, part = np.floor(low) + 1, np.floor(high), _part(feature.moment)
    if math.isinf(low):
        return say(
            "before day {value}" if part == "day" else "before {value}", value=value_text(feature, last + 1)
        )
    if math.isinf(high):
        return say(LATER.get(part, LATER["date"]), value=value_text(feature, first))
    if first > last:
        return ""
    if first == last and part != "hour":
        return say(AT.get(part, AT["date"]), value=value_text(feature, first))
    end = value_text(feature, last).replace(":00", ":59") if part == "hour" else value_text(feature, last)
    both = to_say("from day {low} to day {high}") if part == "day" else to_say("from {low} to {high}")
    return say(both, low=value_text(feature, first), high=end)


def on_axis(feature: Feature) -> dict[str, Any]:
    """Return what an axis in the browser needs to write dates or times: seconds of 1, and of 0; else nothing."""
    moment = feature.moment
    if moment is None or moment.part in ("year", "day", *CYCLES):
        return {}
    kind = moment.part if moment.part in ("date", DURATION) else CLOCK
    return {"moment": [kind, HOUR if moment.part == "hour" else moment.unit, moment.since * DAY]}


def names_words(feature: Feature, codes: Sequence[int]) -> str:
    """Return some of a cycle's categories in words: "in December or January", "from Monday to Friday".

    `codes` are those of the feature's categories, ascending. Months or weekdays that follow each other become a
    range, also from December to January.

    >>> from espalier.data.options import MONTHS, Moment
    >>> month = Feature("sent (month)", "category", MONTHS, moment=Moment("sent", "month"))
    >>> names_words(month, [0, 1, 5, 10, 11])
    'in June or from November to February'
    """
    assert feature.moment is not None
    cycle = CYCLES[feature.moment.part]
    runs = _runs([cycle.index(feature.categories[code]) for code in codes], len(cycle))
    singles = [cycle[place] for run in runs if len(run) < LEAST_RUN for place in run]
    ranges = [
        say("from {low} to {high}", low=cycle[run[0]], high=cycle[run[-1]])
        for run in runs
        if len(run) >= LEAST_RUN
    ]
    parts = [say(AT[feature.moment.part], value=_or(singles))] if singles else []
    return _or(parts + ranges)


def _or(parts: list[str]) -> str:
    return say("{first} or {last}", first=", ".join(parts[:-1]), last=parts[-1]) if parts[1:] else "".join(parts)


def _runs(places: list[int], n: int) -> list[list[int]]:
    """Return the places in runs of neighbours; one across the end of the cycle of `n` begins before it."""
    runs: list[list[int]] = []
    for place in places:
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    if len(runs) > 1 and runs[0][0] == 0 and runs[-1][-1] == n - 1 and len(runs[0]) + len(runs[-1]) >= LEAST_RUN:
        runs = [*runs[1:-1], runs[-1] + runs[0]]
    return runs


def _part(moment: Moment) -> str:
    return CALENDAR if moment.part == "date" and moment.unit == DAY else moment.part


def _beside(feature: Feature, low: float, high: float) -> str:
    """Return a range of moments between which there may be others, however close."""
    after, until = value_text(feature, low), value_text(feature, high)
    if math.isinf(low) or math.isinf(high):
        return say("until {value}", value=until) if math.isinf(low) else say("after {value}", value=after)
    return say("after {low}, until {high}", low=after, high=until)


def _length(feature: Feature, low: float, high: float) -> str:
    if feature.is_whole:
        low, high = float(np.floor(low)), float(np.floor(high))
    longer, most = value_text(feature, low), value_text(feature, high)
    if math.isinf(low):
        return say("at most {high}", high=most)
    if math.isinf(high):
        return say("longer than {low}", low=longer)
    if feature.is_whole and low + 1 == high:
        return say("of {value}", value=most)
    return say("longer than {low} and at most {high}", low=longer, high=most) if low < high else ""


def _date(x: float, moment: Moment) -> str:
    """Return a date, with the time where the column has times."""
    days, rest = divmod(round(x * moment.unit, 6), DAY)
    date = str(np.datetime64(moment.since, "D") + np.timedelta64(int(days), "D"))
    return date if moment.unit == DAY else f"{date} {_clock(rest, moment.unit < MINUTE)}"


def _clock(seconds: float, with_seconds: bool = False) -> str:
    minutes, rest = divmod(round(seconds, 6), MINUTE)
    hours, minutes = divmod(int(minutes), 60)
    after = f":{rest:09.6f}".rstrip("0").rstrip(".") if rest % 1 else f":{int(rest):02d}"
    return f"{hours:02d}:{minutes:02d}{after * bool(with_seconds or rest)}"


def _duration(seconds: float, unit: int) -> str:
    sign = "−" if seconds < 0 else ""
    days, rest = divmod(round(abs(seconds), 6), DAY)
    hours, rest = divmod(rest, HOUR)
    minutes, rest = divmod(rest, MINUTE)
    parts = [say("{n} day" if days == 1 else "{n} days", n=number(days))] * bool(days)
    for amount, name in zip((hours, minutes, rest), NAMES.values(), strict=True):
        parts += [f"{number(amount, 8)} {name}"] * bool(amount)
    nothing = say("{n} days", n=0) if unit == DAY else f"0 {NAMES.get(unit, 's')}"
    return sign + (" ".join(parts) or nothing)


# Units -----------------------------------------------------------------------------------------------

_UNITS = """
mm cm m km µm nm in ft yd mi inches mg g kg t µg ng lb oz ml mL l L dl dL s ms min h hr hours d days weeks months
yr years % ‰ °C °F K € $ £ USD EUR GBP bpm mmHg Pa hPa kPa bar W kW kWh V A mA Hz kHz MHz J kJ kcal cal mol ppm ppb
dB mph kn
"""
UNITS = frozenset(_UNITS.split())


def split_unit(feature: Feature) -> tuple[str, str]:
    """Return the name of a number and its unit, if the name ends with one in brackets; else the name and "".

    >>> split_unit(Feature("petal length (cm)")), split_unit(Feature("share (new)"))
    (('petal length', 'cm'), ('share (new)', ''))
    """
    if feature.moment is not None:
        return subject(feature), ""
    if feature.unit and feature.name.endswith((f"({feature.unit})", f"[{feature.unit}]")):
        return inert(feature.name[: -len(feature.unit) - 2].rstrip()), inert(feature.unit)
    name, _, end = feature.name.rstrip().rpartition("(" if feature.name.rstrip().endswith(")") else "[")
    unit = end[:-1].strip()
    if feature.categories or not name.strip() or end[-1:] not in (")", "]"):
        return inert(feature.name), ""
    is_unit = unit in UNITS or ("/" in unit and unit.split("/")[0] in UNITS and " " not in unit)
    return (inert(name.strip()), inert(unit)) if is_unit else (inert(feature.name), "")


def behind(unit: str) -> str:
    """Return a unit as it follows a number; nothing for none."""
    return f" {unit}" if unit else ""


def in_words(feature: Feature, value: float, digits: int = 3) -> str:
    """Return a feature's value as a person writes it, numbers with so many significant digits."""
    if np.isnan(value):
        return say("missing")
    if feature.categories and 0 <= value < len(feature.categories):
        return inert(feature.categories[int(value)])
    return value_text(feature, value, digits)


def in_unit(feature: Feature, value: float, digits: int = 4) -> str:
    """Return a feature's value as `in_words`, with its unit behind: "1.75 cm"."""
    return in_words(feature, value, digits) + ("" if np.isnan(value) else behind(split_unit(feature)[1]))


def named_value(feature: Feature, value: float, digits: int = 4) -> str:
    """Return a feature with its value, in its unit: "petal width 1.75 cm", "colour red"."""
    name, unit = split_unit(feature)
    return f"{name if unit else inert(feature.name)} {in_unit(feature, value, digits)}"


# Whole numbers ---------------------------------------------------------------------------------------

DIGITS = 16  # of a whole number: all its digits


def whole_range(feature: Feature, low: float, high: float, unit: str = "") -> str:
    """Return the whole numbers x with ``low < x <= high``: "at most 2", "3 or more", "from 3 to 5", "4".

    `unit` follows the number ("at most 37 cm"). Empty if the feature is not whole, if nothing bounds it
    (or an infinite threshold separates known from missing values), or if no whole number is in between.
    Dates and times have words of their own, "before 2021-03-01" (`display.text.values`).
    """
    if feature.moment is not None:
        return range_words(feature, low, high)
    if not feature.is_whole or math.inf in (low, -high) or not (math.isfinite(low) or math.isfinite(high)):
        return ""
    first = math.floor(low) + 1 if math.isfinite(low) else None
    last = math.floor(high) if math.isfinite(high) else None
    if first is None:
        return say("at most {high}", high=f"{_integer_text(last)}{unit}")
    if last is None:
        return say("{low} or more", low=f"{_integer_text(first)}{unit}")
    if first > last:
        return ""
    if first == last:
        return f"{_integer_text(first)}{unit}"
    return say("from {low} to {high}", low=_integer_text(first), high=f"{_integer_text(last)}{unit}")


def _integer_text(value: int | None) -> str:
    return number(float(value or 0), DIGITS)


def cut_words(feature: Feature, cut: float) -> str:
    """Return the place of a cut: "between 2 and 3" for whole numbers, else the threshold."""
    if not feature.is_whole or not math.isfinite(cut):
        return side_words(feature, cut, below=True)
    low, high = (_value(feature, math.floor(cut) + more) for more in (0, 1))
    return say("between {low} and {high}", low=low, high=high)


def side_words(feature: Feature, cut: float, below: bool, beside: Sequence[float] = ()) -> str:
    """Return the whole number nearest to a cut on one side (2 below 2.5, 3 above), or else the threshold.

    `beside` are other cuts, which the threshold is told apart from.
    """
    if feature.is_whole and math.isfinite(cut):
        return _value(feature, math.floor(cut) + (not below))
    if feature.moment is not None:
        return value_text(feature, cut)
    return threshold(rounded_down(feature, cut), beside=beside, spread=feature.spread)


def rounded_down(feature: Feature, cut: float) -> float:
    """Return a cut with as many decimals as the column's values have: none of these lies between the two.

    >>> rounded_down(Feature("points", places=4), 0.13495), rounded_down(Feature("points"), 0.13495)
    (0.1349, 0.13495)
    """
    if feature.places is None or not math.isfinite(cut):
        return cut
    return round(math.floor(round(cut * 10**feature.places, 6)) / 10**feature.places, feature.places)


def _value(feature: Feature, value: int) -> str:
    return _integer_text(value) if feature.moment is None else value_text(feature, value)

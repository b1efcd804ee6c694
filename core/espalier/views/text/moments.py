"""Dates, times of day and durations in words: "before 2021-03-01", "in December", "longer than 3 days".

The words follow the name of the column: "ordered in December". Where all values are whole numbers of the feature's
unit (`Feature.is_whole`), no text shows a threshold between two of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from espalier.data.dataset import Feature
from espalier.data.moments import CLOCK, CYCLES, DAY, DURATION, HOUR, MINUTE, Moment
from espalier.views.theme import number

AT = {
    "date": "at ",
    CLOCK: "at ",
    "hour": "at ",
    "year": "in ",
    "month": "in ",
    "weekday": "on ",
    "day": "on day ",
}
LEAST_RUN = 3  # months or weekdays that follow each other: from here on a range, "from May to July"
LONGEST_YEAR = 10**12  # seconds from 1970 to beyond any year of four digits


def subject(feature: Feature) -> str:
    """Return the name to which the words of a condition belong: "ordered" of the month of "ordered"."""
    return feature.name if feature.moment is None else feature.moment.column


def written(feature: Feature, x: float, digits: int = 6) -> str:
    """Return a value of a number as a person writes it: "2021-03-31", "14:35", "3 days 4 h", or the number.

    >>> from espalier.data.moments import MINUTE, Moment
    >>> written(Feature("sent", moment=Moment("sent", "date")), 18717)
    '2021-03-31'
    >>> written(Feature("due", moment=Moment("due", "time of day", unit=MINUTE)), 875)
    '14:35'
    """
    moment = feature.moment
    if moment is None or moment.part in ("year", "day") or not abs(x) * moment.unit < LONGEST_YEAR:
        return number(x, digits)
    if moment.part == "date":
        return _date(x, moment)
    if moment.part == DURATION:
        return _duration(x * moment.unit, moment.unit)
    return _clock(x * HOUR if moment.part == "hour" else x * moment.unit)


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
        ends = [f"after {written(feature, low)}"] * math.isfinite(low)
        return ", ".join(ends + [f"until {written(feature, high)}"] * math.isfinite(high))
    first, last = np.floor(low) + 1, np.floor(high)
    at = "on " if _has_no_clock(feature.moment) else AT[feature.moment.part]
    if math.isinf(low):
        return f"before {_place(feature, last + 1)}"
    if math.isinf(high):
        return f"{at}{written(feature, first)} or later"
    if first > last:
        return ""
    if feature.moment.part == "hour":
        return f"from {written(feature, first)} to {written(feature, last).split(':')[0]}:59"
    if first == last:
        return f"{at}{written(feature, first)}"
    return f"from {_place(feature, first)} to {_place(feature, last)}"


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

    >>> from espalier.data.moments import MONTHS, Moment
    >>> month = Feature("sent (month)", "category", MONTHS, moment=Moment("sent", "month"))
    >>> names_words(month, [0, 1, 5, 10, 11])
    'in June or from November to February'
    """
    assert feature.moment is not None
    cycle = CYCLES[feature.moment.part]
    runs = _runs([cycle.index(feature.categories[code]) for code in codes], len(cycle))
    at = AT[feature.moment.part]
    singles = [cycle[place] for run in runs if len(run) < LEAST_RUN for place in run]
    ranges = [f"from {cycle[run[0]]} to {cycle[run[-1]]}" for run in runs if len(run) >= LEAST_RUN]
    parts = [f"{at}{', '.join(singles[:-1])}{' or ' * (len(singles) > 1)}{singles[-1]}"] if singles else []
    return " or ".join(parts + ranges)


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


def _has_no_clock(moment: Moment) -> bool:
    return moment.part == "date" and moment.unit == DAY


def _place(feature: Feature, x: float) -> str:
    assert feature.moment is not None
    return f"{'day ' * (feature.moment.part == 'day')}{written(feature, x)}"


def _length(feature: Feature, low: float, high: float) -> str:
    if feature.is_whole:
        low, high = float(np.floor(low)), float(np.floor(high))
    longer, most = f"longer than {written(feature, low)}", f"at most {written(feature, high)}"
    if math.isinf(low) or math.isinf(high):
        return most if math.isinf(low) else longer
    if feature.is_whole and low + 1 == high:
        return f"of {written(feature, high)}"
    return f"{longer} and {most}" if low < high else ""


def _date(x: float, moment: Moment) -> str:
    """Return a date, with the time where the column has times."""
    days, rest = divmod(round(x * moment.unit, 6), DAY)
    date = str(np.datetime64(moment.since, "D") + int(days))
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
    parts = [f"{number(days)} day{'s' * (days != 1)}"] * bool(days)
    for amount, name in ((hours, "h"), (minutes, "min"), (rest, "s")):
        parts += [f"{number(amount, 8)} {name}"] * bool(amount)
    nothing = {DAY: "0 days", HOUR: "0 h", MINUTE: "0 min"}.get(unit, "0 s")
    return sign + (" ".join(parts) or nothing)

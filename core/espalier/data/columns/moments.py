"""Columns of dates, times of day and durations as features: months, weekdays, days since 1970, minutes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from espalier.data.columns import dates
from espalier.data.columns.coded import CodedColumn
from espalier.data.columns.dates import Dates
from espalier.data.columns.kinds import ColumnPlan
from espalier.data.dataset import Feature, whole
from espalier.data.errors import TableError, counted, listed, quoted
from espalier.data.moments import (
    CLOCK,
    CYCLES,
    DATE_PARTS,
    DAY,
    DURATION,
    HOUR,
    MINUTE,
    SECOND,
    Moment,
    feature_name,
)
from espalier.language import say, to_say

UNITS = {"date": (DAY, MINUTE, SECOND), CLOCK: (MINUTE, SECOND), DURATION: (DAY, HOUR, MINUTE, SECOND)}
UNREADABLE = {
    "date": to_say("The column {name} does not hold dates of one form."),
    CLOCK: to_say("The column {name} does not hold times of day."),
    DURATION: to_say("The column {name} does not hold durations."),
}
LOST = {
    "date": to_say("{name}: {cells} without a date ({first}) treated as missing."),
    CLOCK: to_say("{name}: {cells} without a time of day ({first}) treated as missing."),
    DURATION: to_say("{name}: {cells} without a duration ({first}) treated as missing."),
}
SHOWN = {"date": "2021-03-31", CLOCK: "14:35", DURATION: "1 day 2:30"}  # of forms that are read


def moments(values: Any, plan: ColumnPlan) -> list[CodedColumn]:
    """Return the features of a column of dates, times of day or durations, by its plan.

    Raises TableError if more than one known cell in twenty is none, or the plan has an unknown part.
    """
    if values.isna().all():
        return [_coded(np.full(len(values), np.nan), Moment(plan.name, "date"), [], False)]
    if plan.kind == "date":
        return _of_dates(values, plan)
    read = dates.clock_of if plan.kind == CLOCK else dates.durations_of
    seconds = read(values)
    if seconds is None:
        raise _unreadable(values, plan)
    notes, is_lossy = _notes(values, seconds, plan), _is_lossy(values, seconds)
    return [_coded(seconds, Moment(plan.name, plan.kind), notes, is_lossy)]


def part_of(seconds: np.ndarray, part: str) -> np.ndarray:
    """Return a calendar's part of moments in seconds since 1970 (n,): float64, nan where missing.

    "month" and "weekday" are codes from 0 (January, Monday); "year", "day" and "hour" as in the calendar.
    """
    is_known = ~np.isnan(seconds)
    days = np.floor(np.where(is_known, seconds, 0) / DAY).astype("int64").astype("M8[D]")
    months = days.astype("M8[M]")
    values = {
        "year": months.astype("M8[Y]").astype("int64") + 1970,
        "month": months.astype("int64") % 12,
        "weekday": (days.astype("int64") + 3) % 7,  # 1970 began on a Thursday
        "day": (days - months).astype("int64") + 1,
        "hour": seconds % DAY // HOUR,
    }
    return np.where(is_known, values[part], np.nan)


def _of_dates(values: Any, plan: ColumnPlan) -> list[CodedColumn]:
    read = dates.most_dates(values, plan.form)
    if read is None:
        raise _unreadable(values, plan)
    _check_parts(plan)
    notes = _notes(values, read.seconds, plan)
    if read.rival:
        notes.append(_open_order(values, read, plan.name))
    chosen = plan.parts or dates.usual_parts(read)
    made = [Moment(plan.name, part, read.form) for part in DATE_PARTS if part in chosen]
    is_lossy = _is_lossy(values, read.seconds)
    return [_coded(read.seconds, moment, notes * (moment is made[0]), is_lossy) for moment in made]


def _coded(seconds: np.ndarray, moment: Moment, notes: list[str], is_lossy: bool) -> CodedColumn:
    name = feature_name(moment.column, moment.part)
    if moment.part in CYCLES:
        codes, names = _codes(part_of(seconds, moment.part), CYCLES[moment.part])
        return CodedColumn(codes, Feature(name, "category", names, moment=moment), notes, is_lossy=is_lossy)
    if moment.part in UNITS:
        moment = moment._replace(unit=dates.unit_of(seconds, UNITS[moment.part]))
        if moment.part == "date" and moment.unit != DAY:  # minutes since 1970 have too many digits for pictures
            moment = moment._replace(since=int(np.nanmin(seconds) // DAY))
        values = (seconds - moment.since * DAY) / moment.unit
    else:
        values = part_of(seconds, moment.part)
    return CodedColumn(values, Feature(name, is_whole=whole(values), moment=moment), notes, is_lossy=is_lossy)


def _codes(places: np.ndarray, cycle: Sequence[str]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the codes of places in a cycle (n,), and the names of those that occur, in the cycle's order."""
    seen = np.unique(places[~np.isnan(places)])
    codes = np.where(np.isnan(places), np.nan, np.searchsorted(seen, places))
    return codes, tuple(cycle[int(place)] for place in seen)


def _check_parts(plan: ColumnPlan) -> None:
    unknown = [part for part in plan.parts if part not in DATE_PARTS]
    if unknown:
        raise TableError(
            say("{part} is no part of the dates in {name}.", part=quoted(unknown[0]), name=quoted(plan.name)),
            say("There are {parts}.", parts=listed(DATE_PARTS, len(DATE_PARTS))),
            say("Choose one of these."),
        )


def _unreadable(values: Any, plan: ColumnPlan) -> TableError:
    shown = listed([quoted(v) for v in values.dropna().unique()], 3)
    return TableError(
        say(UNREADABLE[plan.kind], name=quoted(plan.name)),
        say("It begins with {text}.", text=shown) if shown else say("It is empty."),
        say(
            "Write them as {example}, or choose another kind for the column, such as category.",
            example=SHOWN[plan.kind],
        ),
    )


def _is_lossy(values: Any, seconds: np.ndarray) -> bool:
    return bool((values.notna().to_numpy() & np.isnan(seconds)).any())


def _notes(values: Any, seconds: np.ndarray, plan: ColumnPlan) -> list[str]:
    if not _is_lossy(values, seconds):
        return []
    lost = values.notna().to_numpy() & np.isnan(seconds)
    first, n = quoted(values.to_numpy(object)[lost][0]), counted(int(lost.sum()), "cell")
    return [say(LOST[plan.kind], name=quoted(plan.name), cells=n, first=first)]


def _open_order(values: Any, read: Dates, name: str) -> str:
    return say(
        "{name}: in {date} the day could also be the month; it is read as the day."
        if read.form == "dmy"
        else "{name}: in {date} the month could also be the day; it is read as the month.",
        name=quoted(name),
        date=quoted(values.dropna().iloc[0]),
    )

"""The part of exported SQL that reads dates, times of day and durations, in steps, one subquery around the other.

Each step has expressions of earlier columns: the parts of a cell's text, the seconds, the feature. Days are
counted as in "chrono-Compatible Low-Level Date Algorithms" (Hinnant), in floating point, which is exact here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from espalier.data.columns import dates
from espalier.data.options import CLOCK, CYCLES, DAY, DURATION, Moment
from espalier.export.dialects import Dialect
from espalier.language import Refusal

Namer = Callable[[str], str]
Steps = list[dict[str, str]]  # each: the names of new columns, and their expressions of earlier ones
DATE_FIELDS = ("y", "m", "d", "H", "M", "S", "half", "zone")
EPOCH = (
    719_468  # days from the first of March of year 0, from which they are counted here, to the beginning of 1970
)
FIRST_WEEKDAY = 2  # of that day: Wednesday
MONTH_LIST = dates.SHORT_MONTHS.replace(" ", "")


def check_moments(moments: Iterable[Moment], dialect: Dialect) -> None:
    """Raise Refusal for dates, times of day and durations that SQL of this dialect is not written for."""
    for moment in moments:
        if not dialect.real:
            raise Refusal(
                "SQL for {database} is not written for dates, times and durations: choose standard SQL, "
                "PostgreSQL or DuckDB.",
                database=dialect.label,
            )
        if not dialect.group and moment.part == DURATION:
            raise Refusal("Standard SQL has no words for durations: choose PostgreSQL or DuckDB.")
        if not dialect.group and moment.form != "ymd":
            raise Refusal(
                "Standard SQL has no words for dates that do not begin with the year: choose PostgreSQL or DuckDB."
            )


def steps(x: str, moment: Moment, prefix: str, sql: Dialect) -> Steps:
    """Return the steps from the text `x` of a cell, in small letters, to the feature: ``prefix + "value"``."""
    at = _namer(prefix)
    if moment.part == DURATION:
        return [*_lasting(x, at, sql), {at("value"): f"{at('seconds')} / {float(moment.unit)}"}]
    kind = CLOCK if moment.part == CLOCK else "date"
    read = [*_fields(x, moment, at, sql), _numbers(at, sql, kind), *_time(at)]
    if kind == CLOCK:
        return [*read, {at("value"): f"{at('time')} / {float(moment.unit)}"}]
    read += [*_days(at), {at("seconds"): _total(at)}]
    return [*read, *_features(moment, at, sql)]


def _namer(prefix: str) -> Namer:
    """Return the function that puts a prefix before names; databases tell no small letter from a capital one."""
    return lambda name: prefix + re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", name)


def _fields(x: str, moment: Moment, at: Namer, sql: Dialect) -> Steps:
    """Return the steps to the texts of a date or a time of day: year, month, day, hour, …"""
    if not sql.group:
        return [_cast_fields(x, moment, at)]
    if moment.part == CLOCK:
        patterns = [(pattern, re.compile(pattern).groupindex) for pattern in dates.CLOCK_PATTERNS]
        groups = {
            name: [_group(x, pattern, name, sql) for pattern, names in patterns if name in names]
            for name in ("H", "M", "S", "half")
        }
        return [{at(name): f"COALESCE({', '.join(g)})" if len(g) > 1 else g[0] for name, g in groups.items()}]
    order = dates.PATTERNS[moment.form if moment.form in dates.PATTERNS else "dmy"]
    return [
        {
            at(name): f"COALESCE({_group(x, dates.YEAR_FIRST, name, sql)}, {_group(x, order, name, sql)})"
            for name in DATE_FIELDS
        }
    ]


def _group(x: str, pattern: str, name: str, sql: Dialect) -> str:
    place = re.compile(pattern).groupindex[name]
    plain = re.sub(r"\?P<\w+>", "", pattern)
    return sql.group.replace("{p}", plain).replace("{i}", str(place)).replace("{x}", x)


def _cast_fields(x: str, moment: Moment, at: Namer) -> dict[str, str]:
    """Return the fields of a cell by casts alone, which read the year first only."""
    kind, names = ("TIME", "") if moment.part == CLOCK else ("TIMESTAMP", "ymd")
    units = {"y": "YEAR", "m": "MONTH", "d": "DAY", "H": "HOUR", "M": "MINUTE", "S": "SECOND"}
    fields = {at(name): f"EXTRACT({units[name]} FROM CAST(UPPER({x}) AS {kind}))" for name in (*names, *"HMS")}
    texts = {name: f"'000' || CAST({value} AS VARCHAR(20))" for name, value in fields.items()}
    return texts | {at(name): "CAST(NULL AS VARCHAR(9))" for name in ("half", "zone")}


def _numbers(at: Namer, sql: Dialect, kind: str) -> dict[str, str]:
    """Return the texts as numbers: the month by its name, the year of two digits in its century."""

    def real(x: str) -> str:
        return sql.real.replace("{x}", x)

    numbers = {at(f"n{name}"): real(at(name)) for name in "HM"}
    numbers[at("nM")] = f"COALESCE({numbers[at('nM')]}, 0e0)"  # "7 am"
    numbers[at("nS")] = f"COALESCE({real(_replace(at('S'), ',', '.'))}, 0e0)"
    if kind == CLOCK:
        return numbers
    place = sql.place.replace("{list}", MONTH_LIST).replace("{x}", f"SUBSTR({at('m')}, 1, 3)")
    is_named = f"SUBSTR({at('m')}, 1, 1) BETWEEN 'a' AND 'z'"
    month = f"({place} + 2e0) / 3 - 12 * FLOOR((({place} - 1e0) / 36))"
    year = real(at("y"))
    century = f"CASE WHEN LENGTH({at('y')}) > 2 THEN 0e0 WHEN {year} < 69 THEN 2000e0 ELSE 1900e0 END"
    zone = _replace(at("zone"), ":", "")
    is_short = f"LENGTH({zone}) IN (2, 4)"  # one digit for the hours, behind the sign
    ends = f"2, CASE WHEN {is_short} THEN 1 ELSE 2 END", f"CASE WHEN {is_short} THEN 3 ELSE 4 END, 2"
    hours, minutes = (f"COALESCE({real(f'''NULLIF(SUBSTR({zone}, {end}), '')''')}, 0e0)" for end in ends)
    sign = f"CASE WHEN {at('zone')} LIKE '-%' THEN -1e0 ELSE 1e0 END"
    return numbers | {
        at("ny"): f"{year} + {century}",
        at("nm"): f"CASE WHEN {is_named} THEN {month} ELSE {real(at('m'))} END",
        at("nd"): f"CASE WHEN {at('y')} IS NOT NULL THEN COALESCE({real(at('d'))}, 1e0) END",
        at(
            "ahead"
        ): f"CASE WHEN {at('zone')} IS NULL THEN 0e0 ELSE {sign} * (3600 * {hours} + 60 * {minutes}) END",
    }


def _replace(x: str, old: str, new: str) -> str:
    return f"REPLACE({x}, '{old}', '{new}')"


def _time(at: Namer) -> Steps:
    """Return the step to the seconds since midnight: NULL for a time that no clock shows."""
    hour, half = at("nH"), at("half")
    most = f"CASE WHEN {half} IS NULL THEN 23 ELSE 12 END"
    fits = f"{hour} <= {most} AND ({half} IS NULL OR {hour} > 0) AND {at('nM')} < 60 AND {at('nS')} < 60"
    afternoon = f"{hour} - 12 * FLOOR(({hour} / 12)) + CASE {half} WHEN 'p' THEN 12e0 ELSE 0e0 END"
    hours = f"(CASE WHEN {half} IS NULL THEN {hour} ELSE {afternoon} END)"
    return [{at("time"): f"CASE WHEN {fits} THEN 3600 * {hours} + 60 * {at('nM')} + {at('nS')} END"}]


def _days(at: Namer) -> Steps:
    """Return the steps to the days since the beginning of 1970: NULL for a day that is in no calendar."""
    year, month, day = at("ny"), at("nm"), at("nd")
    quarter, hundred, four_hundred = (f"FLOOR(({at('a')} / {n}))" for n in (4, 100, 400))
    rest_4, rest_100, rest_400 = (f"{year} - {n} * FLOOR(({year} / {n}))" for n in (4, 100, 400))
    is_leap = f"{rest_4} = 0 AND ({rest_100} <> 0 OR {rest_400} = 0)"
    length = (
        f"CASE WHEN {month} = 2 THEN CASE WHEN {is_leap} THEN 29 ELSE 28 END "
        f"WHEN {month} IN (4, 6, 9, 11) THEN 30 ELSE 31 END"
    )
    fits = f"{year} >= 1 AND {month} BETWEEN 1 AND 12 AND {day} BETWEEN 1 AND {at('length')}"
    months = f"FLOOR(((153 * {at('p')} + 2) / 5))"
    days = f"365 * {at('a')} + {quarter} - {hundred} + {four_hundred} + {months} + {day} - {EPOCH + 1}"
    return [
        {
            at("a"): f"CASE WHEN {month} <= 2 THEN {year} - 1 ELSE {year} END",
            at("p"): f"CASE WHEN {month} <= 2 THEN {month} + 9 ELSE {month} - 3 END",
            at("length"): length,
        },
        {at("days"): f"CASE WHEN {fits} THEN {days} END"},
    ]


def _total(at: Namer) -> str:
    time = f"CASE WHEN {at('H')} IS NULL THEN 0e0 ELSE {at('time')} END"
    return f"{float(DAY)} * {at('days')} + {time} - {at('ahead')}"


def _features(moment: Moment, at: Namer, sql: Dialect) -> Steps:
    """Return the steps from seconds since 1970 to a part of the date."""
    seconds, value = at("seconds"), at("value")
    if moment.part == "date":
        return [{value: f"({seconds} - {float(moment.since * DAY)}) / {float(moment.unit)}"}]
    later = f"FLOOR((({seconds} + {float(EPOCH * DAY)}) / {float(DAY)}))"  # never below 0
    day = {at("day"): f"{later} - {float(EPOCH)}"}
    if moment.part == "hour":
        return [day, {value: f"FLOOR((({seconds} - {float(DAY)} * {at('day')}) / 3600))"}]
    if moment.part == "weekday":
        since = f"({at('day')} + {float(EPOCH + FIRST_WEEKDAY)})"
        place = f"{since} - 7 * FLOOR(({since} / 7))"
    else:
        name = moment.part.upper()
        place = sql.part.replace("{part}", name).replace("{days}", at("day")) + " - 1" * (name == "MONTH")
    if moment.part not in CYCLES:
        return [day, {value: place}]
    whens = " ".join(f"WHEN {i} THEN '{name}'" for i, name in enumerate(CYCLES[moment.part]))
    return [day, {at("place"): place}, {value: f"CASE {at('place')} {whens} END"}]


def _lasting(x: str, at: Namer, sql: Dialect) -> Steps:
    """Return the steps to the seconds of a duration."""
    fields, terms = {}, []
    for i, pattern in enumerate(dates.DURATION_PATTERNS):
        for name in re.compile(pattern).groupindex:
            key = at(f"{i}{name.lower()}{'c' * name.isupper()}")
            fields[key] = sql.real.replace("{x}", _replace(_group(x, pattern, name, sql), ",", "."))
            terms.append((key, dates.SECONDS[name]))
    total = " + ".join(f"COALESCE({key} * {size}, 0e0)" for key, size in terms)
    return [fields, {at("seconds"): f"CASE WHEN COALESCE({', '.join(fields)}) IS NOT NULL THEN {total} END"}]

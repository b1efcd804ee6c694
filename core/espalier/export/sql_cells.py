"""The part of exported SQL that reads the cells of a row, in steps: trimmed texts; missing values; numbers, pools.

Dates, times of day and durations take more steps, one subquery around the other. Each step has expressions of
earlier columns: the parts of a cell's text, the seconds, the feature. Days are counted as in "chrono-Compatible
Low-Level Date Algorithms" (Hinnant), in floating point, which is exact here.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence

from espalier.data.columns import dates
from espalier.data.dataset import Feature
from espalier.data.errors import exact_number
from espalier.data.options import CLOCK, CYCLES, DAY, DURATION, Moment, NumberFormat
from espalier.export.columns import ExportedColumn, asked_features, unique
from espalier.export.dialects import DIALECTS, Dialect, reals
from espalier.kinds import SomeTree
from espalier.language import Refusal
from espalier.settings import MAX_NUMBER
from espalier.trees import Forest

TABLE, ROW = "t", "r"  # aliases of the table, and of the row after reading
LONGEST = 48  # bytes of an alias: PostgreSQL cuts names off at 63, MySQL at 64
MARKS = {",": ",", ".": ".", " ": " \u00a0\u202f", "'": "'’"}  # characters between thousands


def check_dialect(record: SomeTree | Forest, features: Sequence[Feature], dialect: str) -> None:
    """Raise Refusal where a tree or forest asks about dates or times that SQL of this dialect does not read."""
    moments = (features[i].moment for i in asked_features(record))
    check_moments((moment for moment in moments if moment), DIALECTS[dialect])


def names(read: Mapping[int, ExportedColumn], sql: Dialect) -> dict[int, str]:
    """Return the name of each column after reading, in expressions: ``r."petal width"``."""
    return {i: f"{ROW}.{name}" for i, name in _aliases(read, sql).items()}


def source(read: Mapping[int, ExportedColumn], sql: Dialect) -> str:
    """Return the subquery that reads the columns of a row of the table `TABLE`, for FROM."""
    aliases = _aliases(read, sql)
    cells = {i: _cell(f"{TABLE}.{sql.name(column.sql_name)}", column, sql) for i, column in read.items()}
    inner = f"(SELECT {_select_list(cells, aliases)}) AS c"
    if any(column.origin or column.moment for column in read.values()):
        cells = {i: _present(f"c.{aliases[i]}", column, sql) for i, column in read.items()}
        inner = f"(SELECT {_select_list(cells, aliases)}\n FROM {inner}) AS c"
    moments = {i: column.moment for i, column in read.items() if column.moment}
    prefix = _prefix(aliases)
    values = {
        i: f"c.{prefix}{i}_value" if i in moments else _value(f"c.{aliases[i]}", column, sql)
        for i, column in read.items()
    }
    if moments:
        return _stepwise_source(inner, moments, aliases, values, sql)
    return f"(SELECT {_select_list(values, aliases)}\n FROM {inner}) AS {ROW}"


def _stepwise_source(
    inner: str, moments: Mapping[int, Moment], aliases: Mapping[int, str], values: Mapping[int, str], sql: Dialect
) -> str:
    """Return the subquery that works features of dates and times out of the cells, step by step."""
    prefix = _prefix(aliases)
    check_moments(moments.values(), sql)
    ways = [steps(f"c.{aliases[i]}", moment, f"{prefix}{i}_", sql) for i, moment in moments.items()]
    # materialized: each step is worked out once, not where it is used
    lines = [f"{prefix}0 AS MATERIALIZED (SELECT c.* FROM {inner})"]
    for n, together in enumerate(itertools.zip_longest(*ways, fillvalue={}), start=1):
        new = ",\n   ".join(f"{value} AS {key}" for step in together for key, value in step.items())
        lines.append(f"{prefix}{n} AS MATERIALIZED (SELECT c.*,\n   {new}\n FROM {prefix}{n - 1} AS c)")
    tables = ",\n ".join(lines)
    return (
        f"(WITH {tables}\n SELECT {_select_list(values, aliases)}\n FROM {prefix}{len(lines) - 1} AS c) AS {ROW}"
    )


def _prefix(aliases: Mapping[int, str]) -> str:
    """Return the beginning of names that no alias has."""
    texts = " ".join(aliases.values()).casefold()
    return next(prefix for n in itertools.count(1) if (prefix := f"part{'_' * n}") not in texts)


def categories(column: ExportedColumn, codes: Iterable[int], sql: Dialect) -> str:
    """Return the categories of these codes, as a list for IN."""
    names = [column.names[code] for code in codes]
    if not column.is_number:
        return ", ".join(map(sql.literal, names))
    texts = [text for name in names for text in (column.pooled if name == column.pool else (name,))]
    numbers = [exact_number(text) for text in texts]
    literals = (
        (str(x),) if isinstance(x, int) and abs(x) < 2**53 else reals(float(x)) for x in numbers if x is not None
    )
    return ", ".join(itertools.chain.from_iterable(literals))


def _aliases(read: Mapping[int, ExportedColumn], sql: Dialect) -> dict[int, str]:
    """Return a short name for each column, of letters that can be printed, no two alike in any case."""
    bare = ["".join(c if c.isprintable() else " " for c in column.key) for column in read.values()]
    short = [" ".join(text.split()) for text in bare]
    short = [text.encode()[:LONGEST].decode("utf-8", "ignore").strip() or "x" for text in short]
    keys = unique([text.casefold() for text in short], "{} {}")
    texts = (text if text.casefold() == plain else plain for text, plain in zip(short, keys, strict=True))
    return dict(zip(read, map(sql.name, texts), strict=True))


def _select_list(expressions: Mapping[int, str], aliases: Mapping[int, str]) -> str:
    return ",\n   ".join(f"{expressions[i]} AS {aliases[i]}" for i in expressions)


def _cell(x: str, column: ExportedColumn, sql: Dialect) -> str:
    """Return the cell without blanks around it."""
    if column.moment:
        return sql.text.replace("{x}", x)
    if not column.is_number:
        return (sql.text if column.origin else sql.plain).replace("{x}", x)
    form = _format(column)
    pattern = sql.cell if form == NumberFormat() else sql.typed
    return pattern.replace("{decimal}", form.decimal).replace("{x}", x)


def _present(x: str, column: ExportedColumn, sql: Dialect) -> str:
    """Return the cell, or NULL where it is missing; a number written without marks and with a decimal point."""
    if column.moment:
        x = f"LOWER({x})"
    if column.origin is None:
        return x
    plain = _plain(x, _format(column), sql) if column.is_number else x
    if not column.origin.missing:
        return plain
    marks = [text.lower() if column.moment else text for text in column.origin.missing]
    texts = list(map(sql.literal, dict.fromkeys(marks)))
    return f"CASE WHEN {x} IN ({', '.join(texts)}) THEN NULL ELSE {plain} END"


def _plain(x: str, form: NumberFormat, sql: Dialect) -> str:
    if form.decorated and not sql.bare:
        raise ValueError(
            f"{sql.label} has no words for numbers with signs of currency or percent: choose another dialect"
        )
    cell, x = x, sql.bare.replace("{x}", x) if form.decorated else x
    for mark in MARKS[form.thousands] if form.thousands else "":
        x = f"REPLACE({x}, {sql.literal(mark)}, '')"
    if form.decimal == ",":
        x = f"REPLACE(REPLACE({x}, '.', '?'), ',', '.')"
    if form.percent:
        x = sql.scaled.replace("{plain}", x).replace("{cell}", cell)
    return x


def _value(x: str, column: ExportedColumn, sql: Dialect) -> str:
    """Return the number, or the name of the category."""
    if column.is_number:
        limit = repr(MAX_NUMBER if column.origin else sys.float_info.max)
        return sql.number.replace("{limit}", limit).replace("{x}", x)
    if column.spellings:
        cases = (f"WHEN {x} = {sql.literal(text)} THEN {sql.literal(name)}" for text, name in column.spellings)
        return f"CASE {' '.join(cases)} ELSE {x} END"
    if column.pool is None:
        return x
    pool, members = sql.literal(column.pool), ", ".join(map(sql.literal, column.pooled))
    return f"CASE WHEN {x} IN ({members}) THEN {pool} WHEN {x} = {pool} THEN NULL ELSE {x} END"


def _format(column: ExportedColumn) -> NumberFormat:
    return (column.origin and column.origin.format) or NumberFormat()


Namer = Callable[[str], str]
Steps = list[dict[str, str]]  # each: the names of new columns, and their expressions of earlier ones
DATE_FIELDS = ("y", "m", "d", "H", "M", "S", "half", "zone")
EPOCH = 719_468  # days from the first of March of year 0, where counting begins here, to the beginning of 1970
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

    def at(name: str) -> str:  # databases tell no small letter from a capital one
        return prefix + re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", name)

    if moment.part == DURATION:
        return [*_lasting(x, at, sql), {at("value"): f"{at('seconds')} / {float(moment.unit)}"}]
    is_clock = moment.part == CLOCK
    read = [*_fields(x, moment, at, sql), _numbers(at, sql, is_clock), *_time(at)]
    if is_clock:
        return [*read, {at("value"): f"{at('time')} / {float(moment.unit)}"}]
    time = f"CASE WHEN {at('H')} IS NULL THEN 0e0 ELSE {at('time')} END"
    seconds = f"{float(DAY)} * {at('days')} + {time} - {at('ahead')}"
    return [*read, *_days(at), {at("seconds"): seconds}, *_features(moment, at, sql)]


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


def _numbers(at: Namer, sql: Dialect, is_clock: bool) -> dict[str, str]:
    """Return the texts as numbers: the month by its name, the year of two digits in its century."""

    def real(x: str) -> str:
        return sql.real.replace("{x}", x)

    numbers = {at(f"n{name}"): real(at(name)) for name in "HM"}
    numbers[at("nM")] = f"COALESCE({numbers[at('nM')]}, 0e0)"  # "7 am"
    numbers[at("nS")] = f"COALESCE({real(_replace(at('S'), ',', '.'))}, 0e0)"
    if is_clock:
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

"""The part of exported SQL that reads the cells of a row, in steps: trimmed texts; missing values.

Numbers, pools.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Mapping, Sequence

from espalier.data.dataset import Feature
from espalier.data.errors import exact_number
from espalier.data.options import Moment, NumberFormat
from espalier.export.columns import ExportedColumn, asked_features, unique
from espalier.export.dialects import DIALECTS, Dialect, reals
from espalier.export.sql_moments import check_moments, steps
from espalier.kinds import SomeTree
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
    return ", ".join(text for x in numbers if x is not None for text in _literals(x))


def _literals(x: float) -> tuple[str, ...]:
    return (str(x),) if isinstance(x, int) and abs(x) < 2**53 else reals(float(x))


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

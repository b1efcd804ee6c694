"""Dialects of SQL: how each quotes names and texts, and reads a cell as a text or a number."""

from __future__ import annotations

import math
import string
from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

NEAR_MIDDLE = Decimal("0.49")  # of the distance to the next double
NUMBER = "^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"
BLANKS = (
    r"\u001c-\u001f\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"  # blanks that \s does not cover
)
CODES = (*range(9, 14), *range(28, 33), 133, 160, 5760, *range(8192, 8203), 8232, 8233, 8239, 8287, 12288)


PERCENT = "CASE WHEN REPLACE({cell}, '%', '') = {cell} THEN '' ELSE 'e-2' END"


class Dialect(NamedTuple):
    """The syntax of a database; in the patterns, {x} is the column."""

    label: str
    plain: str  # the cell as a text, as it is
    text: str  # the same without blanks around it
    cell: str  # a cell that may be a number, without blanks; the minus sign becomes a hyphen
    typed: str  # the same in the file's format, {decimal} its decimal mark, where the database has numbers
    number: str  # the number in such a cell; NULL if it is none, or beyond {limit}
    bare: str = ""  # the number in a cell with signs of currency or percent, or brackets; empty: not supported
    scaled: str = f"{{plain}} || {PERCENT}"  # the number {plain}, a hundredth where the {cell} is in percent
    quote: str = '"'  # around names
    escapes: bool = False  # whether a backslash in a text means something
    note: str = ""  # a comment at the head of the source
    real: str = ""  # a text of digits in a date as a number; empty: there are no dates, times and durations
    part: str = ""  # {part} of the date {days} days after the beginning of 1970: YEAR, MONTH or DAY
    group: str = ""  # the group {i} of the pattern {p}, NULL where there is none; empty: there are no patterns
    place: str = "STRPOS('{list}', {x})"  # of a text in a list

    def name(self, name: str) -> str:
        """Return the name of a column between quotes."""
        return self.quote + name.replace("\0", "").replace(self.quote, 2 * self.quote) + self.quote

    def literal(self, text: str) -> str:
        """Return the text between quotes."""
        text = text.replace("\0", "").replace("'", "''")
        return "'" + (text.replace("\\", "\\\\") if self.escapes else text) + "'"


SIGNS = string.ascii_letters + "$€£¥₹₽₩₺₪฿₫₴₦₱₿¢%łč()+−- \u00a0\u202f"  # characters that may surround a number
DOTLESS = "{x}"
for _letter in "rRsS":  # of "kr.", "Fr." and "Rs."
    DOTLESS = f"REPLACE({DOTLESS}, '{_letter}.', '{_letter}')"
BELOW = "{x} LIKE '%(%' OR ({x} LIKE '%-%' AND SUBSTR({x}, 1, 1) NOT BETWEEN '0' AND '9')"
BARE = f"CASE WHEN {BELOW} THEN '-' ELSE '' END || TRIM({DOTLESS}, '{SIGNS}')"
STANDARD = "TRIM(CAST({x} AS VARCHAR(4000)))"
POSTGRESQL = rf"REGEXP_REPLACE(CAST({{x}} AS TEXT), '^[\s{BLANKS}]+|[\s{BLANKS}]+$', '', 'g')"
SQLITE = f"TRIM({{x}}, char({', '.join(map(str, CODES))}))"
DUCKDB = r"REGEXP_REPLACE({x}, '^[\s\x0b\x1c-\x1f\x{85}\p{Z}]+|[\s\x0b\x1c-\x1f\x{85}\p{Z}]+$', '', 'g')"
MYSQL = "REGEXP_REPLACE(CONVERT({x} USING utf8mb4), '^[[:space:]]+|[[:space:]]+$', '')"
HYPHEN = "REPLACE({text}, '−', '-')"
DUCKDB_TEXT = DUCKDB.replace("{x}", "CAST({x} AS VARCHAR)")
# In numbers of 32 bits the shortest text is that of another double. Truth values are 1 and 0.
DUCKDB_NUMBER = (
    "WHEN TYPEOF({x}) = 'BOOLEAN' THEN CAST(TRY_CAST({x} AS INTEGER) AS VARCHAR) "
    "WHEN TYPEOF({x}) = 'FLOAT' THEN {float}"
)
DUCKDB_FLOAT = "CAST(TRY_CAST({x} AS DOUBLE) AS VARCHAR)"
DUCKDB_TYPED_FLOAT = f"REPLACE({DUCKDB_FLOAT}, '.', '{{decimal}}')"
DUCKDB_CELL = (
    f"CASE WHEN TYPEOF({{x}}) = 'VARCHAR' THEN {{text}} {DUCKDB_NUMBER.replace('{float}', DUCKDB_FLOAT)} "
    "ELSE REGEXP_REPLACE(CAST({x} AS VARCHAR), '[.]0$', '') END"
)
POSTGRESQL_NUMBER = (
    "WHEN 'boolean' THEN CASE CAST({x} AS TEXT) WHEN 'true' THEN '1' WHEN 'false' THEN '0' END "
    "WHEN 'real' THEN {float}"
)
POSTGRESQL_FLOAT = "CAST(CAST(CAST(CAST({x} AS TEXT) AS REAL) AS DOUBLE PRECISION) AS TEXT)"
POSTGRESQL_TYPED_FLOAT = f"REPLACE({POSTGRESQL_FLOAT}, '.', '{{decimal}}')"
DAY = "(DATE '1970-01-01' + CAST({days} AS INTEGER))"
TYPES = "('text', 'character varying', 'character')"
DIALECTS: Mapping[str, Dialect] = {
    "standard": Dialect(
        "standard SQL",
        plain="CAST({x} AS VARCHAR(4000))",
        text=STANDARD,
        cell=HYPHEN.replace("{text}", STANDARD),
        typed=HYPHEN.replace("{text}", STANDARD),
        number="CASE WHEN ABS(CAST({x} AS DOUBLE PRECISION)) <= {limit} THEN CAST({x} AS DOUBLE PRECISION) END",
        note="Where your database has a dialect of its own, choose that: here blanks are spaces only, and a "
        "text that is no number is an error, or what your database makes of it.",
        real="CAST({x} AS DOUBLE PRECISION)",
        part="EXTRACT({part} FROM (DATE '1970-01-01' + CAST({days} AS INTEGER) * INTERVAL '1' DAY))",
        place="POSITION({x} IN '{list}')",
    ),
    "postgresql": Dialect(
        "PostgreSQL",
        plain="CAST({x} AS TEXT)",
        text=POSTGRESQL,
        cell=f"CASE CAST(PG_TYPEOF({{x}}) AS TEXT) {POSTGRESQL_NUMBER.replace('{float}', POSTGRESQL_FLOAT)} "
        f"ELSE {HYPHEN.replace('{text}', POSTGRESQL)} END",
        typed=f"CASE WHEN CAST(PG_TYPEOF({{x}}) AS TEXT) IN {TYPES} "
        f"THEN {HYPHEN.replace('{text}', POSTGRESQL)} ELSE CASE CAST(PG_TYPEOF({{x}}) AS TEXT) "
        f"{POSTGRESQL_NUMBER.replace('{float}', POSTGRESQL_TYPED_FLOAT)} "
        "ELSE REPLACE(CAST({x} AS TEXT), '.', '{decimal}') END END",
        number=f"CASE WHEN {{x}} ~ '{NUMBER}' THEN "
        "CASE WHEN ABS(CAST({x} AS NUMERIC)) <= {limit} THEN CAST({x} AS DOUBLE PRECISION) END END",
        bare=BARE.replace("TRIM", "BTRIM"),
        real="CAST({x} AS DOUBLE PRECISION)",
        part=f"CAST(EXTRACT({{part}} FROM {DAY}) AS DOUBLE PRECISION)",
        group="NULLIF((REGEXP_MATCH({x}, '{p}'))[{i}], '')",
    ),
    "sqlite": Dialect(
        "SQLite",
        plain="CAST({x} AS TEXT)",
        text=SQLITE,
        cell=f"CASE typeof({{x}}) WHEN 'text' THEN {HYPHEN.replace('{text}', SQLITE)} ELSE {{x}} END",
        typed=f"CASE typeof({{x}}) WHEN 'text' THEN {HYPHEN.replace('{text}', SQLITE)} WHEN 'null' THEN NULL "
        "ELSE REPLACE(printf('%!.17g', {x}), '.', '{decimal}') END",
        number="CASE WHEN {x} BETWEEN CAST(-{limit} AS REAL) AND CAST({limit} AS REAL) THEN CAST({x} AS REAL) END",
        bare=BARE,
    ),
    "duckdb": Dialect(
        "DuckDB",
        plain="CAST({x} AS VARCHAR)",
        text=DUCKDB_TEXT,
        cell=DUCKDB_CELL.replace("{text}", HYPHEN.replace("{text}", DUCKDB_TEXT)),
        typed=f"CASE WHEN TYPEOF({{x}}) = 'VARCHAR' THEN {HYPHEN.replace('{text}', DUCKDB_TEXT)} "
        f"{DUCKDB_NUMBER.replace('{float}', DUCKDB_TYPED_FLOAT)} "
        "ELSE REPLACE(CAST({x} AS VARCHAR), '.', '{decimal}') END",
        number="CASE WHEN ABS(TRY_CAST({x} AS DOUBLE)) <= {limit} THEN TRY_CAST({x} AS DOUBLE) END",
        bare=BARE,
        real="CAST({x} AS DOUBLE)",
        part=f"CAST(EXTRACT({{part}} FROM {DAY}) AS DOUBLE)",
        group="NULLIF(REGEXP_EXTRACT({x}, '{p}', {i}), '')",
    ),
    "mysql": Dialect(
        "MySQL",
        plain="CONVERT({x} USING utf8mb4) COLLATE utf8mb4_bin",
        text=f"{MYSQL} COLLATE utf8mb4_bin",
        cell=f"{HYPHEN.replace('{text}', MYSQL)} COLLATE utf8mb4_bin",
        typed=f"{HYPHEN.replace('{text}', MYSQL)} COLLATE utf8mb4_bin",
        number=f"CASE WHEN {{x}} REGEXP '{NUMBER}' AND ABS(CAST({{x}} AS DOUBLE)) <= {{limit}} "
        "THEN CAST({x} AS DOUBLE) END",
        bare=f"CONCAT(CASE WHEN {BELOW} THEN '-' ELSE '' END, "
        f"REGEXP_REPLACE({DOTLESS}, '^[^0-9.,]+|[^0-9]+$', ''))",
        scaled=f"CONCAT({{plain}}, {PERCENT})",
        quote="`",
        escapes=True,
        note="For MySQL 8.0.17 or later in its default mode, in which a backslash escapes; MariaDB lets no "
        "subquery refer to t. A column whose numbers have a decimal comma or marks between thousands must hold "
        "the texts of the file; one of FLOAT must be DOUBLE, since MySQL shows six digits of it.",
    ),
}


def real(x: float) -> str:
    """Return the number as a literal of floating point: without an exponent, SQL reads a decimal fraction.

    SQLite may round what lies in the middle between two doubles to either: the few numbers whose shortest text is
    close to a middle have more digits.
    """
    text = repr(x)
    if math.isfinite(x) and abs(Decimal(text) - Decimal(x)) > Decimal(math.ulp(x)) * NEAR_MIDDLE:
        text = f"{x:.18g}"
    return _floating(text)


def reals(x: float) -> tuple[str, ...]:
    """Return the literals of a number and, where it is another, of the text that a cell may have for it."""
    return tuple(dict.fromkeys((real(x), _floating(repr(x)))))


def _floating(text: str) -> str:
    return text if "e" in text else f"{text}e0"


def dialect(name: str) -> Dialect:
    """Return the dialect of this name. Raises ValueError, with the list of dialects, for an unknown one."""
    if name not in DIALECTS:
        raise ValueError(f"no SQL dialect is named {name!r}: choose one of {', '.join(DIALECTS)}")
    return DIALECTS[name]

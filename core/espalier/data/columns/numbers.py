"""Number formats: decimal marks, thousands separators, signs of currencies and percent, brackets.

A column is money or percent if every cell is a number with at most one sign of one currency (or, in every cell,
"%") before or after it. Brackets around a number mean a minus, as in accounting, unless all cells have them:
"(12)" is −12, "$1,234.50" is 1234.5. A number in percent is a fraction, as spreadsheets and formats with types
store it, to the last bit: "33.3 %" is the number nearest to 0.333, with an exponent of two less, not a hundredth
of 33.3.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute

from espalier.data.errors import tell
from espalier.data.options import MAYBE_MISSING, MISSING, NumberFormat
from espalier.language import say

pc: Any = pyarrow.compute  # makes most of its functions at import, where type checkers cannot see them

CELLS = 500_000  # of columns that are processed together
SHORT = 4_000  # most rows of a column that is read together with others
SAMPLE_ROWS = 2_000  # sample size of guesses about number formats
SPACES = " \u00a0\u202f"
SIGN = "[+−-]?"
POWER = "([eE][+-]?\\d+)?$"
DECIMAL_POINT = rf"^{SIGN}\d*\.\d+{POWER}"
DECIMAL_COMMA = rf"^{SIGN}\d*,\d+{POWER}"
GROUP_BY_POINT = rf"^{SIGN}[1-9]\d{{0,2}}\.\d{{3}}$"  # 1.234: a decimal point or a thousands separator
GROUP_BY_COMMA = rf"^{SIGN}[1-9]\d{{0,2}},\d{{3}}$"
SURELY_POINT = rf"^{SIGN}\d{{1,3}}([,'’{SPACES}]\d{{3}})+\.\d+$|^{SIGN}\d{{1,3}}(,\d{{3}}){{2,}}$"
SURELY_COMMA = rf"^{SIGN}\d{{1,3}}([.'’{SPACES}]\d{{3}})+,\d+$|^{SIGN}\d{{1,3}}(\.\d{{3}}){{2,}}$"
GROUPS = {  # groups of three digits that only a thousands separator explains
    ",": rf"^{SIGN}[1-9]\d{{0,2}}(,\d{{3}})+(\.\d+)?$",
    ".": rf"^{SIGN}[1-9]\d{{0,2}}(\.\d{{3}})+(,\d+)?$",
    " ": rf"^{SIGN}[1-9]\d{{0,2}}([{SPACES}]\d{{3}})+([.,]\d+)?$",
    "'": rf"^{SIGN}[1-9]\d{{0,2}}(['’]\d{{3}})+([.,]\d+)?$",
}
CODE = r"^[+-]?0\d"  # 007 is a code, not a number
# Cells that are numbers or codes: of a well or a phone; and of a version, if both of the last are in a column.
POWER_OF_CODE = r"^\d+[eE]\d+$"
PHONE = rf"^\+\d[\d{SPACES}]{{6,}}$"
ONE_DECIMAL, LAST_ZERO = r"^\d{1,3}[.,]\d$", r"^\d{1,3}[.,][1-9]0$"
MAYBE_CODE = rf"{POWER_OF_CODE}|{PHONE}|{ONE_DECIMAL}|{LAST_ZERO}"
NUMBER = re.compile(r"^[+−-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?$")
PLAIN_NUMBER = r"^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$"
LOOSE = rf"^{SIGN}[.,]?\d[\d.,'’{SPACES}]*{POWER}"  # a number with any marks
FLOAT = r"^[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|(?i:inf(inity)?))$"
CURRENCY = (
    "[A-Z]{0,3}[$€£¥₹₽₩₺₪฿₫₴₦₱₿¢]|(?i:CHF|EUR|USD|GBP|JPY|CNY|RMB|INR|AUD|CAD|NZD|SEK|NOK|DKK|ISK|PLN|CZK|HUF|"
    "RON|BGN|TRY|RUB|UAH|ILS|ZAR|BRL|MXN|ARS|CLP|COP|KRW|HKD|SGD|TWD|THB|IDR|MYR|PHP|VND|AED|SAR|EGP|NGN|KES|"
    "kr\\.?|zł|Kč|Ft|lei|Rs\\.?|Fr\\.?)"
)
NUMBER_WITH_SIGNS = (
    rf"^(?P<open>\(?)[{SPACES}]*(?P<sign>{SIGN})[{SPACES}]*(?P<before>(?:{CURRENCY}|%)?)[{SPACES}]*(?P<inner>{SIGN})"
    rf"(?P<open2>\(?)[{SPACES}]*(?P<number>[.,]?\d[\d.,'’{SPACES}]*?)[{SPACES}]*"
    rf"(?P<after>(?:{CURRENCY}|%)?)[{SPACES}]*(?P<close>\)?)$"
)
WHOLE_NUMBER = re.compile(r"[+-]?\d+\.?0*")
LARGEST_EXACT = 2.0**53  # up to here a float represents every whole number
DIGITS_EXACT = 15  # of any whole number that a float represents, whatever they are
LONGEST_WHOLE = 300  # characters of whole numbers that a float can be near to
PERCENT, HUNDREDTH = "%", "e-2"
PLAIN = NumberFormat()


class DistinctCells(NamedTuple):
    """The trimmed cells of some columns, one column after the other, every distinct text once."""

    texts: pa.Array  # distinct, none missing
    codes: np.ndarray  # of all cells, int64 into `texts`; -1 where missing
    columns: np.ndarray  # of all cells: position of their column
    n_columns: int

    def count_marked(self, is_marked: np.ndarray) -> np.ndarray:
        """Return the number of cells in each column whose text is marked."""
        return np.bincount(self.columns[np.append(is_marked, False)[self.codes]], minlength=self.n_columns)

    def split(self, values: np.ndarray) -> list[np.ndarray]:
        """Return the part of each column in the values of all cells."""
        return np.split(values, np.cumsum(np.bincount(self.columns, minlength=self.n_columns))[:-1])

    def distinct(self) -> DistinctCells:
        """Return the same with every text once per column, and no missing cells."""
        is_there, n_texts = self.codes >= 0, max(len(self.texts), 1)
        keys = np.unique(self.columns[is_there] * np.int64(n_texts) + self.codes[is_there])
        return self._replace(codes=keys % n_texts, columns=keys // n_texts)


class Evidence(NamedTuple):
    """Evidence for number formats in the cells of a column, in counts of distinct cells."""

    points: int  # whose mark can only be a decimal point
    commas: int
    maybe_points: int  # 1.234
    maybe_commas: int  # 1,234
    thousands: tuple[str, ...]  # separators that explain a cell, the most frequent first
    is_decorated: bool
    is_percent: bool = False
    may_be_codes: bool = False  # whether cells such as 1E1, +4912345678, or 1.10 beside 1.1 are among them

    @property
    def mark(self) -> str:
        """The decimal mark that is surely one here; empty: none is, or both are."""
        return "" if self.points == self.commas else "." if self.points > self.commas else ","


def evidence_of(columns: dict[int, pa.Array]) -> dict[int, Evidence]:
    """Return the evidence of those columns of text cells (by position, without header) that hold numbers."""
    quick = _evidence_of_plain(list(columns.values()))
    return {
        i: e
        for (i, column), plain in zip(columns.items(), quick, strict=True)
        if (e := plain or _evidence(column))
    }


def guess_formats(
    columns: Mapping[int, Evidence],
    delimiter: str,
    usual: str = "",
    number_columns: Set[int] = frozenset(),
) -> tuple[NumberFormat, dict[int, NumberFormat], tuple[int, ...]]:
    """Guess the number formats of columns (by position): the usual one, and those of columns with another.

    After them come the positions of ambiguous columns, where 1.234 may be 1234.

    A column's own cells decide; if they are ambiguous, most cells of the file do (or `usual`). A tie means decimal
    comma in files delimited by semicolons, which come from places where it is usual. Columns at the positions
    `number_columns` have numbers that a reader wrote, with a point: they say nothing of the others.
    """
    texts = {i: evidence for i, evidence in columns.items() if i not in number_columns}
    usual = usual or _usual_decimal(list(texts.values()), delimiter)
    formats = {i: _format(evidence, usual if i in texts else ".") for i, evidence in columns.items()}
    separators = [format_.thousands for format_ in formats.values() if format_.thousands and not format_.decorated]
    ours = NumberFormat(usual, max(sorted(set(separators)), key=separators.count, default=""))
    if ours.thousands == ours.decimal:
        ours = NumberFormat(usual)
    exceptions = {i: f for i, f in formats.items() if not _is_covered(f, columns[i], ours)}
    is_settled = any(evidence.points or evidence.commas for evidence in texts.values())
    doubtful = () if is_settled else tuple(i for i, e in texts.items() if e.maybe_points or e.maybe_commas)
    return ours, exceptions, doubtful


def guess_format(cells: pa.Array, usual: str = ".") -> NumberFormat:
    """Guess the number format of one column of trimmed text cells, by those of its cells that are numbers.

    Where these leave it open, `usual` is the decimal mark.
    """
    plain = _without_signs(cells)
    evidence = _evidence_of(plain.filter(pc.match_substring_regex(plain, LOOSE)))
    format_ = _format(evidence, usual) if evidence else PLAIN
    has_sign = pc.not_equal(plain, cells)
    return format_._replace(
        decorated=n_true(has_sign) > 0, percent=n_true(pc.and_(has_sign, _percent_texts(cells))) > 0
    )


def read(cells: pa.Array, format_: NumberFormat) -> pa.Array | None:
    """Return the floats of trimmed cells; None if one is not a number."""
    if not format_.decimal:  # `options.AS_TEXT`
        return None
    plain = strip_decoration(cells) if format_.decorated else cells
    if plain is None or pc.any(pc.match_substring_regex(plain, CODE)).as_py():
        return None
    texts = _plain(plain, format_)
    try:
        floats = pc.cast(_scale_numbers(texts, cells, format_), pa.float64())
    except pa.ArrowInvalid:
        return None
    if has_inexact(texts, floats):
        return None
    return pc.add(floats, 0.0) if format_.decorated else floats  # "(0)" is 0, not −0


def has_inexact(plain: pa.Array, floats: pa.Array) -> bool:
    """Return whether a whole number, written without marks between thousands, has digits that its float has not.

    Such are codes: 1009513310189256287 and 1009513310189256288 are one float.
    """
    low, high = pc.min_max(floats).as_py().values()
    if low is None or max(-low, high) < LARGEST_EXACT:
        return False
    far = plain.filter(pc.greater_equal(pc.abs(floats), LARGEST_EXACT))
    return any(map(is_inexact, pc.unique(far).to_pylist()))


def is_inexact(text: str | None) -> bool:
    """Return whether a text is that of a whole number, and its float is another number.

    >>> [is_inexact(text) for text in ("9007199254740993", "9007199254740992", "6.02e23", "1" * 400)]
    [True, False, False, True]
    """
    if text is None or not WHOLE_NUMBER.fullmatch(text):
        return False
    digits = text.partition(".")[0]
    return len(digits) > LONGEST_WHOLE or int(float(digits)) != int(digits)


def read_some(cells: pa.Array, format_: NumberFormat) -> pa.Array:
    """Return the floats of trimmed cells; missing if a cell is not a number."""
    plain = _scale_numbers(_plain(_without_signs(cells) if format_.decorated else cells, format_), cells, format_)
    is_number = pc.match_substring_regex(plain, FLOAT)
    return pc.cast(pc.if_else(is_number, plain, pa.scalar(None, pa.string())), pa.float64())


def strip_decoration(cells: pa.Array) -> pa.Array | None:
    """Return the cells without signs of one currency or percent, "-" for brackets; None if impossible."""
    parts = pc.extract_regex(cells, NUMBER_WITH_SIGNS)
    if parts.null_count > cells.null_count or not _is_one_unit(parts):
        return None
    return _sign_numbers(parts)


def example(column: pa.Array, format_: NumberFormat) -> tuple[str, float] | None:
    """Return a cell of a numeric column with a sign or separator, and the number that it is read as."""
    cells = sample(column)
    mark = GROUPS.get(format_.thousands, "^$")
    strange = pc.invert(pc.match_substring_regex(cells, LOOSE)) if format_.decorated else False
    hits = present(cells.filter(pc.or_(pc.match_substring_regex(cells, mark), strange)))
    pairs = zip(hits.to_pylist(), read_some(hits, format_).to_pylist(), strict=True)
    return next((pair for pair in pairs if pair[1]), None)


def mixed_signs(cells: pa.Array) -> list[str]:
    """Return signs of currencies and percent that only some numeric cells have; empty if cells are not numbers."""
    parts = pc.extract_regex(cells, NUMBER_WITH_SIGNS)
    if parts.null_count > cells.null_count or not len(cells):
        return []
    return sorted(_units(parts) - {""})


def looks_like_number(cell: str | None) -> bool:
    """Return whether the cell is a number with a point or a comma."""
    return bool(cell) and NUMBER.match(cell.strip()) is not None


def mostly_numbers(cells: pa.Array) -> bool:
    """Return whether nine in ten of the non-empty cells are numbers, in any format."""
    texts = present(cells)
    plain = pc.or_(pc.match_substring_regex(texts, LOOSE), pc.match_substring_regex(texts, NUMBER_WITH_SIGNS))
    return len(texts) > 0 and n_true(plain) >= 0.9 * len(texts)


def are_mostly_numbers(columns: list[pa.Array]) -> list[bool]:
    """Return `mostly_numbers` of every column's sample."""
    results: list[bool] = []
    for cells in together(map(_some, columns)):
        is_present = _mask(pc.invert(pc.is_in(cells.texts, _signs())))
        is_number = _mask(pc.match_substring_regex(cells.texts, LOOSE))
        rest = np.flatnonzero(is_present & ~is_number)
        is_number[rest] = _mask(pc.match_substring_regex(cells.texts.take(pa.array(rest)), NUMBER_WITH_SIGNS))
        n_present = cells.count_marked(is_present)
        results += ((n_present > 0) & (cells.count_marked(is_present & is_number) >= 0.9 * n_present)).tolist()
    return results


def present(cells: pa.Array) -> pa.Array:
    """Return the cells that are neither missing nor a marker of missing."""
    return cells.filter(pc.and_(pc.is_valid(cells), pc.invert(pc.is_in(cells, _signs()))))


def sample(column: pa.Array) -> pa.Array:
    """Return trimmed cells from the whole length of the column."""
    return pc.utf8_trim_whitespace(_some(column))


def plain_numbers(
    columns: Sequence[pa.Array], missing: tuple[str, ...]
) -> list[tuple[np.ndarray, dict[str, int]] | None]:
    """Return `cells.read_column` of short columns, for a format that `is_plain`; None if it must be called.

    They are read together: of thousands, to read each by itself costs more than the cells.
    """
    results: list[tuple[np.ndarray, dict[str, int]] | None] = []
    for cells in together(columns):
        tell(len(results) / len(columns), say("Looking at the columns"))
        texts = cells.texts
        is_missing = _mask(pc.is_in(texts, pa.array(missing, pa.string())))
        is_code = _mask(pc.match_substring_regex(texts, CODE))
        is_number = _mask(pc.match_substring_regex(texts, PLAIN_NUMBER)) & ~is_code & ~is_missing
        floats = np.full(len(texts) + 1, np.nan)  # the last represents empty cells
        numbers = pc.cast(texts.filter(pa.array(is_number)), pa.float64())
        floats[:-1][is_number] = numbers.to_numpy(zero_copy_only=False)
        for place in np.flatnonzero(np.abs(floats[:-1]) >= LARGEST_EXACT):
            is_number[place] = not is_inexact(texts[place].as_py())
        fits = np.append(is_number | is_missing, True)[cells.codes]
        markers = np.where(np.append(is_missing, False)[cells.codes], cells.codes, -1)
        for values, all_fit, marks in zip(*map(cells.split, (floats[cells.codes], fits, markers)), strict=True):
            if not all_fit.all() or np.isnan(values).all():
                results.append(None)
                continue
            counts = Counter(marks[marks >= 0].tolist())  # in order of first occurrence
            results.append((values, {texts[code].as_py(): n for code, n in counts.items()}))
    return results


def may_miss(columns: Sequence[pa.Array]) -> list[bool]:
    """Return which of the columns hold a text that often means missing (for long ones: perhaps)."""
    short = [i for i, column in enumerate(columns) if len(column) <= SHORT]
    is_missing = [
        bool(some.any())
        for cells in together(columns[i] for i in short)
        for some in cells.split(
            np.append(_mask(pc.is_in(cells.texts, pa.array(MAYBE_MISSING, pa.string()))), False)[cells.codes]
        )
    ]
    return list((dict.fromkeys(range(len(columns)), True) | dict(zip(short, is_missing, strict=True))).values())


def is_plain(format_: NumberFormat) -> bool:
    """Return whether the format has no mark but a decimal point."""
    return format_.decimal == "." and not format_.decorated


def together(columns: Iterable[pa.Array]) -> Iterator[DistinctCells]:
    """Yield the cells of the columns, in their order and in parts of limited size."""
    part: list[pa.Array] = []
    n_cells = 0
    for column in columns:
        part.append(column)
        n_cells += len(column)
        if n_cells >= CELLS:
            yield _distinct_cells(part)
            part, n_cells = [], 0
    if part:
        yield _distinct_cells(part)


def trimmed_texts(values: Any) -> pa.Array:
    """Return the cells of a column as texts, without blanks around them; missing ones stay missing."""
    if isinstance(values, pa.Array):
        return pc.utf8_trim_whitespace(values)
    return pc.utf8_trim_whitespace(pa.array(values.astype("str"), pa.string(), from_pandas=True))


def n_true(mask: pa.Array) -> int:
    """Return the number of cells of which a mask is true."""
    return pc.sum(mask).as_py() or 0


def _distinct_cells(part: list[pa.Array]) -> DistinctCells:
    dictionary = pc.utf8_trim_whitespace(pa.concat_arrays(part)).dictionary_encode()
    codes = dictionary.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    columns = np.repeat(np.arange(len(part)), [len(column) for column in part])
    return DistinctCells(dictionary.dictionary, codes, columns, len(part))


def _some(column: pa.Array) -> pa.Array:
    step = max(len(column) // SAMPLE_ROWS, 1)
    return column if step == 1 else column.take(pa.array(np.arange(0, len(column), step)))


def _evidence_of_plain(columns: list[pa.Array]) -> list[Evidence | None]:
    """Return the `_evidence` of short columns of plain numbers (12, −3.5, 1e-4); None for the others."""
    clues: list[Evidence | None] = []
    for all_cells in together(map(_some, columns)):
        cells = all_cells.distinct()
        is_present = _mask(pc.invert(pc.is_in(cells.texts, _signs())))
        is_plain = is_present & _mask(pc.match_substring_regex(cells.texts, PLAIN_NUMBER))
        n_points = cells.count_marked(is_plain & _mask(pc.match_substring_regex(cells.texts, DECIMAL_POINT)))
        n_groups = cells.count_marked(is_plain & _mask(pc.match_substring_regex(cells.texts, GROUP_BY_POINT)))
        fits = (cells.count_marked(is_present) == cells.count_marked(is_plain)) & (
            cells.count_marked(is_plain) > 0
        )
        codes = _may_be_codes(cells)
        for is_known, points, maybe, may_be in zip(fits, n_points.tolist(), n_groups.tolist(), codes, strict=True):
            thousands = (".",) if maybe and points == maybe else ()
            evidence = Evidence(points - maybe, 0, maybe, 0, thousands, False, False, may_be)
            clues.append(evidence if is_known else None)
    return [e if len(column) < 2 * SAMPLE_ROWS else None for e, column in zip(clues, columns, strict=True)]


def _may_be_codes(cells: DistinctCells) -> list[bool]:
    """Return which columns have cells that may be codes."""
    maybe = _mask(pc.match_substring_regex(cells.texts, MAYBE_CODE))
    places = np.flatnonzero(maybe)
    texts = cells.texts.take(pa.array(places))

    def count_matches(pattern: str) -> np.ndarray:
        mask = np.zeros(len(maybe), bool)
        mask[places] = _mask(pc.match_substring_regex(texts, pattern))
        return cells.count_marked(mask)

    if not len(places):
        return [False] * cells.n_columns
    versions = (count_matches(ONE_DECIMAL) > 0) & (count_matches(LAST_ZERO) > 0)
    return (versions | (count_matches(f"{POWER_OF_CODE}|{PHONE}") > 0)).tolist()


def _evidence(column: pa.Array) -> Evidence | None:
    """Return the evidence of a column; None for a column of words."""
    clues = _evidence_of(sample(column))
    if clues and len(column) >= 2 * SAMPLE_ROWS and read_all(column, _format(clues, ".")) is None:
        return _evidence_of(pc.utf8_trim_whitespace(column))  # rare cells may be missing from the sample
    return clues


def _evidence_of(cells: pa.Array) -> Evidence | None:
    words = pc.unique(present(cells))
    loose = _matching(words, LOOSE)
    plain = strip_decoration(words) if loose < len(words) else None
    if plain is None and loose < 0.9 * len(words):
        return None
    texts, words = words, words if plain is None else plain
    maybe = _matching(words, GROUP_BY_POINT), _matching(words, GROUP_BY_COMMA)
    points = _matching(words, DECIMAL_POINT) - maybe[0] + _matching(words, SURELY_POINT)
    commas = _matching(words, DECIMAL_COMMA) - maybe[1] + _matching(words, SURELY_COMMA)
    groups = {mark: n for mark, pattern in GROUPS.items() if (n := _matching(words, pattern))}
    thousands = sorted((mark for mark in groups if _explains(words, mark)), key=lambda mark: -groups[mark])
    if plain is not None:
        is_percent = n_true(_percent_texts(texts)) > 0
        return Evidence(points, commas, *maybe, tuple(thousands), True, is_percent)
    versions = _matching(words, ONE_DECIMAL) and _matching(words, LAST_ZERO)
    may_be_codes = bool(versions or _matching(words, f"{POWER_OF_CODE}|{PHONE}"))
    return Evidence(points, commas, *maybe, tuple(thousands), False, False, may_be_codes)


def read_all(column: pa.Array, format_: NumberFormat) -> pa.Array | None:
    """Return the floats of a column; None if a cell is neither a number nor a usual marker of missing."""
    return read(present(pc.utf8_trim_whitespace(column)), format_)


def _usual_decimal(evidence: list[Evidence], delimiter: str) -> str:
    points, commas = sum(e.points for e in evidence), sum(e.commas for e in evidence)
    if points != commas:
        return "," if commas > points else "."
    maybe = commas or any(e.maybe_commas for e in evidence)
    return "," if delimiter == ";" and maybe else "."


def _format(evidence: Evidence, usual: str) -> NumberFormat:
    decimal = evidence.mark or usual
    thousands = next((mark for mark in evidence.thousands if mark != decimal), "")
    return NumberFormat(decimal, thousands, evidence.is_decorated, evidence.is_percent)


def _is_covered(format_: NumberFormat, evidence: Evidence, usual: NumberFormat) -> bool:
    """Return whether the usual format reads the column as its own one does."""
    has_marks = evidence.points or evidence.commas or evidence.maybe_points or evidence.maybe_commas
    same_decimal = format_.decimal == usual.decimal or not (has_marks or format_.thousands)
    return not format_.decorated and same_decimal and format_.thousands in ("", usual.thousands)


def _explains(cells: pa.Array, mark: str) -> bool:
    """Return whether the mark is always in a possible place of a thousands separator."""
    other = DECIMAL_POINT if mark == "." else DECIMAL_COMMA if mark == "," else None
    if other is None:
        return True
    loose = pc.and_(
        pc.match_substring_regex(cells, other), pc.invert(pc.match_substring_regex(cells, GROUPS[mark]))
    )
    return not pc.any(loose).as_py()


def _plain(cells: pa.Array, format_: NumberFormat) -> pa.Array:
    """Return the cells with a decimal point and no thousands separator; real minus signs as hyphens."""
    if format_.thousands:
        pattern = {" ": f"[{SPACES}]", "'": "['’]"}.get(format_.thousands, re.escape(format_.thousands))
        is_grouped = pc.match_substring_regex(cells, GROUPS[format_.thousands])
        cells = pc.if_else(is_grouped, pc.replace_substring_regex(cells, pattern, ""), cells)
    if format_.decimal == ",":  # a remaining point is no decimal mark: make the cell no number
        cells = pc.if_else(pc.match_substring(cells, "."), pc.binary_join_element_wise(cells, "?", ""), cells)
        cells = pc.replace_substring(cells, ",", ".", max_replacements=1)
    return pc.replace_substring(cells, "−", "-", max_replacements=1)


def _scale_numbers(plain: pa.Array, cells: pa.Array, format_: NumberFormat) -> pa.Array:
    """Return the texts of numbers, each a hundredth where its cell has the sign of percent."""
    if not format_.percent:
        return plain
    return pc.if_else(_percent_texts(cells), pc.binary_join_element_wise(plain, HUNDREDTH, ""), plain)


def _percent_texts(cells: pa.Array) -> pa.Array:
    return pc.match_substring(cells, PERCENT)


def _is_one_unit(parts: pa.Array) -> bool:
    """Return whether cells have at most one currency, "%" in all or none, and paired brackets, but not in all."""
    parts = parts.drop_null()
    units = _units(parts)
    brackets = pc.binary_join_element_wise(pc.struct_field(parts, "open"), pc.struct_field(parts, "open2"), "")
    pairs = pc.equal(pc.binary_length(brackets), pc.binary_length(pc.struct_field(parts, "close")))
    only_brackets = units <= {""} and pc.all(pc.equal(brackets, "(")).as_py()
    is_one = len(units - {""}) <= 1 and (units == {PERCENT} or PERCENT not in "".join(units))
    return is_one and pc.all(pairs).as_py() and not only_brackets


def _units(parts: pa.Array) -> set[str]:
    """Return the text before and after the numbers, in capitals."""
    both = pc.binary_join_element_wise(pc.struct_field(parts, "before"), pc.struct_field(parts, "after"), " ")
    return {(unit or "").strip().upper() for unit in pc.unique(both).to_pylist()}


def _without_signs(cells: pa.Array) -> pa.Array:
    """Return the cells without signs."""
    parts = pc.extract_regex(cells, NUMBER_WITH_SIGNS)
    return pc.if_else(pc.is_valid(parts), _sign_numbers(parts), cells)


def _sign_numbers(parts: pa.Array) -> pa.Array:
    bracket, sign, inner = (pc.struct_field(parts, name) for name in ("open", "sign", "inner"))
    marks = pc.binary_join_element_wise(bracket, pc.struct_field(parts, "open2"), sign, inner, "")
    is_minus = pc.match_substring_regex(marks, "^[(−-]$")
    number = pc.struct_field(parts, "number")
    strange = pc.greater(pc.utf8_length(marks), 1)  # two signs are no number
    number = pc.if_else(strange, pc.binary_join_element_wise("?", number, ""), number)
    number_ = pc.if_else(is_minus, pc.binary_join_element_wise("-", number, ""), number)
    return pc.if_else(pc.is_valid(parts), number_, pa.scalar(None, pa.string()))


def _signs() -> pa.Array:
    return pa.array((*MISSING, *MAYBE_MISSING), pa.string())


def _mask(is_true: pa.Array) -> np.ndarray:
    return np.array(is_true.to_numpy(zero_copy_only=False), dtype=bool)


def _matching(cells: pa.Array, pattern: str) -> int:
    return n_true(pc.match_substring_regex(cells, pattern))

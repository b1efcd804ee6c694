"""Convert text cells to values: header, missing markers, numbers, blocks to fill down, codes that stay text."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from espalier.data.columns import numbers, units, vocabulary
from espalier.data.columns.numbers import Evidence, n_true, pc, trimmed_texts
from espalier.data.options import AS_TEXT, MAYBE_MISSING, MISSING, NumberFormat, ReadOptions, all_guessed
from espalier.settings import MAX_NUMBER

MOSTLY_UNITS = 0.5  # share of cells with a unit from which on a column that is declared numeric has one
FEW_CELLS, MOST_SPELLINGS = 200, 16  # a column with more texts in its first cells is not one of yes and no
MOST_ROWS_OF_NAMES = 3
RULE = re.compile(r"^(:-+:?|-+:|[-=]{2,})$")  # a part of |---|:-:|
EXPLANATION = re.compile(r"""^(\[.*\]|\(.*\)|\{"ImportId".*|[°%].*)$""")  # a unit in brackets; a row of Qualtrics


def guess_header(columns: list[pa.Array]) -> tuple[bool, bool]:
    """Guess whether the first row names the columns: words over numbers, or words that never occur again.

    The second answer is whether that is certain.
    """

    def begin_with_digits(body: pa.Array) -> bool:  # nearly all cells: dates, times, amounts with units, codes
        cells = numbers.present(numbers.sample(body))
        leading = n_true(pc.match_substring_regex(cells, r"^[+−-]?\d"))
        return len(cells) > 1 and leading >= 0.9 * len(cells)

    first = [(column[0].as_py() or "").strip() if len(column) else "" for column in columns]
    bodies = [column.slice(1) for column in columns]
    over = [cell for cell, fits in zip(first, numbers.are_mostly_numbers(bodies), strict=True) if fits]
    names = [cell for cell in over if not _may_stand_among_numbers(cell)]
    if n_numbers := sum(map(numbers.looks_like_number, first)):
        fits = not names and n_numbers == sum(map(numbers.looks_like_number, over))
        return _counts_up(first), fits and not _counts_up(first) and not _are_years(first)
    if over:
        return True, bool(names)
    led = [cell for cell, body in zip(first, bodies, strict=True) if cell and begin_with_digits(body)]
    if not all(re.search(r"\d", cell) or _may_stand_among_numbers(cell) for cell in led):
        return True, True
    names = [cell for cell in first if cell]
    n_again = sum(
        cell in numbers.sample(body).to_pylist() for cell, body in zip(first, bodies, strict=True) if cell
    )
    return bool(names) and len(set(names)) == len(names) and n_again < len(names) / 2, False


def n_rows_of_names(columns: list[pa.Array]) -> int:
    """Return how many rows below the names explain them: units, long texts, rules of dashes; up to three.

    Such a row has words, two at least or one in brackets, over columns of numbers, and no text that comes again.
    """
    for n in range(MOST_ROWS_OF_NAMES, 0, -1):
        rows = list(zip(*(column.slice(0, n).to_pylist() for column in columns), strict=True))
        have_words = all(any(row) and not any(map(numbers.looks_like_number, row)) for row in rows)
        if len(rows) == n and have_words and len(columns[0]) >= n + 3:
            bodies = [column.slice(n) for column in columns]
            are_numbers = numbers.are_mostly_numbers(bodies)
            if all(_explains(row, bodies, are_numbers) for row in rows):
                return n
    return 0


def guess_missing(columns: dict[int, pa.Array], options: ReadOptions) -> tuple[str, ...]:
    """Return markers of missing cells: the certain ones, and doubtful ones if the rest of a column is numeric."""
    markers = set()
    may_miss = numbers.may_miss(list(columns.values()))
    for position, column in itertools.compress(columns.items(), may_miss):
        cells = pc.utf8_trim_whitespace(column)
        marks = cells.filter(pc.is_in(cells, pa.array(MAYBE_MISSING, pa.string())))
        doubtful = [cell for cell in pc.unique(marks).to_pylist() if cell]
        missing = (*MISSING, *doubtful)
        if doubtful and is_numeric(column, missing, options.number_format(position)):
            markers.update(doubtful)
    return (*MISSING, *(marker for marker in MAYBE_MISSING if marker in markers))


def kept_markers(values: pd.Series) -> dict[str, int]:
    """Return values of a text column that elsewhere often mean missing, with their counts."""
    counts: Any = values[values.isin(MAYBE_MISSING)]
    return {str(marker): int(n) for marker, n in counts.value_counts().items()}


def read_column(
    cells: pa.Array, missing: tuple[str, ...], format_: NumberFormat | None
) -> tuple[pd.Series, dict[str, int]]:
    """Return floats if every cell is a number (or missing, nan); otherwise words without surrounding spaces.

    Without a format the cells are words, even if all of them are digits. After them come the markers that are read
    as missing, with their numbers of cells.
    """
    cells = pc.utf8_trim_whitespace(cells)
    is_missing = pc.fill_null(pc.is_in(cells, pa.array(missing, pa.string())), False)
    counts: list[dict[str, Any]] = []
    if pc.any(is_missing).as_py():
        counts = pc.value_counts(cells.filter(is_missing)).to_pylist()
        cells = pc.if_else(is_missing, pa.scalar(None, pa.string()), cells)
    floats = numbers.read(cells, format_) if format_ else None
    values = pd.Series(cells.to_pandas(), dtype="str") if floats is None else _series(floats)
    return values, {str(c["values"]): c["counts"] for c in counts}


def spellings(values: Any) -> dict[str, str]:
    """Return the rarer spellings of yes and no in a column, each with the usual one (`vocabulary.spellings`)."""
    if values.dtype == np.float64 or values.iloc[:FEW_CELLS].nunique() > MOST_SPELLINGS:
        return {}
    return vocabulary.spellings({str(value): int(n) for value, n in values.value_counts().items()})


def is_numeric(cells: pa.Array, missing: tuple[str, ...], format_: NumberFormat) -> bool:
    """Return whether the cells are only numbers (at least one) and missing markers."""
    values, _ = read_column(cells, missing, format_)
    return values.dtype == np.float64 and bool(values.notna().any())


def to_numbers(values: Any, unit: str | None = None, mark: str = "") -> pd.Series:
    """Return the floats of a column that the user declares numeric; other cells become nan.

    `unit` is that in which cells with units are read, and `mark` the decimal mark, as in `number_format`.
    """
    if pd.api.types.is_datetime64_any_dtype(values):
        return pd.Series(np.full(len(values), np.nan), values.index)
    if not pd.api.types.is_string_dtype(values):
        floats: Any = pd.to_numeric(values, errors="coerce")
        return floats.astype(np.float64)
    format_ = number_format(values, unit, mark)
    if format_.unit:
        return pd.Series(units.read(values, format_), values.index)
    return _series(numbers.read_some(trimmed_texts(values), format_)).set_axis(values.index)


def number_format(values: Any, unit: str | None = None, mark: str = "") -> NumberFormat:
    """Return the number format of a text column that the user declares numeric.

    Cells with units are read in the `unit`; None for that of most cells, if half of all have one of its dimension.
    `mark` is the decimal mark where the cells leave it open; empty for a point.
    """
    if not pd.api.types.is_string_dtype(values):
        return NumberFormat()
    unit = units.unit_of(values, MOSTLY_UNITS) if unit is None else unit
    mark = mark or "."
    return units.number_format(values, unit, mark) if unit else numbers.guess_format(trimmed_texts(values), mark)


def apply_unit(values: Any, unit: str, mark: str = "") -> Any:
    """Return a text column whose cells have units as floats in this one; other columns as they are."""
    return to_numbers(values, unit, mark) if unit and pd.api.types.is_string_dtype(values) else values


def not_numbers(values: Any) -> pd.Series:
    """Return the few words of a text column that is nine in ten numbers; empty for other columns."""
    present = values.dropna()
    if not numbers.mostly_numbers(numbers.sample(trimmed_texts(present))):
        return present.iloc[:0]
    words = present[to_numbers(present).isna()]
    return words if 0 < len(words) <= 0.1 * len(present) else words.iloc[:0]


def mixed_signs(values: Any) -> list[str]:
    """Return signs such as "%" that only some cells of a numeric text column have; empty for other columns."""
    cells = numbers.sample(trimmed_texts(values.dropna()))
    return numbers.mixed_signs(cells) if numbers.mostly_numbers(cells) else []


def _may_stand_among_numbers(cell: str) -> bool:
    return numbers.looks_like_number(cell) or cell in MISSING or cell in MAYBE_MISSING


def _explains(row: tuple[str | None, ...], bodies: list[pa.Array], are_numbers: list[bool]) -> bool:
    """Return whether a row is none of a table, as `n_rows_of_names` says."""
    cells = [(cell or "").strip() for cell in row]
    if all(RULE.match(cell) for cell in cells if cell):
        return True
    over = [cell for cell, fits in zip(cells, are_numbers, strict=True) if fits and cell]
    if any(map(_may_stand_among_numbers, over)) or not (len(over) > 1 or any(map(EXPLANATION.match, over))):
        return False
    words = [
        (cell, body) for cell, body, fits in zip(cells, bodies, are_numbers, strict=True) if cell and not fits
    ]
    return not any(cell in numbers.sample(body).to_pylist() for cell, body in words)


def _are_years(first: list[str]) -> bool:
    """Return whether two or more numbers are ascending years, as in column names."""
    years = [int(cell) for cell in first if re.fullmatch(r"(19|20)\d\d", cell)]
    return len(years) > 1 and years == sorted(set(years))


def _series(floats: pa.Array) -> pd.Series:
    return pd.Series(floats.to_numpy(zero_copy_only=False).astype(np.float64, copy=True))


def _counts_up(first: list[str]) -> bool:
    """Return whether the cells number the columns: 0 or 1, then one more from cell to cell, to 5 at least."""
    places = [int(cell) for cell in first if cell.isdecimal() and len(cell) < 10]
    n = len(first)
    return len(places) == n > 4 and places in (list(range(n)), list(range(1, n + 1)))


# ---- columns whose value stands once for a block of rows: in the first of them, with empty cells below


FEWEST_BLOCKS = 3
FULL = 0.9  # share of the rows without the value in which another column has one


def fill_down(column: pa.Array) -> pa.Array:
    """Return the column with the value above in each empty cell.

    >>> fill_down(pa.array(["a", "", " ", "b", ""])).to_pylist()
    ['a', 'a', 'a', 'b', 'b']
    """
    is_empty = _is_empty(column)
    # Not by pyarrow's own `fill_null_forward`, which makes other texts of texts in version 21.
    above = np.maximum.accumulate(np.where(is_empty, -1, np.arange(len(column))))
    return pc.fill_null(column.take(pa.array(above, mask=above < 0)), "")


def written_once(columns: list[pa.Array]) -> list[int]:
    """Return the positions of columns that look as if their value was written once for each block of rows.

    Each block has two rows or more, the first with a value, another one than the block before. All blocks have the
    same length, or the values are words and only such columns stand to the left.
    """
    places: list[int] = []
    for place, column in enumerate(columns):
        if _is_empty(column.slice(0, 2)).tolist() == [False, True]:
            is_empty = _is_empty(column)
            is_first = len(places) == place
            if _has_blocks(column, is_empty, is_first) and _others_are_full(columns, place, is_empty):
                places.append(place)
    return places


def _has_blocks(column: pa.Array, is_empty: np.ndarray, is_first: bool) -> bool:
    starts = np.flatnonzero(~is_empty)
    lengths = np.diff(np.append(starts, len(is_empty)))
    values = column.take(pa.array(starts)).to_pylist()
    if len(starts) < FEWEST_BLOCKS or lengths[:-1].min() < 2:
        return False
    if any(a == b for a, b in itertools.pairwise(values)):
        return False
    is_regular = bool((lengths[:-1] == lengths[0]).all() and lengths[-1] <= lengths[0])
    return is_regular or (is_first and not any(map(numbers.looks_like_number, values)))


def _others_are_full(columns: list[pa.Array], place: int, is_empty: np.ndarray) -> bool:
    """Return whether rows without the value have others: they are no blank lines."""
    there = pa.array(is_empty)
    return any(
        i != place and _is_empty(other.filter(there)).sum() <= (1 - FULL) * is_empty.sum()
        for i, other in enumerate(columns)
    )


def _is_empty(column: pa.Array) -> np.ndarray:
    is_empty = pc.equal(pc.fill_null(pc.utf8_trim_whitespace(column), ""), "")
    return np.asarray(is_empty.to_numpy(zero_copy_only=False), dtype=bool)


# ---- columns of codes that look like numbers: versions, phones, wells of a plate, numbers of more than 15 digits


Sign = Literal["zeros", "digits", "other"]
Doubt = Literal["power", "version", "mark"]
PLUS_OR_DIGITS = re.compile(rf"\+?\d[\d{numbers.SPACES}]*")
WHOLE_OR_POWER = re.compile(r"\d+([eE]\d+)?")
VERSION = re.compile(r"(\d{1,3})(?:[.,](\d{1,2}))?")
MOST_VERSIONS = 60  # distinct ones of a column
THOUSANDS_MARK = re.compile(rf"(?<=\d)[.,'’{numbers.SPACES}](?=\d{{3}}(?!\d))")  # marks between thousands


# What a cell could be says little: 1E1 is a well of plate 1, or ten. The other cells of the column decide, and
# the rest of the file.
def code_in(values: Any) -> tuple[str, Sign] | None:
    """Return a code in a text column (n_rows,) whose every cell could be a number; None for any other column.

    With it comes the sign of a code: zeros in front, more digits than a float has, or any other.
    """
    cells = pc.unique(pc.utf8_trim_whitespace(pa.array(values.dropna().unique(), pa.string())))
    texts = numbers.present(cells)
    if not len(texts) or not pc.all(pc.match_substring_regex(texts, numbers.LOOSE)).as_py():
        return None
    some = texts.slice(0, numbers.SAMPLE_ROWS)
    if numbers.read_some(some, numbers.guess_format(some)).null_count:
        return None
    zeros = texts.filter(pc.match_substring_regex(texts, numbers.CODE))
    if len(zeros):
        return zeros[0].as_py(), "zeros"
    text = next(_inexact(texts), None)
    return (texts[0].as_py(), "other") if text is None else (text, "digits")


def inexact_cells(values: Any) -> list[str]:
    """Return the distinct cells of a text column, declared numeric, with more digits than its floats have."""
    return [] if values.dtype == np.float64 else list(_inexact(pc.unique(trimmed_texts(values.dropna()))))


def _inexact(texts: pa.Array) -> Iterator[str]:
    long = texts.filter(pc.greater(pc.utf8_length(texts), numbers.DIGITS_EXACT))
    return (text for text in long.to_pylist() if numbers.is_inexact(THOUSANDS_MARK.sub("", text)))


class OpenColumn(NamedTuple):
    """A column of which it is open whether its cells are numbers or codes."""

    doubt: Doubt  # 1E1; 1.10 beside 1.1; 12,14 where the rest of the file has points
    texts: tuple[str, ...]  # distinct cells, those first that raise the doubt
    is_text: bool  # whether it is text until a person says otherwise


def codes_among(
    columns: Mapping[int, pa.Array], evidence: Mapping[int, Evidence], delimiter: str
) -> tuple[dict[int, OpenColumn], frozenset[int]]:
    """Return the columns of text cells (by position, without header) of which it is open whether they are codes.

    After them come the positions of all that look numeric and are text until a person says otherwise.

    `evidence` is that of the columns; the `delimiter` is empty where the file's format has typed numbers, and its
    marks are ours.
    """
    usual = _usual_mark(evidence, delimiter)
    sure: set[int] = set()
    open_columns: dict[int, OpenColumn] = {}
    powers: dict[int, list[str]] = {}
    for i, clues in evidence.items():
        is_foreign = bool(usual and clues.mark not in ("", usual)) and not clues.is_decorated
        if not (clues.may_be_codes or is_foreign):
            continue
        texts = pc.unique(numbers.present(numbers.sample(columns[i]))).to_pylist()
        if all(map(PLUS_OR_DIGITS.fullmatch, texts)) and any(re.match(numbers.PHONE, text) for text in texts):
            sure.add(i)  # phones: whole numbers, some so long and with a plus, and none with a minus
        elif all(map(WHOLE_OR_POWER.fullmatch, texts)) and not all(map(str.isdecimal, texts)):
            powers[i] = texts  # such as 1E5, and none as only numbers are written: 2.5E3, 1e-05, -1
        elif is_foreign and _are_short_pairs(texts, clues.mark):
            is_text = clues.mark == "," and delimiter not in ("", ";")
            open_columns[i] = OpenColumn("mark", _first(texts, rf"\d+[{clues.mark}]\d+"), is_text)
        elif clues.may_be_codes and (column := _versions(texts)):
            open_columns[i] = column
    scientific = r"^[+-]?\d+[.,]\d+[eE]\d+$"  # 2.5E3: whoever wrote such numbers writes 1000 as 1E3
    others = (numbers.sample(columns[i]) for i in evidence.keys() - powers.keys())
    if powers and not any(n_true(pc.match_substring_regex(cells, scientific)) for cells in others):
        for i, texts in powers.items():
            if _are_surely_codes(texts):
                sure.add(i)
            else:
                has_capital = any("E" in text for text in texts)
                open_columns[i] = OpenColumn("power", _first(texts, r"\d+[eE]\d+"), has_capital)
    as_text = sure | {i for i, column in open_columns.items() if column.is_text}
    return dict(sorted(open_columns.items())), frozenset(as_text)


def text_columns(options: ReadOptions) -> frozenset[int]:
    """Return the positions of the columns that these options read as text, though they could be numbers."""
    return frozenset(i for i, format_ in options.formats if format_ == AS_TEXT)


def set_formats(options: ReadOptions, formats: Mapping[int, NumberFormat]) -> ReadOptions:
    """Return the options that read the columns at these positions in these formats, and all others as before."""
    usual = NumberFormat(options.decimal, options.thousands)
    all_formats = dict(options.formats) | dict(formats)
    others = {i: format_ for i, format_ in all_formats.items() if i not in formats or format_ != usual}
    return options._replace(formats=tuple(sorted(others.items())))


def guess_anew(changed: ReadOptions, options: ReadOptions) -> ReadOptions:
    """Return the changed options, open again where the guesses of the old ones were made of other cells."""
    if changed.format != options.format:
        return all_guessed(changed.format)._replace(encoding=changed.encoding)
    if changed.sheet != options.sheet:
        anew = all_guessed("excel")
        return anew._replace(sheet=changed.sheet, encoding=changed.encoding, missing=changed.missing)
    if (changed.decimal, changed.thousands) != (options.decimal, options.thousands):
        return set_formats(changed._replace(formats=()), dict.fromkeys(text_columns(options), AS_TEXT))
    if changed._replace(missing=options.missing, encoding=options.encoding) != options:
        places = changed.fill_down if changed.delimiter == options.delimiter else ()
        return changed._replace(decimal="", thousands="", formats=(), fill_down=places)
    return changed


def use_guess(
    options: ReadOptions, usual: NumberFormat, exceptions: dict[int, NumberFormat], as_text: Iterable[int]
) -> ReadOptions:
    """Return the options with these number formats, but for the columns that are text."""
    formats = tuple(sorted((exceptions | dict.fromkeys(as_text, AS_TEXT)).items()))
    return options._replace(decimal=usual.decimal, thousands=usual.thousands, formats=formats)


def _usual_mark(evidence: Mapping[int, Evidence], delimiter: str) -> str:
    """Return the decimal mark that the file is used to; empty where no two columns disagree on it.

    A file that is parted by commas, or has typed numbers, is used to points; one parted by semicolons to either.
    """
    marks = [clues.mark for clues in evidence.values() if clues.mark and not clues.is_decorated]
    points, commas = marks.count("."), marks.count(",")
    if not points or not commas:
        return ""
    if points == commas and delimiter == ";":
        return ""
    return "," if commas > points and delimiter not in ("", ",") else "."


def _are_surely_codes(texts: list[str]) -> bool:
    """Return whether powers are too large for numbers, have zeros in front, or write one number in two ways."""
    floats = [float(text) for text in texts]
    is_filled = any(re.search(r"[eE]0\d", text) for text in texts)
    return is_filled or max(floats) > MAX_NUMBER or len(set(floats)) < len(floats)


def _versions(texts: list[str]) -> OpenColumn | None:
    """Return the doubt about a column such as 1.8, 1.9, 1.10; None where only numbers are written so.

    A program writes numbers with as many decimals as they need, with a fixed number of decimals, or of digits: in
    none of these has one number a zero at the end, and another fewer decimals. People do, who write 2.5 and 2.50.
    Of a version both parts count up, so that neither is large among few, and 1.05 is none.
    """
    parts = [VERSION.fullmatch(text) for text in texts]
    if not all(parts):
        return None
    minors = [match[2] for match in parts if match and match[2]]
    majors = {match[1] for match in parts if match}
    digits = {len(text.replace(".", "").replace(",", "").lstrip("0")) for text in texts if not text.isdecimal()}
    if majors == {"0"} or len(digits) == 1 or any(len(minor) > 1 and minor[0] == "0" for minor in minors):
        return None
    is_twice = len({float(text.replace(",", ".")) for text in texts}) < len(texts)
    if len(texts) > MOST_VERSIONS or not (is_twice or max(map(int, minors)) <= len(texts) + 10):
        return None
    return OpenColumn("version", _first(texts, r"\d+[.,][1-9]0?"), all("," not in text for text in texts))


def _are_short_pairs(texts: list[str], mark: str) -> bool:
    """Return whether the mark parts two whole numbers of few digits in each cell that has it; 0.5 is a number."""
    pair = re.compile(rf"\d{{1,3}}([{mark}]\d{{1,3}})?")
    return all(map(pair.fullmatch, texts)) and not any(re.match(rf"0[{mark}]0*[1-9]", text) for text in texts)


def _first(texts: list[str], pattern: str) -> tuple[str, ...]:
    """Return the texts, those first that match the pattern, and of these the ones with a zero at the end."""
    doubtful = [text for text in texts if re.fullmatch(pattern, text)]
    zeros = [text for text in doubtful if text.endswith("0")]
    beside = [text for text in doubtful if f"{text}0" in zeros]
    return tuple(dict.fromkeys([*zeros[:1], *beside[:1], *doubtful, *texts]))

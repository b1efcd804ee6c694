"""Columns of codes that look like numbers: versions, phones, wells of a plate, numbers of more than 15 digits.

What a cell could be says little: 1E1 is a well of plate 1, or ten. The other cells of the column decide, and the
rest of the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from typing import Any, Literal, NamedTuple

import pyarrow as pa
import pyarrow.compute

from espalier.data.columns import numbers
from espalier.data.columns.numbers import Evidence
from espalier.data.options import AS_TEXT, NumberFormat, ReadOptions
from espalier.settings import MAX_NUMBER

pc: Any = pyarrow.compute  # makes most of its functions at import, where type checkers cannot see them

Sign = Literal["zeros", "digits", "other"]
Doubt = Literal["power", "version", "mark"]
PLUS_OR_DIGITS = re.compile(rf"\+?\d[\d{numbers.SPACES}]*")
WHOLE_OR_POWER = re.compile(r"\d+([eE]\d+)?")
VERSION = re.compile(r"(\d{1,3})(?:[.,](\d{1,2}))?")
MOST_VERSIONS = 60  # distinct ones of a column
GROUPED = re.compile(rf"(?<=\d)[.,'’{numbers.SPACES}](?=\d{{3}}(?!\d))")  # marks between thousands


class Code(NamedTuple):
    """A cell that makes its column text, though each of them could be a number."""

    text: str
    sign: Sign  # zeros in front, more digits than a float has, or any other


def code_in(values: Any) -> Code | None:
    """Return a code in a text column (n_rows,) whose every cell could be a number; None for any other column."""
    cells = pc.unique(pc.utf8_trim_whitespace(pa.array(values.dropna().unique(), pa.string())))
    texts = numbers.present(cells)
    if not len(texts) or not pc.all(pc.match_substring_regex(texts, numbers.LOOSE)).as_py():
        return None
    some = texts.slice(0, numbers.SAMPLE_ROWS)
    if numbers.read_some(some, numbers.guess_format(some)).null_count:
        return None
    zeros = texts.filter(pc.match_substring_regex(texts, numbers.CODE))
    if len(zeros):
        return Code(zeros[0].as_py(), "zeros")
    long = texts.filter(pc.greater(pc.utf8_length(texts), numbers.DIGITS_EXACT))
    inexact = (text for text in long.to_pylist() if numbers.is_inexact(GROUPED.sub("", text)))
    text = next(inexact, None)
    return Code(texts[0].as_py(), "other") if text is None else Code(text, "digits")


class OpenColumn(NamedTuple):
    """A column of which it is open whether its cells are numbers or codes."""

    doubt: Doubt  # 1E1; 1.10 beside 1.1; 12,14 where the rest of the file has points
    texts: tuple[str, ...]  # distinct cells, those first that raise the doubt
    is_text: bool  # whether it is text until a person says otherwise


class Codes(NamedTuple):
    """The columns of a file that may be codes, by position."""

    sure: frozenset[int]  # text, of which nobody need be asked
    open: dict[int, OpenColumn]

    @property
    def as_text(self) -> frozenset[int]:
        """The columns that are text until a person says otherwise."""
        return self.sure | {i for i, column in self.open.items() if column.is_text}


def codes_among(columns: Mapping[int, pa.Array], evidence: Mapping[int, Evidence], delimiter: str) -> Codes:
    """Return the columns of text cells (by position, without header) that may be codes, though they look numeric.

    `evidence` is that of the columns; the `delimiter` is empty where the file's format has typed numbers, and its
    marks are ours.
    """
    usual = _usual_mark(evidence, delimiter)
    sure: set[int] = set()
    open_: dict[int, OpenColumn] = {}
    powers: dict[int, list[str]] = {}
    for i, one in evidence.items():
        is_foreign = bool(usual and one.mark not in ("", usual)) and not one.is_decorated
        if not (one.may_be_codes or is_foreign):
            continue
        texts = pc.unique(numbers.present(numbers.sample(columns[i]))).to_pylist()
        if _are_phones(texts):
            sure.add(i)
        elif _are_powers(texts):
            powers[i] = texts
        elif is_foreign and _are_short_pairs(texts, one.mark):
            is_text = one.mark == "," and delimiter not in ("", ";")
            open_[i] = OpenColumn("mark", _first(texts, rf"\d+[{one.mark}]\d+"), is_text)
        elif one.may_be_codes and (column := _versions(texts)):
            open_[i] = column
    if powers and not any(_writes_powers(columns[i]) for i in evidence.keys() - powers.keys()):
        for i, texts in powers.items():
            if _are_surely_codes(texts):
                sure.add(i)
            else:
                has_capital = any("E" in text for text in texts)
                open_[i] = OpenColumn("power", _first(texts, r"\d+[eE]\d+"), has_capital)
    return Codes(frozenset(sure), dict(sorted(open_.items())))


def text_columns(options: ReadOptions) -> frozenset[int]:
    """Return the positions of the columns that these options read as text, though they could be numbers."""
    return frozenset(i for i, format_ in options.formats if format_ == AS_TEXT)


def with_texts(options: ReadOptions, positions: Set[int]) -> ReadOptions:
    """Return the options that read the columns at these positions as text, and all others as before."""
    kept = {i: format_ for i, format_ in options.formats if i not in positions}
    return options._replace(formats=tuple(sorted((kept | dict.fromkeys(positions, AS_TEXT)).items())))


def with_numbers(options: ReadOptions, formats: Mapping[int, NumberFormat]) -> ReadOptions:
    """Return the options that read the columns at these positions as numbers of these formats."""
    usual = NumberFormat(options.decimal, options.thousands)
    kept = {i: format_ for i, format_ in options.formats if i not in formats}
    kept |= {i: format_ for i, format_ in formats.items() if format_ != usual}
    return options._replace(formats=tuple(sorted(kept.items())))


def _usual_mark(evidence: Mapping[int, Evidence], delimiter: str) -> str:
    """Return the decimal mark that the file is used to; empty where no two columns disagree on it.

    A file that is parted by commas, or has typed numbers, is used to points; one parted by semicolons to either.
    """
    marks = [one.mark for one in evidence.values() if one.mark and not one.is_decorated]
    points, commas = marks.count("."), marks.count(",")
    if not points or not commas:
        return ""
    if points == commas and delimiter == ";":
        return ""
    return "," if commas > points and delimiter not in ("", ",") else "."


def _are_phones(texts: list[str]) -> bool:
    """Return whether all are whole numbers, some so long and with a plus, and none with a minus."""
    return all(map(PLUS_OR_DIGITS.fullmatch, texts)) and any(re.match(numbers.PHONE, text) for text in texts)


def _are_powers(texts: list[str]) -> bool:
    """Return whether some are written as 1E5, and none in a way in which only numbers are: 2.5E3, 1e-05, -1."""
    return all(map(WHOLE_OR_POWER.fullmatch, texts)) and not all(map(str.isdecimal, texts))


def _writes_powers(column: pa.Array) -> bool:
    """Return whether the column has numbers as 2.5E3, so that whoever wrote them writes 1000 as 1E3."""
    return pc.any(pc.match_substring_regex(numbers.sample(column), r"^[+-]?\d+[.,]\d+[eE]\d+$")).as_py() or False


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

"""Remarks on a table as read: what became missing, and what looks strange in its columns."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute

from espalier.data.columns import cells, codes, dates
from espalier.data.columns.kinds import numbers_of
from espalier.data.columns.numbers import LARGEST_EXACT, PERCENT, SAMPLE_ROWS
from espalier.data.errors import count, listed, quoted
from espalier.data.options import CODES
from espalier.language import say, to_say
from espalier.settings import MAX_NUMBER

MONTH = "(jan|feb|mar|mär|mrz|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)"
# What spreadsheets take for a date, as they store and as they show it: 2020-01-16, 16-Jan, 16. Jan, 1/16/2020.
MADE_DATE = (
    r"^\s*(\d{4}-\d\d-\d\d( 00:00:00)?|\d{1,2}(-|\. ?)"
    rf"{MONTH}\.?([- ]\d{{2,4}})?|{MONTH}\.?[- ]\d{{2,4}}|\d{{1,2}}([./])\d{{1,2}}[./]\d{{4}})\s*$"
)
DIGITS_OF_SHEETS = 15  # of a number; a workbook has 0 for all that follow
AS_TEXT_BECAUSE = {  # by what the cells are like
    "zeros": to_say(
        "Read as text, because of zeros in front: {shown}. If they count or measure something, choose number."
    ),
    "digits": to_say(
        "Read as text, digit by digit, because a number has room for 15 digits only: {shown}. If they count or "
        "measure something, choose number."
    ),
    "other": to_say(
        "Read as text, though every cell could be a number: {shown}. If they count or measure something, choose "
        "number."
    ),
}
pc: Any = pyarrow.compute  # makes most of its functions at import, where type checkers cannot see them
SMALLEST_CODE = min(abs(code) for code in CODES)


def missing_notes(missing: dict[str, dict[str, int]]) -> list[str]:
    """Return a note per text that was read as missing; `missing` has its cells by column."""
    notes = []
    for marker, columns in missing.items():
        if marker:  # empty cells need no explanation
            notes.append(
                say(
                    "{marker} is read as missing in {places}. If it is a value, remove it from “Texts read as "
                    "missing”, under “How it was read”.",
                    marker=quoted(marker),
                    places=listed([f"{quoted(name)} ({count(n)})" for name, n in columns.items()], 3),
                )
            )
    return notes


def spelling_notes(spellings: dict[str, dict[str, str]]) -> list[str]:
    """Return a note on spellings of yes and no that count as the usual ones, by column."""
    shown = [
        say("{rare} as {usual} in {name}", rare=quoted(rare), usual=quoted(usual), name=quoted(name))
        for name, spelled in spellings.items()
        for rare, usual in spelled.items()
    ]
    return [say("Capitals make no difference to yes and no: {shown}.", shown=listed(shown, 4))] if shown else []


def replace_infinite(frame: pd.DataFrame) -> list[str]:
    """Make infinite and far too large values missing, in place, with a note per column."""
    notes = []
    for name, x in numbers_of(frame):
        size = np.abs(x)
        beyond = size > MAX_NUMBER
        if beyond.any():
            frame[name] = frame[name].where(~beyond)
            notes.append(
                say(
                    "Infinite values in {name} are treated as missing: {rows}."
                    if np.isinf(size[beyond]).all()
                    else "Values beyond ±{most} in {name} are treated as missing: {rows}.",
                    name=quoted(name),
                    rows=rows_in_words(beyond),
                    most=f"{MAX_NUMBER:g}",
                )
            )
    return notes


def strange(frame: pd.DataFrame) -> list[str]:
    """Return notes on suspicious columns."""
    numbers = dict(numbers_of(frame))
    return [
        note
        for name in frame.columns
        for note in (
            _strange_numbers(name, numbers[name])
            if name in numbers
            else _strange_column(quoted(name), frame[name])
        )
    ]


def code_notes(frame: pd.DataFrame, declared: Collection[str]) -> list[str]:
    """Return notes on columns that are text though every cell could be a number, but for `declared` categories."""
    examples: dict[str, list[str]] = {sign: [] for sign in AS_TEXT_BECAUSE}
    for name in frame.columns[frame.dtypes != np.float64]:
        is_text = pd.api.types.is_string_dtype(frame[name]) and name not in declared
        if is_text and (code := codes.code_in(frame[name])) is not None:
            example = say("{text} in {name}", text=quoted(code.text), name=quoted(name))
            examples[code.sign].append(example)
    return [say(AS_TEXT_BECAUSE[sign], shown=listed(shown, 4)) for sign, shown in examples.items() if shown]


def rounded_by_sheets(frame: pd.DataFrame) -> list[str]:
    """Return a note on the columns of a workbook whose whole numbers seem to have lost digits in it."""
    names = [quoted(name) for name, x in numbers_of(frame) if _is_rounded(x)]
    if not names:
        return []
    return [
        say(
            "A workbook keeps the first 15 digits of a number. Those of {names} are longer, so numbers that "
            "differ further on may be equal here: write them as text there, or save the table as CSV before.",
            names=listed(names, 4),
        )
    ]


def _is_rounded(x: np.ndarray) -> bool:
    """Return whether numbers have 16 digits or more, and all that a workbook keeps are in use, but no others."""
    size = np.abs(x)
    far = size[(size >= 10.0**DIGITS_OF_SHEETS) & (size % 1 == 0)]
    if not len(far):
        return False
    used = [len(f"{one:.15e}".partition("e")[0].replace(".", "").rstrip("0")) for one in np.unique(far)]
    is_lost = far.max() > LARGEST_EXACT or max(used) <= DIGITS_OF_SHEETS
    return is_lost and max(used) >= DIGITS_OF_SHEETS - 1  # by chance, the last of them may be 0


def _strange_numbers(name: str, x: np.ndarray) -> list[str]:
    size = np.abs(x)
    if not (size >= SMALLEST_CODE).any():
        return []
    return _codes(quoted(name), x)


def _strange_column(name: str, values: Any) -> list[str]:
    if not pd.api.types.is_string_dtype(values):
        return []
    if made := _made_dates(name, values):
        return made
    words = cells.not_numbers(values)
    if len(words):
        shown = listed([quoted(w, 20) for w in words.unique()], 3)
        where = listed([count(row + 1) for row in words.index], 3)
        return [
            say(
                "{name} is nearly all numbers, but {shown} (row {rows}) is none, so it is read as categories.",
                name=name,
                shown=shown,
                rows=where,
            )
        ]
    if signs := cells.mixed_signs(values):
        if signs == [PERCENT]:
            return [
                say(
                    "Some cells of {name} are in percent and others are not, so it is read as categories. If you "
                    "choose number, {text} is 0.1 and a number without the sign is what it is.",
                    name=name,
                    text=quoted("10 %"),
                )
            ]
        return [
            say(
                "{name} has {signs}, not one sign in all cells, so it is read as categories. If its numbers mean "
                "the same without signs, choose number.",
                name=name,
                signs=listed([quoted(sign) for sign in signs]),
            )
        ]
    kept = cells.kept_markers(values)
    shown = listed([f"{quoted(marker)} ({count(n)})" for marker, n in kept.items()], 3)
    asked = say("In {name} {shown} is kept as a category. Does it mean missing?", name=name, shown=shown)
    return [asked] if kept else []


def _made_dates(name: str, values: Any) -> list[str]:
    """Return the remark on some dates among other texts: spreadsheets make dates of 1-16, 2.5 or SEPT2."""
    texts = pa.array(values, pa.string(), from_pandas=True)
    is_date = pc.fill_null(pc.match_substring_regex(texts, MADE_DATE, ignore_case=True), False)
    n, n_texts = pc.sum(is_date).as_py() or 0, len(texts) - texts.null_count
    if not 0 < n <= n_texts / 2:
        return []
    others = pc.unique(texts.filter(pc.invert(is_date)).drop_null()).slice(0, SAMPLE_ROWS).to_pylist()
    if dates.most_dates(pd.Series(others, dtype="str")) is not None:
        return []
    return [
        say(
            "{name} has dates among other texts: {shown} ({rows}). A spreadsheet makes dates of codes and numbers "
            "such as 1-16, 2.5 or SEPT2: enter them as text there.",
            name=name,
            shown=listed([quoted(text) for text in pc.unique(texts.filter(is_date)).slice(0, 4).to_pylist()], 3),
            rows=rows_in_words(is_date.to_numpy(zero_copy_only=False)),
        )
    ]


def _codes(name: str, x: np.ndarray) -> list[str]:
    """Return notes on a number such as −999 far outside of the rest, which may stand for missing."""
    x = x[~np.isnan(x)]
    found = []
    for code in CODES:
        rest = x[x != code]
        if 0 < len(rest) < len(x):
            margin = 2 * np.abs(rest).max() + 3
            if not rest.min() - margin <= code <= rest.max() + margin:
                n = len(x) - len(rest)
                said = {"name": name, "value": f"{code:.0f}", "n": count(n)}
                found.append(
                    say("In {name} the value {value} ({n}) is far off the rest. Does it mean missing?", **said)
                )
    return found


def rows_in_words(mask: np.ndarray | pd.Series) -> str:
    """Return the rows of a mask (n_rows,), counted from 1: "row 2", "rows 2 and 5"."""
    rows = np.flatnonzero(np.asarray(mask)) + 1
    return say("row {rows}" if len(rows) == 1 else "rows {rows}", rows=listed([count(int(row)) for row in rows]))

"""Remarks on a table as read: what became missing, what looks strange, and what could be read in another way."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from espalier.data.columns import cells, dates, numbers, units, vocabulary
from espalier.data.columns.kinds import numbers_of
from espalier.data.columns.numbers import LARGEST_EXACT, PERCENT, SAMPLE_ROWS, n_true, pc
from espalier.data.errors import count, listed, number_text, quoted
from espalier.data.options import CODES
from espalier.language import in_style, say, to_say
from espalier.settings import MAX_NUMBER

MONTH = "(jan|feb|mar|mär|mrz|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)"
# What spreadsheets take for a date, as they store and as they show it: 2020-01-16, 16-Jan, 16. Jan, 1/16/2020.
MADE_DATE = (
    r"^\s*(\d{4}-\d\d-\d\d( 00:00:00)?|\d{1,2}(-|\. ?)"
    rf"{MONTH}\.?([- ]\d{{2,4}})?|{MONTH}\.?[- ]\d{{2,4}}|\d{{1,2}}([./])\d{{1,2}}[./]\d{{4}})\s*$"
)
DIGITS_OF_SHEETS = 15  # of a number; a workbook has 0 for all that follow
AS_TEXT_BECAUSE = {  # by what the cells are like
    "zeros": to_say("Read as text for zeros in front: {shown}."),
    "digits": to_say("Read as text for more than 15 digits: {shown}."),
    "other": to_say("Read as text, though all could be numbers: {shown}."),
}
SMALLEST_CODE = min(abs(code) for code in CODES)


def missing_notes(missing: dict[str, dict[str, int]]) -> list[str]:
    """Return a note per text that was read as missing; `missing` has its cells by column."""
    notes = []
    for marker, columns in missing.items():
        if marker:  # empty cells need no explanation
            notes.append(
                say(
                    "{marker} is read as missing in {places}. If it is a value, remove it "
                    "under “How it was read”.",
                    marker=quoted(marker),
                    places=listed([f"{quoted(name)} ({count(n)})" for name, n in columns.items()], 3),
                )
            )
    return notes


def spelling_notes(spellings: dict[str, dict[str, str]]) -> list[str]:
    """Return a note on spellings of yes and no that count as the usual ones, by column."""
    notes = [
        say("{rare} as {usual} in {name}", rare=quoted(rare), usual=quoted(usual), name=quoted(name))
        for name, pairs in spellings.items()
        for rare, usual in pairs.items()
    ]
    return [say("Capitals of yes and no make no difference: {shown}.", shown=listed(notes, 4))] if notes else []


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
                    "Infinite values in {name} count as missing: {rows}."
                    if np.isinf(size[beyond]).all()
                    else "Values beyond ±{most} in {name} count as missing: {rows}.",
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
            _codes(quoted(name), numbers[name]) if name in numbers else _strange_column(quoted(name), frame[name])
        )
    ]


def code_notes(frame: pd.DataFrame, declared: Collection[str]) -> list[str]:
    """Return notes on columns that are text though every cell could be a number, but for `declared` categories."""
    examples: dict[str, list[str]] = {sign: [] for sign in AS_TEXT_BECAUSE}
    for name in frame.columns[frame.dtypes != np.float64]:
        is_text = pd.api.types.is_string_dtype(frame[name]) and name not in declared
        if is_text and (code := cells.code_in(frame[name])) is not None:
            text, sign = code
            examples[sign].append(say("{text} in {name}", text=quoted(text), name=quoted(name)))
    return [say(AS_TEXT_BECAUSE[sign], shown=listed(texts, 4)) for sign, texts in examples.items() if texts]


def rounded_by_sheets(frame: pd.DataFrame) -> list[str]:
    """Return a note on the columns of a workbook whose whole numbers seem to have lost digits in it."""
    names = [quoted(name) for name, x in numbers_of(frame) if _is_rounded(x)]
    if not names:
        return []
    return [
        say(
            "Workbooks keep 15 digits of a number; those of {names} are longer. Write them as text.",
            names=listed(names, 4),
        )
    ]


def _is_rounded(x: np.ndarray) -> bool:
    """Return whether numbers have 16 digits or more, and all that a workbook keeps are in use, but no others."""
    size = np.abs(x)
    far = size[(size >= 10.0**DIGITS_OF_SHEETS) & (size % 1 == 0)]
    if not len(far):
        return False
    n_digits = [len(f"{number:.15e}".partition("e")[0].replace(".", "").rstrip("0")) for number in np.unique(far)]
    is_lost = far.max() > LARGEST_EXACT or max(n_digits) <= DIGITS_OF_SHEETS
    return is_lost and max(n_digits) >= DIGITS_OF_SHEETS - 1  # by chance, the last of them may be 0


def _strange_column(name: str, values: Any) -> list[str]:
    if not pd.api.types.is_string_dtype(values):
        return []
    if notes := _made_dates(name, values):
        return notes
    words = cells.not_numbers(values)
    if len(words):
        examples = listed([quoted(w, 20) for w in words.unique()], 3)
        where = listed([count(row + 1) for row in words.index], 3)
        return [
            say(
                "{name} holds numbers but for {shown} (row {rows}).",
                name=name,
                shown=examples,
                rows=where,
            )
        ]
    if signs := cells.mixed_signs(values):
        if signs == [PERCENT]:
            return [
                say(
                    "Some cells of {name} are in percent, others not. Choose number to read {text} as 0.1.",
                    name=name,
                    text=quoted("10 %"),
                )
            ]
        return [
            say(
                "{name} has different signs ({signs}). Choose number if they mean nothing.",
                name=name,
                signs=listed([quoted(sign) for sign in signs]),
            )
        ]
    markers = cells.kept_markers(values)
    examples = listed([f"{quoted(marker)} ({count(n)})" for marker, n in markers.items()], 3)
    question = say("In {name} {shown} is a category. Does it mean missing?", name=name, shown=examples)
    return [question] if markers else []


def _made_dates(name: str, values: Any) -> list[str]:
    """Return the remark on some dates among other texts: spreadsheets make dates of 1-16, 2.5 or SEPT2."""
    texts = pa.array(values, pa.string(), from_pandas=True)
    is_date = pc.fill_null(pc.match_substring_regex(texts, MADE_DATE, ignore_case=True), False)
    n, n_texts = n_true(is_date), len(texts) - texts.null_count
    if not 0 < n <= n_texts / 2:
        return []
    rest = pc.unique(texts.filter(pc.invert(is_date)).drop_null()).slice(0, SAMPLE_ROWS).to_pylist()
    if dates.most_dates(pd.Series(rest, dtype="str")) is not None:
        return []
    return [
        say(
            "{name} has dates among texts: {shown} ({rows}). If a spreadsheet made them of codes, "
            "enter these as text.",
            name=name,
            shown=listed([quoted(text) for text in pc.unique(texts.filter(is_date)).slice(0, 4).to_pylist()], 3),
            rows=rows_in_words(is_date.to_numpy(zero_copy_only=False)),
        )
    ]


def _codes(name: str, x: np.ndarray) -> list[str]:
    """Return notes on a number such as −999 far outside of the rest, which may stand for missing."""
    x = x[~np.isnan(x)]
    notes = []
    for code in CODES if (np.abs(x) >= SMALLEST_CODE).any() else ():
        rest = x[x != code]
        margin = 2 * np.abs(rest).max(initial=0.0) + 3
        if 0 < len(rest) < len(x) and not rest.min() - margin <= code <= rest.max() + margin:
            facts = {"name": name, "value": f"{code:.0f}", "n": count(len(x) - len(rest))}
            notes.append(say("In {name} {value} ({n}) is far off the rest. Does it mean missing?", **facts))
    return notes


def rows_in_words(mask: np.ndarray | pd.Series) -> str:
    """Return the rows of a mask (n_rows,), counted from 1: "row 2", "rows 2 and 5"."""
    rows = np.flatnonzero(np.asarray(mask)) + 1
    return say("row {rows}" if len(rows) == 1 else "rows {rows}", rows=listed([count(int(row)) for row in rows]))


# ---- questions on what could be read in another way: numbers with marks, several answers in a cell, signs, totals

FEW_TAILS = 6  # different words behind the numbers of a column; more are no units, signs or flags
MOSTLY, AT_LEAST_HALF = 0.9, 0.5  # shares of a column's distinct cells
ANSWER_MARKS = (";", ",", "|", "\n")
LONGEST_ANSWER = 80
BARE = re.compile(numbers.LOOSE)
# A number between a sign of a limit and what may follow it: "<0.5", "12.3 p", "1,234.50 CR", "393[2]", "14.4*".
NUMBER_WITH_MARK = re.compile(
    r"^(?P<before>[<>≤≥~≈±]=?|ca\.?|approx\.?|[$€£])?\s*[+−-]?\s*\d[\d.,'’\s]*?"
    r"(?P<after>\s*(?:\[\w{1,3}\]|[*†‡§¹²³]+)|\s+[^\W\d_]{1,12}\.?|-|[KkMBG]|[MB]n)?$"
)
MISSING_CODES = (-7.0, -8.0, -9.0, -66.0, -77.0, -88.0, -99.0, -999.0, -9999.0)
TIME_NAME = re.compile(
    r"(^|[\W_])(time\w*|date\w*|epoch\w*|unix\w*|utc|ts|zeit\w*|datum|created|updated)($|[\W_])"
)
AMOUNT_NAME = re.compile(r"amount|betrag|umsatz|value|wert|montant|summe|sum|importe")
SIGN_PAIRS = ({"s", "h"}, {"soll", "haben"}, {"dr", "cr"}, {"d", "c"}, {"debit", "credit"}, {"+", "-"}, {"+", "−"})
TOTALS = re.compile(
    r"^(grand\s|sub)?totals?\b|^(end|gesamt|zwischen)?summen?\b|^(insgesamt|gesamt|sum|average|mean)\b|^all$|"
    r"^(mittelwert|durchschnitt|gesamtergebnis|ensemble|moyenne)\b"
)
PACE_NAME = re.compile(
    r"(^|[\W_])(pace|split|lap|laps|tempo|duration|length|runtime|elapsed|dauer|länge|laufzeit|rundenzeit)($|[\W_])"
)
MINUTES = re.compile(r"^\d{1,3}:\d{2}$")
SEVERAL_NUMBERS = re.compile(
    r"^[+−-]?(?!0\d|(?:19|20)\d\d[/-]\d\d$)\d{1,4}([.,]\d+)?(?:\s*(?:[/x×:;°'’,–-]|ft)\s*[+−-]?(?!0\d)\d{1,4}([.,]\d+)?){1,2}"
    r"\s*(?:in|cm|mm|['’\"″]*\s*[NSEWO]?)$"
)
LEAST_PAIRS = 5  # different cells; genotypes have fewer
MOST_ALIKE = 3  # columns with the same question that have it for themselves
MOST_NAMES = 20  # further ones that are named
FIRST_DATE, LAST_DATE = 19_000_101, 21_001_231
EPOCHS = ((1, 1e9), (1_000, 1e12), (1_000_000, 1e15))  # seconds, and their parts, since 1970; from 2001 to 2037
LONGEST_EPOCH = 2.147483648


# Each remark names the column, what is in it, how it is read, and what to do if something else is meant.
class _TextColumn(NamedTuple):
    """A column of text, and its different cells, or those of a sample."""

    name: str
    values: Any
    texts: list[str]


def doubts(frame: pd.DataFrame) -> list[str]:
    """Return the questions on a table as read; those on rows come last.

    Where more than three columns raise the same question, the others are named behind it.
    """
    floats = dict(numbers_of(frame))
    questions: dict[Callable, list[tuple[str, str]]] = {}
    for name in frame.columns:
        answers: list[tuple[Callable, str]] = []
        if name in floats:
            present = floats[name][~np.isnan(floats[name])]
            answers = [(ask, ask(name, present)) for ask in (_lone_code, _dates_as_numbers) if len(present)]
        elif pd.api.types.is_string_dtype(frame[name]):
            column = _TextColumn(name, frame[name], _different(frame[name]))
            ways = (_several_units, _numbers_with_marks, _several_marks, _several_numbers, _several_answers)
            first = next(((ask, sentence) for ask in ways if (sentence := ask(column))), None)
            answers = [
                *([first] if first else []),
                (_check_column, _check_column(column)),
                (_minutes, _minutes(column)),
            ]
            answers.append((_signs, _signs(column, floats)))
        for ask, sentence in answers:
            if sentence:
                questions.setdefault(ask, []).append((name, sentence))
    sentences = []
    for pairs in questions.values():
        sentences += [sentence for _, sentence in pairs[:MOST_ALIKE]]
        if names := [quoted(name) for name, _ in pairs[MOST_ALIKE:]]:
            sentences.append(say("The same goes for {names}.", names=listed(names, MOST_NAMES)))
    return sentences + _last_row_doubt(frame)


def _different(values: Any) -> list[str]:
    texts = pd.unique(numbers.sample(pa.array(values.dropna(), pa.string())).to_numpy(zero_copy_only=False))
    return [text for text in texts.tolist() if text]


def _lone_code(name: str, present: np.ndarray) -> str:
    """Return the question on a code for missing that is the only number below 0."""
    is_below = present < 0
    below, rest = present[is_below], present[~is_below]
    if not len(below) or below[0] not in MISSING_CODES or (below != below[0]).any():
        return ""
    if not len(rest) or rest.min() == rest.max():
        return ""
    facts = {"name": quoted(name), "value": f"{below[0]:.0f}", "n": count(len(below))}
    return say("In {name} only {value} ({n}) is below 0. Does it mean missing?", **facts)


def _dates_as_numbers(name: str, present: np.ndarray) -> str:
    if present.min() < 1e6 or (present % 1 != 0).any():
        return ""
    day = _first_day(name, present)
    if day is None:
        return ""
    facts = {"name": quoted(name), "value": in_style(number_text(float(present[0]))), "date": day.isoformat()}
    return say(
        "{name} holds numbers, but {value} may be the date {date}. If so, write {date} in the file.",
        **facts,
    )


def _first_day(name: str, present: np.ndarray) -> datetime.date | None:
    """Return the day that the first number may be: as 20240131, or as seconds since 1970 in a column named so."""
    if present.min() >= FIRST_DATE and present.max() <= LAST_DATE:
        days = [_day_of_digits(x) for x in np.unique(present)[: numbers.SAMPLE_ROWS]]
        return _day_of_digits(present[0]) if None not in days else None
    if TIME_NAME.search(name.casefold()):
        for parts, start in EPOCHS:
            if present.min() >= start and present.max() < LONGEST_EPOCH * start:
                return datetime.datetime.fromtimestamp(present[0] / parts, datetime.UTC).date()
    return None


def _day_of_digits(number: float) -> datetime.date | None:
    try:
        return datetime.date(int(number) // 10_000, int(number) // 100 % 100, int(number) % 100)
    except ValueError:
        return None


def _several_units(column: _TextColumn) -> str:
    """Return the remark on numbers with units of several dimensions, or of which some have none."""
    names = units.strange_units(column.values)
    if not names or len(cells.not_numbers(column.values)) or _are_times(column.values):
        return ""
    words = listed([quoted(unit) if unit else say("no unit") for unit in names], 4)
    return say(
        "{name} has different units ({shown}). Write all in one.",
        name=quoted(column.name),
        shown=words,
    )


def _numbers_with_marks(column: _TextColumn) -> str:
    """Return the question on cells that keep a column from being numbers; one in ten has its own remark."""
    texts = column.texts
    bare = [text for text in texts if BARE.match(text)]
    matches = {text: match for text in texts if text not in bare and (match := NUMBER_WITH_MARK.match(text))}
    tails = {
        (match["before"], re.sub(r"\w+(?=\])", "", (match["after"] or "").strip())) for match in matches.values()
    }
    is_number = len(bare) + len(matches) >= MOSTLY * len(texts) and 0 < len(tails) <= FEW_TAILS
    is_half = AT_LEAST_HALF * len(texts) <= len(bare) < MOSTLY * len(texts)
    if not (is_number or is_half) or any(re.match(numbers.CODE, text) for text in bare):
        return ""
    if units.unit_of(column.values) or len(cells.not_numbers(column.values)) or _are_times(column.values):
        return ""
    if not (bare and matches) and vocabulary.steps_in_order(texts) is not None:
        return ""
    words = listed([quoted(text, 20) for text in texts if text not in bare], 3)
    return say(
        "{name} holds numbers, but also {shown}. Choose number to take these as missing.",
        name=quoted(column.name),
        shown=words,
    )


def _several_marks(column: _TextColumn) -> str:
    """Return the question on numbers of which some have a decimal point and others a decimal comma."""
    if not column.texts or not all(map(BARE.match, column.texts)):
        return ""
    kinds = (numbers.DECIMAL_POINT, numbers.DECIMAL_COMMA)
    point, comma = (next((text for text in column.texts if re.match(kind, text)), "") for kind in kinds)
    if not point or not comma:
        return ""
    return say(
        "{name} has points ({point}) and commas ({comma}). Write all with the same mark.",
        name=quoted(column.name),
        point=quoted(point),
        comma=quoted(comma),
    )


def _several_numbers(column: _TextColumn) -> str:
    """Return the question on cells with two or three numbers, such as 120/80, 1920x1080 or 52.5, 13.4."""
    texts = column.texts
    if sum(map(bool, map(SEVERAL_NUMBERS.match, texts))) < max(MOSTLY * len(texts), LEAST_PAIRS):
        return ""
    is_known = vocabulary.are_dates(texts) or dates.most_dates(column.values) is not None
    if is_known or _are_times(column.values) or vocabulary.steps_in_order(texts) is not None:
        return ""
    return say(
        "Cells of {name} hold several numbers, such as {text}. Give each a column of its own.",
        name=quoted(column.name),
        text=quoted(texts[0]),
    )


def _several_answers(column: _TextColumn) -> str:
    """Return the question on cells with several answers: of some the parts recur, and stand alone in others."""
    texts = column.texts
    for mark in ANSWER_MARKS:
        answers = [[part.strip() for part in text.split(mark) if part.strip()] for text in texts]
        times = Counter(part for parts in answers for part in dict.fromkeys(parts))  # in the order of the file
        alone = {parts[0] for parts in answers if len(parts) == 1}
        together = {part for parts in answers if len(parts) > 1 for part in parts}
        is_short = max(map(len, times), default=0) <= LONGEST_ANSWER
        if len(times) < len(texts) and alone & together and is_short and 2 * len(times) <= sum(times.values()):
            some = next(text for text, parts in zip(texts, answers, strict=True) if len(parts) > 1)
            words = listed([quoted(part, 20) for part, _ in times.most_common()], 3)
            return say(
                "Cells of {name} hold several answers, such as {text}. Give each ({shown}) a column of "
                "yes and no.",
                name=quoted(column.name),
                text=quoted(some, 40),
                shown=words,
            )
    return ""


def _check_column(column: _TextColumn) -> str:
    """Return the question on a box that is checked or empty, as questionnaires write several answers."""
    n_empty = int(column.values.isna().sum())
    if len(column.texts) != 1 or not 0 < n_empty < len(column.values) or column.values.nunique() > 1:
        return ""
    return say(
        "{name} is {value} or empty ({n}). If empty means no, write “no” there.",
        name=quoted(column.name),
        value=quoted(column.texts[0], 20),
        n=count(n_empty),
    )


def _signs(column: _TextColumn, floats: dict[str, np.ndarray]) -> str:
    """Return the question on a column of signs, such as S and H or DR and CR, beside amounts without a minus."""
    if {text.casefold() for text in column.texts} not in SIGN_PAIRS:
        return ""
    amounts = [
        other
        for other, x in floats.items()
        if AMOUNT_NAME.search(other.casefold()) and not np.isnan(x).all() and np.nanmin(x) >= 0
    ]
    if not amounts:
        return ""
    return say(
        "{name} seems to hold the signs of {amount}. If so, write them before the numbers.",
        name=quoted(column.name),
        amount=quoted(amounts[0]),
    )


def _minutes(column: _TextColumn) -> str:
    """Return the question on 59:48 among durations, and on 4:27 in a column of paces: hours or minutes?"""
    short = next((text for text in column.texts if MINUTES.match(text)), "")
    is_pace = PACE_NAME.search(column.name.casefold()) is not None
    if not short or (dates.clock_of(column.values) is not None and not is_pace):
        return ""
    if dates.durations_of(column.values) is None:
        return ""
    hours, minutes = short.split(":")
    return say(
        "{text} in {name} is read as hours and minutes. For minutes and seconds, write {longer}.",
        text=quoted(short),
        name=quoted(column.name),
        longer=quoted(f"0:{hours:0>2}:{minutes}"),
    )


def _are_times(values: Any) -> bool:
    return dates.durations_of(values) is not None or dates.clock_of(values) is not None


def _last_row_doubt(frame: pd.DataFrame) -> list[str]:
    """Return the question on a last row that seems to hold totals of the others."""
    if len(frame) < 3:
        return []
    for name in frame.columns[:3]:
        last = frame[name].iloc[-1]
        is_alone = len(frame) - 1 == np.count_nonzero(frame[name] != last)
        if isinstance(last, str) and TOTALS.match(last.casefold()) and is_alone:
            facts = {"row": count(len(frame)), "text": quoted(last, 40), "name": quoted(name)}
            return [
                say(
                    "The last row ({row}) has {text} in {name}. If it holds totals, delete it.",
                    **facts,
                )
            ]
    return []

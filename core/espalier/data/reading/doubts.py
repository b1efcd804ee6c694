"""Questions on what could be read in another way: numbers with marks, several answers in a cell, signs, totals.

Each names the column, what is in it, how it is read, and what to do if something else is meant.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from espalier.data.columns import cells, dates, numbers, units, vocabulary
from espalier.data.columns.exact_text import number_text
from espalier.data.columns.kinds import numbers_of
from espalier.data.errors import count, listed, quoted
from espalier.language import in_style, say

FEW_TAILS = 6  # different words behind the numbers of a column; more are no units, signs or flags
MOSTLY, AT_LEAST_HALF = 0.9, 0.5  # shares of a column's distinct cells
ANSWER_MARKS = (";", ",", "|", "\n")
LONGEST_ANSWER = 80
BARE = re.compile(numbers.LOOSE)
# A number between a sign of a limit and what may follow it: "<0.5", "12.3 p", "1,234.50 CR", "393[2]", "14.4*".
MARKED = re.compile(
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
    asked: dict[Callable, list[tuple[str, str]]] = {}
    for name in frame.columns:
        found: list[tuple[Callable, str]] = []
        if name in floats:
            present = floats[name][~np.isnan(floats[name])]
            found = [(ask, ask(name, present)) for ask in (_lone_code, _dates_as_numbers) if len(present)]
        elif pd.api.types.is_string_dtype(frame[name]):
            column = _TextColumn(name, frame[name], _different(frame[name]))
            ways = (_several_units, _numbers_with_marks, _several_marks, _several_numbers, _several_answers)
            first = next(((ask, sentence) for ask in ways if (sentence := ask(column))), None)
            found = [*([first] if first else []), (_checked, _checked(column)), (_minutes, _minutes(column))]
            found.append((_signs, _signs(column, floats)))
        for ask, sentence in found:
            if sentence:
                asked.setdefault(ask, []).append((name, sentence))
    return [sentence for pairs in asked.values() for sentence in _shortened(pairs)] + _of_last_row(frame)


def _shortened(pairs: list[tuple[str, str]]) -> list[str]:
    others = [quoted(name) for name, _ in pairs[MOST_ALIKE:]]
    last = [say("The same goes for {names}.", names=listed(others, MOST_NAMES))] if others else []
    return [sentence for _, sentence in pairs[:MOST_ALIKE]] + last


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
    said = {"name": quoted(name), "value": f"{below[0]:.0f}", "n": count(len(below))}
    return say("In {name} only the value {value} ({n}) is below 0. Does it mean missing?", **said)


def _dates_as_numbers(name: str, present: np.ndarray) -> str:
    if present.min() < 1e6 or (present % 1 != 0).any():
        return ""
    day = _first_day(name, present)
    if day is None:
        return ""
    said = {"name": quoted(name), "value": in_style(number_text(float(present[0]))), "date": day.isoformat()}
    return say(
        "{name} is read as numbers, but {value} may be the date {date}. If it is, write it so in the file: "
        "months and weekdays are then read, too.",
        **said,
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
    found = units.strange_units(column.values)
    if not found or len(cells.not_numbers(column.values)) or _are_times(column.values):
        return ""
    shown = listed([quoted(unit) if unit else say("no unit") for unit in found], 4)
    return say(
        "The numbers in {name} have units that cannot be turned into one ({shown}), so it is not read as a "
        "number. Write all of them in one unit in the file.",
        name=quoted(column.name),
        shown=shown,
    )


def _numbers_with_marks(column: _TextColumn) -> str:
    """Return the question on cells that keep a column from being numbers; one in ten has its own remark."""
    texts = column.texts
    bare = [text for text in texts if BARE.match(text)]
    marked = {text: match for text in texts if text not in bare and (match := MARKED.match(text))}
    tails = {
        (match["before"], re.sub(r"\w+(?=\])", "", (match["after"] or "").strip())) for match in marked.values()
    }
    is_number = len(bare) + len(marked) >= MOSTLY * len(texts) and 0 < len(tails) <= FEW_TAILS
    is_half = AT_LEAST_HALF * len(texts) <= len(bare) < MOSTLY * len(texts)
    if not (is_number or is_half) or any(re.match(numbers.CODE, text) for text in bare):
        return ""
    if units.unit_of(column.values) or len(cells.not_numbers(column.values)) or _are_times(column.values):
        return ""
    if not (bare and marked) and vocabulary.in_order(texts) is not None:
        return ""
    shown = listed([quoted(text, 20) for text in texts if text not in bare], 3)
    return say(
        "{name} holds numbers, but also {shown}, so it is not read as a number. If you choose number, these "
        "cells are missing; to keep them, write them as numbers in the file.",
        name=quoted(column.name),
        shown=shown,
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
        "The numbers in {name} have a point in some cells ({point}) and a comma in others ({comma}), so it is not "
        "read as a number. Write all of them with the same mark.",
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
    if is_known or _are_times(column.values) or vocabulary.in_order(texts) is not None:
        return ""
    return say(
        "Cells of {name} hold several numbers, such as {text}, and count as words. To ask about the numbers, give "
        "each a column of its own in the file.",
        name=quoted(column.name),
        text=quoted(texts[0]),
    )


def _several_answers(column: _TextColumn) -> str:
    """Return the question on cells with several answers: of some the parts recur, and stand alone in others."""
    texts = column.texts
    for mark in ANSWER_MARKS:
        parted = [[part.strip() for part in text.split(mark) if part.strip()] for text in texts]
        times = Counter(part for parts in parted for part in set(parts))
        alone = {parts[0] for parts in parted if len(parts) == 1}
        together = {part for parts in parted if len(parts) > 1 for part in parts}
        is_short = max(map(len, times), default=0) <= LONGEST_ANSWER
        if len(times) < len(texts) and alone & together and is_short and 2 * len(times) <= sum(times.values()):
            some = next(text for text, parts in zip(texts, parted, strict=True) if len(parts) > 1)
            shown = listed([quoted(part, 20) for part, _ in times.most_common()], 3)
            return say(
                "Cells of {name} hold several answers, such as {text}, and every combination is a category of "
                "its own. To ask about each answer ({shown}), give it a column of yes and no in the file.",
                name=quoted(column.name),
                text=quoted(some, 40),
                shown=shown,
            )
    return ""


def _checked(column: _TextColumn) -> str:
    """Return the question on a box that is checked or empty, as questionnaires write several answers."""
    n_empty = int(column.values.isna().sum())
    if len(column.texts) != 1 or not 0 < n_empty < len(column.values) or column.values.nunique() > 1:
        return ""
    return say(
        "{name} is {value} or empty ({n}), and is not used. If empty means no, write a word such as “no” there in "
        "the file.",
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
        "{name} seems to hold the signs of {amount}, which is never below 0. If a sign matters, write it "
        "before the number in the file.",
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
        "{text} in {name} is read as {hours} hours and {minutes} minutes. If it is minutes and seconds, write "
        "{longer} in the file.",
        text=quoted(short),
        name=quoted(column.name),
        hours=hours,
        minutes=minutes,
        longer=quoted(f"0:{hours:0>2}:{minutes}"),
    )


def _are_times(values: Any) -> bool:
    return dates.durations_of(values) is not None or dates.clock_of(values) is not None


def _of_last_row(frame: pd.DataFrame) -> list[str]:
    """Return the question on a last row that seems to hold totals of the others."""
    if len(frame) < 3:
        return []
    for name in frame.columns[:3]:
        last = frame[name].iloc[-1]
        is_alone = len(frame) - 1 == np.count_nonzero(frame[name] != last)
        if isinstance(last, str) and TOTALS.match(last.casefold()) and is_alone:
            said = {"row": count(len(frame)), "text": quoted(last, 40), "name": quoted(name)}
            return [
                say(
                    "The last row ({row}) has {text} in {name}. If it holds totals of the others, delete it in "
                    "the file: it counts as a row.",
                    **said,
                )
            ]
    return []

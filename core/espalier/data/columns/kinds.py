"""Guess and summarise the kinds of columns, for the user to correct."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd

from espalier.data.columns import dates, units, vocabulary
from espalier.data.columns.exact_text import number_text
from espalier.data.errors import count
from espalier.language import say
from espalier.settings import MAX_CATEGORIES

ColumnKind = Literal[
    "number", "category", "ordered", "yes/no", "date", "time of day", "duration", "identifier", "ignored"
]
KINDS: tuple[ColumnKind, ...] = get_args(ColumnKind)
USED = ("number", "category", "ordered", "yes/no")  # kinds that may be the target
IN_TIME = ("date", "time of day", "duration")  # kinds of which features are made
BARS = 12  # of a column's histogram
LOOK = 500  # cells by which it is guessed whether a column holds dates
FEW = 20  # distinct whole numbers that still make classes


class ColumnPlan(NamedTuple):
    """The kind of a column, with a reason."""

    name: str
    kind: ColumnKind
    categories: tuple[str, ...] = ()  # values in their order; for "ordered" and "yes/no" (no, yes)
    reason: str = ""  # in words, if the guess may surprise
    parts: tuple[str, ...] = ()  # of dates: the features to make (`moments.DATE_PARTS`); empty: the usual ones
    form: str = ""  # of dates: "dmy" or "mdy", where the year does not come first; empty: as most cells suggest
    rival: str = ""  # of dates: the form in which all could be read, too, with other days
    unit: str = ""  # of numbers whose cells have units: the one in which they are read


class ColumnSummary(NamedTuple):
    """Summary of a column's values."""

    name: str
    n_missing: int
    n_distinct: int
    bars: tuple[int, ...]  # cells per bin of equal width, or per category from most to least frequent
    example: str  # its first values


def guess_kinds(frame: pd.DataFrame, declared: Mapping[str, tuple[str, ...]] | None = None) -> list[ColumnPlan]:
    """Return a plan per column; `declared` are values that the file itself lists (nominal attributes of ARFF)."""
    declared = declared or {}
    numbers = dict(numbers_of(frame))
    return [
        _guess_number(name, _known(numbers[name]))
        if name in numbers
        else guess_kind(name, frame[name], declared.get(name, ()))
        for name in frame.columns
    ]


def numbers_of(frame: pd.DataFrame) -> list[tuple[str, np.ndarray]]:
    """Return the numeric columns; taking each from the table separately would cost more than its cells."""
    names = frame.columns[frame.dtypes == np.float64]
    return list(zip(names, frame[names].to_numpy().T, strict=True))


def guess_kind(name: str, values: Any, declared: tuple[str, ...] = ()) -> ColumnPlan:
    """Guess the kind of one column.

    Numbers stay numbers, also 1 to 5 or 1 and 2; only 0 and 1 are yes/no. Two words are yes/no if they have that
    meaning in some language, else two categories (male and female).
    """
    if values.dtype == np.float64:
        return _guess_number(name, _known(values.to_numpy()))
    present = values.dropna()
    if present.empty:
        return ColumnPlan(name, "ignored", (), say("every value is missing"))
    if pd.api.types.is_datetime64_any_dtype(values):
        return _of_dates(name, dates.Dates(dates.seconds_of(present)))
    n_distinct = present.nunique()
    if n_distinct == 1:
        return ColumnPlan(name, "ignored", (), say("always {value}", value=label(present.iloc[0])))
    return _guess_words(name, present, n_distinct, declared)


def levels(values: Any) -> list[str]:
    """Return the distinct values of a column as texts: numbers by size, words by letters and numbers."""
    present = values.dropna().unique()
    if values.dtype == np.float64:
        return [label(x) for x in np.sort(present)]
    return sorted(map(str, present), key=_natural)


def label(value: Any) -> str:
    """Return a value as the name of a category: a number by `exact_text.number_text`."""
    return number_text(value) if isinstance(value, float) else str(value)


def summarise(frame: pd.DataFrame) -> list[ColumnSummary]:
    """Return counts and a small histogram of every column."""
    numbers = dict(numbers_of(frame))
    return [
        _summary_of_numbers(name, numbers[name]) if name in numbers else _summary(name, frame[name])
        for name in frame.columns
    ]


def guess_target(plans: list[ColumnPlan]) -> str | None:
    """Return the most likely target: by its name, else the last usable column.

    A category with a reason has more values than a target may have classes.
    """
    usable = [plan.name for plan in plans if plan.kind in USED and not (plan.kind == "category" and plan.reason)]
    by_name = {name.casefold().strip(): name for name in reversed(usable)}
    named = next((by_name[word] for word in vocabulary.TARGETS if word in by_name), None)
    return named or (usable[-1] if usable else None)


def guess_task(values: Any) -> str:
    """Return the task for this target: classification for words and up to 20 whole numbers, else regression."""
    if values.dtype != np.float64:
        return "classification"
    distinct = values.dropna().unique()
    few = len(distinct) <= FEW and bool(np.all(distinct == np.round(distinct)))
    return "classification" if few else "regression"


def _guess_number(name: str, numbers: np.ndarray) -> ColumnPlan:
    if not len(numbers):
        return ColumnPlan(name, "ignored", (), say("every value is missing"))
    if numbers.min() == numbers.max():
        return ColumnPlan(name, "ignored", (), say("always {value}", value=label(float(numbers[0]))))
    if bool(np.all((numbers == 0) | (numbers == 1))):
        return ColumnPlan(name, "yes/no", ("0", "1"))
    steps = np.diff(numbers)
    counts_rows = len(numbers) > 2 and numbers[0] in (0, 1) and bool(np.all(steps == 1))
    if counts_rows and (vocabulary.names_rows(name) or re.fullmatch(r"column \d+|", name) or len(numbers) > 20):
        return ColumnPlan(name, "identifier", (), say("it numbers the rows"))
    whole = len(numbers) > 20 and bool(np.all(numbers == np.round(numbers)))
    if whole and vocabulary.names_rows(name) and len(np.unique(numbers)) == len(numbers):
        return ColumnPlan(name, "identifier", (), say("every row has its own number"))
    return ColumnPlan(name, "number")


def _guess_words(name: str, present: Any, n_distinct: int, declared: tuple[str, ...]) -> ColumnPlan:
    if plan := _guess_time(name, present):
        return plan
    if unit := units.unit_of(present):
        return ColumnPlan(name, "number", (), say("read in {unit}", unit=unit), unit=unit)
    if n_distinct > max(MAX_CATEGORIES, len(present) / 2):
        return ColumnPlan(name, "identifier", (), say("nearly every row has its own text"))
    found = levels(present)
    if pair := vocabulary.no_yes(found):
        return ColumnPlan(name, "yes/no", pair)
    if order := vocabulary.in_order(found):
        return ColumnPlan(name, "ordered", order, " < ".join(order))
    if n_distinct == len(present) > FEW or (vocabulary.names_rows(name) and n_distinct == len(present) > 2):
        return ColumnPlan(name, "identifier", (), say("every row has its own text"))
    return ColumnPlan(name, "category", tuple(v for v in declared if v in found), _pooling(n_distinct))


def _guess_time(name: str, present: Any) -> ColumnPlan | None:
    """Return the plan of a column of dates, times of day or durations; None for any other."""
    some = present.iloc[:LOOK]
    if not any(re.search("[0-9]", str(cell)) for cell in some.iloc[:5]):
        return None
    is_clock = dates.clock_of(some) is not None and not dates.are_hours(some)
    if is_clock and dates.clock_of(present) is not None:
        return ColumnPlan(name, "time of day")
    if dates.durations_of(some) is not None and dates.durations_of(present) is not None:
        return ColumnPlan(name, "duration") if dates.are_surely_durations(some) else None
    if dates.most_dates(some) is not None and (read := dates.most_dates(present)) is not None:
        return _of_dates(name, read)
    mixed = vocabulary.are_dates([str(value) for value in some])
    reason = say("its dates are not all of one form that is read")
    return ColumnPlan(name, "ignored", (), reason) if mixed else None


def _of_dates(name: str, read: dates.Dates) -> ColumnPlan:
    parts, form = dates.usual_parts(read), read.form if read.rival else ""
    return ColumnPlan(name, "date", parts=parts, form=form, rival=read.rival)


def _pooling(n_distinct: int) -> str:
    if n_distinct <= MAX_CATEGORIES:
        return ""
    said = {"n": MAX_CATEGORIES - 1, "values": count(n_distinct)}
    return say("the {n} most frequent of {values} values are kept, the others pooled", **said)


def _summary(name: str, values: Any) -> ColumnSummary:
    present = values.dropna()
    example = ", ".join(label(value)[:24] for value in present.iloc[:50].unique()[:4])
    bars = present.value_counts().to_numpy()[:BARS]
    return ColumnSummary(name, int(values.isna().sum()), int(present.nunique()), tuple(map(int, bars)), example)


def _known(numbers: np.ndarray) -> np.ndarray:
    return numbers[~np.isnan(numbers)]


def _summary_of_numbers(name: str, numbers: np.ndarray) -> ColumnSummary:
    known = _known(numbers)
    n_distinct = len(np.unique(known))
    bars = _counts(known, min(BARS, max(n_distinct, 2))) if len(known) else ()
    example = ", ".join(label(value)[:24] for value in list(dict.fromkeys(known[:50].tolist()))[:4])
    return ColumnSummary(name, len(numbers) - len(known), n_distinct, tuple(map(int, bars)), example)


def _counts(x: np.ndarray, n_bins: int) -> np.ndarray:
    """Return counts in each of `n_bins` equal parts of the range; in one part if there is one number only.

    NumPy's histogram rejects ranges too narrow for its edges (0.3 and the next number) or beyond all numbers.
    """
    quarters = x / 4  # so that every difference is finite
    if quarters.max() == quarters.min():  # also for the smallest numbers, whose quarter is 0
        return np.array([len(x)])
    share = (quarters - quarters.min()) / (quarters.max() - quarters.min())
    return np.bincount(np.minimum(share * n_bins, n_bins - 1).astype(np.int64), minlength=n_bins)


def _natural(text: str) -> tuple:
    """Return a sorting key that puts "item 9" before "item 10"; numbers may have any number of digits."""
    return tuple(_by_size(p) if p.isdecimal() else (1, 0, p.casefold()) for p in re.split(r"(\d+)", text))


def _by_size(digits: str) -> tuple:
    plain = digits.lstrip("0")
    return 0, len(plain), plain

"""Guess the kinds and roles of columns, for the user to correct; groups, times, labels and weights of rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd

from espalier.data.columns import cells, dates, units, vocabulary
from espalier.data.columns.dates import dates_of
from espalier.data.errors import TableError, count, counted, listed, number_text, quoted
from espalier.data.roles import (
    NO_ROLES,
    RowLabels,
    RowRoles,
    RowTimes,
    RowWeights,
    check_roles,
    fault_of,
    row_groups,
)
from espalier.language import in_style, say, to_say
from espalier.settings import MAX_CATEGORIES
from espalier.trees import read_only

ColumnKind = Literal[
    "number", "category", "ordered", "yes/no", "date", "time of day", "duration", "identifier", "ignored"
]
KINDS: tuple[ColumnKind, ...] = get_args(ColumnKind)
TARGET_KINDS = ("number", "category", "ordered", "yes/no")  # kinds that may be the target
TIME_KINDS = ("date", "time of day", "duration")  # kinds of which features are made
LOOK = 500  # cells by which it is guessed whether a column holds dates
FEW = 20  # distinct whole numbers that still make classes


class ColumnPlan(NamedTuple):
    """The kind of a column, with a reason."""

    name: str
    kind: ColumnKind
    categories: tuple[str, ...] = ()  # values in their order; for "ordered" and "yes/no" (no, yes)
    reason: str = ""  # in words, if the guess may surprise
    parts: tuple[str, ...] = ()  # of dates: the features to make (`moments.DATE_PARTS`); empty: the usual ones
    form: str = ""  # of dates: "dmy" or "mdy"; of numbers with units: "," if it is the decimal mark of their file
    rival: str = ""  # of dates: the form in which all could be read, too, with other days
    unit: str = ""  # of numbers whose cells have units: the one in which they are read


class ColumnSummary(NamedTuple):
    """Summary of a column's values."""

    name: str
    n_missing: int
    n_distinct: int
    example: str  # its first values


def guess_kinds(
    frame: pd.DataFrame,
    declarations: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    marks: Mapping[str, str] = MappingProxyType({}),
) -> list[ColumnPlan]:
    """Return a plan per column.

    `declarations` are values that the file itself lists (as ARFF does), `marks` the decimal marks of columns.
    """
    numbers = dict(numbers_of(frame))
    return [
        _guess_number(name, _drop_missing(numbers[name]))
        if name in numbers
        else guess_kind(name, frame[name], declarations.get(name, ()), marks.get(name, ""))
        for name in frame.columns
    ]


def numbers_of(frame: pd.DataFrame) -> list[tuple[str, np.ndarray]]:
    """Return the numeric columns; taking each from the table separately would cost more than its cells."""
    names = frame.columns[frame.dtypes == np.float64]
    return list(zip(names, frame[names].to_numpy().T, strict=True))


def guess_kind(name: str, values: Any, declared: tuple[str, ...] = (), mark: str = "") -> ColumnPlan:
    """Guess the kind of one column; `mark` is the decimal mark in its file.

    Numbers stay numbers, also 1 to 5 or 1 and 2; only 0 and 1 are yes/no. Two words are yes/no if they have that
    meaning in some language, else two categories (male and female).
    """
    if values.dtype == np.float64:
        return _guess_number(name, _drop_missing(values.to_numpy()))
    present = values.dropna()
    if present.empty:
        return ColumnPlan(name, "ignored", (), say("every value is missing"))
    if pd.api.types.is_datetime64_any_dtype(values):
        return _plan_of_dates(name, dates.Dates(dates.seconds_of(present)))
    n_distinct = present.nunique()
    if n_distinct == 1:
        return ColumnPlan(name, "ignored", (), say("always {value}", value=label(present.iloc[0])))
    return _guess_words(name, present, n_distinct, declared, mark)


def number_form(mark: str) -> str:
    """Return the `form` of a plan of numbers in cells of text, of a file with this decimal mark."""
    return mark if mark == "," else ""


def levels(values: Any) -> list[str]:
    """Return the distinct values of a column as texts: numbers by size, words by letters and numbers."""
    present = values.dropna().unique()
    if values.dtype == np.float64:
        return [label(x) for x in np.sort(present)]
    return sorted(map(str, present), key=_natural)


def category_texts(values: Any) -> Any:
    """Return a column as the names of its categories; missing ones stay missing."""
    if values.dtype == np.float64:
        return values.map({x: label(x) for x in values.dropna().unique()})
    return values.astype("str")


def label(value: Any) -> str:
    """Return a value as the name of a category: a number by `exact_text.number_text`."""
    return number_text(value) if isinstance(value, float) else str(value)


def summarise(frame: pd.DataFrame) -> list[ColumnSummary]:
    """Return the numbers of missing and of different values of every column, and its first ones."""
    numbers = dict(numbers_of(frame))
    return [
        _summary_of_numbers(name, numbers[name]) if name in numbers else _summary(name, frame[name])
        for name in frame.columns
    ]


def guess_target(plans: list[ColumnPlan]) -> str | None:
    """Return the most likely target: by its name, else the last usable column.

    A category with a reason has more values than a target may have classes.
    """
    usable = [
        plan.name for plan in plans if plan.kind in TARGET_KINDS and not (plan.kind == "category" and plan.reason)
    ]
    name_of_word = {name.casefold().strip(): name for name in reversed(usable)}
    likely = next((name_of_word[word] for word in vocabulary.TARGETS if word in name_of_word), None)
    return likely or (usable[-1] if usable else None)


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
    is_whole = len(numbers) > 20 and bool(np.all(numbers == np.round(numbers)))
    if is_whole and vocabulary.names_rows(name) and len(np.unique(numbers)) == len(numbers):
        return ColumnPlan(name, "identifier", (), say("every number differs"))
    return ColumnPlan(name, "number")


def _guess_words(name: str, present: Any, n_distinct: int, declared: tuple[str, ...], mark: str) -> ColumnPlan:
    if plan := _guess_time(name, present):
        return plan
    if unit := units.unit_of(present):
        return ColumnPlan(name, "number", (), say("read in {unit}", unit=unit), form=number_form(mark), unit=unit)
    if n_distinct > max(MAX_CATEGORIES, len(present) / 2):
        return ColumnPlan(name, "identifier", (), say("nearly every text differs"))
    values = levels(present)
    if pair := vocabulary.no_yes(values):
        return ColumnPlan(name, "yes/no", pair)
    if order := vocabulary.steps_in_order(values):
        return ColumnPlan(name, "ordered", order, " < ".join(order))
    if n_distinct == len(present) > FEW or (vocabulary.names_rows(name) and n_distinct == len(present) > 2):
        return ColumnPlan(name, "identifier", (), say("every text differs"))
    facts = {"n": MAX_CATEGORIES - 1, "values": count(n_distinct)}
    pooling = say("the {n} most frequent of {values} values, the others pooled", **facts)
    categories = tuple(value for value in declared if value in values)
    return ColumnPlan(name, "category", categories, pooling if n_distinct > MAX_CATEGORIES else "")


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
        return _plan_of_dates(name, read)
    are_mixed = vocabulary.are_dates([str(value) for value in some])
    reason = say("its dates differ in form")
    return ColumnPlan(name, "ignored", (), reason) if are_mixed else None


def _plan_of_dates(name: str, read: dates.Dates) -> ColumnPlan:
    parts, form = dates.usual_parts(read), read.form if read.rival else ""
    return ColumnPlan(name, "date", parts=parts, form=form, rival=read.rival)


def _summary(name: str, values: Any) -> ColumnSummary:
    present = values.dropna()
    example = ", ".join(label(value)[:24] for value in present.iloc[:50].unique()[:4])
    return ColumnSummary(name, int(values.isna().sum()), int(present.nunique()), example)


def _drop_missing(numbers: np.ndarray) -> np.ndarray:
    return numbers[~np.isnan(numbers)]


def _summary_of_numbers(name: str, numbers: np.ndarray) -> ColumnSummary:
    present = _drop_missing(numbers)
    n_distinct = len(np.unique(present))
    example = ", ".join(label(value)[:24] for value in list(dict.fromkeys(present[:50].tolist()))[:4])
    return ColumnSummary(name, len(numbers) - len(present), n_distinct, example)


def _natural(text: str) -> tuple:
    """Return a sorting key that puts "item 9" before "item 10"; numbers may have any number of digits."""
    parts = re.split(r"(\d+)", text)
    digits = (part.lstrip("0") if part.isdecimal() else None for part in parts)
    pairs = zip(parts, digits, strict=True)
    return tuple((1, 0, part.casefold()) if plain is None else (0, len(plain), plain) for part, plain in pairs)


# ---- columns that say which rows belong together, when they were, and what they are called

OTHERWISE = to_say("Choose another column, or none.")
ROLE_WORDS = {"group": to_say("the group"), "time": to_say("the time"), "label": to_say("the label")}
GROUPING = ("number", "category", "identifier")  # kinds of columns that may be guessed to be groups
FEWEST = 5  # groups of a column that is guessed to be one


class RoleNames(NamedTuple):
    """Names of the columns with a role; empty: no column has it."""

    group: str = ""  # rows with the same value belong together
    time: str = ""  # a number or a date that grows with time
    label: str = ""  # names the rows

    @property
    def used(self) -> tuple[str, ...]:
        """Return the columns that have a role."""
        return tuple(filter(None, self))

    def among(self, columns: Iterable[str]) -> RoleNames:
        """Return the names that are among these columns; a role whose column is not has none."""
        there = set(columns)
        return RoleNames(*(name if name in there else "" for name in self))


def guessed_roles(
    frame: pd.DataFrame, plans: Iterable[ColumnPlan], summaries: Iterable[ColumnSummary]
) -> RoleNames:
    """Return the columns that look as if they had a role, for a person to confirm.

    The group is a column named as patients, schools and identifiers are, in which values come again; the time one
    of dates; the label one of words that differ in nearly every row.

    >>> from espalier.data.columns.kinds import guess_kinds, summarise
    >>> dates = pd.date_range("2021-01-01", periods=30).astype(str)
    >>> frame = pd.DataFrame({"patient": [f"p{i % 6}" for i in range(30)], "visit": dates})
    >>> guessed_roles(frame, guess_kinds(frame), summarise(frame))
    RoleNames(group='patient', time='visit', label='')
    """
    plans = list(plans)
    again = {  # of names as groups have them; of at least `FEWEST` values most come again
        summary.name
        for summary in summaries
        if vocabulary.names_groups(summary.name) or vocabulary.names_rows(summary.name)
        if FEWEST <= summary.n_distinct <= (len(frame) - summary.n_missing) / 1.5
    }
    words = [plan.name for plan in plans if plan.kind == "identifier" and frame[plan.name].dtype != np.float64]
    dates = [plan.name for plan in plans if plan.kind == "date"]
    groups = [plan.name for plan in plans if plan.kind in GROUPING and plan.name in again]
    return RoleNames(*(names[0] if names else "" for names in (groups, dates, words)))


def roles_of(frame: pd.DataFrame, names: RoleNames, target: str, rows: np.ndarray) -> RowRoles:
    """Return the roles of the rows (n_rows,) bool that have a target.

    Raises TableError, with rows counted from 1, for a column that is not there or is the target, for one group of
    all rows, and for times that are missing, no times, or all the same.
    """
    for role, name in zip(RoleNames._fields, names, strict=True):
        _check_column(frame, name, role, target)
    roles = RowRoles(
        _groups(frame[names.group], names.group, rows) if names.group else None,
        _times(frame[names.time], names.time, rows) if names.time else None,
        RowLabels(names.label, _texts(frame[names.label], rows)) if names.label else None,
    )
    if roles is not NO_ROLES:
        _check_together(roles, int(rows.sum()))
    return roles


def _check_column(frame: pd.DataFrame, name: str, role: str, target: str) -> None:
    if name and name == target:
        what = say("{name} cannot be the target and {role}.", name=quoted(name), role=say(ROLE_WORDS[role]))
        raise TableError(what, "", say("Choose another column for one of them."))
    if name and name not in frame:
        what = say("There is no column {name} to be {role}.", name=quoted(name), role=say(ROLE_WORDS[role]))
        raise TableError(what, "", say(OTHERWISE))


def _texts(values: Any, rows: np.ndarray) -> tuple[str, ...]:
    return tuple("" if pd.isna(value) else label(value) for value in values[rows])


def _groups(values: Any, name: str, rows: np.ndarray) -> Any:
    try:
        return row_groups(name, _texts(values, rows))
    except ValueError:
        raise TableError(
            say("All rows are of one group of {name}.", name=quoted(name)),
            "",
            say(OTHERWISE),
        ) from None


def _times(values: Any, name: str, rows: np.ndarray) -> RowTimes:
    dates = None if values.dtype == np.float64 else dates_of(values)
    if dates is None and values.dtype != np.float64:
        raise TableError(
            say("{name} holds neither numbers nor dates of one form.", name=quoted(name)),
            say("It begins with {text}.", text=quoted(values.dropna().iloc[0]))
            if values.notna().any()
            else say("It is empty."),
            say("Write dates as 2021-03-31."),
        )
    times = values.to_numpy() if dates is None else dates.days
    unknown = np.flatnonzero(np.isnan(times) & rows)
    if len(unknown):
        raise TableError(
            say("The time {name} is missing in {rows}.", name=quoted(name), rows=counted(len(unknown), "row")),
            say("First in row {row}.", row=count(int(unknown[0]) + 1)),
            say("Fill it in."),
        )
    if len(np.unique(times[rows])) < 2:
        raise TableError(
            say("The time {name} is the same in every row.", name=quoted(name)),
            "",
            say(OTHERWISE),
        )
    return RowTimes(name, read_only(times[rows]), dates is not None)


def _check_together(roles: RowRoles, n_rows: int) -> None:
    try:
        check_roles(roles, n_rows)
    except ValueError:
        assert roles.groups is not None
        assert roles.times is not None
        raise TableError(
            say(
                "Every group of {group} goes on to the last {time}.",
                group=quoted(roles.groups.name),
                time=quoted(roles.times.name),
            ),
            "",
            say("Choose a group or a time."),
        ) from None


# ---- A column of a table as the weights of its rows, and errors that say why it cannot be

FAULTS = {  # title, and where the first row with the fault is
    "missing": (to_say("The weight {name} is missing in {rows}."), to_say("First in row {row}.")),
    "infinite": (
        to_say("The weight {name} is infinite in {rows}."),
        to_say("First in row {row}, with {value}."),
    ),
    "negative": (
        to_say("The weight {name} is negative in {rows}."),
        to_say("First in row {row}, with {value}."),
    ),
}


def weights_of(frame: pd.DataFrame, name: str, target: str, rows: np.ndarray) -> RowWeights:
    """Return the weights in the column `name` of the rows (n_rows,) bool that have a target.

    Raises TableError, with rows counted from 1, for a column that is not there or is the target, and for weights
    that are no numbers, negative, missing or all zero.
    """
    if name == target:
        raise TableError(
            say("{name} cannot be target and weight.", name=quoted(name)),
            "",
            say("Choose another column for one of them."),
        )
    if name not in frame:
        columns = listed([quoted(column) for column in frame.columns], 6)
        raise TableError(
            say("There is no column {name}.", name=quoted(name)),
            say("The columns are {columns}.", columns=columns),
            say("Choose one of them."),
        )
    values = _numbers(frame[name], name, rows)
    if fault := fault_of(values[rows]):
        raise _unusable(name, *fault, values, np.flatnonzero(rows))
    return RowWeights(name, values[rows])


def _numbers(values: Any, name: str, rows: np.ndarray) -> np.ndarray:
    numbers = cells.to_numbers(values)
    words = np.flatnonzero((values.notna() & numbers.isna()).to_numpy() & rows)
    if len(words):
        raise TableError(
            say("The weight {name} holds words.", name=quoted(name)),
            say(
                "It is {word} in row {row}."
                if len(words) == 1
                else "It is {word} in row {row}; {rows} hold words.",
                word=quoted(values.iloc[words[0]]),
                row=count(int(words[0]) + 1),
                rows=counted(len(words), "row"),
            ),
            say("Write a number of at least 0 there."),
        )
    return numbers.to_numpy(np.float64)


def _unusable(name: str, what: str, faults: np.ndarray, values: np.ndarray, used: np.ndarray) -> TableError:
    """Return the error; `used` are the table's rows that `faults` counts."""
    if what == "zero":
        return TableError(
            say("The weight {name} is 0 in every row.", name=quoted(name)),
            "",
            say("Choose another column, or none."),
        )
    if what == "beyond":
        return TableError(
            say("The weight {name} is too large to add up.", name=quoted(name)),
            say("Together {sum}.", sum=in_style(f"{values[used].sum():.3g}")),
            say("Divide it by a number."),
        )
    first = int(used[faults[0]])
    title, where = FAULTS[what]
    return TableError(
        say(title, name=quoted(name), rows=counted(len(faults), "row")),
        say(where, row=count(first + 1), value=in_style(f"{values[first]:g}")),
        say("Write a number of at least 0 there."),
    )

"""Convert a table with the plans of its columns to a data set for trees, and keep the recipe of doing so."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from espalier.data.columns import cells, dates, units
from espalier.data.columns.kinds import (
    TARGET_KINDS,
    TIME_KINDS,
    ColumnPlan,
    RoleNames,
    category_texts,
    guess_task,
    levels,
    roles_of,
    weights_of,
)
from espalier.data.columns.vocabulary import no_yes
from espalier.data.dataset import Dataset, Feature, Origin, are_whole, choice_by_names, make_dataset, with_classes
from espalier.data.errors import TableError, count, counted, listed, number_text, quoted
from espalier.data.options import (
    CLOCK,
    CYCLES,
    DATE_PARTS,
    DAY,
    DURATION,
    HOUR,
    MINUTE,
    SECOND,
    Moment,
    NumberFormat,
    ReadOptions,
    feature_name,
)
from espalier.language import in_style, say, to_say
from espalier.settings import MAX_CATEGORIES, MAX_CLASSES, MAX_NUMBER


class CodedColumn(NamedTuple):
    """A column as numbers: itself, or the codes of its categories; missing is nan."""

    values: np.ndarray  # (n_rows,) float64
    feature: Feature
    notes: list[str]
    pooled: tuple[str, ...] = ()  # values pooled as the last category
    is_lossy: bool = False  # whether texts that are not numbers, or no dates, became missing
    format: NumberFormat | None = None  # of numbers that were read as words at first


# ---- columns of dates, times of day and durations as features: months, weekdays, days since 1970, minutes

UNITS = {"date": (DAY, MINUTE, SECOND), CLOCK: (MINUTE, SECOND), DURATION: (DAY, HOUR, MINUTE, SECOND)}
UNREADABLE = {
    "date": to_say("{name} does not hold dates of one form."),
    CLOCK: to_say("{name} does not hold times of day."),
    DURATION: to_say("{name} does not hold durations."),
}
EXAMPLES = {"date": "2021-03-31", CLOCK: "14:35", DURATION: "1 day 2:30"}  # of forms that are read


def moments(values: Any, plan: ColumnPlan) -> list[CodedColumn]:
    """Return the features of a column of dates, times of day or durations, by its plan.

    Raises TableError if more than one known cell in twenty is none, or the plan has an unknown part.
    """
    if values.isna().all():
        return [_code_moments(np.full(len(values), np.nan), Moment(plan.name, "date"), [], False)]
    if plan.kind == "date":
        return _date_columns(values, plan)
    read = dates.clock_of if plan.kind == CLOCK else dates.durations_of
    seconds = read(values)
    if seconds is None:
        raise _unreadable(values, plan)
    notes = _notes(values, seconds, plan)
    return [_code_moments(seconds, Moment(plan.name, plan.kind), notes, bool(notes))]


def part_of(seconds: np.ndarray, part: str) -> np.ndarray:
    """Return a calendar's part of moments in seconds since 1970 (n,): float64, nan where missing.

    "month" and "weekday" are codes from 0 (January, Monday); "year", "day" and "hour" as in the calendar.
    """
    is_known = ~np.isnan(seconds)
    days = np.floor(np.where(is_known, seconds, 0) / DAY).astype("int64").astype("M8[D]")
    months = days.astype("M8[M]")
    values = {
        "year": months.astype("M8[Y]").astype("int64") + 1970,
        "month": months.astype("int64") % 12,
        "weekday": (days.astype("int64") + 3) % 7,  # 1970 began on a Thursday
        "day": (days - months).astype("int64") + 1,
        "hour": seconds % DAY // HOUR,
    }
    return np.where(is_known, values[part], np.nan)


def _date_columns(values: Any, plan: ColumnPlan) -> list[CodedColumn]:
    read = dates.most_dates(values, plan.form)
    if read is None:
        raise _unreadable(values, plan)
    _check_parts(plan)
    notes = _notes(values, read.seconds, plan)
    is_lossy = bool(notes)
    if read.rival:
        note = (
            to_say("{name}: {date} is read with the day first.")
            if read.form == "dmy"
            else to_say("{name}: {date} is read with the month first.")
        )
        notes.append(say(note, name=quoted(plan.name), date=quoted(values.dropna().iloc[0])))
    parts = plan.parts or dates.usual_parts(read)
    features = [Moment(plan.name, part, read.form) for part in DATE_PARTS if part in parts]
    return [_code_moments(read.seconds, moment, notes * (moment is features[0]), is_lossy) for moment in features]


def _code_moments(seconds: np.ndarray, moment: Moment, notes: list[str], is_lossy: bool) -> CodedColumn:
    name = feature_name(moment.column, moment.part)
    if moment.part in CYCLES:
        codes, names = _codes(part_of(seconds, moment.part), CYCLES[moment.part])
        return CodedColumn(codes, Feature(name, "category", names, moment=moment), notes, is_lossy=is_lossy)
    if moment.part in UNITS:
        moment = moment._replace(unit=dates.unit_of(seconds, UNITS[moment.part]))
        if moment.part == "date" and moment.unit != DAY:  # minutes since 1970 have too many digits for pictures
            moment = moment._replace(since=int(np.nanmin(seconds) // DAY))
        values = (seconds - moment.since * DAY) / moment.unit
    else:
        values = part_of(seconds, moment.part)
    return CodedColumn(values, Feature(name, is_whole=are_whole(values), moment=moment), notes, is_lossy=is_lossy)


def _codes(places: np.ndarray, cycle: Sequence[str]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the codes of places in a cycle (n,), and the names of those that occur, in the cycle's order."""
    occurring = np.unique(places[~np.isnan(places)])
    codes = np.where(np.isnan(places), np.nan, np.searchsorted(occurring, places))
    return codes, tuple(cycle[int(place)] for place in occurring)


def _check_parts(plan: ColumnPlan) -> None:
    unknown = [part for part in plan.parts if part not in DATE_PARTS]
    if unknown:
        raise TableError(
            say("Dates in {name} have no part {part}.", part=quoted(unknown[0]), name=quoted(plan.name)),
            "",
            say("Choose from {parts}.", parts=listed(DATE_PARTS, len(DATE_PARTS))),
        )


def _unreadable(values: Any, plan: ColumnPlan) -> TableError:
    words = listed([quoted(v) for v in values.dropna().unique()], 3)
    return TableError(
        say(UNREADABLE[plan.kind], name=quoted(plan.name)),
        say("It begins with {text}.", text=words) if words else say("It is empty."),
        say(
            "Write them as {example}, or choose another kind.",
            example=EXAMPLES[plan.kind],
        ),
    )


def _notes(values: Any, seconds: np.ndarray, plan: ColumnPlan) -> list[str]:
    """Return a note on the cells that were lost, if any were."""
    is_lost = values.notna().to_numpy() & np.isnan(seconds)
    if not is_lost.any():
        return []
    first, n = quoted(values.to_numpy(object)[is_lost][0]), counted(int(is_lost.sum()), "cell")
    return [
        say(
            "{name}: {cells} that cannot be read ({first}) taken as missing.",
            name=quoted(plan.name),
            cells=n,
            first=first,
        )
    ]


# ---- convert a table with the plans of its columns to a data set for trees

OTHER = "(other)"


class TargetPlan(NamedTuple):
    """The column to predict, the task, and the columns that say something of the rows themselves."""

    name: str
    task: str = ""  # "classification" or "regression"; empty: as the values suggest
    weight: str = ""  # name of a column of numbers; empty: every row counts the same
    roles: RoleNames = RoleNames()  # of what joins the rows, puts them in order, and names them
    classes: tuple[str, ...] = ()  # those that come first, in their order; the others follow as they are
    positive: str = ""  # the class that counts; empty: as guessed

    @property
    def others(self) -> tuple[str, ...]:
        """Return the columns that are no features."""
        return (self.name, self.weight, *self.roles.used)


def to_dataset(
    frame: pd.DataFrame,
    plans: Iterable[ColumnPlan],
    target: str | TargetPlan,
    name: str,
    origins: Mapping[str, Origin] = MappingProxyType({}),
) -> tuple[Dataset, list[str]]:
    """Return the data set of the plans, and notes on omitted or pooled values.

    `origins` are those of the table that was read (`Table.origins`): with them, exports of a tree name columns and
    cells as in the file. Raises TableError if the target, the weight or a role cannot be used, or no
    feature is left.
    """
    target = TargetPlan(target) if isinstance(target, str) else target
    plans = list(plans)
    aim, values = _target(frame, plans, target)
    rows = ~np.isnan(values)
    notes, n_lost = [], int((~rows).sum())
    if n_lost:
        facts = {"rows": counted(n_lost, "row"), "name": quoted(aim.name)}
        notes.append(say("{rows} left out: the target {name} is missing.", **facts))
    weights = weights_of(frame, target.weight, target.name, rows) if target.weight else None
    if weights is not None and not weights.values.all():
        facts = {"rows": counted(int((weights.values == 0).sum()), "row"), "name": quoted(target.weight)}
        notes.append(say("{rows} left out: the weight {name} is 0.", **facts))
        rows[rows] = weights.values > 0
        weights = weights._replace(values=weights.values[weights.values > 0])
    roles = roles_of(frame, target.roles, target.name, rows)
    features = [plan for plan in plans if plan.name not in target.others]
    part = frame if rows.all() else frame.loc[rows]
    columns = [column for plan in features for column in _features(part, plan, frame, rows)]
    notes += [note for column in columns for note in column.notes] + _left_out(features)
    varying = [column for column in columns if _varies(column.values)]
    if constant := [quoted(column.feature.name) for column in columns if not _varies(column.values)]:
        notes.append(say("Not used, being the same in every row: {shown}.", shown=listed(constant)))
    if not varying:
        name_ = quoted(target.name)
        raise TableError(
            say("No column is left to ask about."),
            say("All but {name} are ignored, empty or constant.", name=name_),
            say("Choose another kind for a column."),
        )
    X = np.column_stack([column.values for column in varying])
    names = [plan.name for plan in plans]
    plan = plans[names.index(aim.name)]
    form = None if aim.categories else cells.number_format(frame[aim.name], plan.unit or None, plan.form)
    notes += [] if form is None else _number_notes(frame[aim.name], form, aim.name)
    aim = _place_feature(CodedColumn(values, aim, [], format=form), origins, names)
    features_ = _make_names_unique([_place_feature(column, origins, names) for column in varying], names)
    dataset = make_dataset(name, X, features_, values[rows], aim, weights, roles)
    return with_classes(dataset, choice_by_names(dataset.classes, target.classes, target.positive)), notes


def _place_feature(column: CodedColumn, origins: Mapping[str, Origin], names: list[str]) -> Feature:
    """Return the column's feature, with its position in the file and the changes made.

    One with a unit has it in its origin, also where there is no file, of which the columns would have these names.
    """
    moment = column.feature.moment
    origin = origins.get(column.feature.name if moment is None else moment.column)
    if origin is None and column.format is not None and column.format.unit:
        origin = Origin(column.feature.name, names.index(column.feature.name))
    if origin is None:
        return column.feature
    form = origin.format or column.format
    origin_ = origin._replace(pooled=column.pooled, is_lossy=column.is_lossy, format=form)
    return column.feature._replace(origin=origin_)


def _features(part: pd.DataFrame, plan: ColumnPlan, frame: pd.DataFrame, rows: np.ndarray) -> list[CodedColumn]:
    """Return the features that a column is in a part of the table: one, several of dates, none of identifiers.

    The part has these `rows` (n_rows,) bool of the `frame`.
    """
    if plan.kind not in TIME_KINDS:
        return [encode(part[plan.name], plan)] if plan.kind in TARGET_KINDS else []
    try:
        return moments(part[plan.name], plan)
    except TableError:  # the few cells of all rows that are no dates may be too many of these
        return [column._replace(values=column.values[rows]) for column in moments(frame[plan.name], plan)]


def _make_names_unique(features: list[Feature], columns: list[str]) -> list[Feature]:
    """Return the features with other names for parts of dates, "sent (month)", that a column has for itself."""
    taken_names = set(columns)
    parts = (f.moment is not None and f.moment.column != f.name and f.name in taken_names for f in features)
    return [
        feature._replace(
            name=next(name for i in itertools.count(2) if (name := f"{feature.name} {i}") not in taken_names)
        )
        if is_taken
        else feature
        for feature, is_taken in zip(features, parts, strict=True)
    ]


def encode(values: Any, plan: ColumnPlan) -> CodedColumn:
    """Encode one feature's column by its plan. Raises TableError if the values do not fit the kind."""
    if plan.kind == "number":
        return _numbers(values, plan)
    texts = category_texts(values)
    distinct = levels(values)
    if plan.kind == "yes/no":
        return _code_texts(texts, Feature(plan.name, "yes/no", _yes_no(distinct, plan)))
    if plan.kind == "ordered":
        return _code_texts(texts, Feature(plan.name, "ordered", _order(distinct, plan)))
    if len(distinct) <= MAX_CATEGORIES:
        return _code_texts(texts, Feature(plan.name, "category", _declared_first(distinct, plan)))
    return _pool_rare(texts, plan.name, distinct)


def _target(frame: pd.DataFrame, plans: list[ColumnPlan], target: TargetPlan) -> tuple[Feature, np.ndarray]:
    plan = next((plan for plan in plans if plan.name == target.name), None)
    if not target.name:
        raise TableError(
            say("No column can be the target."),
            say("All are empty, constant, times or names."),
            say("Choose another kind for a column."),
        )
    if plan is None:
        columns = listed([quoted(p.name) for p in plans], 6)
        raise TableError(
            say("There is no column {name}.", name=quoted(target.name)),
            say("The columns are {columns}.", columns=columns),
            say("Choose one of them."),
        )
    values = frame[plan.name]
    task = target.task or guess_task(cells.apply_unit(values, plan.unit, plan.form))
    return _regression(values, plan) if task == "regression" else _classes(values, plan)


def _regression(values: Any, plan: ColumnPlan) -> tuple[Feature, np.ndarray]:
    numbers = cells.to_numbers(values, plan.unit or None, plan.form)
    words = values[values.notna() & numbers.isna()]
    if len(words) or not pd.api.types.is_numeric_dtype(numbers):
        examples = listed([quoted(word) for word in pd.unique(words)], 3)
        raise TableError(
            say("The target {name} is no number.", name=quoted(plan.name)),
            say("It holds {shown} in {rows}.", shown=examples, rows=counted(len(words), "row")),
            say("Predict it as classes."),
        )
    floats = _within_limits(numbers.to_numpy(np.float64))
    _check_varies(plan, len(np.unique(floats[~np.isnan(floats)])))
    return Feature(plan.name, is_whole=are_whole(floats)), floats


def _classes(values: Any, plan: ColumnPlan) -> tuple[Feature, np.ndarray]:
    distinct = levels(values)
    _check_varies(plan, len(distinct))
    if len(distinct) > MAX_CLASSES:
        names_ = listed([quoted(v) for v in distinct], 3)
        raise TableError(
            say("The target {name} has too many classes: {n}.", name=quoted(plan.name), n=count(len(distinct))),
            say("The limit is {n}; the first are {shown}.", n=MAX_CLASSES, shown=names_),
            say("Predict it as a number." if values.dtype == np.float64 else "Choose another target."),
        )
    names = _declared_first(distinct, plan)
    kind = "yes/no" if no_yes(list(names)) == names else "category"
    column = _code_texts(category_texts(values), Feature(plan.name, kind, names))
    return column.feature, column.values


def _check_varies(plan: ColumnPlan, n_distinct: int) -> None:
    if n_distinct == 0:
        raise TableError(
            say("The target {name} is missing in every row.", name=quoted(plan.name)),
            "",
            say("Choose another target."),
        )
    if n_distinct == 1:
        raise TableError(
            say("The target {name} has one value only.", name=quoted(plan.name)),
            "",
            say("Choose another target."),
        )


def _numbers(values: Any, plan: ColumnPlan) -> CodedColumn:
    name = plan.name
    if values.dtype == np.float64:  # of which there may be thousands
        floats = _within_limits(values.to_numpy())
        return CodedColumn(floats, Feature(name, is_whole=are_whole(floats)), [])
    how = plan.unit or None, plan.form
    numbers, form = cells.to_numbers(values, *how), cells.number_format(values, *how)
    n_lost = int((values.notna() & numbers.isna()).sum())
    if n_lost == values.notna().sum() and n_lost:
        raise TableError(
            say("{name} holds no numbers.", name=quoted(name)),
            say("It begins with {text}.", text=listed([quoted(v) for v in values.dropna().unique()], 3)),
            say("Choose another kind."),
        )
    facts = {"name": quoted(name), "cells": counted(n_lost, "cell")}
    notes = [say("{name}: {cells} that cannot be read taken as missing.", **facts)] if n_lost else []
    floats = _within_limits(numbers.to_numpy(np.float64))
    notes += _number_notes(values, form, name)
    return CodedColumn(floats, Feature(name, is_whole=are_whole(floats)), notes, (), n_lost > 0, form)


def _number_notes(values: Any, form: NumberFormat, name: str) -> list[str]:
    """Return notes on the unit of a column, and on whole numbers of it that are rounded, each with a cell."""
    notes = []
    if form.unit and (example := units.example(values, form)):
        words = {"cell": quoted(example[0]), "value": in_style(number_text(example[1]))}
        notes.append(
            say("{name} is read in {unit}: {cell} as {value}.", name=quoted(name), unit=form.unit, **words)
        )
    if texts := cells.inexact_cells(values):
        number = float(cells.to_numbers(pd.Series(texts[:1], dtype="str")).to_numpy()[0])
        notes.append(
            say(
                "{name}: {values} with too many digits are rounded, {cell} to {value}. Choose category to"
" keep them.",
                name=quoted(name), values=counted(len(texts), "value"), cell=quoted(texts[0]),
                value=in_style(number_text(number)),
            )
        )  # fmt: skip
    return notes


def _within_limits(floats: np.ndarray) -> np.ndarray:
    """Return the numbers (n,), nan where they are infinite or far too large."""
    return np.where(np.abs(floats) > MAX_NUMBER, np.nan, floats)


def _code_texts(texts: Any, feature: Feature) -> CodedColumn:
    codes = pd.Categorical(texts, categories=list(feature.categories)).codes.astype(np.float64)
    codes[codes < 0] = np.nan
    return CodedColumn(codes, feature, [])


def _pool_rare(texts: Any, name: str, values: list[str]) -> CodedColumn:
    """Keep the most frequent categories, and pool all others as one."""
    frequent = set(map(str, texts.value_counts().index[: MAX_CATEGORIES - 1]))
    pools = itertools.chain([OTHER], (f"{OTHER[:-1]} {i})" for i in itertools.count(2)))
    pool = next(name for name in pools if name not in frequent)
    note = say(
        "{name} has {n} categories; all but the {kept} most frequent are pooled as {pool}.",
        name=quoted(name),
        n=count(len(values)),
        kept=MAX_CATEGORIES - 1,
        pool=quoted(pool),
    )
    feature = Feature(name, "category", (*sorted(frequent), pool))
    column = _code_texts(texts.where(texts.isna() | texts.isin(frequent), pool), feature)
    return column._replace(notes=[note], pooled=tuple(value for value in values if value not in frequent))


def _declared_first(values: list[str], plan: ColumnPlan) -> tuple[str, ...]:
    """Return the values, those that the plan names first, in its order."""
    there = [value for value in plan.categories if value in values]
    return (*there, *(value for value in values if value not in there))


def _yes_no(values: list[str], plan: ColumnPlan) -> tuple[str, ...]:
    if len(values) > 2:
        raise TableError(
            say("{name} cannot be yes/no.", name=quoted(plan.name)),
            say("It has {n} values: {shown}.", n=count(len(values)), shown=listed([quoted(v) for v in values], 3)),
            say("Choose another kind."),
        )
    categories = tuple(value for value in plan.categories if value in values)
    return categories if len(categories) == len(values) else no_yes(values) or tuple(values)


def _order(values: list[str], plan: ColumnPlan) -> tuple[str, ...]:
    """Return all values in the given order; without one, sorted. Raises TableError if the order lacks some."""
    lacking = [value for value in values if value not in plan.categories]
    if plan.categories and lacking:
        raise TableError(
            say("The order of {name} lacks values.", name=quoted(plan.name)),
            say("They are {shown}.", shown=listed([quoted(v) for v in lacking])),
            say("Write all of them, such as low < medium < high."),
        )
    return plan.categories or tuple(values)


def _varies(values: np.ndarray) -> bool:
    present = values[~np.isnan(values)]
    return len(present) > 0 and bool((present != present[0]).any())


def _left_out(plans: list[ColumnPlan]) -> list[str]:
    rest = [plan for plan in plans if plan.kind not in (*TARGET_KINDS, *TIME_KINDS)]
    if not rest:
        return []
    names_ = [f"{quoted(plan.name)} ({plan.reason or plan.kind})" for plan in rest]
    n = counted(len(rest), "column")
    return [say("{columns} not used: {shown}.", columns=n, shown=listed(names_, 6))]


# ---- how a file became a data set: what a script needs to make the same one of it


class TableRecipe(NamedTuple):
    """The file's name, the options of reading it, and the plans of its columns."""

    filename: str
    options: ReadOptions
    plans: tuple[ColumnPlan, ...]
    target: TargetPlan

    def dataset(self, folder: Path) -> Dataset:
        """Return the data set of the file in this folder. Raises TableError for a file that does not fit."""
        from espalier.data.table import read_table  # pandas and pyarrow take half a second to import

        table = read_table(folder / self.filename, options=self.options)
        return to_dataset(table.frame, self.plans, self.target, table.name, table.origins)[0]

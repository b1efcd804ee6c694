"""Convert a table with the plans of its columns to a data set for trees."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from espalier.data.class_choice import choice_by_names, with_classes
from espalier.data.columns import cells, units
from espalier.data.columns.coded import CodedColumn
from espalier.data.columns.exact_text import number_text
from espalier.data.columns.kinds import IN_TIME, USED, ColumnPlan, guess_task, label, levels
from espalier.data.columns.moments import moments
from espalier.data.columns.row_columns import RoleNames, roles_of
from espalier.data.columns.vocabulary import no_yes
from espalier.data.columns.weighing import weights_of
from espalier.data.dataset import Dataset, Feature, Origin, make_dataset, whole
from espalier.data.errors import TableError, count, counted, listed, quoted
from espalier.data.options import NumberFormat
from espalier.language import in_style, say
from espalier.settings import MAX_CATEGORIES, MAX_CLASSES, MAX_NUMBER

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
    notes = [] if rows.all() else [_without_target(rows, aim.name)]
    weights = weights_of(frame, target.weight, target.name, rows) if target.weight else None
    if weights is not None and not weights.values.all():
        notes.append(_without_weight(int((weights.values == 0).sum()), target.weight))
        rows[rows] = weights.values > 0
        weights = weights._replace(values=weights.values[weights.values > 0])
    roles = roles_of(frame, target.roles, target.name, rows)
    features = [plan for plan in plans if plan.name not in target.others]
    part = frame if rows.all() else frame.loc[rows]
    coded = [column for plan in features for column in _features(part, plan, frame, rows)]
    notes += [note for column in coded for note in column.notes] + _left_out(features)
    kept = [column for column in coded if _varies(column.values)]
    notes += _constant([column.feature.name for column in coded if not _varies(column.values)])
    if not kept:
        raise _no_feature(target.name)
    X = np.column_stack([column.values for column in kept])
    names = [plan.name for plan in plans]
    unit = plans[names.index(aim.name)].unit or None
    form = None if aim.categories else cells.written(frame[aim.name], unit)
    notes += [] if form is None else _unit_notes(frame[aim.name], form, aim.name)
    aim = _placed(CodedColumn(values, aim, [], format=form), origins, names)
    placed = _with_own_names([_placed(column, origins, names) for column in kept], names)
    dataset = make_dataset(name, X, placed, values[rows], aim, weights, roles)
    return with_classes(dataset, choice_by_names(dataset.classes, target.classes, target.positive)), notes


def _placed(column: CodedColumn, origins: Mapping[str, Origin], names: list[str]) -> Feature:
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
    changed = origin._replace(pooled=column.pooled, is_lossy=column.is_lossy, format=form)
    return column.feature._replace(origin=changed)


def _features(part: pd.DataFrame, plan: ColumnPlan, frame: pd.DataFrame, rows: np.ndarray) -> list[CodedColumn]:
    """Return the features that a column is in a part of the table: one, several of dates, none of identifiers.

    The part has these `rows` (n_rows,) bool of the `frame`.
    """
    if plan.kind not in IN_TIME:
        return [encode(part[plan.name], plan)] if plan.kind in USED else []
    try:
        return moments(part[plan.name], plan)
    except TableError:  # the few cells of all rows that are no dates may be too many of these
        return [column._replace(values=column.values[rows]) for column in moments(frame[plan.name], plan)]


def _with_own_names(features: list[Feature], columns: list[str]) -> list[Feature]:
    """Return the features with other names for parts of dates, "sent (month)", that a column has for itself."""
    taken = set(columns)
    parts = (f.moment is not None and f.moment.column != f.name and f.name in taken for f in features)
    return [
        feature._replace(
            name=next(name for i in itertools.count(2) if (name := f"{feature.name} {i}") not in taken)
        )
        if is_taken
        else feature
        for feature, is_taken in zip(features, parts, strict=True)
    ]


def encode(values: Any, plan: ColumnPlan) -> CodedColumn:
    """Encode one feature's column by its plan. Raises TableError if the values do not fit the kind."""
    if plan.kind == "number":
        return _numbers(values, plan)
    texts = _texts(values)
    found = levels(values)
    if plan.kind == "yes/no":
        return _coded(texts, Feature(plan.name, "yes/no", _yes_no(found, plan)))
    if plan.kind == "ordered":
        return _coded(texts, Feature(plan.name, "ordered", _order(found, plan)))
    if len(found) <= MAX_CATEGORIES:
        order = [value for value in plan.categories if value in found]
        names = (*order, *(value for value in found if value not in order))
        return _coded(texts, Feature(plan.name, "category", names))
    return _pooled(texts, plan.name, found)


def _target(frame: pd.DataFrame, plans: list[ColumnPlan], target: TargetPlan) -> tuple[Feature, np.ndarray]:
    plan = next((plan for plan in plans if plan.name == target.name), None)
    if not target.name:
        raise TableError(
            say("No column can be the target."),
            say(
                "Every column is ignored: it is empty, has one value only, names or numbers the rows, or "
                "holds times."
            ),
            say(
                "Add rows or columns with different values, or choose another kind for a column: number, "
                "category, ordered or yes/no."
            ),
        )
    if plan is None:
        columns = listed([quoted(p.name) for p in plans], 6)
        raise TableError(
            say("There is no column {name} to be the target.", name=quoted(target.name)),
            say("The columns are {columns}.", columns=columns),
            say("Choose one of them."),
        )
    values = frame[plan.name]
    task = target.task or guess_task(cells.in_unit(values, plan.unit))
    return _regression(values, plan) if task == "regression" else _classes(values, plan)


def _regression(values: Any, plan: ColumnPlan) -> tuple[Feature, np.ndarray]:
    numbers = cells.to_numbers(values, plan.unit or None)
    words = values[values.notna() & numbers.isna()]
    if len(words) or not pd.api.types.is_numeric_dtype(numbers):
        shown = listed([quoted(word) for word in pd.unique(words)], 3)
        raise TableError(
            say("The target {name} cannot be predicted as a number.", name=quoted(plan.name)),
            say("It holds {shown} in {rows}.", shown=shown, rows=counted(len(words), "row")),
            say("Predict it as a class, or choose another target."),
        )
    floats = numbers.to_numpy(np.float64, copy=True)
    _lose_far_off(floats)
    _check_varies(plan, len(np.unique(floats[~np.isnan(floats)])))
    return Feature(plan.name, is_whole=whole(floats)), floats


def _classes(values: Any, plan: ColumnPlan) -> tuple[Feature, np.ndarray]:
    found = levels(values)
    _check_varies(plan, len(found))
    if len(found) > MAX_CLASSES:
        shown = listed([quoted(v) for v in found], 3)
        raise TableError(
            say("The target {name} has too many classes: {n}.", name=quoted(plan.name), n=count(len(found))),
            say("The limit is {n} classes; the first are {shown}.", n=MAX_CLASSES, shown=shown),
            say(
                "Choose another target, or predict it as a number."
                if values.dtype == np.float64
                else "Choose another target, or group its values before."
            ),
        )
    order = [value for value in plan.categories if value in found]
    names = (*order, *(value for value in found if value not in order))
    kind = "yes/no" if no_yes(list(names)) == names else "category"
    coded = _coded(_texts(values), Feature(plan.name, kind, names))
    return coded.feature, coded.values


def _check_varies(plan: ColumnPlan, n_distinct: int) -> None:
    if n_distinct == 0:
        raise TableError(
            say("The target {name} is missing in every row.", name=quoted(plan.name)),
            say("Nothing can be learned from it."),
            say("Choose another target, or check which texts are read as missing."),
        )
    if n_distinct == 1:
        raise TableError(
            say("The target {name} has one value only.", name=quoted(plan.name)),
            say("It is the same in every row that has one, so there is nothing to tell apart."),
            say("Choose another target, or add rows with other values."),
        )


def _numbers(values: Any, plan: ColumnPlan) -> CodedColumn:
    name = plan.name
    if values.dtype == np.float64:  # of which there may be thousands
        floats = values.to_numpy(copy=True)
        _lose_far_off(floats)
        return CodedColumn(floats, Feature(name, is_whole=whole(floats)), [])
    numbers, form = cells.to_numbers(values, plan.unit or None), cells.written(values, plan.unit or None)
    lost = int((values.notna() & numbers.isna()).sum())
    if lost == values.notna().sum() and lost:
        raise TableError(
            say("The column {name} holds no numbers.", name=quoted(name)),
            say("It begins with {text}.", text=listed([quoted(v) for v in values.dropna().unique()], 3)),
            say("Choose another kind for it, such as category."),
        )
    said = {"name": quoted(name), "cells": counted(lost, "cell")}
    notes = [say("{name}: {cells} without a number treated as missing.", **said)] if lost else []
    floats = numbers.to_numpy(np.float64, copy=True)
    _lose_far_off(floats)
    notes += _unit_notes(values, form, name)
    return CodedColumn(floats, Feature(name, is_whole=whole(floats)), notes, (), lost > 0, form)


def _unit_notes(values: Any, form: NumberFormat, name: str) -> list[str]:
    """Return the note on the unit in which a column is read, with a cell; none for a column without units."""
    example = units.example(values, form) if form.unit else None
    if example is None:
        return []
    said = {"name": quoted(name), "unit": form.unit, "cell": quoted(example[0])}
    return [say("{name} is read in {unit}: {cell} as {value}.", **said, value=in_style(number_text(example[1])))]


def _lose_far_off(floats: np.ndarray) -> None:
    """Make infinite and far too large numbers missing, in place."""
    floats[np.abs(floats) > MAX_NUMBER] = np.nan


def _coded(texts: Any, feature: Feature) -> CodedColumn:
    codes = pd.Categorical(texts, categories=list(feature.categories)).codes.astype(np.float64)
    codes[codes < 0] = np.nan
    return CodedColumn(codes, feature, [])


def _pooled(texts: Any, name: str, found: list[str]) -> CodedColumn:
    """Keep the most frequent categories, and pool all others as one."""
    frequent = set(map(str, texts.value_counts().index[: MAX_CATEGORIES - 1]))
    pool = _pool(frequent)
    note = say(
        "{name} has {n} categories; the {kept} most frequent are kept, the others are pooled as {pool}.",
        name=quoted(name),
        n=count(len(found)),
        kept=MAX_CATEGORIES - 1,
        pool=quoted(pool),
    )
    feature = Feature(name, "category", (*sorted(frequent), pool))
    coded = _coded(texts.where(texts.isna() | texts.isin(frequent), pool), feature)
    return coded._replace(notes=[note], pooled=tuple(value for value in found if value not in frequent))


def _pool(frequent: set[str]) -> str:
    """Return an unused name for the pool: "(other)", or "(other 2)", …"""
    names = itertools.chain([OTHER], (f"{OTHER[:-1]} {i})" for i in itertools.count(2)))
    return next(name for name in names if name not in frequent)


def _texts(values: Any) -> Any:
    """Return the column as texts (missing NA)."""
    if values.dtype == np.float64:
        names = {x: label(x) for x in values.dropna().unique()}
        return values.map(names)
    return values.astype("str") if values.dtype != "str" else values


def _yes_no(found: list[str], plan: ColumnPlan) -> tuple[str, ...]:
    if len(found) > 2:
        raise TableError(
            say("The column {name} cannot be yes/no.", name=quoted(plan.name)),
            say("It has {n} values: {shown}.", n=count(len(found)), shown=listed([quoted(v) for v in found], 3)),
            say("Choose category, ordered or number for it."),
        )
    given = tuple(value for value in plan.categories if value in found)
    return given if len(given) == len(found) else no_yes(found) or tuple(found)


def _order(found: list[str], plan: ColumnPlan) -> tuple[str, ...]:
    """Return all values in the given order; without one, sorted. Raises TableError if the order lacks some."""
    lacking = [value for value in found if value not in plan.categories]
    if plan.categories and lacking:
        raise TableError(
            say("The order of {name} does not name all of its values.", name=quoted(plan.name)),
            say("Missing in it: {shown}.", shown=listed([quoted(v) for v in lacking])),
            say("Write all values from least to most, parted by “<”: low < medium < high."),
        )
    return plan.categories or tuple(found)


def _varies(values: np.ndarray) -> bool:
    present = values[~np.isnan(values)]
    return len(present) > 0 and bool((present != present[0]).any())


def _without_target(rows: np.ndarray, name: str) -> str:
    n = counted(int((~rows).sum()), "row")
    return say("{rows} left out because the target {name} is missing there.", rows=n, name=quoted(name))


def _without_weight(n: int, name: str) -> str:
    rows = counted(n, "row")
    return say("{rows} left out because the weight {name} is 0 there.", rows=rows, name=quoted(name))


def _left_out(plans: list[ColumnPlan]) -> list[str]:
    unused = [plan for plan in plans if plan.kind not in (*USED, *IN_TIME)]
    if not unused:
        return []
    shown = [f"{quoted(plan.name)} ({plan.reason or plan.kind})" for plan in unused]
    n = counted(len(unused), "column")
    return [say("{columns} not used: {shown}.", columns=n, shown=listed(shown, 6))]


def _constant(names: list[str]) -> list[str]:
    if not names:
        return []
    shown = listed([quoted(name) for name in names])
    return [say("Not used because the same value stands in every row: {shown}.", shown=shown)]


def _no_feature(target: str) -> TableError:
    return TableError(
        say("No column is left to ask about."),
        say("Every column but the target {name} is ignored, empty or the same in every row.", name=quoted(target)),
        say("Give at least one other column a kind that is used: number, category, ordered or yes/no."),
    )

"""Columns that say which rows belong together, when they were, and what they are called."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from espalier.data.columns import vocabulary
from espalier.data.columns.dates import dates_of
from espalier.data.columns.kinds import ColumnPlan, ColumnSummary, label
from espalier.data.errors import TableError, count, counted, quoted
from espalier.data.rows.roles import NO_ROLES, RowLabels, RowRoles, RowTimes, check_roles, row_groups
from espalier.language import say, to_say
from espalier.trees import read_only

OTHERWISE = to_say("Choose another column for it, or none.")
BOTH = {  # by role: where its column is the target
    "group": (
        to_say("The column {name} cannot be both the target and the group."),
        to_say("The group of a row is known before its target is."),
    ),
    "time": (
        to_say("The column {name} cannot be both the target and the time."),
        to_say("The time of a row is known before its target is."),
    ),
    "label": (
        to_say("The column {name} cannot be both the target and the label."),
        to_say("The label of a row is known before its target is."),
    ),
}
ABSENT = {  # by role: where there is no such column
    "group": to_say("There is no column {name} to be the group."),
    "time": to_say("There is no column {name} to be the time."),
    "label": to_say("There is no column {name} to be the label."),
}
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
    again = {one.name for one in summaries if _comes_again(one, len(frame))}
    words = [plan.name for plan in plans if plan.kind == "identifier" and frame[plan.name].dtype != np.float64]
    dates = [plan.name for plan in plans if plan.kind == "date"]
    groups = [plan.name for plan in plans if plan.kind in GROUPING and plan.name in again]
    return RoleNames(*(names[0] if names else "" for names in (groups, dates, words)))


def _comes_again(summary: ColumnSummary, n_rows: int) -> bool:
    """Return whether the column is named as groups are, and has at least `FEWEST` values, most of them again."""
    if not (vocabulary.names_groups(summary.name) or vocabulary.names_rows(summary.name)):
        return False
    return FEWEST <= summary.n_distinct <= (n_rows - summary.n_missing) / 1.5


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
        title, where = BOTH[role]
        raise TableError(say(title, name=quoted(name)), say(where), say("Choose another column for one of them."))
    if name and name not in frame:
        raise TableError(say(ABSENT[role], name=quoted(name)), say("It is not in the table."), say(OTHERWISE))


def _texts(values: Any, rows: np.ndarray) -> tuple[str, ...]:
    return tuple("" if pd.isna(value) else label(value) for value in values[rows])


def _groups(values: Any, name: str, rows: np.ndarray) -> Any:
    try:
        return row_groups(name, _texts(values, rows))
    except ValueError:
        raise TableError(
            say("All rows are of one group of {name}.", name=quoted(name)),
            say("Nothing could be held out."),
            say(OTHERWISE),
        ) from None


def _times(values: Any, name: str, rows: np.ndarray) -> RowTimes:
    dates = None if values.dtype == np.float64 else dates_of(values)
    if dates is None and values.dtype != np.float64:
        raise TableError(
            say("The column {name} holds neither numbers nor dates of one form.", name=quoted(name)),
            say("It begins with {text}.", text=quoted(values.dropna().iloc[0]))
            if values.notna().any()
            else say("It is empty."),
            say("Write dates as 2021-03-31, or choose another column for the time, or none."),
        )
    times = values.to_numpy() if dates is None else dates.days
    unknown = np.flatnonzero(np.isnan(times) & rows)
    if len(unknown):
        raise TableError(
            say("The time {name} is missing in {rows}.", name=quoted(name), rows=counted(len(unknown), "row")),
            say("The first is row {row}.", row=count(int(unknown[0]) + 1)),
            f"{say('Fill it in, or leave the row out.')} {say(OTHERWISE)}",
        )
    if len(np.unique(times[rows])) < 2:
        raise TableError(
            say("The time {name} is the same in every row.", name=quoted(name)),
            say("No row is before another."),
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
                "Every group of {group} goes on to the last time of {time}.",
                group=quoted(roles.groups.name),
                time=quoted(roles.times.name),
            ),
            say("No group could be held out that ends after all others."),
            say("Choose a group or a time, not both."),
        ) from None

"""Roles of columns that are neither feature nor target: what names the rows, joins them, or puts them in order.

Rows of one group, such as the visits of a patient, are not independent of each other, and what comes later
cannot be known earlier. Whatever divides or draws rows therefore asks `espalier.data.rows.parts`, which respects
both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from espalier.language import Refusal, say
from espalier.trees import read_only


class RowGroups(NamedTuple):
    """The column that says which rows belong together.

    >>> row_groups("patient", ["anna", "ben", "anna"]).codes.tolist()
    [0, 1, 0]
    """

    name: str
    codes: np.ndarray  # (n_samples,) int64, from 0
    names: tuple[str, ...]  # of the groups, by code; empty for a row that belongs to none but itself

    @property
    def n_groups(self) -> int:
        """Return how many groups there are."""
        return len(self.names)


class RowTimes(NamedTuple):
    """The column that puts the rows in order of time.

    >>> row_times("year", np.array([2021.0, 2019.0])).values.tolist()
    [2021.0, 2019.0]
    """

    name: str
    values: np.ndarray  # (n_samples,) float64, none missing: any number that grows with time
    is_date: bool = False  # whether they are days since the beginning of 1970 (UTC)


class RowLabels(NamedTuple):
    """The column that names the rows, and says nothing of the target."""

    name: str
    texts: tuple[str, ...]  # of every sample; empty where it has none

    def called(self, rows: Iterable[int]) -> list[str]:
        """Return what these rows are called, the column's name first; empty where a row has no label.

        A label of several rows stands with the number of the row, counted from 1.

        >>> RowLabels("customer", ("1543", "1600", "1600", "")).called(range(4))
        ['customer 1543', 'customer 1600 (row 2)', 'customer 1600 (row 3)', '']
        """
        having, found = Counter(self.texts), []
        for row in rows:
            text = self.texts[row]
            name = text if text.lower().startswith(self.name.lower()) else f"{self.name} {text}"
            several = f" ({say('row {n}', n=row + 1)})" if having[text] > 1 else ""
            found.append(name + several if text else "")
        return found


class RowRoles(NamedTuple):
    """Columns beside features, target and weight; None: no column has this role.

    >>> RowRoles(groups=row_groups("school", ["north", "south", "north"])).groups.n_groups
    2
    """

    groups: RowGroups | None = None
    times: RowTimes | None = None
    labels: RowLabels | None = None

    @property
    def content(self) -> bytes:
        """All that the roles say, as bytes for a digest; empty without roles."""
        said = [] if self.groups is None else [repr(("groups", self.groups.name, self.groups.names)).encode()]
        said += [] if self.groups is None else [self.groups.codes.tobytes()]
        said += (
            [] if self.times is None else [repr(("times", *self.times[::2])).encode(), self.times.values.tobytes()]
        )
        said += [] if self.labels is None else [repr(("labels", *self.labels)).encode()]
        return b"".join(said)

    def name_of(self, row: int, begins: bool = False) -> str:
        """Return what a row (counted from 0) is called, as `row_name` does."""
        return row_names(self.labels, [row], begins)[0]

    def of(self, rows: np.ndarray | slice) -> RowRoles:
        """Return the roles of these samples (indices, or a mask), whose groups keep their names and codes."""
        some = self
        if self.groups is not None:
            some = some._replace(groups=self.groups._replace(codes=read_only(self.groups.codes[rows])))
        if self.times is not None:
            some = some._replace(times=self.times._replace(values=read_only(self.times.values[rows])))
        if self.labels is not None:
            texts = np.array(self.labels.texts, dtype=object)[rows]
            some = some._replace(labels=self.labels._replace(texts=tuple(texts)))
        return some


NO_ROLES = RowRoles()


def row_names(labels: RowLabels | None, rows: Sequence[int], begins: bool = False) -> list[str]:
    """Return what rows (counted from 0) are called: by their labels, else by their numbers, from 1.

    `begins` says that a sentence begins with the name.

    >>> row_names(RowLabels("customer", ("1543", "")), [0, 1]), row_names(None, [4], begins=True)
    (['customer 1543', 'row 2'], ['Row 5'])
    """
    called = [""] * len(rows) if labels is None else labels.called(rows)
    number = [say("Row {n}", n=row + 1) if begins else say("row {n}", n=row + 1) for row in rows]
    return [name or plain for name, plain in zip(called, number, strict=True)]


def row_groups(name: str, groups: Sequence[Any] | np.ndarray) -> RowGroups:
    """Return the groups of this column (n_samples,); a row without one (None, nan or "") is a group of its own.

    Groups have codes in the order in which they first occur. Raises ValueError if all rows are of one group.

    >>> row_groups("school", ["north", None, "north", None]).codes.tolist()
    [0, 1, 0, 2]
    """
    codes, names, of_name = [], list[str](), dict[str, int]()
    for group in groups:
        text = "" if group is None or group != group else str(group)
        code = of_name.setdefault(text, len(names)) if text else len(names)
        if code == len(names):
            names.append(text)
        codes.append(code)
    if len(names) < 2:
        raise Refusal(
            "all rows are of one group of “{name}”; choose a column with at least two groups, or none", name=name
        )
    return RowGroups(name, read_only(np.array(codes, dtype=np.int64)), tuple(names))


def row_times(name: str, values: np.ndarray, is_date: bool = False) -> RowTimes:
    """Return the times of this column, (n_samples,) numbers that grow with time.

    Raises ValueError, counting rows from 1, for times that are missing or infinite, and if all are the same.

    >>> row_times("year", np.array([2021.0, np.nan]))
    Traceback (most recent call last):
    ...
    espalier.language.Refusal: the time “year” is missing in 1 of 2 rows, first in row 2; give every row a time...
    """
    values = np.ascontiguousarray(values, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"the times {name!r} have the shape {values.shape}; give one for each row")
    unknown = np.flatnonzero(~np.isfinite(values))
    if len(unknown):
        raise Refusal(
            "the time “{name}” is missing in {n} of {rows} rows, first in row {row}; give every row a time, or "
            "choose no time",
            name=name,
            n=len(unknown),
            rows=len(values),
            row=int(unknown[0]) + 1,
        )
    if len(values) and values.min() == values.max():
        raise Refusal("the time “{name}” is the same in every row; choose another column, or none", name=name)
    return RowTimes(name, read_only(values), is_date)


def check_roles(roles: RowRoles, n_samples: int) -> None:
    """Raise ValueError for roles of another number of rows, and for groups that all end at the same time."""
    sizes = {
        "groups": None if roles.groups is None else len(roles.groups.codes),
        "times": None if roles.times is None else len(roles.times.values),
        "labels": None if roles.labels is None else len(roles.labels.texts),
    }
    for role, size in sizes.items():
        if size not in (None, n_samples):
            raise ValueError(f"there are {size} {role}, but {n_samples} targets")
    if roles.groups is not None and roles.times is not None:
        ends = last_times(roles.groups, roles.times)
        if ends.min() == ends.max():
            raise Refusal(
                "every group of “{group}” has rows at the last time of “{time}”, so that no group lies before "
                "another; choose a group or a time, not both",
                group=roles.groups.name,
                time=roles.times.name,
            )


def last_times(groups: RowGroups, times: RowTimes) -> np.ndarray:
    """Return the last time of the group that each sample belongs to, (n_samples,) float64."""
    last = np.full(groups.n_groups, -np.inf)
    np.maximum.at(last, groups.codes, times.values)
    return last[groups.codes]


def useful(roles: RowRoles) -> RowRoles:
    """Return the roles, of a part of some samples, that still say something of them.

    Groups of which one is left, and times that are all the same, are left out; so are times where all groups end
    at the same one, which thus put no group before another.

    >>> days = row_times("day", np.array([1.0, 2.0, 3.0, 3.0]))
    >>> visits = RowRoles(row_groups("patient", ["ann", "bob", "ann", "bob"]), days)
    >>> useful(visits).times is None, useful(visits.of(np.array([0, 1]))).times is None
    (True, False)
    """
    if roles.groups is not None and len(np.unique(roles.groups.codes)) < 2:
        roles = roles._replace(groups=None)
    if roles.times is not None and len(np.unique(roles.times.values)) < 2:
        roles = roles._replace(times=None)
    if roles.groups is not None and roles.times is not None:
        ends = last_times(roles.groups, roles.times)
        roles = roles._replace(times=None) if ends.min() == ends.max() else roles
    return roles

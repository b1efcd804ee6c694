"""Columns that are neither feature nor target: what names rows, joins or orders them, and how much each counts.

Rows of one group, such as the visits of a patient, are not independent of each other, and what comes later
cannot be known earlier. Whatever divides or draws rows therefore asks `espalier.data.folds`, which respects
both.
"""

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
        counts, names = Counter(self.texts), []
        for row in rows:
            text = self.texts[row]
            name = text if text.lower().startswith(self.name.lower()) else f"{self.name} {text}"
            several = f" ({say('row {n}', n=row + 1)})" if counts[text] > 1 else ""
            names.append(name + several if text else "")
        return names


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
        contents = [] if self.groups is None else [repr(("groups", self.groups.name, self.groups.names)).encode()]
        contents += [] if self.groups is None else [self.groups.codes.tobytes()]
        contents += (
            [] if self.times is None else [repr(("times", *self.times[::2])).encode(), self.times.values.tobytes()]
        )
        contents += [] if self.labels is None else [repr(("labels", *self.labels)).encode()]
        return b"".join(contents)

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
    names = [""] * len(rows) if labels is None else labels.called(rows)
    number = [say("Row {n}", n=row + 1) if begins else say("row {n}", n=row + 1) for row in rows]
    return [name or plain for name, plain in zip(names, number, strict=True)]


def row_groups(name: str, groups: Sequence[Any] | np.ndarray) -> RowGroups:
    """Return the groups of this column (n_samples,); a row without one (None, nan or "") is a group of its own.

    Groups have codes in the order in which they first occur. Raises ValueError if all rows are of one group.

    >>> row_groups("school", ["north", None, "north", None]).codes.tolist()
    [0, 1, 0, 2]
    """
    codes, names, code_of_name = [], list[str](), dict[str, int]()
    for group in groups:
        text = "" if group is None or group != group else str(group)
        code = code_of_name.setdefault(text, len(names)) if text else len(names)
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


# ---- weights of samples, as a column of the data says them: how much each sample counts

MAX_TOTAL = 1e100  # of all weights: impurities take its third power


class RowWeights(NamedTuple):
    """The column that says how much each sample counts.

    >>> RowWeights("survey weight", np.array([1.0, 2.5])).values.sum()
    np.float64(3.5)
    """

    name: str
    values: np.ndarray  # (n_samples,) float64, none negative or missing, and not all zero


def fault_of(values: np.ndarray) -> tuple[str, np.ndarray] | None:
    """Return what is wrong with weights (n_samples,) float64, and the samples with the fault; None without one.

    It is "negative", "missing", "infinite", or of the whole column "zero" or "beyond".

    >>> fault_of(np.array([1.0, -2.0, np.nan]))
    ('missing', array([2]))
    >>> fault_of(np.array([1.0, -2.0]))
    ('negative', array([1]))
    >>> fault_of(np.array([1.0, 0.0])) is None
    True
    """
    faults = {"missing": np.isnan(values), "infinite": np.isinf(values), "negative": values < 0}
    for what, rows in faults.items():
        if rows.any():
            return what, np.flatnonzero(rows)
    everywhere = np.arange(len(values))
    if not values.any():
        return "zero", everywhere
    with np.errstate(over="ignore"):
        is_fine = 1 / MAX_TOTAL <= values.sum() <= MAX_TOTAL
    return None if is_fine else ("beyond", everywhere)


def row_weights(name: str, values: np.ndarray) -> RowWeights:
    """Return the weights of this column, in the agreed layout.

    Raises ValueError for values (n_samples,) that cannot be weights; it counts rows from 1.

    >>> row_weights("w", np.array([1.0, -2.0]))
    Traceback (most recent call last):
    ...
    ValueError: the weight 'w' is negative in 1 of 2 rows, first in row 2; give every row a number of at least 0...
    """
    values = np.ascontiguousarray(values, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"the weights {name!r} have the shape {values.shape}; give one number for each row")
    fault = fault_of(values)
    if fault is None:
        return RowWeights(name, values)
    what, rows = fault
    if what in ("zero", "beyond"):
        problem = "is 0 in every row" if what == "zero" else f"sums to {values.sum():.3g} over all rows"
    else:
        problem = f"is {what} in {len(rows)} of {len(values)} rows, first in row {int(rows[0]) + 1}"
    raise ValueError(
        f"the weight {name!r} {problem}; give every row a number of at least 0, at least one of them above 0, "
        f"with a sum of at most {MAX_TOTAL:g}"
    )


def weighted_mean(values: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Return the mean of values (n,), each counting by its weight (n,), or all the same; nan if nothing counts.

    >>> weighted_mean(np.array([1.0, 4.0]), np.array([2.0, 1.0]))
    2.0
    """
    if not len(values) or (weight is not None and not weight.any()):
        return float("nan")
    return float(np.average(values, weights=weight))


def class_sizes(y: np.ndarray, n_classes: int, weight: np.ndarray | None = None) -> np.ndarray:
    """Return the number of samples of each class code in y (n,), or their weight, (n_classes,).

    >>> class_sizes(np.array([0, 1, 1]), 3).tolist()
    [1, 2, 0]
    >>> class_sizes(np.array([0, 1, 1]), 3, np.array([0.5, 1.0, 2.0])).tolist()
    [0.5, 3.0, 0.0]
    """
    return np.bincount(y, weight, minlength=n_classes)


def effective_size(weight: np.ndarray) -> float:
    """Return how many equally weighted samples weights (n,) are worth, (Σ w)² / Σ w² (Kish 1965, section 8.2).

    >>> effective_size(np.array([2.0, 2.0])), effective_size(np.array([2.0, 1.0, 1.0, 0.0]))
    (2.0, 2.6666666666666665)
    """
    largest = float(weight.max(initial=0.0))
    if not largest:
        return 0.0
    parts = weight / largest  # so that no square overflows
    return float(parts.sum() ** 2 / (parts**2).sum())


def within_units(weight: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Return the part that each row has of its unit, (n,): the weights of a unit sum to 1, or to 0 if all are 0.

    >>> within_units(np.array([1.0, 1.0, 3.0]), np.array([7, 7, 4]))
    array([0.5, 0.5, 1. ])
    """
    _, place = np.unique(unit, return_inverse=True)
    total = np.bincount(place, weight)
    return weight / np.where(total > 0, total, 1.0)[place]

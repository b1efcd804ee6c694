"""What each column of a data set is for, and data sets whose columns are for something else.

The choice stands behind the table's text in addresses, so that it can be undone, sent and taken back column by
column: the table itself stays as it was read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import NO_MARKS, Dataset, Feature, make_dataset
from espalier.data.features import column_name, pack_text, unpack_text
from espalier.data.options import first_day
from espalier.data.roles import RowWeights, row_groups, row_times
from espalier.language import Refusal

FEATURE, TARGET, OUT, WEIGHT, GROUP, TIME = ROLES = ("feature", "target", "out", "weight", "group", "time")
ALONE = (TARGET, WEIGHT, GROUP, TIME)  # roles of one column at most
_TEXT = re.compile(r"(?P<table>.*?)~u(?P<roles>[A-Za-z0-9_-]+)")


class RoleColumn(NamedTuple):
    """A column of a data set, with all features that are worked out from it, and what it is for."""

    name: str
    feature: Feature
    values: np.ndarray  # (n_samples,) float64
    role: str
    places: tuple[int, ...] = ()  # of its features; none where it is no feature

    @property
    def possible(self) -> tuple[str, ...]:
        """The roles that it can have."""
        x, is_number = self.values, not self.feature.categories
        finite = x[np.isfinite(x)]
        if self.feature.moment is not None and not self.places:
            return (OUT, TIME)  # how it is written in the file is not finite any more
        if not len(finite) or (self.feature.moment is not None and self.feature.moment.part != "date"):
            return (FEATURE, OUT)
        varies, is_full = bool(finite.min() < finite.max()), len(finite) == len(x)
        able = {
            TARGET: varies and self.feature.moment is None,
            WEIGHT: is_number
            and is_full
            and self.feature.moment is None
            and finite.min() >= 0
            and finite.max() > 0,
            GROUP: varies and self.feature.moment is None,
            TIME: is_number and is_full and varies,
        }
        return tuple(role for role in ROLES if able.get(role, True))


def role_columns(dataset: Dataset) -> dict[str, RoleColumn]:
    """Return the columns of a data set by name, the target first, then the features.

    >>> from espalier.data import samples
    >>> [(column.name, column.role) for column in role_columns(samples.load("iris")).values()][:2]
    [('species', 'target'), ('sepal length', 'feature')]
    """
    target = dataset.target
    columns = {target.name: RoleColumn(target.name, target, dataset.y.astype(np.float64), TARGET)}
    for place, feature in enumerate(dataset.features):
        name, x = column_name(feature), dataset.X[:, place]
        before = columns.get(name, RoleColumn(name, feature, x, FEATURE))
        columns[name] = before._replace(places=(*before.places, place))
    return columns


def assign_roles(dataset: Dataset, roles: Mapping[str, str]) -> Dataset:
    """Return the data set whose columns of these names have these roles; the others keep theirs.

    A column that becomes the target, weight or group makes a feature of the one before. Rows without a target, or
    of weight 0, are left out. Names that there are not say nothing. Raises ValueError where no tree could grow.

    >>> from espalier.data import samples
    >>> wide = assign_roles(samples.load("iris"), {"petal width": "target", "petal length": "out"})
    >>> wide.target.name, [feature.name for feature in wide.features]
    ('petal width', ['sepal length', 'sepal width', 'species'])
    """
    columns = role_columns(dataset)
    wishes = {name: role for name, role in roles.items() if name in columns and role in columns[name].possible}
    now = {
        name: FEATURE if column.role in ALONE and column.role in wishes.values() else column.role
        for name, column in columns.items()
    } | wishes
    if all(now[name] == column.role for name, column in columns.items()):
        return dataset
    holders = {role: [columns[name] for name in now if now[name] == role] for role in ROLES}
    if len(holders[TARGET]) != 1 or any(len(holders[role]) > 1 for role in ALONE):
        raise Refusal("one column is the target, and one at most the weight, the group and the time")
    (target,) = holders[TARGET]
    places = [place for column in holders[FEATURE] for place in column.places]
    newcomers = [column for column in holders[FEATURE] if not column.places]  # what was no feature comes last
    if not places and not newcomers:
        raise Refusal("no column would be left to ask about; keep at least one")
    rows, weights = ~np.isnan(target.values), dataset.row_weights
    for weight in holders[WEIGHT]:
        rows &= weight.values > 0
        weights = RowWeights(weight.name, weight.values)
    y, parts = target.values[rows], dataset.roles.of(rows)
    if len(y) < 2 or y.min() == y.max():
        raise Refusal("“{name}” is the same in every row, so there is nothing to predict", name=target.name)
    for group in holders[GROUP]:
        words, codes = group.feature.categories, group.values[rows].tolist()
        labels = (words[int(x)] if words and x == x else x for x in codes)
        parts = parts._replace(groups=row_groups(group.name, [*labels]))
    for time in holders[TIME]:
        day = first_day(time.feature.moment)
        parts = parts._replace(times=row_times(time.name, time.values[rows] + (day or 0), day is not None))
    weights = weights and weights._replace(values=weights.values[rows])
    X = np.column_stack([dataset.X[:, places], *(column.values for column in newcomers)])[rows]
    features = [dataset.features[place] for place in places]
    features += [column.feature._replace(marks=NO_MARKS, labels="", centre="mean") for column in newcomers]
    return make_dataset(dataset.name, X, features, y, target.feature, weights, parts)


def roles_text(roles: Mapping[str, str]) -> str:
    """Return the text behind the table's in addresses, which `table_and_roles` reads; empty without roles.

    >>> table_and_roles("iris" + roles_text({"petal length": "out"}))
    ('iris', {'petal length': 'out'})
    """
    return "~u" + pack_text(dict(sorted(roles.items()))) if roles else ""


def table_and_roles(text: str) -> tuple[str, dict[str, str]]:
    """Return the text of a table, and the roles of its columns that stand behind it; none that are damaged.

    >>> table_and_roles("iris"), table_and_roles("iris~unonsense")
    (('iris', {}), ('iris', {}))
    """
    match = _TEXT.fullmatch(text)
    if match is None:
        return text, {}
    there = unpack_text(match["roles"])
    return match["table"], {str(name): role for name, role in there.items() if role in ROLES}

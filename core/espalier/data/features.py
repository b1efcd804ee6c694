"""Features by name, and data sets made of another: with some features, a group of one, its parts as the target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from espalier.data.columns.exact_text import number_text
from espalier.data.dataset import Dataset, Feature, make_dataset
from espalier.data.rows.roles import row_groups


def with_features(dataset: Dataset, features: Sequence[int], name: str) -> Dataset:
    """Return the data set with these features (indices) alone, under another name. Raises ValueError for none.

    >>> from espalier.data import samples
    >>> with_features(samples.load("iris"), [2], "Petals").X.shape
    (150, 1)
    """
    if not features:
        raise ValueError("no column would be left; keep at least one")
    kept = [dataset.features[f] for f in features]
    return make_dataset(
        name, dataset.X[:, list(features)], kept, dataset.y, dataset.target, dataset.row_weights, dataset.roles
    )


def column_name(feature: Feature) -> str:
    """Return the name of the table's column that a feature is, or is worked out from."""
    return feature.name if feature.moment is None else feature.moment.column


def column_parts(features: Sequence[Feature], numbers: Iterable[int]) -> list[int]:
    """Return these features (indices, ascending) with all others that are worked out from the same columns.

    A column of dates is several features: the date itself, its month, its weekday. Whether one of them is known
    says whether all are.

    >>> from espalier.data.moments import Moment
    >>> parts = [Feature("sent", moment=Moment("sent", "date")), Feature("month", moment=Moment("sent", "month"))]
    >>> column_parts([Feature("age"), *parts], [2])
    [1, 2]
    """
    chosen = set(numbers)
    moments = {one.moment.column for f, one in enumerate(features) if f in chosen and one.moment is not None}
    return [
        f
        for f, one in enumerate(features)
        if f in chosen or (one.moment is not None and one.moment.column in moments)
    ]


def without_features(dataset: Dataset, features: Sequence[int], name: str) -> Dataset:
    """Return the data set without the columns of these features (indices), under another name.

    A column goes with all that is worked out from it (`column_parts`). Raises ValueError if none is left.

    >>> from espalier.data import samples
    >>> [feature.name for feature in without_features(samples.load("iris"), [0, 1], "Petals").features]
    ['petal length', 'petal width']
    """
    out = column_parts(dataset.features, features)
    return with_features(dataset, [f for f in range(len(dataset.features)) if f not in out], name)


def grouped_by(dataset: Dataset, feature: int, name: str) -> Dataset:
    """Return the data set with a feature (index) as the group of each row instead, under another name.

    Raises ValueError if it is the only feature, or all rows are of one group.

    >>> from espalier.data import samples
    >>> grouped_by(samples.load("monks-1"), 0, "Monks").roles.groups.n_groups
    3
    """
    column, x = dataset.features[feature], dataset.X[:, feature]
    names = [None if np.isnan(value) else _text(value, column) for value in x]
    roles = dataset.roles._replace(groups=row_groups(column.name, names))
    left = without_features(dataset, [feature], name)
    return make_dataset(name, left.X, left.features, left.y, left.target, left.row_weights, roles)


def part_as_target(dataset: Dataset, held: np.ndarray, target: Feature, name: str) -> Dataset:
    """Return the data set whose `target` says of each row whether it is held out (n_samples,) bool: its class 1.

    >>> from espalier.data import HeldOut, held_out, samples
    >>> iris = samples.load("iris")
    >>> part = Feature("part", "category", ("training", "held out"))
    >>> part_as_target(iris, held_out(iris, HeldOut(30)), part, "Parts of iris").y.sum()
    np.int64(45)
    """
    return make_dataset(name, dataset.X, dataset.features, held.astype(np.int64), target)


def places_by_name(features: Sequence[Feature], form: Callable[[str], str] = str) -> dict[str, int]:
    """Return the positions of the features by their names in their file, and by those that they have here.

    A model that was fitted to the file knows the file's names, also where a person calls columns otherwise: of a
    name that means two columns the file's is taken. `form` is a way to write names.

    >>> from espalier.data.columns.glossary import ColumnWords, with_words
    >>> from espalier.data import samples
    >>> leaf = with_words(samples.load("iris"), {"petal length": ColumnWords("leaf", "cm")})
    >>> places_by_name(leaf.features)["petal length"], places_by_name(leaf.features)["leaf (cm)"]
    (2, 2)
    """
    in_file = [form(one.origin.name if one.origin else one.name) for one in features]
    return {form(one.name): f for f, one in enumerate(features)} | {
        name: f for f, name in enumerate(in_file) if name and in_file.count(name) == 1
    }


def _text(value: float, feature: Feature) -> str:
    return feature.categories[int(value)] if feature.categories else number_text(value)

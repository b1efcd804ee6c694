"""Rows of another file in the terms of a data set: its columns, the codes of their categories, and its target."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from espalier.data.columns import cells, dates
from espalier.data.columns.convert import part_of
from espalier.data.columns.kinds import category_texts, label
from espalier.data.columns.vocabulary import fold_case, no_yes
from espalier.data.dataset import Dataset, Feature
from espalier.data.errors import TableError, listed, quoted
from espalier.data.options import CLOCK, CYCLES, DAY, DURATION, Moment
from espalier.data.roles import RowLabels, row_names
from espalier.language import say
from espalier.settings import MAX_NUMBER

NO_COLUMN = ""
UNIT_FACTORS = (100.0, 1_000.0, 0.01, 0.001)
MOSTLY = 0.95  # share of a column's numbers
NEAR_FACTOR = 3.0  # most that the ratio of two medians may be off by


class ColumnSources(NamedTuple):
    """The columns of a file that a data set's features, target and labels are read from; "" for none."""

    features: tuple[str, ...]
    target: str = NO_COLUMN
    label: str = NO_COLUMN


class NewRows(NamedTuple):
    """Rows of a file in the terms of a data set; row i is row i of the file's table."""

    X: np.ndarray  # (n_rows, n_features) float64, Fortran order; missing and unknown values are nan
    unknown: np.ndarray  # (n_rows, n_features) bool: a category the feature does not have, or no number
    y: np.ndarray | None  # (n_rows,) class codes or numbers, nan where not known; None: the file has no target
    labels: RowLabels | None  # what the rows are called
    sources: ColumnSources
    frame: pd.DataFrame  # the table itself

    @property
    def absent(self) -> np.ndarray:
        """Return which features have no column in the file, (n_features,) bool."""
        return np.array([not source for source in self.sources.features], dtype=bool)

    def cell(self, row: int, feature: int) -> str:
        """Return the text that stands in the table where a feature is read from; "" where it is missing."""
        value = self.frame[self.sources.features[feature]].iloc[row]
        return "" if pd.isna(value) else label(value)

    def name_of(self, row: int) -> str:
        """Return what a row (counted from 0) is called: by its label, else by its number from 1."""
        return row_names(self.labels, [row])[0]


class ChangedUnit(NamedTuple):
    """A column whose numbers are about so many times those of the data set: in percent, or in g instead of kg."""

    feature: Feature
    factor: float  # 100, 1,000, or one over them
    median: float  # of the new numbers, without those that are 0
    learned: float  # of the data set's


def columns_of_words(dataset: Dataset) -> frozenset[str]:
    """Return the names of columns whose cells are words in the data set's own file, whatever they look like.

    Where 1.1 and 1.10 are two versions, they are two in other files, too, of which all cells could be numbers.

    >>> from espalier.data import samples
    >>> columns_of_words(samples.load("iris"))
    frozenset()
    """
    features = (
        feature for feature in (*dataset.features, dataset.target) if feature.categories and feature.moment is None
    )
    return frozenset(
        feature.origin.name for feature in features if feature.origin and feature.origin.format is None
    )


def sources_in(columns: Sequence[str], dataset: Dataset) -> ColumnSources:
    """Return the columns of a file that are called as those of a data set are, here or in its own file.

    Where no name is the same, capitals, spaces and underscores do not matter.

    >>> from espalier.data import samples
    >>> sources_in(["Petal_Length", "species", "sepal length"], samples.load("iris"))
    ColumnSources(features=('sepal length', '', 'Petal_Length', ''), target='species', label='')
    """
    labels = dataset.roles.labels
    matches = [_source(columns, _names(feature)) for feature in (*dataset.features, dataset.target)]
    label_ = NO_COLUMN if labels is None else _source(columns, [labels.name])
    return ColumnSources(tuple(matches[:-1]), matches[-1], label_)


def label_in(frame: pd.DataFrame, sources: ColumnSources) -> str:
    """Return the first column of no other use whose values are all there, all different, and no fractions."""
    names = {*sources.features, sources.target}
    return next((str(name) for name in frame.columns if name not in names and _names_rows(frame[name])), NO_COLUMN)


def _names_rows(values: Any) -> bool:
    if not values.notna().all() or not values.is_unique:
        return False
    return values.dtype != np.float64 or bool((values == np.round(values)).all())


def new_rows(frame: pd.DataFrame, dataset: Dataset, sources: ColumnSources | None = None) -> NewRows:
    """Return the rows of a table in the terms of a data set, by these columns, or by those of `sources_in`.

    A feature without a column is nan in every row, and `absent`. Values that a feature does not have (a new
    category, a word among numbers) are missing, too, and marked as unknown. Raises TableError where no feature
    has a column.

    >>> from espalier.data import samples
    >>> frame = pd.DataFrame({"petal length": [1.4, None], "species": ["setosa", "tulip"]})
    >>> rows = new_rows(frame, samples.load("iris"))
    >>> rows.X[:, 2].tolist(), rows.y.tolist()
    ([1.4, nan], [0.0, nan])
    """
    sources = sources or sources_in(list(frame.columns), dataset)
    if not any(sources.features):
        raise _no_column(list(frame.columns), dataset)
    shape = len(frame), len(dataset.features)
    X, unknown = np.full(shape, np.nan, order="F"), np.zeros(shape, bool, order="F")
    for f, (feature, source) in enumerate(zip(dataset.features, sources.features, strict=True)):
        if source:
            X[:, f] = code_column(frame[source], feature)
            unknown[:, f] = frame[source].notna().to_numpy() & np.isnan(X[:, f])
    y = code_column(frame[sources.target], dataset.target) if sources.target else None
    return NewRows(X, unknown, y, _labels(frame, sources.label), sources, frame)


def changed_units(rows: NewRows, dataset: Dataset) -> list[ChangedUnit]:
    """Return the columns of numbers that seem to have another unit in the new rows.

    Nearly all of their numbers lie outside of those of the data set, nearly all lie among these once they are
    divided by the factor, and the medians differ by about that. Numbers that are 0 say nothing of a unit.

    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> rows = new_rows(pd.DataFrame({"petal length": [140.0, 510.0, 0.0], "petal width": [0.2, 1.3, 0.1]}), iris)
    >>> [(found.feature.name, found.factor, found.median) for found in changed_units(rows, iris)]
    [('petal length', 100.0, 325.0)]
    """
    pairs = [(feature, rows.X[:, f], dataset.X[:, f]) for f, feature in enumerate(dataset.features)]
    if rows.y is not None:
        pairs.append((dataset.target, rows.y, dataset.y))
    numbers = [pair for pair in pairs if not pair[0].categories and pair[0].moment is None]
    return [change for feature, new, old in numbers if (change := _changed_unit(feature, new, old))]


def _changed_unit(feature: Feature, new: np.ndarray, old: np.ndarray) -> ChangedUnit | None:
    new, old = (x[~np.isnan(x) & (x != 0)] for x in (new, old))
    if not len(new) or not len(old):
        return None
    low, high = old.min(), old.max()
    medians = float(np.median(new)), float(np.median(old))
    for factor in UNIT_FACTORS:
        is_outside = np.mean((new < low) | (new > high)) >= MOSTLY
        fits = np.mean((new / factor >= low) & (new / factor <= high)) >= MOSTLY
        if is_outside and fits and 1 / NEAR_FACTOR <= medians[0] / medians[1] / factor <= NEAR_FACTOR:
            return ChangedUnit(feature, factor, *medians)
    return None


def code_column(values: Any, feature: Feature) -> np.ndarray:
    """Return a column in the terms of a feature, (n_rows,) float64: nan for what is missing or unknown to it."""
    if not values.notna().any():
        return np.full(len(values), np.nan)
    if feature.moment is not None:
        return _moments(values, feature, feature.moment)
    if feature.categories:
        return _codes(category_texts(values), feature)
    form = None if feature.origin is None else feature.origin.format
    how = ("", "") if form is None else (form.unit, form.decimal)
    numbers = cells.to_numbers(values, *how).to_numpy(np.float64, copy=True)
    numbers[np.abs(numbers) > MAX_NUMBER] = np.nan
    return numbers


def _names(feature: Feature) -> list[str]:
    """Return the names that a feature's column may have in a file, the likeliest first."""
    origin = [] if feature.origin is None else [feature.origin.name]
    moment = [] if feature.moment is None else [feature.moment.column]
    return [*origin, *moment, feature.name]


def _source(columns: Sequence[str], names: Sequence[str]) -> str:
    exact = [name for name in names if name in columns]
    alike = {plain_name(column): column for column in reversed(columns)}
    similar = [alike[plain_name(name)] for name in names if plain_name(name) in alike]
    return next(iter([*exact, *similar]), NO_COLUMN)


def plain_name(name: str) -> str:
    """Return the name without capitals, and with one space for any spaces and underscores."""
    return re.sub(r"[\s_]+", " ", name.casefold()).strip()


def _codes(texts: Any, feature: Feature) -> np.ndarray:
    if (pair := no_yes(feature.categories)) is not None:
        names = {fold_case(name): name for name in pair}  # whatever the capitals
        texts = texts.map({text: names.get(fold_case(text), text) for text in texts.dropna().unique()})
    if feature.origin is not None and feature.origin.pooled:
        texts = texts.where(~texts.isin(feature.origin.pooled), feature.categories[-1])
    codes = pd.Index(feature.categories, dtype=object).get_indexer(pd.Index(texts.astype(object)))
    codes = codes.astype(np.float64)
    codes[codes < 0] = np.nan
    return codes


def _moments(values: Any, feature: Feature, moment: Moment) -> np.ndarray:
    seconds = _seconds(values, moment)
    if seconds is None:
        return np.full(len(values), np.nan)
    if moment.part in CYCLES:
        place_of = {name: code for code, name in enumerate(feature.categories)}
        code = np.array([place_of.get(name, np.nan) for name in CYCLES[moment.part]] + [np.nan])
        place = part_of(seconds, moment.part)
        return code[np.where(np.isnan(place), len(code) - 1, place).astype(int)]
    if moment.part in ("date", CLOCK, DURATION):
        return (seconds - moment.since * DAY) / moment.unit
    return part_of(seconds, moment.part)


def _seconds(values: Any, moment: Moment) -> np.ndarray | None:
    if moment.part in (CLOCK, DURATION):
        return dates.clock_of(values) if moment.part == CLOCK else dates.durations_of(values)
    read = dates.most_dates(values, moment.form)
    return None if read is None else read.seconds


def _labels(frame: pd.DataFrame, name: str) -> RowLabels | None:
    if not name:
        return None
    return RowLabels(name, tuple("" if pd.isna(value) else label(value) for value in frame[name]))


def _no_column(columns: list[str], dataset: Dataset) -> TableError:
    questions = [quoted(feature.name) for feature in dataset.features]
    return TableError(
        say("The file has no column of the model."),
        say(
            "It asks about {asked}; the file has {there}.",
            asked=listed(questions),
            there=listed([quoted(name) for name in columns]),
        ),
        say("Choose the columns by hand, or rename them."),
    )

"""The data set of learners: an immutable record of features, a target and a content digest."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from espalier.data.class_marks import NO_MARKS, ClassMarks, with_guess
from espalier.data.moments import Moment, first_day
from espalier.data.options import NumberFormat
from espalier.data.rows import parts
from espalier.data.rows.conditions import Column
from espalier.data.rows.filters import filter_of
from espalier.data.rows.roles import NO_ROLES, RowRoles, check_roles
from espalier.data.weights import RowWeights, row_weights
from espalier.trees import read_only

Kind = Literal["number", "category", "ordered", "yes/no"]
Centre = Literal["mean", "median"]
Labels = Literal["", "text", "truth"]  # numbers if all names are, else text; text also then; True and False
MOST_WHOLE = 1e15  # from here on floats are too coarse to be sure of whole numbers
FIRST_FIELDS = ("name", "kind", "categories", "is_whole", "origin")  # of a feature, when digests were first taken
ROW_NUMBER = "row number"  # column of every table, for conditions: from 1
STRATUM = 20  # rows with neighbouring targets: any multiple of 5 % of them is a whole number


class Origin(NamedTuple):
    """Position of a feature in the file that it was read from, and the changes made on reading."""

    name: str  # of the column in the file; may be empty or repeated there
    position: int  # of the column in the file, from 0
    pooled: tuple[str, ...] = ()  # values pooled as the last category, "(other)"
    missing: tuple[str, ...] = ()  # texts that were read as missing
    format: NumberFormat | None = None  # of its numbers, also if they name categories; None: it holds words
    alike: tuple[str, ...] = ()  # names of the file's other columns that are equal, or differ only in case
    is_lossy: bool = False  # whether texts that are not numbers were read as missing
    spellings: tuple[tuple[str, str], ...] = ()  # of yes and no: a text in the file, and the one it was read as
    is_filled: bool = False  # whether empty cells were read as the value above, which stands for a block of rows

    def __repr__(self) -> str:
        """Omit later fields that say nothing: the digests of data sets, which links have, are of this text."""
        later = self._fields[self._fields.index("spellings") :]
        there = [name for name in self._fields if name not in later or getattr(self, name)]
        return f"Origin({', '.join(f'{name}={getattr(self, name)!r}' for name in there)})"


class Feature(NamedTuple):
    """A column: its name, kind, and the names of its codes.

    >>> Feature("weight").kind
    'number'
    >>> Feature("colour", "category", ("green", "red")).categories
    ('green', 'red')
    """

    name: str
    kind: Kind = "number"
    categories: tuple[str, ...] = ()  # name of code 0, 1, …; empty for a number
    is_whole: bool = False  # whether all known values of a number are whole numbers
    origin: Origin | None = None  # None: the column comes from no file, or is unchanged there
    marks: ClassMarks = NO_MARKS  # of a target's classes: which one counts, and their colours
    moment: Moment | None = None  # how it is worked out from a column of dates or times; None: it is the column
    unit: str = ""  # of its numbers, as a person says it; the name ends with it, in brackets
    meaning: str = ""  # what it means, as a person says it (`data.columns.glossary`)
    centre: Centre = "mean"  # of a target: what a tree says of the rows of a node
    pooled: tuple[str, ...] = ()  # values that are the last category together, where no file says so (`Origin`)
    labels: Labels = ""  # of a target: what its classes are, if their names do not say it
    spread: float = 0.0  # of a number: its greatest value less its least one, by which texts round; 0: not known

    @property
    def positive(self) -> int | None:
        """Code of the class that counts, a target's; None: no class does."""
        return self.marks.positive

    @property
    def directed(self) -> int:
        """Code of the one of two classes whose share the directions of columns are about.

        It is the second, as in learners, unless a person chose that the first one counts.
        """
        return 0 if self.marks.by == "choice" and self.positive == 0 and len(self.categories) == 2 else 1

    def __repr__(self) -> str:
        """Omit later fields that nobody set: the digests of data sets, which links have, are of this text."""
        usual = self._field_defaults
        there = [
            name
            for name in self._fields
            if name in FIRST_FIELDS or name not in usual or getattr(self, name) != usual[name]
            if name != "spread"  # it is the data's
        ]
        return f"Feature({', '.join(f'{name}={getattr(self, name)!r}' for name in there)})"


def whole(values: np.ndarray) -> bool:
    """Return whether all known values are whole numbers, of at most 15 digits, and there is one."""
    known = values[~np.isnan(values)]
    return len(known) > 0 and bool(((known == np.round(known)) & (np.abs(known) < MOST_WHOLE)).all())


class Dataset(NamedTuple):
    """Features and target of a table, ready to grow trees on.

    Numbers are stored as they are; categories, ordered categories and yes/no as codes 0, 1, …; missing is nan. A
    target with categories means classification, without them regression.

    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> iris.X.shape, iris.classes
    ((150, 4), ('setosa', 'versicolor', 'virginica'))
    """

    name: str
    X: np.ndarray  # (n_samples, n_features) float64, Fortran order, read-only
    features: tuple[Feature, ...]
    y: np.ndarray  # (n_samples,) int64 class codes, or float64; read-only
    target: Feature
    digest: str  # of the whole content and the name: the key of every cache
    row_weights: RowWeights | None = None  # how much each sample counts; None: all count the same
    roles: RowRoles = NO_ROLES  # what names the samples, joins them, or puts them in order

    @property
    def weights(self) -> np.ndarray | None:
        """How much each sample counts, (n_samples,) float64; None: all count the same."""
        return None if self.row_weights is None else self.row_weights.values

    def weights_of(self, rows: np.ndarray | slice) -> np.ndarray | None:
        """Return the weights of these samples (indices, or a mask), (n,) float64; None: all count the same."""
        return None if self.row_weights is None else self.row_weights.values[rows]

    @property
    def is_classification(self) -> bool:
        """Whether the target is a class."""
        return bool(self.target.categories)

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes; empty for regression."""
        return self.target.categories

    @property
    def strata(self) -> np.ndarray:
        """The targets by which samples are divided, (n_samples,): classes by codes that no other order changes."""
        if not self.target.marks.colours:
            return self.y
        return np.array(self.target.marks.colours, dtype=np.int64)[self.y]

    @property
    def categorical(self) -> np.ndarray:
        """Which features are split as sets of categories, (n_features,) bool (yes/no needs none)."""
        return np.array([f.kind == "category" for f in self.features], dtype=bool)

    def _repr_html_(self) -> str:
        return importlib.import_module("espalier").table(self)

    def __reduce__(self):  # with the digest: to take it again would take longer than all else
        return _copied, tuple(self)


def make_dataset(
    name: str,
    X: np.ndarray,
    features: Sequence[Feature],
    y: np.ndarray,
    target: Feature,
    weights: RowWeights | None = None,
    roles: RowRoles = NO_ROLES,
) -> Dataset:
    """Return a Dataset with its arrays in the agreed layout and its digest.

    `weights` and `roles` are those of the samples, with the names of their columns. A target without a positive
    class gets the one that its names or sizes suggest (`class_marks.with_guess`). Raises ValueError for unequal
    lengths, for weights that are negative, missing or all zero, and for groups none of which ends before another.

    >>> X, y = np.array([[1.2], [0.4], [1.1]]), np.array([0, 1, 0])
    >>> fruit = make_dataset("Fruit", X, [Feature("weight")], y, Feature("kind", "category", ("apple", "plum")))
    >>> fruit.is_classification, fruit.classes
    (True, ('apple', 'plum'))
    >>> crates = RowWeights("crates", np.array([2, 1, 0]))
    >>> weighed = make_dataset("Fruit", X, fruit.features, y, fruit.target, crates)
    >>> weighed.weights
    array([2., 1., 0.])
    """
    X = np.asfortranarray(X, dtype=np.float64)
    y = np.ascontiguousarray(y, dtype=np.int64 if target.categories else np.float64)
    if X.shape != (len(y), len(features)):
        raise ValueError(f"X is {X.shape}, but there are {len(y)} targets and {len(features)} features")
    digest = hashlib.blake2b(digest_size=16)
    for part in (X.T.tobytes(), y.tobytes(), repr((name, tuple(features), target)).encode()):
        digest.update(part)
    checked = None if weights is None else _checked_weights(weights, len(y))
    if checked is not None:
        digest.update(checked.values.tobytes() + repr(checked.name).encode())
    check_roles(roles, len(y))
    digest.update(roles.content)
    if target.categories:
        target = target._replace(marks=with_guess(target.marks, target.categories, y))
    features, (target,) = _spread_out(features, X), _spread_out([target], y[:, None])
    parts_ = name, read_only(X), features, read_only(y), target
    return Dataset(*parts_, digest.hexdigest(), checked, roles)


def _spread_out(features: Sequence[Feature], X: np.ndarray) -> tuple[Feature, ...]:
    """Return the features, those of numbers with their spread; what has one keeps it, as rows of a table do."""
    if not len(X) or all(one.categories or one.spread for one in features):
        return tuple(features)
    spreads = np.fmax.reduce(X, axis=0) - np.fmin.reduce(X, axis=0)
    return tuple(
        one if one.categories or one.spread or not np.isfinite(spread) else one._replace(spread=spread)
        for one, spread in zip(features, spreads.tolist(), strict=True)
    )


def _copied(name, X, features, y, target, digest, weights, roles) -> Dataset:
    """Return the Dataset of these parts, of which a pickle holds the arrays without their being read-only."""
    weights = None if weights is None else weights._replace(values=read_only(weights.values))
    return Dataset(name, read_only(X), features, read_only(y), target, digest, weights, roles)


def _checked_weights(weights: RowWeights, n_samples: int) -> RowWeights:
    checked = row_weights(*weights)
    if len(checked.values) != n_samples:
        raise ValueError(f"there are {len(checked.values)} weights {checked.name!r}, but {n_samples} targets")
    return checked._replace(values=read_only(checked.values))


def columns_of(dataset: Dataset) -> dict[str, Column]:
    """Return the columns that conditions may ask about, by name: features, target, roles, weight and row number.

    >>> from espalier.data import samples
    >>> list(columns_of(samples.load("iris")))[-2:]
    ['species', 'row number']
    """
    features = [*zip(dataset.features, dataset.X.T, strict=True), (dataset.target, dataset.y)]
    columns = {
        one.name: Column(values, one.categories, one.kind != "category", first_day(one.moment))
        for one, values in features
    }
    groups, times, weights = dataset.roles.groups, dataset.roles.times, dataset.row_weights
    if groups is not None:
        columns.setdefault(groups.name, Column(groups.codes, groups.names, has_order=False))
    if times is not None:
        columns.setdefault(times.name, Column(times.values, since=0 if times.is_date else None))
    if weights is not None:
        columns.setdefault(weights.name, Column(weights.values))
    columns.setdefault(ROW_NUMBER, Column(np.arange(1, len(dataset.y) + 1)))
    return columns


class HeldOut(NamedTuple):
    """Share of the rows that is held out for testing, and the seed that says which rows these are; or a filter.

    The share is a whole percentage, as in addresses, so that equal records always mean equal rows.

    >>> HeldOut(30).fraction
    0.3
    >>> HeldOut(30) == HeldOut(percent=30, seed=0)
    True
    """

    percent: int  # from 0 to 100
    seed: int = 0
    where: str = ""  # text of a filter (`espalier.data.filter_of`): its rows are held out, whatever the share

    @property
    def fraction(self) -> float:
        """Share of the rows that is held out, from 0 to 1."""
        return self.percent / 100

    def n_left(self, n_samples: int) -> int:
        """Return about how many of so many rows are left to grow on."""
        return round(n_samples * (1 - self.fraction))


def held_out(dataset: Dataset, holdout: HeldOut) -> np.ndarray:
    """Return the rows held out for testing, (n_samples,) bool; at least one sample remains to grow on.

    The split is stratified by class (each class gives ``round(fraction * its size)`` rows), or for regression by
    each run of `STRATUM` rows in the order of their targets. Of data with groups whole groups are held out, and
    of data with times the last rows (`espalier.data.rows.parts`); these are then about as many. Rows that
    a filter takes are held out as they are. Raises ValueError for a percentage outside 0 to 100, and FilterError
    for a filter that does not fit.

    >>> from espalier.data import samples
    >>> int(held_out(samples.load("iris"), HeldOut(30)).sum())
    45
    >>> int(held_out(samples.load("iris"), HeldOut(30, where="petal length~gt~6")).sum())
    9
    """
    if holdout.where:
        return filter_of(holdout.where).mask(columns_of(dataset), len(dataset.y))
    if not 0 <= holdout.percent <= 100:
        raise ValueError(f"{holdout.percent} % of the rows cannot be held out; choose a percentage from 0 to 100")
    rng = np.random.default_rng(holdout.seed)
    out = np.zeros(len(dataset.y), dtype=bool)
    if holdout.percent and not parts.is_plain(dataset.roles):
        return _held_together(dataset, holdout.fraction, rng)
    groups = dataset.strata if dataset.is_classification else _runs(dataset.y)
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        take = min(round(holdout.fraction * len(rows)), len(rows) - 1)
        out[rng.permutation(rows)[:take]] = True
    return out


def _held_together(dataset: Dataset, fraction: float, rng: np.random.Generator) -> np.ndarray:
    """Return the rows held out of data with groups or times, (n_samples,) bool."""
    groups = dataset.roles.groups
    if groups is None or parts.is_ordered(dataset.roles):
        return parts.late(dataset.roles, round(fraction * len(dataset.y)))
    strata = parts.strata_of(dataset.strata)
    return parts.by_group(groups.codes, strata, (1 - fraction, fraction), rng) == 1


def _runs(y: np.ndarray) -> np.ndarray:
    """Return the run of `STRATUM` values that each belongs to, counted from the smallest, (n,) int64."""
    rank = np.empty(len(y), dtype=np.int64)
    rank[np.argsort(y, kind="stable")] = np.arange(len(y))
    return rank // STRATUM

"""The data set of learners: an immutable record of features, a target and a content digest."""

from __future__ import annotations

import hashlib
import importlib
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from espalier.data.columns.vocabulary import no_yes, positive_among
from espalier.data.filters import Column
from espalier.data.options import Moment, NumberFormat, first_day
from espalier.data.roles import NO_ROLES, RowRoles, RowWeights, check_roles, row_weights
from espalier.language import Title
from espalier.trees import read_only

By = Literal["", "choice", "name", "rarity"]


class ClassMarks(NamedTuple):
    """Which class counts, who says so, and where in the palette each class has its colour."""

    positive: int | None = None  # code of the class that counts; None: no class does
    by: By = ""  # "choice" of a person, its "name", or its "rarity" as the rarer one of two
    colours: tuple[int, ...] = ()  # place in the palette by code, were all classes alike; empty: the code itself

    def places(self, n_classes: int) -> tuple[int, ...]:
        """Return the place in the palette at which each class is drawn, `n_classes` of them.

        Of two classes, the one that counts has the second colour, the warm one, if its name or a person says that
        it counts. The rarer one keeps its own: of other rows another one may be rarer, and colours would change.

        >>> ClassMarks().places(3), ClassMarks(colours=(2, 0)).places(2), ClassMarks(0, "name").places(2)
        ((0, 1, 2), (2, 0), (1, 0))
        """
        places = self.colours or tuple(range(n_classes))
        if sorted(places) == [0, 1] and self.positive is not None and self.by != "rarity":
            return (1 - self.positive, self.positive)
        return places


NO_MARKS = ClassMarks()


def guess_positive(marks: ClassMarks, names: Sequence[str], y: np.ndarray) -> ClassMarks:
    """Return the marks with a positive class, unless they have one, or none of the classes stands out.

    It is the class whose name says so (yes, true, positive, malignant), else the rarer one of two, the last of
    equals. `names` are those of the codes in y (n_samples,).

    >>> guess_positive(NO_MARKS, ("malignant", "benign"), np.array([0, 0, 1])).positive
    0
    >>> guess_positive(NO_MARKS, ("apple", "plum"), np.array([0, 0, 1]))
    ClassMarks(positive=1, by='rarity', colours=())
    """
    if marks.by:
        return marks
    pair = no_yes(list(names))
    class_name = pair[1] if pair else positive_among(names)
    if class_name is not None:
        return marks._replace(positive=list(names).index(class_name), by="name")
    if len(names) == 2:
        sizes = np.bincount(y, minlength=2)
        return marks._replace(positive=int(sizes[1] <= sizes[0]), by="rarity")
    return marks


# ---- the data set of learners: an immutable record of features, a target and a content digest

Kind = Literal["number", "category", "ordered", "yes/no"]
Centre = Literal["mean", "median"]
Labels = Literal["", "text", "truth"]  # numbers if all names are, else text; text also then; True and False
MOST_WHOLE = 1e15  # from here on floats are too coarse to be sure of whole numbers
FIRST_FIELDS = ("name", "kind", "categories", "is_whole", "origin")  # of a feature, when digests were first taken
ROW_NUMBER = "row number"  # column of every table, for conditions: from 1


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
    meaning: str = ""  # what it means, as a person says it (`data.column_changes`)
    centre: Centre = "mean"  # of a target: what a tree says of the rows of a node
    pooled: tuple[str, ...] = ()  # values that are the last category together, where no file says so (`Origin`)
    labels: Labels = ""  # of a target: what its classes are, if their names do not say it
    spread: float = 0.0  # of a number: its greatest value less its least one, by which texts round; 0: not known
    places: int | None = None  # decimals of its values, to which a questionnaire rounds cuts down; None: to none

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
            if name not in ("spread", "places")  # they are the data's
        ]
        return f"Feature({', '.join(f'{name}={getattr(self, name)!r}' for name in there)})"


def are_whole(values: np.ndarray) -> bool:
    """Return whether all known values are whole numbers, of at most 15 digits, and there is one."""
    numbers = values[~np.isnan(values)]
    return len(numbers) > 0 and bool(((numbers == np.round(numbers)) & (np.abs(numbers) < MOST_WHOLE)).all())


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
    truth: Callable[[np.ndarray], np.ndarray] | None = None  # mean of y by the only feature, of a simulated sample

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
        return _unpickle_dataset, tuple(self)


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
    class gets the one that its names or sizes suggest (`guess_positive`). Raises ValueError for unequal
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
    if weights is not None:
        weights = row_weights(*weights)
        if len(weights.values) != len(y):
            raise ValueError(f"there are {len(weights.values)} weights {weights.name!r}, but {len(y)} targets")
        weights = weights._replace(values=read_only(weights.values))
        digest.update(weights.values.tobytes() + repr(weights.name).encode())
    check_roles(roles, len(y))
    digest.update(roles.content)
    if target.categories:
        target = target._replace(marks=guess_positive(target.marks, target.categories, y))
    features, (target,) = _spread_out(features, X), _spread_out([target], y[:, None])
    return Dataset(name, read_only(X), features, read_only(y), target, digest.hexdigest(), weights, roles)


def _spread_out(features: Sequence[Feature], X: np.ndarray) -> tuple[Feature, ...]:
    """Return the features, those of numbers with their spread; what has one keeps it, as rows of a table do."""
    if not len(X) or all(feature.categories or feature.spread for feature in features):
        return tuple(features)
    spreads = np.fmax.reduce(X, axis=0) - np.fmin.reduce(X, axis=0)
    return tuple(
        feature
        if feature.categories or feature.spread or not np.isfinite(spread)
        else feature._replace(spread=spread)
        for feature, spread in zip(features, spreads.tolist(), strict=True)
    )


def title_of(dataset: Dataset) -> str:
    """Return the name of a data set for people: our own in the language spoken, a person's as it is.

    >>> from espalier.data import samples
    >>> title_of(samples.load("iris"))
    'Iris flowers'
    """
    return dataset.name.said if isinstance(dataset.name, Title) else dataset.name


def _unpickle_dataset(name, X, features, y, target, digest, weights, roles, truth) -> Dataset:
    """Return the Dataset of these parts, of which a pickle holds the arrays without their being read-only."""
    weights = None if weights is None else weights._replace(values=read_only(weights.values))
    return Dataset(name, read_only(X), features, read_only(y), target, digest, weights, roles, truth)


def columns_of(dataset: Dataset) -> dict[str, Column]:
    """Return the columns that conditions may ask about, by name: features, target, roles, weight and row number.

    >>> from espalier.data import samples
    >>> list(columns_of(samples.load("iris")))[-2:]
    ['species', 'row number']
    """
    features = [*zip(dataset.features, dataset.X.T, strict=True), (dataset.target, dataset.y)]
    columns = {
        feature.name: Column(values, feature.categories, feature.kind != "category", first_day(feature.moment))
        for feature, values in features
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


# ---- features by the columns that they are, and by name


def column_name(feature: Feature) -> str:
    """Return the name of the table's column that a feature is, or is worked out from."""
    return feature.name if feature.moment is None else feature.moment.column


def column_parts(features: Sequence[Feature], numbers: Iterable[int]) -> list[int]:
    """Return these features (indices, ascending) with all others that are worked out from the same columns.

    A column of dates is several features: the date itself, its month, its weekday. Whether one of them is known
    says whether all are.

    >>> from espalier.data.options import Moment
    >>> parts = [Feature("sent", moment=Moment("sent", "date")), Feature("month", moment=Moment("sent", "month"))]
    >>> column_parts([Feature("age"), *parts], [2])
    [1, 2]
    """
    places = set(numbers)
    moments = {
        feature.moment.column for f, feature in enumerate(features) if f in places and feature.moment is not None
    }
    return [
        f
        for f, feature in enumerate(features)
        if f in places or (feature.moment is not None and feature.moment.column in moments)
    ]


def places_by_name(features: Sequence[Feature], form: Callable[[str], str] = str) -> dict[str, int]:
    """Return the positions of the features by their names in their file, and by those that they have here.

    A model that was fitted to the file knows the file's names, also where a person calls columns otherwise: of a
    name that means two columns the file's is taken. `form` is a way to write names.

    >>> from espalier.data.column_changes import ColumnWords, name_columns
    >>> from espalier.data import samples
    >>> leaf = name_columns(samples.load("iris"), {"petal length": ColumnWords("leaf", "cm")})
    >>> places_by_name(leaf.features)["petal length"], places_by_name(leaf.features)["leaf (cm)"]
    (2, 2)
    """
    file_names = [form(feature.origin.name if feature.origin else feature.name) for feature in features]
    return {form(feature.name): f for f, feature in enumerate(features)} | {
        name: f for f, name in enumerate(file_names) if name and file_names.count(name) == 1
    }


# ---- a person's choice of the order of a target's classes, and of the one that counts

_TEXT = re.compile(
    r"(?P<table>.*?)(?:~c(?P<order>[1-9]\d{0,3}(?:-[1-9]\d{0,3})*))?(?:~p(?P<positive>[1-9]\d{0,3}))?"
)


class ClassChoice(NamedTuple):
    """The order of classes and the positive one, by their codes in the table as it was."""

    order: tuple[int, ...] = ()  # code of the first class, the second, …; empty: as they are
    positive: int | None = None  # None: as guessed

    @property
    def text(self) -> str:
        """The text behind the table's in addresses, which `table_and_choice` reads; it counts classes from 1.

        >>> ClassChoice((2, 0, 1), 2).text, ClassChoice().text
        ('~c3-1-2~p3', '')
        """
        order = "~c" + "-".join(str(code + 1) for code in self.order) if self.order else ""
        return order + (f"~p{self.positive + 1}" if self.positive is not None else "")


AS_READ = ClassChoice()


def table_and_choice(text: str) -> tuple[str, ClassChoice]:
    """Return the text of a table, and the choice of classes that stands behind it.

    >>> table_and_choice("iris~c3-1-2"), table_and_choice("moons~n0.3~p1")[0]
    (('iris', ClassChoice(order=(2, 0, 1), positive=None)), 'moons~n0.3')
    """
    match = _TEXT.fullmatch(text)
    if match is None:  # a text of several lines
        return text, AS_READ
    order, positive = match["order"], match["positive"]
    codes = tuple(int(place) - 1 for place in order.split("-")) if order else ()
    return match["table"], ClassChoice(codes, int(positive) - 1 if positive else None)


def choice_by_names(classes: Sequence[str], order: Sequence[str], positive: str = "") -> ClassChoice:
    """Return the choice that puts the classes named in `order` first, the others behind them as they are.

    Names that are no classes are skipped; an order that changes nothing is none.

    >>> choice_by_names(("high", "low", "medium"), ["low", "medium"], "high")
    ClassChoice(order=(1, 2, 0), positive=0)
    """
    names = list(classes)
    first = [names.index(name) for name in dict.fromkeys(order) if name in names]
    codes = (*first, *(code for code in range(len(names)) if code not in first))
    is_new = codes != tuple(range(len(names)))
    return ClassChoice(codes if is_new else (), names.index(positive) if positive in names else None)


def with_classes(dataset: Dataset, choice: ClassChoice) -> Dataset:
    """Return the data set with its classes in this order, and with this positive class.

    Rows and features stay, codes of classes are those of the new order, and each class keeps its colour. Raises
    ValueError for an order that does not name each class once, and for a class that is not there.

    >>> from espalier.data import samples
    >>> iris = with_classes(samples.load("iris"), ClassChoice((2, 0, 1), 0))
    >>> iris.classes, iris.classes[iris.target.positive]
    (('virginica', 'setosa', 'versicolor'), 'setosa')
    """
    if choice == AS_READ:
        return dataset
    n, target = len(dataset.classes), dataset.target
    order = choice.order or tuple(range(n))
    if sorted(order) != list(range(n)):
        raise ValueError(
            f"an order of {n} classes must name each of them once, not {[code + 1 for code in order]}"
        )
    marks, positive = target.marks, target.positive
    if choice.positive is not None:
        if not choice.positive < n:
            raise ValueError(f"there are {n} classes, and no class number {choice.positive + 1}")
        marks, positive = marks._replace(by="choice"), choice.positive
    places = marks.colours or tuple(range(n))
    marks = marks._replace(
        positive=None if positive is None else order.index(positive), colours=tuple(places[code] for code in order)
    )
    target = target._replace(categories=tuple(target.categories[code] for code in order), marks=marks)
    y = read_only(np.argsort(order)[dataset.y]) if choice.order else dataset.y
    digest = hashlib.blake2b(repr((dataset.digest, choice)).encode(), digest_size=16).hexdigest()
    return dataset._replace(y=y, target=target, digest=digest)

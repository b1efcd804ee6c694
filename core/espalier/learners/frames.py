"""Convert tables with names and types (text, categories, booleans) to the learners' numbers, and back.

Categories are recognised as in scikit-learn's histogram gradient boosting (``categorical_features="from_dtype"``),
except that text is also a category, and ordered categories become numbers in that order.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Hashable, Sequence
from decimal import Decimal
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from espalier.settings import MAX_CATEGORIES

NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d{1,4})?", re.ASCII | re.IGNORECASE)
TRUTH = {"false": 0, "true": 1}
Choice: TypeAlias = Sequence | np.ndarray | str | None  # the parameter `categorical_features`
FROM_DTYPE = "from_dtype"
NUMBERS = "biuf"  # kinds of dtypes that scikit-learn takes as they are
OTHER = "(other)"  # name of the category of all pooled values
MOST_NAMES = 6  # names in a message


class PooledCategories(UserWarning):
    """Warning: a column has more categories than a split can separate; the rarest count as one."""


class UnknownCategories(UserWarning):
    """Warning: no value of a column is a category that was learned; all of them count as missing."""


class ColumnCoding(NamedTuple):
    """Coding of a column's values as numbers."""

    name: Any
    dtype: Any
    kind: Literal["number", "ordered", "category"]
    levels: np.ndarray  # (n_levels,) object: the values behind codes 0, 1, …; empty for a number
    pooled: np.ndarray  # (n_pooled,) object: further values, the most frequent first, which share the last code
    missing: Any = np.nan  # the column's own missing value


class FrameColumns(NamedTuple):
    """The columns of the DataFrame that a learner was fitted to."""

    columns: tuple[ColumnCoding, ...]

    @property
    def is_category(self) -> np.ndarray:
        """Which columns are split as sets, (n_features,) bool."""
        return np.array([column.kind == "category" for column in self.columns], dtype=bool)

    @property
    def is_plain(self) -> bool:
        """Whether all columns are numbers of numpy's own types, or booleans."""
        return all(c.kind == "number" and _is_plain(c.dtype) and not len(c.levels) for c in self.columns)

    @property
    def categories(self) -> list[np.ndarray | None]:
        """The values of codes 0, 1, … for each column, the last "(other)" if some are pooled; None for numbers."""
        return [_category_names(column) if len(column.levels) else None for column in self.columns]

    def coded(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return X (n_samples, n_features) as float64, nan for missing values and unknown categories.

        Which category a value is, `places_of` says: 3 is "3". Raises ValueError for text in a column that
        had numbers in `fit`, and where numbers stand for words or words for numbers, none of which agree.
        """
        if self.is_plain and all(_is_plain(dtype) for dtype in X.dtypes):
            return X
        codes = np.empty(X.shape, order="F")
        for j, column in enumerate(self.columns):
            codes[:, j] = _encode(column, X.iloc[:, j])
        return pd.DataFrame(codes, columns=X.columns, index=X.index)

    def plain(self, rows: np.ndarray) -> pd.DataFrame:
        """Return rows (n, n_features) of numbers as a DataFrame with the names, types and categories of `fit`.

        Whole numbers and booleans keep their type if the entire column allows it (a pseudo-sample may lie between
        two whole numbers). Pooled categories all become the most frequent of them.
        """
        values = {j: _plain(column, rows[:, j]) for j, column in enumerate(self.columns)}
        frame = pd.DataFrame(values, index=range(len(rows)))
        frame.columns = pd.Index([column.name for column in self.columns])
        return frame


def frame_of(X: Any, choice: Choice) -> FrameColumns | None:
    """Return the coding of a DataFrame's columns; None if X is no DataFrame.

    `choice` is the parameter `categorical_features` of `espalier.learners.CartClassifier`. Raises ValueError for
    columns of types that are neither numbers nor categories, and for a choice that does not fit X.
    """
    if not isinstance(X, pd.DataFrame):
        return None
    names = X.columns.tolist()
    is_chosen = category_mask(choice, X.shape[1], names)
    return FrameColumns(
        tuple(_column(names[j], X.iloc[:, j], bool(is_chosen[j]), choice) for j in range(X.shape[1]))
    )


def category_mask(
    columns: Choice, n_features: int, names: Sequence | None = None, parameter: str = "categorical_features"
) -> np.ndarray:
    """Return (n_features,) bool from a mask, column numbers or names; types are ignored.

    Raises ValueError for columns that X does not have.
    """
    mask = np.zeros(n_features, dtype=bool)
    if columns is None or (isinstance(columns, str) and columns == FROM_DTYPE):
        return mask
    columns = np.atleast_1d(np.asarray(columns))
    if columns.dtype == bool:
        if columns.shape != (n_features,):
            raise ValueError(f"{parameter} has {columns.size} entries; X has {n_features} features")
        return columns.copy()
    if columns.dtype.kind in "UO" and all(isinstance(name, str) for name in columns):
        return np.isin(np.arange(n_features), _places(columns.tolist(), names, parameter))
    if columns.size and columns.dtype.kind not in "iu":
        raise ValueError(f"{parameter} is {columns.tolist()}; it must be a mask, column numbers, or names")
    outside = [at for at in columns.tolist() if not -n_features <= at < n_features]
    if outside:
        raise ValueError(
            f"{parameter} names a column that X does not have: {outside[0]}; they are 0 to {n_features - 1}"
        )
    mask[columns.astype(np.int64)] = True
    return mask


def _places(wanted: list[str], names: Sequence | None, parameter: str) -> list[int]:
    if names is None or not any(isinstance(name, str) for name in names):
        raise ValueError(
            f"{parameter} names the columns {quote_all(wanted)}, but X has no column names; name columns by their "
            "numbers, or give a DataFrame"
        )
    strangers = [name for name in wanted if name not in names]
    if strangers:
        raise ValueError(
            f"{parameter} names {quote_all(strangers)}, which X does not have; its columns are {quote_all(names)}"
        )
    return [at for at, name in enumerate(names) if name in wanted]


def spaceless_name(name: Any) -> str:
    """Return a name as LightGBM writes it."""
    return re.sub(r"\s", "_", str(name))


def quote_all(names: Sequence) -> str:
    """Return the first few names, quoted."""
    text = ", ".join(repr(name) for name in list(names)[:MOST_NAMES])
    return f"{text} and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else text


# ---- kinds of columns


def _column(name: Any, values: pd.Series, is_chosen: bool, choice: Choice) -> ColumnCoding:
    dtype, nothing = values.dtype, np.empty(0, object)
    if isinstance(dtype, pd.CategoricalDtype):
        levels = dtype.categories.astype(object).to_numpy()
        if not is_chosen and dtype.ordered:
            return ColumnCoding(name, dtype, "ordered", levels, nothing)
        if not (is_chosen or isinstance(choice, str)) and _are_numbers(dtype.categories):
            return ColumnCoding(name, dtype, "number", nothing, nothing)
        _check_allowed(name, levels, choice)
        return _category(name, values, levels)
    if is_text(values):
        _check_allowed(name, values.dropna(), choice)
        return _category(name, values, None)
    numbers = _numbers(name, values)
    if is_chosen and not _are_codes(numbers):
        return _category(name, values, None)
    return ColumnCoding(name, dtype, "category" if is_chosen else "number", nothing, nothing, _gap(values))


def check_known(y: Any) -> Any:
    """Return the targets y. Raises ValueError if some are missing: None, nan or pandas' own missing value."""
    if type(y) is np.ndarray and y.dtype != object:
        return y  # scikit-learn says it of numbers, and numpy has no missing text
    values: Any = y if isinstance(y, pd.Series) else np.asarray(y, dtype=object)
    missing = np.flatnonzero(pd.isna(values)) if values.ndim == 1 else np.empty(0, np.int64)
    if len(missing):
        raise ValueError(
            f"the target y is missing in {len(missing):,} of {len(y):,} samples, first in sample {missing[0]} "
            "(counted from 0); leave these samples out"
        )
    return y


def is_text(values: pd.Series | pd.Index) -> bool:
    """Return whether a column holds text: by its type, or for objects if any value is not a number."""
    if values.dtype == object:
        return pd.api.types.infer_dtype(values, skipna=True) in ("string", "mixed", "mixed-integer", "bytes")
    # Arrow's dictionary type
    return pd.api.types.is_string_dtype(values.dtype) or str(values.dtype).startswith("dictionary<")


def _are_numbers(categories: pd.Index) -> bool:
    return pd.api.types.is_numeric_dtype(categories.dtype)


def _are_codes(numbers: np.ndarray) -> bool:
    codes = numbers[~np.isnan(numbers)]
    return bool(((codes >= 0) & (codes < MAX_CATEGORIES) & (codes == np.floor(codes))).all())


def _check_allowed(name: Any, values: Any, choice: Choice) -> None:
    if choice is None:
        example = next(iter(values), "")
        raise ValueError(
            f"the column {name!r} holds text ({example!r}), and categorical_features=None allows no categories; "
            f'leave it at "{FROM_DTYPE}", or name the column'
        )


def _category(name: Any, values: Any, order: np.ndarray | None) -> ColumnCoding:
    """Return the coding of a column of categories that occur: in their given order, else sorted."""
    try:
        counts = values.astype(object).value_counts()
    except TypeError:
        raise ValueError(f"the column {name!r} holds {_type_text(values)}; leave it out") from None
    categories = counts.index[counts.to_numpy() > 0]
    levels = (
        _sort_values(categories.tolist()) if order is None else [level for level in order if level in categories]
    )
    rare: list = []
    if len(levels) > MAX_CATEGORIES:
        rare = categories[MAX_CATEGORIES - 1 :].tolist()
        _warn_of(name, counts, len(rare))
        frequent = set(categories[: MAX_CATEGORIES - 1])
        levels = [level for level in levels if level in frequent] + rare[:1]
    return ColumnCoding(name, values.dtype, "category", _objects(levels), _objects(rare), _gap(values))


def _warn_of(name: Any, counts: pd.Series, n_pooled: int) -> None:
    share = counts.iloc[MAX_CATEGORIES - 1 :].sum() / counts.sum()
    warnings.warn(
        f"the column {name!r} has {len(counts):,} categories, and a split can tell {MAX_CATEGORIES} apart: the "
        f"{MAX_CATEGORIES - 1} most frequent are kept, the {n_pooled:,} others, {share:.1%} of the samples, "
        "count as one; group them yourself, or leave the column out",
        PooledCategories,
        stacklevel=2,
    )


def _sort_values(values: list) -> list:
    try:
        return sorted(values)
    except TypeError:  # numbers mixed with text
        return sorted(values, key=lambda value: (str(type(value)), str(value)))


def _objects(values: list) -> np.ndarray:
    array = np.empty(len(values), object)
    array[:] = values
    return array


def _gap(values: Any) -> Any:
    """Return the column's own missing value: for some models None and nan differ."""
    if values.dtype != object:
        return np.nan
    gaps = values[values.isna()]
    return gaps.iloc[0] if len(gaps) else np.nan


def _category_names(column: ColumnCoding) -> np.ndarray:
    return _objects([*column.levels[:-1], OTHER]) if len(column.pooled) else column.levels


# ---- numbers and back


def _is_plain(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in NUMBERS


def _encode(column: ColumnCoding, values: pd.Series) -> np.ndarray:
    """Return a column as numbers, (n_samples,) float64."""
    if not len(column.levels):
        return _numbers(column.name, values)
    categories = pd.Index(np.concatenate([column.levels, column.pooled[1:]]), dtype=object)
    codes = categories.get_indexer(pd.Index(values.astype(object))).astype(np.float64)
    strange = np.flatnonzero((codes < 0) & values.notna().to_numpy(bool))
    if len(strange):
        stranger, names = pd.factorize(values.iloc[strange].astype(object))
        strangers = list(names)
        codes[strange] = places_of(categories.tolist(), strangers)[stranger]
        if not (codes >= 0).any():
            _say_unknown(column, strangers)
    codes[codes < 0] = np.nan
    return np.minimum(codes, len(column.levels) - 1)


def _say_unknown(column: ColumnCoding, values: list[Any]) -> None:
    """Warn that none of several values is a category of `fit`: one alone may well be new.

    Raises ValueError for numbers in place of words, and for words in place of numbers.
    """
    text = f"the column {column.name!r} holds {_quote(values[0])}, and `fit` saw {_quote(column.levels[0])}"
    if not are_of_one_kind(column.levels.tolist(), values):
        raise ValueError(
            f"{text}: numbers and text, none of which agree; give the column the values that it had in `fit`"
        )
    if len(values) > 1:
        warnings.warn(
            f"{text} and other categories: none of the column's values is one of them, and all count as missing",
            UnknownCategories,
            stacklevel=2,
        )


def _quote(value: Any) -> str:
    return repr(value.item() if isinstance(value, np.generic) else value)


def _numbers(name: Any, values: Any) -> np.ndarray:
    """Return (n_samples,) float64. Raises ValueError for values that are not numbers."""
    types = pd.api.types
    if isinstance(values.dtype, pd.CategoricalDtype) and _are_numbers(values.cat.categories):
        values = values.astype(np.float64)
    if is_text(values) and values.notna().any():
        example = values.dropna().iloc[0]
        raise ValueError(f"the column {name!r} holds text ({example!r}), where `fit` saw numbers")
    try:
        suits = (types.is_numeric_dtype, types.is_bool_dtype, types.is_object_dtype, types.is_string_dtype)
        if types.is_complex_dtype(values.dtype) or not any(suit(values.dtype) for suit in suits):
            raise TypeError
        return values.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        raise ValueError(
            f"the column {name!r} holds {_type_text(values)}, which are neither numbers nor categories; turn it "
            "into numbers (a date into days, say), or leave it out"
        ) from None


def _type_text(values: pd.Series) -> str:
    kind = pd.api.types.infer_dtype(values, skipna=True) if values.dtype == object else values.dtype
    return f"values of type {kind}"


def _plain(column: ColumnCoding, codes: np.ndarray) -> Any:
    """Return a column of its original type."""
    dtype = column.dtype
    if len(column.levels):
        has_value = ~np.isnan(codes)
        values = np.full(len(codes), column.missing, dtype=object)
        values[has_value] = column.levels[codes[has_value].astype(np.int64)]
        return pd.Series(values, dtype=object).astype(dtype)
    if isinstance(dtype, pd.CategoricalDtype):
        return pd.Series(codes).where(~np.isnan(codes)).astype(dtype)
    if pd.api.types.is_object_dtype(dtype) or pd.api.types.is_float_dtype(dtype):
        return pd.Series(codes).astype(dtype)
    return _whole_numbers(codes, dtype)


def _whole_numbers(codes: np.ndarray, dtype: Any) -> Any:
    """Return whole numbers or booleans of this type, if the codes allow it."""
    numbers, is_bool = codes[~np.isnan(codes)], pd.api.types.is_bool_dtype(dtype)
    fits = ((numbers == 0) | (numbers == 1)) if is_bool else numbers == np.floor(numbers)
    if not fits.all() or (isinstance(dtype, np.dtype) and len(numbers) < len(codes)):
        return pd.Series(codes)
    if isinstance(dtype, np.dtype):
        return pd.Series(codes.astype(dtype))
    nullable = pd.Series(codes).astype("Float64").mask(np.isnan(codes)).astype("Int64")
    return nullable.astype("boolean" if is_bool else "Int64").astype(dtype)


# ---- which category a value is


def places_of(categories: Sequence[Any], values: Sequence[Any]) -> np.ndarray:
    """Return the place of each value (n,) among the categories, -1 where it is none of them or may be several.

    A value is the category of the same text; else of the same number, where both are numbers however they are
    written; else of the same truth value ("TRUE", True). What two categories share decides nothing.

    >>> places_of(["2", "10", "100"], [10, 2.0, "100.0", "ten"]).tolist()
    [1, 0, 2, -1]
    >>> places_of([7, "007"], ["7", "007", "7.0"]).tolist()
    [0, 1, -1]
    """
    places = np.full(len(values), -1)
    forms: tuple[Callable[[Any], Hashable | None], ...] = (
        str,
        number_of,
        lambda value: TRUTH.get(str(value).casefold()),
    )
    for form in forms:
        place: dict[Hashable | None, int] = {}
        for at, key in enumerate(map(form, categories)):
            place[key] = -1 if key in place else at
        place[None] = -1
        for i in np.flatnonzero(places < 0).tolist():
            places[i] = place.get(form(values[i]), -1)
    return places


def number_of(value: Any) -> Decimal | None:
    """Return the number that a value is, or that its text writes; None for any other value.

    >>> number_of("1e3") == number_of(1000), number_of("Monday"), number_of(True)
    (True, None, None)
    """
    text = str(value)
    return Decimal(text) if NUMBER.fullmatch(text) else None


def are_of_one_kind(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Return whether some values are numbers in both, or some are no numbers in both: whether they could agree."""
    return any(
        any((number_of(value) is None) is is_text for value in one)
        and any((number_of(value) is None) is is_text for value in other)
        for is_text in (False, True)
    )

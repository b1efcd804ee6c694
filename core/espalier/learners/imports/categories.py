"""Names and codes of categories: which the file says, which a table says, and what nobody can know.

A code is the position of a category among those that its library had. It is never guessed from a table's own
order: where a file has codes without names, words are refused.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from espalier.data.dataset import MOST_WHOLE, Feature
from espalier.kinds import asked_by
from espalier.language import Refusal, to_say
from espalier.learners.frames import UnknownCategories, are_of_one_kind, places_of
from espalier.learners.imports.nodes import CATEGORIES, MOST_CODES, damage
from espalier.trees import Forest, Tree, read_only

NO_NAMES = to_say(
    "the model's file does not say, of the categories of the column {name}, which number stands for which; fit "
    "the model again to a DataFrame whose column has the type category, with LightGBM or XGBoost 3.1 or later "
    "(XGBoost with names in ASCII: it cuts others off); or give predict an array of these numbers"
)
WHICH_LIST = to_say(
    "the file does not say whether one of its lists of categories belongs to the column {name}; fit the model "
    "again to a DataFrame whose columns of categories, and no others, have the type category, unordered"
)
NO_WORDS = to_say(
    "the column {name} holds {value}, and the model knows the categories {names} there; give it the column with "
    "these"
)
OTHER_CATEGORIES = to_say(
    "the column {name} has categories that the model was not fitted to and refuses in its own library, too: "
    "{names}; leave these rows out, or make these values missing"
)
TEXT = to_say("the column {name} holds text, and the model takes numbers there")
LISTS = to_say("its lists of categories do not fit its columns")
MOST_PAIRS = 10_000_000  # of lists and columns


class CategoryLists(NamedTuple):
    """Lists of categories in the order of their columns, where a file does not say which columns these are."""

    names: tuple[tuple[str, ...], ...]
    fits: np.ndarray  # (n_lists, n_features) bool, whether a list may belong to a column

    def owners(self, fits: np.ndarray, needs: np.ndarray) -> list[set[int]]:
        """Return for each column the lists that it may have, -1 for none.

        The lists go to different columns, in order; those that `needs` (n_features,) marks must have one. A column
        without a possibility has an empty set.
        """
        n, m = fits.shape
        first = np.zeros((n + 1, m + 1), bool)  # [k, j]: the first k lists belong among the first j columns
        rest = np.zeros((n + 1, m + 1), bool)  # [k, j]: the lists from k on belong among the columns from j on
        first[0, 0] = rest[n, m] = True
        for j in range(m):
            first[1:, j + 1] = first[:-1, j] & fits[:, j]
            first[:, j + 1] |= first[:, j] & ~needs[j]
        for j in reversed(range(m)):
            rest[:-1, j] = fits[:, j] & rest[1:, j + 1]
            rest[:, j] |= rest[:, j + 1] & ~needs[j]
        has = first[:-1, :-1] & fits & rest[1:, 1:]
        nothing = (first[:, :-1] & rest[:, 1:]).any(axis=0) & ~needs
        return [set(np.flatnonzero(has[:, j]).tolist()) | ({-1} if nothing[j] else set()) for j in range(m)]


def category_name(value: Any) -> str:
    """Return the text of a category: of whole numbers without a point, whatever their type.

    >>> category_name(10.0), category_name(np.int8(10)), category_name("10.0"), category_name(0.5)
    ('10', '10', '10.0', '0.5')
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and value == value and abs(value) < MOST_WHOLE and value == int(value):
        return str(int(value))
    return str(value)


def columns_asked(forest: Forest) -> set[int]:
    """Return the columns that splits ask for."""
    return set(np.unique(asked_by(forest)).tolist())


# ---- which list belongs to which column


def check_lists(lists: CategoryLists) -> None:
    """Raise Refusal where the lists do not fit the columns in any way, or are too many."""
    if lists.fits.size > MOST_PAIRS or not any(lists.owners(lists.fits, np.zeros(lists.fits.shape[1], bool))):
        raise damage(LISTS)


def name_categories(
    features: Sequence[Feature],
    lists: CategoryLists,
    asked: set[int],
    texts: Sequence[Sequence[str] | None] | None = None,
    are_typed: Sequence[bool] = (),
) -> tuple[tuple[Feature, ...], set[int]]:
    """Return the features with the categories that are sure, and the columns asked for of which it is open.

    `texts` are a table's categories or numbers in each column, None for numbers of which nothing is known; without
    it the file alone says.
    Where as many of them as there are lists have pandas' type of categories (`are_typed`), these have the lists.
    """
    fits, needs = lists.fits, np.zeros(len(features), bool)
    if sum(are_typed) == len(lists.names):  # as LightGBM does
        fits, needs = fits & np.array(are_typed), np.array(are_typed)
    elif texts is not None:
        holds = [[_holds(texts_, names) for texts_ in texts] for names in lists.names]
        fits = fits & np.array(holds, bool).reshape(fits.shape)
        words = [texts_ is not None and not all(map(_is_number, texts_)) for texts_ in texts]
        needs = np.array([is_word and j in asked for j, is_word in enumerate(words)])
    owners = lists.owners(fits, needs)
    unsure = {j for j in asked if len(owners[j]) != 1}
    sure = [next(iter(owner)) if len(owner) == 1 else -1 for owner in owners]
    every = tuple(
        feature if k < 0 else feature._replace(kind="category", categories=lists.names[k])
        for feature, k in zip(features, sure, strict=True)
    )
    return every, unsure


def _holds(held: Sequence[str] | None, names: tuple[str, ...]) -> bool:
    """Return whether a table's column may have these categories; numbers may where all names are numbers."""
    if held is None:
        return all(map(_is_number, names))
    return not held or not set(held).isdisjoint(names)


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def with_sets(forest: Forest, features: Sequence[Feature], columns: set[int]) -> Forest:
    """Return the forest with sets of categories for thresholds on codes of some columns. Raises Refusal."""
    if not columns & columns_asked(forest):
        return forest
    trees: Any = forest.trees
    return forest._replace(trees=tuple(_split_by_sets(tree, features, columns) for tree in trees))


def _split_by_sets(tree: Tree, features: Sequence[Feature], columns: set[int]) -> Tree:
    nodes = np.flatnonzero(np.isin(tree.feature, list(columns)) & ~np.isnan(tree.threshold))
    if not len(nodes):
        return tree
    threshold, categories = tree.threshold.copy(), tree.categories.copy()
    for node in nodes.tolist():
        n = len(features[tree.feature[node]].categories)
        if n > MOST_CODES:
            raise Refusal(CATEGORIES, n=MOST_CODES)
        categories[node] = sum(1 << code for code in range(n) if code <= threshold[node])
        threshold[node] = np.nan
    return tree._replace(threshold=read_only(threshold), categories=read_only(categories))


# ---- a table's columns as numbers


def check_codes(own: Feature, is_text: bool, are_values: bool) -> None:
    """Raise Refusal where a column meets categories without names, unless it has numbers that are the codes."""
    if own.kind == "category" and not own.categories and (is_text or not are_values):
        raise Refusal(NO_NAMES, name=own.name)


def texts_of(X: pd.DataFrame) -> list[list[str]]:
    """Return the different values in each column of a table as texts."""
    return [list(map(category_name, pd.unique(X.iloc[:, j].dropna()))) for j in range(X.shape[1])]


def is_numeric(values: pd.Series) -> bool:
    """Return whether a column has the type of numbers, or of yes and no."""
    return pd.api.types.is_numeric_dtype(values.dtype)


def codes_of(values: pd.Series, feature: Feature, names_others: bool, refuses_others: bool) -> np.ndarray:
    """Return positions among the feature's categories, nan for missing ones.

    Others are nan, too, or with `names_others` 0, and then empty texts are missing. Raises Refusal where numbers
    stand for words or words for numbers, and with `refuses_others` for others.
    """
    is_missing = values.isna().to_numpy(bool)
    texts = [
        "" if missing else category_name(value)
        for value, missing in zip(values.astype(object), is_missing, strict=True)
    ]
    if names_others:
        is_missing = is_missing | np.array([text == "" for text in texts], bool)
    code_of_value, distinct = pd.factorize(np.array(texts, dtype=object))
    codes = places_of(feature.categories, distinct.tolist())[code_of_value]
    others = sorted({texts[i] for i in np.flatnonzero((codes < 0) & ~is_missing)})
    if others:
        _check_others(feature, others, bool((codes >= 0).any()), names_others, refuses_others)
    unknown = np.where(codes < 0, 0.0 if names_others else np.nan, codes)
    return np.where(is_missing, np.nan, unknown)


def _check_others(
    feature: Feature, others: list[str], knows_some: bool, names_others: bool, refuses_others: bool
) -> None:
    """Raise Refusal, or warn, about a column's values that are none of the categories."""
    names = list(feature.categories[:8])
    if not knows_some and not are_of_one_kind(feature.categories, others):
        raise Refusal(NO_WORDS, name=feature.name, value=others[0], names=names)
    if refuses_others:
        raise Refusal(OTHER_CATEGORIES, name=feature.name, names=others[:8])
    if not (knows_some or names_others) and len(others) > 1:
        warnings.warn(
            f"the column {feature.name!r} holds {others[:2]}, and the model knows the categories {names} there: "
            "none of its values is one of them, and all count as missing",
            UnknownCategories,
            stacklevel=2,
        )


def numbers_of(values: pd.Series, name: str) -> np.ndarray:
    """Return a column as numbers. Raises Refusal for text."""
    try:
        return values.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        raise Refusal(TEXT, name=name) from None

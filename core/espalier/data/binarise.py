"""From columns to yes/no questions, for learners that choose among binary features.

A number is asked "at most this threshold?", a category "this one?". The strategies differ in which thresholds
are asked: `quantile_questions` takes all midpoints of a column, or at most so many that part its weight evenly;
`chosen_questions` takes those it is given, such as a forest's. A column with missing values (nan; among
categories also a code that is none) asks each question twice, with the missing ones answered no, then yes; and
once, as the threshold inf, whether the value is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from espalier.trees import read_only

N_CODES = 64  # codes of categories are 0 to 63: the bits of a Tree's mask
NO_CATEGORY = -1
CELLS = 1 << 15  # answered at a time: small enough for the processor's cache
NEAR = 1e-9  # of all weight: a difference that rounding may have made


class Questions(NamedTuple):
    """Yes/no questions about the columns of a table; who answers yes goes left in a `Tree`."""

    feature: np.ndarray  # (n_questions,) int32: column of X
    threshold: np.ndarray  # (n_questions,) float64: "x <= threshold?"; nan for a question about a category
    category: np.ndarray  # (n_questions,) int32: "is x this category?"; -1 for a threshold
    missing_left: np.ndarray  # (n_questions,) bool: whether a missing value is answered yes

    def __reduce__(self):
        # Pickle and deepcopy would hand back writeable arrays.
        return make_questions, tuple(self)


def make_questions(
    feature: ArrayLike, threshold: ArrayLike, category: ArrayLike, missing_left: ArrayLike
) -> Questions:
    """Questions of the given arrays, each with its dtype and read-only."""
    arrays = zip((feature, threshold, category, missing_left), ("i4", "f8", "i4", "?"), strict=True)
    return Questions(*(read_only(np.ascontiguousarray(array, dtype=dtype)) for array, dtype in arrays))


def quantile_questions(
    X: np.ndarray,
    weight: np.ndarray | None,
    categorical: np.ndarray,
    max_thresholds: int | None,
    label: np.ndarray | None = None,
) -> Questions:
    """Questions about every column of X (n_samples, n_features), nan where missing; no threshold parts nothing.

    A number is asked at the midpoints of its neighbouring values, all of them if there are at most
    `max_thresholds` (at least 1; None: no limit). Of more, so many are taken: those nearest to the quantiles
    that part the weight evenly; and where heavy values make quantiles coincide, those that halve the heaviest
    stretches in between. With the class numbers `label` (n_samples,) those between two values that do not all
    belong to one class are taken first: the best single split is one of them (Fayyad & Irani 1992). `weight` is
    (n_samples,), all positive, or None for ones. Columns of the mask `categorical` (n_features,) hold codes: each
    category that occurs is asked for, of two only the first.
    """
    X = np.asarray(X, dtype=np.float64)
    if weight is not None and (weight == weight[:1]).all():
        weight = None  # counting is faster, and exact
    thresholds, done = _between_two_values(X)
    for feature in np.flatnonzero(~(done | categorical)).tolist():
        thresholds[feature] = _thresholds(X[:, feature], weight, max_thresholds, label)
    return _asked(X, categorical, thresholds)


def chosen_questions(X: np.ndarray, categorical: np.ndarray, thresholds: Sequence[np.ndarray]) -> Questions:
    """Questions with the given thresholds: an array for every column of X, those of categories not looked at.

    A threshold that parts no two values of its column in X is left out. Categories and missing values are
    asked for as in `quantile_questions`. Raises ValueError where the arrays are not as many as the columns.
    """
    X = np.asarray(X, dtype=np.float64)
    if len(thresholds) != X.shape[1]:
        raise ValueError(f"there are thresholds for {len(thresholds)} columns; X has {X.shape[1]}")
    parting = [_parting(X[:, feature], np.unique(at)) for feature, at in enumerate(thresholds)]
    return _asked(X, categorical, parting)


def answers(questions: Questions, X: np.ndarray) -> np.ndarray:
    """(n_samples, n_questions) bool, C order: who answers yes, which is who goes left in a `Tree`."""
    columns = np.asarray(X, dtype=np.float64).T
    n = columns.shape[1]
    yes = np.empty((n, len(questions.feature)), dtype=bool)
    rows = max(CELLS // max(yes.shape[1], 1), 64)
    for start in range(0, n, rows):
        values = columns[:, start : start + rows][questions.feature]
        yes[start : start + rows] = _answered(questions, values).T
    return yes


def midpoint(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Thresholds with `low` on their left and `high` on their right: the middle, where rounding allows.

    Else, and where one of them is infinite, `low` itself; ``x <= threshold`` always parts the two.
    """
    with np.errstate(invalid="ignore"):  # the middle of -inf and inf
        middle = low / 2 + high / 2
    return np.where((low <= middle) & (middle < high), middle, low)


# ---- which thresholds


def _between_two_values(X: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
    """The threshold of each column, where it has two values; and (n_features,) bool: which columns have.

    For all columns at once: in tables of zeros and ones, the rest of a search may take less than this one by one.
    """
    columns = X.T
    low, high = columns.min(axis=1), columns.max(axis=1)  # nan where values are missing, which no value equals
    of_two = ((columns == low[:, None]) | (columns == high[:, None])).all(axis=1) & (low < high)
    return list(midpoint(low, high)[:, None]), of_two


def _thresholds(
    column: np.ndarray, weight: np.ndarray | None, most: int | None, label: np.ndarray | None
) -> np.ndarray:
    rows = np.flatnonzero(~np.isnan(column))
    if weight is None and label is None:
        values = np.sort(column[rows])
    else:
        rows = rows[np.argsort(column[rows])]
        values = column[rows]
    last = np.flatnonzero(values[:-1] != values[1:])  # of each run of equal values, without the last run
    if most is not None and len(last) > most:
        up_to = np.arange(1.0, len(rows) + 1) if weight is None else np.cumsum(weight[rows])
        borders = np.arange(len(last)) if label is None else _borders(label[rows], last)
        last = last[_few_cuts(up_to[last], float(up_to[-1]), borders, most)]
    return midpoint(values[last], values[last + 1])


def _borders(label: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Which cuts stand between two runs of equal values that do not belong to one class; `last` of each run."""
    begin = np.concatenate([[0], last + 1])
    low, high = np.minimum.reduceat(label, begin), np.maximum.reduceat(label, begin)
    return np.flatnonzero((low[:-1] != high[:-1]) | (low[1:] != high[1:]) | (low[:-1] != low[1:]))


def _few_cuts(below: np.ndarray, total: float, first: np.ndarray, most: int) -> np.ndarray:
    """So many of the cuts as `_even_cuts`, of the `first` ones if they are enough, else with all of these."""
    if len(first) >= most:
        return first[_even_cuts(below[first], total, most)] if len(first) > most else first
    rest = np.setdiff1d(np.arange(len(below)), first)
    return np.sort(np.append(first, rest[_even_cuts(below[rest], total, most - len(first))]))


def _even_cuts(below: np.ndarray, total: float, most: int) -> np.ndarray:
    """(most,): which of the more cuts part the weight evenly; `below` (n_cuts,) is the weight under each."""
    near = NEAR * total
    quantiles = total * np.arange(1, most + 1) / (most + 1)
    cuts = np.unique(_nearest(below, quantiles, near))
    while len(cuts) < most:
        edges = np.concatenate([[-1], cuts, [len(below)]])
        at_edges = np.concatenate([[0.0], below[cuts], [total]])
        heavy = np.where(np.diff(edges) > 1, np.diff(at_edges), -np.inf)  # -inf: no cut inside
        stretch = int(np.argmax(heavy >= heavy.max() - near))
        inside = below[edges[stretch] + 1 : edges[stretch + 1]]
        middle = (at_edges[stretch] + at_edges[stretch + 1]) / 2
        cuts = np.sort(np.append(cuts, edges[stretch] + 1 + _nearest(inside, np.array([middle]), near)))
    return cuts


def _nearest(below: np.ndarray, wanted: np.ndarray, near: float) -> np.ndarray:
    """Positions of those of the ascending `below` that are nearest to the wanted ones; of equals the first."""
    after = np.minimum(np.searchsorted(below, wanted), len(below) - 1)
    before = np.maximum(after - 1, 0)
    return np.where(wanted - below[before] <= below[after] - wanted + near, before, after)


def _parting(column: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Those thresholds that have known values of the column on both sides."""
    known = column[~np.isnan(column)]
    if not len(known):
        return np.empty(0)
    return thresholds[(known.min() <= thresholds) & (thresholds < known.max())]


# ---- the questions about one column


def _asked(X: np.ndarray, categorical: np.ndarray, thresholds: Sequence[np.ndarray]) -> Questions:
    """The questions about all columns, given the thresholds of those that are no categories."""
    plain = ~(categorical | np.isnan(X.T.min(axis=1)))
    found = [_about_plain(plain, thresholds)]
    for feature in np.flatnonzero(~plain).tolist():
        about = _about_category if categorical[feature] else _about_number
        found.append(about(X[:, feature], feature, thresholds[feature]))
    arrays = [np.concatenate(parts) for parts in zip(*found, strict=True)]
    order = np.argsort(arrays[0], kind="stable")
    return make_questions(*(array[order] for array in arrays))


def _about_plain(plain: np.ndarray, thresholds: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Of all columns of numbers without missing values, those of the mask `plain` (n_features,)."""
    features = np.flatnonzero(plain).tolist()
    at = [thresholds[feature] for feature in features]
    n = [len(of_column) for of_column in at]
    at = np.concatenate([*at, np.empty(0)])
    return _about(at, np.full(len(at), NO_CATEGORY), np.zeros(len(at)), np.repeat(features, n))


def _about_number(column: np.ndarray, feature: int, thresholds: np.ndarray) -> list[np.ndarray]:
    """Of a column with missing values."""
    known = _whether_known(column)
    at = np.append(np.repeat(thresholds, 2), known)
    side = np.append(np.tile([False, True], len(thresholds)), np.zeros(len(known)))
    return _about(at, np.full(len(at), NO_CATEGORY), side, feature)


def _about_category(column: np.ndarray, feature: int, _: np.ndarray) -> list[np.ndarray]:
    is_code = (column >= 0) & (column < N_CODES)
    codes = np.flatnonzero(np.bincount(column[is_code].astype(np.int64), minlength=N_CODES))
    if len(codes) <= 2:
        codes = codes[:-1]  # the second is the rest, and the only one is all
    sides = [False] if is_code.all() else [False, True]
    known = _whether_known(column)
    at = np.append(np.full(len(codes) * len(sides), np.nan), known)
    category = np.append(np.repeat(codes, len(sides)), np.full(len(known), NO_CATEGORY))
    return _about(at, category, np.append(np.tile(sides, len(codes)), np.zeros(len(known))), feature)


def _whether_known(column: np.ndarray) -> np.ndarray:
    """The threshold that parts known values from missing ones, inf, if the column has both; else none."""
    n_missing = np.count_nonzero(np.isnan(column))
    return np.full(int(0 < n_missing < len(column)), np.inf)


def _about(threshold: np.ndarray, category: np.ndarray, side: np.ndarray, feature: ArrayLike) -> list[np.ndarray]:
    """The arrays of `Questions` about one feature, or one each."""
    return [np.broadcast_to(feature, threshold.shape), threshold, category, side]


# ---- answers


def _answered(questions: Questions, values: np.ndarray) -> np.ndarray:
    """(n_questions, n) bool: answers to each question, given the values of its column in its row."""
    yes = values <= questions.threshold[:, None]
    missing = np.isnan(values)
    about = np.flatnonzero(questions.category != NO_CATEGORY)
    if not (len(about) or missing.any()):
        return yes
    if len(about):
        codes = values[about]
        yes[about] = np.floor(codes) == questions.category[about, None]
        missing[about] = ~((codes >= 0) & (codes < N_CODES))
    return np.where(missing, questions.missing_left[:, None], yes)

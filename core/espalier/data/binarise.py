"""Convert columns to yes/no questions, for learners that choose among binary features.

A question about a number is "at most this threshold?", about a category "one of these?", mostly of a single one.
The strategies differ in what they ask: `quantile_questions` takes all midpoints of a column, or a limited number
that divides its weight evenly; `chosen_questions` takes given thresholds, such as a forest's; `every_question` all
midpoints and given sets of categories. In a column with missing values (nan; among categories also an invalid
code) each question appears twice, with missing ones answered no, then yes; and the threshold inf asks whether the
value is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from espalier.trees import read_only

N_CODES = 64  # codes of categories are 0 to 63: the bits of a Tree's mask
MOST_CATEGORIES = 6  # of a column of which every set is asked about: 31; one more has twice as many
CELLS = 1 << 15  # answered at a time: fits into the processor's cache
NEAR = 1e-9  # of all weight: smaller differences may be rounding


class Questions(NamedTuple):
    """Yes/no questions about the columns of a table; yes goes left in a `Tree`."""

    feature: np.ndarray  # (n_questions,) int32: column of X
    threshold: np.ndarray  # (n_questions,) float64: "x <= threshold?"; nan for a question about categories
    categories: np.ndarray  # (n_questions,) uint64: "is x one of these?", bit c set for c; 0 for a threshold
    missing_left: np.ndarray  # (n_questions,) bool: whether a missing value is answered yes

    def __reduce__(self):
        # Pickle and deepcopy would return writeable arrays.
        return make_questions, tuple(self)


def make_questions(
    feature: ArrayLike, threshold: ArrayLike, categories: ArrayLike, missing_left: ArrayLike
) -> Questions:
    """Return questions of the given arrays, each with its dtype and read-only."""
    arrays = zip((feature, threshold, categories, missing_left), ("i4", "f8", "u8", "?"), strict=True)
    return Questions(*(read_only(np.ascontiguousarray(array, dtype=dtype)) for array, dtype in arrays))


def quantile_questions(
    X: np.ndarray,
    weight: np.ndarray | None,
    categorical: np.ndarray,
    max_thresholds: int | None,
    label: np.ndarray | None = None,
    sets: dict[int, np.ndarray] | None = None,
) -> Questions:
    """Return questions about every column of X (n_samples, n_features), nan where missing; each separates samples.

    The thresholds of a number are the midpoints of its neighbouring values, all of them if there are at most
    `max_thresholds` (at least 1; None: no limit). Of more, as many as allowed: those nearest to the quantiles that
    divide the weight evenly; and if heavy values make quantiles coincide, those that halve the heaviest stretches
    in between. With the class numbers `label` (n_samples,), midpoints between two values that do not all belong to
    one class come first: the best single split is one of them (Fayyad & Irani 1992). `weight` is (n_samples,), all
    positive, or None for ones. Columns of the mask `categorical` (n_features,) hold codes: there is a question for
    each category that occurs, of two only for the first, or for each of the `sets` (as in `every_question`).
    """
    X = np.asarray(X, dtype=np.float64)
    if weight is not None and (weight == weight[:1]).all():
        weight = None  # counting is faster, and exact
    thresholds, is_done = _between_two_values(X)
    for feature in np.flatnonzero(~(is_done | categorical)).tolist():
        thresholds[feature] = _thresholds(X[:, feature], weight, max_thresholds, label)
    return _make_all_questions(X, categorical, thresholds, sets)


def every_question(X: np.ndarray, categorical: np.ndarray, sets: dict[int, np.ndarray]) -> Questions:
    """Return the questions about every midpoint of X (n_samples, n_features), and about sets of categories.

    `sets` are masks, as in `Questions`, by column; each category of other columns of `categorical` is asked about.
    """
    return quantile_questions(X, None, categorical, None, sets=sets)


def every_set(column: np.ndarray) -> np.ndarray:
    """Return each way to part the categories of a column (n_samples,) in two, as masks (n_sets,) uint64.

    That is one of the two sets: of a single category and all others the single one; else the one without the last.

    >>> [f"{mask:b}" for mask in every_set(np.array([0.0, 1.0, 2.0, 3.0, 0.0])).tolist()]
    ['1', '10', '11', '100', '101', '110', '1000']
    """
    codes = categories_of(column)
    membership = np.arange(1, 2 ** (len(codes) - 1))[:, None] >> np.arange(len(codes) - 1) & 1
    masks = (membership.astype(np.uint64) << codes[:-1].astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    if len(codes) > 2:
        masks[-1] = np.uint64(1) << np.uint64(codes[-1])
    return masks


def sets_in_order(column: np.ndarray, label: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the first one, two, ... of a column's categories by their share of class 1, as masks (n - 1,) uint64.

    In place of all but the last it is the last. `label` and `weight` are (n_samples,). Of two classes, one of
    these sets parts the samples best (Breiman et al. 1984, section 4.2.2).
    """
    codes = categories_of(column)
    inside = np.floor(column) == codes[:, None]
    order = codes[np.argsort(inside @ (weight * label) / (inside @ weight), kind="stable")]
    bits = np.uint64(1) << order.astype(np.uint64)
    return np.append(np.bitwise_or.accumulate(bits[:-2]), bits[-1:])


def categories_of(column: np.ndarray) -> np.ndarray:
    """Return the codes that occur among the values of a column, ascending."""
    is_code = (column >= 0) & (column < N_CODES)
    return np.flatnonzero(np.bincount(column[is_code].astype(np.int64), minlength=N_CODES))


def chosen_questions(X: np.ndarray, categorical: np.ndarray, thresholds: Sequence[np.ndarray]) -> Questions:
    """Return questions with the given thresholds: an array for every column of X, ignored for categories.

    A threshold that separates no two values of its column in X is left out. Categories and missing values are
    treated as in `quantile_questions`. Raises ValueError unless there is one array per column.
    """
    X = np.asarray(X, dtype=np.float64)
    if len(thresholds) != X.shape[1]:
        raise ValueError(f"there are thresholds for {len(thresholds)} columns; X has {X.shape[1]}")
    parting = [_parting(X[:, feature], np.unique(at)) for feature, at in enumerate(thresholds)]
    return _make_all_questions(X, categorical, parting)


def answers(questions: Questions, X: np.ndarray) -> np.ndarray:
    """Return the answers, (n_samples, n_questions) bool, C order; True goes left in a `Tree`."""
    columns = np.asarray(X, dtype=np.float64).T
    n = columns.shape[1]
    yes = np.empty((n, len(questions.feature)), dtype=bool)
    rows = max(CELLS // max(yes.shape[1], 1), 64)
    for start in range(0, n, rows):
        values = columns[:, start : start + rows][questions.feature]
        yes[start : start + rows] = _answer_values(questions, values).T
    return yes


def midpoint(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return thresholds with `low` on their left and `high` on their right: the midpoint, if rounding allows.

    Else, and if one of them is infinite, `low` itself; ``x <= threshold`` always separates the two.
    """
    with np.errstate(invalid="ignore"):  # the middle of -inf and inf
        middle = low / 2 + high / 2
    return np.where((low <= middle) & (middle < high), middle, low)


# ---- choice of thresholds


def _between_two_values(X: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
    """Return the threshold of each column with two values; and which columns these are, (n_features,) bool.

    For all columns at once: in tables of zeros and ones, one by one may take longer than the rest of a search.
    """
    columns = X.T
    low, high = columns.min(axis=1), columns.max(axis=1)  # nan where values are missing, which no value equals
    is_two_valued = ((columns == low[:, None]) | (columns == high[:, None])).all(axis=1) & (low < high)
    return list(midpoint(low, high)[:, None]), is_two_valued


def _thresholds(
    column: np.ndarray, weight: np.ndarray | None, most: int | None, label: np.ndarray | None
) -> np.ndarray:
    if weight is None and label is None:
        values = np.sort(column)  # missing ones come last
        rows = values = values[: np.searchsorted(values, np.nan)]
    else:
        rows = np.flatnonzero(~np.isnan(column))
        rows = rows[np.argsort(column[rows])]
        values = column[rows]
    last = np.flatnonzero(values[:-1] != values[1:])  # of each run of equal values, without the last run
    if most is not None and len(last) > most:
        up_to = np.arange(1.0, len(rows) + 1) if weight is None else np.cumsum(weight[rows])
        borders = np.arange(len(last)) if label is None else _borders(label[rows], last)
        last = last[_few_cuts(up_to[last], float(up_to[-1]), borders, most)]
    return midpoint(values[last], values[last + 1])


def _borders(label: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Return which cuts lie between two runs of equal values of different classes; `last` of each run."""
    begin = np.concatenate([[0], last + 1])
    low, high = np.minimum.reduceat(label, begin), np.maximum.reduceat(label, begin)
    return np.flatnonzero((low[:-1] != high[:-1]) | (low[1:] != high[1:]) | (low[:-1] != low[1:]))


def _few_cuts(below: np.ndarray, total: float, first: np.ndarray, most: int) -> np.ndarray:
    """Choose cuts as `_even_cuts`, among the `first` ones if they are enough, else including all of these."""
    if len(first) >= most:
        return first[_even_cuts(below[first], total, most)] if len(first) > most else first
    rest = np.setdiff1d(np.arange(len(below)), first)
    return np.sort(np.append(first, rest[_even_cuts(below[rest], total, most - len(first))]))


def _even_cuts(below: np.ndarray, total: float, most: int) -> np.ndarray:
    """Return which of the cuts divide the weight evenly, (most,); `below` (n_cuts,) is the weight under each."""
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
    """Return positions in the ascending `below` that are nearest to the wanted values; of equals the first."""
    after = np.minimum(np.searchsorted(below, wanted), len(below) - 1)
    before = np.maximum(after - 1, 0)
    return np.where(wanted - below[before] <= below[after] - wanted + near, before, after)


def _parting(column: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Return the thresholds that have known values of the column on both sides."""
    values = column[~np.isnan(column)]
    if not len(values):
        return np.empty(0)
    return thresholds[(values.min() <= thresholds) & (thresholds < values.max())]


# ---- the questions about one column


def _make_all_questions(
    X: np.ndarray, categorical: np.ndarray, thresholds: Sequence[np.ndarray],
    sets: dict[int, np.ndarray] | None = None,
) -> Questions:  # fmt: skip
    """Return the questions about all columns, given the thresholds of numbers and some sets of categories."""
    plain = ~(categorical | np.isnan(X.T.min(axis=1)))
    blocks = [_about_plain(plain, thresholds)]
    for feature in np.flatnonzero(~plain).tolist():
        column = X[:, feature]
        if not categorical[feature]:
            blocks.append(_about_number(column, feature, thresholds[feature]))
        else:
            masks = None if sets is None else sets.get(feature)
            blocks.append(_about_sets(column, feature, _single(column) if masks is None else masks))
    arrays = [np.concatenate(parts) for parts in zip(*blocks, strict=True)]
    order = np.argsort(arrays[0], kind="stable")
    return make_questions(*(array[order] for array in arrays))


def _about_plain(plain: np.ndarray, thresholds: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return questions about the numeric columns of the mask `plain` (n_features,), without missing values."""
    features = np.flatnonzero(plain).tolist()
    at = [thresholds[feature] for feature in features]
    n = [len(cuts) for cuts in at]
    at = np.concatenate([*at, np.empty(0)])
    return _about(at, np.zeros(len(at), np.uint64), np.zeros(len(at)), np.repeat(features, n))


def _about_number(column: np.ndarray, feature: int, thresholds: np.ndarray) -> list[np.ndarray]:
    """Return questions about a column with missing values."""
    presence = _whether_known(column)
    at = np.append(np.repeat(thresholds, 2), presence)
    side = np.append(np.tile([False, True], len(thresholds)), np.zeros(len(presence)))
    return _about(at, np.zeros(len(at), np.uint64), side, feature)


def _single(column: np.ndarray) -> np.ndarray:
    """Return each category of a column alone, as masks; of two the first, since the second is the complement."""
    codes = categories_of(column)
    return np.uint64(1) << codes[: -1 if len(codes) <= 2 else None].astype(np.uint64)


def _about_sets(column: np.ndarray, feature: int, masks: np.ndarray) -> list[np.ndarray]:
    """Return questions about sets of the categories of a column."""
    sides = [False] if ((column >= 0) & (column < N_CODES)).all() else [False, True]
    presence = _whether_known(column)
    at = np.append(np.full(len(masks) * len(sides), np.nan), presence)
    categories = np.append(np.repeat(masks, len(sides)), np.zeros(len(presence), np.uint64))
    return _about(at, categories, np.append(np.tile(sides, len(masks)), np.zeros(len(presence))), feature)


def _whether_known(column: np.ndarray) -> np.ndarray:
    """Return the threshold inf, which separates known from missing values, if the column has both; else none."""
    n_missing = np.count_nonzero(np.isnan(column))
    return np.full(int(0 < n_missing < len(column)), np.inf)


def _about(
    threshold: np.ndarray, categories: np.ndarray, side: np.ndarray, feature: ArrayLike
) -> list[np.ndarray]:
    """Return the arrays of `Questions` about one feature, or one each."""
    return [np.broadcast_to(feature, threshold.shape), threshold, categories, side]


# ---- answers


def _answer_values(questions: Questions, values: np.ndarray) -> np.ndarray:
    """Return the answers to each question, (n_questions, n) bool, given the values of its column in its row."""
    yes = values <= questions.threshold[:, None]
    missing = np.isnan(values)
    about = np.flatnonzero(questions.categories)
    if not (len(about) or missing.any()):
        return yes
    if len(about):
        codes = values[about]
        is_code = (codes >= 0) & (codes < N_CODES)
        bit = np.where(is_code, codes, 0).astype(np.uint64)
        yes[about] = questions.categories[about, None] >> bit & np.uint64(1)
        missing[about] = ~is_code
    return np.where(missing, questions.missing_left[:, None], yes)

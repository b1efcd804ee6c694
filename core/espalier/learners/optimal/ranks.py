"""Columns of ranks, which stand for questions with nested answers: all thresholds of a number are one column."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from espalier.data.binarise import Questions, answers, make_questions, midpoint
from espalier.trees import read_only

FEW = 8  # names of a column that are looked up
MOST_JOINED = 2_000_000_000  # rows times columns squared, up to which it is looked whether answers are nested


class RankedColumns(NamedTuple):
    """Columns of ranks: a question at place j of a column's questions is answered yes for ranks of at most j."""

    rank: np.ndarray  # (n_samples, n_columns) int32: how many of a column's questions are answered no
    question: list[np.ndarray]  # of each column: the numbers of its questions, from the one with the fewest yes
    n_distinct: int  # number of questions that separate the samples differently
    direction: np.ndarray  # (n_columns,) int64: 1 where labels may only rise with the ranks, -1 fall; else 0


def every_threshold(X: np.ndarray) -> tuple[Questions, RankedColumns] | None:
    """Return what `every_question` and `ranked_columns` return for numbers (n_samples, n_features), sooner.

    Each column is sorted only once. None if values are missing.

    >>> questions, columns = every_threshold(np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 7.0]]))
    >>> questions.threshold.tolist(), columns.rank.tolist()
    ([1.5, 2.5, 6.0], [[0], [1], [2]])
    """
    values = np.ascontiguousarray(X.T)
    order = np.argsort(values, axis=1)
    place = order + np.arange(len(values))[:, None] * values.shape[1]
    ascending = values.ravel()[place]
    if np.isnan(ascending[:, -1]).any():  # missing values come last
        return None
    is_new = ascending[:, 1:] != ascending[:, :-1]
    counts = np.count_nonzero(is_new, axis=1)
    ranks = np.zeros(values.size, np.int32)
    ranks[place[:, 1:]] = np.cumsum(is_new, axis=1)
    below = np.bitwise_xor.accumulate(_salt(values.shape[1])[order], axis=1)  # as in `_names`
    names = np.minimum(below[:, :-1], below[:, :-1] ^ below[0, -1])[is_new]
    number, ends = np.arange(counts.sum()), np.cumsum(counts).tolist()
    parts = [slice(start, end) for start, end in zip([0, *ends], ends, strict=False) if start < end]
    chains, own = [number[part] for part in parts], [names[part] for part in parts]
    columns = _columns(chains, ranks.reshape(values.shape)[counts > 0], own)
    threshold = midpoint(ascending[:, :-1][is_new], ascending[:, 1:][is_new])
    feature, nothing = np.repeat(np.arange(len(values)), counts), np.zeros(len(number))
    return make_questions(feature, threshold, nothing, nothing), columns


def ranked_columns(questions: Questions, X: np.ndarray, directions: np.ndarray | None = None) -> RankedColumns:
    """Return the fewest columns that hold every question; those that others hold are left out.

    `X` (n_samples, n_features) are the samples. Thresholds of a number are one column, or two if values are
    missing: missing ones answer no, then yes. So are sets of categories that contain one another. With
    `directions` (n_features,) all columns stay that part the samples at all; one with missing values, which have
    no place in the order, has no direction here.

    >>> from espalier.data.binarise import quantile_questions
    >>> X = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 7.0]])
    >>> found = ranked_columns(quantile_questions(X, None, np.array([False, False]), None), X)
    >>> found.rank.tolist(), found.n_distinct
    ([[0], [1], [2]], 2)
    """
    chains = _chains(questions)
    each = [_ranks(questions, chain, X) for chain in chains]
    salt, ranks = _salt(len(X)), np.array(each, np.int32).reshape(len(chains), len(X))
    names = [_names(rank, salt) for rank in each]
    if directions is None:
        return _columns(chains, ranks, names)
    columns = _columns(chains, ranks, names, [place for place, own in enumerate(names) if len(own)])
    feature = questions.feature[[chain[0] for chain in columns.question]]
    direction = np.where(np.isnan(X).any(axis=0), 0, directions)[feature].astype(np.int64)
    return columns._replace(direction=direction)


def _columns(
    chains: list[np.ndarray], ranks: np.ndarray, names: list[np.ndarray], places: list[int] | None = None
) -> RankedColumns:
    """Return the columns at these `places`, by default the fewest that hold every question.

    `ranks` (n_chains, n_samples) int32 are all there are.
    """
    together = np.sort(np.concatenate([np.empty(0, np.int64), *names]))  # np.unique takes longer
    n_distinct = int(np.count_nonzero(together[1:] != together[:-1])) + (len(together) > 0)
    if places is None:
        places = list(range(len(chains))) if _differ(names, together) else _necessary_columns(names)
    rank, question = np.ascontiguousarray(ranks[places].T), [chains[place] for place in places]
    return RankedColumns(rank, question, n_distinct, np.zeros(len(places), np.int64))


@lru_cache(4)
def _salt(n: int) -> np.ndarray:
    """Return the random numbers of samples that name sets of them, (n,) int64."""
    return read_only(np.random.default_rng(0).integers(0, 2**63, n))


def joined_columns(columns: RankedColumns) -> RankedColumns:
    """Return the columns with those of a single question together, as far as their answers are nested.

    Zeros and ones that stand for thresholds of a number become one column again. Columns have no directions.

    >>> rank = np.array([[0, 0, 1], [1, 0, 0], [1, 1, 0]], np.int32)
    >>> found = joined_columns(RankedColumns(rank, [np.array([0]), np.array([1]), np.array([2])], 3, np.zeros(3)))
    >>> found.rank.tolist(), [asked.tolist() for asked in found.question]
    ([[0, 1], [1, 0], [2, 0]], [[0, 1], [2]])
    """
    is_single = np.array([len(own) == 1 for own in columns.question], dtype=bool)
    n, singles = len(columns.rank), np.flatnonzero(is_single)
    if len(singles) < 2 or n * len(singles) ** 2 > MOST_JOINED:
        return columns
    yes = columns.rank.T[singles] == 0
    places = np.argsort(yes.sum(axis=1), kind="stable").tolist()  # from the one with the fewest yes
    rows = _nested_rows(places, lambda small, large: not (yes[small] & ~yes[large]).any())
    rest = np.flatnonzero(~is_single)
    together = [np.count_nonzero(~yes[row], axis=0) for row in rows]
    rank = np.column_stack([columns.rank[:, rest], *together]).astype(np.int32)
    numbers = [np.array([columns.question[singles[place]][0] for place in row]) for row in rows]
    question = [*(columns.question[place] for place in rest), *numbers]
    return RankedColumns(rank, question, columns.n_distinct, np.zeros(len(question), np.int64))


def fixed_ranks(columns: RankedColumns, answers: np.ndarray) -> np.ndarray:
    """Return the ranks of samples from their answers (n, n_questions), (n, n_columns) int32."""
    ranks = [np.count_nonzero(~answers[:, numbers], axis=1) for numbers in columns.question]
    return np.array(ranks, np.int32).reshape(len(ranks), len(answers)).T


def _differ(names: list[np.ndarray], together: np.ndarray) -> bool:
    """Return whether each column has a name, among a few of its own, that no other has; all `together` ascend."""
    few = [own[:: max(len(own) // FEW, 1)] for own in names]
    counts = [np.searchsorted(together, own, side="right") - np.searchsorted(together, own) for own in few]
    return all((count == 1).any() for count in counts)


def _necessary_columns(names: list[np.ndarray]) -> list[int]:
    """Return the columns, in order, of which the larger ones do not hold all names."""
    order = sorted(range(len(names)), key=lambda place: -len(names[place]))
    owner = np.repeat(order, [len(names[place]) for place in order])
    together = np.concatenate([names[place] for place in order])
    sorting = np.argsort(together, kind="stable")  # of equal names the one of the larger column comes first
    is_first = np.diff(together[sorting], prepend=together[sorting[:1]] - 1) != 0
    return np.unique(owner[sorting[is_first]]).tolist()


def _chains(questions: Questions) -> list[np.ndarray]:
    """Return the numbers of questions with nested answers, together."""
    is_set = questions.categories > 0
    numbers, sets = np.flatnonzero(~is_set), np.flatnonzero(is_set)
    chains = _parts(questions, numbers)
    for part in _parts(questions, sets):
        chains.extend(_chains_of_sets(part, questions.categories[part].tolist()))
    return chains


def _parts(questions: Questions, numbers: np.ndarray) -> list[np.ndarray]:
    """Return the questions of these numbers by column, and by where missing values go; thresholds ascend."""
    about = [field[numbers] for field in (questions.feature, questions.missing_left, questions.threshold)]
    is_new = about[0][1:] != about[0][:-1]
    if about[1].any() or (~is_new & (about[2][1:] < about[2][:-1])).any():  # sorting takes long
        order = np.lexsort(about[::-1])
        about, numbers = [field[order] for field in about], numbers[order]
        is_new = (about[0][1:] != about[0][:-1]) | (about[1][1:] != about[1][:-1])
    return np.split(numbers, np.flatnonzero(is_new) + 1) if len(numbers) else []


def _chains_of_sets(numbers: np.ndarray, masks: list[int]) -> list[np.ndarray]:
    """Return questions about sets of categories in few rows, each set within the next one of its row.

    Smaller sets come first. All sets take about as few rows as there are sets of half of the categories, of which
    none contains another.
    """
    places = sorted(range(len(masks)), key=lambda place: (masks[place].bit_count(), masks[place]))
    rows = _nested_rows(places, lambda small, large: masks[small] & ~masks[large] == 0)
    return [numbers[row] for row in rows]


def _nested_rows(places: list[int], is_within: Callable[[int, int], bool]) -> list[list[int]]:
    """Return the places in rows, each within the next one of its row: each ends the first row that it fits."""
    rows: list[list[int]] = []
    for place in places:
        row = next((row for row in rows if is_within(row[-1], place)), None)
        if row is None:
            rows.append([place])
        else:
            row.append(place)
    return rows


def _ranks(questions: Questions, chain: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Return how many questions of the chain each sample answers no, (n_samples,)."""
    first = chain[0]
    if questions.categories[first]:
        yes = answers(make_questions(*(field[chain] for field in questions)), X)
        return np.count_nonzero(~yes, axis=1)
    values = X[:, questions.feature[first]]
    order = np.argsort(values) if 2 * len(chain) > len(values) else slice(None)  # in order, many are found sooner
    rank = np.empty(len(values), np.int64)
    rank[order] = np.searchsorted(questions.threshold[chain], values[order])
    return np.where(np.isnan(values), 0, rank) if questions.missing_left[first] else rank


def _names(rank: np.ndarray, salt: np.ndarray) -> np.ndarray:
    """Return names of the two sets that each question of a column parts, equal for equal partitions.

    `salt` are random numbers of the samples.
    """
    counts = np.bincount(rank)
    names = np.zeros(len(counts), np.int64)
    np.bitwise_xor.at(names, rank, salt)
    below = np.bitwise_xor.accumulate(names)
    parts = np.flatnonzero(counts)[:-1]
    return np.minimum(below[parts], below[parts] ^ below[-1:])

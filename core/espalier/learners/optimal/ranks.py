"""Columns of ranks, which stand for questions with nested answers: all thresholds of a number are one column."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.data.binarise import Questions, answers, make_questions


class RankedColumns(NamedTuple):
    """Columns of ranks: a question at place j of a column's questions is answered yes for ranks of at most j."""

    rank: np.ndarray  # (n_samples, n_columns) int32: how many of a column's questions are answered no
    question: list[np.ndarray]  # of each column: the numbers of its questions, from the one with the fewest yes
    n_distinct: int  # number of questions that separate the samples differently


def ranked_columns(questions: Questions, X: np.ndarray, keeps_equal: bool = False) -> RankedColumns:
    """Return the fewest columns that hold every question; those that others hold are left out.

    `X` (n_samples, n_features) are the samples. Thresholds of a number are one column, or two if values are
    missing: missing ones answer no, then yes. Each category is a column of its own. With `keeps_equal` all columns
    stay that part the samples at all.

    >>> from espalier.data.binarise import quantile_questions
    >>> X = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 7.0]])
    >>> found = ranked_columns(quantile_questions(X, None, np.array([False, False]), None), X)
    >>> found.rank.tolist(), found.n_distinct
    ([[0], [1], [2]], 2)
    """
    chains = _chains(questions)
    ranks = [_ranks(questions, chain, X) for chain in chains]
    names = [_names(rank) for rank in ranks]
    together = np.sort(np.concatenate([np.empty(0, np.int64), *names]))  # np.unique takes longer
    n_distinct = int(np.count_nonzero(np.diff(together))) + (len(together) > 0)
    if keeps_equal:
        kept = [place for place, own in enumerate(names) if len(own)]
    else:
        kept = range(len(chains)) if n_distinct == sum(map(len, names)) else _needed(names)
    rank = np.array([ranks[place] for place in kept], np.int32).reshape(len(kept), len(X)).T
    return RankedColumns(np.ascontiguousarray(rank), [chains[place] for place in kept], n_distinct)


def fixed_ranks(columns: RankedColumns, answers: np.ndarray) -> np.ndarray:
    """Return the ranks of samples from their answers (n, n_questions), (n, n_columns) int32."""
    ranks = [np.count_nonzero(~answers[:, asked], axis=1) for asked in columns.question]
    return np.array(ranks, np.int32).reshape(len(ranks), len(answers)).T


def _needed(names: list[np.ndarray]) -> list[int]:
    """Return the columns, in order, of which the larger ones do not hold all names."""
    order = sorted(range(len(names)), key=lambda place: -len(names[place]))
    owner = np.repeat(order, [len(names[place]) for place in order])
    together = np.concatenate([names[place] for place in order])
    by_name = np.argsort(together, kind="stable")  # of equal names the one of the larger column comes first
    is_first = np.diff(together[by_name], prepend=together[by_name[:1]] - 1) != 0
    return np.unique(owner[by_name[is_first]]).tolist()


def _chains(questions: Questions) -> list[np.ndarray]:
    """Return the numbers of questions with nested answers, together."""
    is_category = questions.category >= 0
    order = np.lexsort((questions.threshold, questions.missing_left, questions.feature, is_category))
    about = np.stack([questions.feature, questions.missing_left, is_category])[:, order]
    starts = (np.diff(about) != 0).any(axis=0) | is_category[order[1:]]
    return np.split(order, np.flatnonzero(starts) + 1) if len(order) else []


def _ranks(questions: Questions, chain: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Return how many questions of the chain each sample answers no, (n_samples,)."""
    first = chain[0]
    if questions.category[first] >= 0:
        return ~answers(make_questions(*(field[chain] for field in questions)), X)[:, 0] * 1
    values = X[:, questions.feature[first]]
    rank = np.searchsorted(questions.threshold[chain], values)
    return np.where(np.isnan(values), 0, rank) if questions.missing_left[first] else rank


def _names(rank: np.ndarray) -> np.ndarray:
    """Return names of the two sets that each question of a column parts, equal for equal partitions."""
    salt = np.random.default_rng(0).integers(0, 2**63, len(rank))
    names = np.zeros(rank.max(initial=-1) + 1, np.int64)
    np.bitwise_xor.at(names, rank, salt)
    below = np.bitwise_xor.accumulate(names)
    parts = np.flatnonzero(np.bincount(rank))[:-1]
    return np.minimum(below[parts], below[parts] ^ below[-1:])

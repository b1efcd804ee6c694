"""The rows of a search over every threshold, and all its questions, as chains of nested answers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels.optimal.thresholds.cut_survey import CutTable
from espalier.learners.optimal.as_good.questions import AllQuestions
from espalier.learners.optimal.problem import DistinctQuestions, merge_rows
from espalier.learners.optimal.ranks import RankedColumns, ranked_columns
from espalier.learners.optimal.sorted_rows import SortedRows
from espalier.learners.optimal.threshold_search import ThresholdSearch


class SurveyTable(NamedTuple):
    """The table of a search: rows that all questions answer alike are one."""

    cuts: CutTable
    questions: AllQuestions  # a place for each question of the chains, which is its column, too
    chain: np.ndarray  # (n_questions,) int64: the chain of each question
    rank: np.ndarray  # (n_questions,) int32: rows of at most this rank answer yes
    sorted: SortedRows  # those of the rows at which a prediction saves anything
    earning: np.ndarray  # (n_rows,) bool: these rows
    optimum: int  # cost of the best tree


def survey_table(search: ThresholdSearch, X: np.ndarray) -> SurveyTable:
    """Return the table of a search that has come to its end. Raises ValueError for other samples X."""
    if not np.array_equal(X, search.X, equal_nan=True):
        raise ValueError("these are not the samples that the model was fitted to")
    questions = search.inputs.questions
    every = np.zeros(X.shape[1], np.int64)  # no directions: all chains stay, those that others hold, too
    columns = _varied(ranked_columns(questions, X, every))
    rows = merge_rows(columns.rank, search.inputs.label, search.costs)
    n = [len(chain) for chain in columns.question]
    chain = np.repeat(np.arange(len(n)), n)
    rank = np.concatenate([np.empty(0, np.int32), *(np.arange(one, dtype=np.int32) for one in n)])
    asked = np.concatenate([np.empty(0, np.int64), *columns.question])
    cuts = _cut_table(rows, np.concatenate([[0], np.cumsum(n)]))
    given = DistinctQuestions(asked, np.zeros(len(asked), dtype=bool), columns.rank[:, chain] <= rank)
    threshold = np.nan_to_num(questions.threshold[asked], nan=-np.inf)
    places = list(range(len(asked)))
    order = np.lexsort((asked, threshold)).tolist()
    feature = questions.feature[asked].tolist()
    every_one = AllQuestions(search.inputs._replace(columns=given), feature, places, [0] * len(asked), order)
    optimum = search.least_cost + search.unavoidable - rows.unavoidable
    return SurveyTable(cuts, every_one, chain, rank, SortedRows(columns, rows), rows.worth > 0, optimum)


def _varied(columns: RankedColumns) -> RankedColumns:
    """Return the chains without questions that all rows answer alike."""
    ranks, questions = [], []
    for rank, asked in zip(columns.rank.T, columns.question, strict=True):
        counts = np.cumsum(np.bincount(rank, minlength=len(asked) + 1))[:-1]
        kept = (counts > 0) & (counts < len(rank))
        ranks.append(np.concatenate([[0], np.cumsum(kept)])[rank])
        questions.append(asked[kept])
    rank = np.array(ranks, np.int32).reshape(len(ranks), len(columns.rank)).T
    return columns._replace(rank=np.ascontiguousarray(rank), question=questions)


def _cut_table(rows, start: np.ndarray) -> CutTable:
    rank = np.ascontiguousarray(rows.bits.T, np.int32)
    order = np.argsort(rank, axis=1, kind="stable").astype(np.int32)
    name = np.random.default_rng(2).integers(-(2**63), 2**63, (2, len(rows.worth)), dtype=np.int64)
    earned = np.ascontiguousarray(rows.earned, np.int32).ravel()
    return CutTable(rank.ravel(), order.ravel(), start, earned, rows.worth.astype(np.int64), name)

"""All questions that part the training rows, and which of them part them alike."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.data.binarise import answers
from espalier.learners.optimal.problem import DistinctQuestions, varied_columns
from espalier.learners.optimal.tree_builder import BuildingData


class AllQuestions(NamedTuple):
    """The questions that part the rows, each with the column of a search that stands for it.

    A search keeps one column of those that part all rows alike, of whatever features; here each has a place.
    """

    inputs: BuildingData  # its columns are the questions' places
    feature: list[int]  # of each place
    column: list[int]  # of the search
    swapped: list[int]  # 1 where the column of the search is 0 for the answer yes
    order: list[int]  # the places by threshold


def all_questions(searched: BuildingData, X: np.ndarray) -> AllQuestions:
    """Return the questions of the inputs of a search. Raises ValueError for X that it was not made of.

    `X` (n_samples, n_features) are its samples.
    """
    if len(X) != len(searched.label):
        raise ValueError(f"the model was fitted to {len(searched.label)} samples, these are {len(X)}")
    none = np.zeros(len(searched.questions.feature), dtype=bool)
    varied = varied_columns(answers(searched.questions, X), none)
    of_search = {key: column for column, key in enumerate(_keys(searched.columns.bits))}
    keys = _keys(varied.bits)
    kept = np.array([place for place, key in enumerate(keys) if key in of_search], np.int64)
    column = np.array([of_search[keys[place]] for place in kept], np.int64)
    bits = varied.bits[:, kept]
    asked = varied.question[kept]
    if set(column.tolist()) != set(of_search.values()):
        raise ValueError("these are not the samples that the model was fitted to")
    columns = DistinctQuestions(asked, np.zeros(len(kept), dtype=bool), bits)
    swapped = bits[0] != searched.columns.bits[0, column] if len(kept) else none[:0]
    threshold = np.nan_to_num(searched.questions.threshold[asked], nan=-np.inf)
    feature = searched.questions.feature[asked].tolist()
    order = np.lexsort((asked, threshold)).tolist()
    inputs = searched._replace(columns=columns)
    return AllQuestions(inputs, feature, column.tolist(), swapped.astype(int).tolist(), order)


def _keys(bits: np.ndarray) -> list[bytes]:
    """Return a key of each column, (n_samples, n_columns) bool, equal for columns that are equal or opposite."""
    if not bits.size:
        return []
    packed = np.packbits(bits ^ bits[0], axis=0).T
    return [column.tobytes() for column in np.ascontiguousarray(packed)]

"""The columns that matter most to each answer: those whose Shapley values are greatest in size."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.explanation.reasons import LOG_ODDS
from espalier.explanation.scores import can_explain
from espalier.explanation.shapley import shapley_values
from espalier.new_rows.answers import RowAnswers, TableModel
from espalier.predict import record_of
from espalier.progress import Progress
from espalier.trees import Forest, Tree

N_LEADING = 3
MOST_VALUES = 4_000_000  # Shapley values in memory together
LEAST = 1e-9  # smaller ones are none


class LeadingParts(NamedTuple):
    """The columns that add most to each answer, or take most away."""

    feature: np.ndarray  # (n_rows, n_leading) int64; -1 where fewer matter
    added: np.ndarray  # (n_rows, n_leading) float64, in the units of `link`
    link: str  # as in `espalier.explanation.reasons.PredictionParts`


def explained(model: TableModel) -> Tree | Forest | None:
    """Return the record of a model whose answers have Shapley values; None for other models."""
    record = record_of(model.estimator)
    return record if isinstance(record, (Tree, Forest)) and can_explain(record) else None


def work_of(model: TableModel, n_rows: int) -> int:
    """Return the rows times the nodes that have to be looked at."""
    record = explained(model)
    trees = record.trees if isinstance(record, Forest) else (record,)
    return n_rows * sum(tree.n_nodes for tree in trees if isinstance(tree, Tree))


def leading_parts(
    model: TableModel, X: np.ndarray, said: RowAnswers, progress: Progress | None = None, n_jobs: int | None = None
) -> LeadingParts | None:
    """Return the columns that matter most to the answer `said` of each row of X (n_rows, n_features).

    `progress` counts rows; None where it was stopped, and of models without Shapley values.

    >>> from espalier.new_rows.answers import answers_to
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris, every = samples.load("iris"), np.ones(150, bool)
    >>> model = TableModel(CartClassifier(max_depth=1).fit(iris.X, iris.y), iris, every, ~every)
    >>> leading = leading_parts(model, iris.X[:1], answers_to(model, iris.X[:1]))
    >>> leading.feature.tolist(), leading.added.round(2).tolist()
    ([[2, -1, -1]], [[0.67, 0.0, 0.0]])
    """
    record = explained(model)
    if record is None:
        return None
    n_outputs, n_features = said.answers.shape[1], X.shape[1]
    block = max(MOST_VALUES // (n_outputs * n_features), 64)
    parts = []
    for start in range(0, len(X), block):
        span = slice(start, start + block)
        added = shapley_values(record, np.asfortranarray(X[span]), n_jobs=n_jobs).added
        parts.append(_greatest(_of_answer(record, model, added, said.prediction[span])))
        if progress is not None:
            progress.advance(len(added))
            if progress.is_stopped:
                return None
    feature, added = (np.concatenate(part) for part in zip(*parts, strict=True))
    link = record.link if isinstance(record, Forest) else "identity"
    return LeadingParts(feature, added, link)


def _of_answer(record: Tree | Forest, model: TableModel, added: np.ndarray, prediction: np.ndarray) -> np.ndarray:
    """Return the values (n_rows, n_features) of the class that is said of each row, or of the number."""
    if not model.dataset.is_classification:
        return added[:, :, 0]
    classes = np.asarray(model.estimator.classes_)
    place = np.searchsorted(classes, prediction)
    if isinstance(record, Forest) and record.link == LOG_ODDS[0]:  # one score, that of the second class
        return added[:, :, 0] * np.where(place == 1, 1.0, -1.0)[:, None]
    return added[np.arange(len(added)), :, place]


def _greatest(added: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the features of the values that are greatest in size, and these, (n_rows, N_LEADING) each."""
    n_rows, n_features = added.shape
    feature, value = np.full((n_rows, N_LEADING), -1), np.zeros((n_rows, N_LEADING))
    n = min(N_LEADING, n_features)
    order = np.argsort(-np.abs(added), axis=1, kind="stable")[:, :n]
    value[:, :n] = np.take_along_axis(added, order, axis=1)
    feature[:, :n] = np.where(np.abs(value[:, :n]) > LEAST, order, -1)
    return feature, np.where(feature < 0, 0.0, value)

"""Answers of a fitted model to rows, each with its doubt, and what is promised about the answers to new rows.

The rows that judge the model are new to it: they choose how doubtful an answer may be, and how many classes, or
how wide an interval, it takes to hold the truth (`espalier.analysis.promises.conformal`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from espalier.analysis.promises import conformal
from espalier.analysis.reliability.as_good import possible_classes
from espalier.analysis.reliability.reliability import uncertain_answers
from espalier.data.dataset import Dataset
from espalier.data.weights import effective_size
from espalier.learners.optimal import OptimalClassifier
from espalier.progress import Progress

BLOCK = 8_192  # rows that are asked at once; between blocks the work may be stopped


class TableModel(NamedTuple):
    """A fitted model, and the table whose terms it speaks."""

    estimator: Any
    dataset: Dataset
    seen: np.ndarray  # (n_samples,) bool: rows of the table that it learned from
    judges: np.ndarray  # (n_samples,) bool: rows that are new to it, or may be


class RowAnswers(NamedTuple):
    """What a model says of each row."""

    answers: np.ndarray  # (n_rows, n_outputs) a share for every class, or the number
    prediction: np.ndarray  # (n_rows,) the class, as float64 code, or the number
    doubt: np.ndarray  # (n_rows,) at least 0
    possible: np.ndarray | None = None  # (n_rows, n_classes) bool: what trees as good say, where they are counted


class AnswersWithTruth(NamedTuple):
    """Answers to the rows that judge a model, with their truth."""

    said: RowAnswers
    y: np.ndarray  # (n_judges,) class codes, or numbers
    weight: np.ndarray  # (n_judges,) float64, of which the sum is the number of rows that they are worth
    unit: np.ndarray | None = None  # (n_judges,) int64 group of each row; None where rows come in no groups

    @property
    def loss(self) -> np.ndarray:
        """Return 1 for a wrong class and 0 for a right one, or the absolute error of a number, (n_judges,)."""
        return losses(self.said, self.y)


def losses(said: RowAnswers, y: np.ndarray) -> np.ndarray:
    """Return 1 for a wrong class and 0 for a right one, or the absolute error of a number, (n_rows,)."""
    is_classes = said.answers.shape[1] > 1
    return (said.prediction != y).astype(np.float64) if is_classes else np.abs(said.prediction - y)


def answers_to(model: TableModel, X: np.ndarray, progress: Progress | None = None) -> RowAnswers | None:
    """Return what a model says of the rows of X (n_rows, n_features), in the terms of its table.

    `progress` counts rows; None where it was stopped. Raises the errors of the model's own predictions.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris, every = samples.load("iris"), np.ones(150, bool)
    >>> tree = CartClassifier(max_depth=2).fit(iris.X, iris.y)
    >>> said = answers_to(TableModel(tree, iris, every, ~every), iris.X[[0, 99]])
    >>> said.prediction.tolist(), said.doubt.round(2).tolist()
    ([0.0, 1.0], [0.04, 0.12])
    """
    parts = []
    for start in range(0, max(len(X), 1), BLOCK):
        block = np.asfortranarray(X[start : start + BLOCK])
        parts.append(uncertain_answers(model.estimator, model.dataset, block))
        if progress is not None:
            progress.advance(len(block))
            if progress.is_stopped:
                return None
    answers, prediction, doubt = (
        np.concatenate(part) for part in zip(*((a, p, d.doubt) for a, p, d in parts), strict=True)
    )
    return RowAnswers(answers, prediction.astype(np.float64), doubt, _possible(model, X, progress))


def judged(model: TableModel, progress: Progress | None = None) -> AnswersWithTruth | None:
    """Return the model's answers to the rows that judge it; None without any, or if `progress` was stopped."""
    if not model.judges.any():
        return None
    data = model.dataset
    said = answers_to(model, data.X[model.judges], progress)
    if said is None:
        return None
    weight = data.weights_of(model.judges)
    weight = np.ones(len(said.doubt)) if weight is None else weight
    weight = weight * (effective_size(weight) / (weight.sum() or 1.0))
    unit = None if data.roles.groups is None else data.roles.groups.codes[model.judges]
    return AnswersWithTruth(said, data.y[model.judges], weight, unit)


def promised_limit(known: AnswersWithTruth, level: float) -> float:
    """Return the score up to which answers stay in a set, or the half width of an interval; inf: too few rows.

    Where rows come in groups, it is the groups that are too few, and new rows are those of new groups.

    With it the sets, or intervals, of at least a share `level` of new rows hold the truth, if new rows are like
    those that judge the model.
    """
    if known.said.answers.shape[1] > 1:
        score = conformal.class_scores(known.said.answers, known.said.prediction.astype(np.int64), known.y)
    else:
        score = conformal.error_scores(known.said.prediction, known.y)
    return conformal.limit(score, level, known.weight, known.unit)


def promised_sets(said: RowAnswers, limit: float) -> np.ndarray:
    """Return the classes in the set of each row at the limit of `promised_limit`, (n_rows, n_classes) bool."""
    return conformal.class_sets(said.answers, said.prediction.astype(np.int64), np.array([limit]))


def promised_ends(said: RowAnswers, limit: float) -> np.ndarray:
    """Return the ends of the interval of each row at the limit of `promised_limit`, (n_rows, 2)."""
    return conformal.intervals(said.prediction, limit)


def _possible(model: TableModel, X: np.ndarray, progress: Progress | None) -> np.ndarray | None:
    """Return the classes that trees as good as an optimal one give to the rows; None for other models."""
    if not isinstance(model.estimator, OptimalClassifier):
        return None
    data, n = model.dataset, len(model.dataset.y)
    longer = data._replace(X=np.asfortranarray(np.concatenate((data.X, X))))
    rows = np.arange(n, n + len(X))
    return possible_classes(model.estimator, longer, np.flatnonzero(model.seen), rows, progress)

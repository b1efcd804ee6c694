"""Answers of a fitted model to rows, each with its doubt, and what is promised about the answers to new rows.

The rows that judge the model are new to it: they choose how doubtful an answer may be, and how many classes, or
how wide an interval, it takes to hold the truth (`espalier.new_rows.promises`).

A missing value of a row is what the model learned to treat as missing; a column that the file does not have is
only not known. So it is filled in with values that the model learned from, those of one row at a time where
several columns are absent, and each answer is compared with all that these give.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.data.roles import effective_size
from espalier.leaf_models import ModelTree
from espalier.learners.optimal import OptimalClassifier
from espalier.new_rows import promises
from espalier.oblique import ObliqueTree
from espalier.predict import leaves, record_of
from espalier.progress import Progress
from espalier.reliability.counterfactuals import asked_by
from espalier.reliability.reliability import possible_classes, uncertain_answers
from espalier.trees import Forest, Tree

BLOCK = 8_192  # rows that are asked at once; between blocks the work may be stopped
MOST_ASKED = 50_000_000  # filled rows times trees
TREES_OF_OTHERS = 100  # as which a model counts that shows no trees
FEWEST_VALUES = 64  # that are tried, however many rows there are
MOST_FILLED = 65_536  # filled rows that are asked at once
SAME = 1e-9  # relative difference of numbers that are sums in another order


class TableModel(NamedTuple):
    """A fitted model, and the table whose terms it speaks."""

    estimator: Any
    dataset: Dataset
    seen: np.ndarray  # (n_samples,) bool: rows of the table that it learned from
    judges: np.ndarray  # (n_samples,) bool: rows that are new to it, or may be


class AnswerReach(NamedTuple):
    """All that a model may say of each row, whatever stands in the columns that the file does not have."""

    features: tuple[int, ...]  # columns that the model asks about and the file does not have
    is_open: np.ndarray  # (n_rows,) bool: whether some value gives another answer
    doubt: np.ndarray  # (n_rows,) the greatest
    shares: np.ndarray  # (n_rows, n_outputs) the greatest share of each class, or the greatest number
    classes: np.ndarray  # (n_rows, n_outputs) bool: classes that some value gives
    low: np.ndarray  # (n_rows,) the least prediction
    high: np.ndarray  # (n_rows,) the greatest


class RowAnswers(NamedTuple):
    """What a model says of each row."""

    answers: np.ndarray  # (n_rows, n_outputs) a share for every class, or the number
    prediction: np.ndarray  # (n_rows,) the class, as float64 code, or the number
    doubt: np.ndarray  # (n_rows,) at least 0
    behind: np.ndarray | None = None  # (n_rows,) int64: rows in the leaf of one tree; None: of more, or of none
    possible: np.ndarray | None = None  # (n_rows, n_classes) bool: what trees as good say, where they are counted
    reach: AnswerReach | None = None  # what it may say where columns that it asks about are absent; None: none is


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


def answers_to(
    model: TableModel, X: np.ndarray, progress: Progress | None = None, absent: np.ndarray | None = None
) -> RowAnswers | None:
    """Return what a model says of the rows of X (n_rows, n_features), in the terms of its table.

    `absent` (n_features,) bool are columns of which nothing is known: the answers then have a `reach`, and the
    doubt is the greatest that some value of them gives. `progress` counts rows, once more for the reach; None
    where it was stopped. Raises the errors of the model's own predictions.

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
    behind, possible = rows_behind(model.estimator, X), _possible(model, X, progress)
    result = RowAnswers(answers, prediction.astype(np.float64), doubt, behind, possible)
    if absent is None or not absent.any():
        return result
    reach = answer_reach(model, X, result, absent, progress)
    if progress is not None and progress.is_stopped:
        return None
    result = result._replace(possible=_possible_of_filled(model, X, result.possible, absent))
    return result if reach is None else result._replace(doubt=reach.doubt, reach=reach)


def rows_behind(estimator: Any, X: np.ndarray) -> np.ndarray | None:
    """Return how many rows the leaf of each row of X learned from, (n_rows,) int64; None unless it is one tree."""
    tree = record_of(estimator)
    return tree.n_samples[leaves(tree, X)] if isinstance(tree, (Tree, ObliqueTree)) else None


def judge_answers(model: TableModel, progress: Progress | None = None) -> AnswersWithTruth | None:
    """Return the model's answers to the rows that judge it; None without any, or if `progress` was stopped."""
    if not model.judges.any():
        return None
    data = model.dataset
    result = answers_to(model, data.X[model.judges], progress)
    if result is None:
        return None
    weight = data.weights_of(model.judges)
    weight = np.ones(len(result.doubt)) if weight is None else weight
    weight = weight * (effective_size(weight) / (weight.sum() or 1.0))
    unit = None if data.roles.groups is None else data.roles.groups.codes[model.judges]
    return AnswersWithTruth(result, data.y[model.judges], weight, unit)


def promised_limit(known: AnswersWithTruth, level: float) -> float:
    """Return the score up to which answers stay in a set, or the half width of an interval; inf: too few rows.

    Where rows come in groups, it is the groups that are too few, and new rows are those of new groups.

    With it the sets, or intervals, of at least a share `level` of new rows hold the truth, if new rows are like
    those that judge the model.
    """
    if known.said.answers.shape[1] > 1:
        score = promises.class_scores(known.said.answers, known.said.prediction.astype(np.int64), known.y)
    else:
        score = promises.error_scores(known.said.prediction, known.y)
    return promises.score_limit(score, level, known.weight, known.unit)


def promised_sets(said: RowAnswers, limit: float) -> np.ndarray:
    """Return the classes in the set of each row at the limit of `promised_limit`, (n_rows, n_classes) bool."""
    code, limits = said.prediction.astype(np.int64), np.array([limit])
    if said.reach is None:
        return promises.class_sets(said.answers, code, limits)
    return promises.class_sets(said.reach.shares, code, limits) | said.reach.classes


def promised_ends(said: RowAnswers, limit: float) -> np.ndarray:
    """Return the ends of the interval of each row at the limit of `promised_limit`, (n_rows, 2)."""
    if said.reach is None:
        return promises.intervals(said.prediction, limit)
    low, high = promises.intervals(said.reach.low, limit), promises.intervals(said.reach.high, limit)
    return np.stack((low[:, 0], high[:, 1]), axis=1)


def _possible(model: TableModel, X: np.ndarray, progress: Progress | None) -> np.ndarray | None:
    """Return the classes that trees as good as an optimal one give to the rows; None for other models."""
    if not isinstance(model.estimator, OptimalClassifier):
        return None
    data, n = model.dataset, len(model.dataset.y)
    longer = data._replace(X=np.asfortranarray(np.concatenate((data.X, X))))
    rows = np.arange(n, n + len(X))
    return possible_classes(model.estimator, longer, np.flatnonzero(model.seen), rows, progress)


def _possible_of_filled(
    model: TableModel, X: np.ndarray, possible: np.ndarray | None, absent: np.ndarray
) -> np.ndarray | None:
    """Return the `possible` classes with those that some value of absent columns (n_features,) bool adds.

    Trees as good may ask about columns that the tree itself does not ask about.
    """
    if possible is None or not len(X):
        return possible
    features = np.flatnonzero(absent)
    values, _ = learned_values(model, features, len(X) * TREES_OF_OTHERS)  # as trees as good are many
    other = _possible(model, fill_rows(X, features, values), None)
    return possible if other is None else possible | other.reshape(len(X), len(values), -1).any(axis=1)


# ---- columns that the file does not have


def asked_features(model: TableModel) -> np.ndarray:
    """Return which columns a model asks about, (n_features,) bool; all of one that does not show it."""
    record = record_of(model.estimator)
    return asked_by(None if isinstance(record, ModelTree) else record, len(model.dataset.features))


def answer_reach(
    model: TableModel, X: np.ndarray, said: RowAnswers, absent: np.ndarray, progress: Progress | None = None
) -> AnswerReach | None:
    """Return what a model may say of the rows of X (n_rows, n_features) if columns (n_features,) bool are absent.

    `said` are its answers where these are missing. None if it asks about none of them, or `progress` was stopped,
    which counts rows. Every value that the model learned from is tried; where these are too many for so many
    rows, a part of them that is spread evenly over all, and then an answer is open as soon as a chance changes.
    """
    features = np.flatnonzero(absent & asked_features(model))
    if not len(features):
        return None
    values, is_part = learned_values(model, features, len(X))
    reach = _reach_of(said, tuple(features.tolist()))
    step = max(MOST_FILLED // len(values), 1)
    for start in range(0, len(X), step):
        span = slice(start, min(start + step, len(X)))
        _widen(reach, span, _answers_of_filled(model, X[span], features, values), said, is_part)
        if progress is not None:
            progress.advance(span.stop - start)
            if progress.is_stopped:
                return None
    return reach


def fill_rows(X: np.ndarray, features: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return each row of X once with each row of `values` (n_values, n_absent) in its columns `features`.

    >>> fill_rows(np.array([[1.0, np.nan], [2.0, np.nan]]), np.array([1]), np.array([[7.0], [8.0]])).tolist()
    [[1.0, 7.0], [1.0, 8.0], [2.0, 7.0], [2.0, 8.0]]
    """
    long = np.repeat(X, len(values), axis=0)
    long[:, features] = np.tile(values, (len(X), 1))
    return np.asfortranarray(long)


def learned_values(model: TableModel, features: np.ndarray, n_rows: int) -> tuple[np.ndarray, bool]:
    """Return what stands in columns (indices) where the model learned, (n_values, n_absent), each once, and
    whether that is only a part of it, because there are so many rows to fill in.
    """
    rows = model.dataset.X[model.seen] if model.seen.any() else model.dataset.X
    values = np.unique(rows[:, features], axis=0)
    record = record_of(model.estimator)
    n_trees = TREES_OF_OTHERS if record is None else len(record.trees) if isinstance(record, Forest) else 1
    most = max(MOST_ASKED // max(n_rows * n_trees, 1), FEWEST_VALUES)
    if len(values) <= most:
        return values, False
    return values[np.unique(np.linspace(0, len(values) - 1, most).astype(int))], True


def _reach_of(said: RowAnswers, features: tuple[int, ...]) -> AnswerReach:
    """Return the reach of the answers alone; `_widen` changes its arrays."""
    n, n_outputs = said.answers.shape
    classes = np.zeros((n, n_outputs), bool)
    if n_outputs > 1:
        classes[np.arange(n), said.prediction.astype(np.int64)] = True
    low, high = said.prediction.copy(), said.prediction.copy()
    return AnswerReach(features, np.zeros(n, bool), said.doubt.copy(), said.answers.copy(), classes, low, high)


def _answers_of_filled(
    model: TableModel, X: np.ndarray, features: np.ndarray, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return answers (n_rows, n_values, n_outputs), predictions (n_rows, n_values) and doubt of filled rows."""
    shape, parts = (len(X), len(values)), []
    long = fill_rows(X, features, values)
    for start in range(0, len(long), MOST_FILLED):
        block = np.asfortranarray(long[start : start + MOST_FILLED])
        answers, prediction, doubt = uncertain_answers(model.estimator, model.dataset, block)
        parts.append((answers, prediction.astype(np.float64), doubt.doubt))
    answers, prediction, doubt = (np.concatenate(part) for part in zip(*parts, strict=True))
    return answers.reshape(*shape, -1), prediction.reshape(shape), doubt.reshape(shape)


def _widen(
    reach: AnswerReach, span: slice, filled_answers: tuple[np.ndarray, ...], said: RowAnswers, is_part: bool
) -> None:
    """Let the reach of these rows hold what filled rows get, too."""
    answers, prediction, doubt = filled_answers
    own = said.prediction[span, None]
    is_classes = said.answers.shape[1] > 1
    is_other = prediction != own if is_classes else ~np.isclose(prediction, own, SAME, 0.0)
    if is_part:
        is_other |= ~np.isclose(answers, said.answers[span, None, :], SAME, SAME).all(axis=2)
    reach.is_open[span] |= is_other.any(axis=1)
    reach.doubt[span] = np.fmax(reach.doubt[span], doubt.max(axis=1))
    reach.shares[span] = np.fmax(reach.shares[span], answers.max(axis=1))
    reach.low[span] = np.fmin(reach.low[span], prediction.min(axis=1))
    reach.high[span] = np.fmax(reach.high[span], prediction.max(axis=1))
    if is_classes:
        code = prediction.astype(np.int64)
        reach.classes[span] |= (code[:, :, None] == np.arange(reach.classes.shape[1])).any(axis=1)

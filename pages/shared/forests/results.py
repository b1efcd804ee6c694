"""What is known of a grown forest, worked out once: its errors, what it says of rows it has not seen, its parts.

Keys are digests and parameters, never arrays, as in `cache`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier import predict
from espalier.analysis.comparison.rates import Rates, rates
from espalier.analysis.forests import growth
from espalier.data.dataset import Dataset
from espalier.ties import winners
from espalier.views.boundaries import plane
from espalier.views.forests import surfaces as forests_surfaces
from pages.shared.app.table_results import of_table
from pages.shared.forests.forest_job import GrownForest, SoFar

MOST_JUDGED = 20_000  # rows that what is right of each class is counted on, at most
COUNTS = (1, 2, 5, 20)  # of trees whose surface is drawn, beside all of them


class ErrorCurve(NamedTuple):
    """The error of the first 1, 2, … trees; of a number the root of the mean squared error."""

    unseen: np.ndarray | None  # (n_trees,): each row by the trees that did not see it; None where all saw all
    held: np.ndarray | None  # (n_trees,): on held-out rows; None where there are none


class Fair(NamedTuple):
    """What a forest says of every row, by the trees that have not seen it where there are any."""

    said: np.ndarray  # (n_samples, n_outputs)
    is_unseen: np.ndarray  # (n_samples,) bool: rows that some trees have not seen


def errors_of(data: Dataset, so_far: SoFar) -> np.ndarray:
    """(n_trees,) error of the first 1, 2, … trees on these rows, by the trees that did not see them."""
    X, y = data.X[so_far.rows], data.y[so_far.rows]
    errors = growth.judged(so_far.forest, X, y, so_far.in_bag).errors
    return errors if data.is_classification else np.sqrt(errors)


@of_table(max_entries=32)
def _curve(key: str, _planted: GrownForest) -> ErrorCurve:
    data, forest, out = _planted.dataset, _planted.forest, np.flatnonzero(_planted.held)
    unseen = None if _planted.in_bag is None else errors_of(data, SoFar(forest, _planted.rows, _planted.in_bag))
    return ErrorCurve(unseen, errors_of(data, SoFar(forest, out, None)) if len(out) else None)


@of_table(max_entries=32)
def _rates(key: str, _planted: GrownForest) -> Rates | None:
    data, forest, out = _planted.dataset, _planted.forest, np.flatnonzero(_planted.held)
    rows = out if len(out) else _planted.rows
    some = slice(None, None, len(rows) // MOST_JUDGED + 1)
    if len(out):
        said = predict.shares(forest, data.X[rows[some]])
    elif _planted.in_bag is not None:
        said = growth.judged(forest, data.X[rows[some]], data.y[rows[some]], _planted.in_bag[:, some]).value
    else:
        return None
    known = np.isfinite(said).all(axis=1)
    usual = int(np.bincount(data.y[_planted.rows]).argmax())
    truth, answer = data.y[rows[some]][known], winners(said[known], forest.prior)
    return rates(truth, answer, len(data.classes), usual)


def rates_of(planted: GrownForest) -> Rates | None:
    """What is right of each class on rows that are held out, else out of bag; None of numbers and without such."""
    return _rates(planted.key, planted) if planted.dataset.is_classification else None


def curve(planted: GrownForest) -> ErrorCurve:
    """The error of the forest against its number of trees."""
    return _curve(planted.key, planted)


@of_table(max_entries=16)
def _fair(key: str, _planted: GrownForest) -> Fair:
    data, forest, rows = _planted.dataset, _planted.forest, _planted.rows
    said = predict.shares(forest, data.X)
    is_unseen = _planted.held.copy()
    if _planted.in_bag is not None:
        judged = growth.judged(forest, data.X[rows], data.y[rows], _planted.in_bag).value
        known = np.isfinite(judged[:, 0])
        said[rows[known]], is_unseen[rows[known]] = judged[known], True
    return Fair(said, is_unseen)


def fair(planted: GrownForest) -> Fair:
    """What the forest says of all rows of the data."""
    return _fair(planted.key, planted)


@of_table(max_entries=64)
def _each(key: str, row: int, _planted: GrownForest) -> np.ndarray:
    return predict.shares_by_tree(_planted.forest, _planted.dataset.X[[row]])[:, 0]


def each(planted: GrownForest, row: int) -> np.ndarray:
    """(n_trees, n_outputs): what every tree says of a row."""
    return _each(planted.key, row, planted)


def answers(planted: GrownForest, X: np.ndarray) -> np.ndarray:
    """(n, n_outputs): what the forest says of other samples."""
    return predict.shares(planted.forest, X)


def predicted(planted: GrownForest, said: np.ndarray) -> np.ndarray:
    """(n,) the class number that a forest predicts from its shares, or the number itself."""
    return winners(said, planted.forest.prior) if planted.dataset.is_classification else said[:, 0]


def counts(planted: GrownForest) -> list[int]:
    """Numbers of first trees that are looked at, the whole forest last."""
    return [n for n in COUNTS if n < planted.forest.n_trees] + [planted.forest.n_trees]


@of_table(max_entries=16, show_spinner="Asking the first trees of each forest …")
def _surfaces(key: str, axes: tuple[int, ...], like: int | None, _planted: GrownForest) -> list[np.ndarray]:
    data = _planted.dataset
    values = plane.typical(data) if like is None else data.X[like]
    X = forests_surfaces.plane_of(data, axes).samples(values)
    return growth.first_trees(_planted.forest, X, counts(_planted))


def surfaces(planted: GrownForest, axes: tuple[int, ...], like: int | None) -> list[np.ndarray]:
    """What the first trees of `counts` say over a plane, the other features typical or as in row `like`."""
    return _surfaces(planted.key, axes, like, planted)


@of_table(max_entries=16)
def _own_errors(key: str, _planted: GrownForest) -> np.ndarray:
    data, in_bag = _planted.dataset, _planted.in_bag
    rows = _planted.rows if in_bag is not None else np.flatnonzero(_planted.held)
    some = plane.drawn_rows(len(rows))
    bags = None if in_bag is None else in_bag[:, some]
    errors = growth.own_errors(_planted.forest, data.X[rows[some]], data.y[rows[some]], bags)
    return errors if data.is_classification else np.sqrt(errors)


def own_errors(planted: GrownForest) -> np.ndarray:
    """(n_trees,) error of each tree on rows that it has not seen; nan where there are none.

    Of a number the root of the mean squared error; measured on some of very many rows.
    """
    return _own_errors(planted.key, planted)

"""Results of a grown forest, each worked out once: errors, answers on rows new to it, surfaces.

Keys are digests and parameters, never arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier import predict
from espalier.comparison.scores import Rates, rates
from espalier.data.dataset import Dataset
from espalier.data.roles import class_sizes
from espalier.display.boundaries import plane
from espalier.display.theme import number, percent
from espalier.forests import growth
from espalier.forests import surfaces as forests_surfaces
from espalier.forests.growth import averages_of_first
from espalier.language import Later, say
from espalier.ties import winners
from pages.shared.app.table_results import of_table
from pages.shared.forests.forest_job import GrownForest, SoFar
from pages.shared.tree.grown.record import OffAxis

MOST_JUDGED = 20_000  # rows for the accuracy by class, at most
MOST_AVERAGED = 1_000  # rows, evenly spread over the table
COUNTS = (1, 2, 5, 20)  # of trees whose surface is drawn, beside all of them


class ErrorCurve(NamedTuple):
    """The error of the first 1, 2, … trees; of a number the root of the mean squared error."""

    unseen: np.ndarray | None  # (n_trees,): each row by the trees that did not see it; None where all saw all
    held: np.ndarray | None  # (n_trees,): on held-out rows; None where there are none


class FairAnswers(NamedTuple):
    """A forest's answer to every row, by the trees that have not seen it where there are any."""

    value: np.ndarray  # (n_samples, n_outputs): class shares, or the number
    is_unseen: np.ndarray  # (n_samples,) bool: rows that some trees have not seen


def errors_of(data: Dataset, so_far: SoFar) -> np.ndarray:
    """(n_trees,) error of the first 1, 2, … trees on these rows, by the trees that did not see them."""
    X, y, weight = data.X[so_far.rows], data.y[so_far.rows], data.weights_of(so_far.rows)
    errors = growth.judge(so_far.forest, X, y, so_far.in_bag, weight).errors
    return errors if data.is_classification else np.sqrt(errors)


def _at_rounds(errors: np.ndarray, trees_a_round: int) -> np.ndarray:
    """The errors at the ends of rounds, nan inside: there the scores of some classes are a tree behind."""
    ends = (np.arange(len(errors)) + 1) % trees_a_round == 0
    return np.where(ends, errors, np.nan)


def of_rounds(errors: np.ndarray, trees_a_round: int) -> np.ndarray:
    """(n_rounds,) error after each round, of the errors after each tree (n_trees,)."""
    return errors[trees_a_round - 1 :: trees_a_round]


@of_table(max_entries=32)
def rates_of(grown: GrownForest) -> Rates | None:
    """Accuracy by class on held-out rows, else out of bag; None of numbers and without such rows."""
    if not grown.dataset.is_classification:
        return None
    data, forest, out = grown.dataset, grown.forest, np.flatnonzero(grown.held)
    rows = out if len(out) else grown.rows
    some = slice(None, None, len(rows) // MOST_JUDGED + 1)
    if len(out):
        value = predict.shares(forest, data.X[rows[some]])
    elif grown.in_bag is not None:
        value = growth.judge(forest, data.X[rows[some]], data.y[rows[some]], grown.in_bag[:, some]).value
    else:
        return None
    known = np.isfinite(value).all(axis=1)
    grown_on = grown.rows if len(grown.rows) else rows
    usual = int(class_sizes(data.y[grown_on], 1, data.weights_of(grown_on)).argmax())
    truth, answer = data.y[rows[some]][known], winners(value[known], forest.prior)
    return rates(truth, answer, len(data.classes), usual, data.weights_of(rows[some][known]))


@of_table(max_entries=32)
def curve(grown: GrownForest) -> ErrorCurve:
    """The error of the forest against its number of trees."""
    data, forest, out = grown.dataset, grown.forest, np.flatnonzero(grown.held)
    unseen = None if grown.in_bag is None else errors_of(data, SoFar(forest, grown.rows, grown.in_bag))
    held = errors_of(data, SoFar(forest, out, None)) if len(out) else None
    return ErrorCurve(unseen, None if held is None else _at_rounds(held, grown.trees_a_round))


@of_table(max_entries=16)
def fair(grown: GrownForest) -> FairAnswers:
    """The forest's answers to all rows of the data."""
    data, forest, rows = grown.dataset, grown.forest, grown.rows
    value = predict.shares(forest, data.X)
    is_unseen = grown.held.copy()
    if grown.in_bag is not None:
        judged = growth.judge(forest, data.X[rows], data.y[rows], grown.in_bag).value
        known = np.isfinite(judged[:, 0])
        value[rows[known]], is_unseen[rows[known]] = judged[known], True
    return FairAnswers(value, is_unseen)


@of_table(max_entries=64)
def each(grown: GrownForest, row: int) -> np.ndarray:
    """(n_trees, n_outputs) answer of every tree to a row."""
    return predict.shares_by_tree(grown.forest, grown.dataset.X[[row]])[:, 0]


def answers(grown: GrownForest, X: np.ndarray) -> np.ndarray:
    """(n, n_outputs) answers of the forest to other samples."""
    return predict.shares(grown.forest, X)


def predicted(grown: GrownForest, value: np.ndarray) -> np.ndarray:
    """(n,) the class number that a forest predicts from its shares, or the number itself."""
    return winners(value, grown.forest.prior) if grown.dataset.is_classification else value[:, 0]


def counts(grown: GrownForest) -> list[int]:
    """Numbers of first trees whose surfaces are drawn, of a sum those of whole rounds; the whole forest last."""
    several = [n * grown.trees_a_round for n in COUNTS]
    return [n for n in several if n < grown.forest.n_trees] + [grown.forest.n_trees]


@of_table(max_entries=16, show_spinner=Later(lambda: say("Asking the first trees of each forest …")))
def surfaces(grown: GrownForest, axes: tuple[int, ...], like: OffAxis) -> list[np.ndarray]:
    """Answers of the first trees of `counts` over a plane, (n_cells, n_outputs) each."""
    place, values = forests_surfaces.plane_of(grown.dataset, axes), held_values(grown, like)
    if like.averaged:
        return averages_of_first(grown.forest, axes, place.at, values, counts(grown))
    return growth.first_trees(grown.forest, place.samples(values), counts(grown))


def held_values(grown: GrownForest, like: OffAxis) -> np.ndarray:
    """Values of features that stand on no axis, (n_features,); for an average rows, (n_rows, n_features)."""
    data = grown.dataset
    if like.averaged:
        return data.X[np.linspace(0, len(data.X) - 1, min(len(data.X), MOST_AVERAGED)).astype(np.int64)]
    return plane.typical(data) if like.row is None else data.X[like.row]


@of_table(max_entries=16)
def own_errors(grown: GrownForest) -> np.ndarray:
    """(n_trees,) error of each tree on rows that it has not seen; nan where there are none.

    Of a number the root of the mean squared error; measured on some of very many rows. All are nan for a sum,
    whose trees say nothing alone.
    """
    if grown.is_sum:
        return np.full(grown.forest.n_trees, np.nan)
    data, in_bag = grown.dataset, grown.in_bag
    rows = grown.rows if in_bag is not None else np.flatnonzero(grown.held)
    some = plane.drawn_rows(len(rows))
    bags = None if in_bag is None else in_bag[:, some]
    judges = rows[some]
    errors = growth.own_errors(grown.forest, data.X[judges], data.y[judges], bags, data.weights_of(judges))
    return errors if data.is_classification else np.sqrt(errors)


def error_text(grown: GrownForest, error: float) -> str:
    """An error of a forest as people write it: a share of rows, or a number."""
    return percent(error) if grown.dataset.is_classification else number(error)

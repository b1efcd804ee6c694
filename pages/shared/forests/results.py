"""Results of a grown forest, each worked out once: errors, fair answers, likeness of trees, steps of a sum.

Keys are digests and parameters, never arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from espalier import predict
from espalier.comparison.class_rates import Rates, rates
from espalier.data.dataset import ClassMarks, Dataset, Feature
from espalier.data.roles import class_sizes
from espalier.display.boundaries.plane import drawn_rows
from espalier.display.theme import number, percent
from espalier.export.json import STEP, score_of
from espalier.forests import growth
from espalier.forests.agreement import (
    Residuals,
    Strength,
    agreement,
    likeness,
    residual_correlation,
    strength_and_correlation,
)
from espalier.grown import GrownForest
from espalier.language import Later, say
from espalier.predict import winners
from espalier.trees import Forest, read_only
from pages.shared.app.store import of_table

MOST_JUDGED = 20_000  # rows for the accuracy by class, at most


def errors_of(data: Dataset, forest: Forest, rows: np.ndarray, in_bag: np.ndarray | None) -> np.ndarray:
    """(n_trees,) error of the first 1, 2, … trees on these rows, by the trees that did not see them."""
    errors = growth.judge(forest, data.X[rows], data.y[rows], in_bag, data.weights_of(rows)).errors
    return errors if data.is_classification else np.sqrt(errors)


@of_table(max_entries=32)
def curves(grown: GrownForest) -> tuple[np.ndarray | None, np.ndarray | None]:
    """(n_trees,) twice: the error of the first 1, 2, … trees out of bag, and on held-out rows.

    None where all trees saw all rows, and where no rows are held out. Of a number it is the root of the mean
    squared error; of a sum it is known on held-out rows at the ends of its rounds only, else nan.
    """
    data, forest, out = grown.dataset, grown.forest, np.flatnonzero(grown.held)
    unseen = None if grown.in_bag is None else errors_of(data, forest, grown.rows, grown.in_bag)
    if not len(out):
        return unseen, None
    ends = (np.arange(forest.n_trees) + 1) % grown.trees_a_round == 0
    return unseen, np.where(ends, errors_of(data, forest, out, None), np.nan)


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


@of_table(max_entries=16)
def fair(grown: GrownForest) -> tuple[np.ndarray, np.ndarray]:
    """The forest's answer to every row, and whether it is of trees that have not seen the row.

    (n_samples, n_outputs) class shares, or the number; (n_samples,) bool. Where all have seen it, all answer.
    """
    data, forest, rows = grown.dataset, grown.forest, grown.rows
    value = predict.shares(forest, data.X)
    is_unseen = grown.held.copy()
    if grown.in_bag is not None:
        judged = growth.judge(forest, data.X[rows], data.y[rows], grown.in_bag).value
        known = np.isfinite(judged[:, 0])
        value[rows[known]], is_unseen[rows[known]] = judged[known], True
    return value, is_unseen


def predicted(grown: GrownForest, value: np.ndarray) -> np.ndarray:
    """(n,) the class number that a forest predicts from its shares, or the number itself."""
    return winners(value, grown.forest.prior) if grown.dataset.is_classification else value[:, 0]


@of_table(max_entries=16)
def own_errors(grown: GrownForest) -> np.ndarray:
    """(n_trees,) error of each tree on rows that it has not seen; nan where there are none.

    Of a number the root of the mean squared error; measured on some of very many rows. All are nan for a sum,
    whose trees say nothing alone.
    """
    if grown.is_sum:
        return np.full(grown.forest.n_trees, np.nan)
    data, (rows, in_bag) = grown.dataset, judging_rows(grown)
    errors = growth.own_errors(grown.forest, data.X[rows], data.y[rows], in_bag, data.weights_of(rows))
    return errors if data.is_classification else np.sqrt(errors)


def judging_rows(grown: GrownForest) -> tuple[np.ndarray, np.ndarray | None]:
    """Rows new to trees, at most some, and how often each tree has each, (n_trees, n): None where none has any."""
    rows = np.flatnonzero(grown.held) if grown.in_bag is None else grown.rows
    some = drawn_rows(len(rows))
    return rows[some], None if grown.in_bag is None else grown.in_bag[:, some]


@of_table(max_entries=16)
def measured(grown: GrownForest) -> Strength | Residuals | None:
    """Strength and correlation, on rows that trees have not seen; None where there are none, and of a sum."""
    rows, in_bag = judging_rows(grown)
    if grown.is_sum or not len(rows):
        return None
    measure = strength_and_correlation if grown.dataset.is_classification else residual_correlation
    return measure(grown.forest, grown.dataset.X[rows], grown.dataset.y[rows], in_bag)


@of_table(max_entries=16, show_spinner=Later(lambda: say("Comparing the trees …")))
def matrix_of(grown: GrownForest) -> np.ndarray:
    """(n_trees, n_trees): how alike two trees answer, from 0 to 1: of classes, the share of rows they agree on."""
    data, rows = grown.dataset, np.arange(len(grown.dataset.y))
    if not data.is_classification:
        return likeness(grown.forest, data.X[drawn_rows(len(rows))])
    rows = np.flatnonzero(grown.held) if grown.held.any() else grown.rows
    return agreement(grown.forest, data.X[rows[drawn_rows(len(rows))]])


def error_text(grown: GrownForest, error: float) -> str:
    """An error of a forest as people write it: a share of rows, or a number."""
    return percent(error) if grown.dataset.is_classification else number(error)


def counted(grown: GrownForest, n_rounds: int) -> str:
    """So many trees of a forest, or rounds of a sum, in words."""
    if grown.has_rounds:
        return say("{n} round" if n_rounds == 1 else "{n} rounds", n=n_rounds)
    return say("{n} tree" if n_rounds == 1 else "{n} trees", n=n_rounds)


# ---- the trees of a sum are steps, each of a round and a class


def class_of(grown: GrownForest, number: int) -> int:
    """The class to whose score a tree, counted from 0, adds; of two classes, that of the log odds: the second."""
    k = grown.trees_a_round
    if grown.forest.link == "logistic":
        return 1
    return number % k if k == len(grown.dataset.classes) else score_of(grown.forest.trees[number])


def step_of(grown: GrownForest, number: int) -> tuple[Any, Feature]:
    """A tree of the sum, counted from 0, as one that predicts a number: its step, in the colour of its class."""
    tree, target = grown.forest.trees[number], STEP
    if classes := grown.dataset.classes:
        place = grown.dataset.target.marks.places(len(classes))[class_of(grown, number)]
        target = STEP._replace(marks=ClassMarks(colours=(place,)))
    return tree._replace(value=read_only(tree.value[:, [score_of(tree)]])), target

"""A boosted sum round by round, worked out once for all rounds, so that the slider only looks things up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier import boosting, predict
from espalier.data.dataset import Dataset
from espalier.display.boundaries.plane import ends_of
from espalier.forests import growth, surfaces
from espalier.language import Later, say
from pages.shared.app.table_results import of_table
from pages.shared.forests import sentences
from pages.shared.forests.forest_job import GrownForest

MOST_ROWS = 1_000  # rows grown on, and rows held out, that are looked at, at most
MOST_VALUES = 3_000_000  # scores that are kept of them
POINTS = 300  # places along a column where curves are drawn


class Stages(NamedTuple):
    """The scores of some rows at every stage of a sum."""

    rows: np.ndarray  # (n,) rows of the data
    score: np.ndarray  # (n_rounds + 1, n, n_scores): before the first round, and after each
    loss: np.ndarray  # (n_rounds + 1,); of squared errors the root of the mean


class RoundView(NamedTuple):
    """A round of a sum as the page asks for it."""

    one: GrownForest
    number: int  # of the round, from 1
    tree: int  # of the forest, from 0
    score: int  # column of the scores that the tree adds to

    @property
    def loss(self) -> str:
        """The loss that the sum reduces, as the estimator calls it."""
        return self.one.estimator.loss

    @property
    def is_of_class(self) -> bool:
        """Whether the score is of a class."""
        return self.one.dataset.is_classification


def view_of(one: GrownForest, number: int, place: int) -> RoundView:
    """The round of this number, from 1, and of its trees the one in this place."""
    tree = (number - 1) * one.trees_a_round + min(place, one.trees_a_round - 1)
    score = 0 if len(one.forest.start) == 1 else sentences.class_of(one, tree)
    return RoundView(one, number, tree, score)


@of_table(max_entries=16, show_spinner=Later(lambda: say("Adding up the rounds …")))
def stages(one: GrownForest, is_held: bool) -> Stages:
    """The stages of rows that are held out, or of those grown on: of very many, an even selection."""
    data, forest = one.dataset, one.forest
    rows = np.flatnonzero(one.held == is_held)
    most = max(min(MOST_ROWS, MOST_VALUES // ((sentences.n_rounds(one) + 1) * len(forest.start))), 1)
    rows = rows[:: -(-len(rows) // most)] if len(rows) else rows
    score = boosting.stages(forest, data.X[rows], one.trees_a_round)
    loss = (
        boosting.losses(forest, score, data.y[rows], data.weights_of(rows), one.estimator.loss)
        if len(rows)
        else np.full(len(score), np.nan)
    )
    return Stages(rows, score, np.sqrt(loss) if one.estimator.loss == "squared_error" else loss)


def residuals(view: RoundView, after: bool) -> np.ndarray:
    """(n,) residuals of the rows grown on, before the round or after it."""
    looked_at = stages(view.one, False)
    score = looked_at.score[view.number if after else view.number - 1]
    return boosting.residuals(view.one.forest, score, view.one.dataset.y[looked_at.rows])[:, view.score]


def answers(view: RoundView) -> np.ndarray:
    """(n,) answers of the sum to the rows grown on, after the round: numbers, or shares of the round's class."""
    return _column(view, boosting.predictions(view.one.forest, stages(view.one, False).score[view.number]))


def _column(view: RoundView, said: np.ndarray) -> np.ndarray:
    """The column of predictions that is about the view's score."""
    return said[:, -1 if view.one.forest.link == "logistic" else view.score]


# Over one column, and over two -----------------------------------------------------------------------


class Curves(NamedTuple):
    """Lines over the values of the data's only column."""

    at: np.ndarray  # (n,) values
    score: np.ndarray  # (n_rounds + 1, n, n_scores)


@of_table(max_entries=8)
def _curves(one: GrownForest) -> Curves:
    data = one.dataset
    at = np.linspace(*ends_of(data.features[0], data.X[:, 0]), POINTS)
    return Curves(at, boosting.stages(one.forest, at[:, None], one.trees_a_round))


def curves(view: RoundView) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Places along the data's only column, and there the sum before the round, the step, and the sum after."""
    at, score = _curves(view.one)
    before, after = score[view.number - 1], score[view.number]
    forest = view.one.forest
    step = (after - before)[:, view.score]
    ends = [_column(view, boosting.predictions(forest, score)) for score in (before, after)]
    return at, ends[0], step, ends[1]


class RoundPlanes(NamedTuple):
    """A round over the plane of the data's two columns."""

    plane: surfaces.Plane
    steps: np.ndarray  # (n_cells, 1): of its tree
    sums: np.ndarray  # (n_cells, n_outputs): predictions after it


@of_table(max_entries=16)
def _planes(one: GrownForest, number: int, tree: int) -> RoundPlanes:
    plane = surfaces.plane_of(one.dataset, (0, 1))
    X = plane.samples(np.zeros(2))
    step, _ = sentences.step_of(one, tree)
    (after,) = growth.first_trees(one.forest, X, [number * one.trees_a_round])
    return RoundPlanes(plane, predict.shares(step, X), after)


def planes(view: RoundView) -> RoundPlanes:
    """Steps of the round's tree, and the sum after the round, over the data's two columns."""
    return _planes(view.one, view.number, view.tree)


def steps_as_data(view: RoundView) -> Dataset:
    """The data with the steps of the round's tree as the target, for pictures of them."""
    step, target = sentences.step_of(view.one, view.tree)
    data = view.one.dataset
    return data._replace(y=predict.means(step, data.X), target=target)

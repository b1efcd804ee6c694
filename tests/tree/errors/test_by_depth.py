"""Errors by depth: those of trees that are grown one by one, averaged over the rows that judge them."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from espalier.data import samples
from espalier.data.folds import Folds, deal
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier, OptimalClassifier
from espalier.progress import Progress
from espalier.tree.pruning import DepthPlan, WeighedSamples, depth_errors
from tests.tools.by_hand import told_from_others

IRIS, SINE = samples.load("iris"), samples.load("sine")


def samples_of(data, weight=None):
    return WeighedSamples(data.X, data.y, weight)


def naive(estimator, data, folds, depth):
    """Cross-validated error of one depth."""
    lost = np.zeros(len(data.y))
    for fold in folds:
        rest, rows = fold.fitted_to, fold.rows
        answer = estimator.set_params(max_depth=depth).fit(data.X[rest], data.y[rest]).predict(data.X[rows])
        lost[rows] = answer != data.y[rows] if data.is_classification else (answer - data.y[rows]) ** 2
    return lost.mean(), lost.std() / np.sqrt(len(lost))


@pytest.mark.parametrize(
    ("estimator", "data"),
    [(CartClassifier(), IRIS), (CartRegressor(min_samples_leaf=9), SINE), (CultivatedClassifier(k=3), IRIS)],
)
def test_each_depth_has_the_error_of_trees_with_that_limit_on_rows_they_have_not_seen(estimator, data):
    folds = deal(data.y, Folds(4))
    found: Any = depth_errors(estimator, samples_of(data), DepthPlan(4, folds))
    for at, depth in enumerate(found.depth.tolist()):
        assert (found.validated.error[at], found.validated.standard_error[at]) == pytest.approx(
            naive(estimator, data, folds, depth)
        )


def test_training_and_held_out_errors_are_those_of_the_tree_on_all_rows():
    grown, held = np.arange(0, 150, 2), np.arange(1, 150, 2)
    folds = deal(IRIS.y[grown], Folds(3))
    found: Any = depth_errors(
        CartClassifier(), samples_of(IRIS).of(grown), DepthPlan(2, folds), samples_of(IRIS).of(held)
    )
    tree = CartClassifier(max_depth=2).fit(IRIS.X[grown], IRIS.y[grown])
    assert found.training.error[0] == pytest.approx(1 - tree.score(IRIS.X[grown], IRIS.y[grown]))
    assert found.held.error[0] == pytest.approx(1 - tree.score(IRIS.X[held], IRIS.y[held]))
    assert found.n_leaves.tolist() == [tree.tree_.n_leaves, 2]


def test_depths_past_the_deepest_tree_are_left_out_but_of_a_search_and_one_fold_is_too_few():
    found: Any = depth_errors(CartClassifier(), samples_of(IRIS), DepthPlan(30, deal(IRIS.y, Folds(3))))
    assert found.depth[0] == CartClassifier().fit(IRIS.X, IRIS.y).tree_.depth
    clouds = samples.load("two-gaussians")
    plan = DepthPlan(2, deal(clouds.y, Folds(2)), ends_early=False)
    found: Any = depth_errors(OptimalClassifier(max_thresholds=2), samples_of(clouds), plan)
    assert found.depth.tolist() == [2, 1]
    with pytest.raises(ValueError, match="at least two"):
        depth_errors(CartClassifier(), samples_of(IRIS), DepthPlan(3, deal(IRIS.y, Folds(2))[:1]))


def test_rows_that_weigh_nothing_judge_nothing():
    weight = np.repeat([1.0, 0.0], 75)
    tested = [np.arange(0, 150, 2), np.arange(1, 150, 2)]
    folds = told_from_others(tested, 150)
    found: Any = depth_errors(CartClassifier(), samples_of(IRIS, weight=weight), DepthPlan(1, folds))
    half = told_from_others([rows[rows < 75] for rows in tested], 75)
    first = samples_of(IRIS).of(np.arange(75))
    alone: Any = depth_errors(CartClassifier(), first, DepthPlan(1, half))
    assert found.validated.error == pytest.approx(alone.validated.error)


def test_what_was_stopped_gives_nothing_and_what_was_not_counts_its_parts():
    plan = DepthPlan(3, deal(IRIS.y, Folds(2)))
    assert depth_errors(CartClassifier(), samples_of(IRIS), plan, progress=Progress(is_stopped=True)) is None
    progress = Progress()
    with ThreadPoolExecutor(2) as pool:
        depth_errors(CartClassifier(), samples_of(IRIS), plan, progress=progress, executor=pool)
    assert progress.done == plan.parts

"""Averaged answers of forests: the mean over rows of what the first trees say, place by place."""

import doctest

import numpy as np
import pytest

from espalier.analysis.forests import averages
from espalier.analysis.forests.averages import averages_of_first, can_average
from espalier.analysis.forests.growth import first_trees
from espalier.analysis.grids import samples_over
from espalier.data import samples
from espalier.learners import (
    BaggedForestClassifier,
    CultivatedForestClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

COUNTS = [1, 2, 5]


def naive(forest, axes, at, rows):
    """What `averages_of_first` says it returns: the forest asked about every place once for each row."""
    asked = [first_trees(forest, samples_over(axes, at, row), COUNTS) for row in rows]
    return [np.mean([one[i] for one in asked], axis=0) for i in range(len(COUNTS))]


@pytest.mark.parametrize("axes", [(2, 3), (3,), (1, 0)])
@pytest.mark.parametrize(
    ("learner", "name"),
    [
        (RandomForestClassifier(n_estimators=5, random_state=1), "iris"),
        (BaggedForestClassifier(n_estimators=5, voting="validation", random_state=1), "iris"),
        (RandomForestRegressor(n_estimators=5, max_depth=4, random_state=1), "diabetes"),
        (GradientBoostingRegressor(n_estimators=5, random_state=1), "diabetes"),
    ],
    ids=["mean", "votes", "numbers", "sum"],
)
def test_the_average_is_the_mean_of_the_answers_to_all_rows(learner, name, axes):
    data = samples.load(name)
    forest = learner.fit(data.X, data.y).forest_
    rows, at = data.X[::20], [np.linspace(data.X[:, a].min(), data.X[:, a].max(), 7 + a) for a in axes]
    found = averages_of_first(forest, axes, at, rows, COUNTS)
    for one, expected in zip(found, naive(forest, axes, at, rows), strict=True):
        np.testing.assert_allclose(one, expected, atol=1e-9)


def test_a_place_on_a_threshold_is_left_of_it():
    data = samples.load("iris")
    forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(data.X, data.y).forest_
    cuts = np.unique(np.concatenate([tree.threshold[tree.feature == 2] for tree in forest.trees]))
    found = averages_of_first(forest, [2], [cuts], data.X[:30], COUNTS)
    np.testing.assert_allclose(found[-1], naive(forest, [2], [cuts], data.X[:30])[-1], atol=1e-12)


def test_sets_of_categories_on_an_axis_are_averaged_too():
    data = samples.load("tic-tac-toe")
    axis = int(np.flatnonzero(data.categorical)[0])
    learner = RandomForestClassifier(n_estimators=5, max_depth=3, categorical_features=data.categorical)
    forest = learner.fit(data.X, data.y).forest_
    at = [np.arange(float(len(data.features[axis].categories)))]
    found = averages_of_first(forest, [axis], at, data.X[::40], COUNTS)
    np.testing.assert_allclose(found[-1], naive(forest, [axis], at, data.X[::40])[-1], atol=1e-12)


def test_forests_whose_answer_is_no_mean_of_their_trees_say_so():
    data = samples.load("iris")
    for learner in (GradientBoostingClassifier(n_estimators=2), CultivatedForestClassifier(n_estimators=2)):
        assert not can_average(learner.fit(data.X, data.y).forest_)


def test_the_example_is_true():
    assert doctest.testmod(averages).failed == 0

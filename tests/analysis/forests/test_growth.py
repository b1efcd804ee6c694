"""What the first trees of a forest say, and each by itself: against the forest's own words and naive sums."""

import numpy as np
import pytest

from espalier.analysis.forests import growth
from espalier.data import samples
from espalier.learners import (
    BaggedForestClassifier,
    CultivatedForestClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from espalier.predict import shares_by_tree
from espalier.trees import is_leaf, make_forest


@pytest.fixture(scope="module")
def of_classes():
    data = samples.load("moons")
    return data, RandomForestClassifier(n_estimators=12, max_depth=4, oob_score=True, random_state=1).fit(
        data.X, data.y
    )


@pytest.fixture(scope="module")
def of_numbers():
    data = samples.load("diabetes")
    return data, RandomForestRegressor(n_estimators=9, max_depth=4, oob_score=True, random_state=1).fit(
        data.X, data.y
    )


def test_all_trees_together_say_what_the_forest_says(of_classes, of_numbers):
    for data, estimator in (of_classes, of_numbers):
        forest = estimator.forest_
        said = growth.first_trees(forest, data.X, [forest.n_trees])[0]
        told = estimator.predict_proba(data.X) if data.is_classification else estimator.predict(data.X)[:, None]
        assert np.allclose(said, told, atol=1e-12)


def test_the_first_trees_say_the_weighted_mean_of_what_each_says(of_classes):
    data, estimator = of_classes
    weight = np.arange(1.0, 13.0)
    forest = make_forest(estimator.forest_.trees, weight, "mean", estimator.forest_.prior)
    for count, said in zip((1, 5, 12), growth.first_trees(forest, data.X[:7], [1, 5, 12]), strict=True):
        for row in range(7):
            each = shares_by_tree(forest, data.X[[row]])[:count, 0]
            assert np.allclose(said[row], np.average(each, axis=0, weights=weight[:count]))


def test_trees_that_hesitate_are_asked_too():
    data = samples.load("iris")
    estimator = CultivatedForestClassifier(n_estimators=3, max_depth=2, random_state=0).fit(data.X, data.y)
    forest = estimator.forest_
    assert np.allclose(growth.first_trees(forest, data.X, [1, 3])[1], estimator.predict_proba(data.X))


def test_what_is_no_ascending_number_of_trees_is_refused(of_classes):
    data, estimator = of_classes
    for counts in ([], [0], [2, 1], [1, 1], [13]):
        with pytest.raises(ValueError, match="ascending numbers of trees from 1 to 12"):
            growth.first_trees(estimator.forest_, data.X, counts)


def test_rows_judged_by_trees_that_did_not_see_them_give_the_out_of_bag_error(of_classes, of_numbers):
    for data, estimator in (of_classes, of_numbers):
        found = growth.judged(estimator.forest_, data.X, data.y, estimator.in_bag())
        assert np.allclose(found.errors, estimator.oob_errors_, equal_nan=True)


def test_without_a_bag_every_tree_judges_every_row(of_classes):
    data, estimator = of_classes
    found = growth.judged(estimator.forest_, data.X, data.y)
    for count in (1, 6, 12):
        said = growth.first_trees(estimator.forest_, data.X, [count])[0]
        assert found.errors[count - 1] == pytest.approx(np.mean(said.argmax(axis=1) != data.y))


def test_a_tree_alone_is_judged_on_the_rows_that_it_did_not_see(of_classes, of_numbers):
    for data, estimator in (of_classes, of_numbers):
        in_bag, errors = (
            estimator.in_bag(),
            growth.own_errors(estimator.forest_, data.X, data.y, estimator.in_bag()),
        )
        for number, error in enumerate(errors):
            off = []
            for row in np.flatnonzero(in_bag[number] == 0):
                said = shares_by_tree(estimator.forest_, data.X[[row]])[number, 0]
                y = data.y[row]
                off.append(said.argmax() != y if data.is_classification else (said[0] - y) ** 2)
            assert error == pytest.approx(np.mean(off))


def test_a_tree_that_saw_every_row_has_no_error_of_its_own(of_classes):
    data, estimator = of_classes
    seen = np.ones((12, len(data.y)), np.uint8)
    assert np.isnan(growth.own_errors(estimator.forest_, data.X, data.y, seen)).all()


def test_the_gains_of_all_features_are_what_the_trees_take_off_the_impurity(of_classes):
    forest = of_classes[1].forest_
    taken = 0.0
    for tree in forest.trees:
        leaves = is_leaf(tree)
        taken += tree.impurity[0] - (tree.weight * tree.impurity)[leaves].sum() / tree.weight[0]
    assert growth.gains(forest, 2).sum() == pytest.approx(taken)


def test_a_feature_that_no_tree_asks_about_gains_nothing():
    data = samples.load("iris")
    estimator = BaggedForestClassifier(n_estimators=5, random_state=0).fit(data.X[:, 2:], data.y)
    found = growth.gains(estimator.forest_, 3)
    assert found[2] == 0
    assert (found[:2] > 0).any()


def test_what_trees_saw_so_far_are_rows_of_what_all_saw(of_classes):
    _, estimator = of_classes
    numbers = list(estimator.trees_so_far())[2:5]
    assert np.array_equal(estimator.in_bag_so_far(numbers), estimator.in_bag()[2:5])
    assert estimator.in_bag().shape[0] == 12  # the forest itself has not changed

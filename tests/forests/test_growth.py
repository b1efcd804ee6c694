"""What the first trees of a forest say, and what is known of a sum of trees, which has no votes."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from espalier import learners, predict
from espalier.data import samples
from espalier.forests import agreement, growth
from espalier.forests.growth import permutation_importance
from espalier.learners.approximation.oracle import forest_of
from espalier.predict import shares_by_tree
from espalier.reliability.uncertainty import NONE, contributions, measure_of, model_of
from espalier.trees import is_leaf, make_forest, make_sum, make_tree

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")


@pytest.fixture(scope="module")
def of_classes():
    data = samples.load("moons")
    return data, learners.RandomForestClassifier(n_estimators=12, max_depth=4, oob_score=True, random_state=1).fit(
        data.X, data.y
    )


@pytest.fixture(scope="module")
def of_numbers():
    data = samples.load("diabetes")
    return data, learners.RandomForestRegressor(n_estimators=9, max_depth=4, oob_score=True, random_state=1).fit(
        data.X, data.y
    )


def test_all_trees_together_say_what_the_forest_says_also_where_they_hesitate(of_classes, of_numbers):
    soft = learners.CultivatedForestClassifier(n_estimators=3, max_depth=2, random_state=0).fit(IRIS.X, IRIS.y)
    for data, estimator in (of_classes, of_numbers, (IRIS, soft)):
        forest = estimator.forest_
        said = growth.first_trees(forest, data.X, [forest.n_trees])[0]
        told = estimator.predict_proba(data.X) if data.is_classification else estimator.predict(data.X)[:, None]
        assert np.allclose(said, told, atol=1e-12)


def test_the_first_trees_say_the_weighted_mean_of_what_each_says_and_their_numbers_ascend(of_classes):
    data, estimator = of_classes
    weight = np.arange(1.0, 13.0)
    forest = make_forest(estimator.forest_.trees, weight, "mean", estimator.forest_.prior)
    for count, said in zip((1, 5, 12), growth.first_trees(forest, data.X[:7], [1, 5, 12]), strict=True):
        for row in range(7):
            each = shares_by_tree(forest, data.X[[row]])[:count, 0]
            assert np.allclose(said[row], np.average(each, axis=0, weights=weight[:count]))
    data, estimator = of_classes
    for counts in ([], [0], [2, 1], [1, 1], [13]):
        with pytest.raises(ValueError, match="ascending numbers of trees from 1 to 12"):
            growth.first_trees(estimator.forest_, data.X, counts)


def test_rows_judged_by_trees_that_did_not_see_them_give_the_out_of_bag_error_and_without_a_bag_all_judge(
    of_classes, of_numbers
):
    for data, estimator in (of_classes, of_numbers):
        found = growth.judge(estimator.forest_, data.X, data.y, estimator.in_bag())
        assert np.allclose(found.errors, estimator.oob_errors_, equal_nan=True)
    data, estimator = of_classes
    found = growth.judge(estimator.forest_, data.X, data.y)
    for count in (1, 6, 12):
        said = growth.first_trees(estimator.forest_, data.X, [count])[0]
        assert found.errors[count - 1] == pytest.approx(np.mean(said.argmax(axis=1) != data.y))


def test_a_tree_alone_is_judged_on_the_rows_that_it_did_not_see_if_there_are_any(of_classes, of_numbers):
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
    data, estimator = of_classes
    seen = np.ones((12, len(data.y)), np.uint8)
    assert np.isnan(growth.own_errors(estimator.forest_, data.X, data.y, seen)).all()


def test_gains_are_what_the_trees_take_off_the_impurity_and_nothing_of_a_feature_that_no_tree_asks_about(
    of_classes,
):
    forest = of_classes[1].forest_
    taken = 0.0
    for tree in forest.trees:
        leaves = is_leaf(tree)
        taken += tree.impurity[0] - (tree.weight * tree.impurity)[leaves].sum() / tree.weight[0]
    assert growth.gains(forest, 2).sum() == pytest.approx(taken)
    data = samples.load("iris")
    estimator = learners.BaggedForestClassifier(n_estimators=5, random_state=0).fit(data.X[:, 2:], data.y)
    found = growth.gains(estimator.forest_, 3)
    assert found[2] == 0
    assert (found[:2] > 0).any()


@pytest.fixture(scope="module")
def sum_of_classes():
    return learners.GradientBoostingClassifier(n_estimators=4).fit(IRIS.X, IRIS.y)


@pytest.fixture(scope="module")
def of_two():
    return learners.GradientBoostingClassifier(n_estimators=4).fit(IRIS.X, IRIS.y > 0)


@pytest.fixture(scope="module")
def sum_of_numbers():
    return learners.GradientBoostingRegressor(n_estimators=4).fit(DIABETES.X, DIABETES.y)


def leaf(*value):
    return make_tree([-1], [np.nan], [-1], [-1], [0], [False], [4], [4.0], [value], [0.0])


def test_a_sum_adds_to_its_start_and_its_link_makes_shares_it_alone_has_stages_and_no_other_way_combines():
    X = np.zeros((1, 1))
    assert predict.shares(make_sum([leaf(2.0), leaf(3.0)], [1.0], "identity", []), X).tolist() == [[6.0]]
    two = make_sum([leaf(np.log(3))], [0.0], "logistic", [0.5, 0.5])
    assert predict.shares(two, X).tolist() == [pytest.approx([0.25, 0.75])]
    assert (two.n_outputs, predict.classes(two, X).tolist(), predict.predictions(two, X).tolist()) == (2, [1], [1])
    three = make_sum([leaf(np.log(2), 0.0, 0.0)], [0.0, 0.0, 0.0], "softmax", [0.3, 0.3, 0.4])
    assert predict.shares(three, X).tolist() == [pytest.approx([0.5, 0.25, 0.25])]
    with pytest.raises(ValueError, match="combine is 'median'; it must be votes or mean"):
        make_forest([leaf(1.0)], [1.0], "median", [])
    with pytest.raises(ValueError, match="link is 'probit'; it must be one of identity, log, logistic, softmax"):
        make_sum([leaf(1.0)], [0.0], "probit", [])
    with pytest.raises(ValueError, match="combine is 'mean'; only a sum of trees has stages"):
        next(predict.staged(make_forest([leaf(1.0)], [1.0], "mean", []), np.zeros((1, 1))))


@pytest.mark.parametrize("name", ["sum_of_classes", "of_two", "sum_of_numbers"])
def test_the_record_predicts_what_the_estimator_does_and_so_do_its_copies(name, request):
    model = request.getfixturevalue(name)
    X = DIABETES.X if name == "sum_of_numbers" else IRIS.X
    expected = model.predict(X)[:, None] if name == "sum_of_numbers" else model.predict_proba(X)
    assert np.array_equal(predict.shares(model.forest_, X), expected)
    for same in (pickle.loads(pickle.dumps(model.forest_)), copy.deepcopy(model.forest_)):
        assert np.array_equal(predict.shares(same, X), expected)
        assert not same.start.flags.writeable


def test_the_first_trees_are_the_stages_and_so_is_the_error_after_each(sum_of_classes, sum_of_numbers):
    found = growth.first_trees(sum_of_numbers.forest_, DIABETES.X, [1, 3])
    stages = list(sum_of_numbers.staged_predict(DIABETES.X))
    assert [f[:, 0].tolist() for f in found] == [stages[0].tolist(), stages[2].tolist()]
    (second,) = growth.first_trees(sum_of_classes.forest_, IRIS.X, [6])
    assert np.array_equal(second, list(sum_of_classes.staged_predict_proba(IRIS.X))[1])
    found = growth.judge(sum_of_classes.forest_, IRIS.X, IRIS.y)
    stages = list(sum_of_classes.staged_predict(IRIS.X))
    assert found.errors[2::3].tolist() == [float(np.mean(said != IRIS.y)) for said in stages]
    assert np.array_equal(found.value, sum_of_classes.predict_proba(IRIS.X))
    errors = growth.judge(sum_of_numbers.forest_, DIABETES.X, DIABETES.y).errors
    stages = list(sum_of_numbers.staged_predict(DIABETES.X))
    assert errors == pytest.approx([np.mean((said - DIABETES.y) ** 2) for said in stages])


def test_a_sum_of_numbers_is_a_mean_of_longer_steps_with_contributions_and_one_of_classes_has_neither(
    sum_of_classes, sum_of_numbers
):
    mean: Any = forest_of(sum_of_numbers)
    assert mean.combine == "mean"
    assert predict.means(mean, DIABETES.X) == pytest.approx(sum_of_numbers.predict(DIABETES.X))
    found: Any = contributions(sum_of_numbers.forest_, DIABETES.X[7])
    expected = sum_of_numbers.predict(DIABETES.X[7:8])
    assert found.base + found.added.sum(axis=0) == pytest.approx(expected)
    assert contributions(sum_of_classes.forest_, IRIS.X[0]) is None
    assert model_of(sum_of_classes) is None
    assert measure_of(model_of(sum_of_classes)) == NONE
    assert forest_of(sum_of_classes) is None


def test_a_sum_of_numbers_is_approximated_exactly_and_shares_bent_by_a_link_are_not(
    sum_of_numbers, sum_of_classes
):
    exact = learners.ApproximationRegressor(sum_of_numbers, max_depth=1, method="exact").fit(DIABETES.X)
    sampled = learners.ApproximationRegressor(sum_of_numbers, max_depth=1, random_state=0).fit(DIABETES.X)
    assert exact.tree_.feature[0] == sampled.tree_.feature[0]
    assert exact.tree_.value[0] == pytest.approx(sampled.tree_.value[0], rel=0.02)
    with pytest.raises(ValueError, match="GradientBoostingClassifier predicts are no such sum, since a link"):
        learners.ApproximationClassifier(sum_of_classes, max_depth=1, method="exact").fit(IRIS.X)


NEED_VOTES = {
    "votes": lambda model: predict.votes(model.forest_, IRIS.X),
    "shares_by_tree": lambda model: predict.shares_by_tree(model.forest_, IRIS.X),
    "agreement": lambda model: agreement.agreement(model.forest_, IRIS.X),
    "strength": lambda model: agreement.strength_and_correlation(model.forest_, IRIS.X, IRIS.y),
    "judge": lambda model: growth.judge(model.forest_, IRIS.X, IRIS.y, np.ones((model.forest_.n_trees, 150), int)),
    "own_errors": lambda model: growth.own_errors(model.forest_, IRIS.X, IRIS.y),
    "importance": lambda model: permutation_importance(model, IRIS.X, IRIS.y),
}


@pytest.mark.parametrize("ask", NEED_VOTES.values(), ids=NEED_VOTES)
def test_what_needs_votes_says_that_there_are_none(ask, sum_of_classes):
    with pytest.raises(ValueError, match="steps, each on what the earlier ones left"):
        ask(sum_of_classes)

"""A forest that adds its trees up: what is known of the sum is right, and what needs votes is refused by name."""

import copy
import pickle

import numpy as np
import pytest

from espalier import predict
from espalier.analysis.forests import agreement, growth
from espalier.analysis.forests.importance import permutation_importance
from espalier.analysis.reliability.contributions import contributions
from espalier.analysis.reliability.uncertainty import NONE, measure_of, model_of
from espalier.data import samples
from espalier.learners import (
    ApproximationClassifier,
    ApproximationRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
)
from espalier.learners.approximation.oracle import forest_of
from espalier.trees import make_forest, make_sum, make_tree

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")


@pytest.fixture(scope="module")
def of_classes():
    return GradientBoostingClassifier(n_estimators=4).fit(IRIS.X, IRIS.y)


@pytest.fixture(scope="module")
def of_two():
    return GradientBoostingClassifier(n_estimators=4).fit(IRIS.X, IRIS.y > 0)


@pytest.fixture(scope="module")
def of_numbers():
    return GradientBoostingRegressor(n_estimators=4).fit(DIABETES.X, DIABETES.y)


def leaf(*value):
    return make_tree([-1], [np.nan], [-1], [-1], [0], [False], [4], [4.0], [value], [0.0])


def test_a_sum_adds_to_its_start_and_its_link_makes_shares():
    X = np.zeros((1, 1))
    assert predict.shares(make_sum([leaf(2.0), leaf(3.0)], [1.0], "identity", []), X).tolist() == [[6.0]]
    two = make_sum([leaf(np.log(3))], [0.0], "logistic", [0.5, 0.5])
    assert predict.shares(two, X).tolist() == [pytest.approx([0.25, 0.75])]
    assert (two.n_outputs, predict.classes(two, X).tolist(), predict.predictions(two, X).tolist()) == (2, [1], [1])
    three = make_sum([leaf(np.log(2), 0.0, 0.0)], [0.0, 0.0, 0.0], "softmax", [0.3, 0.3, 0.4])
    assert predict.shares(three, X).tolist() == [pytest.approx([0.5, 0.25, 0.25])]


def test_what_cannot_combine_is_refused():
    with pytest.raises(ValueError, match="combine is 'median'; it must be votes or mean"):
        make_forest([leaf(1.0)], [1.0], "median", [])
    with pytest.raises(ValueError, match="link is 'probit'; it must be one of identity, log, logistic, softmax"):
        make_sum([leaf(1.0)], [0.0], "probit", [])


@pytest.mark.parametrize("name", ["of_classes", "of_two", "of_numbers"])
def test_the_record_predicts_what_the_estimator_does_and_so_do_its_copies(name, request):
    model = request.getfixturevalue(name)
    X = DIABETES.X if name == "of_numbers" else IRIS.X
    expected = model.predict(X)[:, None] if name == "of_numbers" else model.predict_proba(X)
    assert np.array_equal(predict.shares(model.forest_, X), expected)
    for same in (pickle.loads(pickle.dumps(model.forest_)), copy.deepcopy(model.forest_)):
        assert np.array_equal(predict.shares(same, X), expected)
        assert not same.start.flags.writeable


def test_the_first_trees_are_the_stages(of_classes, of_numbers):
    found = growth.first_trees(of_numbers.forest_, DIABETES.X, [1, 3])
    stages = list(of_numbers.staged_predict(DIABETES.X))
    assert [f[:, 0].tolist() for f in found] == [stages[0].tolist(), stages[2].tolist()]
    (second,) = growth.first_trees(of_classes.forest_, IRIS.X, [6])
    assert np.array_equal(second, list(of_classes.staged_predict_proba(IRIS.X))[1])


def test_the_error_after_each_tree_is_that_of_the_stages(of_classes, of_numbers):
    found = growth.judged(of_classes.forest_, IRIS.X, IRIS.y)
    stages = list(of_classes.staged_predict(IRIS.X))
    assert found.errors[2::3].tolist() == [float(np.mean(said != IRIS.y)) for said in stages]
    assert np.array_equal(found.value, of_classes.predict_proba(IRIS.X))
    errors = growth.judged(of_numbers.forest_, DIABETES.X, DIABETES.y).errors
    stages = list(of_numbers.staged_predict(DIABETES.X))
    assert errors == pytest.approx([np.mean((said - DIABETES.y) ** 2) for said in stages])


def test_only_a_sum_has_stages():
    with pytest.raises(ValueError, match="combine is 'mean'; only a sum of trees has stages"):
        next(predict.staged(make_forest([leaf(1.0)], [1.0], "mean", []), np.zeros((1, 1))))


def test_a_sum_that_grows_can_be_asked_at_any_time(of_classes):
    assert GradientBoostingClassifier().sum_so_far() is None
    assert of_classes.sum_so_far() is of_classes.forest_


def test_a_sum_of_numbers_is_a_mean_of_longer_steps(of_numbers):
    mean = forest_of(of_numbers)
    assert mean is not None
    assert mean.combine == "mean"
    assert predict.means(mean, DIABETES.X) == pytest.approx(of_numbers.predict(DIABETES.X))


def test_a_sum_of_numbers_is_approximated_exactly_as_by_many_samples(of_numbers):
    exact = ApproximationRegressor(of_numbers, max_depth=1, method="exact").fit(DIABETES.X)
    sampled = ApproximationRegressor(of_numbers, max_depth=1, random_state=0).fit(DIABETES.X)
    assert exact.tree_.feature[0] == sampled.tree_.feature[0]
    assert exact.tree_.value[0] == pytest.approx(sampled.tree_.value[0], rel=0.02)


def test_shares_bent_by_a_link_are_no_boxes_to_integrate_by_name(of_classes):
    with pytest.raises(ValueError, match="GradientBoostingClassifier predicts are no such sum, since a link"):
        ApproximationClassifier(of_classes, max_depth=1, method="exact").fit(IRIS.X)


def test_contributions_add_up_to_a_number_and_there_are_none_through_a_link(of_numbers, of_classes):
    found = contributions(of_numbers.forest_, DIABETES.X[7])
    assert found is not None
    expected = of_numbers.predict(DIABETES.X[7:8])
    assert found.base + found.added.sum(axis=0) == pytest.approx(expected)
    assert contributions(of_classes.forest_, IRIS.X[0]) is None


NEED_VOTES = {
    "predict.votes": lambda forest: predict.votes(forest, IRIS.X),
    "predict.shares_by_tree": lambda forest: predict.shares_by_tree(forest, IRIS.X),
    "agreement": lambda forest: agreement.agreement(forest, IRIS.X),
    "strength": lambda forest: agreement.strength_and_correlation(forest, IRIS.X, IRIS.y),
    "judged": lambda forest: growth.judged(forest, IRIS.X, IRIS.y, np.ones((forest.n_trees, 150), np.uint8)),
    "own_errors": lambda forest: growth.own_errors(forest, IRIS.X, IRIS.y),
}


@pytest.mark.parametrize("ask", NEED_VOTES.values(), ids=NEED_VOTES)
def test_what_needs_votes_says_that_there_are_none(ask, of_classes):
    with pytest.raises(ValueError, match="steps, each on what the earlier ones left"):
        ask(of_classes.forest_)


def test_importance_by_shuffling_says_so_too(of_classes):
    with pytest.raises(ValueError, match="steps, each on what the earlier ones left"):
        permutation_importance(of_classes, IRIS.X, IRIS.y)


def test_its_steps_are_no_reason_for_doubt_and_no_boxes_to_integrate(of_classes):
    assert model_of(of_classes) is None
    assert measure_of(model_of(of_classes)) == NONE
    assert forest_of(of_classes) is None

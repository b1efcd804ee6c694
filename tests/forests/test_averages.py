"""Averaged answers of forests, of their first trees and of sums, and the worth of features: beside naive ones."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from espalier import learners, predict
from espalier.data import samples
from espalier.data.samples.generators import EXAMPLES, central_and_wrong, far_and_right, far_and_wrong, wave
from espalier.forests import agreement, growth
from espalier.forests.agreement import Fall
from espalier.forests.growth import permutation_importance
from espalier.forests.pictures import fit_bags
from espalier.kernels.forest.bootstrap import draw
from espalier.kernels.forest.out_of_bag import WeightedTarget
from espalier.learners.approximation.oracle import forest_of
from espalier.predict import samples_over, shares_by_tree
from espalier.reliability.uncertainty import NONE, contributions, measure_of, model_of
from espalier.trees import is_leaf, make_forest, make_sum, make_tree

COUNTS = [1, 2, 5]


def naive(forest, axes, at, rows):
    """What `averages_of_first` says it returns: the forest asked about every place once for each row."""
    asked = [growth.first_trees(forest, samples_over(axes, at, row), COUNTS) for row in rows]
    return [np.mean([one[i] for one in asked], axis=0) for i in range(len(COUNTS))]


@pytest.mark.parametrize("axes", [(2, 3), (3,), (1, 0)])
@pytest.mark.parametrize(
    ("learner", "name"),
    [
        (learners.RandomForestClassifier(n_estimators=5, random_state=1), "iris"),
        (learners.BaggedForestClassifier(n_estimators=5, voting="validation", random_state=1), "iris"),
        (learners.RandomForestRegressor(n_estimators=5, max_depth=4, random_state=1), "diabetes"),
        (learners.GradientBoostingRegressor(n_estimators=5, random_state=1), "diabetes"),
    ],
    ids=["mean", "votes", "numbers", "sum"],
)
def test_the_average_is_the_mean_of_the_answers_to_all_rows(learner, name, axes):
    data = samples.load(name)
    forest = learner.fit(data.X, data.y).forest_
    rows, at = data.X[::20], [np.linspace(data.X[:, a].min(), data.X[:, a].max(), 7 + a) for a in axes]
    found = growth.averages_of_first(forest, axes, at, rows, COUNTS)
    for one, expected in zip(found, naive(forest, axes, at, rows), strict=True):
        np.testing.assert_allclose(one, expected, atol=1e-9)


def test_a_place_on_a_threshold_is_left_of_it_sets_of_categories_are_averaged_and_other_sums_are_none():
    data = samples.load("iris")
    forest = learners.RandomForestClassifier(n_estimators=5, random_state=0).fit(data.X, data.y).forest_
    cuts = np.unique(np.concatenate([tree.threshold[tree.feature == 2] for tree in forest.trees]))
    found = growth.averages_of_first(forest, [2], [cuts], data.X[:30], COUNTS)
    np.testing.assert_allclose(found[-1], naive(forest, [2], [cuts], data.X[:30])[-1], atol=1e-12)
    data = samples.load("tic-tac-toe")
    axis = int(np.flatnonzero(data.categorical)[0])
    learner = learners.RandomForestClassifier(n_estimators=5, max_depth=3, categorical_features=data.categorical)
    forest = learner.fit(data.X, data.y).forest_
    at = [np.arange(float(len(data.features[axis].categories)))]
    found = growth.averages_of_first(forest, [axis], at, data.X[::40], COUNTS)
    np.testing.assert_allclose(found[-1], naive(forest, [axis], at, data.X[::40])[-1], atol=1e-12)
    data = samples.load("iris")
    for learner in (
        learners.GradientBoostingClassifier(n_estimators=2),
        learners.CultivatedForestClassifier(n_estimators=2),
    ):
        assert not growth.can_average(learner.fit(data.X, data.y).forest_)


def test_the_formula_by_hand():
    fall = Fall(variance=4.0, correlation=0.25)
    assert fall.floor == 1
    assert fall.of(np.array([1, 3, 1_000_000])) == pytest.approx([4, 2, 1], abs=1e-5)


@pytest.fixture(scope="module")
def bagged_trees():
    data = samples.load("iris")
    estimator = learners.BaggedForestClassifier(
        learners.CartClassifier(max_depth=1), n_estimators=8, random_state=0
    )
    return data, estimator.fit(data.X, data.y)


def test_a_feature_that_no_tree_asks_about_is_worth_nothing_and_rows_that_no_tree_saw_can_be_asked(bagged_trees):
    data, estimator = bagged_trees
    asked = {int(tree.feature[0]) for tree in estimator.forest_.trees}
    found = growth.permutation_importance(estimator, data.X, data.y)
    for feature in range(4):
        assert (found.mean[feature] > 0.05) == (feature in asked)
        assert feature in asked or not found.rises[:, feature].any()
    target = WeightedTarget(data.y.astype(float), np.ones(len(data.y)), True)
    nobody = np.zeros((8, len(data.y)), np.uint8)
    found = growth.importance_of(estimator.forest_, data.X, target, nobody)
    assert found.rises.shape == (8, 4)
    with pytest.raises(ValueError, match="every tree saw every sample"):
        growth.importance_of(estimator.forest_, data.X, target, nobody + 1)


def test_the_rise_is_that_of_the_error_with_the_feature_shuffled(bagged_trees):
    data, estimator = bagged_trees
    tree = estimator.forest_.trees[0]
    feature, k = int(tree.feature[0]), len(data.classes)
    target, nobody = (
        WeightedTarget(data.y.astype(float), np.ones(len(data.y)), True),
        np.zeros((8, len(data.y)), np.uint8),
    )
    rises = [
        growth.importance_of(estimator.forest_, data.X, target, nobody, s).rises[0, feature] for s in range(200)
    ]
    goes_left = data.X[:, feature] <= tree.threshold[0]
    says = np.where(goes_left, tree.value[1].argmax(), tree.value[2].argmax())
    share = goes_left.mean()  # shuffled, a row goes left with this chance whatever its class
    left, right = (np.bincount(data.y, minlength=k)[int(tree.value[i].argmax())] / len(data.y) for i in (1, 2))
    expected = (1 - share * left - (1 - share) * right) - np.mean(says != data.y)
    assert np.mean(rises) == pytest.approx(expected, abs=5 * np.std(rises) / np.sqrt(len(rises)))


def test_standard_errors_shrink_with_the_number_of_trees_and_trees_that_hesitate_are_refused():
    data = samples.load("iris")
    forest = learners.CultivatedForestClassifier(n_estimators=2, max_depth=1, random_state=0).fit(data.X, data.y)
    with pytest.raises(ValueError, match="several leaves of a cultivated tree"):
        growth.permutation_importance(forest, data.X, data.y)
    rises = np.array([[0.1, 0.0], [0.3, 0.0]])
    few, many = (growth.Importance(r.mean(axis=0), r.std(axis=0), r) for r in (rises, np.tile(rises, (50, 1))))
    assert few.error == pytest.approx([0.1, 0])  # ± 0.1 about 0.2: s = 0.1414, s / √2
    assert many.error[0] == pytest.approx(few.error[0] / np.sqrt(99))
    assert np.isnan(growth.Importance(rises[0], rises[0], rises[:1]).error).all()


AT = np.linspace(0, 10, 21)
ROWS = far_and_wrong()


def bags(n_rows, n_bags):
    """The rows of each bag, as often as they were drawn."""
    return [np.repeat(np.arange(n_rows), draw(number, n_rows)[0]) for number in range(n_bags)]


def test_lines_means_and_trees_of_bags_are_those_of_the_rows_of_each_bag():
    fit = fit_bags("line", ROWS.x, ROWS.y, AT, 30)
    assert fit.one == pytest.approx(np.polyval(np.polyfit(ROWS.x, ROWS.y, 1), AT))
    lines = [np.polyval(np.polyfit(ROWS.x[rows], ROWS.y[rows], 1), AT) for rows in bags(len(ROWS.x), 30)]
    assert fit.bags == pytest.approx(np.array(lines))
    assert fit.mean == pytest.approx(np.mean(lines, axis=0))
    fit = fit_bags("mean", ROWS.x, ROWS.y, AT, 30)
    means = [ROWS.y[rows].mean() for rows in bags(len(ROWS.x), 30)]
    assert fit.bags == pytest.approx(np.repeat(means, len(AT)).reshape(30, -1))
    fit = fit_bags("line", np.array([4.0, 4.0]), np.array([1.0, 3.0]), AT, 3)
    assert fit.one == pytest.approx(np.full(len(AT), 2.0))
    assert np.isfinite(fit.bags).all()
    x = np.array([1.0, 4.0, 9.0])
    fit = fit_bags("tree", x, np.array([2.0, 7.0, 5.0]), x, 5)
    assert fit.one.tolist() == [2.0, 7.0, 5.0]
    assert fit.influence_in_one.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("model", ["line", "mean"])
def test_the_influence_of_a_row_is_how_far_the_answer_there_rises_with_it(model):
    before = fit_bags(model, ROWS.x, ROWS.y, ROWS.x, 20)
    for row in (0, 7, 14):
        raised = ROWS.y + (np.arange(len(ROWS.y)) == row)
        after = fit_bags(model, ROWS.x, raised, ROWS.x, 20)
        assert before.influence_in_one[row] == pytest.approx((after.one - before.one)[row])
        assert before.influence_in_mean[row] == pytest.approx((after.mean - before.mean)[row])


def test_bagged_trees_are_the_regression_forest_that_tries_all_columns():

    rows = wave()
    forest = learners.RandomForestRegressor(n_estimators=12, max_features=None, random_state=0)
    said = forest.fit(rows.x[:, None], rows.y).predict(AT[:, None])
    assert fit_bags("tree", rows.x, rows.y, AT, 12).mean == pytest.approx(said)


def error_lost(rows, model="line"):
    """By how much the mean of 200 bags is nearer to the truth than one fit."""
    fit = fit_bags(model, rows.x, rows.y, AT, 200)
    one, mean = (np.sqrt(np.mean((said - rows.truth(AT)) ** 2)) for said in (fit.one, fit.mean))
    return one - mean


def test_bagging_equalizes_influence_and_helps_a_line_where_a_wrong_row_has_much_of_it():
    """The course chapter, section 2.2, examples 1 to 3 of bagging on outliers."""
    assert error_lost(far_and_wrong()) > 0.4
    assert -0.1 < error_lost(central_and_wrong()) < 0
    assert error_lost(far_and_right()) < -0.2
    # Grandvalet (2004): rows of much influence lose some of it, and those of little gain some.
    for rows in (far_and_wrong(), far_and_right()):
        fit = fit_bags("line", rows.x, rows.y, AT, 200)
        assert fit.influence_in_mean.std() < fit.influence_in_one.std()
        assert fit.influence_in_mean[-1] < fit.influence_in_one[-1]
    fit = fit_bags("line", central_and_wrong().x, central_and_wrong().y, AT, 200)
    assert fit.influence_in_mean[-1] > fit.influence_in_one[-1]


@pytest.mark.parametrize(("name", "helps"), [("wave", True), ("far", True), ("central", True), ("right", False)])
def test_bagging_helps_trees_unless_the_influential_row_is_true_and_never_changes_means(name, helps):
    rows = EXAMPLES[name]()
    assert abs(error_lost(rows, "mean")) < 0.03
    assert (error_lost(rows, "tree") > 0.2) == helps


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_rows_of_an_example_stand_on_the_plane_and_the_outlier_is_the_last(name):
    rows = EXAMPLES[name]()
    assert ((rows.x >= 0) & (rows.x <= 10) & (rows.y >= 0) & (rows.y <= 10)).all()
    assert rows.outlier in (None, len(rows.x) - 1)


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

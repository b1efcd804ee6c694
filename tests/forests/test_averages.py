"""Averaged answers of forests, their variance, the worth of features, and bagged fits: beside naive ones."""

import numpy as np
import pytest

from espalier import learners
from espalier.data import samples
from espalier.data.samples.generators import EXAMPLES, central_and_wrong, far_and_right, far_and_wrong, wave
from espalier.forests import growth
from espalier.forests.agreement import Fall
from espalier.forests.pictures import fit_bags
from espalier.kernels.forest.bootstrap import draw
from espalier.kernels.forest.out_of_bag import WeightedTarget
from espalier.predict import samples_over

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

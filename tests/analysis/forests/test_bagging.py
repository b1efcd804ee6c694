"""Bagged fits beside naive ones, influences by difference, and the chapter's three examples with outliers."""

import numpy as np
import pytest

from espalier.analysis.forests.bagging import MODELS, bagged
from espalier.data.samples.outliers import EXAMPLES, central_and_wrong, far_and_right, far_and_wrong, wave
from espalier.kernels.forest.bootstrap import draw

AT = np.linspace(0, 10, 21)
ROWS = far_and_wrong()


def bags(n_rows, n_bags):
    """The rows of each bag, as often as they were drawn."""
    return [np.repeat(np.arange(n_rows), draw(number, n_rows)[0]) for number in range(n_bags)]


def test_a_line_is_that_of_least_squares_on_the_rows_of_each_bag():
    fit = bagged("line", ROWS.x, ROWS.y, AT, 30)
    assert fit.one == pytest.approx(np.polyval(np.polyfit(ROWS.x, ROWS.y, 1), AT))
    lines = [np.polyval(np.polyfit(ROWS.x[rows], ROWS.y[rows], 1), AT) for rows in bags(len(ROWS.x), 30)]
    assert fit.bags == pytest.approx(np.array(lines))
    assert fit.mean == pytest.approx(np.mean(lines, axis=0))


def test_a_mean_answers_the_mean_of_each_bag_everywhere():
    fit = bagged("mean", ROWS.x, ROWS.y, AT, 30)
    means = [ROWS.y[rows].mean() for rows in bags(len(ROWS.x), 30)]
    assert fit.bags == pytest.approx(np.repeat(means, len(AT)).reshape(30, -1))


def test_rows_of_one_place_have_no_line_but_their_mean():
    fit = bagged("line", np.array([4.0, 4.0]), np.array([1.0, 3.0]), AT, 3)
    assert fit.one == pytest.approx(np.full(len(AT), 2.0))
    assert np.isfinite(fit.bags).all()


def test_a_tree_without_a_limit_answers_each_row_of_its_own_place_by_that_row():
    x = np.array([1.0, 4.0, 9.0])
    fit = bagged("tree", x, np.array([2.0, 7.0, 5.0]), x, 5)
    assert fit.one.tolist() == [2.0, 7.0, 5.0]
    assert fit.influence_in_one.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("model", ["line", "mean"])
def test_the_influence_of_a_row_is_how_far_the_answer_there_rises_with_it(model):
    before = bagged(model, ROWS.x, ROWS.y, ROWS.x, 20)
    for row in (0, 7, 14):
        raised = ROWS.y + (np.arange(len(ROWS.y)) == row)
        after = bagged(model, ROWS.x, raised, ROWS.x, 20)
        assert before.influence_in_one[row] == pytest.approx((after.one - before.one)[row])
        assert before.influence_in_mean[row] == pytest.approx((after.mean - before.mean)[row])


@pytest.mark.parametrize("model", MODELS)
def test_more_bags_begin_with_the_same_ones(model):
    few, many = (bagged(model, ROWS.x, ROWS.y, AT, n) for n in (5, 9))
    assert few.bags == pytest.approx(many.bags[:5])


def test_bagged_trees_are_the_regression_forest_that_tries_all_columns():
    from espalier.learners import RandomForestRegressor

    rows = wave()
    forest = RandomForestRegressor(n_estimators=12, max_features=None, random_state=0)
    said = forest.fit(rows.x[:, None], rows.y).predict(AT[:, None])
    assert bagged("tree", rows.x, rows.y, AT, 12).mean == pytest.approx(said)


def error_lost(rows, model="line"):
    """By how much the mean of 200 bags is nearer to the truth than one fit."""
    fit = bagged(model, rows.x, rows.y, AT, 200)
    one, mean = (np.sqrt(np.mean((said - rows.truth(AT)) ** 2)) for said in (fit.one, fit.mean))
    return one - mean


def test_bagging_helps_a_line_where_a_wrong_row_has_much_influence_and_harms_it_otherwise():
    """The course chapter, section 2.2, examples 1 to 3 of bagging on outliers."""
    assert error_lost(far_and_wrong()) > 0.4
    assert -0.1 < error_lost(central_and_wrong()) < 0
    assert error_lost(far_and_right()) < -0.2


def test_bagging_equalizes_influence():
    """Grandvalet (2004): rows of much influence lose some of it, and those of little gain some."""
    for rows in (far_and_wrong(), far_and_right()):
        fit = bagged("line", rows.x, rows.y, AT, 200)
        assert fit.influence_in_mean.std() < fit.influence_in_one.std()
        assert fit.influence_in_mean[-1] < fit.influence_in_one[-1]
    fit = bagged("line", central_and_wrong().x, central_and_wrong().y, AT, 200)
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

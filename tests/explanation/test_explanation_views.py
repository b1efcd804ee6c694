"""Bars, strips and curves that explain predictions: they draw what is true, and say it in words."""

import re
from typing import Any

import numpy as np
import pytest

from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.display import ink
from espalier.explanation import columns, parts
from espalier.explanation.columns import ColumnCurves, ColumnParts
from espalier.explanation.dependence import FeatureCurves, feature_curves
from espalier.explanation.shapley import PredictionParts
from espalier.learners import CartRegressor, RandomForestClassifier, RandomForestRegressor

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")


def test_bars_begin_with_the_longest_and_end_with_all_others():
    added = np.array([0.0, -5.0, 3.0, *[0.1] * 7])
    drawn = parts.bars_of(PredictionParts(150.0, added, "identity"), DIABETES, DIABETES.X[0])
    assert [added for _, added in drawn[:2]] == [-5.0, 3.0]
    assert drawn[-1][0] == "1 other column"
    assert sum(added for _, added in drawn) == pytest.approx(added.sum())


@pytest.mark.parametrize(
    ("by", "link", "words"),
    [(0.12, "identity", "+12 pts"), (-0.12, "identity", "−12 pts"), (-1.5, "logistic", "−1.5")],
)
def test_amounts_have_their_sign_and_their_unit(by, link, words):
    assert parts.amount(by, link, IRIS) == words


def test_a_longer_bar_is_a_larger_part_its_side_is_its_sign_and_a_prediction_without_parts_says_so():
    reasons = PredictionParts(0.3, np.array([0.1, -0.2, 0, 0]), "identity")
    svg = parts.reasons_picture(reasons, IRIS, IRIS.X[0]).draw(False)
    drawn = [
        (float(x), float(width)) for x, width in re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', svg)
    ]
    (left, long), (zero, short) = drawn
    assert long == pytest.approx(2 * short, rel=0.01)
    assert left + long == pytest.approx(zero, abs=0.2)
    speaks_for, speaks_against = ink.direction_colours(False)
    assert re.findall(r'<rect [^>]*fill="([^"]+)"', svg) == [speaks_against, speaks_for]
    none = PredictionParts(0.3, np.zeros(4), "identity")
    picture = parts.reasons_picture(none, IRIS, IRIS.X[0])
    assert picture.alt == "No column changes this prediction."
    assert picture.draw(True).startswith("<svg")


def column_parts(added, X=IRIS.X[:3], link="identity"):
    return ColumnParts(np.asarray(added), X, IRIS.features, link, IRIS.target)


def test_strips_are_in_the_order_of_their_parts_dots_are_piled_up_and_files_have_their_numbers():
    look = column_parts([[0.0, 0.1, -0.5, 0.2], [0.0, 0.1, 0.5, -0.3], [0.0, 0.1, 0.1, 0.0]])
    assert look.order.tolist() == [2, 3, 1]
    picture = columns.strips_picture(look)
    assert [trace.x[0] for trace in picture.draw(False).data] == pytest.approx([-50, 20, 10])
    assert "petal length 37" in picture.alt
    look = column_parts(np.tile([0.0, 0.0, 0.0, 0.2], (9, 1)), IRIS.X[:9])
    figure: Any = columns.strips_picture(look).draw(True)
    assert len(set(figure.data[0].y)) == 9
    assert max(abs(y) for y in figure.data[0].y) <= 0.5
    picture = columns.strips_picture(column_parts(np.zeros((3, 4))))
    assert len(picture.draw(False).data) == 0
    assert picture.alt == "No column changes the answers."


def test_the_thick_curve_is_the_mean_and_the_mark_is_where_the_row_is():
    forest = RandomForestRegressor(n_estimators=3, max_depth=3, random_state=0).fit(DIABETES.X, DIABETES.y).forest_
    found, rows = feature_curves(forest, DIABETES.X[:40], 2), DIABETES.X[:40, 2]
    look = ColumnCurves(found, 0, DIABETES.features[2], rows, DIABETES.target, row=7)
    figure: Any = columns.curves_picture(look).draw(False)
    mean, mark = figure.data[-3], figure.data[-1]
    inside = (found.steps > rows.min()) & (found.steps < rows.max())
    assert np.asarray(mean.x[1:-1]) == pytest.approx(found.steps[inside])
    assert mean.line.shape == "hv"
    assert mark.x[0] == rows[7]
    assert mark.y[0] == pytest.approx(forest.n_trees and found.answers[7, found.places_of(rows[[7]])[0], 0])


def test_a_column_of_categories_has_a_point_for_each():
    X = np.column_stack([np.arange(30) % 3, np.arange(30.0)])
    model = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, X[:, 0] == 1)
    kinds = Feature("colour", "category", ("red", "green", "blue"))
    look = ColumnCurves(feature_curves(model.forest_, X, 0, 3), 1, kinds, X[:, 0], IRIS.target)
    figure: Any = columns.curves_picture(look).draw(False)
    assert list(figure.data[-1].x) == ["red", "green", "blue"]
    assert "Along colour the mean answer lies between" in columns.curves_picture(look).alt


PAIR = Feature("age (years)"), Feature("pulse")


def step(is_share=False, feature=PAIR[0], values=np.arange(4.0)):  # noqa: B008 - never changed
    """Answers that rise by 0.5 between 1 and 2, for each of the rows alike."""
    answers = np.tile([[[0.25], [0.75]]], (len(values), 1, 1))
    target = Feature("side", "category", ("left", "right")) if is_share else Feature("cost")
    return ColumnCurves(FeatureCurves(0, np.array([1.0]), answers), 0, feature, values, target, None, "cost (€)")


@pytest.mark.parametrize(("is_share", "rise", "unit"), [(True, 50, "percentage points"), (False, 0.5, "cost (€)")])
def test_of_answers_that_depend_on_one_column_alone_both_curves_are_the_same(is_share, rise, unit):
    _, accumulated, mean = columns.both_curves(step(is_share))
    assert np.ptp(mean) == pytest.approx(rise)
    assert np.ptp(accumulated) == pytest.approx(rise)
    assert columns.accumulated_axis_words(step(is_share)).startswith(unit)


def test_what_the_trees_say_of_rows_that_do_not_exist_moves_the_mean_curve_alone():
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    tree = CartRegressor(max_depth=2).fit(corners, np.array([0.0, 9.0, 1.0, 1.0])).tree_
    x = np.linspace(0.01, 0.99, 20)
    X = np.column_stack([x, x])  # no row has a great x and a small y, where the tree says 9
    _, accumulated, mean = columns.both_curves(
        ColumnCurves(feature_curves(tree, X, 0), 0, PAIR[0], x, Feature("cost"))
    )
    assert accumulated.tolist() == [0] * 20
    assert np.ptp(mean) == pytest.approx(4.5)
    assert np.abs(accumulated - mean).max() == pytest.approx(2.25)


def test_figure_and_table_have_both_curves_the_names_of_the_axes_and_of_ordered_categories():
    figure: Any = columns.accumulated_picture(step()).draw(True)
    dashed, thick = figure.data
    assert dashed.line.dash == "dash"
    assert thick.y.tolist() == columns.both_curves(step())[1].tolist()
    assert figure.layout.xaxis.title.text == "age (years)"
    assert figure.layout.yaxis.title.text == "cost (€) above or below the mean"


@pytest.mark.parametrize(
    ("correlation", "words"),
    [
        (-0.9, "age (years) goes closely together with pulse (rank correlation −0.9)"),
        (0.5, "to some degree"),
        (0.1, "Both curves may be read"),
    ],
)
def test_the_closer_another_column_the_more_the_accumulated_changes_are_advised(correlation, words):
    told = columns.advice(step(), PAIR, 1, correlation)
    assert words in told
    assert ("read the accumulated changes" in told.lower()) == (abs(correlation) >= columns.APART)


def test_categories_without_an_order_have_the_mean_curve_alone_and_a_column_without_values_has_none():
    kinds = Feature("colour", "category", ("red", "green"))
    assert not columns.has_order(kinds)
    assert "only the mean curve is drawn" in columns.advice(step(feature=kinds), (kinds,))
    gaps = step(values=np.full(3, np.nan))
    assert columns.accumulated_picture(gaps).alt == "No row has a value of age (years)."
    assert len(columns.both_curves(gaps)[0]) == 0

"""Bars, strips and curves that explain predictions: they draw what is true, and say it in words."""

import re
from typing import Any

import numpy as np
import pytest

from espalier.analysis.explanation.dependence import feature_curves
from espalier.analysis.explanation.reasons import PredictionParts
from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.learners import RandomForestClassifier, RandomForestRegressor
from espalier.views.explanation import columns, parts
from espalier.views.explanation.columns import ColumnCurves, ColumnParts

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")


def test_bars_begin_with_the_longest_and_end_with_all_others():
    added = np.array([0.0, -5.0, 3.0, *[0.1] * 7])
    drawn = parts.bars_of(PredictionParts(150.0, added, "identity"), DIABETES, DIABETES.X[0])
    assert [bar.added for bar in drawn[:2]] == [-5.0, 3.0]
    assert drawn[-1].label == "1 other column"
    assert sum(bar.added for bar in drawn) == pytest.approx(added.sum())


@pytest.mark.parametrize(
    ("by", "link", "words"),
    [(0.12, "identity", "+12 pts"), (-0.12, "identity", "−12 pts"), (-1.5, "logistic", "−1.5")],
)
def test_amounts_have_their_sign_and_their_unit(by, link, words):
    assert parts.amount(by, link, IRIS) == words


def test_a_longer_bar_is_a_larger_part_and_its_side_is_its_sign():
    svg = parts.picture(PredictionParts(0.3, np.array([0.1, -0.2, 0, 0]), "identity"), IRIS, IRIS.X[0], 0, False)
    drawn = [
        (float(x), float(width)) for x, width in re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', svg)
    ]
    (left, long), (zero, short) = drawn
    assert long == pytest.approx(2 * short, rel=0.01)
    assert left + long == pytest.approx(zero, abs=0.2)


def test_a_prediction_that_no_column_changes_is_said_to_be_one():
    none = PredictionParts(0.3, np.zeros(4), "identity")
    assert parts.alt(none, IRIS, IRIS.X[0]) == "No column changes this prediction."
    assert parts.picture(none, IRIS, IRIS.X[0], 0, True).startswith("<svg")


def column_parts(added, X=IRIS.X[:3], link="identity"):
    return ColumnParts(np.asarray(added), X, IRIS.features, link, IRIS.target)


def test_strips_are_in_the_order_of_the_mean_size_of_their_parts():
    look = column_parts([[0.0, 0.1, -0.5, 0.2], [0.0, 0.1, 0.5, -0.3], [0.0, 0.1, 0.1, 0.0]])
    assert look.order.tolist() == [2, 3, 1]
    figure: Any = columns.strips_figure(look, dark=False)
    assert [trace.x[0] for trace in figure.data] == pytest.approx([-50, 20, 10])
    assert "petal length 37" in columns.strips_alt(look)


def test_dots_of_equal_parts_are_piled_up_and_none_hides_another():
    look = column_parts(np.tile([0.0, 0.0, 0.0, 0.2], (9, 1)), IRIS.X[:9])
    figure: Any = columns.strips_figure(look, dark=True)
    assert len(set(figure.data[0].y)) == 9
    assert max(abs(y) for y in figure.data[0].y) <= 0.5


def test_files_have_the_numbers_that_are_drawn():
    look = column_parts([[0.0, 0.1, -0.5, 0.2]], IRIS.X[:1])
    assert columns.parts_table(look).iloc[0].tolist() == pytest.approx([0, 10, -50, 20])
    forest = RandomForestRegressor(n_estimators=2, max_depth=2, random_state=0).fit(DIABETES.X, DIABETES.y).forest_
    found = feature_curves(forest, DIABETES.X[:9], 8)
    table = columns.curves_table(ColumnCurves(found, 0, DIABETES.features[8], DIABETES.X[:9, 8], DIABETES.target))
    assert table["up to"].tolist()[:-1] == found.steps.tolist()
    assert table["mean answer"].tolist() == found.mean[:, 0].tolist()


def test_columns_that_add_nothing_have_no_strip():
    look = column_parts(np.zeros((3, 4)))
    figure: Any = columns.strips_figure(look, dark=False)
    assert len(figure.data) == 0
    assert columns.strips_alt(look) == "No column changes the answers."


def test_the_thick_curve_is_the_mean_and_the_mark_is_where_the_row_is():
    forest = RandomForestRegressor(n_estimators=3, max_depth=3, random_state=0).fit(DIABETES.X, DIABETES.y).forest_
    found, rows = feature_curves(forest, DIABETES.X[:40], 2), DIABETES.X[:40, 2]
    look = ColumnCurves(found, 0, DIABETES.features[2], rows, DIABETES.target, row=7)
    figure: Any = columns.curves_figure(look, dark=False)
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
    figure: Any = columns.curves_figure(look, dark=False)
    assert list(figure.data[-1].x) == ["red", "green", "blue"]
    assert "Along colour the mean answer lies between" in columns.curves_alt(look)

"""Accumulated changes beside the mean curve: what is drawn, in which unit, and which curve is to be read."""

from typing import Any

import numpy as np
import pytest

from espalier.analysis.explanation.companions import Companion
from espalier.analysis.explanation.dependence import FeatureCurves, feature_curves
from espalier.data.dataset import Feature
from espalier.learners import CartRegressor
from espalier.views.explanation import accumulated
from espalier.views.explanation.columns import ColumnCurves

PAIR = Feature("age (years)"), Feature("pulse")


def step(is_share=False, feature=PAIR[0], values=np.arange(4.0)):  # noqa: B008 - never changed
    """Answers that rise by 0.5 between 1 and 2, for each of the rows alike."""
    answers = np.tile([[[0.25], [0.75]]], (len(values), 1, 1))
    target = Feature("side", "category", ("left", "right")) if is_share else Feature("cost")
    return ColumnCurves(FeatureCurves(0, np.array([1.0]), answers), 0, feature, values, target, None, "cost (€)")


@pytest.mark.parametrize(("is_share", "rise", "unit"), [(True, 50, "percentage points"), (False, 0.5, "cost (€)")])
def test_of_answers_that_depend_on_one_column_alone_both_curves_are_the_same(is_share, rise, unit):
    both = accumulated.both_curves(step(is_share))
    assert np.ptp(both.mean) == pytest.approx(rise)
    assert np.ptp(both.accumulated) == pytest.approx(rise)
    assert accumulated.axis_words(step(is_share)).startswith(unit)


def test_what_the_trees_say_of_rows_that_do_not_exist_moves_the_mean_curve_alone():
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    tree = CartRegressor(max_depth=2).fit(corners, np.array([0.0, 9.0, 1.0, 1.0])).tree_
    x = np.linspace(0.01, 0.99, 20)
    X = np.column_stack([x, x])  # no row has a great x and a small y, where the tree says 9
    both = accumulated.both_curves(ColumnCurves(feature_curves(tree, X, 0), 0, PAIR[0], x, Feature("cost")))
    assert both.accumulated.tolist() == [0] * 20
    assert np.ptp(both.mean) == pytest.approx(4.5)
    assert both.apart == pytest.approx(2.25)


def test_the_figure_has_both_curves_and_the_names_of_both_axes():
    figure: Any = accumulated.accumulated_figure(step(), dark=True)
    dashed, thick = figure.data
    assert dashed.line.dash == "dash"
    assert thick.y.tolist() == accumulated.both_curves(step()).accumulated.tolist()
    assert figure.layout.xaxis.title.text == "age (years)"
    assert figure.layout.yaxis.title.text == "cost (€) above or below the mean"


def test_the_table_names_ordered_categories_and_has_both_curves():
    sizes = Feature("size", "ordered", ("small", "medium", "large"))
    table = accumulated.accumulated_table(step(feature=sizes, values=np.array([0.0, 1.0, 2.0])))
    assert table["value"].tolist() == ["small", "medium", "large"]
    assert (
        table["accumulated change"].tolist()
        == accumulated.both_curves(step(feature=sizes, values=np.array([0.0, 1.0, 2.0]))).accumulated.tolist()
    )


@pytest.mark.parametrize(
    ("correlation", "words"),
    [
        (-0.9, "age (years) goes closely together with pulse (rank correlation −0.9)"),
        (0.5, "to some degree"),
        (0.1, "Both curves may be read"),
    ],
)
def test_the_closer_another_column_the_more_the_accumulated_changes_are_advised(correlation, words):
    told = accumulated.advice(step(), Companion(1, correlation), PAIR)
    assert words in told
    assert ("read the accumulated changes" in told.lower()) == (abs(correlation) >= accumulated.APART)


def test_categories_without_an_order_are_said_to_have_the_mean_curve_alone():
    kinds = Feature("colour", "category", ("red", "green"))
    assert not accumulated.has_order(kinds)
    assert "only the mean curve is drawn" in accumulated.advice(step(feature=kinds), None, (kinds,))


def test_a_column_without_values_has_no_curve_and_says_so():
    gaps = step(values=np.full(3, np.nan))
    assert accumulated.accumulated_alt(gaps) == "No row has a value of age (years)."
    assert len(accumulated.both_curves(gaps).at) == 0

"""Directions along a feature: found as by trying every pair of values, and kept by trees that were asked to."""

import numpy as np
import pytest

from espalier import predict
from espalier.analysis.explanation.dependence import FeatureCurves, feature_curves
from espalier.analysis.explanation.monotony import monotony
from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.learners import CartRegressor
from espalier.views.explanation.monotony import ColumnMonotony, monotony_words

DIABETES = samples.load("diabetes")
BMI = [feature.name for feature in DIABETES.features].index("body mass index")


def tree(direction=0):
    directions = np.zeros(len(DIABETES.features), int)
    directions[BMI] = direction
    return CartRegressor(max_depth=5, monotonic_cst=directions).fit(DIABETES.X, DIABETES.y).tree_


def naive(model, X, feature):
    """The shares of rows that never fall, and never rise, over the middles between all values of the feature."""
    values = np.unique(DIABETES.X[:, feature])
    answers = []
    for value in values:
        moved = X.copy()
        moved[:, feature] = value
        answers.append(predict.shares(model, moved)[:, 0])
    steps = np.diff(np.array(answers, float), axis=0).astype(float)
    return (steps >= -1e-9).all(axis=0).mean(), (steps <= 1e-9).all(axis=0).mean()


@pytest.mark.parametrize("direction", [0, 1])
def test_shares_of_rows_are_those_of_trying_every_value(direction):
    model = tree(direction)
    found = monotony(feature_curves(model, DIABETES.X, BMI), 0)
    assert (found.rising, found.falling) == pytest.approx(naive(model, DIABETES.X, BMI))


def test_a_tree_that_was_asked_to_rise_never_falls():
    found = monotony(feature_curves(tree(1), DIABETES.X, BMI), 0)
    assert (found.kept(1), found.against(1)) == (1.0, None)
    free = monotony(feature_curves(tree(), DIABETES.X, BMI), 0)
    assert free.kept(1) < 1


def test_the_example_is_the_greatest_change_against_the_direction():
    model = tree()
    curves = feature_curves(model, DIABETES.X, BMI)
    turn = monotony(curves, 0).against(1)
    assert turn is not None
    step = curves.steps[turn.place - 1]
    row = DIABETES.X[[turn.row, turn.row]].copy()
    row[:, BMI] = step, np.nextafter(step, np.inf)
    assert predict.shares(model, row)[:, 0].tolist() == pytest.approx([turn.before, turn.after])
    assert turn.before - turn.after == pytest.approx(-np.diff(curves.answers[:, :, 0], axis=1).min())


def test_a_model_without_questions_on_the_feature_neither_rises_nor_falls():
    found = monotony(FeatureCurves(0, np.empty(0), np.ones((3, 1, 1))), 0)
    assert (found.rising, found.falling, found.fall, found.rise) == (1.0, 1.0, None, None)


def words(answers, asked=0):
    curves = FeatureCurves(0, np.array([18.0, 65.0]), np.array(answers, float)[:, :, None])
    rows = tuple(f"customer {n}" for n in range(len(answers)))
    return monotony_words(ColumnMonotony(monotony(curves, 0), Feature("age"), curves.steps, rows, True, asked))


def test_words_say_the_direction_the_share_of_the_rows_and_an_example():
    assert words([[0.1, 0.2, 0.2]]) == "Along age answers **only rise**: for none of the rows do they fall."
    both = words([[0.1, 0.2, 0.5], [0.1, 0.5, 0.2]])
    assert "never fall for 50 % of the rows, and never rise for 0 %" in both
    assert both.endswith("customer 1: where age passes 65, its answer goes from 50 % to 20 %.")


def test_a_direction_that_was_asked_for_is_said_to_be_kept_or_broken():
    assert words([[0.1, 0.2, 0.2]], 1) == "Asked to only rise along age: **kept**, for all of the rows."
    broken = words([[0.1, 0.2, 0.2], [0.3, 0.2, 0.1]], -1)
    assert broken.startswith("Asked to only fall along age: **broken** for 50 % of the rows. customer 0: ")

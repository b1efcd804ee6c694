"""FeatureCurves along a feature: beside predictions where the feature is set, and beside their definitions."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier import predict
from espalier.analysis.explanation.dependence import accumulated_effects, feature_curves, pair_dependence
from espalier.data import samples
from espalier.learners import (
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    GradientBoostingClassifier,
    RandomForestRegressor,
)
from tests.tools import by_hand, random_trees

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")


def replaced(X, feature, value):
    table = X.copy()
    table[:, feature] = value
    return table


def test_an_applicants_answer_changes_at_each_threshold_of_the_tree():
    found = feature_curves(by_hand.admission(), np.array([[3.5, 60.0], [3.5, 70.0], [2.5, 70.0]]), 1)
    assert found.steps.tolist() == [64.5]
    assert found.answers[..., 1].tolist() == [[0, 1], [0, 1], [0, 0]]
    assert found.mean[:, 1] == pytest.approx([0, 2 / 3])


@st.composite
def cases(draw):
    """A tree of any kind of split, with surrogates, rows, and one of its features."""
    columns, target = draw(random_trees.features()), draw(random_trees.targets())
    tree = draw(random_trees.any_trees(columns, target))
    feature = draw(st.integers(0, len(columns) - 1))
    return tree, draw(random_trees.samples(columns, tree)), feature, len(columns[feature].categories)


@given(cases())
@settings(max_examples=40)
def test_a_curve_is_what_the_tree_predicts_with_the_feature_set_anywhere(case):
    tree, X, feature, n_categories = case
    asked = np.append(tree.feature, tree.surrogates.feature)
    is_category = np.isnan(np.append(tree.threshold, tree.surrogates.threshold)[asked == feature]).any()
    found = feature_curves(tree, X, feature, n_categories if is_category else 0)
    if is_category:
        values = np.arange(n_categories) + 0.0
    else:
        near = [np.nextafter(found.steps, side) for side in (-np.inf, np.inf)]
        values = np.concatenate([found.steps, *near, [-1e9, 0.0, 1e9]])
    for value, place in zip(values, found.places_of(values), strict=True):
        expected = predict.shares(tree, replaced(X, feature, value))
        assert found.answers[:, place] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "model",
    [RandomForestRegressor(n_estimators=5, max_depth=4, random_state=0), CartRegressor(max_depth=4)],
    ids=["forest", "tree"],
)
def test_the_mean_curve_of_a_number_is_its_partial_dependence(model):
    record: Any = predict.record_of(model.fit(DIABETES.X, DIABETES.y))
    found = feature_curves(record, DIABETES.X[:50], 2)
    for value in np.quantile(DIABETES.X[:, 2], [0, 0.3, 0.9]):
        expected = predict.means(record, replaced(DIABETES.X[:50], 2, value)).mean()
        assert found.mean[found.places_of(value), 0] == pytest.approx(expected)


def test_curves_of_a_boosted_forest_are_shares_and_not_scores():
    forest = GradientBoostingClassifier(n_estimators=4).fit(IRIS.X, IRIS.y > 0).forest_
    found = feature_curves(forest, IRIS.X, 2)
    place = found.places_of(np.array([4.0]))[0]
    assert found.answers[:, place] == pytest.approx(predict.shares(forest, replaced(IRIS.X, 2, 4.0)))


def test_splits_on_categories_need_to_know_how_many_there_are():
    with pytest.raises(ValueError, match="give the number of its categories, n_categories"):
        feature_curves(by_hand.colours(), np.zeros((1, 1)), 0)


def test_trees_without_one_leaf_for_a_row_have_no_exact_curves():
    tree: Any = CultivatedClassifier(max_depth=2).fit(IRIS.X, IRIS.y).tree_
    with pytest.raises(ValueError, match="A cultivated, oblique or model tree is none"):
        feature_curves(tree, IRIS.X, 0)


def naive_accumulated(tree, X, feature):
    """The definition of Apley & Zhu 2020 (section 3.1), at the distinct values of a short column."""
    edges = np.unique(X[:, feature])
    effect, total = [0.0], 0.0
    for below, above in pairwise(edges):
        is_first = below == edges[0]
        inside = X[((X[:, feature] > below) | is_first) & (X[:, feature] <= above)]
        ends = [predict.means(tree, replaced(inside, feature, value)) for value in (below, above)]
        total += float(np.mean(ends[1] - ends[0]))
        effect.append(total)
    middle = np.interp(np.searchsorted(edges, X[:, feature]).clip(1) - 0.5, np.arange(len(edges)), effect)
    return edges, np.array(effect) - middle.mean()


def test_accumulated_effects_are_those_of_the_definition():
    X = DIABETES.X[:60, 2:4].copy()
    X[:, 0] = np.round(X[:, 0] / 2)
    tree = CartRegressor(max_depth=5).fit(X, DIABETES.y[:60]).tree_
    edges, effect = naive_accumulated(tree, X, 0)
    assert len(edges) < 40
    found = accumulated_effects(feature_curves(tree, X, 0), X[:, 0])
    assert found.at.tolist() == edges.tolist()
    assert found.effect[:, 0] == pytest.approx(effect)


def test_missing_values_have_no_accumulated_effect():
    tree = CartRegressor(max_depth=3).fit(DIABETES.X, DIABETES.y).tree_
    gaps = np.full(3, np.nan)
    assert len(accumulated_effects(feature_curves(tree, DIABETES.X[:3], 2), gaps).at) == 0


def test_a_column_of_one_value_has_no_effect_to_accumulate():
    tree = CartRegressor(max_depth=3).fit(DIABETES.X, DIABETES.y).tree_
    found = accumulated_effects(feature_curves(tree, DIABETES.X[:3], 2), np.ones(3))
    assert found.effect.tolist() == [[0.0]]


def test_a_pair_is_the_mean_over_the_rows_wherever_both_features_are():
    forest = RandomForestRegressor(n_estimators=3, max_depth=4, random_state=0).fit(DIABETES.X, DIABETES.y).forest_
    rows = DIABETES.X[:40]
    found = pair_dependence(forest, rows, (2, 8))
    for x, y in ((-0.05, 0.02), (0.0, -0.1), (0.1, 0.1)):
        at = tuple(int(np.searchsorted(steps, v)) for steps, v in zip(found.steps, (x, y), strict=True))
        expected = predict.means(forest, replaced(replaced(rows, 2, x), 8, y)).mean()
        assert found.scores[at][0] == pytest.approx(expected)


def test_a_pair_of_a_lone_tree_is_that_of_its_forest():
    tree = CartClassifier(max_depth=2).fit(IRIS.X, IRIS.y).tree_
    found = pair_dependence(tree, IRIS.X, (2, 3))
    assert found.scores[0, 0] == pytest.approx(
        predict.shares(tree, replaced(replaced(IRIS.X, 2, 0), 3, 0)).mean(0)
    )

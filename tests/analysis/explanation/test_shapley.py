"""Shapley values: worked by hand, by definition for any tree, and beside the shap package."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier import predict
from espalier.analysis.explanation.scores import can_explain
from espalier.analysis.explanation.shapley import mean_size, shapley_interactions, shapley_values
from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.learners import (
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    ObliqueClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from espalier.trees import make_forest, make_sum, make_tree
from espalier.views.export.sklearn import to_sklearn
from tests.tools import by_hand, random_trees
from tests.tools.naive import shapley as naive

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")
FEW_BACKGROUND = 3


def test_an_applicant_owes_to_each_question_what_it_adds_in_either_order():
    found = shapley_values(by_hand.admission(), np.array([[3.5, 60.0]]))
    assert found.base == pytest.approx([0.6, 0.4])
    gpa = ((4 / 6 - 0.4) + 0) / 2  # known first it leads to node 2; known last it changes nothing
    toefl = ((0 - 0.4) + (0 - 4 / 6)) / 2
    assert found.added[0, :, 1] == pytest.approx([gpa, toefl])
    assert found.added[0, :, 0] == pytest.approx([-gpa, -toefl])


@st.composite
def cases(draw):
    """A tree of any kind of split, with surrogates, and a few rows."""
    columns, target = draw(random_trees.features()), draw(random_trees.targets())
    tree = draw(random_trees.any_trees(columns, target))
    return tree, draw(random_trees.samples(columns, tree))


@given(cases())
@settings(max_examples=40)
def test_values_of_any_tree_are_those_of_the_definition(case):
    tree, X = case
    found = shapley_values(tree, X)
    expected = [naive.values(tree, tree.value, x) for x in X]
    assert found.added == pytest.approx(np.array(expected), abs=1e-11)
    assert found.base == pytest.approx(naive.expectation(tree, tree.value, X[0], set()))


@given(cases())
@settings(max_examples=20)
def test_values_beside_background_rows_are_those_of_the_definition(case):
    tree, X = case
    background, X = X[:FEW_BACKGROUND], X[FEW_BACKGROUND:]
    found = shapley_values(tree, X, background)
    expected = [naive.values(tree, tree.value, x, background) for x in X]
    assert found.added == pytest.approx(np.array(expected), abs=1e-11)
    assert found.base == pytest.approx(predict.shares(tree, background).mean(axis=0))


@given(cases(), st.booleans())
@settings(max_examples=20)
def test_interactions_are_those_of_the_definition(case, is_beside_background):
    tree, X = case
    background = X[:FEW_BACKGROUND] if is_beside_background else None
    found = shapley_interactions(tree, X[-4:], background)
    expected = [naive.interactions(tree, tree.value, x, background) for x in X[-4:]]
    assert found.added == pytest.approx(np.array(expected), abs=1e-11)


@pytest.mark.parametrize("background", [None, IRIS.X[::30]], ids=["path dependent", "interventional"])
@pytest.mark.parametrize(
    "model",
    [
        CartClassifier(),
        RandomForestClassifier(n_estimators=5, random_state=0),
        GradientBoostingClassifier(n_estimators=5),
    ],
    ids=["tree", "forest", "boosted"],
)
def test_base_and_parts_add_up_to_the_prediction(model, background):
    record: Any = predict.record_of(model.fit(IRIS.X, IRIS.y))
    link = getattr(record, "link", "identity")
    found = shapley_values(record, IRIS.X, background)
    scores = found.base + found.added.sum(axis=1)
    assert predict.through_link(scores, link) == pytest.approx(predict.shares(record, IRIS.X), abs=1e-12)


def test_a_boosted_number_is_explained_with_its_start():
    record = GradientBoostingRegressor(n_estimators=5).fit(DIABETES.X, DIABETES.y).forest_
    found = shapley_values(record, DIABETES.X[:20])
    assert (found.base + found.added.sum(axis=1))[:, 0] == pytest.approx(predict.means(record, DIABETES.X[:20]))


def test_a_forest_of_votes_is_explained_by_the_votes_it_counts():
    trees = RandomForestClassifier(n_estimators=5, random_state=0).fit(IRIS.X, IRIS.y).forest_.trees
    forest = make_forest(trees, [1, 2, 1, 3, 1], "votes", np.full(3, 1 / 3))
    found = shapley_values(forest, IRIS.X)
    assert found.base + found.added.sum(axis=1) == pytest.approx(predict.shares(forest, IRIS.X), abs=1e-12)


def test_values_of_a_forest_are_the_sums_of_its_trees():
    forest = ExtraTreesRegressor(n_estimators=4, max_depth=5, random_state=0).fit(DIABETES.X, DIABETES.y).forest_
    parts = [shapley_values(tree, DIABETES.X[:30]).added / 4 for tree in forest.trees]
    assert shapley_values(forest, DIABETES.X[:30]).added == pytest.approx(sum(parts), abs=1e-10)


def staircase(n_steps):
    """A tree of one long way down, which asks for four features in turn."""
    splits, leaves = np.arange(n_steps), np.full(n_steps + 1, -1)
    n = 2 * n_steps + 1
    feature = np.append(splits % 4, leaves)
    threshold = np.append(np.linspace(1, -1, n_steps), np.full(n_steps + 1, np.nan))
    left, right = np.append(splits + 1, leaves), np.append(2 * n_steps - splits, leaves)
    value, zeros = np.sin(np.arange(n))[:, np.newaxis], np.zeros(n)
    return make_tree(feature, threshold, left, right, zeros, zeros, np.ones(n), 1 + np.arange(n), value, zeros)


def test_a_tree_a_hundred_levels_deep_is_explained_to_nine_digits():
    tree = staircase(100)
    assert tree.depth == 100
    X = np.random.default_rng(0).uniform(-1, 1, (5, 4))
    expected = [naive.values(tree, tree.value, x) for x in X]
    assert shapley_values(tree, X).added == pytest.approx(np.array(expected), abs=1e-9)


def test_deep_trees_that_ask_for_many_features_add_up_to_nine_digits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 40))
    tree = CartRegressor().fit(X, X @ rng.normal(size=40)).tree_
    found = shapley_values(tree, X)
    assert (found.base + found.added.sum(axis=1))[:, 0] == pytest.approx(predict.means(tree, X), abs=1e-9)


@pytest.mark.parametrize("n_features", [5, 10, 11, 12, 13, 20])
def test_of_a_chain_of_questions_each_that_only_the_row_answers_owes_an_equal_part(n_features):
    """Ways of up to 12 questions have tables, longer ones are walked for each pair of rows."""
    n = 2 * n_features + 1
    place, zeros, value = np.arange(n), np.zeros(n), np.zeros((n, 1))
    is_split, value[-1] = (place % 2 == 0) & (place < n - 1), 1.0
    feature, threshold = np.where(is_split, place // 2, -1), np.where(is_split, 0.0, np.nan)
    left, right = np.where(is_split, place + 1, -1), np.where(is_split, place + 2, -1)
    tree = make_tree(feature, threshold, left, right, zeros, zeros, zeros + 1, zeros + 1, value, zeros)
    row, none = np.ones((1, n_features)), -np.ones(n_features)
    half = np.where(np.arange(n_features) % 2, 1.0, -1.0)
    n_lacking = np.count_nonzero(half < 0)
    expected = 0.5 / n_features + 0.5 * (half < 0) / n_lacking
    found = shapley_values(tree, row, np.array([none, half]))
    assert found.added[0, :, 0] == pytest.approx(expected)
    back = shapley_values(tree, np.array([none, half]), row)
    assert back.base == [1.0]
    assert back.added[0, :, 0] == pytest.approx(np.full(n_features, -1 / n_features))


@given(st.integers(0, 10_000))
@settings(max_examples=5)
def test_values_of_deep_trees_beside_background_rows_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 8)).round(1)
    X[rng.random(X.shape) < 0.05] = np.nan
    tree = CartRegressor().fit(X, np.sin(np.arange(200.0) ** 2)).tree_
    found = shapley_values(tree, X[:2], X[100:103])
    expected = [naive.values(tree, tree.value, x, X[100:103]) for x in X[:2]]
    assert found.added == pytest.approx(np.array(expected), abs=1e-9)


def test_a_large_forest_beside_many_background_rows_adds_up_and_is_the_mean_beside_each():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 30))
    y = X @ rng.normal(size=30) + 3 * (X[:, 0] * X[:, 1] > 0)
    record = RandomForestRegressor(n_estimators=3, random_state=0).fit(X, y).forest_
    some, background = X[:20], X[500:512]
    found = shapley_values(record, some, background)
    assert (found.base + found.added.sum(axis=1))[:, 0] == pytest.approx(predict.means(record, some), abs=1e-9)
    each = [shapley_values(record, some, background[i : i + 1]).added for i in range(len(background))]
    assert found.added == pytest.approx(np.mean(each, axis=0), abs=1e-9)
    assert np.array_equal(shapley_values(record, X, background, n_jobs=2).added[:20], found.added)


def test_a_feature_that_no_split_asks_for_adds_exactly_nothing():
    tree = CartRegressor(max_depth=1).fit(DIABETES.X, DIABETES.y).tree_
    found = shapley_values(tree, DIABETES.X)
    others = np.arange(DIABETES.X.shape[1]) != tree.feature[0]
    assert not found.added[:, others].any()
    assert found.added[:, ~others].all()


def test_a_lone_leaf_is_all_base():
    tree = CartRegressor(max_depth=1, min_samples_leaf=400).fit(DIABETES.X, DIABETES.y).tree_
    found = shapley_values(make_sum([tree, tree], [1.0], "identity", []), DIABETES.X[:3])
    assert found.base == pytest.approx([1 + 2 * tree.value[0, 0]])
    assert not found.added.any()


def test_sides_of_no_weight_are_equally_likely():
    nothing = [0.0, 0.0, 0.0]
    tree = make_tree(
        [0, -1, -1], [0, np.nan, np.nan], [1, -1, -1], [2, -1, -1], nothing, nothing, nothing, nothing,
        [[0], [1], [3]], nothing,
    )  # fmt: skip
    found = shapley_values(tree, np.array([[-1.0], [1.0]]))
    assert found.base == [2.0]
    assert found.added.ravel() == pytest.approx([-1.0, 1.0])


def test_threads_change_nothing():
    forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(IRIS.X, IRIS.y).forest_
    one, two = (shapley_values(forest, IRIS.X, n_jobs=n).added for n in (1, 2))
    assert np.array_equal(one, two)


def test_a_table_larger_than_a_block_is_explained_as_its_rows_are():
    tree = CartClassifier(max_depth=3).fit(IRIS.X, IRIS.y).tree_
    many = np.tile(IRIS.X, (20, 1))[:2999]
    assert shapley_values(tree, many).added[2900:] == pytest.approx(shapley_values(tree, many[2900:]).added)


def test_importance_is_the_mean_size_of_the_parts():
    found = shapley_values(by_hand.admission(), np.array([[3.5, 60.0], [3.5, 70.0]]))
    assert mean_size(found) == pytest.approx(np.abs(found.added).mean(axis=0))


@pytest.mark.parametrize("model", [CultivatedClassifier(max_depth=2), ObliqueClassifier(max_depth=2)])
def test_trees_without_one_leaf_or_one_feature_are_refused_by_name(model):
    record: Any = predict.record_of(model.fit(IRIS.X, IRIS.y))
    assert not can_explain(record)
    with pytest.raises(ValueError, match="A cultivated, oblique or model tree is none"):
        shapley_values(record, IRIS.X)


def test_a_background_without_rows_is_refused():
    with pytest.raises(ValueError, match="the background has no rows; give at least one"):
        shapley_values(by_hand.admission(), np.ones((1, 2)), np.ones((0, 2)))


def test_values_and_interactions_equal_those_of_the_shap_package():
    shap = pytest.importorskip("shap", reason="the shap package is not installed")
    X = DIABETES.X.astype(np.float32).astype(np.float64)  # to which scikit-learn rounds
    tree = CartRegressor(max_depth=7).fit(X, DIABETES.y).tree_
    model = to_sklearn(tree, tuple(DIABETES.features), Feature("y"))
    explainer = shap.TreeExplainer(model, feature_perturbation="tree_path_dependent")
    assert shapley_values(tree, X).added[..., 0] == pytest.approx(explainer.shap_values(X), abs=1e-5)
    pairs = shapley_interactions(tree, X[:9]).added[..., 0]
    assert pairs == pytest.approx(explainer.shap_interaction_values(X[:9]), abs=1e-5)
    beside = shap.TreeExplainer(model, X[:20], feature_perturbation="interventional").shap_values(X)
    assert shapley_values(tree, X, X[:20]).added[..., 0] == pytest.approx(beside, abs=1e-5)

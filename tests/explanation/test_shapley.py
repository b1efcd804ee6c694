"""Shapley values: worked by hand, by definition for any tree, and beside the shap package."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from espalier import predict
from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.explanation.dependence import can_explain
from espalier.explanation.shapley import mean_size, prediction_parts, shapley_interactions, shapley_values
from espalier.export.sklearn import to_sklearn
from espalier.learners import (
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    ObliqueClassifier,
    RandomForestClassifier,
)
from espalier.trees import make_forest, make_sum, make_tree
from tests.tools import by_hand, random_trees
from tests.tools.naive import shapley as naive

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")


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
def test_interactions_are_those_of_the_definition(case):
    tree, X = case
    found = shapley_interactions(tree, X[-4:])
    expected = [naive.interactions(tree, tree.value, x) for x in X[-4:]]
    assert found.added == pytest.approx(np.array(expected), abs=1e-11)


@pytest.mark.parametrize(
    "model",
    [
        CartClassifier(),
        RandomForestClassifier(n_estimators=5, random_state=0),
        GradientBoostingClassifier(n_estimators=5),
    ],
    ids=["tree", "forest", "boosted"],
)
def test_base_and_parts_add_up_to_the_prediction(model):
    record: Any = predict.record_of(model.fit(IRIS.X, IRIS.y))
    link = getattr(record, "link", "identity")
    found = shapley_values(record, IRIS.X)
    scores = found.base + found.added.sum(axis=1)
    assert predict.through_link(scores, link) == pytest.approx(predict.shares(record, IRIS.X), abs=1e-12)


def test_sums_are_explained_with_their_start_votes_by_what_counts_and_forests_by_the_sums_of_their_trees():
    record = GradientBoostingRegressor(n_estimators=5).fit(DIABETES.X, DIABETES.y).forest_
    found = shapley_values(record, DIABETES.X[:20])
    assert (found.base + found.added.sum(axis=1))[:, 0] == pytest.approx(predict.means(record, DIABETES.X[:20]))
    trees = RandomForestClassifier(n_estimators=5, random_state=0).fit(IRIS.X, IRIS.y).forest_.trees
    forest = make_forest(trees, [1, 2, 1, 3, 1], "votes", np.full(3, 1 / 3))
    found = shapley_values(forest, IRIS.X)
    assert found.base + found.added.sum(axis=1) == pytest.approx(predict.shares(forest, IRIS.X), abs=1e-12)
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


def test_trees_a_hundred_levels_deep_and_of_many_features_are_explained_to_nine_digits():
    tree = staircase(100)
    assert tree.depth == 100
    X = np.random.default_rng(0).uniform(-1, 1, (5, 4))
    expected = [naive.values(tree, tree.value, x) for x in X]
    assert shapley_values(tree, X).added == pytest.approx(np.array(expected), abs=1e-9)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 40))
    tree = CartRegressor().fit(X, X @ rng.normal(size=40)).tree_
    found = shapley_values(tree, X[:90])
    assert (found.base + found.added.sum(axis=1))[:, 0] == pytest.approx(predict.means(tree, X[:90]), abs=1e-9)


def test_a_feature_that_no_split_asks_for_adds_exactly_nothing_and_a_lone_leaf_is_all_base():
    tree = CartRegressor(max_depth=1).fit(DIABETES.X, DIABETES.y).tree_
    found = shapley_values(tree, DIABETES.X)
    others = np.arange(DIABETES.X.shape[1]) != tree.feature[0]
    assert not found.added[:, others].any()
    assert found.added[:, ~others].all()
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


def test_threads_and_blocks_of_rows_change_nothing_and_importance_is_the_mean_size_of_the_parts():
    forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(IRIS.X, IRIS.y).forest_
    one, two = (shapley_values(forest, IRIS.X, n_jobs=n).added for n in (1, 2))
    assert np.array_equal(one, two)
    tree = CartClassifier(max_depth=3).fit(IRIS.X, IRIS.y).tree_
    many = np.tile(IRIS.X, (20, 1))[:2999]
    assert shapley_values(tree, many).added[2900:] == pytest.approx(shapley_values(tree, many[2900:]).added)
    found = shapley_values(by_hand.admission(), np.array([[3.5, 60.0], [3.5, 70.0]]))
    assert mean_size(found) == pytest.approx(np.abs(found.added).mean(axis=0))


@pytest.mark.parametrize("model", [CultivatedClassifier(max_depth=2), ObliqueClassifier(max_depth=2)])
def test_trees_without_one_leaf_or_one_feature_are_refused_by_name(model):
    record: Any = predict.record_of(model.fit(IRIS.X, IRIS.y))
    assert not can_explain(record)
    with pytest.raises(ValueError, match="A cultivated, oblique or model tree is none"):
        shapley_values(record, IRIS.X)


def test_background_rows_are_refused_with_what_to_take_instead():
    explain: Any
    for explain in (shapley_values, shapley_interactions):
        with pytest.raises(ValueError, match="leave background out, or give a tree from to_sklearn"):
            explain(by_hand.admission(), np.ones((1, 2)), background=np.ones((1, 2)))


def test_values_and_interactions_equal_those_of_the_shap_package():
    shap = pytest.importorskip("shap", reason="the shap package is not installed")
    X = DIABETES.X.astype(np.float32).astype(np.float64)  # to which scikit-learn rounds
    tree = CartRegressor(max_depth=7).fit(X, DIABETES.y).tree_
    model = to_sklearn(tree, tuple(DIABETES.features), Feature("y"))
    explainer = shap.TreeExplainer(model, feature_perturbation="tree_path_dependent")
    assert shapley_values(tree, X).added[..., 0] == pytest.approx(explainer.shap_values(X), abs=1e-5)
    pairs = shapley_interactions(tree, X[:9]).added[..., 0]
    assert pairs == pytest.approx(explainer.shap_interaction_values(X[:9]), abs=1e-5)


def parts_of(model, X, y, x, output) -> Any:
    return prediction_parts(predict.record_of(model.fit(X, y)), x, output)


def test_parts_lead_to_a_share_or_to_the_logarithm_of_a_count_and_models_without_exact_parts_have_none():
    forest = RandomForestClassifier(n_estimators=5, random_state=0)
    parts = parts_of(forest, IRIS.X, IRIS.y, IRIS.X[70], 1)
    assert parts.link == "identity"
    assert parts.base + parts.added.sum() == pytest.approx(forest.predict_proba(IRIS.X[[70]])[0, 1])
    model = GradientBoostingRegressor(loss="poisson", n_estimators=4)
    parts = parts_of(model, DIABETES.X, DIABETES.y, DIABETES.X[3], 0)
    assert parts.link == "log"
    assert np.exp(parts.base + parts.added.sum()) == pytest.approx(model.predict(DIABETES.X[[3]])[0])
    assert parts_of(CultivatedClassifier(max_depth=2), IRIS.X, IRIS.y, IRIS.X[0], 0) is None
    assert prediction_parts(None, IRIS.X[0], 0) is None


@pytest.mark.parametrize("output", [0, 1])
def test_parts_of_one_of_two_boosted_classes_lead_to_its_log_odds(output):
    model = GradientBoostingClassifier(n_estimators=4)
    parts = parts_of(model, IRIS.X, IRIS.y > 0, IRIS.X[70], output)
    assert parts.link == "logistic"
    assert expit(parts.base + parts.added.sum()) == pytest.approx(model.predict_proba(IRIS.X[[70]])[0, output])

"""Shapley values and curves along a column, by definition and beside the package shap; and pictures of them."""

import re
from itertools import combinations, pairwise
from math import factorial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import spearmanr

from espalier import predict
from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.display import ink
from espalier.explanation import columns, dependence, parts, shapley
from espalier.explanation.columns import ColumnCurves, ColumnMonotony, ColumnParts, monotony_words
from espalier.explanation.dependence import FeatureCurves, feature_curves
from espalier.explanation.shapley import (
    PredictionParts,
    mean_size,
    prediction_parts,
    shapley_interactions,
    shapley_values,
)
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
from espalier.trees import LEAF, make_forest, make_sum, make_tree
from tests.tools import by_hand, random_trees
from tests.tools.naive.surrogates import goes_left

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")


def test_an_applicant_owes_to_each_question_what_it_adds_in_either_order():
    found = shapley_values(by_hand.admission(), np.array([[3.5, 60.0]]))
    assert found.base == pytest.approx([0.6, 0.4])
    gpa = ((4 / 6 - 0.4) + 0) / 2  # known first it leads to node 2; known last it changes nothing
    toefl = ((0 - 0.4) + (0 - 4 / 6)) / 2
    assert found.added[0, :, 1] == pytest.approx([gpa, toefl])
    assert found.added[0, :, 0] == pytest.approx([-gpa, -toefl])


def naive_values(tree, value, x):
    """(n_features, n_outputs): the mean of what a feature adds, over all orders in which features become known."""
    game, n = (lambda known: expectation(tree, value, x, known)), len(x)
    found = np.zeros((n, value.shape[1]))
    for feature in range(n):
        for others in coalitions(set(range(n)) - {feature}):
            weight = factorial(len(others)) * factorial(n - len(others) - 1) / factorial(n)
            found[feature] += weight * (game(others | {feature}) - game(others))
    return found


def naive_interactions(tree, value, x):
    """(n_features, n_features, n_outputs): as the supplement of Lundberg et al. 2020 defines them."""
    game, n, whole = (lambda known: expectation(tree, value, x, known)), len(x), naive_values(tree, value, x)
    found = np.zeros((n, n, value.shape[1]))
    for i, j in combinations(range(n), 2):
        for others in coalitions(set(range(n)) - {i, j}):
            weight = factorial(len(others)) * factorial(n - len(others) - 2) / (2 * factorial(n - 1))
            both = game(others | {i, j}) - game(others | {i}) - game(others | {j}) + game(others)
            found[i, j] += weight * both
        found[j, i] = found[i, j]
    for i in range(n):
        found[i, i] = whole[i] - found[i].sum(axis=0)
    return found


def expectation(tree, value, x, known, node=0):
    """What is predicted where only these features are known: other splits send a row both ways, by weight."""
    if tree.feature[node] == LEAF:
        return value[node]
    left, right = int(tree.left[node]), int(tree.right[node])
    if tree.feature[node] in known:
        return expectation(tree, value, x, known, left if goes_left(tree, node, x) else right)
    share = tree.weight[left] / (tree.weight[left] + tree.weight[right])
    sides = (expectation(tree, value, x, known, child) for child in (left, right))
    return share * next(sides) + (1 - share) * next(sides)


def coalitions(features):
    return (set(some) for size in range(len(features) + 1) for some in combinations(sorted(features), size))


@st.composite
def cases(draw):
    """A tree of any kind of split, with surrogates, and a few rows."""
    columns, target = draw(random_trees.features()), draw(random_trees.targets())
    tree = draw(random_trees.any_trees(columns, target))
    return tree, draw(random_trees.samples(columns, tree))


@given(cases())
@settings(max_examples=40)
def test_values_and_interactions_of_any_tree_are_those_of_the_definition(case):
    tree, X = case
    found = shapley_values(tree, X)
    expected = [naive_values(tree, tree.value, x) for x in X]
    assert found.added == pytest.approx(np.array(expected), abs=1e-11)
    assert found.base == pytest.approx(expectation(tree, tree.value, X[0], set()))
    pairs = [naive_interactions(tree, tree.value, x) for x in X[-4:]]
    assert shapley_interactions(tree, X[-4:]).added == pytest.approx(np.array(pairs), abs=1e-11)


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
    expected = [naive_values(tree, tree.value, x) for x in X]
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


def test_sides_of_no_weight_are_equally_likely_and_background_rows_are_refused():
    nothing = [0.0, 0.0, 0.0]
    tree = make_tree(
        [0, -1, -1], [0, np.nan, np.nan], [1, -1, -1], [2, -1, -1], nothing, nothing, nothing, nothing,
        [[0], [1], [3]], nothing,
    )  # fmt: skip
    found = shapley_values(tree, np.array([[-1.0], [1.0]]))
    assert found.base == [2.0]
    assert found.added.ravel() == pytest.approx([-1.0, 1.0])
    explain: Any
    for explain in (shapley_values, shapley_interactions):
        with pytest.raises(ValueError, match="leave background out, or give a tree from to_sklearn"):
            explain(by_hand.admission(), np.ones((1, 2)), background=np.ones((1, 2)))


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
    assert not dependence.can_explain(record)
    with pytest.raises(ValueError, match="A cultivated, oblique or model tree is none"):
        shapley_values(record, IRIS.X)


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


def replaced(X, feature, value):
    table = X.copy()
    table[:, feature] = value
    return table


def test_an_applicants_answer_changes_at_each_threshold_and_curves_of_a_boosted_forest_are_shares():
    found = dependence.feature_curves(by_hand.admission(), np.array([[3.5, 60.0], [3.5, 70.0], [2.5, 70.0]]), 1)
    assert found.steps.tolist() == [64.5]
    assert found.answers[..., 1].tolist() == [[0, 1], [0, 1], [0, 0]]
    assert found.mean[:, 1] == pytest.approx([0, 2 / 3])
    forest = GradientBoostingClassifier(n_estimators=4).fit(IRIS.X, IRIS.y > 0).forest_
    found = dependence.feature_curves(forest, IRIS.X, 2)
    place = found.places_of(np.array([4.0]))[0]
    assert found.answers[:, place] == pytest.approx(predict.shares(forest, replaced(IRIS.X, 2, 4.0)))


@st.composite
def columns_to_try(draw):
    """A tree of any kind of split, with surrogates, rows, and one of its features."""
    columns, target = draw(random_trees.features()), draw(random_trees.targets())
    tree = draw(random_trees.any_trees(columns, target))
    feature = draw(st.integers(0, len(columns) - 1))
    return tree, draw(random_trees.samples(columns, tree)), feature, len(columns[feature].categories)


@given(columns_to_try())
@settings(max_examples=40)
def test_a_curve_is_what_the_tree_predicts_with_the_feature_set_anywhere(case):
    tree, X, feature, n_categories = case
    asked = np.append(tree.feature, tree.surrogates.feature)
    is_category = np.isnan(np.append(tree.threshold, tree.surrogates.threshold)[asked == feature]).any()
    found = dependence.feature_curves(tree, X, feature, n_categories if is_category else 0)
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
    found = dependence.feature_curves(record, DIABETES.X[:50], 2)
    for value in np.quantile(DIABETES.X[:, 2], [0, 0.3, 0.9]):
        expected = predict.means(record, replaced(DIABETES.X[:50], 2, value)).mean()
        assert found.mean[found.places_of(value), 0] == pytest.approx(expected)


def test_splits_on_categories_need_their_number_and_trees_without_one_leaf_for_a_row_have_no_exact_curves():
    with pytest.raises(ValueError, match="give the number of its categories, n_categories"):
        dependence.feature_curves(by_hand.colours(), np.zeros((1, 1)), 0)
    tree: Any = CultivatedClassifier(max_depth=2).fit(IRIS.X, IRIS.y).tree_
    with pytest.raises(ValueError, match="A cultivated, oblique or model tree is none"):
        dependence.feature_curves(tree, IRIS.X, 0)


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


def test_accumulated_effects_are_those_of_the_definition_and_none_without_values():
    X = DIABETES.X[:60, 2:4].copy()
    X[:, 0] = np.round(X[:, 0] / 2)
    tree = CartRegressor(max_depth=5).fit(X, DIABETES.y[:60]).tree_
    edges, effect = naive_accumulated(tree, X, 0)
    assert len(edges) < 40
    found = dependence.accumulated_effects(dependence.feature_curves(tree, X, 0), X[:, 0])
    assert found.at.tolist() == edges.tolist()
    assert found.effect[:, 0] == pytest.approx(effect)
    tree = CartRegressor(max_depth=3).fit(DIABETES.X, DIABETES.y).tree_
    gaps = np.full(3, np.nan)
    assert len(dependence.accumulated_effects(dependence.feature_curves(tree, DIABETES.X[:3], 2), gaps).at) == 0
    found = dependence.accumulated_effects(dependence.feature_curves(tree, DIABETES.X[:3], 2), np.ones(3))
    assert found.effect.tolist() == [[0.0]]


def test_a_pair_is_the_mean_over_the_rows_wherever_both_features_are_also_of_a_lone_tree():
    forest = RandomForestRegressor(n_estimators=3, max_depth=4, random_state=0).fit(DIABETES.X, DIABETES.y).forest_
    rows = DIABETES.X[:40]
    found = dependence.pair_dependence(forest, rows, (2, 8))
    for x, y in ((-0.05, 0.02), (0.0, -0.1), (0.1, 0.1)):
        at = tuple(int(np.searchsorted(steps, v)) for steps, v in zip(found.steps, (x, y), strict=True))
        expected = predict.means(forest, replaced(replaced(rows, 2, x), 8, y)).mean()
        assert found.scores[at][0] == pytest.approx(expected)
    tree = CartClassifier(max_depth=2).fit(IRIS.X, IRIS.y).tree_
    found = dependence.pair_dependence(tree, IRIS.X, (2, 3))
    assert found.scores[0, 0] == pytest.approx(
        predict.shares(tree, replaced(replaced(IRIS.X, 2, 0), 3, 0)).mean(0)
    )


@pytest.mark.parametrize("feature", [f for f, one in enumerate(DIABETES.features) if one.kind != "category"])
def test_the_companion_has_the_greatest_rank_correlation_of_all(feature):
    orders = [f for f, one in enumerate(DIABETES.features) if one.kind != "category" and f != feature]
    table = {f: np.asarray(spearmanr(DIABETES.X[:, feature], DIABETES.X[:, f]))[0] for f in orders}
    companion = max(table, key=lambda f: abs(table[f]))
    found = dependence.closest_companion(DIABETES.X, feature, DIABETES.features)
    assert found == (companion, pytest.approx(table[companion]))


def test_a_bent_relation_is_as_close_as_a_line_missing_values_do_not_count_and_categories_have_no_companion():
    x = np.arange(1.0, 9.0)
    X = np.column_stack([x, np.exp(-x), x[::-1] % 3])
    found = dependence.closest_companion(X, 0, (Feature("a"), Feature("b"), Feature("c")))
    assert found == (1, pytest.approx(-1))
    X = np.array([[1.0, 2.0], [2.0, 3.0], [3.0, np.nan], [np.nan, 0.0], [4.0, 9.0]])
    assert dependence.closest_companion(X, 0, (Feature("a"), Feature("b"))) == (1, pytest.approx(1))
    X = np.column_stack([np.arange(4.0), np.arange(4.0), np.ones(4)])
    kinds = Feature("kind", "category", ("a", "b", "c", "d"))
    assert dependence.closest_companion(X, 0, (Feature("x"), kinds, Feature("same"))) is None
    assert dependence.closest_companion(X, 1, (Feature("x"), kinds, Feature("same"))) is None
    assert dependence.closest_companion(X, 2, (Feature("x"), kinds, Feature("same"))) is None


BMI = [feature.name for feature in DIABETES.features].index("body mass index")


def tree(direction=0):
    directions = np.zeros(len(DIABETES.features), int)
    directions[BMI] = direction
    return CartRegressor(max_depth=5, monotonic_cst=directions).fit(DIABETES.X, DIABETES.y).tree_


def naive_monotony(model, X, feature):
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
    found = dependence.monotony(dependence.feature_curves(model, DIABETES.X, BMI), 0)
    assert (found.rising, found.falling) == pytest.approx(naive_monotony(model, DIABETES.X, BMI))


def test_a_tree_that_was_asked_to_rise_never_falls_and_the_example_is_the_greatest_change_against_it():
    found = dependence.monotony(dependence.feature_curves(tree(1), DIABETES.X, BMI), 0)
    assert (found.kept(1), found.against(1)) == (1.0, None)
    free = dependence.monotony(dependence.feature_curves(tree(), DIABETES.X, BMI), 0)
    assert free.kept(1) < 1
    found = dependence.monotony(dependence.FeatureCurves(0, np.empty(0), np.ones((3, 1, 1))), 0)
    assert (found.rising, found.falling, found.fall, found.rise) == (1.0, 1.0, None, None)
    model = tree()
    curves = dependence.feature_curves(model, DIABETES.X, BMI)
    turn: Any = dependence.monotony(curves, 0).against(1)
    step = curves.steps[turn.place - 1]
    row = DIABETES.X[[turn.row, turn.row]].copy()
    row[:, BMI] = step, np.nextafter(step, np.inf)
    assert predict.shares(model, row)[:, 0].tolist() == pytest.approx([turn.before, turn.after])
    assert turn.before - turn.after == pytest.approx(-np.diff(curves.answers[:, :, 0], axis=1).min())


def words(answers, asked=0):
    curves = dependence.FeatureCurves(0, np.array([18.0, 65.0]), np.array(answers, float)[:, :, None])
    rows = tuple(f"customer {n}" for n in range(len(answers)))
    return monotony_words(
        ColumnMonotony(dependence.monotony(curves, 0), Feature("age"), curves.steps, rows, True, asked)
    )


def test_words_say_the_direction_the_share_of_the_rows_an_example_and_whether_what_was_asked_for_is_kept():
    assert words([[0.1, 0.2, 0.2]]) == "Along age answers **only rise**."
    both = words([[0.1, 0.2, 0.5], [0.1, 0.5, 0.2]])
    assert "never fall for 50 % of the rows, and never rise for 0 %" in both
    assert both.endswith("customer 1: where age passes 65, its answer goes from 50 % to 20 %.")
    assert words([[0.1, 0.2, 0.2]], 1) == "Asked to only rise along age: **kept**, for all of the rows."
    broken = words([[0.1, 0.2, 0.2], [0.3, 0.2, 0.1]], -1)
    assert broken.startswith("Asked to only fall along age: **broken** for 50 % of the rows. customer 0: ")


def test_some_features_have_the_values_that_they_have_among_all():
    forest = GradientBoostingRegressor(n_estimators=5).fit(DIABETES.X, DIABETES.y).forest_
    some = [8, 2, 3]
    every = shapley.shapley_interactions(forest, DIABETES.X[:9]).added
    found = shapley.shapley_interactions(forest, DIABETES.X[:9], features=some).added
    assert found == pytest.approx(every[:, some][:, :, some], abs=1e-12)


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

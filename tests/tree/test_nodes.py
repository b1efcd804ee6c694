"""Impurity curves beside an obvious version, by hand, as laws, and under rules of a learner; who is in a node."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data.dataset import Feature, make_dataset
from espalier.learners import CartClassifier, CartRegressor
from espalier.tree import nodes
from espalier.tree.impurity import CLASSIFICATION, REGRESSION, node_impurity, rules_at, target
from espalier.tree.nodes import category_curve, impurity_curve, impurity_curves, rows_in, strip, thin
from espalier.trees import LEAF
from tests.tools.cases import case
from tests.tools.naive import cart as naive

untimed = settings(deadline=None, max_examples=60)


def naive_after(left, y, weight, criterion, n_classes):
    return naive.cost(left, y, weight, criterion, n_classes) / weight.sum()


def naive_curve(x, y, weight, criterion, n_classes):
    """(threshold, impurity) of every cut, missing values on their better side."""
    values = np.unique(x[~np.isnan(x)])
    cuts = [(a / 2 + b / 2, x <= a) for a, b in itertools.pairwise(values)]
    if len(values) and np.isnan(x).any():
        cuts.append((math.inf, ~np.isnan(x)))
    found = []
    for threshold, left in cuts:
        ways = [left] if math.isinf(threshold) else [left, left | np.isnan(x)]
        found.append((threshold, min(naive_after(way, y, weight, criterion, n_classes) for way in ways)))
    return found


@st.composite
def columns(draw):
    """x with ties and gaps, y, weights, a criterion and the number of classes."""
    n = draw(st.integers(1, 25))
    x = draw(st.lists(st.sampled_from([0.0, 1, 2, 2.5, 7, math.nan]), min_size=n, max_size=n))
    weight = draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=n, max_size=n))
    criterion = draw(st.sampled_from(CLASSIFICATION + REGRESSION))
    n_classes = 3 if criterion in CLASSIFICATION else 0
    values = st.integers(0, 2) if n_classes else st.sampled_from([-3.0, 0.0, 0.1, 5.0, 8.0])
    y = draw(st.lists(values, min_size=n, max_size=n))
    return np.array(x), np.array(y), np.array(weight), criterion, n_classes


@untimed
@given(columns())
def test_curve_equals_the_obvious_version(column):
    curve = impurity_curve(*column)
    expected = naive_curve(*column)
    assert curve.threshold.tolist() == [t for t, _ in expected]
    np.testing.assert_allclose(curve.impurity, [i for _, i in expected], atol=1e-12)
    assert curve.node_impurity == pytest.approx(naive.impurity(*column[1:]), abs=1e-12)
    least = min((impurity for _, impurity in expected), default=curve.node_impurity)
    assert curve.gain == pytest.approx(curve.node_impurity - least, abs=1e-12)
    assert curve.best == (curve.impurity.argmin() if expected else -1)


@untimed
@given(columns())
def test_left_weight_and_missing_side_describe_the_cut(column):
    x, y, weight, criterion, n_classes = column
    curve = impurity_curve(*column)
    for i, threshold in enumerate(curve.threshold):
        left = (x <= threshold) | (np.isnan(x) & curve.missing_left[i])
        assert curve.left_weight[i] == pytest.approx(weight[left].sum())
        after = naive_after(left, y, weight, criterion, n_classes)
        assert curve.impurity[i] == pytest.approx(after, abs=1e-12)


def naive_best_subset(codes, y, weight, criterion, n_classes):
    present = np.unique(codes[~np.isnan(codes)])
    best = math.inf
    for size in range(1, len(present) + 1):
        for subset in itertools.combinations(present, size):
            for extra in (np.isnan(codes), np.zeros(len(codes), dtype=bool)):
                left = np.isin(codes, subset) | extra
                if left.any() and not left.all():
                    best = min(best, naive_after(left, y, weight, criterion, n_classes))
    return best


@untimed
@given(columns(), st.sampled_from(["gini", "entropy", "squared_error"]))
def test_category_order_contains_the_best_subset_for_two_classes_and_squared_error(column, criterion):
    x, y, weight, _, _ = column
    codes, y = np.floor(x), np.minimum(np.abs(y), 1).astype(int)
    n_classes = 0 if criterion == "squared_error" else 2
    known = ~np.isnan(codes)  # the theorem is about known values
    codes, y, weight = codes[known], y[known] * (1.0 if not n_classes else 1), weight[known]
    curve = category_curve(codes, y, weight, criterion, n_classes)
    best = naive_best_subset(codes, y, weight, criterion, n_classes)
    assert (curve.impurity.min() if len(curve.impurity) else math.inf) == pytest.approx(best, abs=1e-12)


@untimed
@given(columns())
def test_category_curve_says_what_its_subsets_give(column):
    x, y, weight, criterion, n_classes = column
    codes = np.floor(x)
    curve = category_curve(codes, y, weight, criterion, n_classes)
    for i in range(len(curve.threshold)):
        left = np.isin(codes, curve.order[: i + 1]) | (np.isnan(codes) & curve.missing_left[i])
        assert curve.threshold[i] == i + 1
        after = naive_after(left, y, weight, criterion, n_classes)
        assert curve.impurity[i] == pytest.approx(after, abs=1e-12)


def test_curves_by_hand_of_absolute_errors_of_neighbouring_floats_and_of_large_numbers():
    curve = impurity_curve(np.array([1.0, 2, 3]), np.array([0.0, 10, 12]), None, "absolute_error")
    assert curve.node_impurity == pytest.approx(12 / 3)
    np.testing.assert_allclose(curve.impurity, [2 / 3, 10 / 3])
    low, high = 1.0, np.nextafter(1.0, 2)
    assert impurity_curve(np.array([low, high]), np.array([0, 1]), None, "gini", 2).threshold.tolist() == [low]
    y = 1e9 + np.array([0.0, 1, 0, 1])
    assert node_impurity(target(y, None, "squared_error")) == pytest.approx(0.25, rel=1e-9)


def test_a_criterion_of_the_other_task_is_refused_with_those_that_fit():
    with pytest.raises(ValueError, match=r"'gini' is none for regression: take one of squared_error, absolute"):
        target(np.zeros(3), None, "gini")
    with pytest.raises(ValueError, match="'squared_error' is none for classification"):
        target(np.zeros(3, int), None, "squared_error", 2)


def table(n: int, classification: bool, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 5, n), rng.integers(0, 2, n), np.ones(n)])
    X[rng.random(X.shape) < 0.05] = np.nan
    features = [
        Feature("x"), Feature("colour", "category", tuple("abcde")),
        Feature("smoker", "yes/no", ("no", "yes")), Feature("constant"),
    ]  # fmt: skip
    signal = np.nan_to_num(X[:, 0]) + (X[:, 1] == 3) + rng.normal(size=n) / 2
    y = np.digitize(signal, [0, 1]) if classification else signal
    return make_dataset(
        "t", X, features, y, Feature("y", "category", ("l", "m", "h")) if classification else Feature("y")
    )


CASES = [(True, c) for c in CLASSIFICATION] + [(False, c) for c in REGRESSION]


@pytest.mark.parametrize(("classification", "criterion"), CASES)
def test_the_tree_splits_where_the_first_curve_is_least(classification, criterion):
    data = table(300, classification)
    learner = CartClassifier if classification else CartRegressor
    tree = (
        learner(criterion=criterion, max_depth=3, categorical_features=data.categorical).fit(data.X, data.y).tree_
    )
    for node in np.flatnonzero(tree.feature != LEAF).tolist():
        curves = impurity_curves(data, rows_in(tree, data.X, node), None, criterion)
        assert curves[0].node_impurity == pytest.approx(tree.impurity[node])
        left, right = tree.left[node], tree.right[node]
        after = (
            tree.weight[left] * tree.impurity[left] + tree.weight[right] * tree.impurity[right]
        ) / tree.weight[node]
        assert curves[0].impurity.min() == pytest.approx(after)
        own = next(c for c in curves if c.feature == tree.feature[node])
        cut = nodes.cut_of(tree, node, own)
        assert cut is not None
        assert own.impurity[np.flatnonzero(own.threshold == cut)[0]] == pytest.approx(after)


def test_under_gain_ratio_the_feature_that_the_tree_splits_on_comes_first():
    data = table(300, True)
    learner = CartClassifier(criterion="gain_ratio", max_depth=4, categorical_features=data.categorical)
    tree = learner.fit(data.X, data.y).tree_
    for node in np.flatnonzero(tree.feature != LEAF).tolist():
        rows = rows_in(tree, data.X, node)
        curves = impurity_curves(data, rows, None, "gain_ratio")
        assert curves[0].feature == tree.feature[node]
        left = rows_in(tree, data.X, int(tree.left[node]))[rows]
        gain, ratio = naive.gain_and_ratio(left, data.y[rows], np.ones(rows.sum()), 3)
        assert curves[0].gain == pytest.approx(gain)
        assert nodes.ratio(curves[0], rows.sum()) == pytest.approx(ratio)
        average = np.mean([c.gain for c in curves if c.best >= 0])
        able = [c.gain >= average - 1e-12 for c in curves]
        assert able == sorted(able, reverse=True), "those that gain less than the average stand below"


def test_curves_come_the_least_impurity_first_rows_may_be_numbers_or_bools_and_weights_are_of_all_samples():
    curves = impurity_curves(table(300, True), np.arange(300), None, "gini")
    least = [c.impurity.min() for c in curves[:-1]]
    assert least == sorted(least)
    assert [c.feature for c in curves][:2] == [0, 1]
    assert {c.feature for c in curves} == {0, 1, 2, 3}
    data, inside = table(200, True), np.arange(200) % 3 == 0
    weight = np.linspace(0.5, 2, 200)
    by_bool = impurity_curves(data, inside, weight, "gini")
    by_number = impurity_curves(data, np.flatnonzero(inside), weight, "gini")
    for a, b in zip(by_bool, by_number, strict=True):
        assert a.impurity.tobytes() == b.impurity.tobytes()
        assert a.n_samples == inside.sum()
    assert by_bool[0].node_impurity == pytest.approx(naive.impurity(data.y[inside], weight[inside], "gini", 3))


@pytest.mark.parametrize("criterion", CLASSIFICATION + REGRESSION)
@pytest.mark.parametrize("together", [1, 90, 10**6])
def test_columns_looked_at_together_have_the_curves_that_each_has_alone(monkeypatch, criterion, together):
    monkeypatch.setattr(nodes, "TOGETHER", together)
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.integers(0, d, 40) for d in (2, 5, 1, 30, 3)] + [rng.normal(size=40)] * 2)
    X[::7, 4] = np.nan
    y, kind = (
        (rng.integers(0, 3, 40), "category") if criterion in CLASSIFICATION else (rng.normal(size=40), "number")
    )
    goal = Feature("y", kind, ("a", "b", "c") if kind == "category" else ())
    data = make_dataset("mixed", X, [Feature(f"x{i}") for i in range(7)], y, goal)
    rows, weight = np.arange(0, 40, 2), rng.choice([0.5, 1.0, 2.0], 40)
    for curve in impurity_curves(data, rows, weight, criterion):
        alone = impurity_curve(X[rows, curve.feature], data.y[rows], weight[rows], criterion, len(data.classes))
        for name in ("threshold", "impurity", "left_weight", "missing_left"):
            assert np.array_equal(getattr(curve, name), getattr(alone, name)), (curve.feature, name)


def test_thinning_keeps_the_least_point_and_the_ends_and_a_short_curve_whole():
    rng = np.random.default_rng(1)
    whole = impurity_curve(rng.normal(size=5000), rng.integers(0, 2, 5000), None, "gini", 2)
    fewer = thin(whole, 400)
    assert len(fewer.threshold) <= 400
    assert (fewer.threshold[fewer.best], fewer.gain) == (whole.threshold[whole.best], whole.gain)
    assert fewer.threshold[[0, -1]].tolist() == whole.threshold[[0, -1]].tolist()
    at = np.searchsorted(whole.threshold, fewer.threshold)
    assert np.array_equal(whole.impurity[at], fewer.impurity)
    assert fewer.impurity.max() == whole.impurity.max()
    curve = impurity_curve(np.arange(10.0), np.arange(10) % 2, None, "gini", 2)
    assert thin(curve, 400) is curve


def test_too_many_cells_are_answered_from_a_part_of_the_rows(monkeypatch):
    monkeypatch.setattr(nodes, "MAX_CELLS", 4_000)
    data = table(3_000, False)
    curves = impurity_curves(data, np.arange(3_000), None, "squared_error")
    assert {c.n_samples for c in curves} == {1_000}
    again = impurity_curves(data, np.arange(3_000), None, "squared_error")
    assert [c.gain for c in curves] == [c.gain for c in again]


def test_rows_in_follow_the_tree():
    data = table(300, True)
    tree = CartClassifier(max_depth=4, categorical_features=data.categorical).fit(data.X, data.y).tree_
    assert rows_in(tree, data.X, 0).all()
    for node in range(tree.n_nodes):
        inside = rows_in(tree, data.X, node)
        assert inside.sum() == tree.n_samples[node]
        if tree.feature[node] != LEAF:
            sides = [rows_in(tree, data.X, int(child[node])) for child in (tree.left, tree.right)]
            assert np.array_equal(sides[0] ^ sides[1], inside)


@pytest.mark.parametrize("classification", [True, False])
def test_a_strip_holds_the_weight_of_all_known_samples(classification):
    data, rows = table(300, classification), np.arange(300) % 2 == 0
    weight = np.linspace(0.5, 2, 300)
    for curve in impurity_curves(data, rows, weight, "gini" if classification else "squared_error"):
        beneath = strip(data, rows, weight, curve)
        known = rows & ~np.isnan(data.X[:, curve.feature])
        assert beneath.weight.sum() == pytest.approx(weight[known].sum())
        assert beneath.weight.shape == (3 if classification else 1, len(beneath.centre))


def test_no_bar_of_a_strip_has_rows_of_both_sides_of_the_cut():
    data = table(300, True)
    for curve in impurity_curves(data, np.arange(300), None, "gini"):
        x = data.X[:, curve.feature]
        if curve.feature == 1 or not np.isfinite(curve.threshold[curve.best]):
            continue
        for cut in (None, *curve.threshold[np.isfinite(curve.threshold)][::9].tolist()):
            beneath = strip(data, np.arange(300), None, curve, cut)
            at = float(curve.threshold[curve.best]) if cut is None else cut
            left = np.round((beneath.centre - at) / beneath.width, 6) < 0
            assert beneath.weight[:, left].sum() == np.count_nonzero(x <= at)
            assert np.allclose((beneath.centre - at) / beneath.width % 1, 0.5)
            assert len(beneath.centre) <= 41


def test_a_strip_of_categories_stands_in_the_order_of_the_curve():
    data = table(300, True)
    curve = next(c for c in impurity_curves(data, np.arange(300), None, "gini") if c.feature == 1)
    beneath = strip(data, np.arange(300), None, curve)
    assert beneath.centre.tolist() == curve.order.tolist()
    counts = [np.count_nonzero(data.X[:, 1] == code) for code in curve.order]
    assert beneath.weight.sum(axis=0).tolist() == counts


def after_split(tree, node):
    """The impurity after the tree's split of a node, over all its samples."""
    sides = [tree.left[node], tree.right[node]]
    return (tree.weight[sides] * tree.impurity[sides]).sum() / tree.weight[node]


def with_gaps(classification):
    data = table(300, classification)
    X = np.where(np.random.default_rng(4).random(data.X.shape) < 0.2, np.nan, data.X)
    return make_dataset("gaps", X, data.features, data.y, data.target)


@pytest.mark.parametrize(("classification", "criterion"), CASES)
def test_with_surrogates_the_first_curve_is_that_of_the_split_among_the_rows_with_a_value(
    classification, criterion
):
    """The naive version takes the decrease of the samples with a value; their share of the weight scales it."""
    data = with_gaps(classification)
    learner = CartClassifier if classification else CartRegressor
    model = learner(criterion=criterion, missing="surrogate", max_depth=3, categorical_features=data.categorical)
    tree = model.fit(data.X, data.y).tree_
    n_classes = len(data.classes)
    for node in np.flatnonzero(tree.feature != LEAF).tolist():
        rows = np.flatnonzero(rows_in(tree, data.X, node))
        curves = impurity_curves(data, rows, None, criterion, rules_at(tree, node, "surrogate"))
        assert curves[0].feature == tree.feature[node]
        x = data.X[rows, tree.feature[node]]
        known = rows[~np.isnan(x)]
        left = np.isin(known, np.flatnonzero(rows_in(tree, data.X, int(tree.left[node]))))
        about = (criterion, n_classes)
        gain = len(known) * naive.impurity(data.y[known], np.ones(len(known)), *about)
        gain -= naive.cost(left, data.y[known], np.ones(len(known)), *about)
        assert curves[0].gain == pytest.approx(gain / len(rows))
        assert not curves[0].missing_left.any()
        assert np.isfinite(curves[0].threshold).all()


def test_with_directions_the_first_curve_is_least_where_the_tree_splits():
    """Every split of the tree is the best that the directions admit at its node: no curve has a better one."""
    for criterion in ["gini", "entropy", "squared_error", "absolute_error", "poisson"]:
        for seed in range(3):
            with case((criterion, seed)):
                rng = np.random.default_rng(seed)
                X = rng.normal(size=(150, 3)).round(1)
                X[rng.random(X.shape) < 0.1] = np.nan
                y = np.sin(3 * np.nan_to_num(X[:, 0])) + np.nan_to_num(X[:, 1]) + rng.normal(size=150)
                is_class = criterion in CLASSIFICATION
                y = (y > 0).astype(float) if is_class else np.abs(y).round(2)
                goal = Feature("y", "category", ("a", "b")) if is_class else Feature("y")
                data = make_dataset("d", X, [Feature(f"x{i}") for i in range(3)], y, goal)
                directions = np.array([1, -1, 0])
                learner: Any = CartClassifier if is_class else CartRegressor
                tree = learner(criterion=criterion, max_depth=4, monotonic_cst=directions).fit(X, y).tree_
                for node in np.flatnonzero(tree.feature != LEAF).tolist():
                    rules = rules_at(tree, node, "side", directions)
                    curves = impurity_curves(data, rows_in(tree, X, node), None, criterion, rules)
                    assert curves[0].impurity.min() == pytest.approx(after_split(tree, node))
                    assert tree.feature[node] in [
                        c.feature for c in curves if c.gain == pytest.approx(curves[0].gain)
                    ]


def test_with_a_category_of_their_own_missing_numbers_never_go_left():
    x = np.array([1.0, 2, 3, 4, np.nan, np.nan])
    data = make_dataset(
        "gaps", x[:, None], [Feature("x")], np.array([0, 0, 1, 1, 0, 0]), Feature("y", "category", ("no", "yes"))
    )
    tree = CartClassifier(max_depth=1, missing="category").fit(data.X, data.y).tree_
    (beyond,) = impurity_curves(data, np.arange(6), None, "gini", rules_at(tree, 0, "category"))
    (better,) = impurity_curves(data, np.arange(6), None, "gini")
    assert (beyond.missing_left.any(), better.missing_left.any()) == (False, True)
    assert beyond.impurity.min() == pytest.approx(after_split(tree, 0))


def half_deviance(y, weight):
    """Half the mean Poisson deviance from the mean; infinite for later events where there were none."""
    mean = np.average(y, weights=weight)
    terms = [v * math.log(v / mean) if v > 0 else 0.0 for v in y]
    return float(np.average(terms, weights=weight))


@settings(untimed, max_examples=40)
@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.sampled_from([0.0, 0.5, 3.0]), st.sampled_from([1.0, 2.5])), min_size=2
    )
)
def test_a_curve_is_the_obvious_one_and_cuts_without_events_on_a_side_gain_nothing(rows):
    x, y, weight = map(np.array, zip(*rows, strict=True))
    curve = impurity_curve(x.astype(float), y, weight, "poisson")
    assert curve.node_impurity == pytest.approx(half_deviance(y, weight) if y.any() else 0.0, abs=1e-12)
    for threshold, found in zip(curve.threshold, curve.impurity, strict=True):
        left = x <= threshold
        if y[left].any() and y[~left].any():
            parts = [half_deviance(y[side], weight[side]) * weight[side].sum() for side in (left, ~left)]
            assert found == pytest.approx(sum(parts) / weight.sum(), abs=1e-12)
        else:
            assert found == pytest.approx(curve.node_impurity, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_root_of_a_tree_by_poisson_deviance_is_the_best_cut_of_its_curves(seed):
    rng = np.random.default_rng(seed)
    x, weight = rng.integers(0, 9, 60).astype(float), rng.choice([1.0, 2.0], 60)
    y = rng.poisson(np.exp(0.3 * x - 1)).astype(float)
    tree = CartRegressor(criterion="poisson", max_depth=1).fit(x[:, None], y, weight).tree_
    curve = impurity_curve(x, y, weight, "poisson")
    assert curve.threshold[curve.best] == tree.threshold[0]
    assert curve.node_impurity == pytest.approx(tree.impurity[0])
    assert curve.impurity[curve.best] == pytest.approx(tree.weight[1:] @ tree.impurity[1:] / tree.weight[0])


def test_categories_are_ordered_by_their_rate_of_events():
    codes, y = np.array([0.0, 0, 1, 1, 2, 2]), np.array([5.0, 7, 1, 0, 3, 2])
    assert category_curve(codes, y, None, "poisson").order.tolist() == [1, 2, 0]

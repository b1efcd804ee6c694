"""Poisson deviance and gain ratio as criteria: by hand, by Quinlan's numbers, naive versions, and laws."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import mean_poisson_deviance

from espalier.learners import CartClassifier, CartRegressor, RandomForestRegressor
from espalier.tree_checks import check_tree
from espalier.trees import LEAF
from tests.learners.cart.test_cart import assert_every_split_is_the_best, column, tables
from tests.tools.naive import cart as naive
from tests.tools.same_trees import are_same

untimed = settings(deadline=None, max_examples=70)


@st.composite
def counts(draw):
    """Small tables with counts as targets, not all of them 0."""
    X, y, weight, categorical = draw(tables(classification=True))
    y = y * draw(st.sampled_from([1.0, 0.5, 7.0]))
    assume(y.any())
    return X, y, weight, categorical


def test_the_impurity_is_half_the_deviance_from_the_mean():
    y = [1.0, 2, 3, 0]
    root = CartRegressor(criterion="poisson", max_depth=1).fit(column(1, 2, 3, 4), y).tree_.impurity[0]
    assert root == pytest.approx((math.log(1 / 1.5) + 2 * math.log(2 / 1.5) + 3 * math.log(3 / 1.5)) / 4)
    assert root == pytest.approx(mean_poisson_deviance(y, [1.5] * 4) / 2)


def test_relative_differences_count_where_squares_see_the_absolute_ones():
    X, y = column(1, 2, 3, 4), [0.1, 10, 11, 22]
    thresholds = {"poisson": 1.5, "squared_error": 3.5}
    for criterion, threshold in thresholds.items():
        assert CartRegressor(criterion=criterion, max_depth=1).fit(X, y).tree_.threshold[0] == threshold


@untimed
@given(table=counts())
def test_no_split_is_better_than_the_one_chosen(table):
    X, y, weight, categorical = table
    model = CartRegressor(criterion="poisson", categorical_features=categorical).fit(X, y, sample_weight=weight)
    # The order by means holds the best set of categories, unless that leaves a side without events.
    exact = not categorical or y.min() > 0
    assert_every_split_is_the_best(model.tree_, table, "poisson", exact=exact)


@untimed
@given(table=counts(), splitter=st.sampled_from(["best", "random"]))
def test_no_leaf_predicts_zero(table, splitter):
    X, y, weight, categorical = table
    model = CartRegressor(criterion="poisson", splitter=splitter, categorical_features=categorical, random_state=0)
    model.fit(X, y, sample_weight=weight)
    assert model.tree_.value.min() > 0


def test_zeros_are_counted_although_sums_of_fractions_are_rounded():
    y = [0.1, 0.2, 0.3, 0.7, 1e-17, 0, 0]  # what is left of the sum after the fourth is not 0
    model = CartRegressor(criterion="poisson").fit(np.arange(7.0)[:, None], y)
    assert model.tree_.value.min() > 0


def test_a_forest_grows_by_it_too():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 3))
    y = rng.poisson(np.exp(3 * X[:, 0]))
    own: dict = {"n_estimators": 20, "min_samples_leaf": 5, "random_state": 0}
    forest = RandomForestRegressor(criterion="poisson", **own).fit(X, y)
    single = CartRegressor(criterion="poisson", min_samples_leaf=5).fit(X, y)
    truth = np.exp(3 * X[:, 0])
    assert mean_poisson_deviance(truth, forest.predict(X)) < mean_poisson_deviance(truth, single.predict(X))


@pytest.mark.parametrize("kind", [CartRegressor, RandomForestRegressor])
def test_targets_without_a_deviance_are_refused_with_the_reason(kind):
    learner = kind(criterion="poisson")
    with pytest.raises(ValueError, match=r"Some value\(s\) of y are negative .* The least is -0.5"):
        learner.fit(column(1, 2, 3), [1, -0.5, 2])
    with pytest.raises(ValueError, match="Sum of y is not strictly positive"):
        learner.fit(column(1, 2, 3), [0, 0, 0])


def friedmans_improvement(left, y, weight):
    """Improvement of a split (Friedman 2001, "Greedy function approximation", equation 35)."""
    sides = [np.average(y[side], weights=weight[side]) for side in (left, ~left)]
    parts = weight[left].sum() * weight[~left].sum() / weight.sum()
    return parts * (sides[0] - sides[1]) ** 2


@untimed
@given(table=tables(classification=False))
def test_friedmans_improvement_chooses_the_splits_of_squared_error(table):
    X, y, weight, _ = table
    tree = CartRegressor(criterion="friedman_mse", max_depth=1).fit(X, y, sample_weight=weight).tree_
    if tree.n_leaves == 1:
        return
    left = np.isin(np.arange(len(y)), naive.rows_by_node(tree, X)[1])
    parts = [part for f in range(X.shape[1]) for part in naive.partitions(X[:, f], False)]
    best = max(friedmans_improvement(part, y, weight) for part in parts)
    assert friedmans_improvement(left, y, weight) == pytest.approx(best, abs=1e-9)


# ---- C4.5's gain ratio as a criterion: by hand, against Quinlan's numbers, the naive version, and by law

# y is four times 0, then four times 1
Y = np.repeat([0, 1], 4)
ONE_OFF = [0, 0, 0, 0, 0, 0, 0, 1]  # parts a single sample from the others: gains 0.138, ratio 0.254
HALVES = [0, 0, 0, 1, 0, 1, 1, 1]  # halves of three to one: gains 0.189, ratio 0.189
WORTHLESS = [0, 1, 0, 1, 0, 1, 0, 1]  # gains nothing


def grow(*columns, y: object = Y, **parameters):
    X = np.column_stack([np.asarray(c, dtype=float) for c in columns])
    return CartClassifier(criterion="gain_ratio", **parameters).fit(X, np.asarray(y)).tree_


def test_a_split_below_the_average_gain_is_not_chosen_for_its_ratio_and_a_worthless_feature_lowers_it():
    one_off, halves = (naive.gain_and_ratio(np.array(x) == 0, Y, np.ones(8), 2) for x in (ONE_OFF, HALVES))
    assert one_off == pytest.approx((0.138, 0.254), abs=1e-3)
    assert halves == pytest.approx((0.189, 0.189), abs=1e-3)
    assert grow(ONE_OFF, HALVES, max_depth=1).feature[0] == 1
    assert grow(WORTHLESS, HALVES, ONE_OFF, max_depth=1).feature[0] == 2
    assert grow(np.zeros(8), HALVES, ONE_OFF, max_depth=1).feature[0] == 1, "what parts nothing is no candidate"
    X = np.column_stack([WORTHLESS, HALVES, ONE_OFF])
    assert CartClassifier(criterion="entropy", max_depth=1).fit(X, Y).tree_.feature[0] == 1


def test_a_features_own_threshold_is_the_one_that_gains_most():
    # Cutting off the first sample has the greater ratio, cutting in the middle the greater gain.
    y = np.array([1, 0, 0, 0, 0, 1, 1, 1, 0, 1])
    x = np.arange(10.0)
    chosen = grow(x, y=y, max_depth=1)
    by_gain = CartClassifier(criterion="entropy", max_depth=1).fit(x[:, None], y).tree_
    assert chosen.threshold[0] == by_gain.threshold[0]


def test_the_first_of_equal_features_wins_even_mirrored_and_however_weights_are_rounded():
    x = np.arange(8.0)
    assert grow(x, -x, max_depth=1).feature[0] == 0
    assert grow(-x, x, max_depth=1).feature[0] == 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, y = rng.normal(size=90), rng.integers(0, 2, 90)
        X, weight = np.column_stack([x, -x, x]), rng.uniform(0.1, 1, 90)
        model = CartClassifier(criterion="gain_ratio", max_depth=3).fit(X, y, sample_weight=weight)
        assert set(model.tree_.feature) <= {0, LEAF}, seed


def test_a_split_is_worth_the_same_on_many_values_and_on_two():
    x = np.arange(100.0)
    for columns in ((x, x > 30), (x > 30, x)):
        assert grow(*columns, y=x > 30, max_depth=1).feature[0] == 0


def test_impurities_are_entropies_in_bits_and_one_feature_alone_makes_the_tree_of_entropy():
    tree = grow(np.arange(4.0), y=[0, 1, 1, 1])
    assert tree.impurity[0] == pytest.approx(0.25 * 2 + 0.75 * np.log2(4 / 3))
    assert tree.impurity[1:].tolist() == [0, 0]
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 1)), rng.integers(0, 3, 200)
    ours, theirs = (CartClassifier(criterion=c).fit(X, y).tree_ for c in ("gain_ratio", "entropy"))
    assert are_same(ours, theirs)
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    assert CartClassifier(criterion="gain_ratio").fit(X, [0, 1, 1, 0]).tree_.n_leaves == 4


def test_gains_and_ratios_are_those_of_quinlan():
    """Data of Quinlan (1986), "Induction of Decision Trees", table 1; gains in section 4, ratios in section 7."""
    play = np.array([0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0])
    windy = np.array([0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1])
    humid = np.array([1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1])
    for answers, gain, ratio in ((windy, 0.048, 0.049), (humid, 0.151, 0.151)):
        assert naive.gain_and_ratio(answers == 0, play, np.ones(14), 2) == pytest.approx((gain, ratio), abs=1e-3)
        tree = grow(answers, y=play, max_depth=1)
        after = (tree.weight[1:] * tree.impurity[1:]).sum() / tree.weight[0]
        assert tree.impurity[0] - after == pytest.approx(gain, abs=1e-3)
    assert grow(windy, humid, y=play, max_depth=1).feature[0] == 1


@settings(deadline=None, max_examples=100)
@given(table=tables(classification=True))
def test_every_split_is_the_one_that_the_naive_version_chooses(table):
    X, y, weight, categorical = table
    y = np.unique(y, return_inverse=True)[1]
    assert_every_split_is_naive((X, y, weight, categorical))


@pytest.mark.few(4)
@pytest.mark.parametrize("seed", [0, 1, 2, 3, 4, 5, 6, 7])
def test_columns_of_many_values_are_split_as_the_naive_version_does(seed):
    """More than 64 values are sorted, not counted; with ties, missing values, weights, two or three classes."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(130, 2)), np.round(rng.normal(size=130), 2), rng.integers(0, 5, 130)])
    y = (X[:, 0] + X[:, 1] + rng.normal(size=130) > 0) + (rng.random(130) < 0.3) * (seed % 2)
    X[rng.random(X.shape) < (0.15 if seed & 2 else 0)] = np.nan
    weight = rng.uniform(0.5, 2, 130) if seed & 4 else np.ones(130)
    assert_every_split_is_naive((X, y, weight, [3]), max_depth=3)


def assert_every_split_is_naive(table, **parameters):
    X, y, weight, categorical = table
    n_classes = int(y.max()) + 1
    model = CartClassifier(criterion="gain_ratio", categorical_features=categorical, **parameters)
    tree = model.fit(X, y, sample_weight=weight).tree_
    check_tree(tree)
    rows = naive.rows_by_node(tree, X)
    for node, here in enumerate(rows):
        best = naive.best_by_ratio(X[here], y[here], weight[here], n_classes=n_classes, categorical=categorical)
        if tree.feature[node] == LEAF:
            assert tree.impurity[node] == 0 or not best or tree.depth == parameters.get("max_depth")
            continue
        left = np.isin(here, rows[tree.left[node]])
        gain, ratio = naive.gain_and_ratio(left, y[here], weight[here], n_classes)
        assert tree.feature[node] in best, "a feature that gains less than the average"
        assert gain == pytest.approx(best[tree.feature[node]][0], abs=1e-9)
        assert ratio >= max(ratio for _, ratio in best.values()) - 1e-9


@pytest.mark.parametrize("parameters", [{"splitter": "random"}, {"max_features": 2}, {"max_leaf_nodes": 7}])
def test_chance_and_limits_work_as_with_the_other_criteria(parameters):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.integers(0, 2, 200)
    model = CartClassifier(criterion="gain_ratio", random_state=1, min_samples_leaf=3, **parameters)
    one, again = (model.fit(X, y).tree_ for _ in range(2))
    check_tree(one)
    assert np.array_equal(one.threshold, again.threshold, equal_nan=True)
    assert 1 < one.n_leaves <= parameters.get("max_leaf_nodes", 200)
    assert one.n_samples.min() >= 3


def test_pruning_takes_branches_off_by_their_entropy():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 2)), rng.integers(0, 2, 100)
    whole, pruned = (
        CartClassifier(criterion="gain_ratio", ccp_alpha=a).fit(X, y).tree_ for a in (0.0, 0.05)
    )  # fmt: skip
    assert 1 <= pruned.n_leaves < whole.n_leaves

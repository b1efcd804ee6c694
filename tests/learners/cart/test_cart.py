"""CART, by Poisson deviance and gain ratio too: by hand, by Quinlan's numbers, law, and naive version."""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from sklearn.metrics import mean_poisson_deviance

from espalier.learners import CartClassifier, CartRegressor, RandomForestRegressor
from espalier.tree_checks import check_tree
from espalier.trees import LEAF
from tests.tools.naive import cart as naive
from tests.tools.same_trees import are_same

CLASSIFICATION = ("gini", "entropy", "misclassification")
REGRESSION = ("squared_error", "absolute_error")


def column(*values):
    return np.array(values, dtype=float)[:, None]


def test_the_threshold_is_the_midpoint_and_of_equal_splits_the_first_feature_and_the_lowest_win():
    tree = CartClassifier().fit(column(1, 2, 4, 8), [0, 0, 1, 1]).tree_
    assert tree.threshold[0] == 3
    assert tree.value.tolist() == [[0.5, 0.5], [1, 0], [0, 1]]
    X = np.array([[0, 0], [1, 1], [2, 2], [3, 3]], dtype=float)
    tree = CartClassifier(max_depth=1).fit(X, [0, 1, 0, 1]).tree_
    assert (tree.feature[0], tree.threshold[0]) == (0, 0.5)
    X = column(2.0**53 - 3, 2.0**53 - 2, 2.0**53 - 1)
    model = CartRegressor().fit(X, [1, 2, 3])
    assert model.predict(X).tolist() == [1, 2, 3]


def test_the_impurities_of_a_node_are_those_of_the_textbook():
    X, y = column(1, 2, 3, 4), [0, 1, 1, 1]
    shares = {"gini": 0.375, "entropy": 0.25 * 2 + 0.75 * np.log2(4 / 3), "misclassification": 0.25}
    for criterion, expected in shares.items():
        root = CartClassifier(criterion=criterion, max_depth=1).fit(X, y).tree_.impurity[0]
        assert root == pytest.approx(expected)
    means = {"squared_error": 0.1875, "absolute_error": 0.25}
    for criterion, expected in means.items():
        root = CartRegressor(criterion=criterion, max_depth=1).fit(X, y).tree_.impurity[0]
        assert root == pytest.approx(expected)


def test_a_missing_value_goes_to_the_better_side_or_the_larger_child_or_is_the_question_itself():
    X = column(1, 2, 3, 4, np.nan, np.nan)
    left = CartClassifier(max_depth=1).fit(X, [0, 0, 1, 1, 0, 0]).tree_
    right = CartClassifier(max_depth=1).fit(X, [0, 0, 1, 1, 1, 1]).tree_
    assert left.missing_left[0]
    assert not right.missing_left[0]
    assert left.impurity[1:].tolist() == right.impurity[1:].tolist() == [0, 0]
    model = CartClassifier().fit(column(1, 2, 3, np.nan, np.nan), ["known"] * 3 + ["missing"] * 2)
    assert model.tree_.threshold[0] == np.inf
    assert model.predict(column(-1e9, 1e9, np.nan)).tolist() == ["known", "known", "missing"]
    assert CartClassifier().fit(column(1, 2, 3, 9), [0, 0, 0, 1]).tree_.missing_left[0]
    assert not CartClassifier().fit(column(1, 7, 8, 9), [0, 1, 1, 1]).tree_.missing_left[0]


def test_categories_are_split_as_sets_and_an_unseen_one_goes_with_the_larger_child():
    X, y = column(0, 1, 2, 3, 0, 1, 2, 3), [0, 1, 0, 1, 0, 1, 0, 1]
    model = CartClassifier(categorical_features=[0]).fit(X, y)
    assert model.tree_.n_leaves == 2
    assert [model.predict(column(c))[0] for c in range(4)] == [0, 1, 0, 1]
    X, y = column(0, 0, 0, 5), [0, 0, 0, 1]
    assert CartClassifier(categorical_features=[0]).fit(X, y).predict(column(3))[0] == 0


def test_random_trees_differ_by_seed_and_repeat_by_seed():
    rng = np.random.default_rng(0)
    X, y = rng.random((200, 5)), rng.integers(0, 2, 200)
    for model in (CartClassifier(splitter="random"), CartClassifier(max_features=2)):
        one, again, other = (model.set_params(random_state=s).fit(X, y).tree_ for s in (1, 1, 2))
        assert np.array_equal(one.threshold, again.threshold, equal_nan=True)
        assert not np.array_equal(one.threshold, other.threshold, equal_nan=True)


def test_a_node_keeps_looking_until_a_feature_varies():
    X = np.column_stack([np.zeros((50, 9)), np.arange(50)])
    tree = CartClassifier(max_features=1, random_state=0, max_depth=1).fit(X, np.arange(50) > 20).tree_
    assert tree.feature[0] == 9


@st.composite
def tables(draw, classification):
    """Small tables of all kinds: ties, missing values, categories, weights."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n, p = draw(st.integers(2, 24)), draw(st.integers(1, 4))
    X = np.round(rng.normal(size=(n, p)), draw(st.integers(0, 3)))
    categorical = [f for f in range(p) if draw(st.booleans())]
    X[:, categorical] = rng.integers(0, 4, (n, len(categorical)))
    X[rng.random((n, p)) < draw(st.sampled_from([0, 0.2]))] = np.nan
    weight = np.ones(n) if draw(st.booleans()) else rng.integers(1, 4, n).astype(float)
    n_classes = draw(st.integers(2, 4))
    y = rng.integers(0, n_classes, n) if classification else np.round(rng.normal(size=n), 1)
    return X, y, weight, categorical


def assert_every_split_is_the_best(tree, table, criterion, *, exact=True):
    X, y, weight, categorical = table
    n_classes = int(y.max()) + 1 if criterion in CLASSIFICATION else 0
    rows = naive.rows_by_node(tree, X)
    check_tree(tree)
    for node in range(tree.n_nodes):
        here = rows[node]
        assert tree.n_samples[node] == len(here)
        assert tree.weight[node] == pytest.approx(weight[here].sum())
        impurity = naive.impurity(y[here], weight[here], criterion, n_classes)
        assert tree.impurity[node] == pytest.approx(impurity, abs=1e-9)
        best = naive.best_cost(
            X[here], y[here], weight[here], criterion, n_classes=n_classes, categorical=categorical
        )
        if tree.feature[node] < 0:
            assert impurity < 1e-9 or best == np.inf
            continue
        left = np.isin(here, rows[tree.left[node]])
        chosen = naive.cost(left, y[here], weight[here], criterion, n_classes)
        assert chosen >= best - 1e-9
        if exact:
            assert chosen == pytest.approx(best, abs=1e-9)


# At x <= 0.5 a second split gains nothing, of which rounding made less than nothing.
GAINS_NOTHING = (
    np.array([[0.0, 1, 0, -1, 1, 0, -1, 1, 0, 0, 0]]).T,
    np.array([0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1]),
    np.array([2.0, 2, 1, 3, 3, 3, 1, 3, 1, 2, 3]),
    [],
)


@pytest.mark.parametrize("criterion", CLASSIFICATION)
@settings(deadline=None, max_examples=70)
@given(table=tables(classification=True))
@example(table=GAINS_NOTHING)
def test_no_split_is_better_than_the_one_chosen_in_classification(criterion, table):
    X, y, weight, categorical = table
    y = np.unique(y, return_inverse=True)[1]
    cart = CartClassifier(criterion=criterion, categorical_features=categorical)
    tree = cart.fit(X, y, sample_weight=weight).tree_
    # Sets of categories are exact for two classes only.
    exact = bool(y.max() < 2 or not categorical)
    assert_every_split_is_the_best(tree, (X, y, weight, categorical), criterion, exact=exact)


@pytest.mark.parametrize("criterion", REGRESSION)
@settings(deadline=None, max_examples=70)
@given(table=tables(classification=False))
def test_no_split_is_better_than_the_one_chosen_in_regression(criterion, table):
    X, y, weight, categorical = table
    cart = CartRegressor(criterion=criterion, categorical_features=categorical)
    tree = cart.fit(X, y, sample_weight=weight).tree_
    exact = criterion == "squared_error" or not categorical
    assert_every_split_is_the_best(tree, table, criterion, exact=exact)


@settings(deadline=None, max_examples=40)
@given(table=tables(classification=True), min_leaf=st.integers(1, 5), leaves=st.integers(2, 6))
def test_stopping_rules_hold_whatever_the_data(table, min_leaf, leaves):
    X, y, weight, categorical = table
    limits = {"min_samples_leaf": min_leaf, "max_leaf_nodes": leaves}
    tree = CartClassifier(**limits, categorical_features=categorical).fit(X, y, sample_weight=weight).tree_
    check_tree(tree)
    assert tree.n_leaves <= leaves
    assert tree.n_leaves == 1 or tree.n_samples.min() >= min_leaf


def test_a_tie_of_a_number_and_a_category_is_the_same_tie_with_weights():
    X, y = np.array([[0.2, 2], [-0.4, 1], [1.8, 0], [-0.3, 2]]), np.array([0, 0, 1, 1])
    cart, times = CartClassifier(categorical_features=[1]), [2, 2, 1, 1]
    weighted = cart.fit(X, y, sample_weight=times).tree_
    repeated = cart.fit(X.repeat(times, 0), y.repeat(times)).tree_
    assert weighted.feature.tolist() == repeated.feature.tolist()


@settings(deadline=None, max_examples=40)
@given(table=tables(classification=True))
def test_whole_weights_are_the_same_as_repeated_samples(table):
    X, y, weight, categorical = table
    times = weight.astype(int)
    weighted = CartClassifier(categorical_features=categorical).fit(X, y, sample_weight=weight).tree_
    repeated = CartClassifier(categorical_features=categorical).fit(X.repeat(times, 0), y.repeat(times)).tree_
    assert weighted.value == pytest.approx(repeated.value)
    assert np.array_equal(weighted.feature, repeated.feature)


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


@untimed
@given(table=counts())
def test_no_split_is_better_than_the_one_chosen_by_poisson_deviance(table):
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


# C4.5's gain ratio as a criterion: by hand, against Quinlan's numbers, the naive version, and by law
# y is four times 0, then four times 1
HALVED = np.repeat([0, 1], 4)
ONE_OFF = [0, 0, 0, 0, 0, 0, 0, 1]  # parts a single sample from the others: gains 0.138, ratio 0.254
HALVES = [0, 0, 0, 1, 0, 1, 1, 1]  # halves of three to one: gains 0.189, ratio 0.189
WORTHLESS = [0, 1, 0, 1, 0, 1, 0, 1]  # gains nothing


def grow(*columns, y: object = HALVED, **parameters):
    X = np.column_stack([np.asarray(c, dtype=float) for c in columns])
    return CartClassifier(criterion="gain_ratio", **parameters).fit(X, np.asarray(y)).tree_


def test_a_split_below_the_average_gain_is_not_chosen_for_its_ratio_and_a_worthless_feature_lowers_it():
    one_off, halves = (naive.gain_and_ratio(np.array(x) == 0, HALVED, np.ones(8), 2) for x in (ONE_OFF, HALVES))
    assert one_off == pytest.approx((0.138, 0.254), abs=1e-3)
    assert halves == pytest.approx((0.189, 0.189), abs=1e-3)
    assert grow(ONE_OFF, HALVES, max_depth=1).feature[0] == 1
    assert grow(WORTHLESS, HALVES, ONE_OFF, max_depth=1).feature[0] == 2
    assert grow(np.zeros(8), HALVES, ONE_OFF, max_depth=1).feature[0] == 1, "what parts nothing is no candidate"
    X = np.column_stack([WORTHLESS, HALVES, ONE_OFF])
    assert CartClassifier(criterion="entropy", max_depth=1).fit(X, HALVED).tree_.feature[0] == 1


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

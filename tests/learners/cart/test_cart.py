"""CART by hand, by law, and against the naive version."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from espalier.learners import CartClassifier, CartRegressor
from espalier.tree_checks import check_tree
from tests.tools.naive import cart as naive

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


def test_leaves_predict_the_mean_or_the_median():
    X, y = np.zeros((4, 1)), [0, 0, 1, 7]
    assert CartRegressor().fit(X, y).predict(X[:1]) == 2
    assert CartRegressor(criterion="absolute_error").fit(X, y).predict(X[:1]) == 0.5


def test_exclusive_or_is_split_although_the_first_split_gains_nothing():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    model = CartClassifier().fit(X, [0, 1, 1, 0])
    assert model.tree_.n_leaves == 4
    assert model.score(X, [0, 1, 1, 0]) == 1


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

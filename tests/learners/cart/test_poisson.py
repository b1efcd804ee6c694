"""CART under the Poisson deviance: by hand, against the naive version, and by law."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import mean_poisson_deviance

from espalier.learners import CartRegressor, RandomForestRegressor
from tests.learners.cart.test_cart import assert_every_split_is_the_best, column, tables
from tests.tools.naive import cart as naive

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

"""Kernels of directions beside plain NumPy: regressions on sets of features, cuts, and logistic regression."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from espalier.kernels import oblique as kernels
from espalier.kernels.oblique import Moments, SideLimits, best_direction, find_discriminants
from espalier.learners import CartClassifier, CartRegressor, ObliqueClassifier, ObliqueRegressor
from espalier.learners.cart import task_of_classes, task_of_numbers


def moments(p, seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3 * p, p))
    return Moments(A.T @ A / (3 * p), rng.normal(size=(2, p)), np.arange(p) + 5, rng.uniform(0.5, 2, p))


def explained(m, t: int, support) -> float:
    support = list(support)
    return m.target[t, support] @ np.linalg.solve(m.gram[np.ix_(support, support)], m.target[t, support])


def support_of(directions, at: int) -> set[int]:
    return set((directions.feature[at, : directions.n_terms[at]] - 5).tolist())


@given(st.integers(0, 10_000), st.integers(3, 8))
def test_a_set_grows_by_the_feature_that_explains_most_more(seed, p):
    m, most = moments(p, seed), 3
    found = find_discriminants(m, most, p, 2)
    for t in range(2):
        first = max(range(p), key=lambda j: explained(m, t, [j]))
        chosen = [first, max(set(range(p)) - {first}, key=lambda j: explained(m, t, [first, j]))]
        assert support_of(found, t * 4) == set(chosen)
        third = max(set(range(p)) - set(chosen), key=lambda j: explained(m, t, [*chosen, j]))
        assert support_of(found, t * 4 + 1) == {*chosen, third}


@given(st.integers(0, 10_000), st.integers(3, 8))
def test_the_pairs_that_explain_most_come_in_order(seed, p):
    m = moments(p, seed)
    found = find_discriminants(m, 2, p, 3)
    for t in range(2):
        pairs = sorted(combinations(range(p), 2), key=lambda pair: -explained(m, t, pair))[:3]
        assert [support_of(found, t * 4 + 1 + i) for i in range(len(pairs))] == [set(pair) for pair in pairs]


@given(st.integers(0, 10_000))
def test_coefficients_are_those_of_the_regression_in_units_of_the_columns(seed):
    m = moments(5, seed)
    found = find_discriminants(m, 3, 5, 1)
    for at in np.flatnonzero(found.n_terms):
        n, t = found.n_terms[at], at // 3
        support = found.feature[at, :n] - 5
        beta = np.linalg.solve(m.gram[np.ix_(support, support)], m.target[t, support]) / m.spread[support]
        np.testing.assert_allclose(found.coefficient[at, :n], beta / beta[0], rtol=1e-6)


def test_a_feature_that_another_one_repeats_is_not_taken_beside_it():
    gram = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    m = Moments(gram, np.array([[1.0, 1.0, 0.5]]), np.arange(3), np.ones(3))
    found = find_discriminants(m, 3, 3, 3)
    assert all(len({0, 1} & set(found.feature[i, : found.n_terms[i]])) < 2 for i in range(len(found.n_terms)))


def table(seed, n=80):
    rng = np.random.default_rng(seed)
    return np.round(rng.normal(size=(3, n)), 1), rng.integers(0, 3, n), rng.integers(1, 4, n).astype(float)


def single_features():
    return kernels.Directions(np.arange(3, dtype=np.int32)[:, None], np.ones((3, 1)), np.ones(3, np.int64))


@given(
    st.integers(0, 10_000),
    st.sampled_from(["gini", "entropy"]),
    st.integers(2, 3),
    st.integers(1, 9),
    st.booleans(),
)
def test_along_single_features_the_best_cut_is_carts(seed, criterion, classes, least, weighted):
    columns, y, weight = table(seed)
    y, weight = np.minimum(y, classes - 1), weight if weighted else np.ones(len(y))
    task = task_of_classes(y, weight, criterion, classes)
    found = best_direction(columns, np.arange(len(y)), single_features(), task, SideLimits(least, 0.0))
    cart = CartClassifier(max_depth=1, criterion=criterion, min_samples_leaf=least).fit(columns.T, y, weight).tree_
    assert (found[0], found[1]) == (cart.feature[0], cart.threshold[0])
    content = cart.impurity * cart.weight
    assert found[2] == pytest.approx((content[0] - content[1] - content[2]) / content[0] * cart.impurity[0])


@given(st.integers(0, 10_000), st.integers(1, 9))
def test_along_single_features_the_best_cut_of_numbers_is_carts(seed, least):
    columns, y, weight = table(seed)
    task, _ = task_of_numbers(y + columns[1], weight, "squared_error")
    found = best_direction(columns, np.arange(len(y)), single_features(), task, SideLimits(least, 0.0))
    cart = CartRegressor(max_depth=1, min_samples_leaf=least).fit(columns.T, y + columns[1], weight).tree_
    assert (found[0], found[1]) == (cart.feature[0], cart.threshold[0])


def test_where_no_cut_may_be_there_is_no_direction():
    columns, y, weight = table(0)
    found = best_direction(
        columns, np.arange(80), single_features(), task_of_classes(y, weight, "gini", 3), SideLimits(41, 0.0)
    )
    assert found[0] == -1


def test_the_logistic_regression_is_that_of_scikit_learn_without_penalty():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(200, 3))
    side = (Z @ [1.0, -2.0, 0.5] + rng.logistic(size=200) > 0.3).astype(float)
    theirs = LogisticRegression(C=1e8, tol=1e-10, max_iter=1000).fit(Z, side)
    ours = kernels.logistic_regression(Z, side, np.full(200, 1 / 200))
    np.testing.assert_allclose(ours, [*theirs.intercept_, *theirs.coef_[0]], rtol=1e-3)


@given(st.integers(0, 10_000), st.integers(1, 6))
def test_definite_systems_are_solved(seed, m):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(m, m))
    matrix, right = A @ A.T + np.eye(m), rng.normal(size=m)
    np.testing.assert_allclose(
        kernels.solve_definite(matrix.copy(), right), np.linalg.solve(matrix, right), rtol=1e-6, atol=1e-9
    )


KERNELS = [kernels.best_direction, kernels.find_discriminants, kernels.write_direction]
KERNELS += [kernels.logistic_regression, kernels.project]


def test_growing_oblique_trees_compiles_nothing_more():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X.sum(axis=1) + rng.normal(size=60)).round()
    kernels.find_slanted(X, (y > 0).astype(np.uint16))
    before = [len(kernel.signatures) for kernel in KERNELS]  # type: ignore[attr-defined]
    for targets in (y > 0, y):
        ObliqueClassifier(max_depth=3).fit(X, targets, np.arange(60) % 2 + 1.0)
        ObliqueClassifier(max_depth=3).fit(X, targets)
    ObliqueRegressor(max_depth=3).fit(X, y)
    assert [len(kernel.signatures) for kernel in KERNELS] == before  # type: ignore[attr-defined]

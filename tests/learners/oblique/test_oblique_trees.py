"""Oblique trees: by hand, beside CART node by node, and by law."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from espalier.data import samples
from espalier.learners import CartClassifier, CartRegressor, ObliqueClassifier, ObliqueRegressor
from espalier.oblique import terms_of
from espalier.predict import leaves
from espalier.tree_checks import check_oblique
from espalier.trees import subtree_end

FIELDS = ("feature", "threshold", "left", "right", "categories", "n_samples", "weight", "value", "impurity")


def table(n=120, p=4, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    score = X @ rng.normal(size=p) + 0.4 * rng.normal(size=n)
    return X, np.searchsorted(np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1]), score)


def rows_at(tree, X, node):
    leaf = leaves(tree, X)
    return np.flatnonzero((leaf >= node) & (leaf < subtree_end(tree, node)))


def decrease(tree, node=0):
    content = tree.impurity * tree.weight
    return (content[node] - content[tree.left[node]] - content[tree.right[node]]) / tree.weight[node]


def test_a_diagonal_is_one_split_where_cart_needs_a_staircase():
    X = np.array([[x, y] for x in range(8) for y in range(8) if x != y], dtype=float)
    y = X[:, 0] > X[:, 1]
    tree = ObliqueClassifier().fit(X, y).tree_
    assert (tree.n_leaves, terms_of(tree, 0)[1].tolist(), tree.threshold[0]) == (2, [1.0, -1.0], 0.0)
    assert CartClassifier().fit(X, y).tree_.n_leaves > 8


def test_numbers_on_both_sides_of_a_diagonal_are_parted_along_it_though_noise_is_left():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    tree = ObliqueRegressor(max_depth=1).fit(X, (X[:, 0] > X[:, 1]) + rng.normal(size=300) / 2).tree_
    assert len(terms_of(tree, 0)[0]) == 2  # the bits that it spares are those of all rows


def test_a_split_that_decreases_the_impurity_by_just_as_much_as_is_asked_is_made():
    for seed in range(12):
        X, y = table(seed=seed, classes=2)
        node = ObliqueClassifier(max_depth=1).fit(X, y).tree_
        ones = [Fraction(round(share[1] * n), int(n)) for share, n in zip(node.value, node.weight, strict=True)]
        gini = [2 * share * (1 - share) * int(n) for share, n in zip(ones, node.weight, strict=True)]
        least = float((gini[0] - gini[1] - gini[2]) / len(y))
        for asked, n_nodes in ((least, 3), (least * (1 + 1e-9), 1)):
            assert ObliqueClassifier(max_depth=1, min_impurity_decrease=asked).fit(X, y).tree_.n_nodes == n_nodes


def test_a_slanted_split_of_numbers_spares_more_bits_than_its_coefficients_take():
    n_slanted = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 2))
        y = (X[:, 0] + rng.choice([0.2, 0.5, 1]) * X[:, 1] > 0) + rng.normal(size=60) * 0.7
        for criterion, per_loss in (("squared_error", 2), ("absolute_error", 1)):
            slanted = ObliqueRegressor(max_depth=1, criterion=criterion).fit(X, y).tree_
            straight = CartRegressor(max_depth=1, criterion=criterion).fit(X, y).tree_
            if len(terms_of(slanted, 0)[0]) == 2:
                loss = [tree.weight[1:] @ tree.impurity[1:] for tree in (straight, slanted)]
                assert 60 * np.log2(loss[0] / loss[1]) / per_loss > np.log2(60) / 2
                n_slanted += 1
    assert 10 < n_slanted < 70


@pytest.mark.parametrize("kind", [ObliqueClassifier, ObliqueRegressor])
def test_a_whole_weight_is_so_many_equal_rows(kind):
    for seed in range(4):
        X, y = table(seed=seed, classes=40 if kind is ObliqueRegressor else 3)
        weight = np.random.default_rng(seed).integers(1, 4, len(y))
        weighed = kind(max_depth=3).fit(X, y, sample_weight=weight)
        repeated = kind(max_depth=3).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
        np.testing.assert_allclose(weighed.predict(X), repeated.predict(X))


@given(st.floats(0, 2 * np.pi), st.floats(0.2, 5), st.integers(0, 1000))
def test_two_classes_parted_by_a_turned_line_are_learned_with_one_split(angle, stretch, seed):
    X = np.random.default_rng(seed).uniform(-1, 1, (60, 2))
    across = X @ [np.cos(angle), np.sin(angle)]
    kept = np.abs(across) > 0.05
    X, y = X[kept] * [1, stretch], across[kept] > 0
    assume(y.any() and not y.all())
    model = ObliqueClassifier().fit(X, y)
    assert model.tree_.depth == 1
    assert model.score(X, y) == 1


@given(st.integers(0, 10_000), st.sampled_from(["gini", "entropy", "squared_error"]), st.integers(1, 8))
def test_no_node_is_split_worse_than_by_cart(seed, criterion, least):
    of_numbers = criterion == "squared_error"
    X, y = table(seed=seed, classes=40 if of_numbers else 3)
    oblique, cart = (ObliqueRegressor, CartRegressor) if of_numbers else (ObliqueClassifier, CartClassifier)
    weight = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float)
    options = {"criterion": criterion, "min_samples_leaf": least}
    tree = oblique(max_depth=3, **options).fit(X, y, weight).tree_
    for node in np.flatnonzero(tree.left >= 0).tolist():
        rows = rows_at(tree, X, node)
        stump = cart(max_depth=1, **options).fit(X[rows], y[rows], weight[rows]).tree_
        assert decrease(tree, node) >= decrease(stump) - 1e-9 * max(tree.impurity[0], 1)


@pytest.mark.parametrize("name", ["iris", "tic-tac-toe"])
def test_with_one_term_it_is_carts_tree_where_nothing_is_missing(name):
    data = samples.load(name)
    known = ~np.isnan(data.X).any(axis=1)
    X, y, categories = data.X[known], data.y[known], data.categorical
    ours = ObliqueClassifier(max_depth=4, max_terms=1, categorical_features=categories).fit(X, y).tree_
    cart = CartClassifier(max_depth=4, categorical_features=categories).fit(X, y).tree_
    for field in FIELDS:
        np.testing.assert_allclose(getattr(ours, field).astype(float), getattr(cart, field).astype(float))


@given(st.integers(0, 10_000), st.integers(2, 4))
def test_every_training_row_is_in_the_leaf_that_counted_it(seed, most):
    X, y = table(seed=seed)
    X[np.random.default_rng(seed).random(X.shape) < 0.05] = np.nan
    model = ObliqueClassifier(max_terms=most).fit(X, y)
    tree = model.tree_
    check_oblique(tree)
    counted = np.bincount(model.apply(X), minlength=tree.n_nodes)
    at_leaf = tree.left < 0
    assert counted[at_leaf].tolist() == tree.n_samples[at_leaf].tolist()
    assert np.diff(tree.terms.start).max() <= most


def test_a_missing_value_counts_as_the_mean_of_training():
    X, y = table()
    X[::7, 1] = np.nan
    model = ObliqueClassifier(max_depth=3).fit(X, y)
    np.testing.assert_allclose(model.tree_.fill, np.nanmean(X, axis=0))
    filled = np.where(np.isnan(X), model.tree_.fill, X)
    assert model.predict(X).tolist() == model.predict(filled).tolist()


def test_the_first_coefficient_is_one_and_the_others_have_few_digits_where_these_suffice():
    data = samples.load("iris")
    tree = ObliqueClassifier(max_depth=3).fit(data.X, data.y).tree_
    first = tree.terms.start[:-1][tree.is_slanted]
    assert len(first) > 0
    assert (tree.terms.coefficient[first] == 1).all()
    assert all(len(f"{abs(c):g}") <= 6 for c in tree.terms.coefficient)


def test_pruning_weighs_a_slanted_split_like_any_other():
    X, y = table(n=150)
    model = ObliqueClassifier()
    path = model.cost_complexity_pruning_path(X, y)
    sizes = [ObliqueClassifier(ccp_alpha=alpha).fit(X, y).tree_.n_leaves for alpha in path.ccp_alphas]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1


def test_importance_is_shared_by_the_terms_of_a_split():
    X = np.array([[x, y, 0] for x in range(8) for y in range(8) if x != y], dtype=float)
    model = ObliqueClassifier().fit(X, X[:, 0] > X[:, 1])
    assert model.feature_importances_.tolist() == [0.5, 0.5, 0]

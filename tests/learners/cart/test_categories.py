"""Sets of categories: where a limit of a leaf shuts out the best cut, and where one is parted from all others."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.kernels.cart.levels import MOST_SUBSETS
from espalier.learners import CartClassifier, CartRegressor, RandomForestClassifier
from espalier.trees import LEAF
from tests.tools.naive import cart as naive

SEEDS = st.integers(0, 2**32 - 1)


def random_codes(rng):
    """(x, y01, numbers, weight): up to 7 categories, in some tables with missing values."""
    n = int(rng.integers(8, 40))
    x = rng.integers(0, rng.integers(2, 8), n).astype(float)
    signal = np.sin(1.7 * x) + rng.normal(size=n)
    if rng.random() < 0.4:
        x[rng.random(n) < 0.2] = np.nan
    weight = np.ones(n) if rng.random() < 0.5 else rng.random(n) + 0.05
    return x, (signal > 0).astype(int), np.round(signal, 2), weight


def cost_of(tree):
    """Impurity of the leaves times weight; inf where the root is one."""
    leaves = tree.left < 0
    return float((tree.impurity * tree.weight)[leaves].sum()) if tree.n_leaves > 1 else np.inf


@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification", "squared_error"])
@settings(max_examples=80)
@given(seed=SEEDS)
def test_the_best_set_of_categories_is_found_whatever_a_leaf_must_have(criterion, seed):
    rng = np.random.default_rng(seed)
    x, y01, numbers, weight = random_codes(rng)
    is_number = criterion == "squared_error"
    y, n_classes = (numbers, 0) if is_number else (y01, len(np.unique(y01)))
    limits = {
        "min_samples_leaf": int(rng.integers(1, max(len(x) // 2, 2))),
        "min_weight_fraction_leaf": float(rng.choice([0, 0.137, 0.31])),
    }
    make = CartRegressor if is_number else CartClassifier
    model = make(criterion=criterion, max_depth=1, categorical_features=[0], **limits)
    tree = model.fit(x[:, None], y, sample_weight=weight).tree_
    least = limits["min_weight_fraction_leaf"] * weight.sum()
    best = naive.best_cost(
        x[:, None], np.unique(y, return_inverse=True)[1] if n_classes else y, weight, criterion,
        n_classes=n_classes, categorical=[0], min_leaf=limits["min_samples_leaf"], min_weight=least,
    )  # fmt: skip
    if tree.impurity[0] > 1e-12:  # a pure root is not split
        assert cost_of(tree) == pytest.approx(best, abs=1e-9)


def test_an_order_of_shares_that_a_limit_shuts_out_is_left():
    """Shares of the second class 0, 1/3, 1/2 and 1 among 1, 3, 2 and 2: the cuts leave 1, 4 and 6 of 8.

    With three on a side only 4 | 4 is left of them: gini 1/4 of 8 on both sides; but {1, 2} and {2, 3} are others.
    """
    x = np.array([0.0, 1, 1, 1, 2, 2, 3, 3])
    y = np.array([0, 0, 0, 1, 0, 1, 1, 1])
    free = CartClassifier(max_depth=1, categorical_features=[0]).fit(x[:, None], y)
    held = CartClassifier(max_depth=1, min_samples_leaf=3, categorical_features=[0]).fit(x[:, None], y)
    assert free.tree_.n_samples[1] in (1, 4, 6)
    by_hand = naive.best_cost(x[:, None], y, np.ones(8), "gini", n_classes=2, categorical=[0], min_leaf=3)
    assert cost_of(held.tree_) == pytest.approx(by_hand)


def test_of_more_categories_than_are_tried_the_best_cut_of_the_order_is_taken():
    rng = np.random.default_rng(0)
    x = np.repeat(np.arange(MOST_SUBSETS + 1.0), 3)
    y = (rng.random(len(x)) < 0.5).astype(int)
    tree = CartClassifier(max_depth=1, min_samples_leaf=17, categorical_features=[0]).fit(x[:, None], y).tree_
    share = [y[x == c].mean() for c in range(MOST_SUBSETS + 1)]
    left = [bool(int(tree.categories[0]) >> c & 1) for c in range(MOST_SUBSETS + 1)]
    assert max(s for s, goes in zip(share, left, strict=True) if goes) <= min(
        s for s, goes in zip(share, left, strict=True) if not goes
    )
    assert min(tree.n_samples[1:]) >= 17


def test_forests_keep_the_limit_too():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 6, 80).astype(float)
    y = ((x % 2 == 0) ^ (rng.random(80) < 0.2)).astype(int)
    forest = RandomForestClassifier(n_estimators=5, min_samples_leaf=15, categorical_features=[0], random_state=0)
    for tree in forest.fit(x[:, None], y).forest_.trees:
        assert tree.n_samples.min() >= 15


# ---- Splits that part one category from all others

CRITERIA = ["gini", "entropy", "misclassification", "squared_error", "absolute_error", "poisson"]


def table(rng, n_categories=7):
    """(codes, y, weight): up to so many categories, in some tables with missing values; y in {0, 1, 2}."""
    n = int(rng.integers(8, 40))
    codes = rng.integers(0, n_categories, n).astype(float)
    y = (codes + rng.integers(0, 2, n)) % 3
    if rng.random() < 0.4:
        codes[rng.random(n) < 0.2] = np.nan
    return codes, y, np.ones(n) if rng.random() < 0.5 else rng.uniform(0.1, 3, n)


def kind_of(criterion):
    return CartRegressor if criterion in CRITERIA[3:] else CartClassifier


@pytest.mark.parametrize("criterion", CRITERIA)
@settings(max_examples=40)
@given(seed=SEEDS)
def test_the_category_that_parts_best_is_found(criterion, seed):
    rng = np.random.default_rng(seed)
    codes, y, weight = table(rng)
    least = int(rng.integers(1, max(len(y) // 3, 2)))
    model = kind_of(criterion)(
        criterion=criterion, max_depth=1, categorical_features=[0], categories="one-vs-rest",
        min_samples_leaf=least,
    )  # fmt: skip
    tree = model.fit(codes[:, None], y, sample_weight=weight).tree_
    n_classes = 0 if criterion in CRITERIA[3:] else 3
    costs = [
        naive.cost(left, y, weight, criterion, n_classes)
        for left in naive.partitions_of_one(codes)
        if min(left.sum(), (~left).sum()) >= least
    ]
    if tree.impurity[0] > 1e-12:
        assert cost_of(tree) == pytest.approx(min(costs, default=np.inf), abs=1e-9)


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_split_has_one_category_on_its_left(criterion, splitter):
    rng = np.random.default_rng(1)
    codes, y = rng.integers(0, 9, 200).astype(float), rng.integers(0, 3, 200).astype(float)
    model = kind_of(criterion)(
        criterion=criterion, categorical_features=[0], categories="one-vs-rest", splitter=splitter, random_state=0
    )
    tree = model.fit(codes[:, None], y).tree_
    rows, inner = naive.rows_by_node(tree, codes[:, None]), np.flatnonzero(tree.feature != LEAF)
    assert len(inner) > 2
    assert all(len(np.unique(codes[rows[tree.left[node]]])) == 1 for node in inner)


@pytest.mark.parametrize("criterion", CRITERIA)
@settings(max_examples=20)
@given(seed=SEEDS)
def test_two_categories_are_parted_as_sets_are(criterion, seed):
    codes, y, _ = table(np.random.default_rng(seed), n_categories=2)
    X = np.column_stack([np.nan_to_num(codes), np.arange(len(y)) % 5])
    one, other = (
        kind_of(criterion)(criterion=criterion, categorical_features=[0], categories=categories, max_depth=3)
        .fit(X, y) for categories in ("one-vs-rest", "subset")
    )  # fmt: skip
    assert one.predict(X) == pytest.approx(other.predict(X))
    assert one.tree_.n_nodes == other.tree_.n_nodes


def test_missing_values_may_stand_against_all_categories():
    codes = np.array([0.0, 1, 2, np.nan, np.nan])[:, None]
    model = CartClassifier(categorical_features=[0], categories="one-vs-rest").fit(codes, [0, 0, 0, 1, 1])
    assert model.tree_.n_leaves == 2
    assert model.predict(codes).tolist() == [0, 0, 0, 1, 1]


def test_surrogates_stand_in_for_a_split_of_one_category():
    codes = np.tile([0.0, 1, 2], 12)
    X = np.column_stack([codes, codes == 1])
    X[:5, 0] = np.nan
    model = CartClassifier(categorical_features=[0], categories="one-vs-rest", missing="surrogate", max_depth=1)
    assert model.fit(X, codes == 1).predict(X).tolist() == (codes == 1).tolist()

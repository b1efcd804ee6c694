"""Splits that part one category from all others."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.learners import CartClassifier, CartRegressor
from espalier.trees import LEAF
from tests.tools.naive import cart as naive

SEEDS = st.integers(0, 2**32 - 1)
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


def cost_of(tree):
    leaves = tree.left < 0
    return float((tree.impurity * tree.weight)[leaves].sum()) if tree.n_leaves > 1 else np.inf


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


def test_another_word_for_the_splits_of_categories_is_refused():
    with pytest.raises(ValueError, match="categories is 'each'"):
        CartClassifier(categories="each").fit([[0.0], [1.0]], [0, 1])

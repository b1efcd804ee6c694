"""Extremely randomised trees: against a naive version and scikit-learn, and by the laws of their random cuts."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.ensemble import ExtraTreesClassifier as TheirClassifier
from sklearn.ensemble import ExtraTreesRegressor as TheirRegressor
from sklearn.model_selection import ShuffleSplit, cross_val_score

from espalier.kernels.route import leaf_of
from espalier.learners import CartClassifier, ExtraTreesClassifier, ExtraTreesRegressor
from espalier.trees import LEAF, subtree_end
from tests.tools.naive import extra_trees as naive

X, y = (np.asarray(a) for a in load_iris(return_X_y=True))
RNG = np.random.default_rng(0)
MIXED = np.column_stack([np.where(RNG.random(X.shape) < 0.2, np.nan, X), np.arange(len(X)) % 7])
NUMBERS = X[:, 0] * X[:, 2] + RNG.normal(size=len(X))


def few(**parameters) -> ExtraTreesClassifier:
    return ExtraTreesClassifier(n_estimators=8, random_state=0).set_params(**parameters)


def few_of_numbers(**parameters) -> ExtraTreesRegressor:
    return ExtraTreesRegressor(n_estimators=8, random_state=0).set_params(**parameters)


def stumps(column, n: int) -> list:
    """Trees of one split on one column, whose two halves have other classes."""
    classes = np.arange(len(column)) >= len(column) // 2
    forest = ExtraTreesClassifier(n_estimators=n, max_depth=1, random_state=0)
    return list(forest.fit(np.asarray(column, dtype=float)[:, None], classes).forest_.trees)


# ---- random cuts


def test_thresholds_are_uniform_between_the_least_and_the_greatest_value():
    thresholds = [tree.threshold[0] for tree in stumps([3.0, 3.1, 3.5, 7.0], 2000)]
    assert kstest(thresholds, "uniform", (3.0, 4.0)).pvalue > 0.01


def test_thresholds_below_the_root_are_uniform_between_the_values_of_their_node():
    column = np.sort(RNG.exponential(size=64))
    places = []
    forest = ExtraTreesRegressor(n_estimators=60, random_state=0).fit(column[:, None], np.arange(64.0))
    for tree in forest.forest_.trees:
        leaf = leaf_of(tree, column[:, None])
        for node in np.flatnonzero(tree.feature != LEAF):
            inside = column[(leaf >= node) & (leaf < subtree_end(tree, int(node)))]
            places.append((tree.threshold[node] - inside[0]) / (inside[-1] - inside[0]))
    assert kstest(places, "uniform").pvalue > 0.01


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 4), st.sampled_from([1, 3]))
def test_a_threshold_parts_the_values_of_its_node(seed, decimals, least):
    rng = np.random.default_rng(seed)
    table = np.round(rng.normal(size=(40, 3)), decimals - 1)
    forest = few(n_estimators=3, min_samples_leaf=least, random_state=seed).fit(table, rng.integers(0, 3, 40))
    for tree in forest.forest_.trees:
        leaf = leaf_of(tree, table)
        for node in np.flatnonzero(tree.feature != LEAF):
            inside = table[(leaf >= node) & (leaf < subtree_end(tree, int(node))), tree.feature[node]]
            assert inside.min() <= tree.threshold[node] < inside.max()
            assert min((inside <= tree.threshold[node]).sum(), (inside > tree.threshold[node]).sum()) >= least


def test_neighbouring_numbers_and_very_far_ones_are_parted():
    for low, high in ((1.0, np.nextafter(1.0, 2.0)), (-1e99, 1e99), (0.0, 5e-324)):
        (tree,) = stumps([low, high], 1)
        assert low <= tree.threshold[0] < high
        assert tree.n_leaves == 2


def test_every_proper_set_of_categories_is_as_likely_and_unseen_ones_go_either_way():
    codes = np.arange(60) % 3
    forest = ExtraTreesClassifier(n_estimators=1200, max_depth=1, random_state=0, categorical_features=[0])
    trees = forest.fit(codes[:, None], np.arange(60) >= 30).forest_.trees
    drawn = Counter(int(tree.categories[0]) & 7 for tree in trees)
    assert set(drawn) == {1, 2, 3, 4, 5, 6}
    assert chisquare(list(drawn.values())).pvalue > 0.01
    forest = ExtraTreesClassifier(n_estimators=400, max_depth=1, random_state=0, categorical_features=[0])
    trees = forest.fit(np.arange(60)[:, None] % 3, np.arange(60) >= 30).forest_.trees
    left = sum(int(tree.categories[0]) >> 5 & 1 for tree in trees)
    assert abs(left - 200) < 4 * np.sqrt(400 / 4)


def test_missing_values_go_to_the_better_side_and_are_parted_from_a_single_value():
    column = np.array([0.0, 1.0, np.nan, np.nan])[:, None]
    for classes, on_left in (([0, 1, 0, 0], True), ([0, 1, 1, 1], False)):
        tree = few(n_estimators=1, max_depth=1).fit(column, classes).forest_.trees[0]
        assert 0.0 <= tree.threshold[0] < 1.0
        assert tree.missing_left[0] == on_left
        assert tree.impurity[1:].tolist() == [0.0, 0.0]
    tree = few(n_estimators=1).fit([[1.0], [np.nan], [1.0]], [0, 1, 0]).forest_.trees[0]
    assert tree.threshold[0] == np.inf
    assert not tree.missing_left[0]


# ---- a naive version


def nodes_of(tree) -> list[tuple]:
    return list(zip(tree.feature, tree.threshold, tree.categories.tolist(), tree.n_samples, strict=True))


@pytest.mark.parametrize("least", [1, 4])
@pytest.mark.parametrize("tried", [1, 2, 5])
@pytest.mark.parametrize("by_class", [True, False])
def test_trees_are_those_of_the_naive_version(by_class, tried, least):
    make = few if by_class else few_of_numbers
    goal = y if by_class else NUMBERS
    weight = 1.0 + np.arange(len(X)) % 3
    forest = make(max_features=tried, min_samples_leaf=least, categorical_features=[4], n_estimators=3)
    forest.fit(MIXED, goal, sample_weight=weight)
    outputs = np.eye(3)[y] if by_class else (NUMBERS - NUMBERS.mean())[:, None]
    about = {"is_category": np.arange(5) == 4, "max_features": tried, "min_leaf": least}
    for number, tree in enumerate(forest.forest_.trees):
        seed = np.uint64(forest.estimators_[number].random_state)
        expected = naive.grown(MIXED, outputs, weight, about, seed)
        for ours, theirs in zip(nodes_of(tree), expected, strict=True):
            assert ours == pytest.approx(theirs, nan_ok=True)


# ---- beside scikit-learn


@pytest.mark.few(2)
@pytest.mark.parametrize("data", [load_iris, load_wine, load_breast_cancer, load_diabetes])
def test_predictions_are_as_good_as_scikit_learns(data):
    table, goal = data(return_X_y=True)
    of_numbers = (ExtraTreesRegressor, TheirRegressor)
    pair = of_numbers if data is load_diabetes else (ExtraTreesClassifier, TheirClassifier)
    folds = ShuffleSplit(12, test_size=0.3, random_state=0)
    ours, theirs = (cross_val_score(m(n_estimators=30, random_state=1), table, goal, cv=folds) for m in pair)
    noise = np.std(ours - theirs, ddof=1) / np.sqrt(len(ours))
    assert abs(np.mean(ours - theirs)) < 4 * noise + 1e-3


def test_trees_are_as_large_as_scikit_learns():
    table, goal = load_breast_cancer(return_X_y=True)
    ours = [tree.n_leaves for tree in ExtraTreesClassifier(random_state=0).fit(table, goal).forest_.trees]
    theirs = [one.get_n_leaves() for one in TheirClassifier(random_state=0).fit(table, goal).estimators_]
    noise = np.sqrt((np.var(ours) + np.var(theirs)) / 100)
    assert abs(np.mean(ours) - np.mean(theirs)) < 4 * noise


# ---- as a forest


def test_without_bootstrap_every_tree_has_all_samples():
    forest = few().fit(X, y)
    assert (forest.in_bag() == 1).all()
    assert all(tree.n_samples[0] == len(X) for tree in forest.forest_.trees)
    assert forest.score(X, y) == 1.0  # trees end in pure leaves
    with pytest.raises(ValueError, match="bootstrap=True"):
        few(oob_score=True).fit(X, y)


def test_other_criteria_grow_trees():
    for criterion in ("entropy", "misclassification", "gain_ratio"):
        assert few(criterion=criterion).fit(MIXED, y).score(MIXED, y) > 0.9
    for criterion in ("absolute_error", "poisson"):
        assert few_of_numbers(criterion=criterion).fit(X, y + 1.0).score(X, y + 1.0) > 0.9


def test_limits_hold_in_every_tree():
    weight = 1.0 + np.arange(len(X)) % 2
    forest = few(max_depth=4, min_samples_split=20, min_weight_fraction_leaf=0.05, min_impurity_decrease=0.01)
    for tree in forest.fit(X, y, sample_weight=weight).forest_.trees:
        inner = tree.feature != LEAF
        assert tree.depth <= 4
        assert tree.n_samples[inner].min() >= 20
        assert tree.weight.min() >= 0.05 * weight.sum() * (1 - 1e-12)
        after = tree.weight * tree.impurity / weight.sum()
        assert (after[inner] - after[tree.left[inner]] - after[tree.right[inner]] > 0.01 - 1e-9).all()
    assert max(tree.n_leaves for tree in few(max_leaf_nodes=5).fit(X, y).forest_.trees) == 5


def test_a_tree_alone_is_a_tree_of_random_thresholds():
    forest = few().fit(X, y)
    assert isinstance(forest[0], CartClassifier)
    assert forest[0].splitter == "random"
    assert np.array_equal(forest[0].apply(X), forest.apply(X)[:, 0])

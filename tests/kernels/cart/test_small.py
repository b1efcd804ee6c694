"""Trees and subtrees of small tables, grown in one go, are those that are grown node by node."""

from typing import Any

import numpy as np
import pytest

from espalier.kernels.cart import grow
from espalier.kernels.cart.grow import DEEP, Seedling, grow_tree, takes_one_call
from espalier.kernels.cart.small_classes import grow_small
from espalier.kernels.cart.small_lists import FEW, FewNode, best_cut_of_few, make_few_samples, part_few
from espalier.kernels.cart.small_subtrees import MOST, finish_tree
from espalier.kernels.route import columns_of, leaf_of
from espalier.learners import CartClassifier, CartRegressor
from espalier.learners.base import TrainingData
from espalier.progress import Progress
from espalier.trees import LEAF

RNG = np.random.default_rng(22)


def few_of(ranks, y):
    n, p = ranks.shape
    few = make_few_samples(n, p)
    few.ranks.reshape(-1, few.width)[:n, :p] = ranks
    few.y[:n], few.number[:n] = y, np.arange(n)
    return few


def naive_cut(ranks, y, min_leaf):
    """Of all cuts, the first one of the first feature whose score no other exceeds."""
    best = (-np.inf, -1, 0)
    for feature in range(ranks.shape[1]):
        for rank in np.unique(ranks[:, feature]):
            left = ranks[:, feature] <= rank
            n_left, n_right = left.sum(), (~left).sum()
            if min(n_left, n_right) >= min_leaf:
                score = y[left].sum() ** 2 / n_left + y[~left].sum() ** 2 / n_right
                if score > best[0] + 1e-9:
                    best = (score, feature, rank)
    return best[1:]


@pytest.mark.parametrize("n_features", [1, 8, 21])
def test_the_best_cut_of_few_is_that_of_a_search_over_all_cuts(n_features):
    for n in (2, 3, 5, 13, FEW):
        for min_leaf in (1, 2):
            ranks = RNG.integers(0, max(n // 2, 2), (n, n_features))
            y = RNG.integers(-9, 9, n).astype(float)
            if n >= 2 * min_leaf:
                few = few_of(ranks, y)
                assert best_cut_of_few(few, FewNode(0, n, y.sum(), min_leaf)) == naive_cut(ranks, y, min_leaf)


def test_few_samples_are_parted_in_their_order_and_those_that_no_feature_tells_apart_have_no_cut():
    for n in (2, 6):
        few = few_of(np.full((n, 3), 4), RNG.normal(size=n))
        assert best_cut_of_few(few, FewNode(0, n, few.y.sum(), 1))[0] == -1
    ranks = np.array([[3], [0], [2], [3], [1]])
    few = few_of(ranks, np.arange(5.0))
    assert part_few(few, 0, 5, 0, 1) == (2, 4, 2)  # the cut is between the values of samples 4 and 2
    assert few.number[:5].tolist() == [1, 4, 0, 2, 3]
    assert few.y[:5].tolist() == [1, 4, 0, 2, 3]
    assert few.ranks.reshape(-1, few.width)[:5, 0].tolist() == [0, 1, 3, 2, 3]


def naive_splits(X, y, min_leaf):
    """(feature, samples on the left) of each node in preorder; feature -1 for a leaf."""
    ranks = np.column_stack([np.unique(column, return_inverse=True)[1] for column in X.T])
    feature, rank = naive_cut(ranks, y, min_leaf) if np.ptp(y) > 0 and len(y) >= 2 * min_leaf else (-1, 0)
    if feature < 0:
        return [(-1, len(y))]
    left = ranks[:, feature] <= rank
    children = (naive_splits(X[side], y[side], min_leaf) for side in (left, ~left))
    return [(feature, int(left.sum())), *(split for child in children for split in child)]


@pytest.mark.parametrize("min_leaf", [1, 4])
@pytest.mark.parametrize(("n", "p"), [(25, 4), (130, 9)])
def test_a_tree_of_numbers_is_that_of_a_search_over_all_cuts(n, p, min_leaf):
    X = RNG.normal(size=(n, p))
    X[:, 0], X[:, 1] = X[:, 0].round(1), RNG.integers(0, 4, n)  # ties, and levels
    for y in (X[:, 2] + X[:, 1] * X[:, 3] + RNG.normal(size=n), RNG.integers(0, 5, n).astype(float)):
        tree = CartRegressor(min_samples_leaf=min_leaf).fit(X, y).tree_
        on_left = np.where(tree.feature >= 0, tree.n_samples[tree.left], tree.n_samples)
        grown = [*zip(tree.feature.tolist(), on_left.tolist(), strict=True)]
        assert grown == naive_splits(X, y - y.mean(), min_leaf)


@pytest.mark.parametrize("settings", [{}, {"max_depth": 6}, {"min_samples_split": 9}, {"min_samples_leaf": 20}])
def test_a_tree_grown_by_subtrees_is_the_tree_grown_node_by_node(settings):
    """A least weight that every sample has is no limit, but subtrees are not grown in one go under it."""
    for n in (700, 20_000) if "min_samples_leaf" in settings else (700,):
        X = RNG.normal(size=(n, 3))
        X[:, 2] = X[:, 2].round(2)
        y = X[:, 0] + RNG.normal(size=n)
        at_once = CartRegressor(**settings).fit(X, y).tree_
        one_by_one = CartRegressor(min_weight_fraction_leaf=0.5 / n, **settings).fit(X, y).tree_
        for name in ("feature", "threshold", "left", "right", "missing_left", "n_samples", "value", "impurity"):
            np.testing.assert_array_equal(getattr(at_once, name), getattr(one_by_one, name), name)


@pytest.mark.parametrize("n", [1, 2, 30, 700, 20_000])
def test_a_stop_before_the_growing_leaves_the_root_alone(n):
    X, y, progress = RNG.normal(size=(n, 3)), RNG.normal(size=n), Progress(is_stopped=True)
    tree = CartRegressor().fit(X, y, progress=progress).tree_
    assert tree.n_nodes == 1
    assert (tree.feature[0], tree.left[0], tree.right[0], tree.n_samples[0]) == (LEAF, LEAF, LEAF, n)
    assert tree.value[0, 0] == pytest.approx(y.mean(), abs=1e-12)
    assert tree.impurity[0] == pytest.approx(y.var(), abs=1e-12)


@pytest.mark.parametrize("n", [700, 40_000])
def test_a_stop_before_the_first_subtree_leaves_the_nodes_above_the_subtrees(n, monkeypatch):
    def stop_and_finish(work, tree, nodes, values, signals):
        signals[1] = 1
        return finish_tree(work, tree, nodes, values, signals)

    X, y = RNG.normal(size=(n, 2)), RNG.normal(size=n)
    y += X[:, 0]
    whole = CartRegressor().fit(X, y).tree_
    monkeypatch.setattr(grow, "finish_tree", stop_and_finish)
    top = CartRegressor().fit(X, y).tree_
    assert (top.n_nodes > 1) == (n > MOST)
    assert 0 < top.n_samples[top.feature == LEAF].min() <= top.n_samples[top.feature == LEAF].max() <= MOST
    above = np.flatnonzero(whole.n_samples > MOST)  # in preorder, as the nodes that are split in the top
    split = np.flatnonzero(top.feature != LEAF)
    assert top.threshold[split].tolist() == whole.threshold[above].tolist()
    leaf = leaf_of(top, np.asfortranarray(X))
    for node in np.unique(leaf):
        assert top.value[node, 0] == pytest.approx(y[leaf == node].mean(), abs=1e-12)
        assert top.n_samples[node] == (leaf == node).sum()


LIMITS: tuple[dict[str, Any], ...] = (
    {}, {"max_depth": 3}, {"min_samples_leaf": 4}, {"min_samples_split": 9, "max_depth": 6},
)  # fmt: skip
MANY_LIMITS: tuple[dict[str, Any], ...] = ({}, {"max_depth": DEEP}, {"min_samples_leaf": 7})


def columns_like(kind, n, rng):
    X = rng.normal(size=(n, 4))
    X[:, 3] = rng.integers(0, 2, n)
    return {"numbers": X, "ties": np.round(X), "outliers": np.exp(9 * X), "constant": X * [1, 0, 1, 0]}[kind]


def is_small(growth, columns):
    return takes_one_call(Seedling(columns, np.zeros(1, bool), np.empty(0), growth.task, growth.limits, 0))


def both_trees(model, X, y):
    model = model.fit(X, y)
    training = TrainingData(np.asfortranarray(X), np.unique(y, return_inverse=True)[1], np.ones(len(y)))
    growth, columns = model.growth(training), columns_of(X)
    assert is_small(growth, columns)
    signals = np.zeros((2, 2), np.int64)
    small = grow_small(columns, growth.task, growth.limits, signals[0])
    usual = grow_tree(model.columns(columns), growth.task, growth.limits, 0, signals[1])
    assert signals.tolist() == [[len(y), 0]] * 2
    return small, usual


def assert_same(small, usual):
    for a, b in zip((*small[:-1], *small.surrogates), (*usual[:-1], *usual.surrogates), strict=True):
        assert a.dtype == b.dtype
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        assert not a.flags.writeable


@pytest.mark.parametrize("kind", ["numbers", "ties", "outliers", "constant"])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_the_tree_is_that_of_the_search_node_by_node(kind, n_classes):
    for seed, n in enumerate((2, 3, 30, 150, 300, 700)):
        rng = np.random.default_rng(seed)
        X = columns_like(kind, n, rng)
        y = np.append(np.arange(n_classes), rng.integers(0, n_classes, n))[:n]
        for limits in LIMITS:
            assert_same(*both_trees(CartClassifier(**limits), X, y))


def test_two_classes_apart_are_found_in_long_lists_whose_blocks_are_left_out():
    rng = np.random.default_rng(1)
    for n in (97, 500, 2000):
        X = rng.normal(size=(n, 3))
        assert_same(*both_trees(CartClassifier(), X, X[:, 1] + 0.1 * rng.normal(size=n) > 0.3))


def growth_of(**parameters: Any):
    X = np.arange(12.0).reshape(6, 2)
    training = TrainingData(X, np.array([0, 1, 0, 1, 1, 0]), np.ones(6))
    model = CartClassifier(**parameters).fit(X, training.y)
    return X, model.growth(training)


def test_a_table_with_a_missing_or_infinite_value_is_left_to_the_search_node_by_node():
    X, growth = growth_of()
    assert is_small(growth, columns_of(X))
    for value in (np.nan, np.inf, -np.inf):
        X[3, 1] = value
        assert not is_small(growth, columns_of(X))
        assert grow_small(columns_of(X), growth.task, growth.limits, np.zeros(2, np.int64)) is None


def test_a_search_that_was_stopped_leaves_the_root_alone():
    X, growth = growth_of()
    tree = grow_small(columns_of(X), growth.task, growth.limits, np.array([0, 1]))
    assert tree is not None
    assert tree.n_nodes == 1


@pytest.mark.parametrize("parameters", [
    {"criterion": "entropy"}, {"splitter": "random"}, {"max_features": 1}, {"max_leaf_nodes": 3},
    {"min_impurity_decrease": 0.1}, {"min_weight_fraction_leaf": 0.1}, {"missing": "surrogate"},
    {"missing": "category"},
])  # fmt: skip
def test_other_tasks_are_left_to_the_search_node_by_node(parameters):
    X, growth = growth_of(**parameters)
    assert not is_small(growth, columns_of(X))


@pytest.mark.parametrize("n_classes", [3, 20])
def test_trees_of_many_samples_of_several_classes_are_the_same_too(n_classes):
    rng = np.random.default_rng(n_classes)
    for n in (grow.FEW, grow.FEW + 1, 9000):
        X = np.column_stack([rng.normal(size=(n, 3)), np.round(rng.normal(size=n), 2), rng.integers(0, 3, n)])
        y = np.digitize(X[:, 0] + X[:, 3] + rng.normal(size=n), np.linspace(-2, 2, n_classes - 1))
        for limits in MANY_LIMITS:
            assert_same(*both_trees(CartClassifier(**limits), X, y))


def is_small_table(n, n_classes, columns=None, **parameters: Any):
    _, growth = growth_of(**parameters)
    task = growth.task._replace(label=np.zeros(n, np.uint16), n_classes=n_classes)
    table = np.random.default_rng(0).normal(size=(2, n)) if columns is None else columns
    return is_small(growth._replace(task=task), table)


def test_many_samples_are_taken_for_deep_trees_of_several_classes_and_columns_of_many_values():
    assert is_small_table(grow.MOST_OF_TWO, 2)
    assert not is_small_table(grow.MOST_OF_TWO + 1, 2)
    assert is_small_table(grow.FEW, 3, max_depth=1)
    assert not is_small_table(grow.FEW + 1, 3, max_depth=DEEP - 1)
    assert is_small_table(grow.FEW + 1, 3, max_depth=DEEP)
    assert is_small_table(grow.MOST_OF_MORE, 3)
    assert not is_small_table(grow.MOST_OF_MORE + 1, 3)
    more = grow.FEW + 1
    assert not is_small_table(more, 3, np.zeros((2, more)))
    wide = np.broadcast_to(np.arange(1.0 * more), (1 + grow.MOST_VALUES // grow.FEW, more))
    assert not is_small_table(more, 3, wide)

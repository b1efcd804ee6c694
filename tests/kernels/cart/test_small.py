"""Subtrees grown in one go are those that are grown node by node."""

import numpy as np
import pytest

from espalier.kernels.cart import grow
from espalier.kernels.cart.small_lists import FEW, FewNode, best_cut_of_few, make_few_samples, part_few
from espalier.kernels.cart.small_subtrees import MOST, finish_tree
from espalier.kernels.route import leaf_of
from espalier.learners import CartRegressor
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

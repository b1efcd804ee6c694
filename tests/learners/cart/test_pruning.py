"""Pruning: by hand, by all pruned versions of small trees, and against scikit-learn and rpart."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from espalier.learners import CartClassifier, CartRegressor
from espalier.learners.pruning import prune, pruning_path, reduced_error
from espalier.predict import predictions
from espalier.tree_checks import check_tree
from espalier.trees import make_tree
from tests.tools.by_hand import admission
from tests.tools.naive.pruning import cheapest, error_sum, fewest_errors
from tests.tools.rpart_data import cars, kyphosis

RPARTS_LIMITS: Any = {"min_samples_split": 20, "min_samples_leaf": 7}  # its defaults
SEEDS = st.integers(0, 10_000)


def noisy(seed, n=40, n_classes=2):
    """Samples whose tree has a handful of splits; half of them to grow it on."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 8, (2 * n, 3)).astype(float)
    y = (X[:, 0] > 3).astype(np.int64) + (rng.random(2 * n) < 0.3)
    return X, y % n_classes


def as_ours(theirs):
    """scikit-learn's own fitted tree as our record, so that both prune the same tree."""
    tree = theirs.tree_
    inner = tree.children_left >= 0
    return make_tree(
        np.where(inner, tree.feature, -1), np.where(inner, tree.threshold, np.nan), tree.children_left,
        tree.children_right, np.zeros(len(inner)), np.zeros(len(inner)), tree.n_node_samples,
        tree.weighted_n_node_samples, tree.value[:, 0, :], tree.impurity,
    )  # fmt: skip


def agrees_with(theirs, X, y):
    """Fail unless our pruning path of scikit-learn's tree is the path that scikit-learn gives."""
    path = pruning_path(as_ours(theirs.fit(X, y)))
    other = theirs.cost_complexity_pruning_path(X, y)
    last_of_equals = np.append(np.diff(other.ccp_alphas) > 1e-12, True)  # theirs repeats an alpha for each link
    assert path.alpha == pytest.approx(other.ccp_alphas[last_of_equals], abs=1e-12)
    assert path.cost == pytest.approx(other.impurities[last_of_equals], abs=1e-12)


def test_the_weakest_link_by_hand():
    # Root 0.48; cut at node 2 leaves 0.6 * 4/9; whole tree 0. Node 2 saves 0.6 * 4/9 / 1 per leaf = 0.267;
    # the root saves 0.48 / 2 = 0.24 per leaf: it is the weakest link, and all goes at once.
    assert prune(admission(), 0.23).n_leaves == 3
    assert prune(admission(), 0.24).n_leaves == 1
    assert pruning_path(admission()).alpha.tolist() == pytest.approx([0, 0.24])


@pytest.mark.parametrize("seed", range(20))
def test_trees_of_tied_samples_are_pruned_as_scikit_learn_prunes_them(seed):
    X, y = noisy(seed, n=100)
    agrees_with(DecisionTreeClassifier(random_state=seed), X, y)
    agrees_with(DecisionTreeRegressor(random_state=seed), X, y.astype(float))


@pytest.mark.parametrize(
    ("load", "rival"),
    [
        (load_iris, DecisionTreeClassifier(random_state=0)),
        (load_breast_cancer, DecisionTreeClassifier(criterion="entropy", random_state=0)),
        (load_diabetes, DecisionTreeRegressor(random_state=0)),
    ],
)
def test_trees_of_well_known_data_are_pruned_as_scikit_learn_prunes_them(load, rival):
    agrees_with(rival, *load(return_X_y=True))


def test_the_kyphosis_tree_has_the_table_that_rpart_prints():
    # Therneau & Atkinson, rpart, example of printcp: CP, nsplit and rel error; its CP of the last tree is the
    # limit 0.01. The root's 17 errors of 81 are the unit.
    X, y = kyphosis()
    tree = CartClassifier(**RPARTS_LIMITS).fit(X, y).tree_
    path, root = pruning_path(tree, "errors"), 17 / 81
    assert (path.n_leaves - 1).tolist() == [4, 1, 0]
    assert (path.alpha / root)[1:].round(6).tolist() == [0.019608, 0.176471]
    assert (path.cost / root).round(5).tolist() == [0.76471, 0.82353, 1.0]


def test_the_tree_of_cars_has_the_table_that_rpart_prints():
    # Therneau & Atkinson, reference manual of rpart 4.1-10, printcp, Examples: Mileage ~ Weight of car.test.frame,
    # root node error 1354.6/60 = 22.576. https://www.rdocumentation.org/packages/rpart/versions/4.1-10/topics/printcp
    X, y = cars()
    tree = CartRegressor(**RPARTS_LIMITS).fit(X, y).tree_
    path, root = pruning_path(tree), tree.impurity[0]
    assert round(root, 3) == 22.576
    printed = path.alpha / root >= 0.01  # trees from the limit of CP on, and the one that is best there
    assert (path.alpha / root)[printed].round(6).tolist() == [0.012828, 0.134528, 0.595349]
    assert (path.n_leaves - 1).tolist()[-4:] == [3, 2, 1, 0]
    assert (path.cost / root)[-4:].round(5).tolist() == [0.25729, 0.27012, 0.40465, 1.0]


@settings(max_examples=30)
@given(SEEDS, st.floats(0, 0.2))
def test_no_pruned_version_is_cheaper_and_none_as_cheap_is_smaller(seed, alpha):
    X, y = noisy(seed)
    tree = CartClassifier(max_depth=3).fit(X, y).tree_
    pruned = prune(tree, alpha)
    leaf = pruned.left < 0
    cost = (pruned.impurity * pruned.weight)[leaf].sum() / pruned.weight[0] + alpha * pruned.n_leaves
    least, n_leaves = cheapest(tree, alpha)
    assert cost == pytest.approx(least, abs=1e-8)
    assert pruned.n_leaves <= n_leaves


@settings(max_examples=30)
@given(SEEDS)
def test_the_path_tells_what_each_pruned_tree_is(seed):
    X, y = noisy(seed, n_classes=3)
    tree = CartClassifier().fit(X, y, sample_weight=1 + X[:, 1]).tree_
    for cost in ("impurity", "errors"):
        path = pruning_path(tree, cost)
        pruned = [prune(tree, alpha, cost) for alpha in path.alpha]
        assert path.n_leaves.tolist() == [one.n_leaves for one in pruned]
        losses = [1 - one.value.max(axis=1) if cost == "errors" else one.impurity for one in pruned]
        costs = [
            (lost * one.weight)[one.left < 0].sum() / one.weight[0]
            for lost, one in zip(losses, pruned, strict=True)
        ]
        assert path.cost == pytest.approx(costs, abs=1e-12)


def test_a_cost_that_does_not_exist_and_no_samples_are_refused_with_the_reason():
    tree = CartRegressor(max_depth=1).fit([[0.0], [1.0]], [0.0, 1.0]).tree_
    with pytest.raises(ValueError, match="no errors to count"):
        pruning_path(tree, "errors")
    with pytest.raises(ValueError, match="must be impurity or errors"):
        pruning_path(tree, "leaves")
    with pytest.raises(ValueError, match="no samples"):
        reduced_error(admission(), np.empty((0, 2)), np.empty(0))


@settings(max_examples=40)
@given(SEEDS, st.sampled_from([CartClassifier, CartRegressor]))
def test_reduced_errors_are_the_fewest_of_all_pruned_versions_in_the_fewest_leaves(seed, make):
    X, y = noisy(seed)
    y = y if make is CartClassifier else y + X[:, 1] / 8
    tree = make(max_depth=3).fit(X[::2], y[::2]).tree_
    pruned = reduced_error(tree, X[1::2], y[1::2])
    check_tree(pruned)
    assert (round(error_sum(pruned, X[1::2], y[1::2]), 9), pruned.n_leaves) == fewest_errors(
        tree, X[1::2], y[1::2]
    )


def test_a_split_stays_only_where_held_out_samples_need_it():
    tree = CartClassifier().fit([[0.0], [1.0], [2.0]], [0, 1, 0]).tree_
    assert tree.n_leaves == 3
    assert reduced_error(tree, np.array([[0.0]]), np.array([0])).n_leaves == 1
    X, y = noisy(1)
    tree = CartClassifier(max_depth=3).fit(X, y).tree_
    said = predictions(tree, X)
    assert (predictions(reduced_error(tree, X, said), X) == said).all()

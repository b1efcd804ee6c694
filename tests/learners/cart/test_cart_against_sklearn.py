"""On complete numeric data our trees are scikit-learn's, node for node, up to ties of equal gain."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import compute_sample_weight

from espalier.data import samples
from espalier.learners import CartClassifier, CartRegressor
from espalier.trees import LEAF
from tests.tools.naive import cart as naive
from tests.tools.selection import seeds

RIVALS = {CartClassifier: DecisionTreeClassifier, CartRegressor: DecisionTreeRegressor}


def single(X):
    """Values that single precision holds exactly: scikit-learn rounds its input to it."""
    return np.asarray(X, dtype=np.float32).astype(np.float64)


class Comparison:
    """Walks both trees at once from the root, and counts the nodes that agree and the ties."""

    def __init__(self, ours, theirs, table, criterion):
        self.ours, self.theirs, self.criterion = ours, theirs, criterion
        self.X, self.y, self.weight = table
        self.n_classes = ours.value.shape[1] if criterion in ("gini", "entropy") else 0
        self.equal = self.ties = 0
        self.walk(0, 0, np.arange(len(self.y)))

    def cost(self, left, rows):
        return naive.cost(left, self.y[rows], self.weight[rows], self.criterion, self.n_classes)

    def walk(self, ours, theirs, rows):
        tree, rival = self.ours, self.theirs
        assert tree.n_samples[ours] == rival.n_node_samples[theirs]
        assert tree.weight[ours] == pytest.approx(rival.weighted_n_node_samples[theirs])
        assert tree.impurity[ours] == pytest.approx(rival.impurity[theirs], abs=1e-8)
        assert tree.value[ours] == pytest.approx(rival.value[theirs].ravel(), rel=1e-9, abs=1e-9)
        self.equal += 1
        if tree.impurity[ours] == 0:  # rounding makes scikit-learn split a few pure nodes of uneven weights
            return
        assert (tree.feature[ours] == LEAF) == (rival.feature[theirs] < 0), f"only one splits node {ours}"
        if tree.feature[ours] == LEAF:
            return
        left = self.X[rows, tree.feature[ours]] <= tree.threshold[ours]
        their_left = self.X[rows, rival.feature[theirs]] <= rival.threshold[theirs]
        if not np.array_equal(left, their_left):
            assert self.cost(left, rows) == pytest.approx(self.cost(their_left, rows), rel=1e-9, abs=1e-9)
            self.ties += 1
            return
        if tree.feature[ours] == rival.feature[theirs]:
            assert tree.threshold[ours] == pytest.approx(rival.threshold[theirs], rel=1e-9, abs=1e-9)
        self.walk(tree.left[ours], rival.children_left[theirs], rows[left])
        self.walk(tree.right[ours], rival.children_right[theirs], rows[~left])


def compare(learner, X, y, weight=None, **parameters):
    weight = np.ones(len(y)) if weight is None else weight
    ours = learner(**parameters).fit(X, y, sample_weight=weight)
    theirs = RIVALS[learner](random_state=0, **parameters).fit(X, y, sample_weight=weight)
    criterion = parameters.get("criterion", ours.criterion)
    codes = np.unique(y, return_inverse=True)[1] if learner is CartClassifier else y
    return Comparison(ours.tree_, theirs.tree_, (X, codes, weight), criterion)


@pytest.mark.parametrize("name", samples.names())
def test_our_trees_are_scikit_learns_on_the_bundled_data(name):
    data = samples.load(name)
    X = single(data.X)
    learner = CartClassifier if data.is_classification else CartRegressor
    for criterion in ("gini", "entropy") if data.is_classification else ("squared_error",):
        for depth in (3, None):
            found = compare(learner, X, data.y, criterion=criterion, max_depth=depth)
            assert found.equal > 0


def random_case(seed):
    """A random table, learner and parameters; continuous, coarse and whole values in turn."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(5, 200)), int(rng.integers(1, 8))
    X = single(np.round(rng.normal(size=(n, p)) * 10 ** rng.integers(0, 2), int(rng.choice([0, 1, 6]))))
    weight = [np.ones(n), rng.integers(1, 5, n).astype(float), rng.uniform(0.1, 3, n)][seed % 3]
    parameters = {
        "max_depth": [None, 3, 6][seed // 3 % 3],
        "min_samples_leaf": int(rng.integers(1, 5)),
        "min_samples_split": int(rng.integers(2, 10)),
        "min_impurity_decrease": float(rng.choice([0, 0.01])),
        "min_weight_fraction_leaf": float(rng.choice([0, 0.05])),
    }
    if seed % 2:
        y = rng.integers(0, rng.integers(2, 5), n)
        y[:2] = 0, 1
        return CartClassifier, X, y, weight, parameters | {"criterion": ["gini", "entropy"][seed // 2 % 2]}
    y = np.round(X[:, 0] + rng.normal(size=n), 1)
    criterion = ["squared_error", "absolute_error", "poisson"][seed // 2 % 3]
    y = np.round(np.exp(y / np.abs(y).max())) if criterion == "poisson" else y
    return CartRegressor, X, y, weight, parameters | {"criterion": criterion}


@seeds(72, 200)
def test_our_trees_are_scikit_learns_on_random_data(seeds):
    for seed in seeds:
        learner, X, y, weight, parameters = random_case(seed)
        assert compare(learner, X, y, weight, **parameters).equal > 0, seed


@seeds(36, 60)
def test_trees_whose_columns_have_directions_are_scikit_learns(seeds):
    for seed in seeds:
        learner, X, y, weight, parameters = random_case(seed)
        y = y % 2 if learner is CartClassifier else y
        directions = np.random.default_rng(seed).integers(-1, 2, X.shape[1])
        assert compare(learner, X, y, weight, monotonic_cst=directions, **parameters).equal > 0, seed


@pytest.mark.few(6)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("n_classes", [3, 10, 26])
@pytest.mark.parametrize("kind", ["unit", "whole", "real"])
def test_our_trees_of_many_classes_are_scikit_learns(kind, n_classes, criterion):
    rng = np.random.default_rng(n_classes)
    X = single(rng.normal(size=(900, 5)))
    total = X.sum(axis=1) + rng.normal(size=900)
    y = np.searchsorted(np.quantile(total, np.arange(1, n_classes) / n_classes), total)
    weight = {"unit": None, "whole": rng.integers(1, 5, 900).astype(float), "real": rng.uniform(0.1, 3, 900)}[kind]
    assert compare(CartClassifier, X, y, weight, criterion=criterion, min_samples_leaf=3).equal > 50


def test_no_ties_arise_where_all_values_are_continuous():
    rng = np.random.default_rng(0)
    found = compare(CartRegressor, single(rng.normal(size=(300, 5))), rng.normal(size=300), min_samples_leaf=5)
    assert found.ties == 0
    assert found.equal > 50


@pytest.mark.parametrize("leaves", [2, 5, 12])
def test_best_first_growing_takes_the_same_leaves(leaves):
    rng = np.random.default_rng(leaves)
    X, y = single(rng.normal(size=(300, 4))), rng.integers(0, 2, 300)
    assert compare(CartClassifier, X, y, max_leaf_nodes=leaves).ties == 0


@pytest.mark.parametrize("class_weight", ["balanced", {0: 1, 1: 2, 2: 5}])
def test_class_weights_are_weights_of_the_samples(class_weight):
    rng = np.random.default_rng(1)
    X, y = single(rng.normal(size=(200, 3))), rng.integers(0, 3, 200)
    ours = CartClassifier(class_weight=class_weight, max_depth=4).fit(X, y).tree_
    weight = compute_sample_weight(class_weight, y)
    theirs = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y, sample_weight=weight).tree_
    assert Comparison(ours, theirs, (X, y, weight), "gini").equal > 10

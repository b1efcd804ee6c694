"""Trees and pruning beside scikit-learn and rpart, pruning by hand; and CART that begins with given splits."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import compute_sample_weight

from espalier.data import samples
from espalier.learners import BaggedForestClassifier, CartClassifier, CartRegressor, OptimalClassifier
from espalier.learners.pruning import prune, pruning_path, reduced_error
from espalier.predict import leaves, predictions
from espalier.tree.editing import edited
from espalier.tree.edits import CUT, SET, Edit, node_at, path_of
from espalier.tree_checks import check_tree
from espalier.trees import LEAF, Tree, make_tree, prune_to
from tests.tools.by_hand import admission
from tests.tools.naive import cart as naive
from tests.tools.rpart_data import cars, kyphosis
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
    criterion = ["squared_error", "absolute_error", "poisson"][seed // 6 % 3]  # each with every kind of weight
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


def test_trees_of_well_known_data_are_pruned_as_scikit_learn_prunes_them():
    agrees_with(DecisionTreeClassifier(random_state=0), *load_iris(return_X_y=True))
    agrees_with(DecisionTreeClassifier(criterion="entropy", random_state=0), *load_breast_cancer(return_X_y=True))
    agrees_with(DecisionTreeRegressor(random_state=0), *load_diabetes(return_X_y=True))


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


# ---- Every pruned version of a tree, one by one, and the best of them


def pruned_versions(tree: Tree) -> list[Tree]:
    """All trees that come of turning splits into leaves, each once."""
    return [prune_to(tree, np.isin(np.arange(tree.n_nodes), kept)) for kept in kept_splits(tree, 0)]


def kept_splits(tree: Tree, node: int) -> list[list[int]]:
    """The sets of splits that the pruned versions of a subtree keep."""
    if tree.left[node] == LEAF:
        return [[]]
    sides = [kept_splits(tree, int(child)) for child in (tree.left[node], tree.right[node])]
    return [[], *([node, *left, *right] for left, right in itertools.product(*sides))]


def error_sum(tree: Tree, X: np.ndarray, y: np.ndarray) -> float:
    """Errors on these samples; of a tree of numbers the sum of their squares."""
    said = tree.value[leaves(tree, X)]
    if said.shape[1] > 1:
        return float(np.count_nonzero(said.argmax(axis=1) != y))
    return float(((y - said[:, 0]) ** 2).sum())


def fewest_errors(tree: Tree, X: np.ndarray, y: np.ndarray) -> tuple[float, int]:
    """The fewest errors that a pruned version makes on these samples, and the fewest leaves of those that do."""
    versions = [(round(error_sum(one, X, y), 9), one.n_leaves) for one in pruned_versions(tree)]
    return min(versions)


def cheapest(tree: Tree, alpha: float) -> tuple[float, int]:
    """The least mean impurity plus alpha per leaf of any pruned version, and the fewest leaves at that."""
    found = []
    for one in pruned_versions(tree):
        leaf = one.left == LEAF
        cost = (one.impurity * one.weight)[leaf].sum() / one.weight[0]
        found.append((round(float(cost + alpha * one.n_leaves), 9), one.n_leaves))
    return min(found)


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


FIELDS = ("feature", "left", "right", "categories", "missing_left", "n_samples")
VALUES = ("threshold", "weight", "value", "impurity")
CATEGORY = np.array([False, False, True])


def table(seed, of_classes):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(150, 2)).round(1), rng.integers(0, 4, 150)])
    X[rng.random((150, 3)) < 0.1] = np.nan
    y = np.nan_to_num(X).sum(axis=1) + rng.normal(size=150)
    return X, np.digitize(y, [0.0, 2.0]) if of_classes else y


def assert_same(one, other):
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    for name in VALUES:
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-12, err_msg=name)


def splits_of(tree, deepest):
    """The splits of a tree down to a depth, as `forced_splits` has them."""
    found = {}
    for node in np.flatnonzero(tree.feature != LEAF):
        path = path_of(tree, int(node))
        if len(path) <= deepest:
            found[path] = (int(tree.feature[node]), float(tree.threshold[node]))
    return dict(sorted(found.items(), key=lambda pair: (len(pair[0]), pair[0])))


@pytest.mark.parametrize("make", [CartClassifier, CartRegressor])
@pytest.mark.parametrize("deepest", [0, 1, 2])
@pytest.mark.parametrize("limits", [{"max_depth": 3}, {"max_depth": 5, "min_samples_leaf": 4}, {}])
def test_a_tree_that_begins_with_its_own_splits_is_the_same_tree(make, deepest, limits):
    data = samples.load("iris" if make is CartClassifier else "diabetes")
    X = data.X[:, :4]
    own = make(random_state=0, **limits).fit(X, data.y)
    again = make(random_state=0, **limits, forced_splits=splits_of(own.tree_, deepest)).fit(X, data.y)
    assert_same(own.tree_, again.tree_)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("make", [CartClassifier, CartRegressor])
@pytest.mark.parametrize("missing", ["side", "impute"])  # with surrogates the tree's own splits would keep theirs
def test_given_splits_are_those_by_hand(make, missing, seed):
    X, y = table(seed, make is CartClassifier)
    rng = np.random.default_rng(100 + seed)
    a, b = (float(one) for one in rng.normal(size=2).round(2) / 2)
    bits = int(rng.integers(1, 7))
    learner = make(max_depth=4, min_samples_leaf=3, missing=missing, categorical_features=CATEGORY, random_state=0)
    training = learner.prepare(X, y)
    edits = (Edit("", CUT, (0,), a), Edit("L", SET, (2,), categories=bits), Edit("R", CUT, (1,), b))
    by_hand = edited(learner, training, learner.grow(training).tree_, edits)
    assert not by_hand.refused
    codes = [code for code in range(4) if bits >> code & 1]
    given = {"": (0, a), "L": (2, codes), "R": (1, b)}
    assert_same(learner.set_params(forced_splits=given).fit(X, y).tree_, by_hand.tree)


def test_given_splits_stay_on_redrawn_samples_and_the_limits_count_them():
    data = samples.load("iris")
    given = {"": ("sepal width", 3.0), "R": ("petal width", 1.1)}
    frame = pd.DataFrame(data.X, columns=[one.name for one in data.features])
    rng = np.random.default_rng(0)
    for _ in range(20):
        rows = rng.integers(0, 150, 150)
        tree = CartClassifier(max_depth=3, max_leaf_nodes=5, forced_splits=given).fit(
            frame.iloc[rows], data.y[rows]
        )
        for path, at in (("", (1, 3.0)), ("R", (3, 1.1))):
            node = node_at(tree.tree_, path)
            assert (tree.tree_.feature[node], tree.tree_.threshold[node]) == at
        assert tree.tree_.depth <= 3
        assert tree.tree_.n_leaves <= 5


def test_given_splits_are_made_beyond_the_depth_and_are_never_pruned():
    data = samples.load("iris")
    given = {"": (0, 5.0), "R": (1, 3.0), "RL": (2, 4.5)}
    tree = CartClassifier(max_depth=1, ccp_alpha=1.0, forced_splits=given).fit(data.X, data.y).tree_
    assert (tree.n_leaves, tree.depth) == (4, 3)
    assert [path_of(tree, int(node)) for node in np.flatnonzero(tree.feature != LEAF)] == ["", "R", "RL"]


def test_a_split_that_parts_no_sample_is_left_out_with_those_below_it():
    data = samples.load("iris")
    given = {"": (3, 0.8), "L": (0, 100.0), "LL": (1, 3.0)}
    tree = CartClassifier(max_depth=2, forced_splits=given).fit(data.X, data.y).tree_
    assert tree.feature[tree.left[0]] == LEAF  # all of one class: nothing to split
    assert tree.threshold[0] == 0.8


def test_given_splits_and_forbidden_columns_stand_together_unless_a_split_asks_about_one():
    data = samples.load("iris")
    tree = CartClassifier(max_depth=3, forbidden_features=[0, 2], forced_splits={"": (3, 0.8)})
    there = tree.fit(data.X, data.y).tree_
    assert (there.feature[0], there.threshold[0]) == (3, 0.8)
    assert set(there.feature.tolist()) <= {1, 3, LEAF}
    with pytest.raises(ValueError, match="forbidden_features"):
        CartClassifier(forbidden_features=[3], forced_splits={"": (3, 0.8)}).fit(data.X, data.y)


def test_directions_and_forests_leave_no_room_for_given_splits():
    data = samples.load("diabetes")
    with pytest.raises(ValueError, match="monotonic_cst"):
        CartRegressor(forced_splits={"": (0, 1.0)}, monotonic_cst=[1] + [0] * 9).fit(data.X, data.y)
    iris = samples.load("iris")
    for tree in (CartClassifier(forced_splits={"": (3, 1.0)}), OptimalClassifier(forced_splits={"": (3, 1.0)})):
        with pytest.raises(ValueError, match="forced_splits=None"):
            BaggedForestClassifier(tree, n_estimators=2).fit(iris.X, iris.y)

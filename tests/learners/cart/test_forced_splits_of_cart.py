"""CART that begins with given splits: they stay, and below them each branch is grown on its own samples."""

import numpy as np
import pandas as pd
import pytest

from espalier.data import samples
from espalier.learners import BaggedForestClassifier, CartClassifier, CartRegressor, OptimalClassifier
from espalier.tree.editing import edited
from espalier.tree.edits import CUT, SET, Edit, node_at, path_of
from espalier.trees import LEAF

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

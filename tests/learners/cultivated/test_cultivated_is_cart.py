"""With robust splits and options off a cultivated tree is CART's, node for node, whatever the table."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from espalier.data import samples
from espalier.learners import (
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    CultivatedForestClassifier,
    CultivatedRegressor,
)
from espalier.trees import LEAF, softened
from tests.tools.same_trees import arrays_of

SEEDS = st.integers(0, 2**32 - 1)
OFF: dict[str, Any] = {"robust_splits": False, "options": False}


def random_table(rng, n_classes):
    """Ties, missing values, categories, columns that part nothing; weights of one, whole, or any."""
    n, p = int(rng.integers(2, 120)), int(rng.integers(1, 5))
    X = np.round(rng.normal(size=(n, p)), int(rng.integers(0, 4)))
    categorical = [f for f in range(p) if rng.random() < 0.3]
    X[:, categorical] = rng.integers(0, rng.integers(1, 9), (n, len(categorical)))
    X[rng.random((n, p)) < rng.choice([0, 0, 0.2])] = np.nan
    signal = np.nan_to_num(X[:, 0]) + rng.normal(size=n) * rng.choice([0, 0.5, 2])
    y = np.digitize(signal, [-0.5, 0.5][: n_classes - 1]) if n_classes else np.round(signal, 2)
    weight = (np.ones(n), rng.integers(0, 4, n) + (np.arange(n) == 0), rng.random(n) + 0.05)[rng.integers(3)]
    return X, y, weight, categorical


@pytest.mark.parametrize("n_classes", [0, 2, 3])
@settings(max_examples=120)
@given(seed=SEEDS)
def test_off_is_cart_with_ties_missing_values_categories_weights_and_limits(n_classes, seed):
    rng = np.random.default_rng(seed)
    X, y, weight, categorical = random_table(rng, n_classes)
    same = {
        "max_depth": [None, 2, 14][rng.integers(3)], "max_features": [None, 1][rng.integers(2)],
        "min_weight_fraction_leaf": float(rng.choice([0, 0.1])), "ccp_alpha": float(rng.choice([0, 0.01])),
        "random_state": int(rng.integers(100)), "categorical_features": categorical,
    }  # fmt: skip
    least = int(rng.integers(2, 8)) if (weight == 1).all() else 2
    off = [OFF, {"k": 0, "eta": 0}, {"robust_splits": False, "eta": 0}][rng.integers(3)]
    soft, hard = (CultivatedClassifier, CartClassifier) if n_classes else (CultivatedRegressor, CartRegressor)
    cart = hard(min_samples_split=least, **same).fit(X, y, sample_weight=weight)
    model = soft(min_node_weight=least if least > 2 else 0, **off, **same).fit(X, y, sample_weight=weight)
    for ours, carts in zip(arrays_of(model.tree_), arrays_of(softened(cart.tree_)), strict=True):
        np.testing.assert_array_equal(ours, carts)
    new = np.round(rng.normal(size=(50, X.shape[1])) * 3, 1)
    new[:, categorical] = rng.integers(-1, 12, (50, len(categorical)))
    new[rng.random(new.shape) < 0.1] = np.nan
    ask = "predict_proba" if n_classes else "predict"
    np.testing.assert_array_equal(getattr(model, ask)(new), getattr(cart, ask)(new))


def test_iris_is_cut_at_2_45_and_moons_score_as_cart_does():
    X, y = load_iris(return_X_y=True)
    assert CultivatedClassifier(max_depth=1, **OFF).fit(X, y).tree_.decisions.threshold.tolist() == [2.45]
    assert CultivatedClassifier(max_depth=1, options=False).fit(X, y).tree_.decisions.threshold.tolist() == [2.45]
    moons = samples.load("moons")
    train, held = np.arange(0, len(moons.y), 2), np.arange(1, len(moons.y), 2)
    cart = CartClassifier(max_depth=14, min_samples_split=6).fit(moons.X[train], moons.y[train])
    model = CultivatedClassifier(**OFF).fit(moons.X[train], moons.y[train])
    assert model.score(moons.X[held], moons.y[held]) == cart.score(moons.X[held], moons.y[held])


@settings(max_examples=40)
@given(seed=SEEDS, off=st.booleans())
def test_both_placements_part_the_training_samples_alike_and_one_lies_on_their_values(seed, off):
    rng = np.random.default_rng(seed)
    X, y, weight, categorical = random_table(rng, 2)
    parameters: dict[str, Any] = {
        "categorical_features": categorical,
        "min_node_weight": 3,
        **(OFF if off else {}),
    }
    one, other = (
        CultivatedClassifier(thresholds=at, **parameters).fit(X, y, sample_weight=weight)
        for at in ("midpoint", "data")
    )
    grown = X[weight > 0]
    assert one.predict_proba(grown) == pytest.approx(other.predict_proba(grown), abs=1e-12)
    assert one.tree_.decisions.feature.tolist() == other.tree_.decisions.feature.tolist()
    assert (one.tree_.cuts.value >= other.tree_.cuts.value).all()
    for d, feature in enumerate(other.tree_.decisions.feature):
        cuts = other.tree_.cuts.value[other.tree_.cuts.start[d] : other.tree_.cuts.start[d + 1]]
        known = np.isfinite(cuts) & ~np.isnan(other.tree_.decisions.threshold[d])
        assert np.isin(cuts[known], X[:, feature]).all()


def test_each_cut_of_a_robust_split_lies_midway_and_the_one_above_all_values_on_the_last():
    x = np.array([1.0, 2, 4, 8, 16, 32])
    tree = CultivatedClassifier(max_depth=1, k="all").fit(x[:, None], x > 3).tree_
    assert tree.decisions.threshold.tolist() == [3.0]
    assert tree.cuts.value.tolist() == [1.5, 3, 6, 12, 24, 32]


def test_a_forest_with_everything_off_has_the_trees_of_cart():
    X, y = load_iris(return_X_y=True)
    forest = CultivatedForestClassifier(n_estimators=2, max_features=None, **OFF).fit(X, y)
    cart = CartClassifier(max_depth=30).fit(X, y)
    for tree in forest.forest_.trees:
        for ours, carts in zip(arrays_of(tree), arrays_of(softened(cart.tree_)), strict=True):
            np.testing.assert_array_equal(ours, carts)


def test_splits_that_gain_nothing_are_made_only_where_everything_is_off():
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]] * 4), np.array([0, 1, 1, 0] * 4)  # no feature alone helps
    off, options = (CultivatedClassifier(robust_splits=False, options=o).fit(X, y).tree_ for o in (False, True))
    assert off.n_leaves == 4
    assert options.left.tolist() == [LEAF]


def test_a_column_has_as_many_neighbourhoods_as_are_allowed_and_as_impurity_has_minima():
    """Nalenz & Augustin (2021), section 5: the second class in the middle, so that both borders are as good."""
    x = np.arange(300.0)
    y = ((x >= 100) & (x < 200)).astype(int)

    def decisions(X=x[:, None], y=y, **parameters):
        return CultivatedClassifier(max_depth=1, **parameters).fit(X, y).tree_.decisions

    assert decisions().threshold.tolist() == [99.5]
    found = decisions(neighbourhoods=2)
    assert (found.threshold.tolist(), found.reversed.tolist()) == ([99.5, 199.5], [False, True])
    assert found.share.tolist() == [0.5, 0.5]
    assert found.impurity[0] == pytest.approx(found.impurity[1], abs=0.01)
    assert decisions(neighbourhoods=5).threshold.tolist() == [99.5, 199.5]
    assert decisions(neighbourhoods=2, options=False).threshold.tolist() == [99.5]
    X = np.random.default_rng(0).normal(size=(400, 1))
    one, more = (decisions(X, X[:, 0] > 0.2, neighbourhoods=n).threshold.tolist() for n in (1, 3))
    assert one == more

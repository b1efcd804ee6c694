"""Cultivated trees and forests: parameters, answers, and CART where robust splits and options are off."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, make_classification, make_regression

from espalier import learners
from espalier.kernels.cultivated.fractions import predict, reach
from espalier.learners import CartClassifier, CultivatedClassifier, CultivatedForestClassifier
from espalier.trees import LEAF, CultivatedTree, is_leaf, softened
from tests.tools.same_trees import are_same, arrays_of


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    return X, (X[:, 0] + X[:, 1] + rng.normal(size=150) > 0).astype(int)


def n_decisions(tree):
    return np.diff(tree.decisions.start)[~is_leaf(tree)]


def n_cuts(tree):
    return np.diff(tree.cuts.start)


def test_presets_are_the_papers_and_an_unknown_one_is_refused_with_those_there_are(table):
    tree, preset = (m.fit(*table).tree_ for m in (CultivatedClassifier(), CultivatedClassifier.preset("CRF-full")))
    assert are_same(tree, preset)
    assert n_decisions(tree).max() > 1
    assert n_cuts(tree).max() > 1
    with pytest.raises(
        ValueError, match="no preset 'CRF-deep'; there are CRF-full, CRF-split, CRF-option, CRF-sh"
    ):
        CultivatedClassifier.preset("CRF-deep")


def test_the_presets_switch_the_modules_one_by_one(table):
    split = CultivatedClassifier.preset("CRF-split").fit(*table).tree_
    assert n_decisions(split).max() == 1
    assert n_cuts(split).max() > 1
    option = CultivatedClassifier.preset("CRF-option").fit(*table).tree_
    assert n_decisions(option).max() > 1
    assert n_cuts(option).max() == 1
    shallow = learners.CultivatedRegressor.preset("CRF-shallow", eta=0.1)
    assert (shallow.max_depth, shallow.eta) == (6, 0.1)
    assert shallow.fit(*table).tree_.depth == 6


def test_the_spread_is_none_in_a_single_leaf_and_at_most_one_half(table):
    X, y = table
    model = CultivatedClassifier().fit(X, y)
    spread = model.predict_spread(X)
    assert spread.shape == (150,)
    assert 0 < spread.max() <= 0.5
    hard = CultivatedClassifier(robust_splits=False, options=False).fit(X, y)
    assert not hard.predict_spread(X).any()


def test_class_weights_weigh_the_samples_of_a_class_and_weights_that_leave_nothing_are_refused(table):
    X, y = table
    model = CultivatedClassifier(max_depth=4, class_weight={0: 2, 1: 1}).fit(X, y)
    weighted = CultivatedClassifier(max_depth=4).fit(X, y, sample_weight=np.where(y, 1, 2))
    assert are_same(model.tree_, weighted.tree_)
    with pytest.raises(ValueError, match=r"at least one (non-zero number|a positive)"):  # scikit-learn's, ours
        CultivatedClassifier().fit(*table, sample_weight=np.zeros(150))
    with pytest.raises(ValueError, match="every sample has weight zero; give at least one a positive"):
        CultivatedClassifier(class_weight={0: 0, 1: 0}).fit(*table)


def test_few_samples_are_a_lone_leaf():
    model = CultivatedClassifier().fit(np.arange(5.0)[:, None], [0, 0, 1, 1, 1])
    assert model.tree_.n_nodes == 1
    assert model.predict_proba([[0.0]]).tolist() == [[0.4, 0.6]]


@pytest.mark.parametrize("weight", [0.1, 0.3, 0.7, 1, 2.3])
def test_just_the_least_weight_is_split_and_an_option_just_within_the_tolerance_joins_however_sums_round(weight):
    """The first column parts the classes, the second 4 zeros | 4 zeros, 12 ones: its gini is 0.3, which is eta."""
    X, y = np.column_stack([np.arange(20) >= 8, np.arange(20) >= 4]), np.repeat([0, 1], [8, 12])
    model = CultivatedClassifier(max_depth=1, k=0, eta=0.3, min_node_weight=20 * weight)
    assert model.fit(X, y, sample_weight=np.full(20, weight)).tree_.decisions.feature.tolist() == [0, 1]


def test_categories_need_no_order_and_what_is_unseen_or_missing_is_divided_as_what_was_seen(table):
    x = np.tile(np.arange(6.0), 20)
    y = np.isin(x, [0, 3, 4]).astype(int)
    model = CultivatedClassifier(categorical_features=[0], k=0).fit(x[:, None], y)
    assert model.tree_.n_leaves == 2
    assert model.predict(np.arange(6.0)[:, None]).tolist() == [1, 0, 0, 1, 1, 0]
    x = np.repeat([0.0, 1.0], [10, 30])
    model = CultivatedClassifier(categorical_features=[0], k=0).fit(x[:, None], x)
    assert model.predict_proba([[7.0], [np.nan], [64.0], [-1.0]])[:, 1].tolist() == [0.75] * 4
    X = np.array([[1.0]] * 10 + [[2.0]] * 30)
    y = X[:, 0] - 1
    model = CultivatedClassifier(k=0).fit(X, y)
    assert model.predict_proba([[np.nan]]).tolist() == [[0.25, 0.75]]
    assert model.predict_spread([[np.nan]])[0] ** 2 == pytest.approx(0.25 * 0.75)
    X, y = table
    model = CultivatedClassifier(max_depth=4).fit(np.column_stack([np.full(150, np.nan), X]), y)
    assert 0 not in model.tree_.decisions.feature
    assert CultivatedClassifier().fit(np.full((20, 1), np.nan), [0, 1] * 10).tree_.n_nodes == 1


def test_the_same_seed_draws_the_same_features(table):
    def tree(seed):
        return CultivatedClassifier(max_features=2, random_state=seed).fit(*table).tree_

    assert are_same(tree(1), tree(1))
    assert not are_same(tree(1), tree(2))
    assert n_decisions(tree(1)).max() == 2


def test_pruning_gives_ever_smaller_trees_and_in_the_end_the_root(table):
    sizes = []
    for alpha in (0, 0.001, 0.01, 0.05, 1):
        model = CultivatedClassifier(ccp_alpha=alpha).fit(*table)
        assert model.predict_proba(table[0]).sum(axis=1) == pytest.approx(np.ones(150))
        sizes.append(model.tree_.n_leaves)
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[2] > sizes[-1] == 1


def test_a_least_fraction_keeps_samples_out_of_children_and_changes_little(table):
    X, y = table
    full, sparse = (CultivatedClassifier(min_fraction=m).fit(X, y) for m in (0, 0.2))
    assert sparse.tree_.n_samples.sum() < full.tree_.n_samples.sum()
    assert np.abs(full.predict_proba(X) - sparse.predict_proba(X)).mean() < 0.1


def test_no_limit_of_depth_is_none_at_all():
    x = np.arange(60)  # every other sample of the other class: splits peel off one after the other
    limited, free = (CultivatedClassifier(max_depth=d, k=0, eta=0, min_node_weight=2) for d in (14, None))
    trees = [model.fit(x[:, None], x % 2).tree_ for model in (limited, free)]
    assert trees[0].depth == 14
    assert trees[1].depth > 14
    assert trees[1].n_leaves == 60


def test_it_hesitates_where_cart_does_not():
    # A class that changes at 0: CART jumps there, the cultivated tree climbs.
    x = np.linspace(-1, 1, 200)[:, None]
    y = (x[:, 0] > 0).astype(int)
    cart, soft = CartClassifier(max_depth=1).fit(x, y), CultivatedClassifier(max_depth=1).fit(x, y)
    assert np.unique(cart.predict_proba(x)[:, 1]).tolist() == [0, 1]
    climb = soft.predict_proba(x)[:, 1]
    assert (np.diff(climb) >= 0).all()
    assert len(np.unique(climb)) > 20


@pytest.mark.parametrize("kind", [CultivatedClassifier, CultivatedForestClassifier])
def test_limits_that_let_heavy_samples_be_divided_on_and_on_are_refused(kind):
    X, y = np.arange(60.0).reshape(20, 3), np.arange(20) % 2
    heavy = np.full(20, 1e6)
    with pytest.raises(ValueError, match=r"weigh 2e\+07.*Divide sample_weight by its mean"):
        kind(max_depth=None).fit(X, y, sample_weight=heavy)
    for few in (kind(max_depth=3), kind(max_depth=None, min_node_weight=6e6), kind(max_depth=None, k=0, eta=0)):
        few.fit(X, y, sample_weight=heavy)


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
    soft, hard = (
        (CultivatedClassifier, CartClassifier)
        if n_classes
        else (learners.CultivatedRegressor, learners.CartRegressor)
    )
    cart = hard(min_samples_split=least, **same).fit(X, y, sample_weight=weight)
    model = soft(min_node_weight=least if least > 2 else 0, **off, **same).fit(X, y, sample_weight=weight)
    for ours, carts in zip(arrays_of(model.tree_), arrays_of(softened(cart.tree_)), strict=True):
        np.testing.assert_array_equal(ours, carts)
    new = np.round(rng.normal(size=(50, X.shape[1])) * 3, 1)
    new[:, categorical] = rng.integers(-1, 12, (50, len(categorical)))
    new[rng.random(new.shape) < 0.1] = np.nan
    ask = "predict_proba" if n_classes else "predict"
    np.testing.assert_array_equal(getattr(model, ask)(new), getattr(cart, ask)(new))


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


@pytest.mark.parametrize("bootstrap", [False, True])
def test_a_forest_with_everything_off_has_the_trees_of_cart_on_the_samples_that_it_draws(bootstrap):
    X, y = load_iris(return_X_y=True)
    weight = 1.0 + np.arange(150) % 3
    forest = CultivatedForestClassifier(n_estimators=2, max_features=None, bootstrap=bootstrap, **OFF)
    forest.fit(X, y, sample_weight=weight)
    for tree, times in zip(forest.forest_.trees, forest.in_bag(), strict=True):
        cart = CartClassifier(max_depth=30).fit(X, y, sample_weight=weight * times)
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


X, y = (np.asarray(a) for a in make_classification(200, 6, random_state=0))


def small_forest(**parameters) -> CultivatedForestClassifier:
    return CultivatedForestClassifier(n_estimators=4, max_depth=4, random_state=0, **parameters).fit(X, y)


def trees_of(forest) -> list[CultivatedTree]:
    return [tree for tree in forest.forest_.trees if isinstance(tree, CultivatedTree)]


def test_a_forest_of_one_tree_that_sees_every_feature_is_that_tree_of_classes_or_numbers():
    forest = CultivatedForestClassifier(n_estimators=1, max_features=None).fit(X, y)
    tree = CultivatedClassifier(max_depth=30, min_node_weight=2).fit(X, y)
    assert np.array_equal(forest.predict_proba(X), tree.predict_proba(X))
    assert forest.predict_spread(X) == pytest.approx(tree.predict_spread(X), abs=1e-12)
    table, numbers = (np.asarray(a) for a in make_regression(100, 4, random_state=0))
    forest = learners.CultivatedForestRegressor(n_estimators=1, max_features=None).fit(table, numbers)
    tree = learners.CultivatedRegressor(max_depth=30, min_node_weight=2).fit(table, numbers)
    assert np.array_equal(forest.predict(table), tree.predict(table))
    assert forest.predict_spread(table) == pytest.approx(tree.predict_spread(table), abs=1e-9)


def test_forest_predicts_the_mean_of_its_trees_and_they_differ():
    forest = small_forest()
    means = [predict(tree, X)[0] for tree in trees_of(forest)]
    assert forest.predict_proba(X) == pytest.approx(np.mean(means, axis=0), abs=1e-15)
    assert all(np.abs(means[0] - mean).max() > 0.01 for mean in means[1:])


def mean_and_spread_over_leaves(trees: list[CultivatedTree], row: int) -> tuple[np.ndarray, float]:
    """Of one sample, over the leaves of these trees, by its fractions in them."""
    weights, values = [], []
    for tree in trees:
        start, _, fraction = reach(tree, X[[row]])
        for node in np.flatnonzero(is_leaf(tree) & (np.diff(start) > 0)):
            weights.append(fraction[start[node]])
            values.append(tree.value[node])
    mean = np.average(values, axis=0, weights=weights)
    variances = np.average((np.array(values) - mean) ** 2, axis=0, weights=weights)
    return mean, float(np.sqrt(variances.sum() / 2))


def test_spread_is_taken_over_the_leaves_of_all_trees():
    forest = small_forest()
    spread = forest.predict_spread(X)
    for row in range(0, len(X), 20):
        assert spread[row] == pytest.approx(mean_and_spread_over_leaves(trees_of(forest), row)[1], abs=1e-12)


def test_trees_whose_spread_is_above_the_threshold_abstain_unless_all_would():
    spreads = np.stack([predict(tree, X)[1] for tree in trees_of(small_forest())])
    forest = small_forest(abstain=float(np.median(spreads)))
    speaking = forest.speaking(X)
    all_hesitate = (spreads > forest.abstain).all(axis=0)
    assert 0 < all_hesitate.sum() < len(X)
    assert speaking[:, all_hesitate].all()
    assert np.array_equal(speaking[:, ~all_hesitate], (spreads <= forest.abstain)[:, ~all_hesitate])


def test_abstaining_trees_count_neither_in_the_prediction_nor_in_its_spread():
    forest = small_forest(abstain=0.3)
    share, spread, speaking = forest.predict_proba(X), forest.predict_spread(X), forest.speaking(X)
    some = np.flatnonzero(~speaking.all(axis=0))
    assert len(some) > 0
    for row in map(int, some):
        trees = [tree for tree, speaks in zip(trees_of(forest), speaking[:, row], strict=True) if speaks]
        mean, expected = mean_and_spread_over_leaves(trees, row)
        assert share[row] == pytest.approx(mean, abs=1e-12)
        assert spread[row] == pytest.approx(expected, abs=1e-12)


def test_bootstrap_redraws_as_many_samples_for_each_tree_and_predicts_in_the_units_of_the_target():
    forest = small_forest(bootstrap=True)
    counts = [int(tree.n_samples[0]) for tree in trees_of(forest)]
    assert all(count < len(X) for count in counts)
    assert len(set(map(bytes, (tree.value[0] for tree in trees_of(forest))))) > 1
    assert all(tree.weight[0] == len(X) for tree in trees_of(forest))
    table, numbers = (np.asarray(a) for a in make_regression(150, 4, random_state=0))
    forest = learners.CultivatedForestRegressor(n_estimators=5, bootstrap=True, random_state=0).fit(
        table, numbers + 1e6
    )
    assert forest.predict(table).mean() == pytest.approx(1e6 + numbers.mean(), abs=numbers.std())
    assert forest.score(table, numbers + 1e6) > 0.5


def test_three_classes_and_a_preset_work_as_for_one_tree():
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    forest = CultivatedForestClassifier.preset("CRF-shallow", n_estimators=3, random_state=0)
    forest.fit(X, names)
    assert forest.max_depth == 6
    assert forest.score(X, names) > 0.9
    assert forest.predict_proba(X).sum(axis=1) == pytest.approx(1)


def test_samples_in_the_bag_make_the_roots_and_the_others_judge():
    forest = small_forest(bootstrap=True, oob_score=True)
    shares, votes = np.zeros((len(X), 2)), np.zeros(len(X))
    for tree, seen in zip(trees_of(forest), forest.in_bag(), strict=True):
        assert tree.value[0] == pytest.approx(np.bincount(y.astype(np.int64), weights=seen) / len(X))
        shares[seen == 0] += predict(tree, X[seen == 0])[0]
        votes[seen == 0] += 1
    with np.errstate(invalid="ignore"):
        assert forest.oob_decision_function_ == pytest.approx(shares / votes[:, None], nan_ok=True)
    judged = votes > 0
    assert forest.oob_errors_[-1] == np.mean(shares[judged].argmax(axis=1) != y[judged])

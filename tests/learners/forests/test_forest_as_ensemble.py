"""A random forest has its trees one by one, samples to draw, more trees, a score, and quantiles."""

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_regression
from sklearn.metrics import accuracy_score, f1_score, r2_score

from espalier.forests.growth import JudgedSamples, interval_coverage
from espalier.kernels.route import leaf_of
from espalier.learners import (
    BaggedForestRegressor,
    CartClassifier,
    CartRegressor,
    CultivatedRegressor,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from espalier.learners.forests.forest import quantiles_by
from espalier.progress import Progress
from tests.tools.forests import GAPS, X, y
from tests.tools.same_trees import same_but_for_rounding

NUMBERS = X[:, 0] + X[:, 1] ** 2
KINDS = [RandomForestClassifier, RandomForestRegressor]


def small(kind: Any = RandomForestClassifier, **parameters) -> Any:
    return kind(**{"n_estimators": 8, "random_state": 0, "max_depth": 4, **parameters})


def of_kind(kind):
    return y if kind is RandomForestClassifier else NUMBERS


@pytest.mark.parametrize("kind", KINDS)
def test_a_forest_is_the_sequence_of_its_fitted_trees(kind):
    forest = small(kind).fit(X, of_kind(kind))
    assert len(forest) == len(forest.estimators_) == 8
    assert forest[-1].tree_ is forest.forest_.trees[7]
    assert [one.tree_ for one in forest] == list(forest.forest_.trees)
    assert all(isinstance(one, CartClassifier | CartRegressor) for one in forest)
    mean = np.mean([one.predict_proba(X) if kind is KINDS[0] else one.predict(X) for one in forest], axis=0)
    assert mean == pytest.approx(forest.predict_proba(X) if kind is KINDS[0] else forest.predict(X))
    with pytest.raises(IndexError):
        forest[8]


def test_its_estimator_has_the_forests_parameters_and_is_not_fitted():
    forest = small(criterion="entropy").fit(X, y)
    assert forest.estimator_.get_params()["criterion"] == "entropy"
    assert forest.estimator_.max_depth == 4
    assert not hasattr(forest.estimator_, "tree_")


def test_names_that_say_what_was_fitted():
    forest = small(max_features=0.5).fit(X, y)
    n = X.shape[1]
    assert (forest.n_classes_, forest.n_outputs_, forest.max_features_) == (len(np.unique(y)), 1, n // 2)
    assert CartClassifier(max_features="log2").fit(X, y).max_features_ == int(np.log2(n))
    for name in ("n_classes_", "n_outputs_", "max_features_", "oob_score_", "estimators_"):
        assert not hasattr(small(), name)
    assert not hasattr(small(RandomForestRegressor).fit(X, NUMBERS), "n_classes_")


# ---- max_samples


def grown_on(learner: Any, table, target):
    again: Any = clone(learner)
    return again.fit(table, target).tree_


@pytest.mark.parametrize("table", [X, GAPS], ids=["ordinal codes", "sorted columns"])
@pytest.mark.parametrize(("most", "n_drawn"), [(17, 17), (0.25, len(X) // 4), (1e-9, 1), (10**6, len(X))])
def test_each_tree_grows_on_so_many_draws(table, most, n_drawn):
    forest = small(max_samples=most).fit(table, y)
    assert forest.in_bag().sum(axis=1).tolist() == [n_drawn] * 8
    assert [tree.n_samples[0] for tree in forest.forest_.trees] == [n_drawn] * 8
    assert [len(drawn) for drawn in forest.estimators_samples_] == [n_drawn] * 8


@pytest.mark.parametrize(("kind", "criterion"), [
    (KINDS[0], "gini"), (KINDS[1], "squared_error"), (KINDS[1], "absolute_error"),
])  # fmt: skip
@pytest.mark.parametrize("table", [X, GAPS], ids=["ordinal codes", "sorted columns"])
def test_a_tree_of_few_draws_is_cart_of_the_samples_written_out(kind, criterion, table):
    # Deeper, features that part a node alike differ by rounding.
    few = {"max_samples": 0.4, "max_features": None, "max_depth": 2}
    forest = small(kind, criterion=criterion, **few).fit(table, of_kind(kind))
    for one, drawn in zip(forest, forest.estimators_samples_, strict=True):
        same_but_for_rounding(one.tree_, grown_on(one, table[drawn], of_kind(kind)[drawn]))


def test_a_share_of_weight_in_leaves_is_of_what_was_drawn():
    forest = small(max_samples=0.2, min_weight_fraction_leaf=0.3).fit(X, y)
    assert max(tree.n_leaves for tree in forest.forest_.trees) in (2, 3)
    assert all(tree.weight.min() >= 0.3 * tree.weight[0] - 1 for tree in forest.forest_.trees)


# ---- warm_start


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("table", [X, GAPS], ids=["ordinal codes", "sorted columns"])
def test_a_forest_that_goes_on_is_the_one_that_grew_at_once(kind, table):
    target = of_kind(kind)
    grows = small(kind, n_estimators=3, warm_start=True, oob_score=True).fit(table, target)
    first = grows.forest_.trees
    grows.set_params(n_estimators=8).fit(table, target)
    at_once = small(kind, oob_score=True).fit(table, target)
    assert all(one is other for one, other in zip(first, grows.forest_.trees, strict=False))
    assert np.array_equal(grows.apply(table), at_once.apply(table))
    assert grows.oob_score_ == at_once.oob_score_
    assert [one.random_state for one in grows] == [one.random_state for one in at_once]


def test_trees_keep_their_samples_when_others_are_drawn_differently():
    forest = small(n_estimators=3, warm_start=True).fit(X, y)
    before = forest.in_bag()
    forest.set_params(n_estimators=5, max_samples=10, random_state=7).fit(X, y)
    assert np.array_equal(forest.in_bag()[:3], before)
    assert forest.in_bag().sum(axis=1).tolist() == [len(X)] * 3 + [10] * 2


def test_a_stopped_forest_goes_on_and_nothing_grows_without_more_trees_or_without_warm_start():
    forest = small(warm_start=True).fit(X, y)
    trees = forest.forest_.trees
    with pytest.warns(UserWarning, match="Warm-start fitting without increasing n_estimators"):
        forest.set_params(random_state=1).fit(X, y)
    assert all(one is other for one, other in zip(trees, forest.forest_.trees, strict=True))
    forest = small(warm_start=True).fit(X, y, progress=Progress(is_stopped=True))
    assert len(forest) == 1
    forest.fit(X, y)
    assert len(forest) == 8
    forest = small(warm_start=True).fit(X, y)
    again = forest.set_params(warm_start=False, random_state=3).fit(X, y)
    assert np.array_equal(again.apply(X), small(random_state=3).fit(X, y).apply(X))


def test_trees_are_never_removed_and_the_table_stays():
    forest = small(warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="n_estimators is 4; with warm_start it must be at least 8"):
        forest.set_params(n_estimators=4).fit(X, y)
    with pytest.raises(ValueError, match="warm_start goes on with the table of the last fit"):
        small(warm_start=True).fit(X, y).fit(X[:-1], y[:-1])


# ---- oob_score


def test_the_out_of_bag_score_is_the_accuracy_or_r2_of_trees_that_did_not_see_a_sample():
    forest = small(n_estimators=30, oob_score=True).fit(X, y)
    predicted = forest.classes_[forest.oob_decision_function_.argmax(axis=1)]
    assert forest.oob_score_ == accuracy_score(y, predicted)
    assert forest.oob_score_ == pytest.approx(1 - forest.oob_errors_[-1])
    forest = small(RandomForestRegressor, n_estimators=30, oob_score=True).fit(X, NUMBERS)
    assert forest.oob_score_ == pytest.approx(r2_score(NUMBERS, forest.oob_prediction_))
    forest = small(n_estimators=1, oob_score=True).fit(X, y)
    unseen = forest.in_bag()[0] == 0
    assert forest.oob_score_ == forest.score(X[unseen], y[unseen])
    assert np.isnan(small(n_estimators=1, oob_score=True).fit(X[:1], y[:1]).oob_score_)


def test_it_may_be_any_score_of_targets_and_predictions():
    labels = np.array(["a", "b", "c"])[y]

    def macro(targets, predicted):
        return f1_score(targets, predicted, average="macro")

    forest = small(n_estimators=30, oob_score=macro).fit(X, labels)
    assert forest.oob_score_ == macro(labels, forest.classes_[forest.oob_decision_function_.argmax(axis=1)])


# ---- quantiles and intervals: by hand, against a naive version, and by laws


def naive_weights(forest, X, x, times):
    """The weight of each sample for x by how often each tree has it: Meinshausen 2006, equations 4 and 5."""
    total = np.zeros(len(X))
    for tree, mine in zip(forest.trees, times, strict=True):
        together = (leaf_of(tree, X) == leaf_of(tree, x[None])) * mine
        total += together / together.sum()
    return total / len(forest.trees)


def naive_quantile(y, weight, level):
    """The least target of any weight up to which the weights sum to the level (equations 2 and 6)."""
    reached = [value for value in np.unique(y[weight > 0]) if weight[y <= value].sum() >= level - 1e-12]
    return float(min(reached))


FEW_X, FEW_Y = (np.asarray(a) for a in make_regression(90, 4, noise=20, random_state=0))
Y = np.round(FEW_Y, -1)  # with ties
LEVELS = (0.0, 0.1, 0.5, 0.9, 1.0)
FORESTS: list[Any] = [
    RandomForestRegressor(n_estimators=7, min_samples_leaf=4, random_state=0, keep_leaves=True),
    RandomForestRegressor(
        n_estimators=7, criterion="absolute_error", max_depth=3, keep_leaves=True, random_state=0
    ),
    ExtraTreesRegressor(n_estimators=7, max_depth=4, random_state=0, keep_leaves=True),
    BaggedForestRegressor(CartRegressor(max_depth=3), n_estimators=7, random_state=0, keep_leaves=True),
]


def name(forest) -> str:
    return type(forest).__name__ + getattr(forest, "criterion", "")


def test_quantiles_of_one_leaf_are_those_of_its_targets():
    model = ExtraTreesRegressor(n_estimators=3, max_depth=1, min_samples_leaf=4, keep_leaves=True, random_state=0)
    model.fit([[0.0]] * 4, [1.0, 2.0, 3.0, 4.0])
    assert model.predict_quantiles([[0.0]], (0.25, 0.26, 0.5, 0.75, 1.0)).tolist() == [[1, 2, 2, 3, 4]]
    assert model.predict_interval([[0.0]], 0.5).tolist() == [[1, 3]]


@pytest.mark.parametrize("forest", FORESTS, ids=name)
@pytest.mark.parametrize("heavy", [False, True])
def test_quantiles_are_those_of_the_naive_version(forest, heavy):
    weight = 1.0 + np.arange(len(FEW_X)) % 3 * heavy
    model = forest.fit(FEW_X, Y, sample_weight=weight)
    times = model.in_bag() * weight
    found = model.predict_quantiles(FEW_X[:20], LEVELS)
    for row in range(20):
        share = naive_weights(model.forest_, FEW_X, FEW_X[row], times)
        assert found[row].tolist() == [naive_quantile(Y, share, level) for level in LEVELS]


def test_the_mean_of_the_distribution_is_the_prediction_of_the_forest():
    model = FORESTS[0].fit(FEW_X, Y)
    times = model.in_bag().astype(float)
    means = [naive_weights(model.forest_, FEW_X, row, times) @ Y for row in FEW_X[:10]]
    assert model.predict(FEW_X[:10]) == pytest.approx(means)


def test_out_of_bag_quantiles_are_by_trees_that_have_not_seen_the_row():
    model = FORESTS[0].fit(FEW_X, Y)
    seen = model.in_bag()
    found = quantiles_by(model.forest_, model.leaf_samples_, FEW_X, np.array([0.5]), seen)[:, 0]
    for row in range(len(FEW_X)):
        unseen = seen[:, row] == 0
        if not unseen.any():
            assert np.isnan(found[row])
            continue
        some = model.forest_._replace(trees=[t for t, u in zip(model.forest_.trees, unseen, strict=True) if u])
        share = naive_weights(some, FEW_X, FEW_X[row], seen[unseen].astype(float))
        assert found[row] == naive_quantile(Y, share, 0.5)


def test_quantiles_rise_with_their_level_and_come_in_the_order_asked_for():
    model = FORESTS[2].fit(FEW_X, FEW_Y)
    levels = np.linspace(0, 1, 21)
    found = model.predict_quantiles(FEW_X, levels)
    assert (np.diff(found, axis=1) >= 0).all()
    assert np.array_equal(model.predict_quantiles(FEW_X, levels[::-1]), found[:, ::-1])
    assert set(found.ravel()) <= set(FEW_Y)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_quantiles(FEW_X, levels), found)


def test_wide_intervals_hold_more_of_the_rows_that_trees_have_not_seen():
    wide: Any = make_regression(600, 3, noise=30, random_state=1)
    model: Any = RandomForestRegressor(min_samples_leaf=10, keep_leaves=True, random_state=0).fit(*wide)
    found = interval_coverage(model.forest_, model.leaf_samples_, JudgedSamples(wide[0], wide[1], model.in_bag()))
    assert found.n_samples == 600
    assert (np.diff(found.measured) > 0).all()
    assert (np.diff(found.width) > 0).all()
    at_90 = found.measured[list(found.stated).index(0.9)]
    assert at_90 > 0.9 - 4 * np.sqrt(0.09 / 600)  # leaves are wider than the noise: intervals err on the wide side


def test_nothing_is_measured_where_every_tree_has_seen_every_row():
    model = FORESTS[2].fit(FEW_X, FEW_Y)
    found = interval_coverage(
        model.forest_, model.leaf_samples_, JudgedSamples(FEW_X, FEW_Y, model.in_bag()), (0.5,)
    )
    assert found.n_samples == 0
    assert np.isnan(found.measured).all()


def test_what_cannot_be_answered_says_why():
    with pytest.raises(ValueError, match="keep_leaves=True"):
        RandomForestRegressor(n_estimators=2).fit(FEW_X, FEW_Y).predict_interval(FEW_X)
    with pytest.raises(ValueError, match="numbers from 0 to 1"):
        FORESTS[0].fit(FEW_X, FEW_Y).predict_quantiles(FEW_X, [0.5, 5])
    with pytest.raises(ValueError, match="between 0 and 1"):
        FORESTS[0].predict_interval(FEW_X, 1.0)
    with pytest.raises(ValueError, match="cultivated"):
        BaggedForestRegressor(CultivatedRegressor(max_depth=2), n_estimators=2, keep_leaves=True).fit(FEW_X, FEW_Y)

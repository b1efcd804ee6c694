"""A random forest has its trees, draws, more trees, a score and quantiles; and what its trees may have."""

import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_regression
from sklearn.ensemble import RandomForestClassifier as TheirClassifier
from sklearn.metrics import accuracy_score, f1_score, r2_score
from sklearn.utils import compute_sample_weight

from espalier import learners
from espalier.data import samples
from espalier.forests.growth import JudgedSamples, interval_coverage
from espalier.kernels.route import leaf_of
from espalier.learners import CartClassifier, RandomForestClassifier, RandomForestRegressor
from espalier.learners.forests.forest import quantiles_by
from espalier.progress import Progress
from espalier.trees import is_leaf
from tests.tools.forests import GAPS, X, same_tree, y
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
    assert all(isinstance(one, CartClassifier | learners.CartRegressor) for one in forest)
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


def test_the_out_of_bag_score_is_any_score_of_trees_that_did_not_see_a_sample():
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
    macro, labels = partial(f1_score, average="macro"), np.array(["a", "b", "c"])[y]
    forest = small(n_estimators=30, oob_score=macro).fit(X, labels)
    assert forest.oob_score_ == macro(labels, forest.classes_[forest.oob_decision_function_.argmax(axis=1)])


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
    learners.ExtraTreesRegressor(n_estimators=7, max_depth=4, random_state=0, keep_leaves=True),
    learners.BaggedForestRegressor(
        learners.CartRegressor(max_depth=3), n_estimators=7, random_state=0, keep_leaves=True
    ),
]


def name(forest) -> str:
    return type(forest).__name__ + getattr(forest, "criterion", "")


def test_quantiles_of_one_leaf_are_those_of_its_targets():
    model = learners.ExtraTreesRegressor(
        n_estimators=3, max_depth=1, min_samples_leaf=4, keep_leaves=True, random_state=0
    )
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
        learners.BaggedForestRegressor(
            learners.CultivatedRegressor(max_depth=2), n_estimators=2, keep_leaves=True
        ).fit(FEW_X, FEW_Y)


LIMITS = [
    {"min_weight_fraction_leaf": 0.1}, {"max_leaf_nodes": 5}, {"min_impurity_decrease": 0.02}, {"ccp_alpha": 0.02},
]  # fmt: skip


@pytest.mark.parametrize("limits", [{}, {"criterion": "entropy"}, *LIMITS])
def test_one_tree_of_all_samples_is_cart_within_the_same_limits(limits):
    one = {"n_estimators": 1, "bootstrap": False, "max_features": None}
    for table in (X, GAPS):
        forest = RandomForestClassifier(**one, **limits, random_state=0).fit(table, y)
        cart = CartClassifier(**limits).fit(table, y)
        assert forest.forest_.trees[0].n_leaves > 1
        same_tree(forest.forest_.trees[0], cart.tree_)
        assert np.array_equal(forest.predict_proba(table), cart.predict_proba(table))
    if "criterion" not in limits:
        forest = learners.RandomForestRegressor(**one, **limits, random_state=0).fit(GAPS, X[:, 0])
        same_tree(forest.forest_.trees[0], learners.CartRegressor(**limits).fit(GAPS, X[:, 0]).tree_)


def test_random_thresholds_differ_from_tree_to_tree():
    forest = RandomForestClassifier(n_estimators=3, bootstrap=False, max_features=None, splitter="random")
    trees: Any = forest.set_params(random_state=0).fit(X, y).forest_.trees
    roots = [tree.threshold[0] for tree in trees]
    assert len(set(roots)) == 3


@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize("table", [X, GAPS], ids=["complete", "gaps"])
def test_every_tree_keeps_the_limits_and_all_are_grown(bootstrap, table):
    def trees(**limits):
        forest = RandomForestClassifier(n_estimators=7, bootstrap=bootstrap, random_state=0, **limits)
        progress = Progress()
        grown = forest.fit(table, y, progress=progress).forest_.trees
        assert len(grown) == 7
        assert progress.done == 7 * len(y)
        return grown

    assert all(t.weight[is_leaf(t)].min() >= 15 for t in trees(min_weight_fraction_leaf=0.1))
    assert all(t.n_leaves <= 4 for t in trees(max_leaf_nodes=4))
    pruned, whole = trees(ccp_alpha=0.05), trees()
    assert all(a.n_leaves <= b.n_leaves for a, b in zip(pruned, whole, strict=True))
    assert sum(t.n_leaves for t in pruned) < sum(t.n_leaves for t in whole)
    few = trees(min_impurity_decrease=0.05)
    assert sum(t.n_leaves for t in few) < sum(t.n_leaves for t in whole)


def test_a_forest_pruned_as_scikit_learns_has_about_as_many_leaves():
    ours = RandomForestClassifier(n_estimators=40, ccp_alpha=0.02, max_leaf_nodes=9, random_state=0).fit(X, y)
    theirs = TheirClassifier(40, ccp_alpha=0.02, max_leaf_nodes=9, random_state=0).fit(X, y)
    leaves = np.mean([t.n_leaves for t in ours.forest_.trees])
    assert leaves == pytest.approx(np.mean([t.get_n_leaves() for t in theirs.estimators_]), abs=1)


def test_leaves_of_cultivated_forests_have_the_weight_asked_for():
    for bootstrap in (False, True):
        forest = learners.CultivatedForestClassifier(
            n_estimators=4, min_weight_fraction_leaf=0.08, bootstrap=bootstrap, random_state=0
        ).fit(X, y)
        free = learners.CultivatedForestClassifier(n_estimators=4, bootstrap=bootstrap, random_state=0).fit(X, y)
        assert min(t.weight[is_leaf(t)].min() for t in forest.forest_.trees) >= 12 * (1 - 1e-9)
        assert min(t.weight[is_leaf(t)].min() for t in free.forest_.trees) < 6


# class_weight="balanced_subsample": classes weigh the same in what each tree of a forest has drawn
IRIS = samples.load("iris")
IMBALANCED = IRIS.X[:110], IRIS.y[:110].astype(int)


@pytest.mark.parametrize("more", [{}, {"max_samples": 0.5}, {"criterion": "entropy", "max_leaf_nodes": 8}])
def test_balanced_subsample_weighs_classes_by_what_each_tree_has_drawn(more):
    """As scikit-learn defines it: its own weights of the rows drawn grow the same tree alone."""
    X, y = IMBALANCED
    forest = RandomForestClassifier(
        n_estimators=4, class_weight="balanced_subsample", max_features=None, random_state=1, **more
    ).fit(X, y)
    alone = CartClassifier(**{name: value for name, value in more.items() if name != "max_samples"})
    for rows, tree in zip(forest.estimators_samples_, forest.forest_.trees, strict=True):
        weight = compute_sample_weight("balanced", y, indices=rows)[rows]
        assert tree.value[0] == pytest.approx(1 / len(np.unique(y[rows])))
        own = alone.fit(X[rows], y[rows], sample_weight=weight).tree_
        assert tree.feature.tolist() == own.feature.tolist()
        assert tree.value == pytest.approx(own.value)
        assert tree.weight == pytest.approx(own.weight)


def test_without_bootstrap_balanced_subsample_is_balanced():
    X, y = IMBALANCED
    one, other = (
        RandomForestClassifier(n_estimators=3, bootstrap=False, class_weight=name, random_state=1).fit(X, y)
        for name in ("balanced_subsample", "balanced")
    )
    assert np.array_equal(one.predict_proba(X), other.predict_proba(X))


# Forests of samples that belong together: a tree draws whole groups, and is judged by those it does not know
RNG = np.random.default_rng(0)
PATIENT = np.repeat(np.arange(40), 5)
OF_PATIENTS = RNG.normal(size=(40, 2))[PATIENT]  # columns that know the patient
ILL = RNG.integers(2, size=40)[PATIENT]  # and nothing knows the class of another patient
OUT_OF_BAG = [
    RandomForestClassifier(n_estimators=30, oob_score=True, random_state=0),
    learners.ExtraTreesClassifier(n_estimators=30, bootstrap=True, oob_score=True, random_state=0),
    learners.BaggedForestClassifier(n_estimators=30, oob_score=True, random_state=0),
    learners.CultivatedForestClassifier(n_estimators=5, bootstrap=True, oob_score=True, random_state=0),
]


@pytest.mark.parametrize("forest", OUT_OF_BAG, ids=lambda forest: type(forest).__name__)
def test_a_tree_has_all_rows_of_a_group_equally_often_and_knows_no_patient_it_is_judged_by(forest):
    learner: Any = forest
    alone: Any = clone(learner)
    together: Any = clone(learner)
    alone.fit(OF_PATIENTS, ILL)
    together.fit(OF_PATIENTS, ILL, groups=PATIENT)
    seen = together.in_bag().reshape(-1, 40, 5)
    assert (seen == seen[:, :, :1]).all()
    assert (seen.sum(axis=(1, 2)) == 200).all()  # groups of equal size
    assert (seen[:, :, 0] == 0).any(axis=1).all()
    assert alone.oob_score_ > together.oob_score_ + 0.1  # it has met the patient
    assert together.oob_score_ < 0.7


def test_groups_of_one_row_or_of_other_names_give_the_same_rows_and_another_length_is_refused():
    one = RandomForestClassifier(n_estimators=5, random_state=3).fit(OF_PATIENTS, ILL)
    other = RandomForestClassifier(n_estimators=5, random_state=3).fit(OF_PATIENTS, ILL, groups=np.arange(200))
    assert (one.in_bag() == other.in_bag()).all()
    names = np.array([f"patient {number}" for number in PATIENT])
    one = learners.RandomForestRegressor(n_estimators=3, random_state=3).fit(OF_PATIENTS, ILL, groups=names)
    other = learners.RandomForestRegressor(n_estimators=3, random_state=3).fit(
        OF_PATIENTS, ILL, groups=np.argsort(np.argsort(names)) // 5
    )
    assert np.allclose(one.predict(OF_PATIENTS), other.predict(OF_PATIENTS))
    with pytest.raises(ValueError, match=r"groups have the shape \(3,\); give one for each of 200 samples"):
        RandomForestClassifier().fit(OF_PATIENTS, ILL, groups=[1, 2, 3])


def test_boosting_draws_whole_groups_and_ends_by_groups_that_it_has_not_seen():
    boosting = learners.GradientBoostingClassifier(
        n_estimators=5, subsample=0.5, n_iter_no_change=5, random_state=0
    )
    boosting.fit(OF_PATIENTS, ILL, groups=PATIENT)
    seen = boosting.in_bag().reshape(-1, 40, 5)
    assert (seen == seen[:, :, :1]).all()
    assert (seen.sum(axis=(1, 2)) <= 100).all()
    assert (seen.sum(axis=0) == 0).any()


def test_weights_of_zero_leave_groups_as_they_are_and_a_tree_is_that_of_its_rows_at_their_weights():
    weight = np.where(PATIENT == 3, 0.0, np.arange(200) % 4 + 1)
    forest = RandomForestClassifier(n_estimators=3, max_features=None, random_state=0)
    forest.fit(OF_PATIENTS, ILL, weight, groups=PATIENT)
    for tree, times in zip(forest.forest_.trees, forest.in_bag(), strict=True):
        same_tree(tree, CartClassifier().fit(OF_PATIENTS, ILL, weight * times).tree_)
    seen = forest.in_bag().reshape(-1, 40, 5)
    assert not seen[:, 3].any()
    assert (seen == seen[:, :, :1]).all()

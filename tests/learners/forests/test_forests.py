"""Bagged and subspace forests of any estimator: by hand, against naive versions, and by laws."""

import pickle
from collections.abc import Callable
from threading import Thread

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from espalier.kernels.forest.packed import pack_forest
from espalier.kernels.route import leaf_of
from espalier.learners import (
    BaggedForestClassifier,
    BaggedForestRegressor,
    BoostedForestClassifier,
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    CultivatedRegressor,
    OptimalClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    RootForestClassifier,
    SubspaceForestClassifier,
    SubspaceForestRegressor,
)
from espalier.learners.forests.of_any.sampling import half_of
from espalier.learners.forests.of_any.voting import by_accuracy, by_error
from espalier.learners.forests.predictor import ForestPredictor
from espalier.progress import Progress
from espalier.trees import make_forest
from tests.tools.forests import (
    GAPS,
    MIXED,
    NUMBERS,
    NUMBERS_X,
    SMALL_OPTIMAL,
    X,
    bagged,
    of_subspaces,
    same_tree,
    trees_of,
    voted,
    y,
)


def not_met(forest) -> dict[str, str]:
    """Checks that the forest cannot pass, and why."""
    if isinstance(forest, BaggedForestClassifier | BaggedForestRegressor):
        return {"check_sample_weight_equivalence_on_dense_data": "a draw of n samples differs from one of more"}
    if getattr(forest, "voting", "equal") == "validation":
        return {"check_sample_weight_equivalence_on_dense_data": "half of n samples differs from half of more"}
    return {}


@parametrize_with_checks(
    [
        BaggedForestClassifier(n_estimators=5),
        BaggedForestRegressor(n_estimators=5),
        SubspaceForestClassifier(n_estimators=5),
        SubspaceForestRegressor(CultivatedRegressor(), 5),
        RootForestClassifier(n_estimators=5),
        BoostedForestClassifier(n_estimators=5),
    ],
    expected_failed_checks=not_met,
)
def test_scikit_learns_own_checks_pass(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        BaggedForestClassifier(n_estimators=5, voting="oob", oob_score=True, n_jobs=2),
        BaggedForestClassifier(OptimalClassifier(max_depth=2), 3, voting="validation"),
        BaggedForestClassifier(OptimalClassifier(max_depth=2), 3, decorrelated=True, max_choices=5),
        SubspaceForestClassifier(n_estimators=5, draw="soft", voting="validation"),
        SubspaceForestClassifier(CultivatedClassifier(), 5, draw="hard"),
        RootForestClassifier(OptimalClassifier(max_depth=2), 5),
        BoostedForestClassifier(OptimalClassifier(max_depth=2), 5),
    ],
    expected_failed_checks=not_met,
)
def test_scikit_learns_own_checks_pass_with_other_settings(estimator, check):
    check(estimator)


# ---- bagging


@pytest.mark.parametrize(
    "estimator",
    [
        CartClassifier(max_depth=3, categorical_features=[4], random_state=0),
        CultivatedClassifier(max_depth=2, categorical_features=[4]),
        SMALL_OPTIMAL,
    ],
)
def test_tree_of_a_forest_is_that_of_its_samples_written_out(estimator):
    forest = bagged(estimator).fit(MIXED, y)
    for tree, seen in zip(trees_of(forest), forest.in_bag(), strict=True):
        rows = np.repeat(np.arange(len(X)), seen)
        assert len(rows) == len(X)
        same_tree(tree, estimator.fit(MIXED[rows], y[rows]).tree_)


def test_regression_tree_is_that_of_its_samples_written_out_and_the_forest_their_mean():
    forest = BaggedForestRegressor(CartRegressor(max_depth=3), 4, random_state=0).fit(NUMBERS_X, NUMBERS)
    for tree, seen in zip(trees_of(forest), forest.in_bag(), strict=True):
        rows = np.repeat(np.arange(len(NUMBERS)), seen)
        same_tree(tree, CartRegressor(max_depth=3).fit(NUMBERS_X[rows], NUMBERS[rows]).tree_)
    means = np.mean([tree.value[leaf_of(tree, NUMBERS_X), 0] for tree in trees_of(forest)], axis=0)
    assert forest.predict(NUMBERS_X) == pytest.approx(means)


def test_class_that_a_tree_was_not_drawn_still_has_its_place():
    labels = np.where(np.arange(len(X)) == 0, "alone", np.where(y > 0, "b", "c"))
    forest = bagged().fit(X, labels)
    without = [tree for tree, seen in zip(trees_of(forest), forest.in_bag(), strict=True) if not seen[0]]
    assert without
    assert all(tree.value.shape[1] == 3 and not tree.value[:, 0].any() for tree in without)
    assert set(forest.predict(X[1:])) == {"b", "c"}


def test_classes_weigh_as_the_estimator_says():
    few = np.flatnonzero((y > 0) | (np.arange(len(y)) < 10))
    forest = bagged(CartClassifier(class_weight="balanced"), n_estimators=60).fit(X[few], y[few])
    roots = np.mean([tree.value[0] for tree in trees_of(forest)], axis=0)
    assert roots == pytest.approx(np.full(3, 1 / 3), abs=0.06)
    assert forest.forest_.prior == pytest.approx(np.full(3, 1 / 3))


# ---- votes


def test_each_tree_has_one_vote_for_the_greatest_share():
    forest = bagged(CartClassifier(max_depth=2)).fit(GAPS, y)
    votes = np.stack([voted(tree, GAPS) for tree in trees_of(forest)])
    shares = [[np.mean(votes[:, row] == label) for label in range(3)] for row in range(len(X))]
    assert forest.predict_proba(GAPS) == pytest.approx(np.array(shares))


@pytest.mark.parametrize(("counts", "winner"), [((3, 2), "a"), ((2, 3), "b"), ((3, 3), "a")])
def test_of_tied_classes_the_more_frequent_wins_then_the_first(counts, winner):
    labels = np.repeat(["a", "b"], counts)
    forest = bagged().fit(np.zeros((len(labels), 1)), labels)
    leaf = CartClassifier().fit([[0.0], [0.0]], [0, 1]).tree_
    opposed = [leaf._replace(value=np.array([share])) for share in ([1.0, 0.0], [0.0, 1.0])]
    forest.predictor_ = ForestPredictor(pack_forest(make_forest(opposed, [1, 1], "votes", forest.forest_.prior)))
    assert forest.predict([[0.0]]) == winner


def naive_accuracy(tree, rows, weight) -> float:
    right = sum(weight[row] for row in rows if voted(tree, X[[row]])[0] == y[row])
    return right / sum(weight[row] for row in rows)


@pytest.mark.parametrize("make", [bagged, of_subspaces])
def test_votes_by_validation_are_the_accuracies_on_the_half_set_aside(make: Callable):
    weight = np.linspace(0.5, 1.5, len(X))
    forest = make(CartClassifier(max_depth=1), voting="validation").fit(X, y, weight)
    expected = []
    for tree, seed, seen in zip(trees_of(forest), forest._seeds, forest.in_bag(), strict=True):
        grows = half_of(seed, y)
        assert not seen[~grows].any()
        assert seen.sum() == grows.sum() == tree.n_samples[0] == 75
        expected.append(naive_accuracy(tree, np.flatnonzero(~grows), weight))
    assert len(set(expected)) > 1
    assert forest.forest_.weight == pytest.approx(np.array(expected) / sum(expected))


def test_half_of_every_class_is_set_aside_and_each_half_another():
    labels = np.repeat([0, 1, 2], [10, 31, 5])
    halves = np.stack([half_of(seed, labels) for seed in range(200)])
    for label, count in enumerate([10, 31, 5]):
        grown = halves[:, labels == label].sum(axis=1)
        assert set(grown) <= {count // 2, -(-count // 2)}
    assert (halves.sum(axis=1) == 23).all()
    assert halves.mean(axis=0) == pytest.approx(np.full(46, 0.5), abs=0.2)


def test_votes_by_the_bag_are_inverse_to_the_error_outside_of_it():
    forest = bagged(CartClassifier(max_depth=1), voting="oob").fit(X, y)
    inverse = []
    for tree, seen in zip(trees_of(forest), forest.in_bag(), strict=True):
        inverse.append(1 / (1 - naive_accuracy(tree, np.flatnonzero(seen == 0), np.ones(len(X)))))
    assert len(set(inverse)) > 1
    assert forest.forest_.weight == pytest.approx(np.array(inverse) / sum(inverse))


def test_votes_of_trees_without_error_or_judges_by_hand():
    # No error among 4 counts as 1/8; 1/2 is 1/2; the third, of which nobody knows, has their mean, 5/16.
    votes = by_error(np.array([1.0, 0.5, np.nan]), np.array([4, 10, 0]))
    assert votes == pytest.approx([8, 2, 16 / 5])
    assert by_accuracy(np.array([0.5, np.nan, 1.0])) == pytest.approx([0.5, 0.75, 1])
    assert by_accuracy(np.array([0.0, 0.0])).tolist() == [1, 1]
    assert by_error(np.array([np.nan, np.nan]), np.zeros(2)).tolist() == [1, 1]


def test_out_of_bag_error_is_that_of_the_votes_of_trees_that_did_not_see_a_sample():
    forest = bagged(CartClassifier(max_depth=1), oob_score=True, n_estimators=40).fit(X, y)
    wrong = []
    for row in range(len(X)):
        trees = [tree for tree, seen in zip(trees_of(forest), forest.in_bag()[:, row], strict=True) if not seen]
        votes = np.bincount([voted(tree, X[[row]])[0] for tree in trees], minlength=3)
        assert forest.oob_decision_function_[row] == pytest.approx(votes / votes.sum())
        wrong.append(votes.argmax() != y[row])
    assert forest.oob_errors_[-1] == pytest.approx(np.mean(wrong))


# ---- laws


FORESTS = [
    bagged(), bagged(SMALL_OPTIMAL, voting="oob"), bagged(voting="validation"),
    bagged(SMALL_OPTIMAL, decorrelated=True, slack=1, max_choices=5), bagged(CultivatedClassifier(max_depth=3)),
    BaggedForestRegressor(n_estimators=4, random_state=0),
    of_subspaces(SMALL_OPTIMAL), of_subspaces(draw="soft"), of_subspaces(voting="validation"),
    RootForestClassifier(SMALL_OPTIMAL, random_state=0), RootForestClassifier(random_state=0),
]  # fmt: skip


@pytest.mark.parametrize("forest", FORESTS)
def test_number_of_threads_changes_nothing(forest):
    grown = [pickle.loads(pickle.dumps(forest.set_params(n_jobs=n).fit(MIXED, y))) for n in (1, 3)]
    for a, b in zip(*(trees_of(one) for one in grown), strict=True):
        same_tree(a, b)
    assert np.array_equal(grown[0].forest_.weight, grown[1].forest_.weight)
    assert np.array_equal(grown[0].predict(MIXED), grown[1].predict(MIXED))
    assert np.array_equal(grown[0].in_bag(), grown[1].in_bag())


@pytest.mark.parametrize("forest", [*FORESTS, BoostedForestClassifier(n_estimators=6)])
def test_before_it_is_fitted_a_forest_has_no_trees_so_far(forest):
    assert type(forest)(**forest.get_params(deep=False)).trees_so_far() == {}


@pytest.mark.parametrize("forest", [*FORESTS, BoostedForestClassifier(n_estimators=6)])
def test_progress_ends_with_the_samples_of_all_trees_and_a_stop_leaves_the_first(forest):
    progress = Progress()
    whole = forest.fit(MIXED, y, progress=progress).forest_
    assert not progress.is_stopped
    assert progress.done == forest.n_planned_ * len(X)
    assert forest.n_planned_ >= whole.n_trees
    assert list(forest.trees_so_far()) == list(range(whole.n_trees))
    stopped = forest.fit(MIXED, y, progress=Progress(is_stopped=True))
    assert stopped.forest_.n_trees == 1
    assert stopped.predict(MIXED).shape == (len(X),)


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
@pytest.mark.parametrize("n", [2, 30, 700, 5000])
def test_stopped_before_it_begins_a_forest_is_one_root_with_the_mean_of_its_bag(kind, n):
    rng = np.random.default_rng(n)
    target = np.arange(n) % 2 if kind is RandomForestClassifier else rng.normal(size=n)
    for rows in (rng.normal(size=(n, 3)), rng.integers(0, 5, (n, 3)).astype(float)):
        forest = kind(n_estimators=20, random_state=0, n_jobs=2)
        (tree,) = forest.fit(rows, target, progress=Progress(is_stopped=True)).forest_.trees
        bag = forest.in_bag()[0]
        assert tree.n_nodes == 1
        assert tree.value[0, -1] == pytest.approx(np.average(target, weights=bag), abs=1e-12)
        assert np.ptp(forest.predict(rows)) == 0


def test_stopped_on_the_way_a_forest_keeps_the_complete_trees():
    forest, progress = bagged(n_estimators=100_000, n_jobs=2), Progress()
    growing = Thread(target=forest.fit, args=(X, y), kwargs={"progress": progress})
    growing.start()
    while len(forest.trees_so_far()) < 3:
        pass
    progress.stop()
    growing.join()
    kept = forest.trees_so_far()
    assert 3 <= forest.forest_.n_trees == len(kept) < 100_000
    again = bagged(n_estimators=max(kept) + 1).fit(X, y).forest_.trees
    for number, tree in kept.items():
        same_tree(tree, again[number])


@pytest.mark.parametrize("make", [bagged, of_subspaces, RootForestClassifier, BoostedForestClassifier])
def test_samples_of_weight_zero_are_absent(make: Callable):
    weight = (np.arange(len(X)) % 3 > 0).astype(float)
    forest = make().fit(X, y, sample_weight=weight)
    without = make().fit(X[weight > 0], y[weight > 0])
    assert np.array_equal(forest.predict_proba(X), without.predict_proba(X))
    assert np.array_equal(forest.in_bag()[:, weight > 0], without.in_bag())
    assert not forest.in_bag()[:, weight == 0].any()


@pytest.mark.parametrize(
    ("make", "parameters"),
    [
        (bagged, {"n_estimators": 0}), (bagged, {"voting": "loudest"}), (bagged, {"n_jobs": 0}),
        (bagged, {"decorrelated": True}), (bagged, {"decorrelated": 1}), (bagged, {"slack": -1}),
        (bagged, {"max_choices": 0}), (bagged, {"oob_score": 2}), (bagged, {"estimator": CartRegressor()}),
        (bagged, {"estimator": RandomForestClassifier()}), (bagged, {"estimator": "cart"}),
        (of_subspaces, {"voting": "oob"}), (of_subspaces, {"draw": "straws"}), (of_subspaces, {"max_features": 0}),
        (RootForestClassifier, {"n_estimators": 0}), (RootForestClassifier, {"n_jobs": 1.5}),
        (BoostedForestClassifier, {"n_estimators": 1.5}), (BaggedForestRegressor, {"estimator": CartClassifier()}),
    ],
)  # fmt: skip
def test_parameters_that_mean_nothing_are_named(make: Callable, parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        make().set_params(**parameters).fit(X, y)


def test_what_the_estimator_cannot_use_is_said_in_its_words():
    with pytest.raises(ValueError, match="max_depth is 0"):
        bagged(CartClassifier(max_depth=0)).fit(X, y)
    with pytest.raises(ValueError, match="misclassification_cost"):
        bagged(OptimalClassifier(misclassification_cost=[[0, 1]])).fit(X, y)

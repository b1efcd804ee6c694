"""Bagged and subspace forests of any estimator: by hand, against naive versions, and by laws."""

from collections.abc import Callable
from threading import Thread

import numpy as np
import pytest

from espalier.kernels.forest.packed import pack_forest
from espalier.kernels.route import leaf_of
from espalier.learners import (
    BaggedForestRegressor,
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from espalier.learners.forests.ensemble import by_accuracy, by_error, half_of
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

# ---- bagging


@pytest.mark.parametrize("estimator", [
    CartClassifier(max_depth=3, categorical_features=[4], random_state=0),
    CultivatedClassifier(max_depth=2, categorical_features=[4]), SMALL_OPTIMAL,
])  # fmt: skip
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

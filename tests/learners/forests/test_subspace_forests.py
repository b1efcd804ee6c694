"""Subspaces of features, and trees chosen because they agree little: by hand, and against naive versions."""

from collections.abc import Callable

import numpy as np
import pytest

from espalier.kernels.route import leaf_of
from espalier.learners import (
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    OptimalClassifier,
    SubspaceForestRegressor,
)
from espalier.learners.forests.of_any.fit_part import asked_by, of_table
from espalier.learners.forests.of_any.sampling import soft_chances, softer_chances, subspace, uses
from tests.tools.forests import MIXED, NUMBERS, NUMBERS_X, X, bagged, of_subspaces, same_tree, trees_of, voted, y

# ---- subspaces


@pytest.mark.parametrize("draw", ["uniform", "soft", "softer", "hard"])
def test_tree_of_a_subspace_is_that_of_its_columns_alone(draw):
    estimator = CartClassifier(max_depth=2, categorical_features=[4])
    forest = of_subspaces(estimator, draw=draw).fit(MIXED, y)
    for tree, features in zip(trees_of(forest), forest.subspaces(), strict=True):
        categorical = np.flatnonzero(features == 4)
        alone = CartClassifier(max_depth=2, categorical_features=categorical).fit(MIXED[:, features], y).tree_
        assert set(asked_by(tree)) <= set(features)
        same_tree(tree, of_table(alone, features))
        assert np.array_equal(leaf_of(tree, MIXED), leaf_of(alone, MIXED[:, features]))


def test_cultivated_tree_of_a_subspace_asks_about_its_features_alone():
    forest = of_subspaces(CultivatedClassifier(max_depth=3), draw="soft").fit(MIXED, y)
    asked = [set(asked_by(tree)) for tree in trees_of(forest)]
    assert all(some <= set(features) for some, features in zip(asked, forest.subspaces(), strict=True))
    assert len(set().union(*asked)) > 3
    assert forest.score(MIXED, y) > 0.6


def test_uniform_subspaces_have_half_of_the_features_each_as_often():
    forest = of_subspaces(CartClassifier(max_depth=1), n_estimators=400).fit(MIXED, y)
    spaces = forest.subspaces()
    assert all(len(features) == len(set(features)) == 3 for features in spaces)
    assert np.bincount(np.concatenate(spaces)) == pytest.approx(np.full(6, 200), abs=5 * 10)


def test_hard_draws_never_ask_about_a_feature_twice_and_end():
    forest = of_subspaces(CartClassifier(max_depth=1), draw="hard").fit(MIXED[:, :4], y)
    asked = [asked_by(tree).tolist() for tree in trees_of(forest)]
    assert sorted(feature for some in asked for feature in some) == [0, 1, 2, 3]
    assert [len(features) for features in forest.subspaces()] == [4, 3, 2, 1]
    useless = np.column_stack([X[:, 0], np.ones(len(X))])
    assert of_subspaces(draw="hard").fit(useless, y).forest_.n_trees == 1


def test_soft_chances_by_hand():
    # 1, 1/2 and 1/4 are 4, 2 and 1 of seven.
    assert soft_chances(np.array([0, 1, 3])) == pytest.approx([4 / 7, 2 / 7, 1 / 7])
    drawn = [subspace(seed, soft_chances(np.array([0, 1, 3])), 2).tolist() for seed in range(4000)]
    both = np.mean([features == [0, 1] for features in drawn])
    assert both == pytest.approx(4 / 7 * 2 / 3 + 2 / 7 * 4 / 5, abs=5 * 0.5 / np.sqrt(4000))


def test_softer_chances_by_hand():
    # Of seven, all but 1, 2 and 4: 6, 5 and 3 of fourteen.
    assert softer_chances(np.array([0, 1, 3])) == pytest.approx([6 / 14, 5 / 14, 3 / 14])
    assert softer_chances(np.array([4])).tolist() == [1]


@pytest.mark.parametrize(("draw", "chances"), [("soft", soft_chances), ("softer", softer_chances)])
def test_soft_draws_follow_from_how_often_features_are_used(draw, chances: Callable):
    forest = of_subspaces(CartClassifier(max_depth=2), draw=draw).fit(MIXED, y)
    for number, features in enumerate(forest.subspaces()):
        earlier = trees_of(forest)[:number]
        used = np.array([sum(feature in asked_by(tree) for tree in earlier) for feature in range(6)])
        assert np.array_equal(uses(earlier, 6), used)
        assert np.array_equal(features, subspace(forest._seeds[number], chances(used), 3))


def test_regression_on_subspaces_is_the_mean_of_its_trees():
    forest = SubspaceForestRegressor(CartRegressor(max_depth=3), 5, draw="soft", random_state=0)
    forest.fit(NUMBERS_X, NUMBERS)
    means = np.mean([tree.value[leaf_of(tree, NUMBERS_X), 0] for tree in trees_of(forest)], axis=0)
    assert forest.predict(NUMBERS_X) == pytest.approx(means)
    assert forest.score(NUMBERS_X, NUMBERS) > 0.2


# ---- decorrelation


@pytest.mark.parametrize("make", [bagged, of_subspaces])
@pytest.mark.parametrize("slack", [0, 2])
def test_decorrelated_trees_agree_least_with_the_earlier_ones(make: Callable, slack):
    bits = (np.random.default_rng(1).random((60, 6)) < 0.5) / 1.0
    labels = (bits[:, 0] + bits[:, 1] * bits[:, 2] + bits[:, 3] > 1) ^ (np.random.default_rng(2).random(60) < 0.1)
    forest = make(OptimalClassifier(max_depth=2), decorrelated=True, slack=slack).fit(bits, labels)
    said, n_choices = [], []
    for number, (tree, seen) in enumerate(zip(trees_of(forest), forest.in_bag(), strict=True)):
        rows, features = np.repeat(np.arange(60), seen), np.arange(6)
        if make is of_subspaces:
            features = forest.subspaces()[number]
        learner = OptimalClassifier(max_depth=2).fit(bits[rows][:, features], labels[rows])
        near = learner.optimal_trees(slack, 100)
        rivals = [sum(np.mean(voted(other.tree, bits[:, features]) == vote) for vote in said) for other in near]
        said.append(voted(tree, bits))
        assert sum(np.mean(said[-1] == vote) for vote in said[:-1]) == pytest.approx(min(rivals))
        assert np.sum(said[-1][rows] != labels[rows]) <= learner.proof_.objective + slack
        n_choices.append(len(rivals))
    assert max(n_choices) > 1

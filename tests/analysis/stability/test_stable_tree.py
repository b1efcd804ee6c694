"""The stable tree: the nearest to trees of redrawn rows of those that are nearly as good as CART."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from espalier.analysis.stability.path_distance import mean_distance, paths_of, ranges_of
from espalier.analysis.stability.stable_tree import Bags, areas, refilled, stable_tree
from espalier.data import samples
from espalier.learners import CartClassifier
from espalier.predict import leaves
from espalier.progress import Progress

WINE = samples.load("wine")
CART = CartClassifier(max_depth=2, random_state=0)
TRAINING = CART.prepare(WINE.X, WINE.y)
BAGS = Bags.of(TRAINING, 6, seed=0)


def stable(most_lost=0.02):
    found = stable_tree(TRAINING, ranges_of(WINE), CART, BAGS, most_lost)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def found():
    return stable()


def test_it_loses_no_more_than_allowed_and_is_no_farther_from_redrawn_trees_than_cart(found):
    assert found.auc >= 0.98 * found.of_cart.auc
    assert found.distance <= found.of_cart.distance
    assert found.n_candidates <= 1 + 3 * 6  # CART, and of each bag a tree of 2, 3 and 4 leaves
    assert found.of_cart.tree.n_leaves == CART.fit(WINE.X, WINE.y).tree_.n_leaves


def test_the_more_it_may_lose_the_nearer_it_is(found):
    none, whole = stable(0.0), stable(1.0)
    assert whole.distance <= found.distance <= none.distance
    assert none.auc >= none.of_cart.auc
    assert whole.n_candidates == none.n_candidates


def test_its_distance_is_the_mean_from_trees_of_as_many_splits_grown_on_the_bags(found):
    ranges, grown = ranges_of(WINE), []
    for times in BAGS.times:
        rows = np.repeat(np.arange(len(times)), times)
        model = CartClassifier(max_depth=2, max_leaf_nodes=found.tree.n_leaves, random_state=0)
        tree = model.fit(WINE.X[rows], WINE.y[rows]).tree_
        grown.append(paths_of(refilled(tree, TRAINING, 3), ranges))
    assert found.distance == pytest.approx(mean_distance(paths_of(found.tree, ranges), grown, ranges, 2))


def test_a_tree_that_is_filled_with_the_samples_it_grew_on_is_itself():
    tree = CART.fit(WINE.X, WINE.y).tree_
    again = refilled(tree, TRAINING, 3)
    for name in ("value", "weight", "impurity"):
        assert getattr(again, name) == pytest.approx(getattr(tree, name))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_area_of_leaves_is_that_of_their_samples(n_classes):
    source = np.random.default_rng(n_classes)
    tree = CART.fit(WINE.X, WINE.y).tree_
    y = source.integers(0, n_classes, len(WINE.y))
    at = np.unique(leaves(tree, WINE.X), return_inverse=True)[1]
    counts = np.zeros((at.max() + 1, n_classes))
    np.add.at(counts, (at, y), 1)
    score = source.random(counts.shape).round(1)
    expected = np.mean([roc_auc_score(y == k, score[at, k]) for k in range(n_classes)])
    assert areas(score[None], counts[None]) == pytest.approx(expected)


def test_samples_that_are_equal_are_drawn_together_so_that_none_out_of_bag_was_seen():
    X, y = np.tile(WINE.X[:40], (2, 1)), np.tile(WINE.y[:40], 2)
    times = Bags.of(CART.prepare(X, y), 5, seed=1).times
    assert np.array_equal(times[:, :40], times[:, 40:])
    assert (times[:, :40].sum(axis=1) == 40).all()


def test_once_stopped_there_is_none():
    progress = Progress()
    progress.stop()
    assert stable_tree(TRAINING, ranges_of(WINE), CART, BAGS, progress=progress) is None


def test_a_learner_without_a_depth_is_refused():
    with pytest.raises(ValueError, match="max_depth"):
        stable_tree(TRAINING, ranges_of(WINE), CartClassifier(), BAGS)

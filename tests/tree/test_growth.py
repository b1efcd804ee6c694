"""The order in which splits come about, the size of a tree by cross-validation or by depth, what errors cost."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from espalier.analysis import pruning_sequence, subtree_errors
from espalier.data import samples
from espalier.data.folds import Folds, deal
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier, OptimalClassifier
from espalier.learners.pruning import PruningPath, prune, pruning_path
from espalier.predict import predictions
from espalier.progress import Progress
from espalier.tree.model_size import cost_of_errors, prices, row_weights
from espalier.tree.nodes import growth_order, impurity_left
from espalier.tree.pruning import (
    DepthPlan,
    PruningSequence,
    SubtreeErrors,
    WeighedSamples,
    depth_errors,
    sequence_parts,
)
from espalier.trees import is_leaf, parents, prune_to
from tests.tools.by_hand import told_from_others
from tests.tools.cases import case
from tests.tools.rpart_data import kyphosis

ORDERS = ["gain", "depth", "found"]


def grown(name, **parameters):
    data = samples.load(name)
    learner = CartClassifier if data.is_classification else CartRegressor
    return learner(categorical_features=data.categorical, **parameters).fit(data.X, data.y).tree_, data


#        0
#      ╱   ╲
#     1     4
#    ╱ ╲   ╱ ╲
#   2   3 5   6
def test_three_splits_and_the_impurity_left_after_each_by_hand_and_another_order_is_refused_by_name():
    """Four rows on each side of the root: the right side's classes are parted by its split, the left's are not."""
    X = [[0, 0], [0, 0], [0, 1], [0, 1], [1, 0], [1, 0], [1, 1], [1, 1]]
    y = [0, 0, 0, 1, 2, 2, 3, 3]
    tree = CartClassifier(max_depth=2).fit(X, y).tree_
    assert tree.left.tolist() == [1, 2, -1, -1, 5, -1, -1]
    assert growth_order(tree, "gain").tolist() == [0, 2, -1, -1, 1, -1, -1]
    assert growth_order(tree, "depth").tolist() == [0, 1, -1, -1, 2, -1, -1]
    assert growth_order(tree, "found").tolist() == [0, 1, -1, -1, 2, -1, -1]
    tree = CartClassifier().fit([[0], [1], [2], [3]], [0, 1, 1, 2]).tree_
    assert impurity_left(tree, growth_order(tree)).tolist() == pytest.approx([5 / 8, 1 / 3, 0])
    with pytest.raises(ValueError, match="order='size'"):
        growth_order(grown("iris")[0], "size")


def test_every_split_has_a_place_and_a_node_is_split_after_its_parent():
    for order in ORDERS:
        for name in ["iris", "sine", "monks-1", "wine"]:
            with case((order, name)):
                tree, _ = grown(name)
                places, splits = growth_order(tree, order), np.flatnonzero(~is_leaf(tree))
                assert sorted(places[splits]) == list(range(len(splits)))
                assert (places[is_leaf(tree)] == -1).all()
                assert all(places[parents(tree)[node]] < places[node] for node in splits if node)


@pytest.mark.parametrize("name", ["iris", "sine", "wine"])
def test_the_best_split_comes_next_as_a_naive_search_finds_it(name):
    tree, _ = grown(name, max_depth=4)
    rest = tree.weight * tree.impurity

    def gain(node):
        return rest[node] - rest[tree.left[node]] - rest[tree.right[node]]

    places, front = growth_order(tree, "gain"), [0]
    for place in range(np.count_nonzero(~is_leaf(tree))):
        node = max((n for n in front if not is_leaf(tree)[n]), key=gain)
        assert gain(int(np.flatnonzero(places == place)[0])) == pytest.approx(gain(node))
        node = int(np.flatnonzero(places == place)[0])
        front = [n for n in front if n != node] + [tree.left[node], tree.right[node]]


def test_the_impurity_left_is_the_mean_over_the_leaves_of_the_tree_that_has_grown_so_far():
    for order in ORDERS:
        for name in ["iris", "sine", "monks-1"]:
            with case((order, name)):
                tree, _ = grown(name)
                places = growth_order(tree, order)
                left = impurity_left(tree, places)
                assert len(left) == tree.n_leaves
                for step in range(tree.n_leaves):
                    cut = prune_to(tree, places < step)
                    leaves = is_leaf(cut)
                    assert left[step] == pytest.approx(
                        np.average(cut.impurity[leaves], weights=cut.weight[leaves]), abs=1e-9
                    )


def table(seed, make, n=60):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (n, 3)).astype(float)
    y = X[:, 0] + 3 * rng.normal(size=n)
    return X, y if make is CartRegressor else np.digitize(y, [2, 5])


def validated(estimator, X, y, folds) -> PruningSequence:
    found = pruning_sequence(estimator, X, y, folds)
    assert found is not None
    return found


def losses(said, y):
    return (said - y) ** 2 if y.dtype.kind == "f" else (said != y).astype(float)


def fitted(estimator, X, y, **parameters):
    anew: Any = clone(estimator)
    return anew.set_params(**parameters).fit(X, y)


def naive_errors(estimator, X, y, folds):
    """Each subtree's losses on all folds: fitted anew for every fold and every alpha."""
    alpha = pruning_path(fitted(estimator, X, y).tree_).alpha
    between = [*np.sqrt(alpha[:-1] * alpha[1:]), 1e9]
    found = np.zeros((len(alpha), len(y)))
    for fold in folds:
        rest, rows = np.flatnonzero(fold.fitted_to), fold.rows
        for i, price in enumerate(between):
            pruned = fitted(estimator, X[rest], y[rest], ccp_alpha=price)
            found[i, rows] = losses(pruned.predict(X[rows]), y[rows])
    return found


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([CartClassifier, CartRegressor]))
def test_errors_are_those_of_trees_fitted_anew_at_every_price(seed, make):
    X, y = table(seed, make)
    folds, estimator = deal(y, Folds(4, seed=seed)), make(max_depth=4)
    found = validated(estimator, X, y, folds)
    naive = naive_errors(estimator, X, y, folds)
    assert found.validated.error == pytest.approx(naive.mean(axis=1))
    assert found.validated.standard_error == pytest.approx(naive.std(axis=1) / np.sqrt(len(y)))


def test_the_errors_of_subtrees_are_those_of_the_trees_and_the_standard_error_of_the_root_is_rparts():
    X, y = table(5, CartClassifier)
    tree = CartClassifier().fit(X[::2], y[::2]).tree_
    errors = subtree_errors(tree, X[1::2], y[1::2])
    pruned = [prune(tree, alpha) for alpha in pruning_path(tree).alpha]
    assert errors.error.tolist() == [(predictions(one, X[1::2]) != y[1::2]).mean() for one in pruned]
    # xstd in the first line of the kyphosis table, in units of the root's error 17/81, is the same for all folds.
    X, y = kyphosis()
    found = validated(CartClassifier(min_samples_split=20, min_samples_leaf=7), X, y, deal(y, Folds(10)))
    assert found.validated.error[-1] / (17 / 81) == pytest.approx(1)
    assert (found.validated.standard_error[-1] / (17 / 81)).round(5) == 0.21559


def test_a_tree_exactly_one_standard_error_above_the_least_is_within_it_whatever_its_error_is_rounded_to():
    for least in range(50):
        for spread in range(50):
            errors = SubtreeErrors(np.array([least, least + spread]) / 100, np.full(2, spread / 100))
            assert errors.one_standard_error == 1, (least, spread)


def sequence(errors, spread):
    n = len(errors)
    path = PruningPath(np.arange(n, dtype=float), np.arange(n, 0, -1), np.zeros(n))
    both = SubtreeErrors(np.array(errors), np.full(n, spread))
    return PruningSequence(path, both, both)


def test_the_rules_choose_the_least_error_or_the_smallest_tree_within_a_standard_error_if_there_is_any():
    # Breiman et al. (1984, table 3.3) in small: the minimum lies in a flat valley.
    found = sequence([0.30, 0.28, 0.28, 0.29, 0.31, 0.50], 0.02)
    assert found.least == 2
    assert found.one_standard_error == 3
    found = sequence([0.4, 0.3, 0.1 + 0.2, 0.4], 0.0)  # 0.1 + 0.2 is a little more than 0.3
    assert found.least == found.one_standard_error == 2


def test_labels_may_be_words_progress_counts_every_tree_a_stop_ends_it_and_a_single_fold_is_refused():
    X, y = table(2, CartClassifier)
    words = np.array(["left", "middle", "rare"])[np.where(np.arange(len(y)) == 7, 2, y > 0)]
    found = validated(CartClassifier(), pd.DataFrame(X), words, deal(y, Folds(5)))
    assert 0 < found.validated.error[0] < 1
    assert found.training.error[0] <= found.training.error[-1]
    X, y = table(1, CartRegressor)
    progress = Progress()
    assert pruning_sequence(CartRegressor(), X, y, deal(y, Folds(3)), progress) is not None
    assert progress.done == sequence_parts(3)
    assert pruning_sequence(CartRegressor(), X, y, deal(y, Folds(3)), Progress(is_stopped=True)) is None
    with pytest.raises(ValueError, match="at least two"):
        pruning_sequence(CartRegressor(), X, y, deal(y, Folds(2))[:1])
    with pytest.raises(ValueError, match="no rows"):
        subtree_errors(CartRegressor().fit(X, y).tree_, X[:0], y[:0])


TRUTH = np.array([0, 0, 0, 1, 1, 2])
SAID = np.array([0, 1, 2, 1, 0, 2])


def test_errors_cost_their_number_or_more_by_the_truth_and_balanced_classes_weigh_the_same():
    equal = prices(TRUTH, 3, balanced=False)
    assert equal.are_equal
    assert cost_of_errors(TRUTH, SAID, equal) == 3.0
    cost = np.array([[0, 5, 5], [1, 0, 1], [1, 1, 0]])
    unequal = prices(TRUTH, 3, balanced=False, cost=cost)
    assert not unequal.are_equal
    assert cost_of_errors(TRUTH, SAID, unequal) == 11.0
    assert row_weights(unequal).tolist() == [5, 1, 1]
    balanced = prices(TRUTH, 4, balanced=True)  # the fourth class does not occur
    assert balanced.weight[:3].tolist() == pytest.approx([6 / (3 * 3), 6 / (3 * 2), 6 / 3])
    assert (balanced.weight[:3] * np.bincount(TRUTH)).tolist() == pytest.approx([2, 2, 2])
    assert cost_of_errors(TRUTH, SAID, balanced) == pytest.approx(2 * 2 / 3 + 1)
    assert prices(np.array([0, 1, 0, 1]), 2, balanced=True).are_equal
    assert cost_of_errors(TRUTH[:0], SAID[:0], prices(TRUTH, 3, balanced=False)) == 0.0


IRIS, SINE = samples.load("iris"), samples.load("sine")


def samples_of(data, weight=None):
    return WeighedSamples(data.X, data.y, weight)


def naive(estimator, data, folds, depth):
    """Cross-validated error of one depth."""
    lost = np.zeros(len(data.y))
    for fold in folds:
        rest, rows = fold.fitted_to, fold.rows
        answer = estimator.set_params(max_depth=depth).fit(data.X[rest], data.y[rest]).predict(data.X[rows])
        lost[rows] = answer != data.y[rows] if data.is_classification else (answer - data.y[rows]) ** 2
    return lost.mean(), lost.std() / np.sqrt(len(lost))


@pytest.mark.parametrize(
    ("estimator", "data"),
    [(CartClassifier(), IRIS), (CartRegressor(min_samples_leaf=9), SINE), (CultivatedClassifier(k=3), IRIS)],
)
def test_each_depth_has_the_error_of_trees_with_that_limit_on_rows_they_have_not_seen(estimator, data):
    folds = deal(data.y, Folds(4))
    found: Any = depth_errors(estimator, samples_of(data), DepthPlan(4, folds))
    for at, depth in enumerate(found.depth.tolist()):
        assert (found.validated.error[at], found.validated.standard_error[at]) == pytest.approx(
            naive(estimator, data, folds, depth)
        )


def test_training_and_held_out_errors_are_those_of_the_tree_on_all_rows():
    grown, held = np.arange(0, 150, 2), np.arange(1, 150, 2)
    folds = deal(IRIS.y[grown], Folds(3))
    found: Any = depth_errors(
        CartClassifier(), samples_of(IRIS).of(grown), DepthPlan(2, folds), samples_of(IRIS).of(held)
    )
    tree = CartClassifier(max_depth=2).fit(IRIS.X[grown], IRIS.y[grown])
    assert found.training.error[0] == pytest.approx(1 - tree.score(IRIS.X[grown], IRIS.y[grown]))
    assert found.held.error[0] == pytest.approx(1 - tree.score(IRIS.X[held], IRIS.y[held]))
    assert found.n_leaves.tolist() == [tree.tree_.n_leaves, 2]


def test_depths_past_the_deepest_tree_are_left_out_but_of_a_search_and_one_fold_is_too_few():
    found: Any = depth_errors(CartClassifier(), samples_of(IRIS), DepthPlan(30, deal(IRIS.y, Folds(3))))
    assert found.depth[0] == CartClassifier().fit(IRIS.X, IRIS.y).tree_.depth
    clouds = samples.load("two-gaussians")
    plan = DepthPlan(2, deal(clouds.y, Folds(2)), ends_early=False)
    found: Any = depth_errors(OptimalClassifier(max_thresholds=2), samples_of(clouds), plan)
    assert found.depth.tolist() == [2, 1]
    with pytest.raises(ValueError, match="at least two"):
        depth_errors(CartClassifier(), samples_of(IRIS), DepthPlan(3, deal(IRIS.y, Folds(2))[:1]))


def test_rows_that_weigh_nothing_judge_nothing():
    weight = np.repeat([1.0, 0.0], 75)
    tested = [np.arange(0, 150, 2), np.arange(1, 150, 2)]
    folds = told_from_others(tested, 150)
    found: Any = depth_errors(CartClassifier(), samples_of(IRIS, weight=weight), DepthPlan(1, folds))
    half = told_from_others([rows[rows < 75] for rows in tested], 75)
    first = samples_of(IRIS).of(np.arange(75))
    alone: Any = depth_errors(CartClassifier(), first, DepthPlan(1, half))
    assert found.validated.error == pytest.approx(alone.validated.error)


def test_what_was_stopped_gives_nothing_and_what_was_not_counts_its_parts():
    plan = DepthPlan(3, deal(IRIS.y, Folds(2)))
    assert depth_errors(CartClassifier(), samples_of(IRIS), plan, progress=Progress(is_stopped=True)) is None
    progress = Progress()
    with ThreadPoolExecutor(2) as pool:
        depth_errors(CartClassifier(), samples_of(IRIS), plan, progress=progress, executor=pool)
    assert progress.done == plan.parts

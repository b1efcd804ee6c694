"""Isolation forests: by hand, beside scikit-learn, and by laws."""

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.ensemble import IsolationForest as Theirs
from sklearn.utils.estimator_checks import parametrize_with_checks

from espalier.kernels.route import leaf_of, path_of
from espalier.learners import IsolationForest
from espalier.learners.forests.isolation import mean_path_length
from espalier.progress import Progress
from espalier.trees import LEAF, depths

X, _ = (np.asarray(a) for a in load_iris(return_X_y=True))


def few(**parameters) -> Any:
    return IsolationForest(n_estimators=20, random_state=0).set_params(**parameters)


def searches(n: int) -> float:
    """Mean path length to the place of a new number in random search trees of n others, by its recurrence.

    One more comparison than in the part where it falls: an exterior path of n + 1 places, 2 (H(n) - 1) on average
    with n numbers, which for n - 1 numbers is c(n).
    """
    harmonic = sum(1 / i for i in range(1, n))
    return 2 * harmonic - 2 * (n - 1) / n


@parametrize_with_checks(
    [
        IsolationForest(n_estimators=20, random_state=0),
        IsolationForest(n_estimators=5, contamination=0.1, n_jobs=2),
    ],
    expected_failed_checks=lambda _forest: {
        "check_sample_weight_equivalence_on_dense_data": "a draw of 256 samples differs from one of more"
    },
)
def test_scikit_learns_own_checks_pass(estimator, check):
    check(estimator)


# ---- by hand


def test_mean_path_lengths_of_one_and_two_samples_are_0_and_1():
    assert mean_path_length(np.array([1, 2])).tolist() == [0.0, 1.0]


def test_mean_path_lengths_are_those_of_equation_1():
    n = np.array([3, 10, 100, 1000])
    exact = np.array([searches(int(one)) for one in n])
    assert (np.abs(mean_path_length(n) - exact) < 1 / (n - 1)).all()  # H(i) is within 1 / (2 i) of ln i + 0.5772


def test_two_samples_are_parted_at_once_and_score_a_half():
    model = few().fit([[0.0], [1.0]])
    for tree in model.forest_.trees:
        assert tree.n_nodes == 3
        assert tree.value[:, 0].tolist() == [1.0, 1.0, 1.0]  # c(2) at the root; depth 1 and c(1) = 0 below
    assert model.path_lengths([[0.0], [1.0]]) == pytest.approx([1.0, 1.0])
    assert model.score_samples([[0.0], [1.0]]) == pytest.approx([-0.5, -0.5])  # -2 ** (-1 / c(2))


def test_samples_that_are_all_alike_are_not_unusual():
    model = few().fit(np.ones((9, 2)))
    assert all(tree.n_nodes == 1 for tree in model.forest_.trees)
    assert model.score_samples([[1.0, 1.0]]) == pytest.approx(-0.5)


def test_path_length_is_depth_and_the_mean_length_of_the_leafs_samples():
    model = few(max_samples=64).fit(X)
    lengths = []
    for tree in model.forest_.trees:
        leaf = leaf_of(tree, X)
        lengths.append(depths(tree)[leaf] + mean_path_length(tree.n_samples[leaf]))
        assert tree.n_samples[0] == 64
        assert tree.depth <= 6  # log2 of 64
    assert model.path_lengths(X) == pytest.approx(np.mean(lengths, axis=0))
    usual = float(mean_path_length(64))
    assert model.score_samples(X) == pytest.approx(-(2 ** -(np.mean(lengths, axis=0) / usual)))


def test_a_sample_far_from_all_others_is_the_most_unusual():
    far = np.vstack([X, [[30.0, 30.0, 30.0, 30.0]]])
    model = few(n_estimators=100).fit(far)
    assert model.score_samples(far).argmin() == len(X)
    assert model.predict(far)[-1] == -1


def test_a_cut_saves_what_was_expected_before_it_less_what_is_expected_behind_it():
    """Five samples with one far away: c(5) cuts are expected; behind the first cut it is alone, with c(1) = 0."""
    table = np.array([[0.0], [0.0], [0.0], [0.0], [9.0]])
    model = few().fit(table)
    assert model.cuts_saved(table[-1:])[0, 0] == pytest.approx(float(mean_path_length(5)) - 1.0)


def test_cuts_saved_are_those_of_a_walk_from_the_root():
    model = few(max_samples=32).fit(X)
    saved = np.zeros(X.shape[1])
    for tree in model.forest_.trees:
        path = path_of(tree, X[0])
        for node, child in itertools.pairwise(path):
            before, after = mean_path_length(tree.n_samples[[node, child]])
            saved[tree.feature[node]] += before - after - 1.0
    assert model.cuts_saved(X[:1])[0] == pytest.approx(saved / 20)


# ---- beside scikit-learn


@pytest.mark.parametrize("data", [load_iris, load_wine, load_breast_cancer, load_diabetes])
def test_scores_are_scikit_learns_in_rank_and_mean(data):
    table, _ = data(return_X_y=True)
    ours, again = (IsolationForest(n_estimators=300, random_state=seed).fit(table) for seed in (0, 1))
    theirs = Theirs(n_estimators=300, random_state=0).fit(table)
    score, other = ours.score_samples(table), theirs.score_samples(table)
    own: Any = spearmanr(score, again.score_samples(table))  # what another seed changes
    found: Any = spearmanr(score, other)
    assert found.statistic > own.statistic - 0.02
    assert score.mean() == pytest.approx(other.mean(), abs=0.01)


def test_contamination_is_the_share_of_unusual_samples():
    model = few(contamination=0.1).fit(X)
    assert (model.predict(X) == -1).sum() == pytest.approx(0.1 * len(X), abs=1)
    assert (model.decision_function(X) < 0).mean() == (model.predict(X) == -1).mean()


# ---- laws


def test_scores_lie_between_minus_1_and_0():
    score = few().fit(X).score_samples(np.vstack([X, 1e6 * X, -1e6 * X]))
    assert ((score > -1) & (score < 0)).all()


def test_cuts_saved_sum_to_how_much_shorter_a_path_is_than_expected():
    table = np.column_stack([np.where(X > 4, np.nan, X), np.arange(len(X)) % 3])
    model = few(max_samples=50, max_features=3, categorical_features=[4]).fit(table)
    shorter = float(mean_path_length(50)) - model.path_lengths(table)
    assert model.cuts_saved(table).sum(axis=1) == pytest.approx(shorter)


def test_the_feature_in_which_a_sample_is_far_from_the_others_saves_most():
    far = X.copy()
    far[7, 2] = 60.0
    saved = few(n_estimators=100).fit(far).cuts_saved(far[[7]])[0]
    assert saved.argmax() == 2


def test_missing_values_and_categories_are_taken():
    rng = np.random.default_rng(0)
    table = np.column_stack([np.where(rng.random(X.shape) < 0.2, np.nan, X), np.arange(len(X)) % 5])
    model = few(categorical_features=[4]).fit(table)
    assert np.isfinite(model.score_samples(table)).all()
    assert any((tree.categories > 0).any() for tree in model.forest_.trees)


def test_samples_of_weight_zero_are_absent():
    weight = (np.arange(len(X)) < 100) * 1.0
    model = few(max_samples=1.0).fit(X, sample_weight=weight)
    assert model.max_samples_ == 100
    alone = few(max_samples=1.0).fit(X[:100])
    assert np.array_equal(model.score_samples(X), alone.score_samples(X))


def test_each_tree_may_see_some_features():
    for tree in few(max_features=2).fit(X).forest_.trees:
        assert len(np.unique(tree.feature[tree.feature != LEAF])) <= 2


def test_results_do_not_depend_on_the_number_of_threads():
    assert np.array_equal(few().fit(X).score_samples(X), few(n_jobs=3).fit(X).score_samples(X))


def test_growing_counts_the_samples_and_stops_on_request():
    progress = Progress()
    few().fit(X, progress=progress)
    assert progress.done == 20 * len(X)
    progress = Progress()
    progress.stop()
    assert few().fit(X, progress=progress).forest_.n_trees == 1


@pytest.mark.parametrize(
    ("parameters", "words"),
    [({"contamination": 0.6}, "contamination is 0.6"), ({"max_samples": "all"}, "max_samples is 'all'")],
)
def test_parameters_out_of_range_are_refused(parameters, words):
    with pytest.raises(ValueError, match=words):
        few(**parameters).fit(X)

"""Scores beside scikit-learn's, by hand, and where a score is not defined."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn import metrics

from espalier.analysis.comparison import scores
from espalier.analysis.comparison.scores import baseline_shares, class_scores, confusion, mean_scores, scored

SHARES = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4], [0.0, 1.0, 0.0], [0.5, 0.25, 0.25]])
Y = np.array([0, 1, 2, 0, 1])


def test_class_scores_equal_scikit_learns():
    found, predicted = class_scores(Y, SHARES), SHARES.argmax(axis=1)
    assert found.n_samples == 5
    assert found.accuracy == pytest.approx(metrics.accuracy_score(Y, predicted))
    assert found.balanced_accuracy == pytest.approx(metrics.balanced_accuracy_score(Y, predicted))
    assert found.auc == pytest.approx(metrics.roc_auc_score(Y, SHARES, multi_class="ovr"))
    assert found.log_loss == pytest.approx(metrics.log_loss(Y, SHARES))
    assert found.brier == pytest.approx(np.mean(np.sum((SHARES - np.eye(3)[Y]) ** 2, axis=1)))


def test_one_score_is_the_one_among_all():
    weight, predicted = np.array([1.0, 2.0, 0.0, 3.0, 1.0]), SHARES.argmax(axis=1)
    every = class_scores(Y, SHARES, predicted, weight)
    for name in scores.OF_CLASSES:
        assert scores.one_score(name, Y, SHARES, predicted, weight) == getattr(every, name)
    y, numbers = np.array([1.0, 2.0, 4.0, 3.0, 5.0]), np.array([1.5, 2.0, 3.0, 3.0, 6.0])
    of_numbers = mean_scores(y, numbers, weight)
    for name in scores.OF_NUMBERS:
        assert scores.one_score(name, y, numbers[:, None], numbers, weight) == getattr(of_numbers, name)


def test_an_unknown_score_is_refused_by_name():
    with pytest.raises(ValueError, match="no score 'beauty'"):
        scores.one_score("beauty", Y, SHARES, Y)


@pytest.mark.parametrize("seed", range(5))
def test_the_area_under_the_curve_is_scikit_learns_with_ties_and_weights(seed):
    rng = np.random.default_rng(seed)
    y, share, weight = rng.integers(0, 2, 60), rng.integers(0, 6, 60) / 5, rng.integers(1, 4, 60).astype(float)
    found = scores.one_score("auc", y, np.column_stack([1 - share, share]), y, weight)
    assert found == pytest.approx(metrics.roc_auc_score(y, share, sample_weight=weight))


def test_two_classes_have_the_ordinary_auc():
    y, second = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])
    assert class_scores(y, np.column_stack([1 - second, second])).auc == pytest.approx(0.75)


def test_a_class_absent_from_the_rows_leaves_the_other_scores_defined():
    rows = Y != 2
    found = class_scores(Y[rows], SHARES[rows])
    expected = [metrics.roc_auc_score(Y[rows] == k, SHARES[rows, k]) for k in (0, 1)]
    assert found.auc == pytest.approx(np.mean(expected))
    assert found.log_loss == pytest.approx(metrics.log_loss(Y[rows], SHARES[rows], labels=[0, 1, 2]))


def test_a_single_class_has_no_auc():
    found = class_scores(np.array([1, 1]), SHARES[:2])
    assert math.isnan(found.auc)
    assert (found.accuracy, found.balanced_accuracy) == (0.5, 0.5)


def test_no_rows_have_no_scores():
    found = class_scores(Y[:0], SHARES[:0])
    assert found.n_samples == 0
    assert all(math.isnan(v) for v in found[1:])
    assert all(math.isnan(v) for v in mean_scores(np.empty(0), np.empty(0))[1:])


def test_mean_scores_equal_scikit_learns():
    y, predicted = np.array([1.0, 2, 4, 8]), np.array([1.5, 2, 3, 6])
    found = mean_scores(y, predicted)
    assert found.r2 == pytest.approx(metrics.r2_score(y, predicted))
    assert found.rmse == pytest.approx(math.sqrt((0.25 + 0 + 1 + 4) / 4))
    assert found.mae == pytest.approx(3.5 / 4)
    assert found.d2_absolute == pytest.approx(metrics.d2_absolute_error_score(y, predicted))
    assert found.d2_poisson == pytest.approx(metrics.d2_tweedie_score(y, predicted, power=1))


@pytest.mark.parametrize(("y", "predicted"), [([-1.0, 2], [1.0, 2]), ([1.0, 2], [0.0, 2]), ([1.0, 2], [-1.0, 2])])
def test_where_there_is_no_poisson_deviance_no_part_of_it_is_explained(y, predicted):
    assert math.isnan(mean_scores(np.array(y), np.array(predicted)).d2_poisson)


def test_the_constant_of_least_loss_explains_nothing_and_the_truth_all():
    y = np.array([1.0, 2, 2, 3, 40])
    assert mean_scores(y, np.full(5, 2.0)).d2_absolute == 0
    assert mean_scores(y, np.full(5, y.mean())).d2_poisson == pytest.approx(0)
    assert mean_scores(y, y)[4:] == (1, 1)


@pytest.mark.parametrize("y", [[3.0], [3.0, 3.0]])
def test_a_target_that_does_not_vary_has_no_r_squared(y):
    found = mean_scores(np.array(y), np.full(len(y), 2.0))
    assert math.isnan(found.r2)
    assert math.isnan(found.d2_absolute)
    assert math.isnan(found.d2_poisson)
    assert found.mae == 1


def test_the_baseline_says_the_training_rows_shares():
    assert baseline_shares(np.array([0, 0, 0, 2]), 3, 2).tolist() == [[0.75, 0, 0.25]] * 2
    found = scored(np.array([0, 2]), np.array([[1.0, 0, 0], [0, 0, 1]]), np.array([0, 0, 0, 2]))
    assert (found.tree.accuracy, found.baseline.accuracy) == (1.0, 0.5)  # type: ignore[union-attr]


def test_the_baseline_of_a_regression_is_the_training_mean():
    found = scored(np.array([1.0, 5.0]), np.array([[1.0], [5.0]]), np.array([2.0, 4.0]))
    assert (found.tree.mae, found.baseline.mae) == (0.0, 2.0)  # type: ignore[union-attr]
    assert found.baseline.r2 == 0.0  # type: ignore[union-attr]


def test_every_score_has_a_label():
    names = set(scores.ClassScores._fields + scores.MeanScores._fields) - {"n_samples"}
    assert names == set(scores.LABELS)
    assert names >= scores.HIGHER_IS_BETTER


def test_confusion_counts_true_rows_by_predicted_columns():
    found = confusion(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 0]), 4)
    assert found.tolist() == [[1, 1, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]
    assert found.dtype == np.int64


def test_certain_and_right_costs_nothing_at_all():
    assert str(class_scores(np.array([0, 1]), np.eye(2)).log_loss) == "0.0"

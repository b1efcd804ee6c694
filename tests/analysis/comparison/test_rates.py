"""What is right of each class: by hand, against scikit-learn, and when accuracy is blind."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from espalier.analysis.comparison.rates import is_skewed, rates

NINETY = np.repeat([0, 1], [90, 10])


def test_always_the_frequent_class_is_nine_tenths_right_and_blind():
    found = rates(NINETY, np.zeros(100, np.int64), 2)
    assert (found.accuracy, found.baseline, found.balanced) == (0.9, 0.9, 0.5)
    assert found.never == [1]
    assert found.of_class.tolist() == [1.0, 0.0]
    assert found.is_blind


def test_a_model_that_takes_away_little_of_the_baselines_errors_is_hardly_better():
    answer = np.zeros(100, np.int64)
    answer[90] = 1  # one in ten of the rare class
    found = rates(NINETY, answer, 2)
    assert not found.never
    assert found.accuracy == 0.91
    assert not found.is_hardly_better  # a tenth of the baseline's errors is gone
    answer[0] = 1
    assert rates(NINETY, answer, 2).is_blind


def test_a_good_model_of_uneven_classes_and_a_poor_one_of_even_classes_are_not_called_blind():
    assert not rates(NINETY, NINETY, 2).is_blind
    even = np.repeat([0, 1], 50)
    assert not rates(even, np.tile([0, 1], 50), 2).is_blind


def test_a_class_that_is_never_answered_hides_only_where_it_has_few_rows():
    y = np.repeat([0, 1, 2], 50)
    assert not rates(y, np.minimum(y, 1), 3).is_blind  # a stump on iris: a third is wrong, and accuracy says so
    rare = np.repeat([0, 1, 2], [60, 60, 10])
    assert rates(rare, np.minimum(rare, 1), 3).is_blind


def test_the_baseline_is_the_given_class_on_the_very_same_rows():
    found = rates(np.array([0, 1, 1]), np.array([0, 1, 0]), 2, usual=0)
    assert found.baseline == pytest.approx(1 / 3)
    assert rates(np.array([0, 1, 1]), np.array([0, 1, 0]), 2).baseline == pytest.approx(2 / 3)


def test_rows_of_a_single_class_and_no_rows_are_no_reason_for_alarm():
    assert not rates(np.zeros(5, np.int64), np.ones(5, np.int64), 2).is_blind
    none = rates(np.zeros(0, np.int64), np.zeros(0, np.int64), 2, usual=0)
    assert np.isnan([none.accuracy, none.baseline, none.balanced]).all()
    assert not none.is_blind


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_shares_are_those_of_scikit_learn(pairs):
    y, answer = np.array(pairs).T
    found = rates(y, answer, 4)
    assert found.accuracy == pytest.approx(metrics.accuracy_score(y, answer))
    matrix = metrics.confusion_matrix(y, answer, labels=range(4))
    recalls = np.where(matrix.sum(axis=1) > 0, np.diag(matrix) / np.maximum(matrix.sum(axis=1), 1), np.nan)
    np.testing.assert_allclose(found.of_class, recalls)
    assert found.balanced == pytest.approx(np.nanmean(recalls))
    assert found.baseline >= np.mean(y == y[0]) or found.usual != y[0]


def test_three_quarters_of_the_rows_in_one_class_are_skewed():
    assert is_skewed(NINETY)
    assert not is_skewed(np.repeat([0, 1], [60, 40]))
    assert not is_skewed(np.zeros(10))  # numbers have no classes

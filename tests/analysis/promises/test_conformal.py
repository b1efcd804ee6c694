"""Limits of scores: by hand, against numpy's quantiles, and the law that any of n + 1 rows may be the new one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.analysis.promises.conformal import class_scores, class_sets, error_scores, intervals, limit, limits


@given(st.lists(st.integers(0, 9), min_size=2, max_size=25), st.sampled_from([0.5, 0.8, 0.9, 0.95]))
def test_of_rows_that_are_new_in_turn_at_least_the_level_stays_under_the_limit_of_the_others(scores, level):
    scores = np.array(scores, float)
    n = len(scores)
    inside = [scores[i] <= limit(np.delete(scores, i), level) for i in range(n)]
    assert np.mean(inside) >= level - 1e-12


@given(st.integers(1, 60), st.sampled_from([0.5, 0.8, 0.9, 0.95]))
def test_the_limit_is_the_quantile_that_mapie_takes(n, level):
    """MAPIE 1.6, `mapie.utils`: numpy's method "lower" at ⌈(n + 1) level⌉ / n."""
    scores = np.random.default_rng(n).random(n)
    share = np.ceil(round((n + 1) * level, 9)) / n
    assert limit(scores, level) == (np.quantile(scores, share, method="lower") if share <= 1 else np.inf)


def test_a_row_that_counts_twice_is_a_row_that_stands_there_twice_but_for_the_new_one():
    scores, weight = np.array([0.1, 0.2, 0.3, 0.4]), np.array([2.0, 1.0, 1.0, 2.0])
    assert limit(scores, 0.5, weight) == 0.3  # of 6 and a new row of 1.5, 3.75 must be under it
    assert limit(scores, 0.5) == limit(scores, 0.5, np.full(4, 7.0)) == 0.3


def test_each_group_has_the_limit_of_its_own_rows():
    scores, group = np.array([0.5, 0.1, 0.9, 0.2, 0.3]), np.array([0, 1, 0, 1, 1])
    assert limits(scores, group, 3, 0.7).tolist() == [np.inf, 0.3, np.inf]


def test_sets_hold_the_class_that_is_said_and_those_whose_score_would_be_within_the_limit():
    shares, said = np.array([[0.7, 0.2, 0.1], [0.4, 0.35, 0.25]]), np.array([0, 0])
    assert class_scores(shares, said, np.array([0, 2])).tolist() == pytest.approx([0.0, 0.75])
    assert class_sets(shares, said, np.array([0.65])).tolist() == [[True, False, False], [True, True, False]]
    by_class = class_sets(shares, said, np.array([0.2, 0.8, np.inf]))
    assert by_class.tolist() == [[True, True, True], [True, True, True]]
    assert class_sets(shares, said, np.array([0.0])).tolist() == [[True, False, False]] * 2


def test_an_interval_holds_what_is_off_by_at_most_the_limit():
    prediction, y, scale = np.array([1.0, 4.0]), np.array([2.0, 0.0]), np.array([0.5, 4.0])
    assert error_scores(prediction, y).tolist() == [1, 4]
    assert error_scores(prediction, y, scale).tolist() == [2, 1]
    assert intervals(prediction, 1.0, scale).tolist() == [[0.5, 1.5], [0.0, 8.0]]


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1])
def test_levels_that_nobody_can_promise_are_refused(level):
    with pytest.raises(ValueError, match="cannot be promised"):
        limit(np.array([0.1]), level)

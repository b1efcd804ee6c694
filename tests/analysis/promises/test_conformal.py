"""Limits of scores: by hand, against numpy's quantiles, and the law that any of n + 1 rows may be the new one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.analysis.promises.conformal import (
    class_scores,
    class_sets,
    error_scores,
    intervals,
    limit,
    limits,
    units_needed,
)


@given(st.lists(st.integers(0, 9), min_size=2, max_size=25), st.sampled_from([0.5, 0.8, 0.9, 0.95]))
def test_of_rows_that_are_new_in_turn_at_least_the_level_stays_under_the_limit_of_the_others(scores, level):
    scores = np.array(scores, float)
    n = len(scores)
    inside = [scores[i] <= limit(np.delete(scores, i), level) for i in range(n)]
    assert np.mean(inside) >= level - 1e-12


def test_a_level_of_k_in_n_plus_1_is_the_kth_score_also_where_rounding_makes_their_product_more_than_k():
    for n in range(1, 61):
        assert [limit(np.arange(n), k / (n + 1)) for k in range(1, n + 1)] == list(range(n)), n


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


UNITS = st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=6), min_size=2, max_size=15)


@given(UNITS, st.sampled_from([0.5, 0.8, 0.9]))
def test_of_units_that_are_new_in_turn_at_least_the_level_of_their_rows_stays_under_the_limit_of_the_others(
    units, level
):
    score, unit = (
        np.concatenate(units).astype(float),
        np.repeat(np.arange(len(units)), [len(one) for one in units]),
    )
    inside = [
        np.mean(score[unit == i] <= limit(score[unit != i], level, unit=unit[unit != i]))
        for i in range(len(units))
    ]
    assert np.mean(inside) >= level - 1e-12


@given(st.lists(st.integers(0, 9), min_size=1, max_size=25), st.sampled_from([0.5, 0.8, 0.9, 0.95]))
def test_rows_of_a_unit_each_are_rows_and_copies_of_a_row_in_its_unit_are_one(scores, level):
    scores = np.array(scores, float)
    unit = np.arange(len(scores))
    assert limit(scores, level, unit=unit) == limit(scores, level)
    assert limit(np.repeat(scores, 3), level, unit=np.repeat(unit, 3)) == limit(scores, level)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95])
def test_so_many_units_are_needed_and_one_less_does_not_do(level):
    for n, is_promised in ((units_needed(level), True), (units_needed(level) - 1, False)):
        unit = np.repeat(np.arange(n), 20)
        assert np.isfinite(limit(np.ones(len(unit)), level, unit=unit)) == is_promised


def new_unit_under_the_limit(rng, n_units, by_unit):
    """Share of the rows of a new unit that stay under the limit; rows of a unit are much alike."""
    unit = np.repeat(np.arange(n_units + 1), 20)
    score = np.abs(rng.normal(size=n_units + 1)[unit] + 0.5 * rng.normal(size=len(unit)))
    new = unit == n_units
    return np.mean(score[new] <= limit(score[~new], 0.9, unit=unit[~new] if by_unit else None))


def test_a_promise_is_kept_for_rows_of_new_units_and_would_not_be_if_rows_were_counted():
    kept = {}
    for by_unit in (False, True):
        rng = np.random.default_rng(0)
        kept[by_unit] = [new_unit_under_the_limit(rng, 10, by_unit) for _ in range(1_000)]
    error = np.std(kept[True]) / np.sqrt(1_000)
    assert np.mean(kept[False]) < 0.9 - 2 * error
    assert np.mean(kept[True]) > 0.9 - 2 * error


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

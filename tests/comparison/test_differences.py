"""The corrected paired test: by hand, by laws, and by how often it cries wolf."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from espalier.comparison.cross_validation import ALPHA, Verdict, compare, difference, holm, interval, least

TEN_FOLDS = 1 / 9  # n_test / n_train
SCORES = st.lists(st.floats(0, 1), min_size=3, max_size=12)


def tail_of_t(t, freedom):
    """Both tails of Student's distribution, by integrating its density as it stands in textbooks."""
    factor = math.gamma((freedom + 1) / 2) / math.sqrt(freedom * math.pi) / math.gamma(freedom / 2)
    inside, _ = integrate.quad(lambda x: factor * (1 + x * x / freedom) ** (-(freedom + 1) / 2), 0, abs(t))
    return 1 - 2 * inside


def test_three_folds_by_hand_and_repeats_that_add_degrees_of_freedom_but_no_folds():
    # Differences 0.01, 0.02, 0.06: mean 0.03, s² = (0.02² + 0.01² + 0.03²) / 2 = 0.0007; three folds test on one
    # row for two trained on, so the variance is 0.0007 · (1/3 + 1/2) = 0.0007 · 5/6.
    found = difference(np.array([0.91, 0.82, 0.76]), np.array([0.90, 0.80, 0.70]), 1 / 2)
    error = math.sqrt(0.0007 * 5 / 6)
    assert found.mean == pytest.approx(0.03)
    assert found.spread == pytest.approx(math.sqrt(0.0007))
    assert found.p == pytest.approx(tail_of_t(0.03 / error, 2), abs=1e-9)
    assert found.high - found.mean == pytest.approx(4.302653 * error, rel=1e-6)  # t of 0.975 with 2, from a table
    assert found.least == pytest.approx(found.high - found.mean)
    # 10 times 10 folds: 100 differences, n_test / n_train = 1/9, 99 degrees of freedom, and the rows of ten folds.
    gaps = np.random.default_rng(0).normal(0.01, 0.03, 100)
    found = difference(0.8 + gaps, np.full(100, 0.8), TEN_FOLDS, n_repeats=10)
    error = math.sqrt((1 / 10 + 1 / 9) * gaps.var(ddof=1))
    assert found.p == pytest.approx(tail_of_t(gaps.mean() / error, 99), abs=1e-9)
    assert found.least == pytest.approx(1.984217 * error, rel=1e-6)  # t of 0.975 with 99, from a table
    assert found.least_ever == pytest.approx(1.959964 * error, rel=1e-6)


@given(SCORES)
def test_without_the_correction_it_is_the_usual_paired_test(gaps):
    first, second = np.linspace(0.2, 0.8, len(gaps)) + gaps, np.linspace(0.2, 0.8, len(gaps))
    found = difference(first, second, 0.0)
    if found.spread > 1e-6:
        assert found.p == pytest.approx(float(stats.ttest_rel(first, second).pvalue), abs=1e-7)  # type: ignore[attr-defined]


@given(SCORES, SCORES)
def test_the_corrected_interval_is_wider_and_the_sign_turns_with_the_order(first, second):
    n = min(len(first), len(second))
    a, b = np.array(first[:n]), np.array(second[:n])
    naive, fair, turned = difference(a, b, 0.0), difference(a, b, TEN_FOLDS), difference(b, a, TEN_FOLDS)
    assert turned.mean == pytest.approx(-fair.mean)
    assert turned.p == pytest.approx(fair.p)
    if fair.spread:
        assert fair.high - fair.low > naive.high - naive.low
        assert fair.p >= naive.p


@given(SCORES)
def test_equal_models_do_not_differ(scores):
    found = compare([np.array(scores), np.array(scores)], TEN_FOLDS)[0]
    assert (found.difference.mean, found.difference.p, found.verdict) == (0.0, 1.0, Verdict.NONE)


@given(SCORES, SCORES)
def test_a_difference_is_clear_exactly_if_it_exceeds_the_least_that_can_be_told_apart(first, second):
    n = min(len(first), len(second))
    found = compare([np.array(first[:n]), np.array(second[:n])], TEN_FOLDS)[0]
    gap = found.difference
    if gap.spread and abs(abs(gap.mean) - gap.least) > 1e-9:
        assert (found.verdict is Verdict.CLEAR) == (abs(gap.mean) > gap.least)


def test_the_same_gap_in_every_fold_is_judged_by_its_signs_and_folds_that_lack_a_score_are_left_out():
    few, many = (difference(np.full(n, 0.9), np.full(n, 0.8), 0.5).p for n in (2, 10))
    assert few == pytest.approx(1 / 2)  # two coins that fall alike
    assert many == pytest.approx(2 / 2**10)
    a, b = np.array([0.9, np.nan, 0.7, 0.8]), np.array([0.8, 0.8, 0.65, np.nan])
    found = difference(a, b, 0.5)
    assert found.n_folds == 2
    assert found.mean == pytest.approx(0.075)
    assert compare([a, np.full(4, np.nan)], 0.5)[0].verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("n_tables", [200, pytest.param(400, marks=pytest.mark.slow)])
def test_two_equal_models_are_told_apart_too_often_only_by_the_usual_test(n_tables):
    """Two classifiers that are as good as each other, on tables drawn anew, each four times in ten folds.

    Each cuts its own feature in the middle between the classes' means, and neither feature says more.
    """
    rng, false_alarms = np.random.default_rng(1), np.zeros(2)
    for _ in range(n_tables):
        first, second = _scores_of_two_equals(rng, n_repeats=4)
        tested = difference(first, second, 0.0), difference(first, second, TEN_FOLDS, n_repeats=4)
        false_alarms += [gap.p < ALPHA for gap in tested]
    naive, fair = false_alarms / n_tables
    noise = 3 * math.sqrt(ALPHA * (1 - ALPHA) / n_tables)
    assert fair < naive
    assert naive > ALPHA + noise
    assert fair < ALPHA + noise


@pytest.mark.slow
@pytest.mark.parametrize("n_repeats", [1, 10])
def test_two_equal_models_are_told_apart_as_rarely_as_is_said_however_often_folds_are_repeated(n_repeats):
    rng, n_tables = np.random.default_rng(5), 400
    tables = (_scores_of_two_equals(rng, n_repeats) for _ in range(n_tables))
    false_alarms = sum(
        difference(*scores, ratio_tested=TEN_FOLDS, n_repeats=n_repeats).p < ALPHA for scores in tables
    )
    assert false_alarms / n_tables < ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / n_tables)


def _scores_of_two_equals(rng, n_repeats):
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 2)) + 0.7 * y[:, None]
    folds = [rows for _ in range(n_repeats) for rows in np.array_split(rng.permutation(60), 10)]
    return np.array([_right_on(rows, X, y) for rows in folds]).T


def _right_on(rows, X, y):
    inside = np.isin(np.arange(len(y)), rows)
    middle = (X[~inside & (y == 0)].mean(axis=0) + X[~inside & (y == 1)].mean(axis=0)) / 2
    return ((X[inside] > middle) == y[inside, None]).mean(axis=0)


def test_more_folds_help_up_to_a_point_and_the_folds_needed_are_the_fewest_that_would_do():
    found = difference(*_noisy(mean=0.02, spread=0.05), ratio_tested=TEN_FOLDS)
    assert found.least > least(found.spread, 1000, TEN_FOLDS, n_repeats=100) > found.least_ever
    assert least(found.spread, 10**7, TEN_FOLDS, 10**6) == pytest.approx(found.least_ever, rel=1e-3)
    assert found.folds_needed == math.inf
    found = difference(*_noisy(mean=0.05, spread=0.05), ratio_tested=TEN_FOLDS)
    needed = found.folds_needed
    assert found.p > ALPHA
    enough, fewer = (least(found.spread, n, TEN_FOLDS, n / 10) for n in (needed, needed - 1))
    assert enough < 0.05 <= fewer


def _noisy(mean, spread):
    """Ten scores of two models whose differences have this very mean and spread."""
    gaps = np.array([-1.0, 1.0] * 5)
    return 0.8 + mean + gaps * spread / gaps.std(ddof=1), np.full(10, 0.8)


def test_holm_by_hand_also_with_what_is_not_known_and_does_not_count():
    # 0.01 · 4, 0.02 · 3, then 0.03 · 2 = 0.06 again, and 0.5 · 1; in the order given.
    assert holm([0.5, 0.01, 0.03, 0.02]) == pytest.approx([0.5, 0.04, 0.06, 0.06])
    found = holm([math.nan, 0.02, 0.5])
    assert math.isnan(found[0])
    assert found[1:] == pytest.approx([0.04, 0.5])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.01, 0.99))
def test_holm_rejects_what_stepping_down_rejects(p, alpha):
    naive = [False] * len(p)
    for rank, i in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        if p[i] * (len(p) - rank) > alpha:
            break
        naive[i] = True
    corrected = holm(p)
    assert [value <= alpha for value in corrected] == naive


def test_among_many_comparisons_one_has_to_stand_out_more_and_a_scores_interval_is_its_difference_from_nothing():
    """Four models, of which one pair differs at p between 0.05 / 6 and 0.05."""
    rng = np.random.default_rng(3)
    noise = rng.normal(0, 0.02, (3, 10))
    base = np.full(10, 0.8)
    first, second = _noisy(mean=0.06, spread=0.05)
    alone = difference(first, second, TEN_FOLDS)
    assert ALPHA / 6 < alone.p < ALPHA
    found = {(c.first, c.second): c for c in compare([first, second, base + noise[0], base + noise[1]], TEN_FOLDS)}
    assert len(found) == len(list(itertools.combinations(range(4), 2)))
    assert found[0, 1].verdict is Verdict.ONE_OF_MANY
    assert compare([first, second], TEN_FOLDS)[0].verdict is Verdict.CLEAR
    scores = np.array([0.9, 0.8, 0.7])
    mean, low, high = interval(scores, 0.5)
    half = 4.302653 * 0.1 * math.sqrt(1 / 3 + 1 / 2)
    assert (mean, low, high) == pytest.approx((0.8, 0.8 - half, 0.8 + half), rel=1e-6)

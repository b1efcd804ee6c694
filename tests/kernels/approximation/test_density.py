"""Pseudo-samples: the density they are drawn from, by hand and against drawing without a box and throwing away."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import ks_2samp, norm

from espalier.kernels.approximation.density import ALL_CODES, LEVELS, MASS, make_region, normal_at
from espalier.learners.approximation.sampling import discrete_mask, distinct_rows, pseudo_samples, smoothing_of
from tests.tools.naive.approximation import kernel_draws

NAN, INF = np.nan, np.inf


def smoothing(X, categorical=(), discrete=(), bandwidth: Any = 0.1, jump=0.2):
    is_in = lambda which: np.isin(np.arange(X.shape[1]), list(which))  # noqa: E731
    return smoothing_of(distinct_rows(X, np.ones(len(X))), is_in(categorical), is_in(discrete), bandwidth, jump)


def region_of(kernel, X, low=-INF, high=INF, allowed: Any = ALL_CODES, weight=None):
    box: Any = tuple(np.full(X.shape[1], v) for v in (float(low), float(high), np.uint64(allowed)))
    return make_region(kernel, X, np.ones(len(X)) if weight is None else weight, box)


def test_the_inverse_of_the_normal_distribution_is_exact_to_the_last_digits():
    p = np.concatenate([10.0 ** -np.arange(1, 300, 20), np.linspace(0.001, 0.999, 999)])
    np.testing.assert_allclose([normal_at(x) for x in p], norm.ppf(p), rtol=1e-13, atol=1e-15)


def test_draws_in_a_box_are_those_without_one_that_fall_inside():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random(30), rng.normal(size=30), rng.integers(0, 4, 30), rng.integers(0, 3, 30)])
    kernel = smoothing(X, [3], [2], [0.3, 0.8, 0, 0], 0.4)
    low, high = np.array([0.2, -INF, 0.5, -INF]), np.array([0.7, 0.4, 2.5, INF])
    allowed = np.full(4, np.uint64(0b011))
    naive = kernel_draws(rng, kernel, X, 60_000)
    inside = ((naive > low) & (naive <= high)).all(axis=1) & (naive[:, 3] < 2)
    # Centres must be in the box, as a node's samples are; those outside would be drawn with their mass in it too.
    ours = pseudo_samples(kernel, make_region(kernel, X, np.ones(30), (low, high, allowed)), 20_000, np.uint64(7))
    assert ((ours > low) & (ours <= high)).all()
    for j in (0, 1):
        test: Any = ks_2samp(ours[:, j], naive[inside, j])
        assert test.pvalue > 0.001
    for j in (2, 3):
        for level in np.unique(X[:, j]):
            assert (ours[:, j] == level).mean() == pytest.approx((naive[inside, j] == level).mean(), abs=0.02)
    assert np.cov(ours.T) == pytest.approx(np.cov(naive[inside].T), abs=0.02)


def test_a_discrete_value_jumps_to_its_neighbours_and_never_past_an_end():
    X = np.array([[0.0], [2], [5]])
    kernel = smoothing(X, discrete=[0])
    for centre, chances in ((0, [0.9, 0.1, 0]), (2, [0.1, 0.8, 0.1]), (5, [0, 0.1, 0.9])):
        drawn = pseudo_samples(kernel, region_of(kernel, np.array([[float(centre)]])), 20_000, np.uint64(1))
        assert [(drawn == level).mean() for level in (0, 2, 5)] == pytest.approx(chances, abs=0.01)


def test_a_category_jumps_to_any_other_that_the_box_allows():
    X = np.array([[0.0], [1], [2], [3]])
    kernel = smoothing(X, categorical=[0], jump=0.3)
    drawn = pseudo_samples(kernel, region_of(kernel, X[:1]), 30_000, np.uint64(1))
    assert [(drawn == code).mean() for code in range(4)] == pytest.approx([0.7, 0.1, 0.1, 0.1], abs=0.01)
    fewer = pseudo_samples(kernel, region_of(kernel, X[:1], allowed=0b1001), 30_000, np.uint64(1))
    assert [(fewer == code).mean() for code in range(4)] == pytest.approx([7 / 8, 0, 0, 1 / 8], abs=0.01)


def test_a_centre_counts_by_its_weight_and_by_its_mass_in_the_box():
    X = np.array([[0.0], [1]])
    kernel = smoothing(X, bandwidth=[0.5])
    region = region_of(kernel, X, high=1, weight=np.array([1.0, 3]))
    mass = [norm.cdf(2), 0.5]
    assert region.odds[:, 0, MASS].tolist() == pytest.approx(mass)
    assert region.chance.tolist() == pytest.approx(np.array([mass[0], 3 * 0.5]) / (mass[0] + 1.5))


def test_missing_values_and_constant_columns_stay():
    X = np.array([[NAN, 4.0, NAN], [NAN, 4.0, 1]])
    kernel = smoothing(X, categorical=[2])
    drawn = pseudo_samples(kernel, region_of(kernel, X), 200, np.uint64(0))
    assert np.isnan(drawn[:, 0]).all()
    assert (drawn[:, 1] == 4).all()
    assert set(drawn[~np.isnan(drawn[:, 2]), 2]) == {1}


def test_the_same_seed_draws_the_same_rows_and_another_seed_others():
    X = np.random.default_rng(0).random((9, 2))
    kernel = smoothing(X)
    region = region_of(kernel, X)
    one, again, other = (pseudo_samples(kernel, region, 50, np.uint64(seed)) for seed in (3, 3, 4))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_the_widths_are_shares_of_the_span_or_those_of_the_normal_reference():
    X = np.random.default_rng(0).random((1000, 5))
    assert smoothing(X, bandwidth=0.05).width == pytest.approx(np.full(5, 0.05), abs=0.003)
    by_hand = (4 / (7 * 1000)) ** (1 / 9) * X.std(axis=0)  # about 0.125, as for the paper's simulation
    assert smoothing(X, bandwidth="normal").width.tolist() == pytest.approx(by_hand)
    stretched = X.copy()
    stretched[0] = 1e9
    assert smoothing(stretched, bandwidth=0.05).width == pytest.approx(np.full(5, 0.05), abs=0.003)


def test_whole_numbers_with_few_values_are_taken_for_a_scale():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 5, 99), rng.random(99), rng.permutation(99), rng.integers(0, 5, 99)])
    none = np.zeros(4, dtype=bool)
    assert discrete_mask("auto", X, none).tolist() == [True, False, False, True]
    assert discrete_mask([1], X, none).tolist() == [False, True, False, False]
    assert not discrete_mask(None, X, none).any()
    assert smoothing(X, discrete=[0]).kind[0] == LEVELS

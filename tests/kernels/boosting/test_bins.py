"""Bins, histograms and derivatives of gradient boosting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.kernels.boosting.bins import MOST_BINS, make_bins
from espalier.kernels.boosting.grow import fill, take_away
from espalier.kernels.boosting.write_tree import (
    Derivatives,
    log_loss,
    log_loss_of_many,
    pack_derivatives,
    poisson,
    squared_error,
)
from espalier.kernels.route import columns_of


def binned(X, categories=(), max_bins=MOST_BINS):
    X = np.asarray(X, dtype=float).reshape(len(X), -1)
    return make_bins(columns_of(X), np.isin(np.arange(X.shape[1]), categories), max_bins)


def test_few_values_have_a_bin_each_with_thresholds_midway_and_categories_are_their_own_bins():
    table = binned([3.0, 1.0, np.nan, 1.0, 2.0])
    assert table.codes[:, 0].tolist() == [2, 0, 3, 0, 1]
    assert table.threshold.tolist() == [1.5, 2.5, np.inf, np.inf]
    assert table.start.tolist() == [0, 4]
    table = binned([2.0, 0.0, np.nan, -1.0, 64.0], categories=[0])
    assert table.codes[:, 0].tolist() == [2, 0, 3, 3, 3]
    assert binned([63.0, 64.0], categories=[0]).codes[:, 0].tolist() == [63, 64]
    assert binned([np.nan, np.nan]).codes[:, 0].tolist() == [1, 1]


@given(st.integers(0, 10**6), st.integers(2, MOST_BINS), st.integers(1, 900))
def test_a_code_says_on_which_side_of_every_threshold_a_value_is(seed, max_bins, n):
    rng = np.random.default_rng(seed)
    x = np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n).round(rng.integers(0, 4)))
    table = binned(x, max_bins=max_bins)
    codes, known = table.codes[:, 0], ~np.isnan(x)
    n_known = len(table.threshold) - 1
    assert n_known <= max_bins
    assert (codes[~known] == n_known).all()
    for b, threshold in enumerate(table.threshold[:n_known]):
        assert np.array_equal(codes[known] <= b, x[known] <= threshold)
        assert threshold == np.inf or threshold not in x


def test_many_values_share_bins_of_about_as_many_rows():
    table = binned(np.random.default_rng(0).normal(size=5000), max_bins=50)
    counts = np.bincount(table.codes[:, 0])
    assert len(counts) == 50
    assert (counts.min(), counts.max()) == (100, 100)


@given(st.integers(0, 10**6))
def test_sums_of_whole_numbers_are_exact_and_no_sum_overflows(seed):
    rng = np.random.default_rng(seed)
    first, second = rng.normal(size=300) * 10.0 ** rng.integers(-90, 90), rng.random(300)
    packed = pack_derivatives(first, second, np.empty((300, 2), np.int64))
    total = packed.pair.sum(axis=0)
    assert total[0] * packed.units.first == pytest.approx(first.sum(), abs=1e-9 * abs(first).max())
    assert (total[1] >> packed.units.n_bits) * packed.units.second == pytest.approx(second.sum())
    assert total[1] & ((1 << packed.units.n_bits) - 1) == 300
    assert np.abs(packed.pair[:, 0]).astype(float).sum() < 2.0**62


def test_a_sibling_has_what_its_parent_has_less_the_other_child():
    rng = np.random.default_rng(0)
    table = binned(rng.integers(0, 9, (200, 3)))
    pair = rng.integers(0, 99, (200, 2))
    rows = rng.permutation(200).astype(np.uint32)
    cells = np.empty((3, 2 * len(table.threshold)), np.int64)
    for histogram, part in zip(cells, (rows, rows[:70], rows[70:]), strict=True):
        fill(table, part, pair, histogram)
    take_away(cells[0], cells[1])
    assert np.array_equal(cells[0], cells[2])
    own = (table.codes[rows[:70], 1] == 4).nonzero()[0]
    at = 2 * (table.start[1] + 4)
    assert cells[1, at : at + 2].tolist() == pair[rows[own]].sum(axis=0).tolist()


@pytest.mark.parametrize(
    ("differentiate", "y", "n_scores", "factor"),
    [
        (squared_error, [0.5, -2, 3], 1, 0.5), (poisson, [2, 0, 3], 1, 1),
        (log_loss, [0, 1, 1], 1, 1), (log_loss_of_many, [0, 2, 1], 3, 1),
    ],
)  # fmt: skip
def test_derivatives_are_slopes_of_the_loss(differentiate, y, n_scores, factor):
    """Of the squared error, of half of it."""
    rng = np.random.default_rng(0)
    y, weight, score = np.array(y, float), np.array([1.0, 2.0, 0.5]), rng.normal(size=(n_scores, 3))
    found, room = (Derivatives(np.empty((n_scores, 3)), np.empty((n_scores, 3))) for _ in range(2))
    differentiate(y, score, weight, found)
    step = 1e-6
    for k in range(n_scores):
        for row in range(3):
            around, slopes = [], []
            for sign in (-1, 1):
                moved = score.copy()
                moved[k, row] += sign * step
                around.append(factor * differentiate(y, moved, weight, room))
                slopes.append(room.first[k, row])
            assert found.first[k, row] == pytest.approx((around[1] - around[0]) / (2 * step), abs=1e-6)
            assert found.second[k, row] == pytest.approx((slopes[1] - slopes[0]) / (2 * step), abs=1e-6)


def test_scores_far_out_give_finite_derivatives():
    y, weight, room = np.array([0.0, 1.0]), np.ones(2), Derivatives(np.empty((1, 2)), np.empty((1, 2)))
    assert log_loss(y, np.array([[800.0, 800.0]]), weight, room) == pytest.approx(800.0)
    assert room.first.tolist() == [[1.0, 0.0]]
    assert room.second.tolist() == [[0.0, 0.0]]

"""The better-split test, against its formulas written down; and the density that pseudo-samples are drawn from."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp, norm

from espalier.kernels.approximation import better_split_test as kernels
from espalier.kernels.approximation.better_split_test import put_in_bins
from espalier.kernels.approximation.density import ALL_CODES, LEVELS, MASS, make_region, normal_at
from espalier.learners.approximation.oracle import coding_of_classes, coding_of_numbers
from espalier.learners.approximation.sampling import discrete_mask, distinct_rows, pseudo_samples, smoothing_of
from espalier.learners.approximation.split_test import Rule, SplitTest, candidates_of, mask_of
from tests.tools.naive.approximation import far_worse, fixed_variance, full_variance, gini, kernel_draws, p_value

RULE = Rule(0.1, 1000, 100_000, False, 0.002, False)
NAN, INF = np.nan, np.inf


def shares(rng, X, k):
    """Class shares that depend on X and on chance."""
    raw = rng.random((len(X), k)) + np.outer(X[:, 0] > 0.4, np.arange(k)) + np.outer(X[:, 1] > 0.7, np.ones(k))
    return raw / raw.sum(axis=1, keepdims=True)


def contest_of(originals, X, labels, rule=RULE, parts=1):
    """A contest that has seen the samples X with these labels, in some parts."""
    prospects = candidates_of(originals, np.ones((len(originals), 2)), np.zeros(X.shape[1], dtype=bool))
    contest = SplitTest(prospects, labels.shape[1], rule)
    for rows in np.array_split(np.arange(len(X)), parts):
        bins = np.empty((len(contest.prospects.feature), len(rows)), np.uint16)
        put_in_bins(contest.prospects, np.ascontiguousarray(X[rows]), bins)
        contest.add(bins, np.ascontiguousarray(labels[rows]))
    return contest


def lefts(contest, X):
    """Of every prospective split: which samples go left."""
    features = np.repeat(contest.prospects.feature, np.diff(contest.prospects.start))
    return [X[:, f] <= t for f, t in zip(features, contest.prospects.threshold, strict=True)]


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize(("is_fixed", "variance"), [(False, full_variance), (True, fixed_variance)])
def test_p_values_are_those_of_the_matrices_of_section_2(k, is_fixed, variance):
    rng = np.random.default_rng(k)
    originals, X = rng.random((7, 2)), rng.random((500, 2))
    Y = shares(rng, X, k)
    contest = contest_of(originals, X, coding_of_classes(k).coded(Y), RULE._replace(fixed=is_fixed))
    splits = lefts(contest, X)
    ginis = [gini(Y, left) for left in splits]
    assert contest.best == int(np.argmin(ginis))
    for i, left in enumerate(splits):
        whole = 1 - (Y.mean(axis=0) ** 2).sum()
        assert contest.scores[i] == pytest.approx(whole - ginis[i], abs=1e-12)
        if i != contest.best:
            expected = p_value(Y, splits[contest.best], left, variance)
            assert contest.p_values[i] == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_numbers_are_tested_alike_and_do_not_mind_where_zero_is():
    rng = np.random.default_rng(0)
    originals, X = rng.random((6, 3)), rng.random((400, 3))
    y = (X[:, :1] > 0.5) + 0.3 * rng.normal(size=(400, 1))
    near, far = (contest_of(originals, X, coding_of_numbers(v).coded(v)) for v in (y, 1000 + 7 * y))
    splits = lefts(near, X)
    for i, left in enumerate(splits):
        if i != near.best:
            assert near.p_values[i] == pytest.approx(p_value(y, splits[near.best], left), rel=1e-6, abs=1e-12)
    assert far.p_values == pytest.approx(near.p_values, rel=1e-6, abs=1e-12)


@given(st.integers(2, 4), st.integers(1, 9), st.integers(0, 99))
def test_samples_in_parts_say_what_they_say_at_once(k, parts, seed):
    rng = np.random.default_rng(seed)
    originals, X = rng.random((6, 2)), rng.random((90, 2))
    labels = coding_of_classes(k).coded(shares(rng, X, k))
    once, streamed = (contest_of(originals, X, labels, parts=n) for n in (1, parts))
    assert streamed.best == once.best
    assert streamed.n == once.n
    np.testing.assert_allclose(streamed.sums, once.sums, atol=1e-12)
    np.testing.assert_allclose(streamed.p_values, once.p_values, rtol=1e-6, atol=1e-9)


def test_a_split_that_parts_the_samples_alike_cannot_be_told_apart():
    X = np.array([[0, 0], [1, 1], [2, 2], [3, 3.0]])
    contest = contest_of(X, np.repeat(X, 9, axis=0), np.repeat([[0], [0.1], [1], [1.0]], 9, axis=0))
    assert contest.best == 1
    assert contest.p_values[4] == 0.5
    backwards = contest_of(
        X * [1, -1], np.repeat(X * [1, -1], 9, axis=0), np.repeat([[0], [0.1], [1], [1.0]], 9, 0)
    )
    assert backwards.p_values[4] == 0.5


def test_the_coordinates_of_class_shares_keep_distances():
    for k in range(2, 7):
        coding = coding_of_classes(k)
        Y = np.random.default_rng(k).dirichlet(np.ones(k), 20)
        labels = coding.coded(Y)
        assert labels.shape == (20, k - 1)
        between = lambda Z: np.linalg.norm(Z[:, None] - Z[None], axis=2)  # noqa: E731
        np.testing.assert_allclose(between(labels), between(Y), atol=1e-12)
        np.testing.assert_allclose(coding.plain(labels), Y, atol=1e-12)


def test_bins_count_the_thresholds_below_and_missing_values_stand_at_either_end():
    originals = np.array([[0.0], [1], [3], [NAN]])
    prospects = candidates_of(originals, np.ones((4, 2)), np.array([False]))
    assert prospects.threshold.tolist() == [0.5, 2, np.inf, 0.5, 2]
    bins = np.empty((2, 6), np.uint16)
    put_in_bins(prospects, np.array([[-9], [0.5], [0.6], [2], [9], [NAN]]), bins)
    assert bins.tolist() == [[0, 0, 1, 1, 2, 3], [0, 0, 1, 1, 2, 0]]


def test_categories_are_cut_in_the_order_of_their_mean_label():
    codes = np.array([[3.0], [3], [5], [8], [8], [8]])
    labels = np.array([[0.9], [0.7], [0.1], [0.5], [0.5], [0.2]])
    prospects = candidates_of(codes, np.hstack([np.ones_like(labels), labels]), np.array([True]))
    assert len(prospects.threshold) == 2  # 5 | 8 3 and 5 8 | 3
    assert [mask_of(prospects, 0, i) for i in range(2)] == [1 << 5, 1 << 5 | 1 << 8]
    bins = np.empty((1, 4), np.uint16)
    put_in_bins(prospects, np.array([[5], [8], [3], [9.0]]), bins)
    assert bins.tolist() == [[0, 1, 2, 2]]  # 9 did not come down to the node: it goes right


def test_of_categories_with_missing_values_these_go_either_way():
    codes, labels = np.array([[0.0], [1], [NAN]]), np.array([[0.0], [1], [0.5]])
    prospects = candidates_of(codes, np.hstack([np.ones_like(labels), labels]), np.array([True]))
    rows, bins = np.array([[0], [1], [NAN]]), np.empty((2, 3), np.uint16)
    put_in_bins(prospects, rows, bins)
    assert bins.tolist() == [[0, 1, 2], [0, 1, 0]]
    assert prospects.threshold[1] == np.inf


def test_a_side_without_samples_is_no_split():
    prospects = candidates_of(np.array([[0.0], [1], [5]]), np.ones((3, 2)), np.array([False]))
    bins, y, side = np.array([[0, 0, 1]], np.uint16), np.array([[0.0], [1], [1]]), np.array([0, 0, 1], np.uint8)
    sums = np.zeros((3, 2, kernels.n_sums(1)))
    kernels.count(bins, y, side, sums, prospects.start)
    running = kernels.add_up(prospects.start, sums)
    found = kernels.scores(prospects.start, running, 1)
    assert found[0] == pytest.approx(2 / 9 - 1 / 6)  # the variance before, and twice 1/4 of three after
    assert found[1] == -np.inf
    p_values = np.empty(2)
    kernels.better_than(prospects.start, running, found[0], False, found, p_values)
    assert p_values[1] == 0


@given(st.lists(st.floats(0, 0.5), min_size=1, max_size=30), st.floats(0.001, 0.5))
def test_splits_are_given_up_as_benjamini_and_hochberg_say(p_values, level):
    n = len(p_values) + 1
    originals = np.arange(n + 1.0)[:, None]
    contest = contest_of(originals, originals, originals, RULE._replace(discard=level))
    contest.best = 0
    contest.p_values = np.array([np.nan, *p_values])
    gone = far_worse(p_values, level)
    contest.give_up()
    if len(contest.alive):
        assert set(np.flatnonzero(~contest.alive) - 1) == gone


def test_the_next_sample_size_is_that_of_equation_5():
    originals = np.arange(4.0)[:, None]
    contest = contest_of(originals, originals, originals, RULE)
    contest.best, contest.n = 0, 1000
    contest.p_values = np.array([NAN, 0.1, 0.1])
    expected = 1000 * (norm.ppf(0.1) / norm.ppf(0.2)) ** 2
    assert contest.next_size() == int(np.ceil(expected))
    contest.p_values = np.array([NAN, 0.4, 0.2])  # 0.6 has no such size: the strongest rival, its part of alpha
    expected = 1000 * (norm.ppf(0.1 * 0.4 / 0.6) / norm.ppf(0.4)) ** 2
    assert contest.next_size() == min(int(np.ceil(expected)), 10_000)
    contest.p_values = np.array([NAN, 0.0999, 0.00001])
    assert contest.next_size() == 1100
    contest.n = 99_000
    assert contest.next_size() == 100_000


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


def test_ranks_count_the_thresholds_that_are_less():
    rng = np.random.default_rng(1)
    for thresholds in (np.sort(rng.normal(size=500)), np.array([3.0]), np.array([0, 1e-300, 1e300]), np.empty(0)):
        slots, scale = kernels.slots_of([thresholds])
        for value in [*thresholds, *rng.normal(size=50), -1e308, 1e308]:
            assert kernels.rank_of(value, thresholds, slots[0], *scale[0]) == np.searchsorted(thresholds, value)
    endless = np.array([1.0, 2.0, np.inf])
    slots, scale = kernels.slots_of([endless])
    assert [kernels.rank_of(v, endless, slots[0], *scale[0]) for v in (0.0, 1.5, 9.0)] == [0, 1, 2]

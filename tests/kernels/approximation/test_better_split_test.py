"""The sums behind the better-split test, against the formulas written down directly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from espalier.kernels.approximation.better_split_test import (
    add_up,
    better_than,
    count,
    n_sums,
    put_in_bins,
    scores,
)
from espalier.learners.approximation.oracle import coding_of_classes, coding_of_numbers
from espalier.learners.approximation.split_test import Rule, SplitTest, candidates_of, mask_of
from tests.tools.naive.approximation import far_worse, fixed_variance, full_variance, gini, p_value

RULE = Rule(0.1, 1000, 100_000, False, 0.002, False)
NAN = np.nan


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
    sums = np.zeros((3, 2, n_sums(1)))
    count(bins, y, side, sums, prospects.start)
    running = add_up(prospects.start, sums)
    found = scores(prospects.start, running, 1)
    assert found[0] == pytest.approx(2 / 9 - 1 / 6)  # the variance before, and twice 1/4 of three after
    assert found[1] == -np.inf
    p_values = np.empty(2)
    better_than(prospects.start, running, found[0], False, found, p_values)
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

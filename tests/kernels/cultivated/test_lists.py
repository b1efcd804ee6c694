"""Lists of a node's samples, and the best cut along them, beside their plain definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.kernels.cart.columns import make_columns
from espalier.kernels.cultivated.neighbourhood import BEGINS, PLACE, PlaceRange, sum_both, sum_four, sum_places
from espalier.kernels.cultivated.scores import CutScores, WantedCut, best_cut, score_cuts
from espalier.kernels.cultivated.sorted_blocks import add_block, first_block, list_of


@pytest.mark.parametrize("share_missing", [0.0, 0.1])
@pytest.mark.parametrize("n_features", [1, 2, 5])
def test_a_block_has_the_nodes_known_samples_in_the_order_of_each_feature(n_features, share_missing):
    rng = np.random.default_rng(n_features)
    X = rng.integers(0, 90, (n_features, 400)).astype(float)
    X[rng.random(X.shape) < share_missing] = np.nan
    blocks = first_block(make_columns(X, np.zeros(n_features, bool)))
    samples = np.arange(400)
    for block in range(3):  # each in the one before
        places = np.flatnonzero(rng.random(len(samples)) < 0.5).astype(np.uint32)
        blocks = add_block(blocks, block, places, np.empty(400, np.uint32))
        samples = samples[places]
        for feature, column in enumerate(X[:, samples]):
            known = np.flatnonzero(~np.isnan(column))
            order = known[np.argsort(column[known], kind="stable")]
            listed = list_of(blocks, block + 1, feature + 1)
            np.testing.assert_array_equal(listed & PLACE, order)
            np.testing.assert_array_equal(listed >= BEGINS, np.r_[True, np.diff(column[order]) > 0])


def random_profile(rng: np.random.Generator, n: int):
    """Places in any order, a value of one or several, and their running sums; more samples have no value."""
    places = rng.permutation(n).astype(np.uint32) | np.where(rng.random(n) < 0.7, BEGINS, np.uint32(0))
    n_sums = int(rng.integers(2, 4))
    moments = rng.random((n, n_sums)) * rng.choice([1e-9, 1.0], (n, 1)) * rng.choice([1e-30, 1.0, 1e12])
    moments[:, 1:] *= (
        rng.integers(0, 2, (n, n_sums - 1)) if rng.random() < 0.5 else rng.normal(size=(n, n_sums - 1))
    )
    sums = np.empty((n_sums, n))
    sum_places(places, moments, sums)
    totals = moments.sum(axis=0) * (1 if rng.random() < 0.5 else 1.25)
    square = float((moments[:, 1:] ** 2).sum(axis=1) @ (1 / moments[:, 0])) * (totals[0] / moments[:, 0].sum())
    return places, sums, totals, max(square, 1e-300)


@given(seed=st.integers(0, 2**32 - 1), n=st.sampled_from([2, 3, 63, 64, 65, 200]))
def test_the_best_cut_is_the_first_of_those_within_the_tolerance(seed, n):
    rng = np.random.default_rng(seed)
    places, sums, totals, square = random_profile(rng, n)
    exact = np.empty(n)
    score_cuts(places, sums, totals, PlaceRange(0, n - 1), exact)
    first, last = sorted(rng.integers(0, n, 2)) if rng.random() < 0.5 else (0, n - 1)
    tolerance = float(rng.choice([1e-10, 1e-3])) * square
    allowed = exact[first : last + 1]
    expected = first + np.flatnonzero(allowed >= allowed.max() - tolerance)[0]
    scores = CutScores(np.empty(n), np.empty(n, np.float32), np.empty(n, np.float32))
    wanted = WantedCut(PlaceRange(first, last), square, 0.0, tolerance)
    if allowed.max() > tolerance + 1e-6 * square:  # else what is no cut would be as good
        found = best_cut(places, sums, totals, scores, wanted)
        assert found == expected
        assert scores.exact[found] == exact[found]
    assert (
        best_cut(places, sums, totals, scores, wanted._replace(least=allowed.max() * 1.001 + 1e-6 * square)) == -1
    )


@pytest.mark.parametrize("n_sums", [2, 3])
def test_lists_summed_together_have_the_sums_that_they_have_alone(n_sums):
    rng = np.random.default_rng(n_sums)
    moments = rng.random((50, n_sums))
    for lengths in ([50, 50, 50, 50], [50, 50, 50, 49], [7, 7, 50, 50]):
        lists = [rng.permutation(n).astype(np.uint32) | BEGINS for n in lengths]
        alone, four, both = (np.zeros((4, n_sums, 50)) for _ in range(3))
        for i, places in enumerate(lists):
            sum_places(places, moments, alone[i])
        one, two, three, last = lists
        sum_four(one, two, three, last, moments, four)
        for i in (0, 2):
            sum_both(lists[i], lists[i + 1], moments, both[i], both[i + 1])
        np.testing.assert_array_equal(four, alone)
        np.testing.assert_array_equal(both, alone)

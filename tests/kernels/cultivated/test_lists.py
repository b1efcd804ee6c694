"""Lists of a node's samples, and the best cut along them, beside their plain definitions."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.kernels.cart.columns import make_columns
from espalier.kernels.cultivated import chunks
from espalier.kernels.cultivated import neighbourhood as blocks
from espalier.kernels.cultivated.chunks import CHUNK, CutScores, Four, Profile, WantedCut, count_chunks, score_cuts
from espalier.kernels.cultivated.neighbourhood import BEGINS, PLACE, PlaceRange, neighbourhood


@pytest.mark.parametrize("share_missing", [0.0, 0.1])
@pytest.mark.parametrize("n_features", [1, 2, 5])
def test_a_block_has_the_nodes_known_samples_in_the_order_of_each_feature(n_features, share_missing):
    rng = np.random.default_rng(n_features)
    X = rng.integers(0, 90, (n_features, 400)).astype(float)
    X[rng.random(X.shape) < share_missing] = np.nan
    columns = make_columns(X, np.zeros(n_features, bool))
    every = blocks.first_block(columns, blocks.empty_lists(columns))
    samples = np.arange(400)
    for block in range(3):  # each in the one before
        places = np.flatnonzero(rng.random(len(samples)) < 0.5).astype(np.uint32)
        every = blocks.add_block(every, block, places, np.empty(400, np.uint32))
        samples = samples[places]
        for feature, column in enumerate(X[:, samples]):
            known = np.flatnonzero(~np.isnan(column))
            order = known[np.argsort(column[known], kind="stable")]
            listed = blocks.list_of(every, block + 1, feature + 1)
            np.testing.assert_array_equal(listed & PLACE, order)
            np.testing.assert_array_equal(listed >= BEGINS, np.r_[True, np.diff(column[order]) > 0])


class Case(NamedTuple):
    """A profile, of which samples without a value may be missing, with its sums place by place."""

    profile: Profile
    sums: np.ndarray  # (n_sums, n)
    totals: np.ndarray  # (n_sums,)
    square: float
    lowest: float
    highest: float

    def scores(self) -> np.ndarray:
        """S of every cut."""
        exact = np.empty(len(self.profile.places))
        score_cuts(self.profile.places, self.sums, self.totals, PlaceRange(0, len(exact) - 1), exact)
        exact[-1] = 0  # no cut
        return exact

    def bounds(self) -> np.ndarray:
        """What `bound_chunks` says of each chunk."""
        bounds = np.zeros(count_chunks(len(self.profile.places)) + 1)
        chunks.bound_chunks(self.profile, self.totals, self.lowest, self.highest, bounds)
        return bounds

    def slack(self) -> float:
        """By how much a score may be above its bound."""
        return chunks.slack(self.square, self.totals[0], max(self.lowest**2, self.highest**2))


def random_case(rng: np.random.Generator, n: int) -> Case:
    """Places in any order, a value of one or several; weights and targets of very different size."""
    places = rng.permutation(n).astype(np.uint32) | np.where(rng.random(n) < 0.7, BEGINS, np.uint32(0))
    n_sums = int(rng.integers(2, 6))
    weight = rng.random(n) * rng.choice([1e-9, 1.0], n) * rng.choice([1e-30, 1.0, 1e12])
    target = rng.integers(0, 2, (n, n_sums - 1)) if rng.random() < 0.5 else rng.normal(size=(n, n_sums - 1))
    moments = np.zeros((n, 2 if n_sums == 2 else 4 if n_sums < 5 else 8))
    moments[:, :n_sums] = weight[:, None] * np.column_stack([np.ones(n), target])
    ends, sums = np.zeros((n_sums, count_chunks(n) + 1)), np.full((n_sums, n), np.nan)
    four = Four(places, places, places, places)
    chunks.sum_chunks(four, moments, n_sums, Four(ends, ends, ends, ends))
    sums[:, -1] = ends[:, -1]
    whole = moments[places & PLACE, :n_sums].cumsum(axis=0).T.copy()
    more = 1.0 if rng.random() < 0.5 else 1.25
    square = more * float(weight @ (target**2).sum(axis=1))
    ranges = float(target.min()), float(target.max())
    return Case(Profile(places, moments, ends, sums), whole, whole[:, -1] * more, max(square, 1e-300), *ranges)


SIZES = st.sampled_from([2, 3, CHUNK - 1, CHUNK, CHUNK + 1, 65, 200])


@given(seed=st.integers(0, 2**32 - 1), n=SIZES)
def test_the_best_cut_is_the_first_of_those_within_the_tolerance(seed, n):
    rng = np.random.default_rng(seed)
    case = random_case(rng, n)
    exact, bounds = case.scores(), case.bounds()
    first, last = sorted(rng.integers(0, n, 2)) if rng.random() < 0.5 else (0, n - 1)
    tolerance = float(rng.choice([1e-10, 1e-3])) * case.square
    allowed = exact[first : last + 1]
    expected = first + np.flatnonzero(allowed >= allowed.max() - tolerance)[0]
    scores = CutScores(np.empty(n), bounds)
    wanted = WantedCut(PlaceRange(first, last), 0.0, tolerance, case.slack())
    if allowed.max() > tolerance + 1e-6 * case.square:  # else what is no cut would be as good
        found = chunks.best_cut(case.profile, case.totals, scores, wanted)
        assert found == expected
        assert scores.exact[found] == exact[found]
    wanted = wanted._replace(least=allowed.max() * 1.001 + 2 * case.slack())
    assert chunks.best_cut(case.profile, case.totals, scores, wanted) == -1


@pytest.mark.parametrize("n", [17, 65, 200])
def test_scores_of_an_earlier_feature_are_never_taken_for_those_of_this_one(n):
    for seed in range(150):
        case = random_case(np.random.default_rng(seed), n)
        exact, scores = case.scores(), CutScores(np.full(n, 1e300), case.bounds())
        wanted = WantedCut(PlaceRange(0, n - 1), exact.max(), 1e-3 * case.square, case.slack())
        found = chunks.best_cut(case.profile, case.totals, scores, wanted)
        assert found == -1 or scores.exact[found] == exact[found] >= exact.max() - wanted.tolerance


@given(seed=st.integers(0, 2**32 - 1), n=SIZES)
def test_no_cut_of_a_chunk_scores_more_than_the_bound_of_the_chunk(seed, n):
    case = random_case(np.random.default_rng(seed), n)
    most = np.maximum.reduceat(case.scores(), np.arange(0, n, CHUNK))
    bounds = case.bounds()
    assert (most <= bounds[:-1] + case.slack()).all()
    assert bounds[-1] == bounds[:-1].max()


def test_bounds_are_close_where_samples_weigh_little():
    n = 64 * CHUNK
    y = (np.random.default_rng(0).random(n) < np.linspace(0.2, 0.8, n)).astype(float)
    places, moments = np.arange(n, dtype=np.uint32) | BEGINS, np.column_stack([np.ones(n), y])
    ends = np.zeros((2, count_chunks(n) + 1))
    chunks.sum_chunks(Four(places, places, places, places), moments, 2, Four(ends, ends, ends, ends))
    whole = moments.cumsum(axis=0).T.copy()
    case = Case(Profile(places, moments, ends, whole), whole, whole[:, -1], y.sum(), 0.0, 1.0)
    assert (case.bounds()[:-1] < case.scores().max()).mean() > 0.8  # so many chunks need no scores


@given(seed=st.integers(0, 2**32 - 1), n=SIZES)
def test_sums_filled_in_are_those_of_all_places(seed, n):
    rng = np.random.default_rng(seed)
    case = random_case(rng, n)
    first, last = sorted(map(int, rng.integers(0, count_chunks(n), 2)))
    chunks.fill(case.profile, first, last)
    start, stop = max(first * CHUNK - 1, 0), min(last * CHUNK + CHUNK, n)
    np.testing.assert_array_equal(case.profile.sums[:, start:stop], case.sums[:, start:stop])


@given(seed=st.integers(0, 2**32 - 1), n=SIZES)
def test_a_neighbourhood_needs_only_the_sums_around_its_cut(seed, n):
    rng = np.random.default_rng(seed)
    case = random_case(rng, n)
    places, weight = case.profile.places, case.totals[0]
    cut = int(rng.choice(np.flatnonzero(np.append(places[1:] >= BEGINS, True))))
    k = weight * float(rng.choice([1e-14, 0.01, 0.1, 0.5, 1.0]))
    chunks.fill(case.profile, cut // CHUNK, cut // CHUNK)
    chunks.fill_around(case.profile, cut, k, weight)
    found, expected, allowed = np.zeros(n), np.zeros(n), PlaceRange(0, n - 1)
    span = neighbourhood(places, case.profile.sums, cut, k, found, allowed)
    assert span == neighbourhood(places, case.sums, cut, k, expected, allowed)
    np.testing.assert_array_equal(found, expected)


@given(seed=st.integers(0, 2**32 - 1), n=SIZES)
def test_no_neighbourhood_of_the_best_cut_scores_more_on_average_than_its_bound(seed, n):
    rng = np.random.default_rng(seed)
    case = random_case(rng, n)
    exact, bounds, weight = case.scores(), case.bounds(), case.totals[0]
    cut, k, phi = int(exact.argmax()), weight * float(rng.choice([0.01, 0.1, 0.5, 1.0])), np.zeros(n)
    if exact[cut] == 0:  # all have the same value
        return
    chunks.fill(case.profile, cut // CHUNK, cut // CHUNK)
    bound = chunks.bound_mean(case.profile, bounds, cut, k, exact[cut])
    span = neighbourhood(case.profile.places, case.sums, cut, k, phi, PlaceRange(0, n - 1))
    score_cuts(case.profile.places, case.sums, case.totals, PlaceRange(0, n - 1), exact)
    assert chunks.mean_score(exact, phi, span) <= bound + case.slack()
    assert bound <= exact[cut] + case.slack()


@pytest.mark.parametrize(
    ("allowed", "expected"), [((0, 7), 5), ((0, 4), 1), ((2, 4), -1), ((2, 7), 5), ((6, 7), 7)]
)
def test_the_next_cut_is_the_best_of_the_allowed_ones_beyond_a_ridge(allowed, expected):
    scores = np.array([1.2, 3.0, 1.1, 5.0, 1.1, 4.0, 1.1, 4.0 + 1e-14, 1.0])  # the last place is no cut
    wanted = WantedCut(PlaceRange(*allowed), 0.0, 1e-10, 0.0)
    assert chunks.next_cut(scores, len(scores), np.array([[3, 3]]), 1.0, wanted) == expected


def test_there_is_a_ridge_beside_a_neighbourhood_whether_its_values_repeat_or_not():
    once, twice = np.array([4.0, 2.0, 5.0, 2.0, 4.0, 1.0]), np.array([0, 4.0, 0, 2, 0, 5, 0, 2, 0, 4, 0, 1])
    for first, last in ((0, 0), (4, 4)):
        wanted = WantedCut(PlaceRange(first, last), 0.0, 1e-10, 0.0)
        assert chunks.next_cut(once, 6, np.array([[1, 3]]), 1.0, wanted) == first
        wanted = WantedCut(PlaceRange(2 * first, 2 * last + 1), 0.0, 1e-10, 0.0)
        assert chunks.next_cut(twice, 12, np.array([[2, 7]]), 1.0, wanted) == 2 * first + 1


@pytest.mark.parametrize("n_sums", [2, 3, 4, 6])
def test_lists_summed_together_have_the_sums_that_they_have_alone(n_sums):
    rng = np.random.default_rng(n_sums)
    moments = rng.random((50, 2 if n_sums == 2 else 8))
    for n in (1, CHUNK, 50):
        lists = rng.permuted(np.tile(np.arange(n), (4, 1)), axis=1).astype(np.uint32) | BEGINS
        ends = np.zeros((4, n_sums, count_chunks(n) + 1))
        chunks.sum_chunks(Four(*lists), moments, n_sums, Four(*ends))
        sums = moments[lists & PLACE, :n_sums].cumsum(axis=1)
        np.testing.assert_array_equal(ends[:, :, 0], 0)
        np.testing.assert_array_equal(ends[:, :, -1], sums[:, -1])
        np.testing.assert_array_equal(ends[:, :, 1:-1], sums[:, CHUNK - 1 : -1 : CHUNK].swapaxes(1, 2))

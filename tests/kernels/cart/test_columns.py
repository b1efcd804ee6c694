"""Sorting and levels: what the grower starts from."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.kernels.cart.columns import CATEGORIES, LEVELS, MISSING, SORTED, make_columns
from espalier.kernels.route import columns_of

WILD = st.one_of(
    st.floats(-1e308, 1e308, allow_nan=False), st.just(np.nan), st.integers(-3, 3).map(float), st.just(1e-320)
)


def columns(x, is_category=False):
    return make_columns(columns_of(np.asarray(x, dtype=float)[:, None]), np.array([is_category]))


def many_values(x):
    """The values x among 70 more, so that they are too many for levels."""
    return np.concatenate([x, np.arange(70) / 7 + 0.1])


@settings(deadline=None, max_examples=200)
@given(st.lists(WILD, max_size=60))
def test_a_sorted_list_is_what_a_stable_sort_gives(values):
    x = many_values(values)
    made = columns(x)
    assert made.kind[0] == SORTED
    assert made.order[1].tolist() == np.argsort(x, kind="stable").tolist()


def test_far_outliers_are_sorted_all_the_same():
    x = np.concatenate([np.random.default_rng(0).random(5000), [1e300]])
    assert columns(x).order[1].tolist() == np.argsort(x, kind="stable").tolist()


def test_a_range_too_wide_or_too_narrow_for_a_double_is_sorted_all_the_same():
    for ends in ([1.2e308, -1.2e308], [np.inf, np.nan]):
        x = many_values(ends)
        assert columns(x).order[1].tolist() == np.argsort(x, kind="stable").tolist()
    x = np.random.default_rng(0).permutation(np.append(np.arange(90) * 5e-324, np.nan))
    assert columns(x).order[1].tolist() == np.argsort(x, kind="stable").tolist()
    assert columns(x).has_missing[0]
    assert columns(x).distinct[0]


@settings(deadline=None, max_examples=40)
@given(st.integers(66, 3000), st.integers(1, 400), st.integers(0, 2**32 - 1))
def test_long_columns_with_equal_and_missing_values_are_sorted_stably(n, step, seed):
    rng = np.random.default_rng(seed)
    x = np.append(np.round(rng.normal(size=n) * step) / 7, np.arange(70) + 0.5)
    x[:n][rng.random(n) < 0.1] = np.nan
    made = columns(x)
    assert made.order[1].tolist() == np.argsort(x, kind="stable").tolist()
    assert made.distinct[0] == (len(np.unique(x[~np.isnan(x)])) == np.sum(~np.isnan(x)))


def test_equal_and_missing_values_are_noticed():
    x = np.arange(100.0)
    assert columns(x).distinct[0]
    assert not columns(x).has_missing[0]
    tied = np.append(x, 5.0)
    assert not columns(tied).distinct[0]
    assert columns(np.append(x, np.nan)).has_missing[0]
    assert columns(np.append(x, np.nan)).distinct[0]


@settings(deadline=None, max_examples=100)
@given(st.lists(st.sampled_from([-2.0, 0.0, 1.0, 1.5, 4000.0, 1e9, np.nan]), min_size=1, max_size=40))
def test_few_values_become_levels_in_their_order(values):
    made = columns(values)
    known = np.unique(np.array(values)[~np.isnan(values)])
    assert made.kind[0] == LEVELS
    assert made.levels[0, : len(known)].tolist() == known.tolist()
    expected = [MISSING if np.isnan(v) else int(np.searchsorted(known, v)) for v in values]
    assert made.codes[:, 0].tolist() == expected


def test_category_codes_past_63_count_as_missing():
    made = columns([0, 63, 64, -1, np.nan], is_category=True)
    assert made.kind[0] == CATEGORIES
    assert made.codes[:, 0].tolist() == [0, 63, MISSING, MISSING, MISSING]
    assert made.has_missing[0]


@settings(deadline=None, max_examples=60)
@given(
    st.integers(-(2**60), 2**60).map(float),
    st.lists(st.integers(0, 300), min_size=1, max_size=70),
    st.sampled_from([None, 0.5, np.nan, np.inf, -64.0, -65.0, 255.0, 5000.0]),
    st.integers(0, 2**32 - 1),
)
def test_whole_numbers_of_a_byte_are_levels_wherever_they_begin_and_whatever_comes_last(low, steps, odd, seed):
    x = low + np.random.default_rng(seed).choice(steps, 3000)
    x[-1] = x[-1] if odd is None else low + odd
    made, known = columns(x), np.unique(x[~np.isnan(x)])
    assert made.kind[0] == (LEVELS if len(known) <= 64 else SORTED)
    assert made.has_missing[0] == np.isnan(x).any()
    if made.kind[0] == LEVELS:
        assert made.levels[0, : len(known)].tolist() == known.tolist()
        assert np.isinf(made.levels[0, len(known) :]).all()
        expected = np.where(np.isnan(x), MISSING, np.searchsorted(known, x))
        assert made.codes[:, 0].tolist() == expected.tolist()
    else:
        assert made.order[1].tolist() == np.argsort(x, kind="stable").tolist()


def test_levels_of_many_columns_stand_beside_each_other():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (700, 70)) * rng.choice([1.0, 7.0, 0.25, 1000.0], 70)
    X[:, 3] = rng.random(700)
    X[5, ::4] = np.nan
    made = make_columns(columns_of(X), np.arange(70) == 8)
    for feature in np.flatnonzero(made.kind == LEVELS):
        slot = made.slot[feature]
        known = np.append(made.levels[slot], np.nan)
        np.testing.assert_array_equal(known[made.codes[:, slot]], X[:, feature])
    assert made.kind[3] == SORTED
    assert made.kind[8] == CATEGORIES

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

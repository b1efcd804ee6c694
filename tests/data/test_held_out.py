"""Rows held out for testing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data import Feature, make_dataset, samples
from espalier.data.dataset import HeldOut, held_out


def numbered(n):
    return make_dataset(
        "t", np.zeros((n, 1)), [Feature("x")], np.random.default_rng(3).normal(size=n), Feature("y")
    )


def test_classes_keep_their_shares():
    iris = samples.load("iris")
    assert np.bincount(iris.y[held_out(iris, HeldOut(30, 7))]).tolist() == [15, 15, 15]


@pytest.mark.parametrize("seed", range(5))
def test_a_number_keeps_its_spread(seed):
    data = numbered(200)
    out = held_out(data, HeldOut(30, seed))
    smallest_first = np.argsort(data.y)
    assert out[smallest_first].reshape(10, 20).sum(axis=1).tolist() == [6] * 10


@settings(deadline=None)
@given(st.integers(1, 90), st.sampled_from(range(0, 85, 5)), st.integers(0, 99))
def test_about_the_percentage_is_held_out_and_a_row_is_always_left(n, percent, seed):
    out = held_out(numbered(n), HeldOut(percent, seed))
    assert not out.all()
    assert abs(out.sum() - n * percent / 100) <= 1


def test_another_seed_holds_other_rows_out():
    data = numbered(100)
    assert not np.array_equal(held_out(data, HeldOut(30, 0)), held_out(data, HeldOut(30, 1)))
    assert np.array_equal(held_out(data, HeldOut(30, 0)), held_out(data, HeldOut(30, 0)))


@pytest.mark.parametrize("percent", [-1, 101])
def test_a_percentage_that_there_is_none_of_is_refused(percent):
    with pytest.raises(ValueError, match=f"{percent} % .* choose a percentage from 0 to 100"):
        held_out(numbered(10), HeldOut(percent))

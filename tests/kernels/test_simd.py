"""Several numbers at once, and bytes of words: compiled and plain they say what single numbers say."""

import operator
import os
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from espalier.kernels import octets, simd
from espalier.kernels.explanation.shapley import at_most, multiplied_and_added
from espalier.kernels.simd import LANES, REALS, SHORTS, load, load_reals, store, store_reals

LEAST, MOST = -(2**31), 2**31 - 1
EXTREMES = [LEAST, LEAST + 1, -(2**16), -1, 0, 1, 2**16, MOST - 1, MOST]
number = st.sampled_from(EXTREMES) | st.integers(LEAST, MOST)
sixteen = st.lists(number, min_size=LANES, max_size=LANES)
whole = st.sampled_from([-(2**63), 2**63 - 1, 2**32, -(2**32), 2**31]) | st.integers(-(2**63), 2**63 - 1) | number
places = st.integers(0, 31)

no_compiler = "NUMBA_DISABLE_JIT" in os.environ
compiled = pytest.param("compiled", marks=pytest.mark.skipif(no_compiler, reason="nothing is compiled"))
either = pytest.mark.parametrize("way", [compiled, "plain"])


def wrapped(numbers, bits=32) -> list[int]:
    """The numbers as so many bits with a sign hold them."""
    return [(n + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1) for n in numbers]


@numba.njit
def work_on_two(a, b, out):
    x, y = load(a, 0), load(b, 0)
    store(out[0], 0, simd.greater(x, y))
    store(out[1], 0, simd.smaller(x, y))
    store(out[2], 0, simd.above(x, y))
    store(out[3], 0, x + y)
    store(out[4], 0, x - y)
    store(out[5], 0, x * y)
    store(out[6], 0, x & y)
    store(out[7], 0, x | y)
    store(out[8], 0, x ^ y)


TWO = [max, min, operator.gt, operator.add, operator.sub, operator.mul, operator.and_, operator.or_, operator.xor]


@numba.njit
def work_on_one(a, n, at, number, out):
    x = load(a, 0)
    store(out[0], 0, simd.down(x, n))
    store(out[1], 0, simd.up(x, n))
    store(out[2], 0, simd.ones(x))
    store(out[3], 0, simd.same(a, at))
    store(out[4], 0, simd.spread(number))


@numba.njit
def fill_like(a, n):
    store(a, 0, simd.fill(load(a, 0), n))


@numba.njit
def move(a, at, out, to):
    store(out, to, load(a, at))


@numba.njit
def work_on_words(word, n, a, at):
    simd.want(a, at)
    return simd.lowest(word), simd.count_ones(n), a[at]


@numba.njit
def work_on_others(a, b, x, y):
    return a + b, a - b, a * b, a & b, a | b, a ^ b, x + y, x - y, x * y, x & y


def way_of(function, way):
    return function if way == "compiled" else getattr(function, "py_func", function)


def int32(numbers):
    return np.array(numbers, np.int32)


def assert_each_lane_is_worked_on(way, a, b):
    out = np.full((len(TWO), len(a)), 77, a.dtype)
    way_of(work_on_two, way)(a, b, out)
    for function, lanes in zip(TWO, out, strict=True):
        exact = (function(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True))
        assert lanes.tolist() == wrapped(exact, 8 * a.itemsize), function


@either
@given(a=sixteen, b=sixteen)
def test_each_lane_is_worked_on_for_itself(way, a, b):
    assert_each_lane_is_worked_on(way, int32(a), int32(b))


@either
def test_all_pairs_of_extremes_come_out_right(way):
    a, b = (np.resize(grid, (6, LANES)) for grid in np.meshgrid(EXTREMES, EXTREMES))  # 81 pairs, and some again
    for some, others in zip(a, b, strict=True):
        assert_each_lane_is_worked_on(way, int32(some), int32(others))


@either
@given(seed=st.integers(0, 2**32 - 1))
def test_32_lanes_of_16_bits_are_worked_on_for_themselves(way, seed):
    assert_each_lane_is_worked_on(
        way, *np.random.default_rng(seed).integers(-(2**15), 2**15, (2, SHORTS), np.int16)
    )


@either
@pytest.mark.parametrize(("kind", "n_lanes"), [(np.int16, SHORTS), (np.int32, LANES)])
@given(n=st.integers(-(2**15), 2**15 - 1))
def test_lanes_are_filled_as_many_as_the_array_has(way, kind, n_lanes, n):
    out = np.zeros(2 * n_lanes, kind)
    way_of(fill_like, way)(out, n)
    assert out.tolist() == [n] * n_lanes + [0] * n_lanes


@either
@given(a=sixteen, n=places, at=st.integers(0, LANES - 1), number=whole)
def test_bits_move_and_are_counted_and_one_number_may_be_in_every_lane(way, a, n, at, number):
    out, unsigned = np.full((5, LANES), 77, np.int32), [x & 0xFFFFFFFF for x in a]
    way_of(work_on_one, way)(int32(a), n, at, number, out)
    moved = [wrapped(x >> n for x in unsigned), wrapped(x << n for x in a)]
    assert out.tolist() == [*moved, [x.bit_count() for x in unsigned], [a[at]] * LANES, wrapped([number]) * LANES]


@either
@given(at=st.integers(0, 40), to=st.integers(0, 40), seed=st.integers(0, 2**32 - 1))
def test_sixteen_numbers_are_copied_from_any_place_to_any_other_and_no_more(way, at, to, seed):
    a, out = np.random.default_rng(seed).integers(LEAST, MOST, (2, 40 + LANES), np.int32, endpoint=True)
    before, expected = a.copy(), out.copy()
    expected[to : to + LANES] = a[at : at + LANES]
    way_of(move, way)(a, at, out, to)
    assert (out == expected).all()
    assert (a == before).all()


@either
@given(word=whole.filter(bool), n=st.just(0) | st.integers(0, 2**63 - 1), a=sixteen, at=st.integers(0, LANES - 1))
@example(word=-1, n=2**32 - 1, a=[0] * LANES, at=0)
@example(word=2**62, n=2**63 - 1, a=[0] * LANES, at=0)
def test_the_lowest_bit_is_found_set_ones_are_counted_and_wanting_a_place_changes_nothing(way, word, n, a, at):
    bits = bin(word % 2**64)[:1:-1]  # the lowest first
    for kind in (np.int32, np.int64):
        array = np.array(a, kind)
        assert way_of(work_on_words, way)(word, n, array, at) == (bits.index("1"), n.bit_count(), a[at])
        assert array.tolist() == a


def test_what_is_loaded_is_a_copy_whose_largest_and_first_large_enough_lane_are_found():
    a = np.zeros(LANES, np.int32)
    lanes = load(a, 0)
    a[3] = 7
    assert not lanes.any()
    assert lanes.dtype == simd.same(a, 0).dtype == simd.spread(1).dtype == np.int32
    reals = np.array([1.0, -np.inf, 4.0, 2.0, 4.0, 0.0, 3.0, 1.0])
    assert octets.largest(reals) == 4
    assert [octets.first_at_least(reals, limit) for limit in (1.0, 2.0, 4.0, 5.0)] == [0, 2, 2, 8]
    assert octets.where_larger(reals, np.ones(8), reals, np.zeros(8)).tolist() == [0, 0, 4, 2, 4, 0, 3, 0]


@pytest.mark.skipif(no_compiler, reason="nothing is compiled")
@given(a=number, b=number, x=sixteen, y=sixteen)
def test_operators_of_other_numbers_are_what_they_were(a, b, x, y):
    got = work_on_others(a, b, int32(x), int32(y))
    expected = (a + b, a - b, a * b, a & b, a | b, a ^ b)
    assert got[:6] == expected
    for mine, function in zip(got[6:], (np.add, np.subtract, np.multiply, np.bitwise_and), strict=True):
        assert mine.tolist() == function(int32(x), int32(y)).tolist()


real = st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1e-300, -1e-300])
eight = st.lists(real, min_size=REALS, max_size=REALS)


@numba.njit(error_model="numpy")
def work_on_reals(a, b, number, out):
    x, y = load_reals(a, 1), load_reals(b, 0)
    store_reals(out, 1, x + y)
    store_reals(out, 9, x - y)
    store_reals(out, 17, x * y)
    store_reals(out, 25, x / simd.at_least(y, 0.5))
    store_reals(out, 33, simd.only_above(x, number))
    store_reals(out, 41, simd.alike(number))
    return simd.is_any_above(x, number), simd.total(x)


@either
@given(a=eight, b=eight, number=real)
def test_each_real_number_is_worked_on_for_itself(way, a, b, number):
    out = np.full(50, 77.0)
    some, whole = way_of(work_on_reals, way)(np.array([5.0, *a]), np.array(b), number, out)
    pairs = list(zip(a, b, strict=True))
    expected = [x + y for x, y in pairs] + [x - y for x, y in pairs] + [x * y for x, y in pairs]
    expected += [x / max(y, 0.5) for x, y in pairs] + [x if x > number else 0.0 for x in a] + [number] * REALS
    assert out.tolist() == [77.0, *expected, 77.0]
    assert some == any(x > number for x in a)
    assert whole == ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]))


# Steps on bytes say, without the compiler, what their names say; compiled, trees show that they say the same
def test_steps_on_the_bytes_of_a_word():
    word, limits = (np.array(x, np.uint8).view(np.int64)[0] for x in ([0, 1, 2, 3, 4, 5, 6, 255], [3] * 8))
    below, old = np.array([1, 1, 1, 1, 0, 0, 0, 0]), octets.bytes_of(word)
    assert octets.bytes_of(octets.count_at_most(word, word, limits)).tolist() == (old + below).tolist()
    assert octets.bytes_of(octets.weigh_at_most(word, 3, word, limits)).tolist() == (old + 3 * below).tolist()
    assert octets.add_at_most(np.arange(8.0), 0.5, word, limits).tolist() == (np.arange(8) + below / 2).tolist()
    assert octets.plus_bytes(np.full(8, 0.5), word).tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 255.5]
    assert octets.larger(np.array([1.0, np.nan]), np.array([2.0, 3.0])).tolist() == [2, 3]
    assert np.flatnonzero(np.isnan(octets.within(np.arange(8.0), 2, 6))).tolist() == [0, 1, 7]


def test_steps_on_64_bytes():
    array = np.arange(70, dtype=np.uint8)
    lanes = octets.load_bytes(array, 3)
    assert lanes.tolist() == list(range(3, 67))
    assert octets.count_up_to(octets.none_counted(), lanes, 5).tolist() == [1, 1, 1] + [0] * 61
    assert octets.or_all(lanes, 255).tolist() == [255] * 64
    octets.store_bytes(array, 0, octets.or_all(lanes, 128))
    assert array[:2].tolist() == [131, 132]


# Steps on eight numbers at once: compiled they say what plain Python says
NUMBERS = np.array([0.0, -0.0, 1.5, -2.25, np.inf, -np.inf, np.nan, 1e100])
LIMITS = np.array([0.0, 0.0, 1.5, -2.5, np.inf, 0.0, 0.0, 1e99])


def _at_most(a, b, out):
    store_reals(out, 0, at_most(load_reals(a, 0), load_reals(b, 0)))


def _multiplied_and_added(a, b, out):
    store_reals(out, 0, multiplied_and_added(load_reals(a, 0), load_reals(b, 0), load_reals(b, 0)))


@pytest.mark.parametrize("step", [_at_most, _multiplied_and_added])
def test_the_compiler_says_what_python_says(step):
    plain, compiled = np.empty(8), np.empty(8)
    with np.errstate(invalid="ignore"):
        step(NUMBERS, LIMITS, plain)
    compiler: Any = numba.njit
    compiler(step)(NUMBERS, LIMITS, compiled)
    assert compiled == pytest.approx(plain, nan_ok=True)


def test_a_number_that_is_missing_is_at_most_nothing():
    assert at_most(NUMBERS, LIMITS).tolist() == [1, 1, 1, 0, 1, 1, 0, 0]

"""Several numbers at once, and bytes of words: compiled and plain they say what single numbers say."""

import operator
import os
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.kernels.explanation.shapley import at_most, multiplied_and_added
from espalier.kernels.octets import (
    add_at_most,
    bytes_of,
    count_at_most,
    count_up_to,
    first_at_least,
    larger,
    largest,
    load_bytes,
    none_counted,
    or_all,
    plus_bytes,
    store_bytes,
    weigh_at_most,
    where_larger,
    within,
)
from espalier.kernels.simd import (
    LANES,
    REALS,
    SHORTS,
    above,
    alike,
    at_least,
    count_ones,
    down,
    fill,
    greater,
    is_any_above,
    load,
    load_reals,
    lowest,
    ones,
    only_above,
    same,
    smaller,
    spread,
    store,
    store_reals,
    total,
    up,
    want,
)

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
    store(out[0], 0, greater(x, y))
    store(out[1], 0, smaller(x, y))
    store(out[2], 0, above(x, y))
    store(out[3], 0, x + y)
    store(out[4], 0, x - y)
    store(out[5], 0, x * y)
    store(out[6], 0, x & y)
    store(out[7], 0, x | y)
    store(out[8], 0, x ^ y)


TWO = [max, min, operator.gt, operator.add, operator.sub, operator.mul, operator.and_, operator.or_, operator.xor]


@numba.njit
def move_bits(a, n, out):
    store(out[0], 0, down(load(a, 0), n))
    store(out[1], 0, up(load(a, 0), n))


@numba.njit
def ones_of_each(a, out):
    store(out, 0, ones(load(a, 0)))


@numba.njit
def spread_out(n, out):
    store(out, 0, spread(n))


@numba.njit
def same_everywhere(a, at, out):
    store(out, 0, same(a, at))


@numba.njit
def fill_like(a, n):
    store(a, 0, fill(load(a, 0), n))


@numba.njit
def move(a, at, out, to):
    store(out, to, load(a, at))


@numba.njit
def lowest_bit(n):
    return lowest(n)


@numba.njit
def ones_of(n):
    return count_ones(n)


@numba.njit
def want_and_read(a, at):
    want(a, at)
    return a[at]


@numba.njit
def work_on_others(a, b, x, y):
    return a + b, a - b, a * b, a & b, a | b, a ^ b, x + y, x - y, x * y, x & y


def way_of(function, way):
    return function if way == "compiled" else getattr(function, "py_func", function)


def result(function, way, *arguments) -> list[int]:
    out = np.full(LANES, 77, np.int32)
    way_of(function, way)(*arguments, out)
    return out.tolist()


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
@given(a=sixteen, n=places)
def test_bits_move_and_zeros_come_in(way, a, n):
    out = np.zeros((2, LANES), np.int32)
    way_of(move_bits, way)(int32(a), n, out)
    assert out.tolist() == [wrapped((x & 0xFFFFFFFF) >> n for x in a), wrapped(x << n for x in a)]


@either
@given(a=sixteen)
def test_set_bits_are_counted_with_the_sign(way, a):
    assert result(ones_of_each, way, int32(a)) == [(x & 0xFFFFFFFF).bit_count() for x in a]


@either
@given(n=whole)
def test_the_lowest_32_bits_are_in_every_lane(way, n):
    assert result(spread_out, way, n) == wrapped([n]) * LANES


@either
@given(a=sixteen, at=st.integers(0, LANES - 1))
def test_the_number_at_a_place_is_in_every_lane(way, a, at):
    assert result(same_everywhere, way, int32(a), at) == [a[at]] * LANES


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
@given(bits=st.sets(st.integers(0, 63), min_size=1))
def test_the_lowest_bit_is_found(way, bits):
    word = sum(1 << place for place in bits)
    assert way_of(lowest_bit, way)(word - 2**64 if word >= 2**63 else word) == min(bits)


@either
def test_the_lowest_bit_may_be_the_highest_there_is(way):
    assert [way_of(lowest_bit, way)(n) for n in (1, -1, 2**31, 2**62, -(2**63))] == [0, 0, 31, 62, 63]


@either
@given(n=st.sampled_from([0, 1, 2**32 - 1, 2**63 - 1]) | st.integers(0, 2**63 - 1))
def test_the_set_bits_of_a_word_are_counted(way, n):
    assert way_of(ones_of, way)(n) == bin(n).count("1")


@either
@given(a=sixteen, at=st.integers(0, LANES - 1))
def test_wanting_a_place_changes_nothing(way, a, at):
    for kind in (np.int32, np.int64):
        array = np.array(a, kind)
        assert way_of(want_and_read, way)(array, at) == a[at]
        assert array.tolist() == a


def test_what_is_loaded_is_a_copy_whose_largest_and_first_large_enough_lane_are_found():
    a = np.zeros(LANES, np.int32)
    lanes = load(a, 0)
    a[3] = 7
    assert not lanes.any()
    assert lanes.dtype == same(a, 0).dtype == spread(1).dtype == np.int32
    reals = np.array([1.0, -np.inf, 4.0, 2.0, 4.0, 0.0, 3.0, 1.0])
    assert largest(reals) == 4
    assert [first_at_least(reals, limit) for limit in (1.0, 2.0, 4.0, 5.0)] == [0, 2, 2, 8]
    assert where_larger(reals, np.ones(8), reals, np.zeros(8)).tolist() == [0, 0, 4, 2, 4, 0, 3, 0]


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
    store_reals(out, 25, x / at_least(y, 0.5))
    store_reals(out, 33, only_above(x, number))
    store_reals(out, 41, alike(number))
    return is_any_above(x, number), total(x)


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


# ---- Steps on bytes say, without the compiler, what their names say; compiled, trees show that they say the same


def test_steps_on_the_bytes_of_a_word():
    word, limits = (np.array(x, np.uint8).view(np.int64)[0] for x in ([0, 1, 2, 3, 4, 5, 6, 255], [3] * 8))
    below = np.array([1, 1, 1, 1, 0, 0, 0, 0])
    assert bytes_of(count_at_most(word, word, limits)).tolist() == (bytes_of(word) + below).tolist()
    assert bytes_of(weigh_at_most(word, 3, word, limits)).tolist() == (bytes_of(word) + 3 * below).tolist()
    assert add_at_most(np.arange(8.0), 0.5, word, limits).tolist() == (np.arange(8) + below / 2).tolist()
    assert plus_bytes(np.full(8, 0.5), word).tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 255.5]
    assert larger(np.array([1.0, np.nan]), np.array([2.0, 3.0])).tolist() == [2, 3]
    assert np.isnan(within(np.arange(8.0), 2, 6)).tolist() == [True, True, False, False, False, False, False, True]


def test_steps_on_64_bytes():
    array = np.arange(70, dtype=np.uint8)
    lanes = load_bytes(array, 3)
    assert lanes.tolist() == list(range(3, 67))
    assert count_up_to(none_counted(), lanes, 5).tolist() == [1, 1, 1] + [0] * 61
    assert or_all(lanes, 255).tolist() == [255] * 64
    store_bytes(array, 0, or_all(lanes, 128))
    assert array[:2].tolist() == [131, 132]


# ---- Steps on eight numbers at once: compiled they say what plain Python says

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

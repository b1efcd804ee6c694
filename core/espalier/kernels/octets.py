"""Steps on bytes: the eight of a word of 64 bits beside eight real numbers, and 64 at once.

Without the compiler 64 bytes are a NumPy array, as vectors of `espalier.kernels.simd` are.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, models, overload, register_model

from espalier.kernels.simd import BYTES, REALS, Reals


def bytes_of(word: int) -> np.ndarray:
    """Return the eight bytes of a word."""
    return np.array([word], np.int64).view(np.uint8)


def add_at_most(sums: Reals, number: float, word: int, limits: int) -> Reals:
    """Return the sums, with the number added where the word's byte is at most that of the limits."""
    return np.where(bytes_of(word) <= bytes_of(limits), sums + number, sums)


def count_at_most(counts: int, word: int, limits: int) -> int:
    """Return a word of counts, with 1 added to the bytes where the word's byte is at most that of the limits."""
    return int((bytes_of(counts) + (bytes_of(word) <= bytes_of(limits))).astype(np.uint8).view(np.int64)[0])


def weigh_at_most(counts: int, weight: int, word: int, limits: int) -> int:
    """Return a word of counts, with the weight added to the bytes where the word's byte is at most the limits'."""
    more = np.where(bytes_of(word) <= bytes_of(limits), np.uint8(weight & 255), np.uint8(0))
    return int((bytes_of(counts) + more).view(np.int64)[0])


def plus_bytes(reals: Reals, word: int) -> Reals:
    """Return the sums of real numbers and the eight bytes of a word."""
    return reals + bytes_of(word)


def larger(a: Reals, b: Reals) -> Reals:
    """Return the larger number of each place; b where a is not a number."""
    return np.where(a > b, a, b)


def where_larger(x: Reals, y: Reals, a: Reals, b: Reals) -> Reals:
    """Return the number of a in the places where x is larger than y, else that of b."""
    return np.where(x > y, a, b)


def largest(a: Reals) -> float:
    """Return the largest number; none may be nan."""
    return float(a.max())


def first_at_least(a: Reals, limit: float) -> int:
    """Return the place of the first number that is at least the limit; 8 if there is none."""
    places = np.flatnonzero(a >= limit)
    return int(places[0]) if len(places) else REALS


def within(a: Reals, low: float, high: float) -> Reals:
    """Return the numbers from low to high, and nan in place of the others."""
    return np.where((a >= low) & (a <= high), a, np.nan)


def load_bytes(array: np.ndarray, at: int) -> np.ndarray:
    """Return the 64 bytes of a flat uint8 array from place `at` on; no result depends on those past its end."""
    lanes, part = np.zeros(BYTES, np.uint8), array[at : at + BYTES]
    lanes[: len(part)] = part
    return lanes


def store_bytes(array: np.ndarray, at: int, lanes: np.ndarray) -> None:
    """Write 64 bytes into a flat uint8 array from place `at` on."""
    array[at : at + BYTES] = lanes


def none_counted() -> np.ndarray:
    """Return 64 bytes of 0."""
    return np.zeros(BYTES, np.uint8)


def or_all(lanes: np.ndarray, byte: int) -> np.ndarray:
    """Return 64 bytes, with the bits of one byte set in each."""
    return lanes | np.uint8(byte)


def count_up_to(counts: np.ndarray, lanes: np.ndarray, level: int) -> np.ndarray:
    """Return the counts, with 1 added where the byte is at most the level."""
    return counts + (lanes <= np.uint8(level))


_BYTES = ir.VectorType(ir.IntType(8), 8)


def _repeat_places(builder, number, kind):
    nothing = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(nothing, number, ir.IntType(32)(0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), kind.count), None))


def _at_most(builder, word, limits):
    """Return where bytes are at most the limits: below the next byte, since the compiler turns `<=` around.

    What is added there, in `_where`, then takes one instruction.
    """
    a, b = (builder.bitcast(value, _BYTES) for value in (word, limits))
    return builder.icmp_unsigned("<", a, builder.add(b, ir.Constant(_BYTES, [1] * 8)))


@intrinsic
def _add_at_most(context, sums, number, word, limits):
    def build(context, builder, sig, args):
        into, more = args[0], _repeat_places(builder, args[1], args[0].type)
        return builder.select(_at_most(builder, *args[2:]), builder.fadd(into, more), into)

    return sums(sums, types.float64, types.int64, types.int64), build


@intrinsic
def _count_at_most(context, counts, word, limits):
    def build(context, builder, sig, args):
        into = builder.bitcast(args[0], _BYTES)
        more = builder.zext(_at_most(builder, *args[1:]), _BYTES)
        return builder.bitcast(builder.add(into, more), ir.IntType(64))

    return types.int64(types.int64, types.int64, types.int64), build


@intrinsic
def _weigh_at_most(context, counts, weight, word, limits):
    def build(context, builder, sig, args):
        into, byte = builder.bitcast(args[0], _BYTES), builder.trunc(args[1], ir.IntType(8))
        more = builder.add(into, _repeat_places(builder, byte, _BYTES))
        return builder.bitcast(builder.select(_at_most(builder, *args[2:]), more, into), ir.IntType(64))

    return types.int64(types.int64, types.int64, types.int64, types.int64), build


@intrinsic
def _plus_bytes(context, reals, word):
    def build(context, builder, sig, args):
        return builder.fadd(args[0], builder.uitofp(builder.bitcast(args[1], _BYTES), args[0].type))

    return reals(reals, types.int64), build


@intrinsic
def _larger(context, a, b):
    def build(context, builder, sig, args):
        return builder.select(builder.fcmp_ordered(">", *args), *args)

    return a(a, b), build


@intrinsic
def _where_larger(context, x, y, a, b):
    def build(context, builder, sig, args):
        return builder.select(builder.fcmp_ordered(">", *args[:2]), *args[2:])

    return a(x, y, a, b), build


@intrinsic
def _largest(context, a):
    def build(context, builder, sig, args):
        most, n = args[0], REALS
        while n > 1:
            n //= 2
            halves = ([ir.IntType(32)(i + first) for i in range(n)] for first in (0, n))
            kind = ir.VectorType(ir.IntType(32), n)
            one, other = (builder.shuffle_vector(most, most, ir.Constant(kind, half)) for half in halves)
            most = builder.select(builder.fcmp_ordered(">", one, other), one, other)
        return builder.extract_element(most, ir.IntType(32)(0))

    return types.float64(a), build


@intrinsic
def _first_at_least(context, a, limit):
    def build(context, builder, sig, args):
        is_in = builder.fcmp_ordered(">=", args[0], _repeat_places(builder, args[1], args[0].type))
        bits = builder.zext(builder.bitcast(is_in, ir.IntType(REALS)), ir.IntType(64))
        return builder.cttz(builder.or_(bits, bits.type(1 << REALS)), ir.IntType(1)(1))

    return types.int64(a, types.float64), build


@intrinsic
def _within(context, a, low, high):
    def build(context, builder, sig, args):
        kind = args[0].type
        low, high = (_repeat_places(builder, value, kind) for value in args[1:])
        above, below = builder.fcmp_ordered(">=", args[0], low), builder.fcmp_ordered("<=", args[0], high)
        nan = _repeat_places(builder, ir.Constant(ir.DoubleType(), float("nan")), kind)
        return builder.select(builder.and_(above, below), args[0], nan)

    return a(a, types.float64, types.float64), build


@overload(add_at_most, inline="always")
def _overload_add_at_most(sums, number, word, limits):
    return lambda sums, number, word, limits: _add_at_most(sums, number, word, limits)


@overload(count_at_most, inline="always")
def _overload_count_at_most(counts, word, limits):
    return lambda counts, word, limits: _count_at_most(counts, word, limits)


@overload(weigh_at_most, inline="always")
def _overload_weigh_at_most(counts, weight, word, limits):
    return lambda counts, weight, word, limits: _weigh_at_most(counts, weight, word, limits)


@overload(plus_bytes, inline="always")
def _overload_plus_bytes(reals, word):
    return lambda reals, word: _plus_bytes(reals, word)


@overload(larger, inline="always")
def _overload_larger(a, b):
    return lambda a, b: _larger(a, b)


@overload(where_larger, inline="always")
def _overload_where_larger(x, y, a, b):
    return lambda x, y, a, b: _where_larger(x, y, a, b)


@overload(largest, inline="always")
def _overload_largest(a):
    return lambda a: _largest(a)


@overload(first_at_least, inline="always")
def _overload_first_at_least(a, limit):
    return lambda a, limit: _first_at_least(a, limit)


@overload(within, inline="always")
def _overload_within(a, low, high):
    return lambda a, low, high: _within(a, low, high)


class _BytesType(types.Type):
    def __init__(self):
        super().__init__(name="Bytes")


_bytes = _BytesType()
_VECTOR = ir.VectorType(ir.IntType(8), BYTES)


@register_model(_BytesType)
class _BytesModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _VECTOR)


def _place(context, builder, array_type, array, at):
    pointer = builder.gep(context.make_array(array_type)(context, builder, array).data, [at])
    return builder.bitcast(pointer, _VECTOR.as_pointer())


def _repeat_byte(builder, number):
    nothing = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(nothing, builder.trunc(number, ir.IntType(8)), ir.IntType(32)(0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), BYTES), None))


@intrinsic
def _load_bytes(context, array, at):
    def build(context, builder, sig, args):
        return builder.load(_place(context, builder, sig.args[0], *args), align=1, typ=_VECTOR)

    return _bytes(array, types.int64), build


@intrinsic
def _store_bytes(context, array, at, lanes):
    def build(context, builder, sig, args):
        builder.store(args[2], _place(context, builder, sig.args[0], *args[:2]), align=1)
        return context.get_dummy_value()

    return types.none(array, types.int64, lanes), build


@intrinsic
def _none_counted(context):
    return _bytes(), lambda context, builder, sig, args: ir.Constant(_VECTOR, None)


@intrinsic
def _or_all(context, lanes, byte):
    def build(context, builder, sig, args):
        return builder.or_(args[0], _repeat_byte(builder, args[1]))

    return lanes(lanes, types.int64), build


@intrinsic
def _count_up_to(context, counts, lanes, level):
    def build(context, builder, sig, args):
        is_in = builder.icmp_unsigned("<=", args[1], _repeat_byte(builder, args[2]))
        return builder.add(args[0], builder.zext(is_in, _VECTOR))

    return counts(counts, lanes, types.int64), build


@overload(load_bytes, inline="always")
def _overload_load_bytes(array, at):
    return lambda array, at: _load_bytes(array, at)


@overload(store_bytes, inline="always")
def _overload_store_bytes(array, at, lanes):
    return lambda array, at, lanes: _store_bytes(array, at, lanes)


@overload(none_counted, inline="always")
def _overload_none_counted():
    return lambda: _none_counted()


@overload(or_all, inline="always")
def _overload_or_all(lanes, byte):
    return lambda lanes, byte: _or_all(lanes, byte)


@overload(count_up_to, inline="always")
def _overload_count_up_to(counts, lanes, level):
    return lambda counts, lanes, level: _count_up_to(counts, lanes, level)

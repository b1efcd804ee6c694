"""Steps on the eight bytes of a whole number of 64 bits, beside eight real numbers (`espalier.kernels.simd`)."""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

from espalier.kernels.simd import Reals, _reals


def bytes_of(word: int) -> np.ndarray:
    """Return the eight bytes of a word."""
    return np.array([word], np.int64).view(np.uint8)


def add_at_most(sums: Reals, number: float, word: int, limits: int) -> Reals:
    """Return the sums, with the number added where the word's byte is at most that of the limits."""
    return np.where(bytes_of(word) <= bytes_of(limits), sums + number, sums)


def count_at_most(counts: int, word: int, limits: int) -> int:
    """Return a word of counts, with 1 added to the bytes where the word's byte is at most that of the limits."""
    return int((bytes_of(counts) + (bytes_of(word) <= bytes_of(limits))).astype(np.uint8).view(np.int64)[0])


def reals_of(word: int) -> Reals:
    """Return the eight bytes of a word as real numbers."""
    return bytes_of(word).astype(np.float64)


def larger(a: Reals, b: Reals) -> Reals:
    """Return the larger number of each place; b where a is not a number."""
    return np.where(a > b, a, b)


def within(a: Reals, low: float, high: float) -> Reals:
    """Return the numbers from low to high, and nan in place of the others."""
    return np.where((a >= low) & (a <= high), a, np.nan)


_BYTES = ir.VectorType(ir.IntType(8), 8)


def _in_every_place(builder, number, kind):
    nothing = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(nothing, number, ir.IntType(32)(0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), kind.count), None))


@intrinsic
def _add_at_most(context, sums, number, word, limits):
    def build(context, builder, sig, args):
        into, more = args[0], _in_every_place(builder, args[1], args[0].type)
        a, b = (builder.bitcast(value, _BYTES) for value in args[2:])
        nothing = ir.Constant(into.type, None)
        return builder.fadd(into, builder.select(builder.icmp_unsigned("<=", a, b), more, nothing))

    return sums(sums, types.float64, types.int64, types.int64), build


@intrinsic
def _count_at_most(context, counts, word, limits):
    def build(context, builder, sig, args):
        into, a, b = (builder.bitcast(value, _BYTES) for value in args)
        more = builder.zext(builder.icmp_unsigned("<=", a, b), _BYTES)
        return builder.bitcast(builder.add(into, more), ir.IntType(64))

    return types.int64(types.int64, types.int64, types.int64), build


@intrinsic
def _reals_of(context, word):
    def build(context, builder, sig, args):
        return builder.uitofp(builder.bitcast(args[0], _BYTES), ir.VectorType(ir.DoubleType(), 8))

    return _reals(types.int64), build


@intrinsic
def _larger(context, a, b):
    def build(context, builder, sig, args):
        return builder.select(builder.fcmp_ordered(">", *args), *args)

    return a(a, b), build


@intrinsic
def _within(context, a, low, high):
    def build(context, builder, sig, args):
        kind = args[0].type
        low, high = (_in_every_place(builder, value, kind) for value in args[1:])
        above, below = builder.fcmp_ordered(">=", args[0], low), builder.fcmp_ordered("<=", args[0], high)
        nan = _in_every_place(builder, ir.Constant(ir.DoubleType(), float("nan")), kind)
        return builder.select(builder.and_(above, below), args[0], nan)

    return a(a, types.float64, types.float64), build


@overload(add_at_most, inline="always")
def _of_add_at_most(sums, number, word, limits):
    return lambda sums, number, word, limits: _add_at_most(sums, number, word, limits)


@overload(count_at_most, inline="always")
def _of_count_at_most(counts, word, limits):
    return lambda counts, word, limits: _count_at_most(counts, word, limits)


@overload(reals_of, inline="always")
def _of_reals_of(word):
    return lambda word: _reals_of(word)


@overload(larger, inline="always")
def _of_larger(a, b):
    return lambda a, b: _larger(a, b)


@overload(within, inline="always")
def _of_within(a, low, high):
    return lambda a, low, high: _within(a, low, high)

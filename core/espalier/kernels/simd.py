"""SIMD vectors: 16 int32 or 32 int16 (`Lanes`), or 8 float64 (`Reals`), that are processed at once.

Loops over short rows gain little from the compiler's own vectorisation, which must first prove that no two arrays
overlap. Here the vectors are explicit. Without the compiler, `Lanes` are NumPy arrays of 16 int32 or 32 int16, and
`Reals` of 8 float64; compiled, each function is an instruction or two on every processor that LLVM supports.

Lanes loaded from an int16 array are 32 int16; sums that leave the range of 16 bits wrap.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TypeAlias, TypeVar

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model

LANES = 16  # of 32 bits
SHORTS = 32  # lanes of 16 bits
REALS = 8
BYTES = 64  # of a vector
Lanes: TypeAlias = np.ndarray
Reals: TypeAlias = np.ndarray
Record = TypeVar("Record")  # an array, or a record of arrays, numbers and records


def load(array: np.ndarray, at: int) -> Lanes:
    """Return the 16 numbers of the flat int32 array, or the 32 of an int16 array, from place `at` on."""
    return array[at : at + BYTES // array.itemsize].copy()


def store(array: np.ndarray, at: int, lanes: Lanes) -> None:
    """Write the lanes into the flat array of their kind from place `at` on."""
    array[at : at + len(lanes)] = lanes


def same(array: np.ndarray, at: int) -> Lanes:
    """Return the number at place `at` of the flat int32 or int16 array in every lane."""
    return np.full(BYTES // array.itemsize, array[at])


def fill(lanes: Lanes, number: int) -> Lanes:
    """Return the number in as many lanes as these."""
    return np.full_like(lanes, number)


def spread(number: int) -> Lanes:
    """Return the number's lowest 32 bits in every lane."""
    return np.full(LANES, int(number) & 0xFFFFFFFF, np.uint32).view(np.int32)


def greater(a: Lanes, b: Lanes) -> Lanes:
    """Return the greater number of each lane."""
    return np.maximum(a, b)


def smaller(a: Lanes, b: Lanes) -> Lanes:
    """Return the smaller number of each lane."""
    return np.minimum(a, b)


def above(a: Lanes, b: Lanes) -> Lanes:
    """Return 1 in the lanes where a is greater than b, else 0."""
    return (a > b).astype(a.dtype)


def ones(a: Lanes) -> Lanes:
    """Return how many bits of each lane are set."""
    return np.bitwise_count(a.view(np.uint32)).astype(np.int32)


def down(a: Lanes, places: int) -> Lanes:
    """Return each lane's bits shifted down (to the right) by so many places, filled with zeros."""
    return (a.view(np.uint32) >> np.uint32(places)).view(np.int32)


def up(a: Lanes, places: int) -> Lanes:
    """Return each lane's bits shifted up (to the left) by so many places, filled with zeros."""
    return (a.view(np.uint32) << np.uint32(places)).view(np.int32)


def lowest(word: int) -> int:
    """Return the place of the lowest set bit of a number other than 0."""
    return (int(word) & -int(word)).bit_length() - 1


def count_ones(word: int) -> int:
    """Return how many bits of a number of at least 0 are set."""
    return int(word).bit_count()


def want(array: np.ndarray, at: int) -> None:
    """Prefetch this place of a flat array into the processor's cache; results do not depend on it."""


def borrow(record: Record) -> Record:
    """Return a view of an array, or of a record with all its arrays, that skips reference counting.

    The caller must keep the arrays alive. Passing a record of many arrays otherwise costs one increment and one
    decrement per array.
    """
    return record


def load_reals(array: np.ndarray, at: int) -> Reals:
    """Return the 8 numbers of the flat float64 array from place `at` on."""
    return array[at : at + REALS].copy()


def store_reals(array: np.ndarray, at: int, reals: Reals) -> None:
    """Write the reals into the flat float64 array from place `at` on."""
    array[at : at + REALS] = reals


def alike(number: float) -> Reals:
    """Return the number in every place."""
    return np.full(REALS, float(number))


def at_least(a: Reals, least: float) -> Reals:
    """Return each number, or `least` where that is greater."""
    return np.where(a > least, a, least)


def only_above(a: Reals, limit: float) -> Reals:
    """Return each number that is greater than the limit, and 0 in place of the others."""
    return np.where(a > limit, a, 0.0)


def is_any_above(a: Reals, limit: float) -> bool:
    """Return whether any number is greater than the limit."""
    return bool((a > limit).any())


def total(a: Reals) -> float:
    """Return the sum, added by halves: places 0 and 4, 1 and 5, and so on."""
    four = a[:4] + a[4:]
    two = four[:2] + four[2:]
    return float(two[0] + two[1])


class _LanesType(types.Type):
    def __init__(self, bits: int):
        super().__init__(name=f"Lanes{bits}")
        self.vector = ir.VectorType(ir.IntType(bits), 8 * BYTES // bits)


class _RealsType(types.Type):
    def __init__(self):
        super().__init__(name="Reals")


_INT, _DOUBLE = ir.IntType(32), ir.DoubleType()
_VECTOR, _REAL_VECTOR = ir.VectorType(_INT, LANES), ir.VectorType(_DOUBLE, REALS)
_lanes, _shorts, _reals = _LanesType(32), _LanesType(16), _RealsType()


@register_model(_LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, kind.vector)


@register_model(_RealsType)
class _RealsModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _REAL_VECTOR)


def _register(function: Callable, returns, takes: tuple, build: Callable) -> None:
    """Register ``build(context, builder, types, values)`` as the code of a function that takes these types.

    `types.Array` stands for any array; numbers of other types are converted.
    """

    @infer_global(function)  # pyright: ignore[reportOptionalCall]
    class _Template(AbstractTemplate):
        def generic(self, args, kws):
            pairs = list(zip(args, takes, strict=True))
            if any(got is not want and {got, want} & {_lanes, _shorts, _reals} for got, want in pairs):
                return None  # an operator of other numbers
            return signature(returns or args[0], *(got if want is types.Array else want for got, want in pairs))

    lower_builtin(function, *takes)(build)  # pyright: ignore[reportOptionalCall]


def _register_widths(function: Callable, returns, takes: tuple, build: Callable) -> None:
    """Register code as `_register` does, for lanes of 32 bits and of 16: `_lanes` stands for either."""

    def of(kind, width):
        return width if kind is _lanes else kind

    @infer_global(function)  # pyright: ignore[reportOptionalCall]
    class _WidthTemplate(AbstractTemplate):
        def generic(self, args, kws):
            width = _width(args[0])
            pairs = list(zip(args, takes, strict=True))
            if width is None or any(want is _lanes and got is not width for got, want in pairs):
                return None
            kinds = (got if want is types.Array else of(want, width) for got, want in pairs)
            return signature(of(returns, width), *kinds)

    for width in (_lanes, _shorts):
        lower_builtin(function, *(of(kind, width) for kind in takes))(build)  # pyright: ignore[reportOptionalCall]


def _width(kind) -> _LanesType | None:
    """Return the kind of lanes that a value is, or that an array holds; None for other values."""
    if isinstance(kind, types.Array):
        return {types.int32: _lanes, types.int16: _shorts}.get(kind.dtype)
    return kind if isinstance(kind, _LanesType) else None


def _at(context, builder, array_type, array, at):
    """Return a pointer to the place `at` of a flat array."""
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [at])


def _load(context, builder, sig, args):
    vector = context.get_value_type(sig.return_type)
    place = builder.bitcast(_at(context, builder, sig.args[0], *args), vector.as_pointer())
    return builder.load(place, align=BYTES // vector.count, typ=vector)


def _store(context, builder, sig, args):
    vector = args[2].type
    place = builder.bitcast(_at(context, builder, sig.args[0], *args[:2]), vector.as_pointer())
    builder.store(args[2], place, align=BYTES // vector.count)
    return context.get_dummy_value()


def _repeat(builder, number, vector=_VECTOR):
    nothing = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(nothing, number, _INT(0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(_INT, vector.count), None))


def _same(context, builder, sig, args):
    return _repeat(builder, builder.load(_at(context, builder, sig.args[0], *args)), sig.return_type.vector)


def _fill(context, builder, sig, args):
    vector = sig.return_type.vector
    return _repeat(builder, builder.trunc(args[1], vector.element), vector)


def _ones(context, builder, sig, args):
    kind = ir.FunctionType(_VECTOR, [_VECTOR])
    count = cgutils.get_or_insert_function(builder.module, kind, f"llvm.ctpop.v{LANES}i32")
    return builder.call(count, args)


def _operation(name: str) -> Callable:
    """Return the code of a function of two `Lanes` that is one instruction."""
    return lambda context, builder, sig, args: getattr(builder, name)(*args)


def _shift(name: str) -> Callable:
    return lambda context, builder, sig, args: getattr(builder, name)(args[0], _repeat(builder, args[1]))


def _either(sign: str) -> Callable:
    """Return the code of: the first number where ``first <sign> second``, else the second."""
    return lambda context, builder, sig, args: builder.select(builder.icmp_signed(sign, *args), *args)


def _above(context, builder, sig, args):
    return builder.zext(builder.icmp_signed(">", *args), args[0].type)


def _spread(context, builder, sig, args):
    return _repeat(builder, builder.trunc(args[0], _INT))


def _alike(context, builder, sig, args):
    return _repeat(builder, args[0], _REAL_VECTOR)


def _or_else(least_itself: bool) -> Callable:
    """Return the code of: the number where it is greater than the limit, else the limit or 0."""

    def build(context, builder, sig, args):
        limit = _repeat(builder, args[1], _REAL_VECTOR)
        other = limit if least_itself else ir.Constant(_REAL_VECTOR, None)
        return builder.select(builder.fcmp_ordered(">", args[0], limit), args[0], other)

    return build


def _is_any_above(context, builder, sig, args):
    is_above = builder.fcmp_ordered(">", args[0], _repeat(builder, args[1], _REAL_VECTOR))
    bits = ir.IntType(REALS)
    return builder.icmp_unsigned("!=", builder.bitcast(is_above, bits), bits(0))


def _total(context, builder, sig, args):
    sums, n = args[0], REALS
    while n > 1:
        n //= 2
        halves = ([_INT(i + first) for i in range(n)] for first in (0, n))
        a, b = (builder.shuffle_vector(sums, sums, ir.Constant(ir.VectorType(_INT, n), half)) for half in halves)
        sums = builder.fadd(a, b)
    return builder.extract_element(sums, _INT(0))


def _lowest(context, builder, sig, args):
    return builder.cttz(args[0], ir.IntType(1)(1))


def _count_ones(context, builder, sig, args):
    return builder.ctpop(args[0])


def _borrow(context, builder, sig, args):
    return _without_owner(context, builder, sig.args[0], args[0])


def _without_owner(context, builder, kind, value):
    """Return an array, or a record with all its arrays, without its owner; other values as they are."""
    if isinstance(kind, types.BaseTuple):
        fields = zip(kind.types, cgutils.unpack_tuple(builder, value), strict=True)
        return context.make_tuple(builder, kind, [_without_owner(context, builder, *field) for field in fields])
    if not isinstance(kind, types.Array):
        return value
    array = context.make_array(kind)(context, builder, value)
    array.meminfo = cgutils.get_null_value(array.meminfo.type)
    array.parent = cgutils.get_null_value(array.parent.type)
    return array._getvalue()


def _want(context, builder, sig, args):
    place = _at(context, builder, sig.args[0], *args)
    byte = ir.IntType(8).as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [byte, _INT, _INT, _INT])
    prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    to_read, keep, data = _INT(0), _INT(3), _INT(1)
    builder.call(prefetch, [builder.bitcast(place, byte), to_read, keep, data])
    return context.get_dummy_value()


_pair, _shift_types = (_lanes, _lanes), (_lanes, types.int32)
_register_widths(load, _lanes, (types.Array, types.intp), _load)
_register_widths(store, types.none, (types.Array, types.intp, _lanes), _store)
_register_widths(same, _lanes, (types.Array, types.intp), _same)
_register_widths(fill, _lanes, (_lanes, types.int64), _fill)
_register(spread, _lanes, (types.int64,), _spread)
_register_widths(greater, _lanes, _pair, _either(">"))
_register_widths(smaller, _lanes, _pair, _either("<"))
_register_widths(above, _lanes, _pair, _above)
_register(ones, _lanes, (_lanes,), _ones)
_register(down, _lanes, _shift_types, _shift("lshr"))
_register(up, _lanes, _shift_types, _shift("shl"))
_register(count_ones, types.int64, (types.int64,), _count_ones)
_register(borrow, None, (types.Array,), _borrow)
lower_builtin(borrow, types.BaseTuple)(_borrow)  # pyright: ignore[reportOptionalCall]
_register(want, types.none, (types.Array, types.intp), _want)
_register(lowest, types.int64, (types.int64,), _lowest)
_limit = (_reals, types.float64)
_register(load_reals, _reals, (types.Array, types.intp), _load)
_register(store_reals, types.none, (types.Array, types.intp, _reals), _store)
_register(alike, _reals, (types.float64,), _alike)
_register(at_least, _reals, _limit, _or_else(True))
_register(only_above, _reals, _limit, _or_else(False))
_register(is_any_above, types.boolean, _limit, _is_any_above)
_register(total, types.float64, (_reals,), _total)
_OPERATORS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "and_": operator.and_}
_OPERATORS |= {"or_": operator.or_, "xor": operator.xor}
for _name, _function in _OPERATORS.items():
    _register_widths(_function, _lanes, _pair, _operation(_name))
_REAL_OPERATORS = {"fadd": operator.add, "fsub": operator.sub, "fmul": operator.mul, "fdiv": operator.truediv}
for _name, _function in _REAL_OPERATORS.items():
    _register(_function, _reals, (_reals, _reals), _operation(_name))

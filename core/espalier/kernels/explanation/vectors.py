"""Steps on eight real numbers at once (`kernels.vectors.simd`) that explanations need, each one instruction."""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic, overload

from espalier.kernels.vectors.simd import Reals


def multiplied_and_added(a: Reals, b: Reals, c: Reals) -> Reals:
    """Return a * b + c; compiled it is rounded once where the processor can."""
    return a * b + c


def at_most(a: Reals, limit: Reals) -> Reals:
    """Return 1 where a <= limit, else 0; where a is missing, 0."""
    return (a <= limit).astype(np.float64)


@intrinsic
def _fmuladd(context, a, b, c):
    def build(context, builder, sig, args):
        kind = args[0].type
        name = f"llvm.fmuladd.v{kind.count}f64"
        add = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind] * 3), name)
        return builder.call(add, args)

    return a(a, b, c), build


@intrinsic
def _ordered_at_most(context, a, limit):
    def build(context, builder, sig, args):
        return builder.uitofp(builder.fcmp_ordered("<=", *args), args[0].type)

    return a(a, limit), build


@overload(multiplied_and_added, inline="always")
def _multiplied_and_added(a, b, c):
    return lambda a, b, c: _fmuladd(a, b, c)


@overload(at_most, inline="always")
def _at_most(a, limit):
    return lambda a, limit: _ordered_at_most(a, limit)

"""Numba kernels: plain functions of arrays and records, with one decorator, and caches that see every edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numba

from espalier.kernels import parts

Function = TypeVar("Function", bound=Callable)

parts.keep_stores()


def kernel(function: Function) -> Function:
    """Compile a function with Numba, to run without the GIL; the machine code is cached on disk.

    Never with ``parallel=True``: two sessions inside a parallel kernel can abort the server. Parallel work is
    a pool of threads, each in a kernel of its own.
    """
    return parts.compile_whole(function)  # type: ignore[return-value]


def uncounted(function: Function) -> Function:
    """Compile a part of kernels that neither makes nor returns arrays, nor calls a kernel that does.

    So no reference to one is counted, which takes longer than the search in a small node, and much of the time of
    compiling. The machine code becomes a part of the caller's: otherwise arrays of records are passed one by one.
    """
    return parts.compile_part(function)  # type: ignore[return-value]


def by_record(forms: dict[type, Function]) -> Function:
    """Return a kernel that is, for a first argument of each of these records, the one that is given for it."""
    return parts.choose_by_record(forms)  # type: ignore[return-value]


def inlined(function: Function) -> Function:
    """Compile a function that is inlined into its callers, so that no large records are passed to it."""
    return numba.njit(nogil=True, inline="always", error_model="numpy")(function)  # type: ignore[return-value]

"""Kernels as plain Python: for a few rows, while another process compiles what this one will load.

The app's server does not compile: a thread that compiles stalls all others, and the first tree of a new machine
would wait for it. What is plain gives what is compiled gives, since it is the same source.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from numba.core.registry import CPUDispatcher

FEW = 2_000  # rows; plain Python takes some microseconds for each step of one
_compiles_elsewhere = [False]


def expect_compiler() -> None:
    """Say that another process compiles the kernels, so that this one need not for a few rows."""
    _compiles_elsewhere[0] = True


def choose_form(kernel: Any, n_rows: int) -> Callable:
    """Return a kernel, or the same as plain Python where it would have to be compiled for a few rows."""
    if not _compiles_elsewhere[0] or n_rows > FEW or not isinstance(kernel, CPUDispatcher) or kernel.is_compiled:
        return kernel
    return plain(kernel)


@functools.cache
def plain(kernel: Any) -> Callable:
    """Return a kernel, which must not call itself, as plain Python, with all that it calls.

    >>> from espalier.kernels.route import passes
    >>> plain(passes)(1.5, 2.0, 0, False)
    True
    """
    function = kernel.py_func
    uses = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    own = {name: plain(value) for name, value in uses.items() if isinstance(value, CPUDispatcher)}
    return FunctionType(function.__code__, function.__globals__ | own, function.__name__, function.__defaults__)

"""Kernels whose machine code finds no room on the disk stay in memory, so that what asked for them goes on."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from typing import Any

from numba.core.caching import FunctionCache
from numba.core.dispatcher import Dispatcher

_log = logging.getLogger("espalier")


class ForgivingCache(FunctionCache):
    """A cache on disk that leaves out what cannot be written; Numba's own would fail the call of the kernel."""

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save the machine code of a signature, if the disk takes it."""
        try:
            super().save_overload(sig, data)
        except OSError as wrong:
            _log.warning("a kernel was compiled and could not be saved: %s", wrong)


def forgive(*kernels: Any) -> None:
    """Let these kernels, or all that are imported, do without the disk where it fails."""
    for kernel in kernels or _all():
        kernel._cache.__class__ = ForgivingCache  # a new cache would be in the folder of another module


def _all() -> Iterator[Any]:
    modules = [module for name, module in sys.modules.items() if name.startswith("espalier.kernels.")]
    own = (thing for module in modules for thing in vars(module).values() if isinstance(thing, Dispatcher))
    return (kernel for kernel in own if type(kernel._cache) is FunctionCache)

"""Numba kernels: plain functions of arrays and records, with one decorator and one cache folder for all."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numba

Function = TypeVar("Function", bound=Callable)

_HERE = Path(__file__).resolve().parent


def _sources_digest() -> str:
    """Digest of all kernel sources: Numba's own cache does not notice an edit in another file."""
    digest = hashlib.blake2b(digest_size=8)
    for path in [*sorted(_HERE.rglob("*.py")), _HERE.parent / "trees.py"]:
        digest.update(path.read_bytes())
    return f"{numba.__version__}-{digest.hexdigest()}"


def _cache_folder() -> Path:
    root = os.environ.get("NUMBA_CACHE_DIR")
    if root:
        return Path(root) / _sources_digest()
    project = _HERE.parent.parent.parent
    home = project if os.access(project, os.W_OK) else Path.home() / ".cache" / "espalier"
    return home / ".numba_cache" / _sources_digest()


CACHE_FOLDER = _cache_folder()
numba.config.CACHE_DIR = str(CACHE_FOLDER)  # type: ignore[attr-defined]


def kernel(function: Function) -> Function:
    """Compile with Numba, without the GIL and with the result kept on disk.

    Never parallel: two sessions inside a parallel kernel can abort the server. Parallel work is a pool of
    threads, each in a kernel of its own.
    """
    return numba.njit(nogil=True, cache=True, error_model="numpy")(function)  # type: ignore[return-value]


def inlined(function: Function) -> Function:
    """A kernel that is written into its caller: for glue that would otherwise hand large records around."""
    return numba.njit(nogil=True, inline="always", error_model="numpy")(function)  # type: ignore[return-value]

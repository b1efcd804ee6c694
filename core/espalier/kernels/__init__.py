"""Numba kernels: plain functions of arrays and records, with one decorator, and caches that see every edit."""

from __future__ import annotations

import ast
import functools
import hashlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import numba

from espalier.kernels import parts, stores
from espalier.paths import KERNEL_CACHE, SOURCES

Function = TypeVar("Function", bound=Callable)

_ONE_AT_A_TIME = threading.Lock()  # Numba has one folder for all, and threads may import kernels at once
_HERE = Path(__file__).resolve().parent
_HOW_TO_COMPILE = {Path(file).resolve() for file in (__file__, parts.__file__, stores.__file__)}

stores.keep_stores()


def kernel(function: Function) -> Function:
    """Compile a function with Numba, to run without the GIL; the machine code is cached on disk.

    Never with ``parallel=True``: two sessions inside a parallel kernel can abort the server. Parallel work is
    a pool of threads, each in a kernel of its own.
    """
    # Numba's own cache misses edits in imported files, so each version of the sources has a folder of its own.
    folder = str(cache_folder(function.__module__))
    with _ONE_AT_A_TIME:
        numba.config.CACHE_DIR = folder  # type: ignore[attr-defined]
        return parts.whole(function)  # type: ignore[return-value]


def uncounted(function: Function) -> Function:
    """Compile a part of kernels that neither makes nor returns arrays, nor calls a kernel that does.

    So no reference to one is counted, which takes longer than the search in a small node, and much of the time of
    compiling. The machine code becomes a part of the caller's: otherwise arrays of records are passed one by one.
    """
    return parts.part(function)  # type: ignore[return-value]


def inlined(function: Function) -> Function:
    """Compile a function that is inlined into its callers, so that no large records are passed to it."""
    return numba.njit(nogil=True, inline="always", error_model="numpy")(function)  # type: ignore[return-value]


def cache_folder(module: str) -> Path:
    """Return the folder of a module's kernels on disk; an edit of it, or of a file that it imports, changes it."""
    return _folder(_path(module))


def cache_folders() -> set[Path]:
    """Return every cache folder of the present sources."""
    return {_folder(path) for path in _HERE.rglob("*.py")}


@functools.cache
def _folder(path: Path) -> Path:
    sources = {path} | _HOW_TO_COMPILE
    pending = [path]
    while pending:
        new = set(_imported(pending.pop())) - sources
        sources |= new
        pending += new
    digest = hashlib.blake2b(digest_size=8)
    for source in sorted(sources):
        digest.update(source.read_bytes())
    return KERNEL_CACHE / f"{numba.__version__}-{digest.hexdigest()}"


@functools.cache
def _imported(path: Path) -> tuple[Path, ...]:
    """Return the project's own files that a kernel's file imports."""
    return tuple(candidate for name in _names(path) if (candidate := _path(name)).is_file())


def _names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("espalier"):
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _path(module: str) -> Path:
    path = SOURCES.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")

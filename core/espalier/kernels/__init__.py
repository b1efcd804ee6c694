"""Numba kernels: plain functions of arrays and records, with one decorator, and caches that see every edit."""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import numba

from espalier.paths import KERNEL_CACHE, SOURCES

Function = TypeVar("Function", bound=Callable)

_HERE = Path(__file__).resolve().parent


def kernel(function: Function) -> Function:
    """Compile with Numba, without the GIL and with the result kept on disk.

    Never parallel: two sessions inside a parallel kernel can abort the server. Parallel work is a pool of
    threads, each in a kernel of its own.
    """
    # Numba's own cache does not notice an edit in another file: the folder is that of this version of the sources.
    numba.config.CACHE_DIR = str(_folder(_path(function.__module__)))  # type: ignore[attr-defined]
    return numba.njit(nogil=True, cache=True, error_model="numpy")(function)  # type: ignore[return-value]


def inlined(function: Function) -> Function:
    """A kernel that is written into its caller: for glue that would otherwise hand large records around."""
    return numba.njit(nogil=True, inline="always", error_model="numpy")(function)  # type: ignore[return-value]


def cache_folder() -> Path:
    """Folder for what is known of all kernels at once, such as which stages have been compiled."""
    return _digested({*_HERE.rglob("*.py"), SOURCES / "espalier" / "trees.py"})


def cache_folders() -> set[Path]:
    """Every folder that belongs to the present sources."""
    return {cache_folder(), *(_folder(path) for path in _HERE.rglob("*.py"))}


@functools.cache
def _folder(path: Path) -> Path:
    """Folder of the compiled kernels of a file: another one after an edit of it, or of a file that it imports."""
    sources = {path, Path(__file__).resolve()}
    pending = [path]
    while pending:
        new = set(_imported(pending.pop())) - sources
        sources |= new
        pending += new
    return _digested(sources)


def _digested(paths: set[Path]) -> Path:
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(paths):
        digest.update(path.read_bytes())
    return KERNEL_CACHE / f"{numba.__version__}-{digest.hexdigest()}"


@functools.cache
def _imported(path: Path) -> tuple[Path, ...]:
    """Files of ours that a kernel's file imports."""
    return tuple(candidate for name in _names(path) if (candidate := _path(name)).is_file())


def _names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("espalier"):
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _path(module: str) -> Path:
    path = SOURCES.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")

"""Compiled kernels on disk, where every checkout, environment and server of a user finds what one has compiled.

Each version of a kernel's sources has a folder of its own, whose name holds all that machine code depends on: the
sources that it is made of, the versions of Python, NumPy, Numba and LLVM, the processor, and Numba's own settings.
So an edit is never missed, and neither the place of the sources nor their age matters. What Numba has no public
words for is in this file and in `parts`.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import logging
import os
import pickle
import re
import shutil
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import llvmlite
import llvmlite.binding
import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from espalier.paths import KERNEL_CACHE, SOURCES

_HERE = Path(__file__).resolve().parent
_HOW_TO_COMPILE = {_HERE / name for name in ("__init__.py", "caches.py", "parts.py")}
_IMPORT = re.compile(r"^[ \t]*from[ \t]+(espalier[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n(]*)", re.MULTILINE)
_COMMENT = re.compile("#[^\n]*")
_NO_MATTER = {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS"}  # settings of Numba that change no machine code
_ANNOTATION = 5  # place of the annotation in what Numba saves, after the machine code
_WARM = "warm"  # name of the file that says that all kernels of a stage are there
FORGET_DAYS = 14
MAX_MEGABYTES = 300
DAY = 24 * 3600.0

_log = logging.getLogger("espalier")


def cache_folder(module: str) -> Path:
    """Return the folder of a module's kernels; an edit of it, or of a file that it imports, changes it."""
    return _folder(_path(module))


def cache_folders() -> set[Path]:
    """Return every cache folder of the present sources."""
    return {_folder(path) for path in _HERE.rglob("*.py")}


@functools.cache
def mark(stage: Callable) -> Path:
    """Return the file that says that all kernels are compiled that a function of `stages` calls.

    It changes with the function, with what this uses of its own module, and with what these import.
    """
    text = _text(stage)
    return _folder_of(_files_named(text), text) / _WARM


def forget_old(stages: Iterable[Callable]) -> None:
    """Delete folders of other sources: those that nobody has used for two weeks, and the oldest beyond 300 MB."""
    size, present = 0.0, cache_folders() | {mark(stage).parent for stage in stages}
    folders = [folder for folder in KERNEL_CACHE.glob("*-" + "[0-9a-f]" * 16) if folder not in present]
    for folder in sorted(folders, key=_last_use, reverse=True):
        size += sum(file.stat().st_size for file in folder.iterdir()) / 1e6
        if size > MAX_MEGABYTES or _last_use(folder) < time.time() - FORGET_DAYS * DAY:
            shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def _tell_of_compiling() -> None:
    _log.warning(
        "The kernels of Espalier are compiled, once on this computer: some seconds for a small tree, a minute for "
        "any other, minutes for forests and optimal trees. The command `espalier compile` does it beforehand."
    )


class KernelCache(FunctionCache):
    """The machine code of one kernel on disk. A disk that fails costs time and nothing else."""

    def __init__(self, py_func: Callable):
        self._impl_class = _ObjectCode
        super().__init__(py_func)
        self._cache_file = _KernelFiles(Path(self._cache_path), self._impl.filename_base)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the kernel for a signature; None where it is not on disk.

        Numba's own method first makes ready all that compiling needs: that takes longer than to grow a small tree.
        """
        rtsys.initialize(target_context)
        overload = self._load_overload(sig, target_context)
        if overload is None:
            _tell_of_compiling()
        return overload

    @property
    def has_any(self) -> bool:
        """Whether the kernel is on disk, for some signature."""
        return self._cache_file.has_any

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save the machine code of a signature, if the disk takes it."""
        try:
            super().save_overload(sig, data)
        except OSError as wrong:
            _log.warning("a kernel was compiled and could not be saved: %s", wrong)


class _Folder(_CacheLocator):
    """Where the machine code of a kernel is, which Numba asks for."""

    def __init__(self, py_func: Callable):
        self._py_file, self._line = py_func.__code__.co_filename, py_func.__code__.co_firstlineno

    def get_cache_path(self) -> Any:
        return str(_folder(Path(self._py_file).resolve()))

    def get_source_stamp(self) -> Any:
        return ""  # the folder's name sees every edit

    def get_disambiguator(self) -> Any:
        return str(self._line)

    def ensure_cache_path(self) -> None:
        Path(self.get_cache_path()).mkdir(parents=True, exist_ok=True)

    @classmethod
    def from_function(cls, py_func: Callable, py_file: str) -> Any:
        return cls(py_func)


class _ObjectCode(CompileResultCacheImpl):
    """Machine code alone: the bitcode beside it is for those who call a kernel, and they get its part."""

    _locator_classes: ClassVar = [_Folder]

    def reduce(self, cres: Any) -> Any:
        (name, kind, (code, _bitcode)), *rest = super().reduce(cres)
        rest[_ANNOTATION] = ""  # of types, for people
        return ((name, kind, (code, _entries(cres.fndesc))), *rest)


class _KernelFiles:
    """One file for each signature of a kernel, by the signature's digest: writers never share one by accident."""

    def __init__(self, folder: Path, stem: str):
        self._folder, self._stem = folder, stem

    def load(self, key: Any) -> Any:
        path = self._path(key)
        try:
            stored_key, data = pickle.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except Exception as wrong:  # whatever a damaged file makes of itself
            _log.warning("a compiled kernel could not be read, and is compiled again: %s", wrong)
            return None
        _note_use(self._folder)
        return data if stored_key == key else None

    def save(self, key: Any, data: Any) -> None:
        path = self._path(key)
        new = path.with_suffix(f".{uuid.uuid4().hex[:16]}")
        try:
            new.write_bytes(dumps((key, data)))
            os.replace(new, path)
        finally:
            new.unlink(missing_ok=True)

    @property
    def has_any(self) -> bool:
        return any(self._folder.glob(f"{self._stem}.*.nbc"))

    def flush(self) -> None:
        for path in self._folder.glob(f"{self._stem}.*.nbc"):
            path.unlink(missing_ok=True)

    def _path(self, key: Any) -> Path:
        return self._folder / f"{self._stem}.{hashlib.blake2b(repr(key).encode(), digest_size=8).hexdigest()}.nbc"


def _entries(function: Any) -> bytes:
    """Return the bitcode of a module with the names of a function's entries: no others are looked up in it."""
    names = function.llvm_func_name, function.llvm_cpython_wrapper_name, function.llvm_cfunc_wrapper_name
    module = "\n".join(f'define void @"{_escape(name)}"() {{ ret void }}' for name in names)
    return llvmlite.binding.parse_assembly(module).as_bitcode()


def _escape(name: str) -> str:
    return re.sub(r'["\\]|[^ -~]', lambda match: "".join(f"\\{byte:02x}" for byte in match[0].encode()), name)


def _last_use(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0


def _note_use(folder: Path) -> None:
    if _last_use(folder) < time.time() - DAY:
        with contextlib.suppress(OSError):
            os.utime(folder)


@functools.cache
def _folder(path: Path) -> Path:
    return _folder_of([path])


def _folder_of(files: Iterable[Path], text: str = "") -> Path:
    """Return the folder of what is made of these files, of all that they import, and of a text."""
    pending = [*files]
    sources = {*pending} | _HOW_TO_COMPILE
    while pending:
        new = set(_files_imported(pending.pop())) - sources
        sources |= new
        pending += new
    digest = hashlib.blake2b((_environment() + text).encode(), digest_size=8)
    for source in sorted(sources):
        digest.update(f"\0{os.path.relpath(source, SOURCES)}\0".encode() + source.read_bytes())
    return KERNEL_CACHE / f"{numba.__version__}-{digest.hexdigest()}"


def _text(function: Callable) -> str:
    """Return the source of a function, and that of what it uses of its own module."""
    uses = [function.__globals__.get(name) for name in function.__code__.co_names]
    functions = [value for value in uses if getattr(value, "__module__", "") == function.__module__]
    constants = [repr(value) for value in uses if isinstance(value, int | np.ndarray)]
    return "\n".join([inspect.getsource(function), *constants, *map(_text, functions)])


def _environment() -> str:
    """Return all beside the sources that machine code depends on."""
    versions = sys.implementation.cache_tag, np.__version__, numba.__version__, llvmlite.__version__
    settings = sorted((k, v) for k, v in os.environ.items() if k.startswith("NUMBA_") and k not in _NO_MATTER)
    return repr((versions, _processor(), settings))


@functools.cache
def _processor() -> tuple:
    return cpu_target.target_context.codegen().magic_tuple()


@functools.cache
def _files_imported(path: Path) -> tuple[Path, ...]:
    return _files_named(path.read_text("utf-8"))


def _files_named(text: str) -> tuple[Path, ...]:
    """Return the project's own files that the source of a kernel imports."""
    return tuple(candidate for name in _names(text) if (candidate := _path(name)).is_file())


def _names(text: str) -> Iterator[str]:
    """Yield what a source imports of the project; to parse every file would take a second and more."""
    for module, names in _IMPORT.findall(text):
        yield module
        imports = _COMMENT.sub("", names).strip("()\n ").split(",")
        yield from (f"{module}.{name.split()[0]}" for name in imports if name.strip())


def _path(module: str) -> Path:
    path = SOURCES.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")

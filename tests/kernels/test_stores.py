"""Every kernel keeps its stores into arrays of records, which Numba by itself drops without a word."""

import ast
import importlib
import os
import pkgutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core import ir, ir_utils
from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher
from numba.extending import overload

from espalier.kernels import caches, inlined, parts

pytestmark = pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")

HERE = Path(parts.__file__).parent
COMPILERS = {"__init__.py", "parts.py"}  # the files that say how functions are compiled
COMPILED_BY = {
    "jit", "njit", "vectorize", "guvectorize", "cfunc", "stencil", "generated_jit", "jit_module", "jitclass",
}  # fmt: skip


class Record(NamedTuple):
    """A record as kernels take them."""

    numbers: np.ndarray
    others: np.ndarray


def itself(x):
    """Return x; inlined by its types, as the functions of `vectors.octets` are: Numba then looks for dead code."""
    return x


@overload(itself, inline="always")
def _itself(x):
    return lambda x: x


@inlined
def anew(record):
    return Record(record.numbers, record.others)


@inlined
def write(record, i):
    record.numbers[i] = 1.0


@inlined
def write_anew(record, i):
    write(anew(record), i)


def into_a_record_made_here(record, i):
    again = Record(record.numbers, record.others)
    again.numbers[itself(i)] = 1.0


def into_a_record_of_an_inlined_function(record, i):
    anew(record).numbers[itself(i)] = 1.0


def by_an_inlined_function(record, i):
    write(anew(record), itself(i))


def by_one_that_calls_others(record, i):
    write_anew(record, itself(i))


def in_a_loop(record, i):
    again = anew(record)
    for j in range(itself(i), i + 1):
        write(again, j)


WRITERS = [
    into_a_record_made_here, into_a_record_of_an_inlined_function, by_an_inlined_function,
    by_one_that_calls_others, in_a_loop,
]  # fmt: skip


def written(function: Callable) -> list[float]:
    """What a function, compiled as kernels are but never kept on the disk, leaves in the array of a record."""
    record = Record(np.zeros(3), np.zeros(3))
    compiled: Any = parts._WholeKernel(function, targetoptions=parts.OPTIONS)
    compiled._on_disk = NullCache()
    compiled(record, 1)
    return record.numbers.tolist()


@pytest.mark.parametrize("function", WRITERS)
def test_a_store_into_an_array_of_a_record_is_kept(function):
    assert written(function) == [0, 1, 0]


@pytest.mark.parametrize("function", WRITERS)
def test_without_the_rule_numba_drops_these_stores(function, monkeypatch):
    """So the tests above would fail; where this one does, Numba has learnt it, and the rule may go."""
    monkeypatch.delitem(ir_utils.alias_analysis_extensions, ir.Assign)
    assert written(function) == [0, 0, 0]


def modules() -> list[Any]:
    """Every module of kernels, imported."""
    names = [m.name for m in pkgutil.walk_packages([str(HERE)], "espalier.kernels.") if ".stages" not in m.name]
    return [importlib.import_module(name) for name in names if not name.endswith(".compile_all")]


def test_every_kernel_is_compiled_with_the_rule():
    """It stands before the first kernel is compiled, no module takes it away, and no other way leads to Numba."""
    found = [one for module in modules() for one in vars(module).values() if isinstance(one, Dispatcher)]
    assert len(found) > 500
    assert ir_utils.alias_analysis_extensions[ir.Assign] is parts._note_caller
    assert (
        Path(parts.__file__) in caches._HOW_TO_COMPILE
    )  # so that an edit of the rule compiles every kernel again


def compiled_past_us(tree: ast.AST) -> list[int]:
    """The lines on which Numba is asked to compile: by a name imported from it, or as `numba.njit`."""
    names = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "numba"
        for alias in node.names
        if alias.name in COMPILED_BY
    }
    return [
        node.lineno
        for node in ast.walk(tree)
        if (isinstance(node, ast.Name) and node.id in names)
        or (isinstance(node, ast.Attribute) and node.attr in COMPILED_BY)
    ]


@pytest.mark.parametrize(
    "source",
    [
        "import numba\n@numba.njit\ndef f(): pass",
        "from numba import njit as n\n@n(nogil=True)\ndef f(): pass",
        "from numba.core import decorators\nf = decorators.jit(g)",
    ],
)
def test_the_checker_sees_what_is_compiled_past_us(source):
    assert compiled_past_us(ast.parse(source))


def test_no_function_of_the_library_is_compiled_in_another_way():
    files = [path for path in HERE.parent.rglob("*.py") if path.name not in COMPILERS or path.parent != HERE]
    assert len(files) > 300
    texts = {path: path.read_text("utf-8") for path in files}
    named = {path: text for path, text in texts.items() if any(word in text for word in COMPILED_BY)}
    assert not {path: lines for path, text in named.items() if (lines := compiled_past_us(ast.parse(text)))}

"""A kernel that others call is part of their code and keeps its stores; one without counts asks only its like."""

import ast
import importlib
import inspect
import os
import pkgutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba.core import ir, ir_utils
from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher
from numba.core.registry import CPUDispatcher
from numba.extending import overload

import espalier.kernels
from espalier.kernels import caches, inlined, parts
from espalier.kernels.parts import PART_OPTIONS, compile_part, compile_whole

pytestmark = pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")


@compile_whole
def times_halved(n):
    """How often a number is halved until nothing is left."""
    return 0 if n == 0 else 1 + times_halved(n // 2)


@compile_whole
def doubled(x):
    return x + x


@compile_whole
def four_times(x):
    return doubled(doubled(x))


@compile_whole
def is_even(n):
    return True if n == 0 else is_odd(n - 1)


@compile_whole
def is_odd(n):
    return False if n == 0 else is_even(n - 1)


@compile_whole
def ask_both(n):
    return is_even(n), is_odd(n)


def signatures(kernel: Any):
    return kernel.signatures


def test_each_kind_of_arguments_has_a_part_whose_machine_code_python_alone_asks_for():
    assert times_halved(13) == 4
    assert four_times(3) == 12
    assert signatures(four_times)
    assert not signatures(doubled)
    assert doubled(9) == 18
    assert signatures(doubled)
    assert four_times(0.25) == 1.0
    assert four_times(np.ones(2)).tolist() == [4.0, 4.0]
    assert len(signatures(four_times)) == 3


def test_kernels_that_call_each_other_in_turn_are_refused():
    """Loaded from the disk, they would look for each other in vain."""
    with pytest.raises(NotImplementedError, match="each other in turn"):
        ask_both(3)


def test_what_cannot_be_compiled_says_where():
    @compile_whole
    def wrong(x):
        return x.nothing

    @compile_whole
    def asks(x):
        return wrong(x)

    with pytest.raises(Exception, match="nothing"):
        asks(1.5)


class Pair(NamedTuple):
    first: np.ndarray
    second: np.ndarray


@compile_part
def add_first(pair, number):
    pair.first[0] += number
    return pair.first[0]


@compile_part
def second_of(pair):
    return pair.second[1:]


@compile_part
def anew(pair):
    return Pair(pair.second, pair.first)


@compile_part
def zeros(n):
    return np.zeros(n)[0]


def test_a_part_that_counts_no_references_writes_into_its_callers_arrays():
    @compile_whole
    def twice(pair):
        return add_first(pair, 1.0) + add_first(pair, 2.0)

    pair = Pair(np.zeros(2), np.ones(3))
    before = sys.getrefcount(pair.first)
    sum_of_both = twice(pair)
    after = sys.getrefcount(pair.first)
    assert (sum_of_both, after) == (1 + 3, before)
    assert pair.first.tolist() == [3, 0]


def test_a_part_that_counts_no_references_neither_makes_nor_returns_arrays():
    @compile_whole
    def slice_of(pair):
        return second_of(pair)[0]

    @compile_whole
    def record_of(pair):
        return anew(pair).first[0]

    @compile_whole
    def zero():
        return zeros(3)

    pair = Pair(np.zeros(2), np.ones(3))
    for wrong in (lambda: slice_of(pair), lambda: record_of(pair), zero):
        with pytest.raises(Exception, match="array"):
            wrong()


# Functions that count no references to arrays call no kernel that could hand them an array of its own
OF_NUMBERS = {
    f"espalier.kernels.task.{name}" for name in ("beyond", "first_not_below", "midpoint")
}  # they return them


def is_uncounted(function: Any) -> bool:
    part = getattr(function, "_part", None)
    return part is not None and not part.targetoptions["_nrt"]


def is_inlined(function: Any) -> bool:
    return function.targetoptions.get("inline") == "always"


def all_kernels() -> dict[str, Any]:
    packages = pkgutil.walk_packages(espalier.kernels.__path__, "espalier.kernels.")
    modules = [vars(importlib.import_module(package.name)).values() for package in packages]
    return {name_of(one): one for module in modules for one in module if isinstance(one, CPUDispatcher)}


def all_uncounted() -> dict[str, Any]:
    return {name: function for name, function in all_kernels().items() if is_uncounted(function)}


def name_of(function: Any) -> str:
    return f"{function.py_func.__module__}.{function.py_func.__qualname__}"


def kernels_asked(function: Any) -> Iterator[str]:
    """The kernels that a function names, or that a function names which is inlined into it."""
    names = inspect.getclosurevars(function.py_func)
    named = [*names.globals.values(), *names.nonlocals.values()]
    for other in [form for value in named for form in getattr(value, "forms", {"": value}).values()]:
        if isinstance(other, CPUDispatcher) and other is not function and not is_uncounted(other):
            if is_inlined(other):
                yield from kernels_asked(other)
            else:
                yield name_of(other)


@compile_whole
def part_of(array):
    return array[1:]


@inlined
def first_of_part(array):
    return part_of(array)[0]


@compile_part
def twice(array):
    return 2 * array[0]


@compile_part
def right(array):
    return twice(array) + len(array)


@compile_part
def wrong(array):
    return twice(array) + first_of_part(array)


def test_the_kernels_that_a_function_asks_are_found_in_what_is_inlined_too():
    assert list(kernels_asked(right)) == []
    assert list(kernels_asked(wrong)) == [f"{__name__}.part_of"]
    assert right(np.ones(3)) == 2 + 3


def test_functions_that_count_no_references_ask_only_each_other_and_kernels_that_return_numbers():
    functions = all_uncounted()
    assert PART_OPTIONS["_nrt"] is False
    assert len(functions) > 20
    asked = {name: set(kernels_asked(function)) - OF_NUMBERS for name, function in functions.items()}
    assert {name: kernels for name, kernels in asked.items() if kernels} == {}


def test_every_kernel_that_is_said_to_return_numbers_is_asked():
    asked = [name for function in all_uncounted().values() for name in kernels_asked(function)]
    assert set(asked) == OF_NUMBERS


# ---- What is left out of Numba's own work changes nothing


@inlined
def triple(x):
    return 3 * x


@inlined
def triple_and_more(x):
    y = triple(x)
    z = triple(y)
    return y + z


def test_a_function_that_is_inlined_often_has_variables_of_its_own_in_each_place():
    @compile_whole
    def sum_up(x):
        y = triple_and_more(x)
        return y, triple_and_more(1.0), triple(y)

    assert sum_up(2.0) == (6 + 18, 3 + 9, 72)


def test_numbas_own_functions_are_parts_of_kernels_and_still_compiled_for_anybody_else():
    @compile_whole
    def least_two(x):
        return np.sort(x)[:2].sum()

    @numba.njit
    def least(x):
        return np.sort(x)[0]

    numbers = np.array([3.0, 1.0, 2.0], np.float32)
    assert least_two(numbers) == 3
    assert least(numbers) == 1


def test_an_array_that_does_not_fit_is_refused_and_numba_has_its_own_words_for_it_elsewhere():
    def write(target, values):
        target[:] = values

    with pytest.raises(ValueError, match=r"different size|cannot assign slice"):
        compile_whole(write)(np.zeros(3), np.zeros(2))
    with pytest.raises(ValueError, match=r"shape \(\d,?\) .* shape \(\d,?\)"):
        numba.njit(write)(np.zeros(3, np.float32), np.zeros(2, np.float32))


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
def anew_record(record):
    return Record(record.numbers, record.others)


@inlined
def write(record, i):
    record.numbers[i] = 1.0


@inlined
def write_anew(record, i):
    write(anew_record(record), i)


def into_a_record_made_here(record, i):
    again = Record(record.numbers, record.others)
    again.numbers[itself(i)] = 1.0


def into_a_record_of_an_inlined_function(record, i):
    anew_record(record).numbers[itself(i)] = 1.0


def by_an_inlined_function(record, i):
    write(anew_record(record), itself(i))


def by_one_that_calls_others(record, i):
    write_anew(record, itself(i))


def in_a_loop(record, i):
    again = anew_record(record)
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

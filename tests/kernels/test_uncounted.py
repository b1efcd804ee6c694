"""Functions that count no references to arrays call no kernel that could hand them an array of its own.

Nobody would free it. Numba says so of arrays that they make themselves, but not of those that they are given.
"""

import importlib
import inspect
import os
import pkgutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numba.core.registry import CPUDispatcher

import espalier.kernels
from espalier.kernels import inlined
from espalier.kernels.parts import OF_PARTS, part, whole

pytestmark = pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")
OF_NUMBERS = {"espalier.kernels.impurity.beyond", "espalier.kernels.task.midpoint"}  # kernels that return numbers


def is_uncounted(function: Any) -> bool:
    part = getattr(function, "_part", None)
    return part is not None and not part.targetoptions["_nrt"]


def is_inlined(function: Any) -> bool:
    return function.targetoptions.get("inline") == "always"


def all_uncounted() -> dict[str, Any]:
    found = {}
    for module in pkgutil.walk_packages(espalier.kernels.__path__, "espalier.kernels."):
        for function in vars(importlib.import_module(module.name)).values():
            if isinstance(function, CPUDispatcher) and is_uncounted(function):
                found[name_of(function)] = function
    return found


def name_of(function: Any) -> str:
    return f"{function.py_func.__module__}.{function.py_func.__qualname__}"


def kernels_asked(function: Any) -> Iterator[str]:
    """The kernels that a function names, or that a function names which is inlined into it."""
    names = inspect.getclosurevars(function.py_func)
    for other in [*names.globals.values(), *names.nonlocals.values()]:
        if isinstance(other, CPUDispatcher) and other is not function and not is_uncounted(other):
            if is_inlined(other):
                yield from kernels_asked(other)
            else:
                yield name_of(other)


@whole
def part_of(array):
    return array[1:]


@inlined
def first_of_part(array):
    return part_of(array)[0]


@part
def twice(array):
    return 2 * array[0]


@part
def right(array):
    return twice(array) + len(array)


@part
def wrong(array):
    return twice(array) + first_of_part(array)


def test_the_kernels_that_a_function_asks_are_found_in_what_is_inlined_too():
    assert list(kernels_asked(right)) == []
    assert list(kernels_asked(wrong)) == [f"{__name__}.part_of"]
    assert right(np.ones(3)) == 2 + 3


def test_functions_that_count_no_references_ask_only_each_other_and_kernels_that_return_numbers():
    functions = all_uncounted()
    assert OF_PARTS["_nrt"] is False
    assert len(functions) > 20
    asked = {name: set(kernels_asked(function)) - OF_NUMBERS for name, function in functions.items()}
    assert {name: kernels for name, kernels in asked.items() if kernels} == {}


def test_every_kernel_that_is_said_to_return_numbers_is_asked():
    asked = [name for function in all_uncounted().values() for name in kernels_asked(function)]
    assert set(asked) == OF_NUMBERS

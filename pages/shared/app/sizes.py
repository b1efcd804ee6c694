"""Memory that a value takes: one measure for all that the server keeps.

Arrays are most of it, and one array often stands in several values: the table in every tree that grew on it. So
large arrays are told apart from the rest, by their address, and whoever adds sizes up counts each of them once.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from espalier.data import Dataset

LARGE = 4096  # bytes from which an array is told apart
OVERLOOKED = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)  # they are there in any case
FLAT = (str, bytes, int, float, complex, np.generic, type(None))


class Footprint(NamedTuple):
    """Bytes that a value takes: its large arrays, by their address, and all the rest."""

    arrays: Mapping[int, int]
    rest: int

    @property
    def megabytes(self) -> float:
        """All of it together."""
        return (sum(self.arrays.values()) + self.rest) / 1e6

    def __add__(self, other: Footprint) -> Footprint:  # type: ignore[override]
        return Footprint({**self.arrays, **other.arrays}, self.rest + other.rest)


def of_megabytes(megabytes: float) -> Footprint:
    """Return the size of a value that says itself how large it is.

    >>> of_megabytes(2.5).megabytes
    2.5
    """
    return Footprint({}, int(megabytes * 1e6))


def size_of(value: Any) -> Footprint:
    """Return the size of a value and of all that it consists of.

    >>> table = np.zeros(1000)
    >>> size_of([table, table[:10], {"a": table}]).megabytes < 0.009
    True
    """
    arrays: dict[int, int] = {}
    rest, left = 0, [value]
    seen: dict[int, Any] = {}  # with the objects, so that no other one gets the identity of one that was made here
    while left:
        one = left.pop()
        if isinstance(one, FLAT):
            rest += sys.getsizeof(one)
        elif id(one) in seen or isinstance(one, OVERLOOKED):
            continue
        elif isinstance(one, np.ndarray) and one.dtype != object:
            owner = _owner(one)
            arrays[owner.__array_interface__["data"][0]] = owner.nbytes
        else:
            rest += sys.getsizeof(one)
            left.extend(_parts(one))
        seen[id(one)] = one
    small = sum(n_bytes for n_bytes in arrays.values() if n_bytes < LARGE)
    return Footprint({one: n_bytes for one, n_bytes in arrays.items() if n_bytes >= LARGE}, rest + small)


def _owner(array: np.ndarray) -> np.ndarray:
    """Return the array whose memory this one is a view of."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _parts(one: Any) -> Iterable[Any]:
    """Return what a value consists of; nothing of what does not say."""
    if isinstance(one, Dataset):  # its names are those of the one table that many values share
        return one.X, one.y, one.weights
    if isinstance(one, np.ndarray):
        return one.flat
    if isinstance(one, list | tuple | set | frozenset):
        return one
    if isinstance(one, dict):
        return *one.keys(), *one.values(), getattr(one, "__dict__", None)
    try:
        return [one.__getstate__()]  # compiled classes, too, such as the trees of scikit-learn
    except Exception:  # a lock, an open file, a process
        return ()

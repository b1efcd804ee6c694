"""What the server keeps, by key: a store for each kind, and one budget of memory for all of them together.

`of_table` makes functions remember their results for all sessions, and `hold_table` says which table a session
works on.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
import threading
import time
import weakref
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar

import numpy as np
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from espalier.data import Dataset
from espalier.language import spoken
from espalier.settings import MAX_RESULTS_MB
from pages.shared.app import sessions

P = ParamSpec("P")
T = TypeVar("T")
IDLE_SECONDS = 60.0  # a result that was used since then may stand on a page: the budget leaves it alone
LARGE_MB = 20.0  # let go of together, after which free memory is handed to the system
LARGE = 4096  # bytes from which an array is told apart
OVERLOOKED = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)  # they are there in any case
FLAT = (str, bytes, int, float, complex, np.generic, type(None))


# ---- the measure of memory: one array often stands in several values, as a table does in every tree of it, so
# large arrays are told apart by their address, and whoever adds sizes up counts each of them once


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
            owner = one  # the array whose memory it is a view of
            while isinstance(owner.base, np.ndarray):
                owner = owner.base
            arrays[owner.__array_interface__["data"][0]] = owner.nbytes
        else:
            rest += sys.getsizeof(one)
            left.extend(_parts(one))
        seen[id(one)] = one
    small = sum(n_bytes for n_bytes in arrays.values() if n_bytes < LARGE)
    return Footprint({one: n_bytes for one, n_bytes in arrays.items() if n_bytes >= LARGE}, rest + small)


def _parts(one: Any) -> Iterable[Any]:
    """Return what a value consists of; nothing of what does not say."""
    if isinstance(one, Dataset):  # its names are those of the one table that many values share
        return one.X, one.y, one.row_weights
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


# ---- stores, and their budget


class Budget:
    """Memory that all results may take together, in megabytes; the one unused for longest goes first."""

    def __init__(self, most: float):
        self.most = most
        self.lock = threading.RLock()
        self.stores: weakref.WeakSet[Store[Any]] = weakref.WeakSet()
        self.by_use: OrderedDict[Result[Any], None] = OrderedDict()  # the one unused for longest first
        self._owners: Counter[int] = Counter()  # of each large array: results that it stands in
        self.n_bytes, self.freed = 0, 0

    @property
    def megabytes(self) -> float:
        """Memory that all results take; an array that stands in several counts once."""
        return self.n_bytes / 1e6

    def add(self, result: Result[Any]) -> None:
        """Count a result, which was used just now; the lock is held, as for the next one."""
        self.by_use[result] = None
        self.n_bytes += result.size.rest
        for array, n_bytes in result.size.arrays.items():
            self.n_bytes += 0 if self._owners[array] else n_bytes
            self._owners[array] += 1

    def remove(self, result: Result[Any]) -> None:
        """Count a result no more."""
        del self.by_use[result]
        self.n_bytes -= result.size.rest
        for array, n_bytes in result.size.arrays.items():
            self._owners[array] -= 1
            if not self._owners[array]:
                del self._owners[array]
                self.n_bytes -= n_bytes

    def make_room(self) -> bool:
        """Let go of results that are not in use, as far as need be; whether all others are within the budget."""
        with self.lock:
            idle_since = time.monotonic() - IDLE_SECONDS
            for result in list(self.by_use):
                if self.megabytes <= self.most or result.used > idle_since:
                    break
                if not result.store.lasts:
                    result.store.drop(result.key)
            return self.megabytes <= self.most

    def forget(self, digest: str) -> None:
        """Let go of all results of the table of this digest."""
        with self.lock:
            for store in list(self.stores):
                if not store.lasts:
                    store.forget(digest)


BUDGET = Budget(MAX_RESULTS_MB)


@dataclass(eq=False)
class Result(Generic[T]):
    """A value that is kept in a store under a key, its size, and when it was used last."""

    store: Store[T]
    key: Hashable
    value: T
    table: str  # digest of the uploaded table that the last session with it worked on
    size: Footprint
    used: float


class Store(Generic[T]):
    """Results of one kind by key, for all sessions: at most so many, and within the budget of all stores."""

    def __init__(
        self,
        most: int,
        size: Callable[[T], Footprint] = size_of,
        budget: Budget = BUDGET,
        lasts: bool = False,
    ):
        """`size` is for values that know it; one that `lasts` cannot be made again: only `drop` lets go of it."""
        self._most, self.size_of, self._budget, self.lasts = most, size, budget, lasts
        self.results: OrderedDict[Hashable, Result[T]] = OrderedDict()
        budget.stores.add(self)

    @property
    def megabytes(self) -> float:
        """Memory that its results take."""
        with self._budget.lock:
            return sum(result.size.megabytes for result in self.results.values())

    def look_up(self, key: Hashable, table: str = "") -> Result[T] | None:
        """The result, if it is still here; it then counts as used, by a session on this table."""
        with self._budget.lock:
            result = self.results.get(key)
            if result is not None:
                result.used = time.monotonic()
                self._budget.by_use.move_to_end(result)
                self.results.move_to_end(key)
                result.table = table or result.table
            return result

    def find(self, key: Hashable) -> T | None:
        """The value, if it is still here; it then counts as used."""
        result = self.look_up(key)
        return None if result is None else result.value

    def put(self, key: Hashable, value: T, table: str = "") -> T:
        """Keep a value; of too many the one unused for longest goes."""
        result = Result(self, key, value, table, self.size_of(value), time.monotonic())
        with self._budget.lock:
            if key in self.results:
                self.drop(key)
            self.results[key] = result
            self._budget.add(result)
            while len(self.results) > self._most:
                self.drop(next(iter(self.results)))
            if self._budget.n_bytes > 1e6 * self._budget.most:
                self._budget.make_room()
        return value

    def find_or_put(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value; a new one where there is none."""
        with self._budget.lock:
            result = self.look_up(key)
            return self.put(key, make()) if result is None else result.value

    def resize(self, key: Hashable, size: Footprint) -> bool:
        """Note the size of a value that grows; whether it is still here, and there is room for more."""
        with self._budget.lock:
            result = self.results.get(key)
            if result is None:
                return False
            self._budget.remove(result)
            result.size = size
            self._budget.add(result)
            return self._budget.make_room() and key in self.results

    def grow(self, key: Hashable, more: Footprint) -> bool:
        """Note that a value has grown by so much; see `resize`."""
        result = self.results.get(key)
        return result is not None and self.resize(key, result.size + more)

    def drop(self, *keys: Hashable) -> None:
        """Let values go (also as a callback)."""
        with self._budget.lock:
            before = self._budget.n_bytes
            for key in keys:
                if (result := self.results.pop(key, None)) is not None:
                    self._budget.remove(result)
            self._budget.freed += before - self._budget.n_bytes
            if self._budget.freed > LARGE_MB * 1e6:  # now and then: to look for free memory takes a moment
                self._budget.freed = 0
                sessions.give_back_soon()

    def clear(self) -> None:
        """Let all values go."""
        self.drop(*list(self.results))

    def forget(self, digest: str) -> None:
        """Let go of values of the table of this digest."""
        with self._budget.lock:
            self.drop(*(result.key for result in self.results.values() if _is_of(digest, result)))


def _is_of(digest: str, result: Result[Any]) -> bool:
    """Whether a value is of the table of this digest: by who used it, by its key, or by the data that it holds."""
    has_key = isinstance(result.key, str | tuple) and digest in result.key
    return has_key or digest in (result.table, getattr(getattr(result.value, "dataset", None), "digest", ""))


# ---- results of an uploaded table are kept as long as a session works on the table, and no longer. Bundled
# samples are small: their results stay, as long as the budget of memory has room for them

MOST_HELD = 3  # tables by a session at a time: the last ones, for a step back
CURRENT_TABLE = "remembered-table"  # key of the session state: its digest, empty for a sample

_holders: Counter[str] = Counter()  # digest → sessions
_lock = threading.Lock()
_left: list[str] = []  # digests of tables that sessions let go, until it is seen to


def hold_table(digest: str) -> None:
    """The session works on the uploaded table of this digest; on a bundled sample, if it is empty."""
    st.session_state[CURRENT_TABLE] = digest
    if digest:
        _held(digest)


def holders_of(digest: str) -> int:
    """Number of sessions that work on a table."""
    return _holders[digest]


def see_to_those_left() -> None:
    """Forget the results of tables that no session works on."""
    while _left:
        digest = _left.pop()
        with _lock:
            _holders[digest] -= 1
            is_over = _holders[digest] <= 0
            if is_over:
                del _holders[digest]
        if is_over:
            BUDGET.forget(digest)


def let_go_of_table(digest: str) -> None:
    """Note that a session works on the table no more; it may be called in the midst of anything."""
    _left.append(digest)
    sessions.give_back_soon()


sessions.first(see_to_those_left)


@st.cache_resource(max_entries=MOST_HELD, scope="session", on_release=let_go_of_table, show_spinner=False)
def _held(digest: str) -> str:
    with _lock:
        _holders[digest] += 1
    return digest


def of_table(
    *, max_entries: int, show_spinner: bool | str = False
) -> Callable[[Callable[P, T]], Remembered[P, T]]:
    """A cache of at most so many results, within the budget of all that is kept; they go with their table.

    Arguments whose names begin with _ are not looked at; the others tell results apart: a record by its `key`, a
    table by its `digest`.
    """

    return lambda work: Remembered(work, max_entries, show_spinner)


class Remembered(Generic[P, T]):
    """A function with its results, each worked out once, also where several sessions ask for it at a time."""

    def __init__(self, work: Callable[P, T], most: int, spinner: bool | str):
        functools.update_wrapper(self, work)
        self._signature = inspect.signature(work)
        self._is_key = [not name.startswith("_") for name in self._signature.parameters]
        self._work, self._spinner = work, spinner
        self.results: Store[T] = Store(most)
        self._at_work: dict[tuple, threading.RLock] = {}
        self._lock = threading.Lock()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """The result for these arguments."""
        places = self._signature.bind(*args, **kwargs).args if kwargs else args
        own = (_name(arg) for arg, is_key in zip(places, self._is_key, strict=False) if is_key)
        key = (spoken(), *own)  # what is drawn or written has words and numbers of a language
        is_in_session = get_script_run_ctx(suppress_warning=True) is not None
        table = st.session_state.get(CURRENT_TABLE, "") if is_in_session else ""
        result = self.results.look_up(key, table)
        if result is not None:
            return result.value
        with self._lock:
            alone = self._at_work.setdefault(key, threading.RLock())
        with alone:  # who asks for the same meanwhile waits here
            try:
                result = self.results.look_up(key, table)
                if result is not None:
                    return result.value
                with st.spinner(str(self._spinner)) if self._spinner else contextlib.nullcontext():
                    return self.results.put(key, self._work(*args, **kwargs), table)
            finally:
                self._at_work.pop(key, None)

    def clear(self) -> None:
        """Forget all results."""
        self.results.clear()


def _name(argument: Any) -> Any:
    """What tells an argument from others: the text `key` or `digest` of a record, else all of it."""
    names = (getattr(argument, field, None) for field in ("key", "digest"))
    return next((name for name in names if isinstance(name, str)), argument)

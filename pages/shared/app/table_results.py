"""Results of an uploaded table are remembered as long as a session works on the table, and no longer.

`hold` says which table the session works on; `of_table` makes functions remember their results for all sessions,
and `on_forget` is for stores of other kinds. Bundled samples are small: their results stay.
"""

from __future__ import annotations

import functools
import inspect
import logging
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.shared.app import memory

P = ParamSpec("P")
T = TypeVar("T")
MOST_HELD = 3  # tables by a session at a time: the last ones, for a step back
CURRENT = "remembered-table"  # key of the session state: its digest, empty for a sample

_holders: Counter[str] = Counter()  # digest → sessions
_lock = threading.Lock()
_forgetters: list[Callable[[str], None]] = []
_left: list[str] = []  # digests of tables that sessions let go, until it is seen to
_log = logging.getLogger("espalier")


def hold(digest: str) -> None:
    """The session works on the uploaded table of this digest; on a bundled sample, if it is empty."""
    st.session_state[CURRENT] = digest
    if digest:
        _held(digest)


def on_forget(forget: Callable[[str], None]) -> None:
    """Have this called with the digest of each table that no session works on any more."""
    _forgetters.append(forget)


def holders(digest: str) -> int:
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
            forget(digest)


def forget(digest: str) -> None:
    """Forget all results of a table."""
    for let_go in _forgetters:
        try:
            let_go(digest)
        except Exception:  # the others are to be asked all the same
            _log.exception("the results of a table could not be forgotten")


def let_go(digest: str) -> None:
    """Note that a session works on the table no more; it may be called in the midst of anything."""
    _left.append(digest)
    memory.give_back_soon()


memory.first(see_to_those_left)


@st.cache_resource(max_entries=MOST_HELD, scope="session", on_release=let_go, show_spinner=False)
def _held(digest: str) -> str:
    with _lock:
        _holders[digest] += 1
    return digest


def of_table(
    *, max_entries: int, show_spinner: bool | str = False
) -> Callable[[Callable[P, T]], Remembered[P, T]]:
    """A cache as Streamlit's for resources, whose entries go with the table that they were worked out of."""

    def remembering(work: Callable[P, T]) -> Remembered[P, T]:
        return Remembered(work, max_entries, show_spinner)

    return remembering


class Remembered(Generic[P, T]):
    """A function with its results; beside them stands of which table each is."""

    def __init__(self, work: Callable[P, T], most: int, show_spinner: bool | str):
        functools.update_wrapper(self, work)
        names = inspect.signature(work).parameters
        self._is_key = [not name.startswith("_") for name in names]  # the others are not looked at
        self._cached: Any = st.cache_resource(max_entries=most, show_spinner=show_spinner)(work)
        self._most = most
        self._tables: OrderedDict[tuple, str] = OrderedDict()
        self._lock = threading.Lock()
        on_forget(self._forget)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """The result for these arguments, which go by their place."""
        result = self._cached(*args, **kwargs)
        if digest := _current():
            self._note(self._keys(args), digest)
        return result

    def clear(self) -> None:
        """Forget all results."""
        self._cached.clear()

    def _keys(self, args: tuple) -> tuple:
        return tuple(arg if is_key else None for arg, is_key in zip(args, self._is_key, strict=False))

    def _note(self, keys: tuple, digest: str) -> None:
        with self._lock:
            self._tables[keys] = digest
            self._tables.move_to_end(keys)
            while len(self._tables) > self._most:  # as the cache does it
                self._tables.popitem(last=False)

    def _forget(self, digest: str) -> None:
        with self._lock:
            over = [keys for keys, of in self._tables.items() if of == digest]
            for keys in over:
                del self._tables[keys]
        for keys in over:
            self._cached.clear(*keys)


def _current() -> str:
    """Digest of the uploaded table that the session works on; empty for a sample, or outside a session."""
    return "" if get_script_run_ctx(suppress_warning=True) is None else st.session_state.get(CURRENT, "")

"""Results of an uploaded table are remembered as long as a session works on the table, and no longer.

`hold` says which table the session works on; `of_table` makes functions remember their results for all sessions.
Bundled samples are small: their results stay, as long as the budget of memory has room for them.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from espalier.language import spoken
from pages.shared.app import sessions
from pages.shared.app.store import BUDGET, Store

P = ParamSpec("P")
T = TypeVar("T")
MOST_HELD = 3  # tables by a session at a time: the last ones, for a step back
CURRENT = "remembered-table"  # key of the session state: its digest, empty for a sample

_holders: Counter[str] = Counter()  # digest → sessions
_lock = threading.Lock()
_left: list[str] = []  # digests of tables that sessions let go, until it is seen to


def hold(digest: str) -> None:
    """The session works on the uploaded table of this digest; on a bundled sample, if it is empty."""
    st.session_state[CURRENT] = digest
    if digest:
        _held(digest)


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
            BUDGET.forget(digest)


def let_go(digest: str) -> None:
    """Note that a session works on the table no more; it may be called in the midst of anything."""
    _left.append(digest)
    sessions.give_back_soon()


sessions.first(see_to_those_left)


@st.cache_resource(max_entries=MOST_HELD, scope="session", on_release=let_go, show_spinner=False)
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
        table = _current()
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


def _current() -> str:
    """Digest of the uploaded table that the session works on; empty for a sample, or outside a session."""
    return "" if get_script_run_ctx(suppress_warning=True) is None else st.session_state.get(CURRENT, "")

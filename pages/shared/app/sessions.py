"""Sessions whose browser has gone: Streamlit keeps each for a while, and afterwards until another one goes.

On a quiet server that is for ever, with the uploaded file and the table that was read from it: here they end in
time.
"""

from __future__ import annotations

import threading

from streamlit import runtime

from pages.shared.app import memory

_some_ended = threading.Event()


def is_here(session: str) -> bool:
    """Whether the session has a browser that is connected; every session has where no server runs."""
    return not runtime.exists() or runtime.get_instance().is_active_session(session)


def end_those_over() -> None:
    """End the sessions that Streamlit keeps no longer; to be called on its own loop.

    There is no public way to it: where a later Streamlit has none like this, they end when another one goes.
    """
    if not runtime.exists():
        return
    storage = getattr(getattr(runtime.get_instance(), "_session_mgr", None), "_session_storage", None)
    expire = getattr(getattr(storage, "_cache", None), "expire", None)
    over = [] if expire is None else expire()
    for _, kept in over:
        kept.session.shutdown()
    if over:
        _some_ended.set()
    memory.give_back_soon()


def _thaw() -> None:
    if _some_ended.is_set():
        _some_ended.clear()
        memory.thaw()


memory.first(_thaw)

"""Sessions whose browser has gone, and memory that is needed no more.

Streamlit keeps a session for a while, and afterwards until another one goes: on a quiet server for ever, with the
uploaded file and the table that was read from it. Here they end in time, files of which the content was taken go
at once, and free memory goes back to the system, which Python and its C library would keep it from. That is done
by a thread of its own, at most every few seconds: no person waits for it.
"""

from __future__ import annotations

import ctypes
import gc
import logging
import sys
import threading
import time
from collections.abc import Callable

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

PAUSE_SECONDS = 3.0  # from the wish to the deed: several wishes are one by then, and new pages come first

_log = logging.getLogger("espalier")
_first: list[Callable[[], None]] = []
_wished, _ended = threading.Event(), threading.Event()  # to give memory back; that some session has ended


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
        _ended.set()
    give_back_soon()


def take_file(widget: str) -> tuple[bytes, str] | None:
    """Return what the widget of this key has just been given, and its name; None where it was taken out of it.

    Streamlit would keep it as long as the session, whatever becomes of the widget: from here on it does not.
    """
    return next(iter(take_files(widget).values()), None)


def take_files(widget: str) -> dict[str, tuple[bytes, str] | None]:
    """Return the files that the widget of this key has, by Streamlit's own name of each; as `take_file` does.

    None stands for a file that was taken before.
    """
    given, context = st.session_state.get(widget), get_script_run_ctx()
    files = given if isinstance(given, list) else [given]
    remove = getattr(context and context.uploaded_file_mgr, "remove_file", None)  # all managers so far have it
    taken: dict[str, tuple[bytes, str] | None] = {}
    for file in files:
        if isinstance(file, UploadedFile):
            if context is not None and remove is not None:
                remove(session_id=context.session_id, file_id=file.file_id)
            taken[file.file_id] = file.getvalue(), file.name
        elif (name := getattr(file, "file_id", None)) is not None:
            taken[name] = None
    return taken


# ---- memory


def first(act: Callable[[], None]) -> None:
    """Have this done each time before memory is given back."""
    _first.append(act)


def give_back_soon() -> None:
    """Give memory back in a while, beside whatever else goes on; also in the midst of collecting garbage."""
    _wished.set()


def give_back() -> None:
    """Collect garbage, and hand the free memory to the system."""
    for act in _first:
        act()
    if _ended.is_set():  # then the collector looks at what it was told to overlook, too: sessions may be among it
        _ended.clear()
        gc.unfreeze()
        gc.collect()
        gc.freeze()
    gc.collect()
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform.startswith("linux") else None
    if trim is not None:  # of glibc alone
        trim(0)


def _give_back_forever() -> None:
    while _wished.wait():
        time.sleep(PAUSE_SECONDS)
        _wished.clear()
        try:
            give_back()
        except Exception:  # the next wish is to be heard all the same
            _log.exception("memory could not be given back")


threading.Thread(target=_give_back_forever, name="tidier", daemon=True).start()

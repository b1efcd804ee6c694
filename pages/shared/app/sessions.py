"""Sessions whose browser has gone: Streamlit keeps each for a while, and afterwards until another one goes.

On a quiet server that is for ever, with the uploaded file and the table that was read from it: here they end in
time; and files of which the content was taken go at once.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

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


class FileContent(NamedTuple):
    """A file that a person has brought."""

    data: bytes
    name: str


def take_file(widget: str) -> FileContent | None:
    """Return the file that the widget of this key has just been given; None where it was taken out of it.

    Streamlit would keep it as long as the session, whatever becomes of the widget: from here on it does not.
    """
    return next(iter(take_files(widget).values()), None)


def take_files(widget: str) -> dict[str, FileContent | None]:
    """Return the files that the widget of this key has, by Streamlit's own name of each; as `take_file` does.

    None stands for a file that was taken before.
    """
    given, context = st.session_state.get(widget), get_script_run_ctx()
    files = given if isinstance(given, list) else [given]
    remove = getattr(context and context.uploaded_file_mgr, "remove_file", None)  # all managers so far have it
    taken: dict[str, FileContent | None] = {}
    for file in files:
        if isinstance(file, UploadedFile):
            if context is not None and remove is not None:
                remove(session_id=context.session_id, file_id=file.file_id)
            taken[file.file_id] = FileContent(file.getvalue(), file.name)
        elif (name := getattr(file, "file_id", None)) is not None:
            taken[name] = None
    return taken


def _thaw() -> None:
    if _some_ended.is_set():
        _some_ended.clear()
        memory.thaw()


memory.first(_thaw)

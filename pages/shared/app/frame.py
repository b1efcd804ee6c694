"""The frame around every page: its title and icon, the way in through app.py, and what a fault looks like."""

from __future__ import annotations

import functools
import logging
import runpy
import string
from collections.abc import Callable
from typing import Any, ParamSpec

import streamlit as st

from espalier.data.inert import inert
from espalier.paths import APP, ASSETS
from pages.shared.app import address

P = ParamSpec("P")
NOTES = "notes on the link"  # key of the session state: what was said last of parts that could not be used
FAULT = "failed callback"  # key of the session state: its name, until the page has said so
_log = logging.getLogger("espalier")


def set_up() -> None:
    """Title, icon and layout of the whole app; called by app.py on every run."""
    st.set_page_config(page_title="Espalier", page_icon=str(ASSETS / "logo.svg"), layout="wide")
    wordmark = "wordmark-dark.svg" if is_dark() else "wordmark.svg"
    st.logo(str(ASSETS / wordmark), icon_image=str(ASSETS / "logo.svg"), size="large")
    st.html(ASSETS / "frame.css")
    address.count_run()


def run(page: st.Page) -> None:
    """Run the page, and let it be known which one it is."""
    st.session_state[address.PLACE] = page.url_path
    page.run()


def enter() -> None:
    """Go through app.py where Streamlit would run this page alone; the first line of every page.

    Streamlit's old multipage mode is on until app.py has run once, because the folder is called pages: a
    link straight to a page of a server that has just started would find no navigation.
    """
    if _old_pages_mode():
        runpy.run_path(str(APP / "app.py"), run_name="__main__")
        st.stop()


def guarded(body: Callable[P, None]) -> Callable[P, None]:
    """Page or fragment whose faults go to the log, and to the page only as what to do about them.

    Streamlit's own stop and rerun are no `Exception`, so they pass.
    """

    @functools.wraps(body)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        if fault := st.session_state.pop(FAULT, None):
            _apologise("doing what you asked", fault)
        try:
            body(*args, **kwargs)
        except Exception:
            _log.exception("%s failed", body.__name__)
            _apologise("drawing this part of the page", body.__name__)

    return run


def callback(act: Callable[P, Any]) -> Callable[P, None]:
    """What a widget calls: its faults go to the log, and the page, with all that was done before, says so.

    Streamlit itself would put its own words in place of the whole page.
    """

    @functools.wraps(act)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            act(*args, **kwargs)
        except Exception:
            name = getattr(act, "__name__", "a callback")
            _log.exception("%s failed", name)
            st.session_state[FAULT] = name

    return run


def notes(found: list[str]) -> None:
    """Say which parts of the address could not be used, until a person does something."""
    kept = st.session_state.get(NOTES, []) if st.session_state.pop(address.BY_ITSELF, False) else []
    st.session_state[NOTES] = found = [*kept, *found]
    with st.container():  # there even without a note: what is below keeps its place, and so its zoom and focus
        if found:
            # Markdown's own characters would let a link format the page.
            plain = "; ".join(map(inert, found)).replace("`", "'")
            st.warning(f"Part of the link was not understood, so the default is shown: `{plain}`.")


def rerun() -> None:
    """Run the whole page again, though no person asked for it: what is said of the link stays to be read."""
    st.session_state[address.BY_ITSELF] = True
    st.rerun(scope="app")


def is_dark() -> bool:
    """Whether the page is dark, as the person's browser or menu has it."""
    return st.context.theme.type == "dark"


def plain(text: str) -> str:
    """Text from the data, to stand in Markdown without meaning anything there."""
    return "".join(f"\\{c}" if c in string.punctuation else c for c in inert(text))


def _apologise(what: str, name: str) -> None:
    with st.container(border=True):
        st.markdown(f"**Something went wrong while {what}.**")
        st.markdown(
            "Your data are safe. Undo the last change with your browser's Back button, or start again "
            "with the defaults. The details are in the server's log."
        )
        st.button("Start again", on_click=callback(address.forget), key=f"start again after {name}")


def _old_pages_mode() -> bool:
    try:
        from streamlit.runtime.pages_manager import PagesManager
    except ImportError:  # a later Streamlit without the old mode needs no way in
        return False
    return bool(getattr(PagesManager, "uses_pages_directory", False))

"""The frame around every page: its title and icon, the way in through app.py, and the note in place of a fault.

Here, too, are the turns in which pages run, and the app in a frame of slides, with nothing around one figure.
"""

from __future__ import annotations

import functools
import logging
import re
import runpy
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any, ParamSpec

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from espalier.inert import inert
from espalier.inert import plain as plain
from espalier.language import LANGUAGES, say
from espalier.paths import APP, ASSETS
from pages.shared.app import address, language

P = ParamSpec("P")
NOTES = "link-notes"  # key of the session state: the last notes on parts that could not be used
FAULT = "failed-callback"  # key of the session state: its name, until the page has said so
_log = logging.getLogger("espalier")


def set_up() -> None:
    """Title, icon and layout of the whole app; called by app.py on every run."""
    address.begin()
    language.begin()
    st.set_page_config(page_title="Espalier", page_icon=str(ASSETS / "logo.svg"), layout="wide")
    wordmark = "wordmark-dark.svg" if is_dark() else "wordmark.svg"
    st.logo(str(ASSETS / wordmark), size="large")
    if is_embedded():
        style_embedded()


def enter() -> None:
    """Go through app.py where Streamlit would run this page alone; the first line of every page.

    Streamlit's old multipage mode is on until app.py has run once, because the folder is called pages: a
    link straight to a page of a server that has just started would find no navigation.
    """
    try:
        from streamlit.runtime.pages_manager import PagesManager
    except ImportError:  # a later Streamlit without the old mode needs no way in
        return
    if getattr(PagesManager, "uses_pages_directory", False):
        runpy.run_path(str(APP / "app.py"), run_name="__main__")
        st.stop()


def guarded(body: Callable[P, None]) -> Callable[P, None]:
    """Page or fragment whose faults go to the log, and to the page only as advice.

    Streamlit's own stop and rerun are no `Exception`, so they pass.
    """

    @functools.wraps(body)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        language.begin()
        if fault := st.session_state.pop(FAULT, None):
            _apologise(say("doing what you asked"), fault)
        try:
            with TURNS.taken():
                body(*args, **kwargs)
        except Exception:
            name = f"{body.__module__}.{body.__name__}"
            _log.exception("%s failed", name)
            _apologise(say("drawing this part of the page"), name)

    return run


def callback(act: Callable[P, Any]) -> Callable[P, None]:
    """Function for a widget to call: its faults go to the log, and the page says that there was one.

    Streamlit itself would put its own words in place of the whole page.
    """

    @functools.wraps(act)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            language.begin()
            act(*args, **kwargs)
        except Exception:
            name = getattr(act, "__name__", "callback")
            _log.exception("%s failed", name)
            st.session_state[FAULT] = name

    return run


def assign(key: str, value: Any) -> None:
    """Give the session state a value, for a button to do (a callback)."""
    st.session_state[key] = value


def notes(new: list[str]) -> None:
    """Say which parts of the address could not be used, until a person does something."""
    kept = st.session_state.get(NOTES, []) if st.session_state.pop(address.BY_ITSELF, False) else []
    code = st.query_params.get(language.PARAMETER)
    unknown = [] if code in (None, *LANGUAGES) else [language.note(code)]
    st.session_state[NOTES] = every = [*kept, *new, *unknown]
    with st.container():  # there even without a note: what is below keeps its place, and so its zoom and focus
        if every:
            # Markdown's own characters would let a link format the page.
            plain = "; ".join(map(inert, every)).replace("`", "'")
            st.warning(
                say(
                    "Part of the link was not understood, so the nearest value or the default is shown: "
                    "`{parts}`.",
                    parts=plain,
                )
            )


def fold(label: str, key: str, draw: Callable[[], object], is_open: bool = False) -> None:
    """Draw a part of the page under its name, while it is open, as in a frame; closed it costs nothing."""
    folded = st.expander(label, expanded=is_open or is_embedded(), key=key, on_change="rerun")
    if folded.open:
        with folded:
            draw()


def drawer(label: str, icon: str, key: str, draw: Callable[[], object], words: str | None = None) -> None:
    """Draw a drawer of this key, with what it holds while it is open; closed it costs nothing."""
    popover = st.popover(label, icon=f":material/{icon}:", help=words, key=key, on_change="rerun")
    if popover.open:
        with popover:
            draw()


def rerun() -> None:
    """Run the whole page again, though no person asked for it: notes on the link stay to be read."""
    st.session_state[address.BY_ITSELF] = True
    st.rerun(scope="app")


def is_dark() -> bool:
    """Whether the page is dark, as the person's browser or menu has it."""
    return st.context.theme.type == "dark"


def plain_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of texts for `st.table`, which takes them for Markdown: see `plain`."""
    index = table.index.map(plain).rename(table.index.name)
    return table.map(plain).set_axis(index, axis=0).set_axis(table.columns.map(plain), axis=1)


def _apologise(while_: str, name: str) -> None:
    with st.container(border=True):
        st.markdown(say("**Something went wrong while {work}.**", work=while_))
        st.markdown(
            say(
                "Your data are safe. Undo the last change with your browser's Back button, or start "
                "again with the defaults. The details are in the server's log."
            )
        )
        st.button(say("Start again"), on_click=callback(address.forget), key=f"start again after {name}")


# ---- turns of the pages' runs: one at a time, in the order in which they were asked for. Python works on one run
# at a time anyway: sixty at once would all end late, one after the other most end soon. A run that waits for a job
# leaves its turn to others meanwhile, and none waits for its turn longer than a moment

MOMENT_SECONDS = 2.0  # after which a run begins in any case: the one before it may wait for something else


class Turns(threading.local):
    """The turn, and whether this thread has it."""

    _free = threading.BoundedSemaphore(1)  # of all threads
    _has_one = False  # until this thread takes it

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Do something within a turn, waiting for one a moment at most; within one already, at once."""
        if self._has_one or not self._free.acquire(timeout=MOMENT_SECONDS):
            yield
            return
        self._has_one = True
        try:
            yield
        finally:
            self._let_go()

    @contextmanager
    def left(self) -> Iterator[None]:
        """Leave the turn to others while this thread waits, and take one again afterwards."""
        if not self._has_one:
            yield
            return
        self._let_go()
        try:
            yield
        finally:
            self._has_one = self._free.acquire(timeout=MOMENT_SECONDS)

    def _let_go(self) -> None:
        if self._has_one:
            self._has_one = False
            self._free.release()


TURNS = Turns()


# ---- the app in a frame of slides, of a course or of a notebook: one figure with its controls, nothing around it

FIGURE = "figure"  # parameter of the URL
VIEW = "view"  # the open tab
TREE_FIGURES = ("both", "tree", "surface")
FIGURES = {  # by the path of a page, the figures of it that a frame can show alone
    "": (*TREE_FIGURES[1:], VIEW),
    "data": ("view",),
    "forests": ("view",),
    "approximate": ("view",),
    "compare": ("folds", "table", "shares", "decisions"),
    "stability": ("structures", "view"),
    "reliability": ("curves", "decisions", "promise", "rows", "story", "calibration"),
    "questionnaire": ("question",),
    "new_rows": ("summary", "list"),
    "hesitation": ("surfaces",),
    "basics": ("view",),
}
FRAME_SIZE = 'width="100%" height="620"'


def is_embedded() -> bool:
    """Whether the page stands in a frame (?embed=true, a word that Streamlit keeps for itself)."""
    return bool(st.context.is_embedded)


def embedded_figure() -> str:
    """The figure of the Tree page that a frame is asked for: "both" where none is."""
    name = st.query_params.get(FIGURE, TREE_FIGURES[0])
    return name if name in (*TREE_FIGURES, VIEW) else TREE_FIGURES[0]


def figure_part(name: str) -> DeltaGenerator:
    """Container of a figure with its controls, which a frame can show alone."""
    return st.container(key=f"figure-{name}")


def style_embedded() -> None:
    """Hide what stands around the page in a frame, and around the figure that is asked for."""
    st.html(ASSETS / "embedded.css")
    name = st.query_params.get(FIGURE, "")
    if re.fullmatch("[a-z]{1,20}", name):  # it becomes part of a style
        rule = (ASSETS / "alone.css").read_text(encoding="utf-8").replace("NAME", name)
        st.html(f"<style>{rule}</style>")


def html_of_frame(link: str) -> str:
    """HTML of a frame that shows the page of a link.

    >>> html_of_frame("http://trees:8501/?data=iris")
    '<iframe src="http://trees:8501/?data=iris&amp;embed=true" width="100%" height="620"></iframe>'
    """
    joint = "&" if "?" in link else "?"
    return f'<iframe src="{escape(link + joint)}embed=true" {FRAME_SIZE}></iframe>'

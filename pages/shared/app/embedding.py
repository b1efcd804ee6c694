"""The app in a frame of slides, of a course or of a notebook: one figure with its controls, nothing around it."""

from __future__ import annotations

import re
from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from espalier.paths import ASSETS

FIGURE = "figure"  # parameter of the URL
VIEW = "view"  # the open tab
TREE = ("both", "tree", "surface")
FIGURES = {  # by the path of a page, the figures of it that a frame can show alone
    "": (*TREE[1:], VIEW),
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
SIZE = 'width="100%" height="620"'


def is_on() -> bool:
    """Whether the page stands in a frame (?embed=true, a word that Streamlit keeps for itself)."""
    return bool(st.context.is_embedded)


def figure() -> str:
    """The figure of the Tree page that is asked for: "both" outside of a frame, or where no other is."""
    asked = st.query_params.get(FIGURE, TREE[0]) if is_on() else TREE[0]
    return asked if asked in (*TREE, VIEW) else TREE[0]


def part(name: str) -> DeltaGenerator:
    """Container of a figure with its controls, which a frame can show alone."""
    return st.container(key=f"figure-{name}")


def style() -> None:
    """Hide, in a frame, what stands around the page, and around the figure that is asked for."""
    if not is_on():
        return
    st.html(ASSETS / "embedded.css")
    asked = st.query_params.get(FIGURE, "")
    if re.fullmatch("[a-z]{1,20}", asked):  # it becomes part of a style
        rule = (ASSETS / "alone.css").read_text(encoding="utf-8").replace("NAME", asked)
        st.html(f"<style>{rule}</style>")


def frame_of(link: str) -> str:
    """HTML of a frame that shows the page of a link.

    >>> frame_of("http://trees:8501/?data=iris")
    '<iframe src="http://trees:8501/?data=iris&amp;embed=true" width="100%" height="620"></iframe>'
    """
    joint = "&" if "?" in link else "?"
    return f'<iframe src="{escape(link + joint)}embed=true" {SIZE}></iframe>'

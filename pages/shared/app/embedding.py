"""The app in a frame of slides, of a course or of a notebook: one figure with its controls, nothing around it."""

from __future__ import annotations

from html import escape

import streamlit as st

FIGURE = "figure"  # parameter of the URL
FIGURES = ("both", "tree", "surface")
SIZE = 'width="100%" height="620"'


def is_on() -> bool:
    """Whether the page stands in a frame (?embed=true, a word that Streamlit keeps for itself)."""
    return bool(st.context.is_embedded)


def figure() -> str:
    """The figure of the Tree page that is asked for: "both" outside of a frame, or where no other is."""
    asked = st.query_params.get(FIGURE, FIGURES[0]) if is_on() else FIGURES[0]
    return asked if asked in FIGURES else FIGURES[0]


def frame_of(link: str) -> str:
    """HTML of a frame that shows the page of a link.

    >>> frame_of("http://trees:8501/?data=iris")
    '<iframe src="http://trees:8501/?data=iris&amp;embed=true" width="100%" height="620"></iframe>'
    """
    joint = "&" if "?" in link else "?"
    return f'<iframe src="{escape(link + joint)}embed=true" {SIZE}></iframe>'

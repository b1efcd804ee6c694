"""What stands around every page in the browser: the sentence of a first visit, and the keys of a lecture."""

from __future__ import annotations

import streamlit as st
from streamlit.components.v2 import component

from pages.shared.canvas.assets import source
from pages.shared.canvas.scripts import loader
from pages.shared.words import everywhere as words

PRESENT = "present"  # parameter of the URL

# Streamlit takes a text of one line for the name of a file: every part below has a newline.
_component = component(
    "espalier_stage",
    html='<div class="espalier-stage"></div>\n',
    css=source("stage.css"),
    js=loader("stage/main.js"),
)


def draw(page: st.Page) -> None:
    """Draw the sentence of a first visit, and have the browser listen to the keys of a lecture.

    Who opens a link, or a frame of another page, has come for what it shows, and is not told how to begin.
    """
    is_bare = not page.url_path and not st.query_params and not st.context.is_embedded
    data = {"present": PRESENT in st.query_params} | (
        {"welcome": words.WELCOME, "dismiss": words.DISMISS} if is_bare else {}
    )
    with st.container(key="stage"):
        _component(key="stage of a lecture", data=data, height="content")

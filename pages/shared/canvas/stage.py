"""What stands around every page in the browser: the sentence of a first visit, and the keys of a lecture."""

from __future__ import annotations

import streamlit as st

from espalier.language import say
from pages.shared.app.frame import callback
from pages.shared.canvas.mount import mount

PRESENT = "present"  # parameter of the URL
WELCOMES = "stage-welcomes"  # key of the session state: whether the sentence was drawn last

_component = mount("stage")


def draw(page: st.Page) -> None:
    """Draw the sentence of a first visit, and have the browser listen to the keys of a lecture.

    Who opens a link, or a frame of another page, has come for what it shows, and is not told how to begin.
    """
    is_bare = not page.url_path and not st.query_params and not st.context.is_embedded
    st.session_state[WELCOMES] = is_bare
    data = {"present": PRESENT in st.query_params} | (
        {"welcome": say("Grow a decision tree. Click a box or a point; drag Depth."), "dismiss": say("Got it")}
        if is_bare
        else {}
    )
    with st.container(key="stage"):
        _component(
            data, key="stage of a lecture", on_scheme_change=callback(lambda: None)
        )  # the run that follows is all

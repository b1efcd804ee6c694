"""What does hesitation look like? One soft split beside a whole forest and beside a sharp tree."""

import streamlit as st

from espalier.data import samples
from espalier.language import say
from pages.shared.app import address, frame, pictures
from pages.shared.jobs import compilation
from pages.shared.models.learners import CULTIVATED
from pages.shared.models.settings import pick_width
from pages.shared.reports import forest
from pages.shared.reports.offer import offer
from pages.shared.tree import hesitation

PAGE = "hesitation"


@frame.guarded
def hesitation_page() -> None:
    """Figure 3 of the paper, live: three surfaces of the same rows, and the width of the soft one."""
    entries = hesitation.url_entries()
    frame.notes(address.load(PAGE, entries).notes)
    with st.container(horizontal=True, vertical_alignment="center", key="page heading"):
        st.subheader(say("What a split that hesitates looks like"), anchor=False)
        st.page_link("pages/tree.py", label=say("Back to your tree"), icon=":material/arrow_back:")
    st.caption(hesitation.introduction(), help=hesitation.measure())
    if not CULTIVATED.can_grow(samples.load(hesitation.DATA)):
        compilation.progress(CULTIVATED.kind.stage)
        return
    with frame.figure_part("surfaces"):
        with st.container(horizontal=True, vertical_alignment="center", key="hesitation-bar"):
            with st.container():
                pick_width(CULTIVATED.own, hesitation.target(), hesitation.n_rows())
            panels = hesitation.panels(st.session_state["k"])
            pictures.thumbnail(hesitation.accuracies(panels), 420)
        for side, panel in zip(st.columns(3), panels, strict=True):
            with side.container(key=f"hesitation-{panel.title[0]}"):
                hesitation.draw(panel, key=f"surface {panel.title[0]}")
    offer(PAGE, lambda: forest.hesitation_panels(panels))
    address.save(PAGE, entries)


frame.enter()
hesitation_page()

"""What does hesitation look like? One soft split beside a whole forest and beside a sharp tree."""

import streamlit as st

from espalier.data import samples
from espalier.language import say
from pages.shared.app import address, embedding, frame
from pages.shared.jobs import compilation
from pages.shared.models.learners import CULTIVATED
from pages.shared.models.tree_settings import pick_width
from pages.shared.reports import hesitation as reports
from pages.shared.reports.offer import offer
from pages.shared.tree import fits, hesitation
from pages.shared.tree.hesitation import SurfacePanel

PAGE, LEARNER = "hesitation", "cultivated"


@frame.guarded
def hesitation_page() -> None:
    """Figure 3 of the paper, live: three surfaces of the same rows, and the width of the soft one."""
    entries = hesitation.url_entries()
    frame.notes(address.load(PAGE, entries).notes)
    st.subheader(say("What a split that hesitates looks like"), anchor=False)
    st.markdown(hesitation.introduction())
    if not fits.can_grow(samples.load(hesitation.DATA), CULTIVATED):
        compilation.progress(CULTIVATED.kind.stage)
        return
    figure = embedding.part("surfaces")
    surfaces = figure.container()
    left, right = figure.columns([1, 2], vertical_alignment="center", gap="medium")
    with left:
        pick_width(CULTIVATED.own, hesitation.target(), hesitation.n_rows())
    right.caption(
        say(
            "How far the split of **a** may hesitate about its threshold: from one cut, as CART "
            "has it, to all there are. The paper takes √W, the root of the number of rows."
        )
    )
    with surfaces:
        panels = abreast()
    offer(PAGE, lambda: reports.reported(panels))
    address.save(PAGE, entries)


def abreast() -> list[SurfacePanel]:
    """Draw the ranking of the three, and their surfaces side by side; return them."""
    panels = hesitation.panels(st.session_state["k"])
    st.markdown(hesitation.verdict(panels))
    for side, panel in zip(st.columns(3), panels, strict=True):
        with side:
            hesitation.draw(panel, key=f"surface {panel.title[0]}")
    return panels


frame.enter()
hesitation_page()

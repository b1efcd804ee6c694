"""The bundled samples as cards to choose from."""

from __future__ import annotations

import base64

import streamlit as st

from espalier.data import samples
from espalier.data.errors import counted
from espalier.data.samples.descriptions import PICTURES
from espalier.display.column_pictures import SMALL_HEIGHT, thumbnail
from espalier.language import say
from pages.shared.data import library

ABREAST = 3
# Pages about a sample.
FIGURES = {"two-gaussians": "pages/hesitation.py"}


def draw(chosen: str) -> str | None:
    """All cards, `chosen` marked as in use. The name of the sample whose button was pressed."""
    names, pressed = samples.names(), None
    for start in range(0, len(names), ABREAST):
        for column, name in zip(st.columns(ABREAST), names[start : start + ABREAST], strict=False):
            with column, st.container(border=True, height="stretch"):
                pressed = name if _card(samples.card(name), name == chosen) else pressed
    return pressed


def take(name: str) -> None:
    """Make the sample the session's data set and show its tree."""
    library.choose(samples.load(name))
    st.switch_page("pages/tree.py", query_params={library.PARAMETER: name})


@st.cache_resource(show_spinner=False)
def _picture(name: str, theme: str) -> str:
    """Element of the sample's picture; Streamlit strips SVG from HTML, but lets it pass as an image."""
    picture = thumbnail(samples.load(name), *PICTURES[name], theme)
    packed = base64.b64encode(picture.encode()).decode()
    return f'<img alt="" height="{SMALL_HEIGHT}" style="width: 100%" src="data:image/svg+xml;base64,{packed}">'


def _card(card: samples.SampleCard, in_use: bool) -> bool:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{say(card.title)}**", width="stretch")
        if in_use:
            st.badge(say("in use"), icon=":material/check:", color="green")
        is_class = card.task == "classification"
        st.badge(
            say("classes") if is_class else say("number", context="kind of column"),
            color="blue" if is_class else "orange",
        )
    st.html(_picture(card.name, st.context.theme.type or "light"))
    st.markdown(say(card.description))
    st.caption(
        say(
            "{n_rows} × {n_features} · predicts *{target}*",
            n_rows=counted(card.n_rows, "row"),
            n_features=counted(card.n_columns, "column"),
            target=card.target,
        )
    )
    st.caption(f"{say(card.source)} · {card.licence}")
    st.space("stretch")  # the buttons of a row stand side by side
    if card.name in FIGURES:
        st.page_link(
            FIGURES[card.name],
            label=say("The paper's Figure 3"),
            icon=":material/compare:",
            help=say("A soft split, a forest and CART abreast"),
        )
    return st.button(
        say("Grow a tree on it"),
        key=f"grow {card.name}",
        width="stretch",
        help=say("Show the tree of {title}", title=say(card.title)),
    )

"""Tables to take into use, as small tiles: a person's own first, then the bundled samples."""

from __future__ import annotations

import base64

import streamlit as st

from espalier.data import Dataset, samples
from espalier.data.errors import counted
from espalier.data.samples.descriptions import PICTURES
from espalier.display.column_pictures import telling_pair, thumbnail
from espalier.language import say
from pages.shared.app.frame import callback, plain
from pages.shared.app.store import of_table
from pages.shared.data import library

FIRST = 8  # tiles in the row that is always there; the others are folded
MORE = "more-tables"  # key of the fold
FIGURES = {"two-gaussians": "pages/hesitation.py"}  # pages about a sample


def draw(chosen: str) -> None:
    """Draw a tile for each table; a click takes it into use. `chosen` is the text of the one in use."""
    own = [key for key in st.session_state.get(library.TITLES, {}) if library.store().find(key) is not None]
    names = [*reversed(own), *samples.names()]
    if chosen in names[FIRST:]:  # what is in use is in sight
        names.remove(chosen)
        names.insert(FIRST - 1, chosen)
    _row(names[:FIRST], chosen)
    more = st.expander(say("{n} more tables", n=len(names) - FIRST), key=MORE, on_change="rerun")
    if more.open:
        with more:
            _row(names[FIRST:], chosen)


def about(dataset: Dataset, name: str) -> None:
    """Say of a sample in use what its rows are and where they come from; nothing of a person's own table."""
    if name not in samples.names():
        return
    card = samples.card(name)
    st.caption(say(card.description), help=f"{say(card.source)} · {card.licence}")
    if name in FIGURES:
        st.page_link(FIGURES[name], label=say("The paper's Figure 3"), icon=":material/compare:")


def _row(names: list[str], chosen: str) -> None:
    with st.container(horizontal=True, gap="small", key=f"tiles of {names[0]}" if names else None):
        for name in names:
            with st.container(key=f"tile-here-{name}" if name == chosen else f"tile-{name}", width=150, gap=None):
                st.html(_picture(library.store().find(name) or samples.load(name)))
                title, words = _words(name)
                st.button(
                    title, f"take {name}", words, callback(library.take), (name,), type="tertiary", width="stretch"
                )


def _words(name: str) -> tuple[str, str]:
    """Title of a table, and what the pointer says of it."""
    dataset = library.store().find(name) or samples.load(name)
    card = samples.card(name) if name in samples.names() else None
    more = f"{say(card.description)} {say(card.source)} · {card.licence}. " if card else ""
    size = say(
        "{n_rows} × {n_features} · predicts *{target}*",
        n_rows=counted(len(dataset.y), "row"),
        n_features=counted(len(dataset.features), "column"),
        target=plain(dataset.target.name),
    )
    return plain(samples.title_of(dataset)), more + size


@of_table(max_entries=60)
def _picture(dataset: Dataset) -> str:
    """Element of a table's picture; Streamlit strips SVG from HTML, but lets it pass as an image."""
    name = library.key_of(dataset)
    picture = thumbnail(dataset, *(PICTURES[name] if name in PICTURES else telling_pair(dataset)))
    packed = base64.b64encode(picture.encode()).decode()
    return f'<img alt="" class="thumbnail" src="data:image/svg+xml;base64,{packed}">'

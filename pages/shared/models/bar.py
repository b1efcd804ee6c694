"""The bar on top of every page: five places, the table in use, Undo and Redo, and what is shared.

app.py draws it before a page runs, and the page fills what depends on it: its table, and the steps it can undo.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from contextvars import ContextVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from espalier.data import Dataset, samples
from espalier.data.roles import NO_ROLES
from espalier.data.samples import redrawn as redraws
from espalier.data.samples.redrawn import Redrawing
from espalier.display.theme import count, number
from espalier.language import Texts, say
from pages.shared.app import address, frame
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.canvas.control import slider
from pages.shared.data import filters, library
from pages.shared.models import drawer

PLACES = Texts({"tree": "Tree", "forest": "Forest", "trust": "Trust", "use": "Use", "learn": "Learn"})
PAGES_OF = {  # by place, what one comes to first, and what stands beside it
    "tree": ("tree", "hesitation"),
    "forest": ("forests", "approximate"),
    "trust": ("compare", "stability", "reliability"),
    "use": ("questionnaire", "new_rows"),
    "learn": ("lessons", "practice", "basics"),
}
WITHOUT_TABLE = ("hesitation", "lessons", "practice", "basics")  # pages that have figures of their own
LAST = "last-pages"  # key of the session state: by place, the page of it that was looked at last
PICKER = "data-picker"  # key of the widget; the address itself is the library's
SLOTS = ("table", "undo", "share")  # parts of the bar that the page fills
TABLES = "tables"  # key of the drawer of tables

_slots: ContextVar[Mapping[str, DeltaGenerator] | None] = ContextVar("slots", default=None)


def draw(page: st.Page, pages: Mapping[str, st.Page]) -> DeltaGenerator:
    """Draw the bar above this page; the place in it for the link to the page."""
    name = next(name for name, one in pages.items() if one is page)
    here = next((place for place, names in PAGES_OF.items() if name in names), "")
    last = st.session_state.setdefault(LAST, {})
    last |= {here: name} if here else {}
    with st.container(key="places", horizontal=True, gap="xsmall"):
        for place in PLACES:
            with st.container(key="place-here", width="content") if place == here else nullcontext():
                first = PAGES_OF[place][0]  # from beside it, a click on the place one is at leads back to it
                st.page_link(pages[first if place == here else last.get(place, first)], label=PLACES[place])
    with st.container(key="tools", horizontal=True, horizontal_alignment="right", gap="xsmall"):
        _slots.set({name: st.container(horizontal=True, gap="xsmall", width="content") for name in SLOTS})
    if name in WITHOUT_TABLE:
        chosen = library.find(st.session_state.get(library.CHOSEN, library.DEFAULT))
        label = say("Data") if chosen is None else _label(chosen)
        _slot("table").page_link(pages["data"], label=label, icon=":material/table:")
    if here not in ("", "tree"):
        with st.container(key="rooms", horizontal=True, gap="xsmall"):
            for one in PAGES_OF[here]:
                with st.container(key="room-here", width="content") if one == name else nullcontext():
                    st.page_link(pages[one])
    return _slot("share")


def _slot(part: str) -> DeltaGenerator:
    slots = _slots.get()
    return st.container() if slots is None else slots[part]


def table(dataset: Dataset, page: str, selected: Sequence[Entry]) -> None:
    """Fill in the table in use, and the way to others; say which of its rows it leaves out, and how they count.

    `selected` are the entries that mean nothing for other data: a change lets go of them.
    """
    if frame.is_embedded():
        return
    with _slot("table"):
        st.page_link("pages/data.py", label=_label(dataset), icon=":material/table:")
        how = _redrawing(dataset)
        if how is not None or page in HOLD_OUT:
            words = (
                say("Holds other rows out.") if how is None else say("Draws new rows from the same simulation.")
            )
            st.button(
                say("Other rows by chance"), icon=":material/casino:", key="draw-again", help=words,
                on_click=callback(_redraw), args=(how,),
            )  # fmt: skip
        tables = st.popover(say("Other tables"), key=TABLES, on_change="rerun")
        if tables.open:
            with tables:
                _pick(dataset, page, list(selected))
                redraw_controls(dataset)
                st.page_link("pages/data.py", label=say("Open your own table"), icon=":material/upload_file:")
    if library.WHERE in library.key_of(dataset):
        filters.line(dataset)
    if dataset.row_weights is not None or dataset.roles is not NO_ROLES:
        drawer.say_roles(dataset, page)


def _label(dataset: Dataset) -> str:
    """Name and size of a table, Markdown."""
    n_rows, n_columns = len(dataset.y), len(dataset.features)
    size = say("1 column") if n_columns == 1 else say("{n_features} columns", n_features=n_columns)
    size = say("{n_rows} rows · {features}", n_rows=count(n_rows), features=size)
    return f"**{plain(samples.title_of(dataset))}** :small[{size}]"


def _pick(dataset: Dataset, page: str, selected: list[Entry]) -> None:
    """The choice among the samples and the session's own tables."""
    own = st.session_state.get(library.TITLES, {})
    titles = {name: say(samples.card(name).title) for name in samples.names()} | own
    st.session_state[PICKER] = key = library.key_of(dataset)
    st.selectbox(
        say("Data"),
        list(titles | {key: dataset.name}),
        key=PICKER,
        format_func=lambda name: titles.get(name, samples.title_of(dataset)),
        on_change=callback(_take),
        args=(page, selected),
    )


def _take(page: str, selected: list[Entry]) -> None:
    key = st.session_state.get(PICKER)  # gone where the message of a page comes after the page has gone
    if key is not None and library.find(key) is not None:
        st.session_state[library.CHOSEN] = key
        address.rewrite(page, selected, **{library.PARAMETER: key})


def undo(page: str) -> None:
    """Fill in the buttons that take back the last change of a control, and make it again."""
    if frame.is_embedded():
        return
    again = say("Makes the change again that was taken back last.")
    ways = (
        (say("Undo"), "undo", address.undo, say("Takes the last change of a control back.")),
        (say("Redo"), "redo", address.redo, again),
    )
    with _slot("undo"):
        for (label, icon, act, words), is_possible in zip(ways, address.steps(page), strict=True):
            st.button(
                label, icon=f":material/{icon}:", help=words, disabled=not is_possible,
                on_click=callback(act), args=(page,),
            )  # fmt: skip


# ---- simulated samples drawn anew: their controls, and Other rows by chance beside the table

SEED = "seed"  # key of the session state: seed of the held-out rows
REDRAW_LABELS = Texts(
    {
        "rows": "Rows",
        "noise": "Noise",
        "overlap": "Overlap of the classes",
        "turn": "Turn the plane by (°)",
        "stretch": "Stretch the first axis by",
    }
)
HOLD_OUT = ("tree", "forests", "approximate")  # pages that draw the held-out rows by that seed


def _redrawing(dataset: Dataset) -> Redrawing | None:
    text = library.own_text(library.key_of(dataset))
    return redraws.redraw_of(text) if text.partition("~")[0] in redraws.SIMULATIONS else None


def _redraw(how: Redrawing | None) -> None:
    if how is None:
        st.session_state[SEED] = st.session_state.get(SEED, 0) + 1
    else:
        library.take(_redrawn_text(how._replace(seed=how.seed + 1)))


def _redrawn_text(how: Redrawing) -> str:
    """The data set's text, with the choice of classes and the filter of rows that there are."""
    key = library.chosen_key()
    return how.text + key.removeprefix(library.own_text(key))


def redraw_controls(dataset: Dataset) -> None:
    """Draw the sliders of a simulation; each shows what the address says."""
    how = _redrawing(dataset)
    if how is None:
        return
    simulation = redraws.SIMULATIONS[how.name]
    ranges = {
        "rows": redraws.ROWS._replace(usual=simulation.rows),
        "noise": simulation.noise,
        "overlap": redraws.OVERLAP if simulation.has_overlap else None,
        "turn": redraws.TURN if simulation.has_plane else None,
    }
    for name, limits in ranges.items():
        if limits is not None:
            n_steps = round((limits.high - limits.low) / limits.step)
            _redraw_slider(
                name, how, [round(limits.low + i * limits.step, 9) for i in range(n_steps + 1)], limits.usual
            )
    _redraw_slider("stretch", how, redraws.STRETCH, 1.0)
    if how != Redrawing(how.name):
        start = _redrawn_text(Redrawing(how.name))
        st.button(say("As it was"), icon=":material/undo:", on_click=callback(library.take), args=(start,))


def _redraw_slider(name: str, how: Redrawing, values: Sequence[float], usual: float) -> None:
    """A slider of one of the fields; the bundled sample's value is its default."""
    value, key = getattr(how, name), f"redraw-{name}"
    st.session_state[key] = usual if value is None else value

    def move() -> None:
        value = st.session_state[key]
        is_none = getattr(Redrawing(how.name), name) is None and value == usual
        text = _redrawn_text(how._replace(**{name: None if is_none else value}))
        take = library.show_for_now if address.moving() else library.take
        take(text)

    slider(
        REDRAW_LABELS[name], key=key, options=values, default=usual, format_func=number, on_change=callback(move)
    )

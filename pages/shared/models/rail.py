"""The left rail's controls that every learner shares: the data, the rows held out, Undo and Reset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import streamlit as st

from espalier.data import Dataset, HeldOut, samples
from pages.shared.app import address
from pages.shared.app.address import Entry, whole
from pages.shared.app.frame import callback
from pages.shared.data import library

PICKER = "data picker"  # key of the widget; the address itself is the library's
BIG = 1_000_000


class Help(NamedTuple):
    """Label of a control and what it means, with the field's own term."""

    label: str
    text: str


HELP = {
    "held": Help(
        "Rows held out for testing",
        "These rows are not used to grow the tree; they show how well it does on rows it has not seen. "
        "*Term:* hold-out or test set. Classes keep their shares, and a number its spread.",
    ),
    "seed": Help("Seed of the held-out rows", "Another number holds other rows out."),
}


def pick(help_of: Mapping[str, Help], key: str, widget: Callable[..., Any], **options: Any) -> None:
    """Draw a widget whose value stands in the session state under `key`, with its label and help."""
    words = help_of[key]
    widget(words.label, key=key, help=words.text, **options)


def held_out_entries() -> list[Entry]:
    """The controls of `draw_held_out` as parts of the address."""
    return [Entry("held", 30, whole(0, 80)), Entry("seed", 0, whole(0, BIG))]


def holdout() -> HeldOut:
    """What these controls stand for."""
    return HeldOut(st.session_state["held"], st.session_state["seed"])


def pick_data(dataset: Dataset, page: str, selected: list[Entry]) -> None:
    """The choice of the data set, among the samples and the session's own tables, and the way to more.

    `selected` are the entries that mean nothing for other data: a change lets go of them.
    """
    own = st.session_state.get(library.TITLES, {})
    titles = {name: samples.card(name).title for name in samples.names()} | own
    key = library.key_of(dataset)
    st.session_state[PICKER] = key
    st.selectbox(
        "Data",
        list(titles | {key: dataset.name}),
        key=PICKER,
        format_func=lambda name: titles.get(name, dataset.name),
        on_change=callback(_take_data),
        args=(page, selected),
    )
    st.page_link("pages/data.py", label="Open your own table", icon=":material/upload_file:")


def undo_and_reset(page: str, everything: list[Entry]) -> None:
    """Buttons that take back the last change of a control, or all of them."""
    with st.container(horizontal=True, key="undo and reset"):
        st.button(
            "Undo",
            icon=":material/undo:",
            on_click=callback(address.undo),
            args=(page,),
            disabled=not address.can_undo(page),
            help="Takes the last change of a control back, like your browser's Back button.",
            width="stretch",
        )
        st.button(
            "Reset",
            icon=":material/restart_alt:",
            on_click=callback(address.reset),
            args=(page, everything),
            help="Every control as at first; the data, and how the tree is grown, stay.",
            width="stretch",
        )


def _take_data(page: str, selected: list[Entry]) -> None:
    key = st.session_state[PICKER]
    if library.find(key) is not None:
        st.session_state[library.CHOSEN] = key
        address.rewrite(page, selected, **{library.PARAMETER: key})


def draw_held_out() -> None:
    """Share and seed of the rows kept for testing, as the rail has them, for a page without it."""
    pick_held()
    pick_seed()


def pick_held() -> None:
    """How many rows are kept for testing."""
    pick(HELP, "held", st.slider, min_value=0, max_value=80, step=5, format="%d %%")


def pick_seed() -> None:
    """Which rows are kept for testing."""
    pick(HELP, "seed", st.number_input, min_value=0, max_value=BIG)

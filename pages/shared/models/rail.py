"""The left rail's controls that every learner shares: the data, the rows held out, Undo and Reset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import streamlit as st

from espalier.data import Dataset, HeldOut, samples
from espalier.language import say
from pages.shared.app import address
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.app.links.readers import whole
from pages.shared.canvas.slider import slider
from pages.shared.data import by_condition, filters, library, redrawing
from pages.shared.words import everywhere as words
from pages.shared.words.data import roles as roles_words

PICKER = "data-picker"  # key of the widget; the address itself is the library's
MORE = "more"  # key of the drawer of controls that are set seldom: the same one for every learner
BIG = 1_000_000
HELD = 30  # per cent of the rows, if nobody says otherwise
# By page: what is done there with rows that belong together.
DONE = {
    "data": ("held",), "tree": ("held",), "forests": ("held", "drawn"), "compare": ("folds",),
    "stability": ("drawn",), "reliability": ("folds",), "approximate": ("held",), "questionnaire": ("held",),
}  # fmt: skip


def has_categories() -> bool:
    """Whether the chosen data have columns of categories."""
    dataset = library.find(library.chosen_key())
    return dataset is not None and bool(dataset.categorical.any())


class Help(NamedTuple):
    """Label of a control and its meaning, with the field's own term."""

    label: str
    text: str


def pick(help_of: Mapping[str, tuple[str, str]], key: str, widget: Callable[..., Any], **options: Any) -> None:
    """Draw a widget whose value stands in the session state under `key`, with its label and help."""
    control = Help(*help_of[key])
    widget(control.label, key=key, help=control.text, **options)


def more(label: str, draw: Callable[[], None]) -> None:
    """Draw what is set seldom, in a drawer; while that is closed its widgets cost nothing."""
    drawer = st.expander(label, key=MORE, on_change="rerun")
    if drawer.open:
        with drawer:
            draw()


def held_out_entries() -> list[Entry]:
    """The controls of `draw_held_out` as parts of the address."""
    return [Entry("held", HELD, whole(0, 80)), Entry("seed", 0, whole(0, BIG)), by_condition.entry()]


def holdout() -> HeldOut:
    """The rows to hold out that these controls stand for."""
    return HeldOut(st.session_state["held"], st.session_state["seed"], by_condition.in_force())


def pick_data(dataset: Dataset, page: str, selected: list[Entry]) -> None:
    """The choice of the data set, among the samples and the session's own tables, and the way to more.

    `selected` are the entries that mean nothing for other data: a change lets go of them.
    """
    own = st.session_state.get(library.TITLES, {})
    titles = {name: say(samples.card(name).title) for name in samples.names()} | own
    key = library.key_of(dataset)
    st.session_state[PICKER] = key
    st.selectbox(
        words.DATA,
        list(titles | {key: dataset.name}),
        key=PICKER,
        format_func=lambda name: titles.get(name, samples.title_of(dataset)),
        on_change=callback(_take_data),
        args=(page, selected),
    )
    redrawing.draw(dataset, page)
    filters.line(dataset)
    say_roles(dataset, page)
    st.page_link("pages/data.py", label=words.OWN_TABLE, icon=":material/upload_file:")


def say_roles(dataset: Dataset, page: str) -> None:
    """Say by which columns rows count, stay together or follow each other, and what that means on this page."""
    weights = dataset.row_weights
    notes = [] if weights is None else [roles_words.rows_count_by(plain(weights.name), page)]
    notes += [together(dataset, what) for what in DONE.get(page, ())]
    if any(notes):
        st.caption(" ".join(filter(None, notes)))


def together(dataset: Dataset, what: str) -> str:
    """How rows are held out ("held"), dealt into "folds" or "drawn", Markdown; empty without groups and times."""
    groups, times = dataset.roles.groups, dataset.roles.times
    if groups is None and times is None:
        return ""
    return roles_words.together(what, *("" if one is None else plain(one.name) for one in (groups, times)))


def undo_and_reset(page: str, everything: list[Entry]) -> None:
    """Buttons that take back the last change of a control, make it again, or take back all of them."""
    with st.container(horizontal=True, key="undo and reset"):
        st.button(
            words.UNDO,
            icon=":material/undo:",
            on_click=callback(address.undo),
            args=(page,),
            disabled=not address.can_undo(page),
            help=words.UNDO_HELP,
            width="stretch",
        )
        st.button(
            words.REDO,
            icon=":material/redo:",
            on_click=callback(address.redo),
            args=(page,),
            disabled=not address.can_redo(page),
            help=words.REDO_HELP,
            width="stretch",
        )
        st.button(
            words.RESET,
            icon=":material/restart_alt:",
            on_click=callback(address.reset),
            args=(page, everything),
            help=words.RESET_HELP,
            width="stretch",
        )


def _take_data(page: str, selected: list[Entry]) -> None:
    key = st.session_state.get(PICKER)  # gone where the message of a page comes after the page has gone
    if key is not None and library.find(key) is not None:
        st.session_state[library.CHOSEN] = key
        address.rewrite(page, selected, **{library.PARAMETER: key})


def draw_held_out() -> None:
    """Share and seed of the rows kept for testing, as the rail has them, for a page without it."""
    pick_held()
    pick_seed()


def pick_held() -> None:
    """Draw the control of the share of rows kept for testing, or say which ones a person chose."""
    if by_condition.draw():
        return
    pick(words.CONTROLS, "held", slider, options=range(0, 81, 5), default=HELD, format_func=words.per_cent)


def pick_seed() -> None:
    """Draw the control of the seed of the rows kept for testing."""
    pick(words.CONTROLS, "seed", st.number_input, min_value=0, max_value=BIG)

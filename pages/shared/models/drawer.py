"""The drawer of a page's settings, and the controls in it that every learner shares, such as the rows held out."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

import streamlit as st

from espalier.data import Dataset, HeldOut
from espalier.language import say, to_say
from pages.shared.app import address
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.canvas.control import Control, slider
from pages.shared.data import filters, library

SETTINGS = "settings"  # key of the drawer
BIG = 1_000_000
HELD = 30  # per cent of the rows, if nobody says otherwise
HELD_OUT = Control(
    "held", HELD, (0, 80), to_say("Rows held out for testing"),
    to_say("No tree grows on them: they show how well it does on new rows. *Term:* hold-out or test set."),
    slider, said=app_sentences.percentage,
)  # fmt: skip
SEED = Control(
    "seed", 0, (0, BIG), to_say("Seed of the held-out rows"), to_say("Another number holds other rows out.")
)
# By page: what is done there with rows that belong together.
DONE = {
    "data": ("held",), "tree": ("held",), "forests": ("held", "drawn"), "compare": ("folds",),
    "stability": ("drawn",), "reliability": ("folds",), "approximate": ("held",), "questionnaire": ("held",),
}  # fmt: skip


def has_categories() -> bool:
    """Whether the chosen data have columns of categories."""
    dataset = library.find(library.chosen_key())
    return dataset is not None and bool(dataset.categorical.any())


def pick(help_of: Mapping[str, tuple[str, str]], key: str, widget: Callable[..., Any], **options: Any) -> None:
    """Draw a widget whose value stands in the session state under `key`, with its label and help."""
    label, words = help_of[key]
    widget(label, key=key, help=words, **options)


def settings(page: str, entries: Sequence[Entry], draw: Callable[[], None], first: Container[str] = ()) -> None:
    """Draw the drawer of settings, while it is open; closed, its widgets cost nothing.

    Its label counts which of the entries differ from their defaults, but for the keys of `first`, which stand on
    the page itself. At its foot all of them can be reset; Undo takes that back.
    """
    choices = {choice.key for entry in entries for choice in (entry.only, *entry.also) if choice}
    values = {key: st.session_state.get(key) for key in choices}
    values |= {entry.key: st.session_state.get(entry.key, entry.default) for entry in entries}
    there = [entry for entry in entries if entry.undo and entry.key not in first and entry.is_in_use(values)]
    n = sum(values[entry.key] != entry.default for entry in there)
    label = say("More settings") + (f" · {n}" if n else "")
    drawer = st.popover(label, icon=":material/tune:", key=SETTINGS, on_change="rerun")
    if drawer.open:
        with drawer:
            draw()
            st.button(
                say("Reset"),
                icon=":material/restart_alt:",
                on_click=callback(address.reset),
                args=(page, list(entries)),
                help=say("Every control as at first; the data, and how the tree is grown, stay."),
                width="stretch",
            )


def heading(
    title: str, page: str, entries: Sequence[Entry], draw: Callable[[], None], first: Container[str] = ()
) -> None:
    """Draw the question that a page asks, with the drawer of its settings at the right."""
    with st.container(horizontal=True, vertical_alignment="center", key="page heading"):
        st.subheader(title, anchor=False)
        settings(page, entries, draw, first)


def held_out_entries() -> list[Entry]:
    """The controls of `draw_held_out` as parts of the address."""
    return [HELD_OUT.entry, SEED.entry, filters.held_rows_entry()]


def holdout() -> HeldOut:
    """The rows to hold out that these controls stand for."""
    rows = filters.held_rows() if st.session_state.get(filters.HELD_ROWS) else ""
    return HeldOut(st.session_state["held"], st.session_state["seed"], rows)


def say_roles(dataset: Dataset, page: str) -> None:
    """Say by which columns rows count, stay together or follow each other, and what that means on this page."""
    weights = dataset.row_weights
    notes = [together(dataset, what) for what in DONE.get(page, ())]
    if weights is not None:
        weight = plain(weights.name)
        notes.append(say("Rows count by weight **{weight}**, in growing and in scores.", weight=weight))
    if any(notes):
        st.caption(" ".join(filter(None, notes)))


def together(dataset: Dataset, what: str) -> str:
    """How rows are held out ("held"), dealt into "folds" or "drawn", Markdown; empty without groups and times."""
    groups, times = dataset.roles.groups, dataset.roles.times
    group, time = "" if groups is None else plain(groups.name), "" if times is None else plain(times.name)
    if what != "drawn" and time:
        return (
            say("The latest rows in the order of **{time}** are held out; the seed changes nothing.", time=time)
            if what == "held"
            else say("Folds go forward in the order of **{time}**; the seed changes nothing.", time=time)
        )
    texts = {
        "held": say("Whole groups of **{group}** are held out.", group=group),
        "folds": say("Folds are made of whole groups of **{group}**.", group=group),
        "drawn": say("Whole groups of **{group}** are drawn in place of rows.", group=group),
    }
    if what == "drawn" and time and not group:
        return say("Blocks of neighbours in the order of **{time}** are drawn in place of rows.", time=time)
    return texts[what] if group else ""


def draw_held_out() -> None:
    """Draw share and seed of the rows kept for testing, or say which ones a person chose."""
    if not filters.draw_held_rows():
        HELD_OUT.draw(options=range(0, 81, 5))
    SEED.draw()

"""Simulated samples drawn anew: their controls, and "Other rows by chance" beside the table."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from espalier.data import Dataset
from espalier.data.samples import redrawn as redraws
from espalier.data.samples.redrawn import Redrawing
from espalier.display.theme import number
from espalier.language import Texts, say
from pages.shared.app import address
from pages.shared.app.frame import callback
from pages.shared.canvas.slider import slider
from pages.shared.data import library

SEED = "seed"  # key of the session state: seed of the held-out rows
LABELS = Texts(
    {
        "rows": "Rows",
        "noise": "Noise",
        "overlap": "Overlap of the classes",
        "turn": "Turn the plane by (°)",
        "stretch": "Stretch the first axis by",
    }
)
HOLD_OUT = ("tree", "forests", "approximate")  # pages that draw the held-out rows by that seed


def button(dataset: Dataset, page: str) -> None:
    """Draw the button that draws a simulation anew, or holds other rows out, on pages where that is of use."""
    how = _how(dataset)
    if how is None and page not in HOLD_OUT:
        return
    words = say("Holds other rows out.") if how is None else say("Draws new rows from the same simulation.")
    st.button(
        say("Other rows by chance"), icon=":material/casino:", key="draw-again", help=words,
        on_click=callback(_again), args=(how,),
    )  # fmt: skip


def _how(dataset: Dataset) -> Redrawing | None:
    return redraws.redraw_of(library.own_text(library.key_of(dataset)))


def _again(how: Redrawing | None) -> None:
    if how is None:
        st.session_state[SEED] = st.session_state.get(SEED, 0) + 1
    else:
        library.take(_text(how._replace(seed=how.seed + 1)))


def _text(how: Redrawing) -> str:
    """The data set's text, with the choice of classes and the filter of rows that there are."""
    key = library.chosen_key()
    return how.text + key.removeprefix(library.own_text(key))


def controls(dataset: Dataset) -> None:
    """Draw the sliders of a simulation; each shows what the address says."""
    how = _how(dataset)
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
            _slider(name, how, [round(limits.low + i * limits.step, 9) for i in range(n_steps + 1)], limits.usual)
    _slider("stretch", how, redraws.STRETCH, 1.0)
    if how != Redrawing(how.name):
        start = _text(Redrawing(how.name))
        st.button(say("As it was"), icon=":material/undo:", on_click=callback(library.take), args=(start,))


def _slider(name: str, how: Redrawing, values: Sequence[float], usual: float) -> None:
    """A slider of one of the fields; the bundled sample's value is its default."""
    value, key = getattr(how, name), f"redraw-{name}"
    st.session_state[key] = usual if value is None else value

    def move() -> None:
        value = st.session_state[key]
        is_none = getattr(Redrawing(how.name), name) is None and value == usual
        text = _text(how._replace(**{name: None if is_none else value}))
        take = library.show_for_now if address.moving() else library.take
        take(text)

    slider(LABELS[name], key=key, options=values, default=usual, format_func=number, on_change=callback(move))

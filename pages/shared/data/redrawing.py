"""Simulated samples drawn anew: their controls, and "Other rows by chance" beside the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from espalier.data import Dataset
from espalier.data.samples import redrawn as redraws
from espalier.data.samples.redrawn import Redrawing
from espalier.display.theme import number
from espalier.language import in_style, say
from pages.shared.app import address
from pages.shared.app.frame import callback
from pages.shared.canvas.slider import slider
from pages.shared.data import library

SEED = "seed"  # key of the session state: seed of the held-out rows
HOLD_OUT = ("tree", "forests", "approximate")  # pages that draw the held-out rows by that seed


def button(dataset: Dataset, page: str) -> None:
    """Draw the button that draws a simulation anew, or holds other rows out, on pages where that is of use."""
    how = _how(dataset)
    if how is None and page not in HOLD_OUT:
        return
    st.button(
        say("Other rows by chance"),
        icon=":material/casino:",
        key="draw-again",
        help=say("Holds out other rows: the tree grows on another part of the same data.")
        if how is None
        else say("Draws new rows from the same simulation: what changes is chance."),
        on_click=callback(_again),
        args=(how,),
    )


def _how(dataset: Dataset) -> Redrawing | None:
    return redraws.redraw_of(library.own_text(library.key_of(dataset)))


def _again(how: Redrawing | None) -> None:
    if how is None:
        st.session_state[SEED] = st.session_state.get(SEED, 0) + 1
    else:
        _take(how._replace(seed=how.seed + 1))


def _take(how: Redrawing) -> None:
    library.take(_text(how))


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
    rows, noise = redraws.ROWS._replace(usual=simulation.rows), simulation.noise
    _range_slider("rows", how, say("Rows"), rows)
    if noise is not None:
        label = say("Share of rows with the wrong class") if simulation.is_flip else say("Noise")
        _range_slider("noise", how, label, noise)
    if simulation.has_overlap:
        _range_slider("overlap", how, say("Overlap of the classes"), redraws.OVERLAP)
    if simulation.has_plane:
        _range_slider(
            "turn", how, say("Turn the plane by"), redraws.TURN, lambda x: say("{turn}°", turn=in_style(f"{x:g}"))
        )
    _slider(
        "stretch",
        how,
        say("Stretch the first axis"),
        redraws.STRETCH,
        1.0,
        lambda x: say("× {factor}", factor=in_style(f"{x:g}")),
        say(
            "Measures the first column in another unit. A tree's splits stretch with it and its "
            "answers stay; turning the plane changes them."
        ),
    )
    if how != Redrawing(how.name):
        st.button(say("As it was"), icon=":material/undo:", on_click=callback(_take), args=(Redrawing(how.name),))


def _range_slider(
    name: str, how: Redrawing, label: str, limits: redraws.Range, format_func: Callable[[float], str] = number
) -> None:
    places = range(round((limits.high - limits.low) / limits.step) + 1)
    _slider(name, how, label, [round(limits.low + i * limits.step, 9) for i in places], limits.usual, format_func)


def _slider(
    name: str,
    how: Redrawing,
    label: str,
    options: Sequence[float],
    usual: float,
    format_func: Callable[[float], str] = number,
    help: str = "",
) -> None:
    """A slider of one of the fields; the bundled sample's value is its default."""
    value, key = getattr(how, name), f"redraw-{name}"
    st.session_state[key] = usual if value is None else value

    def move() -> None:
        value = st.session_state[key]
        is_none = getattr(Redrawing(how.name), name) is None and value == usual
        simulation = how._replace(**{name: None if is_none else value})
        if address.moving():
            library.show_for_now(_text(simulation))
        else:
            _take(simulation)

    slider(
        label,
        key=key,
        options=options,
        default=usual,
        format_func=format_func,
        help=help,
        on_change=callback(move),
    )

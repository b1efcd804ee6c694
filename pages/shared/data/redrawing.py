"""Simulated samples drawn anew: their controls, and "Other rows by chance" beside the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from espalier.data import Dataset
from espalier.data.samples import redrawn as redraws
from espalier.data.samples.redrawn import Redrawing, Simulation
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


def controls(dataset: Dataset) -> None:
    """Draw the sliders of a simulation: its noise, rotation, scale and number of rows."""
    if (how := _how(dataset)) is not None:
        _controls(how, redraws.SIMULATIONS[how.name])


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


def _controls(how: Redrawing, one: Simulation) -> None:
    """The sliders; each shows what the address says."""
    rows, noise = redraws.ROWS._replace(usual=one.rows), one.noise
    _slider("rows", how, say("Rows"), _steps(rows), rows.usual)
    if noise is not None:
        _slider(
            "noise",
            how,
            say("Share of rows with the wrong class") if one.is_flip else say("Noise"),
            _steps(noise),
            noise.usual,
        )
    if one.has_overlap:
        _slider("overlap", how, say("Overlap of the classes"), _steps(redraws.OVERLAP), redraws.OVERLAP.usual)
    if one.has_plane:
        _slider("turn", how, say("Turn the plane by"), _steps(redraws.TURN), redraws.TURN.usual, _degrees)
    _slider(
        "stretch",
        how,
        say("Stretch the first axis"),
        redraws.STRETCH,
        1.0,
        _times,
        say(
            "Measures the first column in another unit. A tree's splits stretch with it and its "
            "answers stay; turning the plane changes them."
        ),
    )
    if how != Redrawing(how.name):
        st.button(say("As it was"), icon=":material/undo:", on_click=callback(_take), args=(Redrawing(how.name),))


def _steps(limits: redraws.Range) -> list[float]:
    many = round((limits.high - limits.low) / limits.step)
    return [round(limits.low + i * limits.step, 9) for i in range(many + 1)]


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
    value = getattr(how, name)
    st.session_state[_key(name)] = usual if value is None else value

    def moved() -> None:
        value = st.session_state[_key(name)]
        is_none = getattr(Redrawing(how.name), name) is None and value == usual
        drawn = how._replace(**{name: None if is_none else value})
        if address.moving():
            library.show_for_now(_text(drawn))
        else:
            _take(drawn)

    slider(
        label, key=_key(name), options=options, default=usual, format_func=format_func, help=help,
        on_change=callback(moved),
    )  # fmt: skip


def _key(name: str) -> str:
    return f"redraw-{name}"


def _degrees(turn: float) -> str:
    """A turn of the plane."""
    return say("{turn}°", turn=in_style(f"{turn:g}"))


def _times(factor: float) -> str:
    """A factor by which the first column is stretched."""
    return say("× {factor}", factor=in_style(f"{factor:g}"))

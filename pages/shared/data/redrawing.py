"""Simulated samples drawn anew: their controls in the rail, and "Draw again" beside the data."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from espalier.data import Dataset
from espalier.data.samples import redrawn as redraws
from espalier.data.samples.redrawn import Redrawing, Simulation
from espalier.views.theme import number
from pages.shared.app import address
from pages.shared.app.frame import callback
from pages.shared.canvas.slider import slider
from pages.shared.data import library
from pages.shared.words.data import page as words

SEED = "seed"  # key of the session state: seed of the held-out rows
HOLD_OUT = ("tree", "forests", "approximate")  # pages that draw the held-out rows by that seed


def draw(dataset: Dataset, page: str) -> None:
    """Draw both, where they are of use: "Draw again" of simulated samples, and of held-out rows on their pages."""
    how = redraws.redraw_of(library.own_text(library.key_of(dataset)))
    if how is None and page not in HOLD_OUT:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="draw the data again"):
        st.button(
            words.DRAW_AGAIN, icon=":material/casino:", width="stretch", key="draw-again",
            help=words.DRAW_AGAIN_ROWS if how is None else words.DRAW_AGAIN_DATA,
            on_click=callback(_again), args=(how,),
        )  # fmt: skip
        if how is not None:
            with st.popover("", icon=":material/tune:", help=words.SIMULATION):
                _controls(how, redraws.SIMULATIONS[how.name])


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
    _slider("rows", how, words.ROWS, _steps(rows), rows.usual)
    if noise is not None:
        _slider("noise", how, words.FLIPS if one.is_flip else words.NOISE, _steps(noise), noise.usual)
    if one.has_overlap:
        _slider("overlap", how, words.OVERLAP, _steps(redraws.OVERLAP), redraws.OVERLAP.usual)
    if one.has_plane:
        _slider("turn", how, words.TURN, _steps(redraws.TURN), redraws.TURN.usual, words.degrees)
    _slider("stretch", how, words.STRETCH, redraws.STRETCH, 1.0, words.times, words.STRETCH_HELP)
    if how != Redrawing(how.name):
        st.button(words.AS_BUNDLED, icon=":material/undo:", on_click=callback(_take), args=(Redrawing(how.name),))


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

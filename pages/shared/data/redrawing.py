"""Simulated samples drawn anew: their controls in the rail, and "Draw again" beside the data."""

from __future__ import annotations

from typing import Any

import streamlit as st

from espalier.data import Dataset
from espalier.data.samples import redrawn as redraws
from espalier.data.samples.redrawn import Redrawing, Simulation
from pages.shared.app.frame import callback
from pages.shared.data import library
from pages.shared.words import data as words

SEED = "seed"  # key of the session state: seed of the held-out rows
HOLD_OUT = ("tree", "forests", "approximate")  # pages that draw the held-out rows by that seed


def draw(dataset: Dataset, page: str) -> None:
    """Draw both, where they are of use: "Draw again" of simulated samples, and of held-out rows on their pages."""
    how = redraws.redraw_of(library.key_of(dataset))
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
    st.session_state[library.CHOSEN] = st.query_params[library.PARAMETER] = how.text


def _controls(how: Redrawing, one: Simulation) -> None:
    """The sliders; each shows what the address says."""
    noise = one.noise
    st.session_state.update(_values(how, one))
    _slider("rows", how, words.ROWS, low=redraws.ROWS.low, high=redraws.ROWS.high, step=redraws.ROWS.step)
    if noise is not None:
        label = words.FLIPS if one.is_flip else words.NOISE
        _slider("noise", how, label, low=noise.low, high=noise.high, step=noise.step)
    if one.has_overlap:
        _slider("overlap", how, words.OVERLAP, **_limits(redraws.OVERLAP))
    if one.has_plane:
        _slider("turn", how, words.TURN, format="%d°", **_limits(redraws.TURN))
    st.select_slider(
        words.STRETCH, redraws.STRETCH, key=_key("stretch"), help=words.STRETCH_HELP,
        format_func=lambda factor: f"× {factor:g}", on_change=callback(_moved), args=("stretch", how),
    )  # fmt: skip
    if how != Redrawing(how.name):
        st.button(words.AS_BUNDLED, icon=":material/undo:", on_click=callback(_take), args=(Redrawing(how.name),))


def _limits(limits: redraws.Range) -> dict[str, float]:
    return {"low": limits.low, "high": limits.high, "step": limits.step}


def _values(how: Redrawing, one: Simulation) -> dict[str, Any]:
    """What the sliders show, by their keys in the session state."""
    rows, noise = how.rows, how.noise
    if noise is None:
        noise = 0.0 if one.noise is None else one.noise.usual
    shown = {"rows": one.rows if rows is None else rows, "noise": noise, "overlap": how.overlap}
    shown |= {"turn": int(how.turn), "stretch": how.stretch}
    return {_key(name): value for name, value in shown.items()}


def _slider(name: str, how: Redrawing, label: str, low: float, high: float, step: float, **options: Any) -> None:
    kind = int if name in ("rows", "turn") else float
    ends = {"min_value": kind(low), "max_value": kind(high), "step": kind(step)}
    st.slider(label, key=_key(name), on_change=callback(_moved), args=(name, how), **ends, **options)


def _moved(name: str, how: Redrawing) -> None:
    """A slider moved: what it shows stands in the address; the bundled sample's value does not."""
    value, one = st.session_state[_key(name)], redraws.SIMULATIONS[how.name]
    usual = {"rows": one.rows, "noise": None if one.noise is None else one.noise.usual}
    _take(how._replace(**{name: None if name in usual and value == usual[name] else value}))


def _key(name: str) -> str:
    return f"redraw-{name}"

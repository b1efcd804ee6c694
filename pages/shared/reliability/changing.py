"""Changes of a row that are allowed in the search for another answer: a person's choice, in the address."""

from __future__ import annotations

import re
from collections.abc import Callable

import streamlit as st

from espalier.analysis.reliability.changeable import Allowed
from espalier.analysis.reliability.counterfactuals import asked_by
from espalier.data.dataset import Dataset
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback
from pages.shared.models.rail import Help
from pages.shared.words import reliability as words

KEYS = {name: f"may-{name}" for name in ("keep", "up", "down")}  # of the session state, by name in the address


def url_entries(dataset: Dataset) -> list[Entry]:
    """The features that stay, that only go up, and only down: their numbers, counted from 1, between dots."""
    read = _numbers(len(dataset.features))
    return [Entry(key, "", read, undo=False, name=name) for name, key in KEYS.items()]


def _numbers(n: int) -> Callable[[str], str]:
    def read(text: str) -> str:
        if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})*", text) or not all(
            1 <= int(i) <= n for i in text.split(".")
        ):
            raise ValueError(words.form_of_features(n))
        return text

    return read


def allowed() -> Allowed:
    """The changes that the person allows."""
    return Allowed(*map(_chosen, KEYS))


def _chosen(name: str) -> tuple[int, ...]:
    return tuple(sorted({int(i) - 1 for i in (st.session_state.get(KEYS[name]) or "").split(".") if i}))


def key() -> str:
    """Key of the choice, for caches."""
    return " ".join(f"{name}={st.session_state.get(key) or ''}" for name, key in KEYS.items())


def draw(dataset: Dataset, model) -> None:
    """Draw the choice among the features that the model asks, and the limits that hold anyway."""
    asked = [f for f, is_asked in enumerate(asked_by(model, len(dataset.features))) if is_asked]
    with st.expander(words.MAY_CHANGE, expanded=any(allowed())):
        st.caption(words.PLAUSIBLE)
        for name, column in zip(KEYS, st.columns(3), strict=True):
            offered = [f for f in asked if name == "keep" or dataset.features[f].kind != "category"]
            widget = f"{name}-features"
            st.session_state[widget] = [f for f in _chosen(name) if f in offered]
            control = Help(*words.CHANGE_HELP[name])
            column.multiselect(
                control.label, offered, key=widget, format_func=lambda f: dataset.features[f].name,
                help=control.text, on_change=callback(_keep), args=(name, widget), placeholder=words.NONE,
            )  # fmt: skip


def _keep(name: str, widget: str) -> None:
    """Write a choice into the address (a callback)."""
    chosen = [f for f in st.session_state[widget] if isinstance(f, int)]
    st.session_state[KEYS[name]] = ".".join(str(f + 1) for f in sorted(chosen))

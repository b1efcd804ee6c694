"""What may change of a row where a change is sought that changes the answer: a person's choice, in the address."""

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

KEYS = ("keep", "up", "down")
HELP = {
    "keep": Help("Stay as they are", "What nobody can change, such as an age or a place of birth."),
    "up": Help("May only go up", "Such as years of experience: a change that makes them less is not offered."),
    "down": Help("May only go down", "Such as debts: a change that makes them more is not offered."),
}
PLAUSIBLE = (
    "Only values that the table has room for are offered: numbers between the least and the greatest that stand "
    "there, whole numbers as whole ones, categories among those seen. The smallest change is that of the fewest "
    "features; of those, the one that moves them least, each as a part of its range."
)


def url_entries(dataset: Dataset) -> list[Entry]:
    """The features that stay, that only go up, and only down: their numbers, counted from 1, between dots."""
    return [Entry(key, "", _numbers(len(dataset.features)), undo=False) for key in KEYS]


def _numbers(n: int) -> Callable[[str], str]:
    def read(text: str) -> str:
        if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})*", text) or not all(
            1 <= int(i) <= n for i in text.split(".")
        ):
            raise ValueError(f"numbers of features from 1 to {n}, with dots between them")
        return text

    return read


def allowed() -> Allowed:
    """What the person allows to change."""
    return Allowed(*(_chosen(key) for key in KEYS))


def _chosen(key: str) -> tuple[int, ...]:
    return tuple(sorted({int(i) - 1 for i in (st.session_state.get(key) or "").split(".") if i}))


def key() -> str:
    """Names the choice, for caches."""
    return " ".join(f"{key}={st.session_state.get(key) or ''}" for key in KEYS)


def draw(dataset: Dataset, model) -> None:
    """The choice, and what is plausible anyway; of the features that the model asks."""
    asked = [f for f, is_asked in enumerate(asked_by(model, len(dataset.features))) if is_asked]
    with st.expander("What may change", expanded=any(allowed())):
        st.caption(PLAUSIBLE)
        for entry, column in zip(KEYS, st.columns(3), strict=True):
            offered = [f for f in asked if entry == "keep" or dataset.features[f].kind != "category"]
            widget = f"{entry} features"
            st.session_state[widget] = [f for f in _chosen(entry) if f in offered]
            column.multiselect(
                HELP[entry].label, offered, key=widget, format_func=lambda f: dataset.features[f].name,
                help=HELP[entry].text, on_change=callback(_keep), args=(entry, widget), placeholder="none",
            )  # fmt: skip


def _keep(entry: str, widget: str) -> None:
    """Write a choice into the address (a callback)."""
    chosen = [f for f in st.session_state[widget] if isinstance(f, int)]
    st.session_state[entry] = ".".join(str(f + 1) for f in sorted(chosen))

"""CART: its controls in plain words, with the field's own term in the help text."""

from __future__ import annotations

import streamlit as st

from espalier.data.dataset import Feature
from espalier.learners import catalogue
from pages.shared.models import rail
from pages.shared.models.common import TreeSettings
from pages.shared.models.record import LearnerControls
from pages.shared.words import everywhere as words

SETTINGS = TreeSettings("cart", defaults={"depth": 3})
KIND = catalogue.named("cart")


def draw(target: Feature, _n_rows: int) -> None:
    """The controls; their values stand in the session state under the keys of the address."""
    SETTINGS.drop_invalid(target)
    SETTINGS.pick_depth("depth", target)
    for key in ("criterion", "leaf", "alpha"):
        SETTINGS.pick(key, target)
    rail.pick_held()
    with st.expander(words.MORE_OF_CART):
        for key in ("leaves", "split", "gain", "features", "splitter", "missing", "weights", "random"):
            if key in SETTINGS.of(target):
                SETTINGS.pick(key, target)
        rail.pick_seed()


def why_no_split(n_rows: int) -> str | None:
    """Return the reason why a tree of so many rows is a lone root, if a control is the reason."""
    state = st.session_state
    if state["split"] > n_rows:
        return words.lone_by_rows(n_rows, state["split"])
    if 2 * state["leaf"] > n_rows:
        return words.lone_by_leaves(n_rows, state["leaf"])
    if state["alpha"] > 0 or state["gain"] > 0:
        return words.LONE_BY_PRICE
    return None


CART = LearnerControls(
    title=KIND.title,
    words=KIND.words,
    entries=SETTINGS.url_entries,
    draw=draw,
    model=SETTINGS.model,
    serves=KIND.serves,
    why_no_split=why_no_split,
    long=2_000_000,
    uncompiled=True,
    stage=KIND.stage,
)

"""CART: its controls in plain words, with the field's own term in the help text."""

from __future__ import annotations

import streamlit as st

from espalier.data.dataset import Feature
from espalier.learners import CartClassifier, CartRegressor, catalogue
from pages.shared.models import rail
from pages.shared.models.common import TreeSettings
from pages.shared.models.record import LearnerControls

SETTINGS = TreeSettings("cart", first_depth=3)
KIND = catalogue.named("cart")


def draw(target: Feature, _n_rows: int) -> None:
    """The controls; their values stand in the session state under the keys of the address."""
    SETTINGS.drop_invalid(target)
    SETTINGS.pick_depth("depth", target)
    for key in ("criterion", "leaf", "alpha"):
        SETTINGS.pick(key, target)
    rail.pick_held()
    with st.expander("More ways to stop, and chance"):
        for key in ("leaves", "split", "gain", "features", "splitter", "weights", "random"):
            if key in SETTINGS.of(target):
                SETTINGS.pick(key, target)
        rail.pick_seed()


def why_no_split(n_rows: int) -> str | None:
    """Which control left a lone root of so many rows, if one did."""
    state = st.session_state
    if state["split"] > n_rows:
        return f"it was grown on {n_rows} rows, fewer than the {state['split']} that a split needs"
    if 2 * state["leaf"] > n_rows:
        return f"{n_rows} rows do not make two leaves of {state['leaf']} rows each"
    if state["alpha"] > 0 or state["gain"] > 0:
        return "no split is worth its price; lower pruning α, or the decrease of impurity that a split needs"
    return None


CART = LearnerControls(
    title=KIND.title,
    words=KIND.words,
    entries=SETTINGS.url_entries,
    draw=draw,
    parameters=SETTINGS.parameters,
    estimators={True: CartClassifier, False: CartRegressor},
    why_no_split=why_no_split,
    long=2_000_000,
    uncompiled=True,
    stage=KIND.stage,
)

"""CART: its controls in plain words, with the field's own term in the help text."""

from __future__ import annotations

import streamlit as st

from espalier.data.dataset import Feature
from espalier.language import say
from espalier.learners import catalogue
from pages.shared.app import sentences as app_sentences
from pages.shared.models import rail
from pages.shared.models.common import TreeSettings, controls_of

SETTINGS = TreeSettings("cart", defaults={"depth": 3})
KIND = catalogue.named("cart")
GAPS = ("missing", "impute-with", "surrogates")


def draw(target: Feature, _n_rows: int) -> None:
    """The controls; their values stand in the session state under the keys of the address."""
    SETTINGS.drop_invalid(target)
    SETTINGS.pick_depth("depth", target)
    for key in ("criterion", "leaf"):
        SETTINGS.pick(key, target)
    SETTINGS.pick_alpha(target)
    SETTINGS.pick_costs(target)
    rail.pick_held()
    rail.more(say("Limits, missing values, columns, chance"), lambda: _draw_more(target))


def _draw_more(target: Feature) -> None:
    for key in ("leaves", "split", "gain", "features", "splitter", *GAPS):
        if SETTINGS.has_effect(key, target):
            SETTINGS.pick(key, target)
    _pick_of_columns(target)
    SETTINGS.pick_more(("weights", "random"), target)


def _pick_of_columns(target: Feature) -> None:
    """Draw the settings that columns of categories, and those of numbers, have."""
    if rail.has_categories():
        SETTINGS.pick("categories", target)
    by_surrogates = st.session_state["missing"] == "surrogate"
    SETTINGS.pick("monotone", target, why_not=say("Not with surrogate splits") if by_surrogates else "")
    SETTINGS.pick("without", target)


def why_no_split(n_rows: int) -> str | None:
    """Return the reason why a tree of so many rows is a lone root, if a control is the reason."""
    state = st.session_state
    if state["split"] > n_rows:
        return app_sentences.too_few_rows(n_rows, state["split"])
    if 2 * state["leaf"] > n_rows:
        return app_sentences.too_few_for_leaves(n_rows, state["leaf"])
    if state["alpha"] > 0 or state["gain"] > 0:
        return say(app_sentences.LONE_BY_PRICE)
    return None


CART = controls_of(SETTINGS, draw, why_no_split, long=2_000_000, uncompiled=True)

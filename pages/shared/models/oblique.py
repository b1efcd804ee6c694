"""Oblique trees: their controls in plain words, with the estimator's parameters in the help text."""

from __future__ import annotations

import streamlit as st

from espalier.data.dataset import Feature
from espalier.language import say
from espalier.learners import catalogue
from pages.shared.app import sentences as app_sentences
from pages.shared.models import rail
from pages.shared.models.common import TreeSettings, controls_of

DEPTH, LEAF = "oblique-depth", "oblique-leaf"  # keys of the session state: CART has its own
SETTINGS = TreeSettings("oblique", keys={"depth": DEPTH, "leaf": LEAF})
KIND = catalogue.find_kind("oblique")


def draw(target: Feature, _n_rows: int) -> None:
    """The controls; their values stand in the session state under the keys of the address."""
    SETTINGS.drop_invalid(target)
    SETTINGS.pick_depth(DEPTH, target)
    for key in ("terms", LEAF):
        SETTINGS.pick(key, target)
    SETTINGS.pick_costs(target)
    rail.pick_held()
    rail.more(
        say("Splits, columns, pruning and weights"),
        lambda: SETTINGS.pick_more(("purity", "split", "gain", "alpha", "without", "weights"), target),
    )


def why_no_split(n_rows: int) -> str | None:
    """Return the reason why a tree of so many rows is a lone root, if a control is it."""
    state = st.session_state
    if state["split"] > n_rows:
        return app_sentences.too_few_rows(n_rows, state["split"])
    if 2 * state[LEAF] > n_rows:
        return app_sentences.too_few_for_leaves(n_rows, state[LEAF])
    return say(app_sentences.LONE_BY_PRICE) if state["alpha"] > 0 or state["gain"] > 0 else None


OBLIQUE = controls_of(SETTINGS, draw, why_no_split, long=50_000)

"""Model trees: their controls in plain words, with the estimator's parameters in the help text."""

from __future__ import annotations

import streamlit as st

from espalier.data.dataset import Feature
from espalier.language import say
from espalier.learners import catalogue
from pages.shared.models import rail
from pages.shared.models.common import TreeSettings, controls_of

DEPTH, LEAF = "formulas-depth", "formulas-leaf"  # keys of the session state: CART has its own
SETTINGS = TreeSettings("model-tree", keys={"depth": DEPTH, "leaf": LEAF})
KIND = catalogue.find_kind("model-tree")


def draw(target: Feature, _n_rows: int) -> None:
    """The controls; their values stand in the session state under the keys of the address."""
    SETTINGS.drop_invalid(target)
    SETTINGS.pick_depth(DEPTH, target)
    for key in (LEAF, "shrinkage"):
        SETTINGS.pick(key, target)
    SETTINGS.pick_costs(target)
    rail.pick_held()
    rail.more(say("Columns, weights and chance"), lambda: SETTINGS.pick_more(("without", "weights"), target))


def why_no_split(n_rows: int) -> str | None:
    """Return the reason why a tree of so many rows is a lone root."""
    least = st.session_state[LEAF] or 1
    return (
        say("{n_rows} rows do not make two leaves of {least} rows each", n_rows=n_rows, least=least)
        if 2 * least > n_rows
        else say("one formula for all rows is as good as any split by the information criterion")
    )


MODEL_TREE = controls_of(SETTINGS, draw, why_no_split, long=50_000)

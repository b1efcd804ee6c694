"""Optimal trees: their controls in plain words, with the estimator's parameters in the help text."""

from __future__ import annotations

import streamlit as st

from espalier.data.dataset import Feature
from espalier.language import say
from espalier.learners import catalogue
from espalier.learners.catalogue.settings import CUTS
from pages.shared.canvas.slider import slider
from pages.shared.models import rail
from pages.shared.models.common import TreeSettings, controls_of

LEAF, SETS = "optimal-leaf", "optimal-categories"  # keys of the session state: CART has its own
SETTINGS = TreeSettings("optimal", keys={"depth": "height", "leaf": LEAF, "categories": SETS})
KIND = catalogue.find_kind("optimal")


def draw(target: Feature, _n_rows: int) -> None:
    """The controls; their values stand in the session state under the keys of the address."""
    SETTINGS.drop_invalid(target)
    SETTINGS.pick_depth("height", target)
    numbers = range(int(CUTS.low), int(CUTS.high) + 1)
    SETTINGS.pick("cuts", target, slider, options=[CUTS.default, *numbers, None], format_func=CUTS.said)
    SETTINGS.pick_costs(target)
    if not target.categories:
        SETTINGS.pick(LEAF, target)
    rail.pick_held()
    sets = (SETS,) if rail.has_categories() and SETTINGS.has_effect(SETS, target) else ()
    keys = ("splits", "source", *sets, "monotone", "without", "seconds", "weights", "random")
    more = say("Size, thresholds, columns, time") if target.categories else say("Size, columns, time")
    rail.more(more, lambda: _more(keys, target))


def _more(keys: tuple[str, ...], target: Feature) -> None:
    SETTINGS.pick_more(keys, target)
    if rail.has_categories() and SETS in SETTINGS.of(target) and SETS not in keys:
        st.caption(say("Beside monotone columns, a split parts one category from all others."))


def why_no_split(_n_rows: int) -> str | None:
    """Return the reason why a tree is a lone root."""
    return say("no tree of this size over these questions is better than no question at all")


OPTIMAL = controls_of(SETTINGS, draw, why_no_split, long=0, is_searched=True)

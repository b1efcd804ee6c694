"""Optimal trees: their controls in plain words, with the estimator's parameters in the help text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from espalier.data.dataset import Feature
from espalier.learners import catalogue
from espalier.learners.catalogue import Model
from espalier.learners.catalogue.settings import CUTS
from pages.shared.canvas.slider import slider
from pages.shared.models import rail
from pages.shared.models.common import TreeSettings, controls_of
from pages.shared.words import everywhere as words

LEAF = "optimal-leaf"  # key of the session state: CART has its own
OF_ONE_NUMBER = ("purity", "monotone")  # settings that have no effect where leaves have lines
SETTINGS = TreeSettings("optimal", keys={"depth": "height", "leaf": LEAF})
KIND = catalogue.named("optimal")


def draw(target: Feature, _n_rows: int) -> None:
    """The controls; their values stand in the session state under the keys of the address."""
    SETTINGS.drop_invalid(target)
    SETTINGS.pick_depth("height", target)
    numbers = range(int(CUTS.low), int(CUTS.high) + 1)
    SETTINGS.pick("cuts", target, slider, options=[CUTS.default, *numbers, None], format_func=CUTS.said)
    SETTINGS.pick_costs(target)
    if not target.categories:
        for key in ("lines", "purity", LEAF):
            if not (key in OF_ONE_NUMBER and _has_lines(target)):
                SETTINGS.pick(key, target)
    rail.pick_held()
    sets = ("categories",) if rail.has_categories() else ()
    directed = () if _has_lines(target) else ("monotone",)
    keys = ("splits", "source", *sets, *directed, "without", "seconds", "weights", "random")
    of_number = words.MORE_OF_OPTIMAL_LINES if _has_lines(target) else words.MORE_OF_OPTIMAL_NUMBERS
    more = words.MORE_OF_OPTIMAL if target.categories else of_number
    rail.more(more, lambda: SETTINGS.pick_more(keys, target))


def _has_lines(target: Feature) -> bool:
    """Whether leaves answer by lines."""
    return not target.categories and st.session_state["lines"] == "line"


def _model(target: Feature, of: Mapping[str, Any] | None = None) -> Model:
    """The model that the controls stand for, without what has no effect where leaves have lines."""
    model = SETTINGS.model(target, of)
    if model.value("lines") == "mean":
        return model
    return model._replace(settings=tuple(pair for pair in model.settings if pair[0] not in OF_ONE_NUMBER))


def why_no_split(_n_rows: int) -> str | None:
    """Return the reason why a tree is a lone root."""
    return words.LONE_OPTIMAL


OPTIMAL = controls_of(SETTINGS, draw, why_no_split, long=0, is_searched=True)._replace(model=_model)

"""Views of a search for the best tree: objective and bound over time, and the best tree so far."""

from __future__ import annotations

import math

import streamlit as st

from espalier.display.tree import small_tree
from espalier.language import say
from espalier.optimal import search_trace
from espalier.optimal.words import aim_words, search_words
from pages.shared.app import pictures
from pages.shared.app.frame import is_dark
from pages.shared.jobs.note import Far
from pages.shared.tree.fits import Fit


def how_far(fit: Fit) -> Far:
    """The ratio of the bound to the best tree's objective, and both in words."""
    trace = _trace(fit)
    if not trace:
        return Far(0.0, say("**Searching for the best tree**"))
    _, best, bound = trace[-1]
    share = min(max(bound / best, 0.0), 1.0) if best else 1.0
    counted = fit.counted
    aim = aim_words(*fit.search.aim, counted) if fit.search else ""
    return Far(share, f"{say('**Searching for the best tree**')}: {f'{search_words(best, bound, counted)}{aim}'}")


def draw(fit: Fit) -> None:
    """The race up to now, and the best tree so far beside it."""
    search, trace, data = fit.search, _trace(fit), fit.dataset
    if search is None or not trace:
        return
    left, right = st.columns(2, gap="medium")
    with left:
        counted = fit.counted
        st.markdown(say("**Best tree found, and the bound that none can beat**"))
        picture = search_trace.trace_picture(trace, search.seconds, is_dark(), counted)
        pictures.show(picture, search_trace.trace_alt(trace, counted), search_trace.WIDTH)
    with right:
        tree = fit.all_classes(search.tree())
        st.markdown(say("**Best tree so far**"))
        picture = small_tree.small_tree(tree, data.features, data.target, is_dark())
        pictures.show(picture, small_tree.alt(tree, data.features, data.target), small_tree.width_of(tree))


def _trace(fit: Fit) -> list[tuple[float, float, float]]:
    """Times with the best objective and the bound then, from the first tree on."""
    return [glance for glance in list(fit.search.trace) if math.isfinite(glance[1])] if fit.search else []

"""Where in the plane the trees' answers vary, as a map for each learner on one scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.data.dataset import Dataset
from core.views import stability_answers
from core.views.forest_surfaces import WIDTH, plane_of
from core.views.theme import number
from pages.shared import pictures
from pages.shared.address import Entry
from pages.shared.frame import is_dark, plain
from pages.shared.stability import facts, slots
from pages.shared.stability.facts import MOST_MAPPED, Learner

AUTO, NONE = "", "-"  # choices of an axis beside the features' names, as on the tree page


def entries() -> list[Entry]:
    """The axes as part of the address; the tree page has the same."""
    return [Entry("x", AUTO, str, undo=False), Entry("y", AUTO, str, undo=False)]


def settle(dataset: Dataset, linked: bool) -> list[str]:
    """Let go of axes that these data do not have; notes on them where a link asked for them."""
    notes, names = [], {feature.name for feature in dataset.features}
    for key, allowed in (("x", {AUTO, *names}), ("y", {AUTO, NONE, *names})):
        if st.session_state[key] not in allowed:
            notes.append(f"{key}={st.session_state[key]}: these data have no such feature")
            st.session_state[key] = AUTO
    return notes if linked else []


def draw(found: Sequence[Learner]) -> None:
    """The axes, the scale, and a map for each learner."""
    data = found[0].dataset
    with st.container(horizontal=True, vertical_alignment="center", key="map axes"):
        axes = _pick_axes(found)
    with st.spinner("Asking all trees …", show_time=True):
        maps = [np.sqrt(facts.spread(learner, axes).variance) for learner in found]
    most = max(float(one.max(initial=0.0)) for one in maps)
    what = "shares" if data.is_classification else plain(data.target.name)
    st.markdown(f":small[Standard deviation of the {what} that the trees tell, from none to {number(most)}]")
    pictures.show(stability_answers.map_legend(most, is_dark()), f"From 0 to {number(most)}", 300)
    plane = plane_of(data, axes)
    for column, learner, one in zip(st.columns(len(found), gap="medium"), found, maps, strict=True):
        with column:
            st.markdown(f"**{slots.SYMBOLS[learner.place]} {plain(learner.title)}**")
            svg = stability_answers.deviation_map(one, most, plane, data, is_dark())
            pictures.show(svg, stability_answers.map_alt(one), 2 * WIDTH)
            mean = float(np.mean(one**2))
            st.caption(f"Mean variance {number(mean)}, standard deviation {number(mean**0.5)}")
            light = stability_answers.deviation_map(one, most, plane, data, False)
            pictures.save(light, f"variance-{learner.place + 1}.svg")
    of_classes = " Of classes: the root of half the summed variances of the shares." * data.is_classification
    st.caption(
        f"The stronger the tone, the more the answer depends on the draw. At most {MOST_MAPPED} trees of each "
        f"learner are asked; features on no axis have their median or most frequent value.{of_classes}"
    )


def _pick_axes(found: Sequence[Learner]) -> tuple[int, ...]:
    names, best = [feature.name for feature in found[0].dataset.features], facts.best_axes(found)
    axes = _axes(names, best)
    shown = {"x": names[axes[0]], "y": names[axes[1]] if len(axes) == 2 else "none"}
    for key, label, others in (("x", "Horizontal axis", []), ("y", "Vertical axis", [NONE])):
        st.session_state[key] = st.session_state[key]  # a widget knows it by its words, which change
        words = {AUTO: f"{'↔' if key == 'x' else '↕'} {shown[key]} (auto)", NONE: "↕ none"}
        st.selectbox(
            label, [AUTO, *others, *names], key=key, format_func=lambda name, words=words: words.get(name) or name,
            label_visibility="collapsed",
        )  # fmt: skip
    return axes


def _axes(names: list[str], best: list[int]) -> tuple[int, ...]:
    """The features on the axes: those chosen, else the two that the trees ask most near their roots."""
    x, y = st.session_state["x"], st.session_state["y"]
    first = names.index(x) if x != AUTO else next(f for f in best if y in (AUTO, NONE) or f != names.index(y))
    second = next((f for f in best if f != first), None) if y == AUTO else None if y == NONE else names.index(y)
    return (first,) if second in (None, first) else (first, second)

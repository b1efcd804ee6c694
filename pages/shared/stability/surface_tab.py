"""Where in the plane the trees' answers vary, as a map for each learner on one scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from espalier.views.forests.surfaces import WIDTH, plane_of
from espalier.views.stability import answers
from espalier.views.theme import number
from pages.shared.app import pictures
from pages.shared.app.frame import is_dark, plain
from pages.shared.canvas import axis_choice
from pages.shared.stability import results, slots
from pages.shared.stability.results import MOST_MAPPED, LearnerReplicates


def draw(found: Sequence[LearnerReplicates]) -> None:
    """The axes, the scale, and a map for each learner."""
    data = found[0].dataset
    with st.container(horizontal=True, vertical_alignment="center", key="map axes"):
        names = [feature.name for feature in data.features]
        axes = axis_choice.chosen(names, results.best_axes(found))
        axis_choice.pick(names, axes)
    with st.spinner("Asking all trees …", show_time=True):
        maps = [np.sqrt(results.spread(learner, axes).variance) for learner in found]
    most = max(float(one.max(initial=0.0)) for one in maps)
    what = "shares" if data.is_classification else plain(data.target.name)
    st.markdown(f":small[Standard deviation of the {what} that the trees tell, from none to {number(most)}]")
    pictures.show(answers.map_legend(most, is_dark()), f"From 0 to {number(most)}", 300)
    plane = plane_of(data, axes)
    for column, learner, one in zip(st.columns(len(found), gap="medium"), found, maps, strict=True):
        with column:
            st.markdown(f"**{slots.SYMBOLS[learner.place]} {plain(learner.title)}**")
            svg = answers.deviation_map(one, most, plane, data, is_dark())
            pictures.show(svg, answers.map_alt(one), 2 * WIDTH)
            mean = float(np.mean(one**2))
            st.caption(f"Mean variance {number(mean)}, standard deviation {number(mean**0.5)}")
            light = answers.deviation_map(one, most, plane, data, False)
            pictures.save(light, f"variance-{learner.place + 1}.svg")
    of_classes = " Of classes: the root of half the summed variances of the shares." * data.is_classification
    st.caption(
        f"The stronger the tone, the more the answer depends on the draw. At most {MOST_MAPPED} trees of each "
        f"learner are asked; features on no axis have their median or most frequent value.{of_classes}"
    )

"""Maps of the variance of the trees' answers over a plane, one for each learner, on one scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from espalier.views.forests.surfaces import WIDTH, plane_of
from espalier.views.stability import answers
from pages.shared.app import pictures
from pages.shared.app.frame import is_dark, plain
from pages.shared.canvas import axis_choice
from pages.shared.stability import results, slots
from pages.shared.stability.results import MOST_MAPPED, LearnerReplicates
from pages.shared.words import stability as words


def draw(learners: Sequence[LearnerReplicates]) -> None:
    """Draw the axes, the scale, and a map for each learner."""
    data = learners[0].dataset
    with st.container(horizontal=True, vertical_alignment="center", key="map axes"):
        names = [feature.name for feature in data.features]
        axes = axis_choice.chosen(names, results.best_axes(learners))
        axis_choice.pick(names, axes)
    with st.spinner(words.ASKING, show_time=True):
        maps = [np.sqrt(results.spread(learner, axes).variance) for learner in learners]
    most = max(float(one.max(initial=0.0)) for one in maps)
    of = words.SHARES if data.is_classification else plain(data.target.name)
    st.markdown(words.deviation(of, most))
    pictures.show(answers.map_legend(most, is_dark()), words.scale_alt(most), 300)
    plane = plane_of(data, axes)
    for column, learner, one in zip(st.columns(len(learners), gap="medium"), learners, maps, strict=True):
        with column:
            st.markdown(words.heading(slots.SYMBOLS[learner.place], plain(learner.title)))
            svg = answers.deviation_map(one, most, plane, data, is_dark())
            pictures.show(svg, answers.map_alt(one), 2 * WIDTH)
            st.caption(words.mean_variance(float(np.mean(one**2))))
            light = answers.deviation_map(one, most, plane, data, False)
            pictures.save(light, f"variance-{learner.place + 1}.svg")
    st.caption(words.maps(MOST_MAPPED, data.is_classification))

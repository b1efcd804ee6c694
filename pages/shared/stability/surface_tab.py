"""Maps of the variance of the trees' answers over a plane, one for each learner, on one scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from espalier.display.theme import number
from espalier.forests.surfaces import WIDTH, plane_of
from espalier.language import say
from espalier.stability import thresholds as answers
from pages.shared.app import pictures
from pages.shared.app.frame import plain
from pages.shared.canvas import axis_choice
from pages.shared.stability import results, slots
from pages.shared.stability.results import MOST_MAPPED, LearnerReplicates


def draw(learners: Sequence[LearnerReplicates]) -> None:
    """Draw the axes, the scale, and a map for each learner."""
    data = learners[0].dataset
    with st.container(horizontal=True, vertical_alignment="center", key="map axes"):
        names = [feature.name for feature in data.features]
        axes = axis_choice.chosen(names, results.best_axes(learners))
        axis_choice.pick(names, axes)
    with st.spinner(say("Asking all trees …"), show_time=True):
        maps = [np.sqrt(results.spread(learner, axes).variance) for learner in learners]
    most = max(float(one.max(initial=0.0)) for one in maps)
    of = say("shares") if data.is_classification else plain(data.target.name)
    st.markdown(
        say(
            ":small[Standard deviation of the {of} that the trees tell, from none to {most}]",
            of=of,
            most=number(most),
        )
    )
    pictures.draw(answers.map_legend(most), 300)
    plane = plane_of(data, axes)
    for column, learner, one in zip(st.columns(len(learners), gap="medium"), learners, maps, strict=True):
        with column:
            st.markdown(results.learner_heading(slots.SYMBOLS[learner.place], plain(learner.title)))
            picture = answers.map_picture(one, most, plane, data)
            pictures.draw(picture, 2 * WIDTH)
            st.caption(_mean_variance(float(np.mean(one**2))))
            pictures.save(picture.draw(False), f"variance-{learner.place + 1}.svg")
    st.caption(results.maps_caption(MOST_MAPPED, data.is_classification))


def _mean_variance(value: float) -> str:
    """Caption of a map."""
    return say(
        "Mean variance {value}, standard deviation {value_2}", value=number(value), value_2=number(value**0.5)
    )

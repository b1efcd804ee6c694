"""The rows whose class trees as good as an optimal one do not settle: a reason to ask an expert."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.analysis.reliability.as_good import SLACK
from espalier.analysis.reliability.unsettled import Unsettled, unsettled
from espalier.language import say
from espalier.views.reliability import tables
from espalier.views.theme import count, percent
from pages.shared.app.frame import callback
from pages.shared.app.table_results import of_table
from pages.shared.canvas.data_table import data_table
from pages.shared.reliability import experts
from pages.shared.reliability.models import AnsweredModel
from pages.shared.words import reliability as words

KEY = "unsettled-rows"


def draw(one: AnsweredModel) -> None:
    """Draw how many rows of an optimal tree are not settled, and list them; nothing of others, nor of numbers."""
    if one.trial.model.name != "optimal" or not one.trial.dataset.is_classification:
        return
    found = _unsettled(one.key, one)
    if found is None:
        st.caption(words.AS_GOOD_NOT_COUNTED)
        return
    within = percent(SLACK)
    if not len(found.place):
        st.markdown(words.all_settled(count(found.n_asked), within))
        return
    n = count(len(found.place)), count(found.n_asked)
    st.markdown(words.unsettled(*n, percent(found.share), within))
    if np.isfinite(found.wrong_of_others):
        st.markdown(words.wrong_of_unsettled(percent(found.wrong), percent(found.wrong_of_others)))
    drawer = st.expander(words.UNSETTLED, key=KEY, on_change="rerun")
    if drawer.open:
        with drawer:
            _listed(one, found)


@of_table(max_entries=16)
def _unsettled(key: str, _one: AnsweredModel) -> Unsettled | None:
    return unsettled(_one.fold_models, _one.answers)


def _listed(one: AnsweredModel, found: Unsettled) -> None:
    """The rows, a tick on which opens a row's story."""
    table = tables.unsettled(one.fold_models, one.answers, found, experts.MOST_LISTED)
    key = f"unsettled-{one.key}"
    data_table(
        table, hide_index=True, height=min(38 + 35 * len(table), 330), key=key, alt=words.UNSETTLED,
        column_config={name: say(name) for name in tables.UNSETTLED},
        on_select=callback(lambda: experts.open_story(table, key)), selection_mode="single-row",
    )  # fmt: skip
    st.caption(words.unsettled_caption(len(found.place) > experts.MOST_LISTED, count(experts.MOST_LISTED)))

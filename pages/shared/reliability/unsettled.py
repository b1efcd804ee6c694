"""The rows whose class trees as good as an optimal one do not settle: a reason to ask an expert."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.display.theme import count, percent
from espalier.language import say
from espalier.reliability import words
from espalier.reliability.reliability import SLACK, Unsettled, unsettled_rows
from pages.shared.app.frame import callback
from pages.shared.app.table_results import of_table
from pages.shared.canvas.data_table import data_table
from pages.shared.reliability import experts
from pages.shared.reliability.models import AnsweredModel

KEY = "unsettled-rows"


def draw(one: AnsweredModel) -> None:
    """Draw how many rows of an optimal tree are not settled, and list them; nothing of others, nor of numbers."""
    if one.trial.model.name != "optimal" or not one.trial.dataset.is_classification:
        return
    found = _unsettled(one)
    if found is None:
        st.caption(
            say(
                "Whether other trees as good answer otherwise was not counted: for that the search "
                "must be proved, without directions of columns, and the trees must not be too many. "
                "A smaller depth or fewer questions a column help."
            )
        )
        return
    within = percent(SLACK)
    if not len(found.place):
        st.markdown(
            say(
                ":material/check_circle: On all {n_rows} rows the trees as good as the optimal one agree (at "
                "most {within} of the training rows more wrong).",
                n_rows=count(found.n_asked),
                within=within,
            )
        )
        return
    n = count(len(found.place)), count(found.n_asked)
    st.markdown(_unsettled_sentence(*n, percent(found.share), within))
    if np.isfinite(found.wrong_of_others):
        st.markdown(
            say(
                "The model is wrong on {share} of them, and on {share_of_others} of the settled ones.",
                share=percent(found.wrong),
                share_of_others=percent(found.wrong_of_others),
            )
        )
    drawer = st.expander(say("The rows whose class is not settled"), key=KEY, on_change="rerun")
    if drawer.open:
        with drawer:
            _listed(one, found)


@of_table(max_entries=16)
def _unsettled(one: AnsweredModel) -> Unsettled | None:
    return unsettled_rows(one.fold_models, one.answers)


def _listed(one: AnsweredModel, found: Unsettled) -> None:
    """The rows, a tick on which opens a row's story."""
    table = words.unsettled_table(one.fold_models, one.answers, found, experts.MOST_LISTED)
    key = f"unsettled-{one.key}"
    data_table(
        table,
        hide_index=True,
        height=min(38 + 35 * len(table), 330),
        key=key,
        alt=say("The rows whose class is not settled"),
        column_config={name: say(name) for name in words.UNSETTLED_COLUMNS},
        on_select=callback(lambda: experts.open_story(table, key)),
        selection_mode="single-row",
    )
    st.caption(
        say(
            "The first {most} rows. Each row is put to all trees as good that were grown without it. They may "
            "ask any question of the search, or only about ten of each column where there are too many of these "
            "trees or leaves have a least size. Tick a row to read its story. *Term:* predictive multiplicity "
            "(Marx, Calmon & Ustun 2020)."
            if len(found.place) > experts.MOST_LISTED
            else "Each row is put to all trees as good that were grown without it. They may ask any question of "
            "the search, or only about ten of each column where there are too many of these trees or leaves "
            "have a least size. Tick a row to read its story. *Term:* predictive multiplicity (Marx, Calmon "
            "& Ustun 2020).",
            most=count(experts.MOST_LISTED),
        )
    )


def _unsettled_sentence(n: str, n_rows: str, share: str, within: str) -> str:
    """Number of rows on which trees as good disagree. *Term:* ambiguity."""
    return say(
        ":material/call_split: **The class of {n} of {n_rows} rows ({share}) is not settled**: of the trees as "
        "good as the optimal one (at most {within} of the training rows more wrong) some give them another "
        "class. The training rows do not tell which of these trees is right; an expert may.",
        n=n,
        n_rows=n_rows,
        share=share,
        within=within,
    )

"""Agreement of the trees' answers, whatever their structure: over pairs of trees, row by row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from espalier.display.boundaries import plane
from espalier.display.tables import listed, to_csv
from espalier.display.theme import number, percent
from espalier.language import Texts, say
from espalier.stability import thresholds as answers
from espalier.stability.splits import Agreement
from pages.shared.app import pictures
from pages.shared.app.frame import plain
from pages.shared.canvas.data_table import data_table
from pages.shared.stability import results, slots
from pages.shared.stability.results import LearnerReplicates

MEASURE = Texts({True: "agreement", False: "difference"})

MOST_LISTED = 200


def draw(learners: Sequence[LearnerReplicates]) -> None:
    """Draw how often two trees agree, for each learner; then the rows on which they do so least."""
    is_share = learners[0].dataset.is_classification
    several = [learner for learner in learners if len(learner.trees) > 1]
    if not several:
        st.caption(say("Two trees of a learner are needed to see whether they agree."))
        return
    agreed = [results.agreement(learner) for learner in several]
    most = 1.0 if is_share else answers.difference_end(agreed)
    for column, learner, one in zip(st.columns(len(several), gap="medium"), several, agreed, strict=True):
        with column:
            _panel(learner, one, most)
    st.caption(say(results.AGREEMENT))
    _rows(several, agreed)


def _panel(learner: LearnerReplicates, one: Agreement, most: float) -> None:
    is_share = learner.dataset.is_classification
    st.markdown(results.learner_heading(slots.SYMBOLS[learner.place], plain(learner.title)))
    if is_share:
        st.metric(say("Two trees agree on"), say("{share} of the rows", share=percent(one.mean)))
    else:
        st.metric(
            say("Two trees differ by"), number(one.mean), help=say("Root mean square over pairs of trees and rows")
        )
    picture = answers.rows_picture(one, most, is_share, learner.place)
    pictures.draw(picture, 460, f"agreement-{learner.place + 1}.svg")


def _rows(learners: Sequence[LearnerReplicates], agreed: Sequence[Agreement]) -> None:
    opened = st.expander(say("Rows on which they agree least"), on_change="rerun", key="rows of little agreement")
    if not opened.open:
        return
    data = learners[0].dataset
    with opened:
        table = rows_table(learners, agreed)
        data_table(
            table.head(MOST_LISTED), hide_index=True, height=300, alt=say("Rows on which the trees agree least")
        )
        name = "agreement-by-row.csv" if data.is_classification else "difference-by-row.csv"
        pictures.save(lambda: to_csv(rows_table(learners, agreed)), name)


def rows_table(learners: Sequence[LearnerReplicates], agreed: Sequence[Agreement]) -> pd.DataFrame:
    """The rows with the agreement of each learner's trees on them, the least first."""
    data = learners[0].dataset
    rows, by_row = plane.drawn_rows(len(data.y)), np.stack([one.by_row for one in agreed])
    order = np.argsort((1 if data.is_classification else -1) * by_row.mean(axis=0), kind="stable")
    table = listed(data, rows[order])
    for place, (learner, values) in enumerate(zip(learners, by_row, strict=True), start=1):
        heading = f"{MEASURE[data.is_classification]}: {learner.title}"
        table.insert(place, heading, np.round(values[order], 4))
    return table

"""Agreement of the trees' answers, whatever their structure: over pairs of trees, row by row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from espalier.analysis.stability.answers import Agreement
from espalier.views.boundaries import plane
from espalier.views.spreadsheet import to_csv
from espalier.views.stability import answers
from espalier.views.tables import listed
from espalier.views.theme import number
from pages.shared.app import pictures
from pages.shared.app.frame import is_dark, plain
from pages.shared.canvas.data_table import data_table
from pages.shared.stability import results, slots
from pages.shared.stability.results import LearnerReplicates
from pages.shared.words import stability as words

MOST_LISTED = 200


def draw(learners: Sequence[LearnerReplicates]) -> None:
    """Draw how often two trees agree, for each learner; then the rows on which they do so least."""
    is_share = learners[0].dataset.is_classification
    several = [learner for learner in learners if len(learner.trees) > 1]
    if not several:
        st.caption(words.TWO_TREES)
        return
    agreed = [results.agreement(learner) for learner in several]
    most = 1.0 if is_share else answers.difference_end(agreed)
    for column, learner, one in zip(st.columns(len(several), gap="medium"), several, agreed, strict=True):
        with column:
            _panel(learner, one, most)
    st.caption(words.AGREEMENT)
    _rows(several, agreed)


def _panel(learner: LearnerReplicates, one: Agreement, most: float) -> None:
    is_share = learner.dataset.is_classification
    st.markdown(words.heading(slots.SYMBOLS[learner.place], plain(learner.title)))
    if is_share:
        st.metric(words.AGREE_ON, words.of_rows(one.mean))
    else:
        st.metric(words.DIFFER_BY, number(one.mean), help=words.DIFFER_HELP)
    svg = answers.rows_picture(one, most, is_share, learner.place, is_dark())
    pictures.show(svg, answers.rows_alt(one, is_share), 460)
    light = answers.rows_picture(one, most, is_share, learner.place, False)
    pictures.save(light, f"agreement-{learner.place + 1}.svg")


def _rows(learners: Sequence[LearnerReplicates], agreed: Sequence[Agreement]) -> None:
    opened = st.expander(words.LEAST_ALIKE, on_change="rerun", key="rows of little agreement")
    if not opened.open:
        return
    data = learners[0].dataset
    with opened:
        table = rows_table(learners, agreed)
        data_table(table.head(MOST_LISTED), hide_index=True, height=300, alt=words.LEAST_ALIKE_ALT)
        name = "agreement-by-row.csv" if data.is_classification else "difference-by-row.csv"
        pictures.save(lambda: to_csv(rows_table(learners, agreed)), name)


def rows_table(learners: Sequence[LearnerReplicates], agreed: Sequence[Agreement]) -> pd.DataFrame:
    """The rows with the agreement of each learner's trees on them, the least first."""
    data = learners[0].dataset
    rows, by_row = plane.drawn_rows(len(data.y)), np.stack([one.by_row for one in agreed])
    order = np.argsort((1 if data.is_classification else -1) * by_row.mean(axis=0), kind="stable")
    table = listed(data, rows[order])
    for place, (learner, values) in enumerate(zip(learners, by_row, strict=True), start=1):
        heading = words.measure_of(data.is_classification, learner.title)
        table.insert(place, heading, np.round(values[order], 4))
    return table

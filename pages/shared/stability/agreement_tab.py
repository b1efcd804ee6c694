"""How alike the trees answer, whatever their structure: over pairs of trees, row by row."""

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
from espalier.views.theme import number, percent
from pages.shared.app import pictures
from pages.shared.app.frame import is_dark, plain
from pages.shared.stability import results, slots
from pages.shared.stability.results import LearnerReplicates

MOST_LISTED = 200


def draw(found: Sequence[LearnerReplicates]) -> None:
    """How often two trees agree, for each learner; then the rows on which they do so least."""
    is_share = found[0].dataset.is_classification
    several = [learner for learner in found if len(learner.trees) > 1]
    if not several:
        st.caption("Two trees of a learner are needed to see whether they agree.")
        return
    agreed = [results.agreement(learner) for learner in several]
    most = 1.0 if is_share else answers.difference_end(agreed)
    for column, learner, one in zip(st.columns(len(several), gap="medium"), several, agreed, strict=True):
        with column:
            _panel(learner, one, most)
    st.caption(
        "Up: share of the rows. Trees of different structure may well say the same; where they do not, the answer "
        "depends on the luck of the draw. Rows that a tree has grown on are among them."
    )
    _rows(several, agreed)


def _panel(learner: LearnerReplicates, one: Agreement, most: float) -> None:
    is_share = learner.dataset.is_classification
    st.markdown(f"**{slots.SYMBOLS[learner.place]} {plain(learner.title)}**")
    if is_share:
        st.metric("Two trees agree on", f"{percent(one.mean)} of the rows")
    else:
        st.metric("Two trees differ by", number(one.mean), help="Root mean square over pairs of trees and rows")
    svg = answers.rows_picture(one, most, is_share, learner.place, is_dark())
    pictures.show(svg, answers.rows_alt(one, is_share), 460)
    light = answers.rows_picture(one, most, is_share, learner.place, False)
    pictures.save(light, f"agreement-{learner.place + 1}.svg")


def _rows(found: Sequence[LearnerReplicates], agreed: Sequence[Agreement]) -> None:
    opened = st.expander("Rows on which they agree least", on_change="rerun", key="rows of little agreement")
    if not opened.open:
        return
    data = found[0].dataset
    with opened:
        table = rows_table(found, agreed)
        st.dataframe(
            table.head(MOST_LISTED), hide_index=True, height=300, alt="Rows on which the trees agree least"
        )
        word = "agreement" if data.is_classification else "difference"
        pictures.save(lambda: to_csv(table), f"{word}-by-row.csv")


def rows_table(found: Sequence[LearnerReplicates], agreed: Sequence[Agreement]) -> pd.DataFrame:
    """The rows with what each learner's trees have in common on them, the least first."""
    data = found[0].dataset
    rows, by_row = plane.drawn_rows(len(data.y)), np.stack([one.by_row for one in agreed])
    order = np.argsort((1 if data.is_classification else -1) * by_row.mean(axis=0), kind="stable")
    table = listed(data, rows[order])
    word = "agreement" if data.is_classification else "difference"
    for place, (learner, values) in enumerate(zip(found, by_row, strict=True), start=1):
        table.insert(place, f"{word}: {learner.title}", np.round(values[order], 4))
    return table

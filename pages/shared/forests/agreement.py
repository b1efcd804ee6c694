"""Agreement of the trees of each forest: its matrix, and the variance that averaging leaves."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.display.boundaries.plane import drawn_rows
from espalier.forests import agreement_pictures as views
from espalier.forests.agreement import Fall, agreement, likeness, likeness_order, mean_agreement
from espalier.language import Later, Texts, say
from pages.shared.app import pictures
from pages.shared.app.table_results import of_table
from pages.shared.forests import error, sentences
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title

VARIANCE_OF = Texts({True: "variance of a tree's lead", False: "mean squared error"})


def draw(pair: list[GrownForest]) -> None:
    """Both matrices, the measures, and the curve of the formula."""
    is_classes = pair[0].dataset.is_classification
    st.caption(
        say(sentences.PAIRS)
        if is_classes
        else say("Trees of numbers have no votes to agree on: their errors are compared.")
    )
    columns = st.columns(2, gap="medium")
    for column, side in zip(columns, SIDES, strict=True):
        column.markdown(sentences.forest_heading(title(side)))
    for column, side, one in zip(columns, SIDES, pair, strict=True):
        if one.is_sum:
            column.caption(sentences.no_votes(one, title(side)))
    there = [(column, side, one) for column, side, one in zip(columns, SIDES, pair, strict=True) if not one.is_sum]
    if is_classes:
        matrices = [matrix_of(one) for _, _, one in there]
        pairs = [matrix[~np.eye(len(matrix), dtype=bool)] for matrix in matrices]
        ends = np.concatenate([np.ones(1), *pairs]).min(), 1.0  # the same colours in both
        for (column, side, one), matrix in zip(there, matrices, strict=True):
            with column:
                _matrix(one, side, matrix, ends)
    highest = max((measure.fall.variance for one in pair if (measure := error.measured(one))), default=1.0)
    for column, side, one in there:
        with column:
            _measures(one, side, highest)


@of_table(max_entries=16, show_spinner=Later(lambda: say("Comparing the trees …")))
def matrix_of(one: GrownForest) -> np.ndarray:
    """(n_trees, n_trees): the share of rows on which two trees of a forest that votes agree."""
    rows = np.flatnonzero(one.held) if one.held.any() else one.rows
    return agreement(one.forest, one.dataset.X[rows[drawn_rows(len(rows))]])


@of_table(max_entries=16)
def likeness_of(one: GrownForest) -> np.ndarray:
    """(n_trees, n_trees): how alike two trees answer, from 0 to 1."""
    X = one.dataset.X[drawn_rows(len(one.dataset.y))]
    return matrix_of(one) if one.dataset.is_classification else likeness(one.forest, X)


@of_table(max_entries=16)
def alike_order(one: GrownForest) -> np.ndarray:
    """(n_trees,) the trees of a forest, from 0, so that those that answer alike are neighbours."""
    return likeness_order(likeness_of(one))


def _matrix(one: GrownForest, side: str, matrix: np.ndarray, ends: tuple[float, float]) -> None:
    st.markdown(sentences.agreement_sentence(mean_agreement(matrix), bool(one.held.any())))
    if len(matrix) > 1:
        pictures.plot(views.agreement_picture(matrix, ends), f"agreement {side}", pictures.NO_BAR)


def _measures(one: GrownForest, side: str, highest: float) -> None:
    measures = error.measured(one)
    if measures is None:
        st.caption(say(sentences.NOT_MEASURED))
        return
    alt = say("What makes forest {side} good", side=title(side))
    st.table(views.measures(measures), border="horizontal", hide_index=True, alt=alt)
    if not error.counts_alike(one):
        st.caption(say(sentences.UNEQUAL))
    elif one.forest.n_trees > 1:
        _fall(one, side, measures.fall, highest)


def _fall(one: GrownForest, side: str, fall: Fall, highest: float) -> None:
    measure, n = VARIANCE_OF[one.dataset.is_classification], one.forest.n_trees
    pictures.plot(views.fall_picture(fall, n, measure, highest), f"fall {side}", pictures.NO_BAR)
    st.caption(
        say(
            "{formula}. More trees take away the second part only. {is_classification}",
            formula=views.formula(fall, n),
            is_classification=say(
                "Two correlations stand here: ρ in the curve is measured pair by pair, each on the rows that "
                "both trees have not seen; Breiman's ρ̄ in the table follows from how much the margin of all "
                "votes varies (2001, appendix II)."
            )
            if one.dataset.is_classification
            else say(
                "Two correlations stand here and hardly differ: ρ in the curve divides the mean product of two "
                "trees' errors by the mean square of one tree's, Breiman's ρ̄ in the table by the mean product "
                "of their sizes (2001, section 11)."
            ),
        )
    )

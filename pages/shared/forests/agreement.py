"""How alike the trees of each forest answer: the matrix of their agreement, and what that leaves."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.analysis.forests.agreement import agreement, mean_agreement
from espalier.analysis.forests.variance import Fall
from espalier.views.boundaries.plane import drawn_rows
from espalier.views.forests import agreement as views
from espalier.views.theme import percent
from pages.shared.app.frame import is_dark
from pages.shared.app.table_results import of_table
from pages.shared.forests import error
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title

OF = {True: "variance of a tree's lead", False: "mean squared error"}
RHO = (
    "Two correlations stand here: ρ in the curve is measured pair by pair, each on the rows that both trees have "
    "not seen; Breiman's ρ̄ in the table follows from how much the margin of all votes varies (2001, appendix II)."
)
RHO_OF_NUMBERS = (
    "Two correlations stand here and hardly differ: ρ in the curve divides the mean product of two trees' errors "
    "by the mean square of one tree's, Breiman's ρ̄ in the table by the mean product of their sizes (2001, "
    "section 11)."
)
WORDS = (
    "Each cell is a pair of trees: the stronger its colour, the more rows they say the same of (Ho 1998). Forests "
    "whose trees agree less have more to gain from averaging, as long as each tree stays good."
)


def draw(planted: list[GrownForest]) -> None:
    """Both matrices, the measures, and the curve of the formula."""
    is_classes = planted[0].dataset.is_classification
    st.caption(WORDS if is_classes else "Trees of numbers have no votes to agree on: their errors are compared.")
    columns = st.columns(2, gap="medium")
    for column, side in zip(columns, SIDES, strict=True):
        column.markdown(f"**Forest {title(side)}**")
    if is_classes:
        found = [_agreement(one.key, one) for one in planted]
        pairs = np.concatenate([matrix[~np.eye(len(matrix), dtype=bool)] for matrix in found])
        ends = {"zmin": pairs.min(initial=1.0), "zmax": 1.0}  # the same colours in both
        for column, side, one, matrix in zip(columns, SIDES, planted, found, strict=True):
            with column:
                _matrix(one, side, matrix, ends)
    highest = max((measure.fall.variance for one in planted if (measure := error.measured(one))), default=1.0)
    for column, side, one in zip(columns, SIDES, planted, strict=True):
        with column:
            _measures(one, side, highest)


@of_table(max_entries=16, show_spinner="Comparing the trees …")
def _agreement(key: str, _planted: GrownForest) -> np.ndarray:
    rows = np.flatnonzero(_planted.held) if _planted.held.any() else _planted.rows
    return agreement(_planted.forest, _planted.dataset.X[rows[drawn_rows(len(rows))]])


def _matrix(one: GrownForest, side: str, matrix: np.ndarray, ends: dict[str, float]) -> None:
    which = "held-out rows" if one.held.any() else "rows, which they grew on"
    st.markdown(f"Two trees say the same of **{percent(mean_agreement(matrix))}** of the {which}, on average.")
    if len(matrix) > 1:
        figure, alt = views.agreement_figure(matrix, is_dark()), views.agreement_alt(matrix)
        figure.update_traces(ends)
        st.plotly_chart(figure, theme=None, key=f"agreement {side}", config={"displayModeBar": False}, alt=alt)


def _measures(one: GrownForest, side: str, highest: float) -> None:
    found, n = error.measured(one), one.forest.n_trees
    if found is None:
        st.caption(error.NOT_MEASURED)
        return
    st.table(
        views.measures(found), border="horizontal", hide_index=True, alt=f"What makes forest {title(side)} good"
    )
    if not error.counts_alike(one):
        st.caption(error.UNEQUAL)
    elif n > 1:
        _fall(one, side, found.fall, highest)


def _fall(one: GrownForest, side: str, fall: Fall, highest: float) -> None:
    of, n = OF[one.dataset.is_classification], one.forest.n_trees
    figure, alt = views.fall_figure(fall, n, of=of, dark=is_dark()), views.fall_alt(fall, n, of=of)
    figure.update_yaxes(range=[min(0, 1.05 * fall.floor), 1.05 * highest or 1])
    st.plotly_chart(figure, theme=None, key=f"fall {side}", config={"displayModeBar": False}, alt=alt)
    told = RHO if one.dataset.is_classification else RHO_OF_NUMBERS
    st.caption(f"{views.formula(fall, n)}. More trees take away the second part only. {told}")

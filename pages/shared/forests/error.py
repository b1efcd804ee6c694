"""How the error falls while a forest grows, and why it stops falling: strength, correlation, and the formula."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from espalier.analysis.forests.agreement import Residuals, Strength, residual_correlation, strength_and_correlation
from espalier.views.boundaries.plane import drawn_rows
from espalier.views.forests import error_curve
from espalier.views.forests.error_curve import ErrorLine
from espalier.views.spreadsheet import to_csv
from espalier.views.theme import number, percent
from pages.shared.app import pictures
from pages.shared.app.frame import is_dark
from pages.shared.app.table_results import of_table
from pages.shared.data import library
from pages.shared.forests import results
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title

LITTLE, HELPS_ON = 1.2, "breast-cancer"  # how much worse a tree alone is, at most; data where it is much more
FEW_HELD = 200  # rows held out: steps of the curve are seen
UNEQUAL = "The formula is of trees whose votes count the same; those of this forest do not."
NOT_MEASURED = "Not measured: every tree saw every row. Hold some rows out."
WHY = """
Any two trees of a forest answer alike to the degree ρ (their *correlation*), and each alone varies by σ². The mean
of *B* trees varies by

$$\\rho\\,\\sigma^2 + \\frac{1-\\rho}{B}\\,\\sigma^2$$

**More trees** take the second part away, and nothing else: that is why the curve falls and then stays.
**Trees less alike** lessen the first part: hence the redrawn rows, and the few features that a split may try.
"""


def draw(planted: list[GrownForest]) -> None:
    """Both curves, and what limits them."""
    lines, data = lines_of(planted), planted[0].dataset
    left, right = st.columns([3, 2], gap="medium")
    with left:
        drawn = _drawn(lines, planted, is_dark())
        pictures.show(drawn, error_curve.curve_alt(lines, data.is_classification), 800)
        st.caption(_caption(planted))
        with st.container(horizontal=True):
            pictures.save(_drawn(lines, planted, False), "error-of-forests.svg")
            pictures.save(lambda: csv_of(lines), "error-of-forests.csv")
    with right:
        st.markdown("**Why averaging helps, and what limits it**")
        st.markdown(WHY)
    if all(gains_little(one) for one in planted):
        _point_to_others()
    for column, side, one in zip(st.columns(2, gap="medium"), SIDES, planted, strict=True):
        with column:
            st.markdown(f"**Forest {title(side)}, measured**")
            st.markdown(_told(one))


def gains_little(one: GrownForest) -> bool:
    """Whether a tree alone is nearly as good as all together."""
    curve, own = results.curve(one), results.own_errors(one)
    errors = curve.unseen if curve.unseen is not None else curve.held
    return errors is not None and float(np.nanmean(own)) < LITTLE * float(errors[-1])


def _point_to_others() -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            "On these data one tree is nearly as good as many: there is little to average away.", width="stretch"
        )
        st.page_link(
            "pages/forests.py", label="Data where it helps more", icon=":material/scatter_plot:",
            query_params={library.PARAMETER: HELPS_ON},
        )  # fmt: skip


def _drawn(lines: list[ErrorLine], planted: list[GrownForest], dark: bool) -> str:
    most = max(one.forest.n_trees for one in planted)
    return error_curve.error_curve(lines, most, planted[0].dataset.is_classification, dark)


def lines_of(planted: list[GrownForest]) -> list[ErrorLine]:
    """The curves of both forests: out of bag, and on held-out rows."""
    lines = []
    for side, one in enumerate(planted):
        found, name = results.curve(one), title(SIDES[side])
        if found.unseen is not None:
            lines.append(ErrorLine(f"{name}, out of bag", side, found.unseen))
        if found.held is not None:
            lines.append(ErrorLine(f"{name}, held out", side, found.held, dashed=True))
    return lines


def csv_of(lines: list[ErrorLine]) -> str:
    """The curves as a table: a row for each number of trees."""
    table = pd.DataFrame({line.name: pd.Series(line.errors) for line in lines})
    table.insert(0, "trees", np.arange(1, len(table) + 1))
    return to_csv(table)


def _caption(planted: list[GrownForest]) -> str:
    error = "the share of wrong classes" if planted[0].dataset.is_classification else "the root mean squared error"
    parts = [f"Error: {error} of the first 1, 2, … trees together."]
    if any(one.in_bag is not None for one in planted):
        parts.append(
            "*Out of bag*: every row is judged only by the trees that did not draw it (Breiman 2001), "
            "so that with few trees only some rows are judged."
        )
    if any(one.in_bag is None for one in planted):
        none = " and ".join(title(s) for s, one in zip(SIDES, planted, strict=True) if one.in_bag is None)
        parts.append(f"Every tree of {none} saw every row, so there is no out-of-bag error of it.")
    if planted[0].held.any():
        n = int(np.count_nonzero(planted[0].held))
        step = f": one row of {n} is {percent(1 / n)}, and smaller wiggles are chance" if n < FEW_HELD else ""
        parts.append(f"*Held out*: rows that no tree saw{step}.")
    elif all(one.in_bag is None for one in planted):
        parts.append("Hold some rows out to see an error at all.")
    return " ".join(parts)


# Strength and correlation ----------------------------------------------------------------------------


@of_table(max_entries=16)
def _measured(key: str, _planted: GrownForest) -> Strength | Residuals | None:
    data, forest = _planted.dataset, _planted.forest
    measure = strength_and_correlation if data.is_classification else residual_correlation
    if _planted.in_bag is not None:
        some = drawn_rows(len(_planted.rows))
        rows, in_bag = _planted.rows[some], _planted.in_bag[:, some]
    elif _planted.held.any():
        out = np.flatnonzero(_planted.held)
        rows, in_bag = out[drawn_rows(len(out))], None
    else:
        return None
    return measure(forest, data.X[rows], data.y[rows], in_bag)


def measured(one: GrownForest) -> Strength | Residuals | None:
    """Strength and correlation, on rows that trees have not seen; None where there are none."""
    return _measured(one.key, one)


def _told(one: GrownForest) -> str:
    found, n = measured(one), one.forest.n_trees
    if found is None:
        return NOT_MEASURED
    together = _error(one)
    rest = f"; all {n} together: **{together}**" if n > 1 else ""
    lines = [f"One tree alone: error **{_own(one)}** on rows that it has not seen{rest}."]
    if isinstance(found, Strength):
        lines.append(
            f"*Strength* s = **{number(found.strength)}**: the lead of the right class's votes over the next."
        )
    if not counts_alike(one):
        return "\n".join(f"- {line}" for line in [*lines, UNEQUAL])
    what = "the variance of a tree's lead" if isinstance(found, Strength) else "the squared error of a tree"
    lines.append(
        f"Two trees are alike to the degree ρ = **{number(found.fall.correlation)}**, measured pair by pair. Of "
        f"σ² = **{number(found.fall.variance)}**, {what}, {n} trees leave "
        f"**{number(float(found.fall.of(n)))}**, and no number of them less than ρσ² = "
        f"**{number(found.fall.floor)}**."
    )
    return "\n".join(f"- {line}" for line in lines)


def counts_alike(one: GrownForest) -> bool:
    """Whether the vote of every tree counts the same."""
    return float(np.ptp(one.forest.weight)) < 1e-9


def _own(one: GrownForest) -> str:
    return _written(one, float(np.nanmean(results.own_errors(one))))


def _error(one: GrownForest) -> str:
    found = results.curve(one)
    errors = found.unseen if found.unseen is not None else found.held
    return "–" if errors is None else _written(one, float(errors[-1]))


def _written(one: GrownForest, error: float) -> str:
    return percent(error) if one.dataset.is_classification else number(error)

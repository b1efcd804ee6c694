"""Error of both forests against the number of trees, and its limits: strength, correlation and the formula."""

from __future__ import annotations

from collections.abc import Sequence

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
from pages.shared.forests import intervals, results, sums
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title
from pages.shared.own_models import uploads
from pages.shared.words.forests import boosting as boosting_words
from pages.shared.words.forests import page as words
from pages.shared.words.own import model as own_words

LITTLE, HELPS_ON = 1.2, "breast-cancer"  # how much worse a tree alone is, at most; data where it is much more
FEW_HELD = 200  # rows held out: steps of the curve are seen


def draw(pair: list[GrownForest]) -> None:
    """Draw both curves, and their limits."""
    lines, data = lines_of(pair), pair[0].dataset
    left, right = st.columns([3, 2], gap="medium")
    with left:
        picture = _picture(lines, pair, is_dark())
        alt = error_curve.curve_alt(lines, data.is_classification, steps([one.has_rounds for one in pair]))
        pictures.show(picture, alt, 800)
        st.caption(caption(pair))
        with st.container(horizontal=True):
            pictures.save(_picture(lines, pair, False), "error-of-forests.svg")
            counted = steps([one.has_rounds for one in pair])
            pictures.save(lambda: csv_of(lines, counted), "error-of-forests.csv")
    with right:
        st.markdown(words.WHY_TITLE)
        st.markdown(words.WHY)
    if all(gains_little(one) for one in pair):
        _point_to_others()
    for column, side, one in zip(st.columns(2, gap="medium"), SIDES, pair, strict=True):
        with column:
            st.markdown(words.measured(title(side)))
            st.markdown(measures_words(one))
    intervals.draw(pair)


def gains_little(one: GrownForest) -> bool:
    """Whether a tree alone is nearly as good as all together."""
    if one.is_sum:
        return False
    curve, own = results.curve(one), results.own_errors(one)
    errors = curve.unseen if curve.unseen is not None else curve.held
    return errors is not None and float(np.nanmean(own)) < LITTLE * float(errors[-1])


def _point_to_others() -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(words.GAINS_LITTLE, width="stretch")
        st.page_link(
            "pages/forests.py", label=words.OTHER_DATA, icon=":material/scatter_plot:",
            query_params={library.PARAMETER: HELPS_ON},
        )  # fmt: skip


def _picture(lines: list[ErrorLine], pair: list[GrownForest], dark: bool) -> str:
    most = max(one.forest.n_trees // one.trees_a_round for one in pair)
    counted = steps([one.has_rounds for one in pair])
    return error_curve.error_curve(lines, most, pair[0].dataset.is_classification, dark, counted)


def steps(have_rounds: Sequence[bool]) -> str:
    """Name of what the curves count: the trees of forests, and the rounds of sums."""
    return words.ROUNDS if all(have_rounds) else words.TREES_OR_ROUNDS if any(have_rounds) else words.TREES


def lines_of(pair: list[GrownForest]) -> list[ErrorLine]:
    """The curves of both forests: out of bag, and on held-out rows."""
    lines = []
    for side, one in enumerate(pair):
        curve, name = results.curve(one), title(SIDES[side])
        if curve.unseen is not None:
            lines.append(ErrorLine(words.out_of_bag(name), side, curve.unseen))
        if curve.held is not None:
            label = own_words.line(name, one.may_have_seen) if one.is_own else words.held_out(name)
            lines.append(ErrorLine(label, side, results.of_rounds(curve.held, one.trees_a_round), True))
    return lines


def csv_of(lines: list[ErrorLine], counted: str = "trees") -> str:
    """The curves as a table: a row for each number of trees, or of rounds."""
    table = pd.DataFrame({line.name: pd.Series(line.errors) for line in lines})
    table.insert(0, counted, np.arange(1, len(table) + 1))
    return to_csv(table)


def caption(pair: list[GrownForest]) -> str:
    """What the curves are of, and which rows they are measured on."""
    parts = [words.error_drawn(pair[0].dataset.is_classification)]
    added = [title(side) for side, one in zip(SIDES, pair, strict=True) if one.has_rounds]
    ours = [(title(side), one) for side, one in zip(SIDES, pair, strict=True) if not one.is_own]
    without = [name for name, one in ours if one.in_bag is None]
    if len(without) < len(ours):
        parts.append(words.OUT_OF_BAG)
    if all_seen := [name for name in without if name not in added]:
        parts.append(words.all_seen(all_seen))
    if added:
        parts.append(boosting_words.not_out_of_bag(added))
    parts += [uploads.judged_on(one.model, one.dataset) for one in pair if one.is_own]
    if ours and ours[0][1].held.any():
        n = int(np.count_nonzero(ours[0][1].held))
        parts.append(words.held_out_rows(n, n < FEW_HELD and pair[0].dataset.is_classification))
    elif len(without) == len(ours) and ours:
        parts.append(words.NO_ERROR)
    return " ".join(parts)


# Strength and correlation ----------------------------------------------------------------------------


@of_table(max_entries=16)
def _measured(key: str, _grown: GrownForest) -> Strength | Residuals | None:
    data, forest = _grown.dataset, _grown.forest
    measure = strength_and_correlation if data.is_classification else residual_correlation
    if _grown.in_bag is not None:
        some = drawn_rows(len(_grown.rows))
        rows, in_bag = _grown.rows[some], _grown.in_bag[:, some]
    elif _grown.held.any():
        out = np.flatnonzero(_grown.held)
        rows, in_bag = out[drawn_rows(len(out))], None
    else:
        return None
    return measure(forest, data.X[rows], data.y[rows], in_bag)


def measured(one: GrownForest) -> Strength | Residuals | None:
    """Strength and correlation, on rows that trees have not seen; None where there are none, and of a sum."""
    return None if one.is_sum else _measured(one.key, one)


def measures_words(one: GrownForest) -> str:
    """Strength and correlation of a forest, as lines of a list."""
    if one.is_sum:
        lines = sums.measures(one, _error(one)) if one.held.any() else [boosting_words.NOT_MEASURED]
        return "\n".join(f"- {line}" for line in lines)
    measures, n = measured(one), one.forest.n_trees
    if measures is None:
        return words.NOT_MEASURED
    about = own_words.its_rows(one.may_have_seen) if one.is_own else words.UNSEEN
    lines = [words.one_and_all(_own(one), n, _error(one), about)]
    is_classes = isinstance(measures, Strength)
    if is_classes:
        lines.append(words.strength(measures.strength))
    if counts_alike(one):
        fall = measures.fall
        variance = words.variance(fall.variance, is_classes)
        limit = words.limit(float(fall.of(n)), fall.floor)
        lines.append(words.correlation(fall.correlation, variance, n, limit))
    else:
        lines.append(words.UNEQUAL)
    return "\n".join(f"- {line}" for line in lines)


def counts_alike(one: GrownForest) -> bool:
    """Whether the vote of every tree counts the same."""
    return float(np.ptp(one.forest.weight)) < 1e-9


def _own(one: GrownForest) -> str:
    return _written(one, float(np.nanmean(results.own_errors(one))))


def _error(one: GrownForest) -> str:
    curve = results.curve(one)
    errors = curve.unseen if curve.unseen is not None else curve.held
    return "–" if errors is None else _written(one, float(errors[-1]))


def _written(one: GrownForest, error: float) -> str:
    return percent(error) if one.dataset.is_classification else number(error)

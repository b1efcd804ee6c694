"""Error of both forests against the number of trees, and its limits: strength, correlation and the formula."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from espalier.display.boundaries.plane import drawn_rows
from espalier.display.tables import to_csv
from espalier.display.theme import number, percent
from espalier.forests import pictures as error_curve
from espalier.forests.agreement import Residuals, Strength, residual_correlation, strength_and_correlation
from espalier.forests.pictures import ErrorLine
from espalier.language import say
from pages.shared.app import pictures
from pages.shared.app.table_results import of_table
from pages.shared.data import library
from pages.shared.forests import intervals, results, sentences
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title
from pages.shared.own_models import uploads

LITTLE, HELPS_ON = 1.2, "breast-cancer"  # how much worse a tree alone is, at most; data where it is much more
FEW_HELD = 200  # rows held out: steps of the curve are seen


def draw(pair: list[GrownForest]) -> None:
    """Draw both curves, and their limits."""
    lines, data = lines_of(pair), pair[0].dataset
    left, right = st.columns([3, 2], gap="medium")
    with left:
        most = max(one.forest.n_trees // one.trees_a_round for one in pair)
        counted = steps([one.has_rounds for one in pair])
        picture = error_curve.error_picture(lines, most, data.is_classification, counted)
        pictures.draw(picture, 800)
        st.caption(caption(pair))
        with st.container(horizontal=True):
            pictures.save(picture.draw(False), "error-of-forests.svg")
            pictures.save(lambda: csv_of(lines, counted), "error-of-forests.csv")
    with right:
        st.markdown(say("**Why averaging helps, and what limits it**"))
        st.markdown(
            say(
                "\nAny two trees of a forest answer alike to the degree ρ (their *correlation*), and "
                "each alone varies by σ². The mean\nof *B* trees varies by\n\n$$\\rho\\,\\sigma^2 + "
                "\\frac{1-\\rho}{B}\\,\\sigma^2$$\n\n**More trees** take the second part away, and nothing "
                "else: on average the error falls and then stays. The curve of\none table moves up "
                "and down around that, the more the fewer rows it is tested on.\n**Trees less alike** "
                "lessen the first part: hence the redrawn rows, and the few columns that a split may "
                "try.\n"
            )
        )
    if all(gains_little(one) for one in pair):
        _point_to_others()
    for column, side, one in zip(st.columns(2, gap="medium"), SIDES, pair, strict=True):
        with column:
            st.markdown(say("**{side}, measured**", side=sentences.forest_name(title(side))))
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
        st.caption(
            say("On these data one tree is nearly as good as many: there is little to average away."),
            width="stretch",
        )
        st.page_link(
            "pages/forests.py", label=say("Data where it helps more"), icon=":material/scatter_plot:",
            query_params={library.PARAMETER: HELPS_ON},
        )  # fmt: skip


def steps(have_rounds: Sequence[bool]) -> str:
    """Name of what the curves count: the trees of forests, and the rounds of sums."""
    return say("rounds") if all(have_rounds) else say("trees, or rounds") if any(have_rounds) else say("trees")


def lines_of(pair: list[GrownForest]) -> list[ErrorLine]:
    """The curves of both forests: out of bag, and on held-out rows."""
    lines = []
    for side, one in enumerate(pair):
        curve, name = results.curve(one), title(SIDES[side])
        if curve.unseen is not None:
            lines.append(ErrorLine(sentences.out_of_bag_curve(name), side, curve.unseen))
        if curve.held is not None:
            label = (
                say("{side}, rows it may have seen", side=name)
                if one.may_have_seen
                else say("{side}, rows new to it", side=name)
                if one.is_own
                else sentences.held_out_curve(name)
            )
            lines.append(ErrorLine(label, side, results.of_rounds(curve.held, one.trees_a_round), True))
    return lines


def csv_of(lines: list[ErrorLine], counted: str = "trees") -> str:
    """The curves as a table: a row for each number of trees, or of rounds."""
    table = pd.DataFrame({line.name: pd.Series(line.errors) for line in lines})
    table.insert(0, counted, np.arange(1, len(table) + 1))
    return to_csv(table)


def caption(pair: list[GrownForest]) -> str:
    """What the curves are of, and which rows they are measured on."""
    is_share = pair[0].dataset.is_classification
    measure = say("the share of wrong classes") if is_share else say("the root mean squared error")
    parts = [say("Error: {error} of the first 1, 2, … trees together.", error=measure)]
    added = [title(side) for side, one in zip(SIDES, pair, strict=True) if one.has_rounds]
    ours = [(title(side), one) for side, one in zip(SIDES, pair, strict=True) if not one.is_own]
    without = [name for name, one in ours if one.in_bag is None]
    if len(without) < len(ours):
        parts.append(
            say(
                "*Out of bag*: every row is judged only by the trees that did not draw it (Breiman "
                "2001), so that with few trees only some rows are judged."
            )
        )
    if all_seen := [name for name in without if name not in added]:
        parts.append(
            say(
                "Every tree of {sides} saw every row, so there is no out-of-bag error of it.",
                sides=say(" and ").join(all_seen),
            )
        )
    if added:
        parts.append(
            say(
                "The trees of {sides} are added up: without some there is no sum to judge out of bag.",
                sides=say(" and ").join(added),
            )
        )
    parts += [uploads.judged_on(one.model, one.dataset) for one in pair if one.is_own]
    if ours and ours[0][1].held.any():
        n = int(np.count_nonzero(ours[0][1].held))
        parts.append(_held_out_caption(n, n < FEW_HELD and pair[0].dataset.is_classification))
    elif len(without) == len(ours) and ours:
        parts.append(say("Hold some rows out to see an error at all."))
    return " ".join(parts)


# Strength and correlation ----------------------------------------------------------------------------


@of_table(max_entries=16)
def measured(grown: GrownForest) -> Strength | Residuals | None:
    """Strength and correlation, on rows that trees have not seen; None where there are none, and of a sum."""
    if grown.is_sum:
        return None
    data, forest = grown.dataset, grown.forest
    measure = strength_and_correlation if data.is_classification else residual_correlation
    if grown.in_bag is not None:
        some = drawn_rows(len(grown.rows))
        rows, in_bag = grown.rows[some], grown.in_bag[:, some]
    elif grown.held.any():
        out = np.flatnonzero(grown.held)
        rows, in_bag = out[drawn_rows(len(out))], None
    else:
        return None
    return measure(forest, data.X[rows], data.y[rows], in_bag)


def measures_words(one: GrownForest) -> str:
    """Strength and correlation of a forest, as lines of a list."""
    if one.is_sum:
        lines = (
            sentences.measures(one, _error(one))
            if one.held.any()
            else [say("Not measured: there are no rows that its trees did not see. Hold some rows out.")]
        )
        return "\n".join(f"- {line}" for line in lines)
    measures, n = measured(one), one.forest.n_trees
    if measures is None:
        return say(sentences.NOT_MEASURED)
    about = say("that it has not seen")
    if one.is_own:
        praise = say("that it may have been trained on, which would flatter it")
        about = praise if one.may_have_seen else say("that you say it was not trained on")
    lines = [
        _tree_and_forest_error(
            results.error_text(one, float(np.nanmean(results.own_errors(one)))), n, _error(one), about
        )
    ]
    is_classes = isinstance(measures, Strength)
    if is_classes:
        lines.append(
            say(
                "*Strength* s = **{value}**: the lead of the right class's votes over the next.",
                value=number(measures.strength),
            )
        )
    if counts_alike(one):
        fall = measures.fall
        what = say("the variance of a tree's lead") if is_classes else say("the squared error of a tree")
        variance = f"σ² = **{number(fall.variance)}**, {what}"
        limit = say(
            "**{left}**; however many there are, at least ρσ² = **{floor}** is left",
            left=number(float(fall.of(n))),
            floor=number(fall.floor),
        )
        lines.append(_correlation_sentence(fall.correlation, variance, n, limit))
    else:
        lines.append(say(sentences.UNEQUAL))
    return "\n".join(f"- {line}" for line in lines)


def counts_alike(one: GrownForest) -> bool:
    """Whether the vote of every tree counts the same."""
    return float(np.ptp(one.forest.weight)) < 1e-9


def _error(one: GrownForest) -> str:
    curve = results.curve(one)
    errors = curve.unseen if curve.unseen is not None else curve.held
    return "–" if errors is None else results.error_text(one, float(errors[-1]))


def _held_out_caption(n: int, are_few: bool) -> str:
    """The curve on held-out rows; of few rows with classes, the step of one."""
    step = (
        say(": one row of {n} is {n_2}, and smaller wiggles are chance", n=n, n_2=percent(1 / n))
        if are_few
        else ""
    )
    return say("*Held out*: rows that no tree saw{step}.", step=step)


def _tree_and_forest_error(one: str, n: int, together: str, rows: str) -> str:
    """Error of one tree alone, and of all n together; `rows` says which rows they are about."""
    rest = say("; all {n} together: **{together}**", n=n, together=together) if n > 1 else ""
    return say("One tree alone: error **{one}** on rows {rows}{rest}.", one=one, rows=rows, rest=rest)


def _correlation_sentence(value: float, variance: str, n: int, limit: str) -> str:
    """Correlation of two trees, and what n of them leave of their variance; the latter as below."""
    alike = say("Two trees are alike to the degree ρ = **{value}**, measured pair by pair.", value=number(value))
    return say("{alike} Of {variance}, {n} trees leave {limit}.", alike=alike, variance=variance, n=n, limit=limit)

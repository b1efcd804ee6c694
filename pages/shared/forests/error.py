"""Error of both forests, what limits it, how far their trees agree, and what they rely on."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from espalier.display.parts import Picture
from espalier.display.tables import to_csv
from espalier.display.theme import number, percent
from espalier.forests import pictures as error_pictures
from espalier.forests.agreement import Strength, mean_agreement
from espalier.forests.agreement_pictures import agreement_picture, importance_picture
from espalier.forests.growth import Importance, importance_of
from espalier.forests.pictures import ErrorLine
from espalier.grown import GrownForest
from espalier.kernels.forest.out_of_bag import WeightedTarget
from espalier.language import Later, say, to_say
from pages.shared.app import pictures
from pages.shared.app.frame import plain
from pages.shared.app.store import of_table
from pages.shared.forests import results, sentences
from pages.shared.models.forests import SIDES, title
from pages.shared.own_models import uploads

PAIRS = to_say("A cell is a pair of trees: the darker, the more rows they agree on (Ho 1998).")
LIMITS_OF_IMPORTANCE = to_say(
    "Two columns that tell the same each look worth less than both together. Shuffling also makes impossible "
    "rows, and a column that a forest relies on need not be a cause."
)
NOT_MEASURED = to_say("Not measured: every tree saw every row. Hold some rows out.")


def draw(pair: list[GrownForest]) -> None:
    """Draw both curves, and what limits them."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        picture = curves_picture(pair)
        pictures.draw(picture, 560)
        if note := caption(pair):
            st.caption(note)
        with st.container(horizontal=True):
            pictures.save(picture.draw(False), "error-of-forests.svg")
            pictures.save(lambda: csv_of(lines_of(pair)), "error-of-forests.csv")
    with right:
        st.markdown(say("**What limits the error**"))
        st.latex(r"\rho\,\sigma^2 + \frac{1-\rho}{B}\,\sigma^2")
        st.caption(
            say(
                "The variance of a mean of $B$ trees: each varies by σ², and two are alike to the degree ρ. "
                "More trees lessen the second part, less similar trees the first."
            )
        )
        st.table(measures(pair), border="horizontal", hide_index=True, alt=say("What limits the error"))
        for one in pair:
            if one.is_sum:
                st.caption(sentences.no_votes(one))


def curves_picture(pair: list[GrownForest]) -> Picture:
    """The errors of both forests by their number of trees, or of rounds."""
    rounds = [one.has_rounds for one in pair]
    steps = say("rounds") if all(rounds) else say("trees, or rounds") if any(rounds) else say("trees")
    most = max(one.n_rounds for one in pair)
    return error_pictures.error_picture(lines_of(pair), most, pair[0].dataset.is_classification, steps)


def lines_of(pair: list[GrownForest]) -> list[ErrorLine]:
    """The curves of both forests: out of bag, and on held-out rows."""
    lines = []
    for side, one in enumerate(pair):
        (unseen, held), name = results.curves(one), title(SIDES[side])
        if unseen is not None:
            lines.append(ErrorLine(say("{side}, out of bag", side=name), side, unseen))
        if held is not None:
            rows = say("rows it may have seen") if one.may_have_seen else say("held out")
            errors = held[one.trees_a_round - 1 :: one.trees_a_round]
            lines.append(ErrorLine(f"{name}, {rows}", side, errors, True))
    return lines


def csv_of(lines: list[ErrorLine]) -> str:
    """The curves as a table: a row for each number of trees, or of rounds."""
    table = pd.DataFrame({line.name: pd.Series(line.errors) for line in lines})
    table.insert(0, say("trees"), np.arange(1, len(table) + 1))
    return to_csv(table)


def caption(pair: list[GrownForest]) -> str:
    """The rows of the curves that need a word: a person's own model, and what is not measured."""
    parts = [uploads.judged_on(one.model, one.dataset) for one in pair if one.is_own]
    if any(all(curve is None for curve in results.curves(one)) for one in pair):
        parts.append(say(NOT_MEASURED))
    return " ".join(parts)


def measures(pair: list[GrownForest]) -> pd.DataFrame:
    """Strength, correlation and variance of both forests' trees, on rows new to them; "–" where there is none."""
    columns = [_measures(one) for one in pair]
    names = list(dict.fromkeys(name for column in columns for name in column))
    table = {say("measure"): names}
    for side, column in zip(SIDES, columns, strict=True):
        table[title(side)] = [column.get(name, "–") for name in names]
    return pd.DataFrame(table)


def _measures(one: GrownForest) -> dict[str, str]:
    (unseen, held), measures, n = results.curves(one), results.measured(one), one.forest.n_trees
    fair = held if unseen is None else unseen
    values = {}
    if measures is not None:
        values[say("error of one tree")] = results.error_text(one, float(np.nanmean(results.own_errors(one))))
    if fair is not None:
        values[say("error of all")] = results.error_text(one, float(fair[-1]))
    if isinstance(measures, Strength):
        values[say("strength s")] = number(measures.strength)
    if (
        measures is not None and float(np.ptp(one.forest.weight)) < 1e-9
    ):  # the formula is of votes that count alike
        fall = measures.fall
        values |= {say("correlation ρ"): number(fall.correlation), say("variance σ²"): number(fall.variance)}
        values |= {say("left of it"): number(float(fall.of(n))), say("at least ρσ²"): number(fall.floor)}
    return values


# ---- how far the trees of each forest agree


def draw_agreement(pair: list[GrownForest]) -> None:
    """Draw the matrices of both forests, whose colours have one scale."""
    matrices = [matrix_of(one) for one in pair]
    pairs = [matrix[~np.eye(len(matrix), dtype=bool)] for matrix in matrices if matrix is not None]
    ends = np.concatenate([np.ones(1), *pairs]).min(), 1.0
    for column, side, one, matrix in zip(st.columns(2, gap="medium"), SIDES, pair, matrices, strict=True):
        with column:
            st.markdown(sentences.forest_heading(title(side)), help=say(PAIRS))
            if matrix is None:
                st.caption(sentences.no_votes(one) if one.is_sum else say("Trees of numbers have no votes."))
                continue
            st.markdown(agreement_sentence(one, matrix))
            if len(matrix) > 1:
                pictures.plot(agreement_picture(matrix, ends), f"agreement {side}", pictures.NO_BAR)


def matrix_of(one: GrownForest) -> np.ndarray | None:
    """(n_trees, n_trees): the share of rows on which two trees vote alike; None without votes."""
    return results.matrix_of(one) if one.dataset.is_classification and not one.is_sum else None


def agreement_sentence(one: GrownForest, matrix: np.ndarray) -> str:
    """How often two trees agree."""
    return say(
        "Two trees agree on **{share}** of held-out rows."
        if one.held.any()
        else "Two trees agree on **{share}** of the rows they grew on.",
        share=percent(mean_agreement(matrix)),
    )


# ---- importance of the columns: the rise of the error where one is shuffled


def draw_importance(pair: list[GrownForest]) -> None:
    """Draw the bars of both forests, and their limits."""
    st.caption(
        say("How much a tree's error rises if a column is shuffled (Breiman 2001)."),
        help=say(LIMITS_OF_IMPORTANCE),
    )
    names, ends = [feature.name for feature in pair[0].dataset.features], [0.0]
    importances = [importance(one) for one in pair]
    for each in importances:
        if isinstance(each, Importance):
            off = np.nan_to_num(each.error)
            ends += [float((each.mean - off).min()), float((each.mean + off).max())]
    pad = 0.04 * (max(ends) - min(ends))
    reach = [min(ends) - pad, max(ends) + pad]  # of one axis, so that the forests' bars can be compared
    for column, side, each in zip(st.columns(2, gap="medium"), SIDES, importances, strict=True):
        with column:
            st.markdown(sentences.forest_heading(title(side)))
            if isinstance(each, Importance):
                picture = importance_picture(each, names, pair[0].dataset.is_classification, reach)
                pictures.plot(picture, f"importance {side}", pictures.NO_BAR)
            else:
                st.caption(plain(say("There is none: {reason}.", reason=say(each)) if each else say(NOT_MEASURED)))


@of_table(max_entries=16, show_spinner=Later(lambda: say("Shuffling the columns …")))
def importance(grown: GrownForest) -> Importance | str:
    """The importance, or why there is none: in English, for visitors of any language; empty if no row is left."""
    data, (rows, in_bag) = grown.dataset, results.judging_rows(grown)
    if not len(rows):
        return ""
    seen = np.zeros((grown.forest.n_trees, len(rows)), np.uint8) if in_bag is None else in_bag
    weight = np.ones(len(rows)) if data.weights is None else data.weights[rows]
    target = WeightedTarget(data.y[rows].astype(np.float64), weight, data.is_classification)
    try:
        return importance_of(grown.forest, data.X[rows], target, seen)
    except ValueError as why:
        return str(why)

"""Importance of the features to each forest: the rise of the error where a feature is shuffled."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from espalier.display.boundaries.plane import drawn_rows
from espalier.display.spreadsheet import to_csv
from espalier.forests.agreement_pictures import MOST_FEATURES, importance_alt, importance_figure
from espalier.forests.importance import Importance, importance_of
from espalier.kernels.forest.out_of_bag import WeightedTarget
from espalier.language import Later, say
from pages.shared.app import pictures
from pages.shared.app.frame import is_dark, plain
from pages.shared.app.table_results import of_table
from pages.shared.forests import sentences
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title


def draw(pair: list[GrownForest]) -> None:
    """Draw the bars of both forests, and their limits."""
    data = pair[0].dataset
    st.caption(_importance_caption(data.is_classification, MOST_FEATURES, len(data.features)))
    importances = [found_of(one) for one in pair]
    reach = ends_of([each for each in importances if isinstance(each, Importance)])
    for column, side, one, each in zip(st.columns(2, gap="medium"), SIDES, pair, importances, strict=True):
        with column:
            st.markdown(sentences.forest_heading(title(side)))
            if isinstance(each, str):
                st.caption(
                    plain(
                        say("There is none: {reason}.", reason=say(each))
                        if each
                        else say("Every tree of it saw every row. Hold some rows out, to shuffle those.")
                    )
                )
            else:
                _bars(one, side, each, reach)
    st.info(say(sentences.LIMITS_OF_IMPORTANCE))


@of_table(max_entries=16, show_spinner=Later(lambda: say("Shuffling the columns …")))
def found_of(grown: GrownForest) -> Importance | str:
    """The importance, or why there is none: in English, for visitors of any language; empty if no row is left."""
    data, in_bag = grown.dataset, grown.in_bag
    rows = grown.rows if in_bag is not None else np.flatnonzero(grown.held)
    if not len(rows):
        return ""
    some = drawn_rows(len(rows))
    rows, n_trees = rows[some], grown.forest.n_trees
    seen = np.zeros((n_trees, len(rows)), np.uint8) if in_bag is None else in_bag[:, some]
    weight = np.ones(len(rows)) if data.weights is None else data.weights[rows]
    target = WeightedTarget(data.y[rows].astype(np.float64), weight, data.is_classification)
    try:
        return importance_of(grown.forest, data.X[rows], target, seen)
    except ValueError as why:
        return str(why)


def ends_of(importances: list[Importance]) -> list[float]:
    """Both ends of the axis that the forests share, so that their bars can be compared."""
    ends = [0.0]
    for one in importances:
        error = np.nan_to_num(one.error)
        ends += [*(one.mean - error).tolist(), *(one.mean + error).tolist()]
    pad = 0.04 * (max(ends) - min(ends))
    return [min(ends) - pad, max(ends) + pad]


def _bars(one: GrownForest, side: str, importance: Importance, reach: list[float]) -> None:
    names = [feature.name for feature in one.dataset.features]
    is_share = one.dataset.is_classification
    figure, alt = (
        importance_figure(importance, names, is_share, is_dark()),
        importance_alt(importance, names, is_share),
    )
    figure.update_xaxes(range=reach)
    st.plotly_chart(figure, theme=None, key=f"importance {side}", config={"displayModeBar": False}, alt=alt)
    pictures.save(lambda: csv_of(importance, names), f"importance-in-forest-{side}.csv")


def csv_of(importance: Importance, names: list[str]) -> str:
    """The bars as a table, the most important feature first."""
    columns = (names, importance.mean, importance.error, importance.spread)
    headings = (say("column"), say("rise of the error"), say("standard error"), say("spread over trees"))
    table = pd.DataFrame(dict(zip(headings, columns, strict=True)))
    return to_csv(table.sort_values(say("rise of the error"), ascending=False))


def _importance_caption(is_classification: bool, n_drawn: int, n_features: int) -> str:
    """Caption of the bars."""
    kind = say("error") if is_classification else say("mean squared error")
    most = say(
        " The {n_drawn} most important of {n_features} columns are drawn; the file has all.",
        n_drawn=n_drawn,
        n_features=n_features,
    )
    return say(
        "A column's values are shuffled among the rows that a tree has not seen; the bar is how much the tree's "
        "{kind} rises on average over the trees (Breiman 2001, section 10). The line is the standard error of "
        "that mean: how far chance in growing the trees may put it off.",
        kind=kind,
    ) + most * (n_features > n_drawn)

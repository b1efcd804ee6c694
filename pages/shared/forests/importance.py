"""What each feature is worth to each forest: how much worse its trees get where the feature is shuffled."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from espalier.analysis.forests.importance import Importance, importance_of
from espalier.data.dataset import Dataset
from espalier.kernels.forest.out_of_bag import WeightedTarget
from espalier.views.boundaries.plane import drawn_rows
from espalier.views.forests.agreement import MOST_FEATURES, importance_alt, importance_figure
from espalier.views.spreadsheet import to_csv
from pages.shared.app import pictures
from pages.shared.app.frame import is_dark, plain
from pages.shared.app.table_results import of_table
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title

CANNOT = (
    "**What this cannot say.** Where two features tell the same, trees take now one, now the other, and the one "
    "covers for the other that is shuffled: both look less worth than they are together. Shuffling also makes "
    "rows that could not be, say a tall child of 5 kg. And worth to a forest is no cause: a feature may stand in "
    "for something that was not measured."
)


def draw(planted: list[GrownForest]) -> None:
    """The bars of both forests, and what they do not tell."""
    st.caption(_words(planted[0].dataset))
    found = [_importance(one.key, one) for one in planted]
    reach = _reach([each for each in found if isinstance(each, Importance)])
    for column, side, one, each in zip(st.columns(2, gap="medium"), SIDES, planted, found, strict=True):
        with column:
            st.markdown(f"**Forest {title(side)}**")
            if isinstance(each, str):
                st.caption(plain(each))
            else:
                _bars(one, side, each, reach)
    st.info(CANNOT)


def _words(data: Dataset) -> str:
    error = "error" if data.is_classification else "mean squared error"
    n = len(data.features)
    drawn = (
        f" The {MOST_FEATURES} most important of {n} features are drawn; the file has all."
        if n > MOST_FEATURES
        else ""
    )
    return (
        "A feature's values are shuffled among the rows that a tree has not seen; the bar is how much the tree's "
        f"{error} rises on average over the trees (Breiman 2001, section 10). The line is the standard error of "
        f"that mean: how far chance in growing the trees may put it off.{drawn}"
    )


@of_table(max_entries=16, show_spinner="Shuffling the features …")
def _importance(key: str, _planted: GrownForest) -> Importance | str:
    """The importance, or why there is none."""
    data, in_bag = _planted.dataset, _planted.in_bag
    rows = _planted.rows if in_bag is not None else np.flatnonzero(_planted.held)
    if not len(rows):
        return "Every tree of it saw every row. Hold some rows out, to shuffle those."
    some = drawn_rows(len(rows))
    rows, n_trees = rows[some], _planted.forest.n_trees
    seen = np.zeros((n_trees, len(rows)), np.uint8) if in_bag is None else in_bag[:, some]
    target = WeightedTarget(data.y[rows].astype(np.float64), np.ones(len(rows)), data.is_classification)
    try:
        return importance_of(_planted.forest, data.X[rows], target, seen)
    except ValueError as why:
        return f"There is none: {why}."


def _reach(found: list[Importance]) -> list[float]:
    """Both ends of the axis that the forests share, so that their bars can be compared."""
    ends = [
        0.0,
        *(
            end
            for one in found
            for sign in (-1, 1)
            for end in (one.mean + sign * np.nan_to_num(one.error)).tolist()
        ),
    ]
    pad = 0.04 * (max(ends) - min(ends))
    return [min(ends) - pad, max(ends) + pad]


def _bars(one: GrownForest, side: str, found: Importance, reach: list[float]) -> None:
    names = [feature.name for feature in one.dataset.features]
    is_share = one.dataset.is_classification
    figure, alt = importance_figure(found, names, is_share, is_dark()), importance_alt(found, names, is_share)
    figure.update_xaxes(range=reach)
    st.plotly_chart(figure, theme=None, key=f"importance {side}", config={"displayModeBar": False}, alt=alt)
    pictures.save(lambda: csv_of(found, names), f"importance-in-forest-{side}.csv")


def csv_of(found: Importance, names: list[str]) -> str:
    """The bars as a table, the most important feature first."""
    table = pd.DataFrame(
        {
            "feature": names,
            "rise of the error": found.mean,
            "standard error": found.error,
            "spread over trees": found.spread,
        }
    )
    return to_csv(table.sort_values("rise of the error", ascending=False))

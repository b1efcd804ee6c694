"""Importance of the columns to each forest: the rise of the error where a column is shuffled."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.forests.agreement_pictures import importance_picture
from espalier.forests.growth import Importance, importance_of
from espalier.kernels.forest.out_of_bag import WeightedTarget
from espalier.language import Later, say
from pages.shared.app import pictures
from pages.shared.app.frame import plain
from pages.shared.app.table_results import of_table
from pages.shared.forests import results, sentences
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title


def draw(pair: list[GrownForest]) -> None:
    """Draw the bars of both forests, and their limits."""
    st.caption(
        say("How much a tree's error rises if a column is shuffled (Breiman 2001)."),
        help=say(sentences.LIMITS_OF_IMPORTANCE),
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
                st.caption(
                    plain(
                        say("There is none: {reason}.", reason=say(each)) if each else say(sentences.NOT_MEASURED)
                    )
                )


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

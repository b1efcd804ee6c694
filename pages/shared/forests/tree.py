"""A tree of a forest as a record of the Tree page, with the rows drawn for it and their counts."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.theme import count
from espalier.grown import FittedTree, GrownForest, GrownTree, TreeSource, join_data
from espalier.language import say
from pages.shared.app.frame import plain
from pages.shared.forests import growing
from pages.shared.models import drawer, forests


def grown(dataset: Dataset) -> GrownTree | None:
    """The tree that the controls stand for; None while its forest grows, with the reason on the page."""
    forests.drop_invalid(dataset)
    side = st.session_state["side"]
    there = growing.grown_forests(dataset, [side])
    if there is None:
        return None
    (forest,) = there
    if forest.is_sum:
        text = say("A step of boosting is no tree by itself: see *Round by round* on the page of forests.")
        st.info(text, icon=":material/forest:")
        return None
    number = min(st.session_state["number"], forest.forest.n_trees)
    words = say(
        "**Tree {number} of {n_trees} of forest {side}** ({kind}).",
        number=number,
        n_trees=forest.forest.n_trees,
        side=forests.title(side),
        kind=plain(forests.short(forest.model)),
    )
    if forest.in_bag is not None:
        n = int((forest.in_bag[number - 1] > 0).sum())
        words += " " + say(
            "It drew {n} of {n_rows} rows; the others are held out.", n=count(n), n_rows=count(len(forest.rows))
        )
    st.caption(words)
    return _tree_of(forest, number)


def _tree_of(grown: GrownForest, number: int) -> GrownTree:
    """Rows that the tree did not draw are held out from it."""
    data = grown.dataset
    fitted = FittedTree(grown.forest.trees[number - 1], None)
    key = f"{grown.key} tree {number}"
    tree = join_data(key, fitted, data, TreeSource(drawer.holdout(), grown.model), grown.estimator)
    if grown.is_own:
        held = grown.held if len(grown.rows) and not grown.may_have_seen else np.zeros(len(data.y), bool)
        return tree._replace(rows_key=key, held=held)
    if grown.in_bag is None:
        return tree._replace(rows_key=key, by_chance=True)
    times = np.zeros(len(data.y))
    times[grown.rows] = grown.in_bag[number - 1]
    return tree._replace(rows_key=key, held=times == 0, times=times, by_chance=True)

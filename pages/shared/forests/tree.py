"""A tree of a forest as a record of the Tree page, with the rows drawn for it and their counts."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.theme import count
from espalier.language import say
from pages.shared.app.frame import plain
from pages.shared.forests import growing
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models import drawer, forests, learners
from pages.shared.tree import results
from pages.shared.tree.fits import FittedTree
from pages.shared.tree.results import GrownTree, TreeSource


def is_meant() -> bool:
    """Whether the Tree page is to show a tree of a forest."""
    return st.session_state["learner"] == learners.FOREST_NAME


def grown(dataset: Dataset) -> GrownTree | None:
    """The tree that the controls stand for; None while its forest grows, with the reason on the page."""
    forests.drop_invalid(dataset)
    there = growing.forests(dataset, [st.session_state["side"]])
    if there is None:
        return None
    if there[0].is_sum:
        side = st.session_state["side"]
        st.info(
            say(
                "A tree of forest {side} is no tree by itself: it is a step of gradient boosting, which corrects "
                "the sum of the earlier ones. The page of forests shows it, under *{TAB}*.",
                side=forests.title(side),
                TAB=say("Round by round"),
            ),
            icon=":material/forest:",
        )
        return None
    number = min(st.session_state["number"], there[0].forest.n_trees)
    st.caption(_words(there[0], number))
    return _of(there[0], number)


def _words(grown: GrownForest, number: int) -> str:
    """Which tree this is, and which rows count as held out from it."""
    side, n = st.session_state["side"], grown.forest.n_trees
    is_last, kind = number < st.session_state["number"], plain(forests.short(grown.model))
    text = _tree_heading(number, n, forests.title(side), is_last, kind)
    if grown.in_bag is None:
        return text
    return f"{text} " + say(
        "It drew {n} of {n_rows} rows, some several times; all others count as held out from it.",
        n=count(int((grown.in_bag[number - 1] > 0).sum())),
        n_rows=count(len(grown.rows)),
    )


def _of(grown: GrownForest, number: int) -> GrownTree:
    """Rows that the tree did not draw are held out from it."""
    data = grown.dataset
    fitted = FittedTree(grown.forest.trees[number - 1], None)
    key = f"{grown.key} tree {number}"
    tree = results.with_data(key, fitted, data, TreeSource(drawer.holdout(), grown.model), grown.estimator)
    if grown.is_own:
        held = grown.held if len(grown.rows) and not grown.may_have_seen else np.zeros(len(data.y), bool)
        return tree._replace(rows_key=key, held=held)
    if grown.in_bag is None:
        return tree._replace(rows_key=key, by_chance=True)
    times = np.zeros(len(data.y))
    times[grown.rows] = grown.in_bag[number - 1]
    return tree._replace(rows_key=key, held=times == 0, times=times, by_chance=True)


def _tree_heading(number_: int, n_trees: int, side: str, is_last: bool, kind: str) -> str:
    """Which tree this is; `is_last` where a greater number was asked for."""
    last = say(", the last one") if is_last else ""
    return say(
        "**Tree {number} of {n_trees} of forest {side}**{last} ({kind}).",
        number=number_,
        n_trees=n_trees,
        side=side,
        last=last,
        kind=kind,
    )

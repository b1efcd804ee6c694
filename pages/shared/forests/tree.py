"""A tree of a forest as the tree page has it: with the rows that were drawn for it, each as often as it was."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.views.theme import count
from pages.shared.app.frame import plain
from pages.shared.forests import growing
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models import forest, forests, rail
from pages.shared.tree import results
from pages.shared.tree.fits import FittedTree
from pages.shared.tree.results import GrownTree

TOLD = ("criterion", "eta", "options")  # parameters of the estimator that the page asks for


def is_meant() -> bool:
    """Whether the tree page is to show a tree of a forest."""
    return st.session_state["learner"] == forest.NAME


def grown(dataset: Dataset) -> GrownTree | None:
    """The tree that the controls stand for; None while its forest grows, with the reason on the page."""
    forests.drop_invalid(dataset)
    found = growing.forests(dataset, [st.session_state["side"]])
    if found is None:
        return None
    number = min(st.session_state["number"], found[0].forest.n_trees)
    st.caption(_words(found[0], number))
    return _of(found[0], number)


def _words(planted: GrownForest, number: int) -> str:
    """Which tree this is, and which rows count as held out from it."""
    side, n = forests.title(st.session_state["side"]), planted.forest.n_trees
    last = ", the last one" if number < st.session_state["number"] else ""
    told = f"**Tree {number} of {n} of forest {side}**{last} ({plain(forests.short(planted.model))})."
    if planted.in_bag is None:
        return told
    drawn, n_rows = int((planted.in_bag[number - 1] > 0).sum()), len(planted.rows)
    rows = f"{count(drawn)} of {count(n_rows)} rows"
    return f"{told} It drew {rows}, some several times; all others count as held out from it."


def _of(planted: GrownForest, number: int) -> GrownTree:
    """Rows that the tree did not draw are held out from it."""
    data = planted.dataset
    parameters = (("learner", forest.NAME), *_parameters(planted.estimator).items())
    fitted = FittedTree(planted.forest.trees[number - 1], None)
    key = f"{planted.key} tree {number}"
    found = results.with_data(key, fitted, data, rail.holdout(), parameters)
    if planted.in_bag is None:
        return found._replace(rows_key=key, by_chance=True)
    times = np.zeros(len(data.y))
    times[planted.rows] = planted.in_bag[number - 1]
    return found._replace(rows_key=key, held=times == 0, times=times, by_chance=True)


def _parameters(estimator: Any) -> dict[str, Any]:
    """What the page asks of how the tree was grown, of the forest's estimator or of that of its trees."""
    told = estimator.get_params()
    found = {name: told.get(name, told.get(f"estimator__{name}")) for name in TOLD}
    return {name: value for name, value in found.items() if value is not None}

"""The button that makes the way to a node the filter: a tree then grows on the node's rows alone."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.data import Filter, FilterError, filter_of
from espalier.data.dataset import columns_of
from espalier.data.rows.filters import ALL, LONGEST
from espalier.data.rows.subset import check_part, mask_of
from espalier.language import say
from espalier.tree.paths import filter_of_node
from pages.shared.app.frame import callback, plain
from pages.shared.data import library
from pages.shared.tree import results
from pages.shared.tree.by_hand.changes import EDITS
from pages.shared.tree.results import GrownTree


def button(grown: GrownTree, node: int) -> None:
    """Draw it, below the root; where it can do nothing, it says why."""
    if node == 0:
        return
    rows, why_not = ALL, ""
    try:
        rows = _rows(grown, node)
    except FilterError as error:
        why_not = str(error)
    st.button(
        say("Grow on this node's rows"),
        icon=":material/filter_alt:",
        key="grow on rows",
        disabled=bool(why_not),
        help=plain(why_not)
        or say(
            "Makes the way to this node the filter: every page then works on these rows "
            "alone. "
            "*Undo* or *All rows* leads back."
        ),
        on_click=callback(_take),
        args=(rows.text,),
    )


def _rows(grown: GrownTree, node: int) -> Filter:
    """The filter of the node's rows, with the one that is there. Raises FilterError where there is none."""
    here = results.rows_in(grown, node)
    if grown.is_cultivated or grown.sums is not None:
        raise FilterError(
            say("The way to this node is no list of conditions on columns, so that no filter takes just its rows.")
        )
    path = filter_of_node(grown.sharp, node, grown.dataset.features, results.missing(grown))
    if not np.array_equal(mask_of(grown.dataset, path), here):
        raise FilterError(
            say(
                "Other columns stand in for missing values on the way to this node, so that no "
                "filter takes just its rows. Grow the tree with another way of missing values."
            )
        )
    check_part(grown.dataset, here)
    key = library.chosen_key()
    before = ALL if library.refusal(key) else filter_of(library.divided(key)[1])
    both = before.both(path).in_short(columns_of(grown.dataset))
    if len(both.text) > LONGEST:
        raise FilterError(
            say("The way to this node is too long for an address. Choose a node nearer to the root.")
        )
    return both


def _take(rows: str) -> None:
    """Take these rows; changes by hand were of another tree (a callback)."""
    st.session_state[EDITS] = ""
    library.take(library.with_rows(library.chosen_key(), rows))

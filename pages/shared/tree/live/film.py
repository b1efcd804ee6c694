"""The growth of the tree on the page as a film: from a single leaf, one split at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from espalier.display.text.trees import condition
from espalier.display.theme import number
from espalier.language import Texts, say
from espalier.tree.splits import growth_order, impurity_left
from espalier.trees import CultivatedTree, is_leaf, prune_to
from pages.shared.app.address import Entry
from pages.shared.app.links.readers import one_of
from pages.shared.app.table_results import of_table
from pages.shared.canvas.player import player_canvas
from pages.shared.tree import report, results
from pages.shared.tree.fits import FittedTree
from pages.shared.tree.live import folds
from pages.shared.tree.live.folds import Like
from pages.shared.tree.results import GrownTree

ORDERS = Texts({"gain": "Best split first", "depth": "Level by level", "found": "Leftmost branch first"})
PLAYER = Texts(
    {
        "film": "Film of the tree's growth",
        "splits": "Splits that the tree has",
        "start": "Back to a single leaf",
        "back": "Take the last split back",
        "play": "Play",
        "pause": "Pause",
        "step": "Next split",
        "end": "The whole tree",
    }
)

NAME, ORDER = "film", "film-order"  # of the fold; key of the choice
MOST_SPLITS = 127


def url_entries() -> list[Entry]:
    """The order in which the tree grows, as part of the address; no step of Undo."""
    return [Entry(ORDER, "gain", one_of(ORDERS), undo=False, name="grows")]


def fold(grown: GrownTree, axes: tuple[int, ...], like: Like) -> dict[str, Any] | None:
    """The tree for the browser, with the place of each split in the film; None where there is none."""
    if _why_not(grown):
        return None
    others = like(grown)
    surface = {} if others.averaged else folds.surface(grown, axes, others)
    return _cards(grown, st.session_state[ORDER]) | surface


def player(grown: GrownTree) -> None:
    """Draw the player, or why there is none."""
    if why_not := _why_not(grown):
        st.caption(why_not)
        return
    left, right = st.columns([2, 5], vertical_alignment="top")
    with left:
        names = ORDERS.__getitem__
        st.selectbox(
            say("In which order the tree grows"),
            list(ORDERS),
            format_func=names,
            key=ORDER,
            label_visibility="collapsed",
        )
    with right:
        order = st.session_state[ORDER]
        texts = _texts(grown, order)
        player_canvas(NAME, f"{grown.key} {order}", texts, PLAYER, channel=report.CHANNEL)


def _why_not(grown: GrownTree) -> str:
    if isinstance(grown.tree, CultivatedTree) or grown.gridded is not None:
        return say(
            "There is no film of this kind of tree. Films show trees that send each row one way, "
            "at a threshold of one column, to a leaf with one answer."
        )
    n_splits = grown.tree.n_leaves - 1
    return (
        say(
            "The tree has {n_splits} splits; there is a film of up to {most}. Lower the depth, or prune the tree.",
            n_splits=n_splits,
            most=MOST_SPLITS,
        )
        if n_splits > MOST_SPLITS
        else ""
    )


def _texts(grown: GrownTree, order: str) -> list[str]:
    tree, places = grown.sharp, growth_order(grown.sharp, order)
    splits = np.flatnonzero(~is_leaf(tree))
    tests = [condition(tree, grown.dataset.features, int(node)) for node in splits[np.argsort(places[splits])]]
    said = [
        say("A single leaf: all rows get the same answer."),
        *(
            say("Split {number} of {of}: {test}.", number=i + 1, of=len(tests), test=test)
            for i, test in enumerate(tests)
        ),
    ]
    return [f"{one} {state}." for one, (_, state) in zip(said, _steps(grown, order), strict=True)]


@of_table(max_entries=16)
def _cards(grown: GrownTree, order: str) -> dict[str, Any]:
    stop = growth_order(grown.sharp, order).tolist()
    numbers = [(number, there) for number, (there, _) in enumerate(_steps(grown, order))]
    return {"name": NAME, "cards": results.cards(grown), "stop": stop, "numbers": numbers}


@of_table(max_entries=16)
def _steps(grown: GrownTree, order: str) -> list[tuple[list[str], str]]:
    """The trees from the single leaf on: the numbers above each, and impurity and errors in words."""
    tree, places = grown.sharp, growth_order(grown.sharp, order)
    impurity, found = results.cards(grown)["criterion"], []
    for n, left in enumerate(impurity_left(tree, places).tolist()):
        cut = FittedTree(prune_to(tree, places < n), None)
        shown = results.with_data(f"{grown.key} {order} {n}", cut, grown.dataset, grown.source)
        numbers = [one.value for one in report.figures_of(shown)]
        found.append(
            (
                numbers,
                say(
                    "Mean {impurity} of the leaves {left}, {errors}",
                    impurity=impurity,
                    left=number(left),
                    errors=report.errors_in_short(shown),
                ),
            )
        )
    return found

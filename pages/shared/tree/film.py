"""The growth of the tree on the page as a film: from a single leaf, one split at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from espalier.display.text.trees import condition
from espalier.display.theme import number
from espalier.grown import FittedTree, GrownTree, join_data
from espalier.language import Texts, say
from espalier.tree.nodes import growth_order, impurity_left
from espalier.trees import CultivatedTree, is_leaf, prune_to
from pages.shared.app.store import of_table
from pages.shared.canvas.components import player_canvas
from pages.shared.tree import folds, report, results
from pages.shared.tree.folds import Like

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

NAME = "film"  # of the fold
MOST_SPLITS = 127


def fold(grown: GrownTree, axes: tuple[int, ...], like: Like) -> dict[str, Any] | None:
    """The tree for the browser, with the place of each split in the film; None where there is none."""
    if _why_not(grown):
        return None
    others = like(grown)
    surface = {} if others.averaged else folds.surface(grown, axes, others)
    return _cards(grown) | surface


def player(grown: GrownTree) -> None:
    """Draw the player, or why there is none."""
    if why_not := _why_not(grown):
        st.caption(why_not)
    else:
        player_canvas(NAME, grown.key, _texts(grown), PLAYER, channel=report.CHANNEL)


def _why_not(grown: GrownTree) -> str:
    if isinstance(grown.tree, CultivatedTree) or grown.gridded is not None:
        return say("There is no film of this kind of tree: choose one that sends each row one way.")
    if grown.tree.n_leaves - 1 > MOST_SPLITS:
        return say("There is a film of up to {most} splits. Lower the depth, or prune the tree.", most=MOST_SPLITS)
    return ""


def _texts(grown: GrownTree) -> list[str]:
    tree, at = grown.sharp, growth_order(grown.sharp, "gain")
    splits = np.flatnonzero(~is_leaf(tree))
    tests = [condition(tree, grown.dataset.features, int(node)) for node in splits[np.argsort(at[splits])]]
    steps = [say("A single leaf: all rows get the same answer.")]
    for n, test in enumerate(tests, start=1):
        steps.append(say("Split {number} of {of}: {test}.", number=n, of=len(tests), test=test))
    return [f"{step} {state}." for step, (_, state) in zip(steps, _steps(grown), strict=True)]


@of_table(max_entries=16)
def _cards(grown: GrownTree) -> dict[str, Any]:
    stop = growth_order(grown.sharp, "gain").tolist()
    numbers = [(number, there) for number, (there, _) in enumerate(_steps(grown))]
    return {"name": NAME, "cards": results.cards(grown), "stop": stop, "numbers": numbers}


@of_table(max_entries=16)
def _steps(grown: GrownTree) -> list[tuple[list[str], str]]:
    """The trees from the single leaf on, the best split first: the numbers above each, impurity and errors."""
    tree, at = grown.sharp, growth_order(grown.sharp, "gain")
    impurity, steps = results.cards(grown)["criterion"], []
    for n, left in enumerate(impurity_left(tree, at).tolist()):
        cut = FittedTree(prune_to(tree, at < n), None)
        tree_so_far = join_data(f"{grown.key} gain {n}", cut, grown.dataset, grown.source)
        state = say(
            "Mean {impurity} of the leaves {left}, {errors}",
            impurity=impurity,
            left=number(left),
            errors=report.errors_in_short(tree_so_far),
        )
        steps.append(([figure["value"] for figure in report.figures_of(tree_so_far)], state))
    return steps

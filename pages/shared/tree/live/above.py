"""The lines above the tree: how it was searched for, pruned and changed by hand, and the ways back."""

from __future__ import annotations

import streamlit as st

from espalier.language import say
from espalier.learners.catalogue import Model
from pages.shared.tree import near_optimal, proof, pruning, report, results
from pages.shared.tree.by_hand import controls
from pages.shared.tree.by_hand.changes import Changed
from pages.shared.tree.results import GrownTree

# Settings that the greedy tree shares with one's own.
SHARED = ("criterion", "split", "leaf", "without", "weights", "random")
LARGE = 2_000_000  # values of a table beyond which no other trees are grown for a line of scores


def draw(grown: GrownTree, pruned: GrownTree, change: Changed) -> None:
    """Draw them for the tree of the controls, that tree pruned, and what was changed of it."""
    if grown.proof is not None:
        proof.line(grown)
        near_optimal.way_back(grown)
    if st.session_state[pruning.RULE] != pruning.WHOLE:
        pruning.line(grown, pruned)
    if change.text:
        controls.line(change)
        _beside_greedy(change.tree)


def _beside_greedy(grown: GrownTree) -> None:
    """Draw the scores of a tree changed by hand beside CART of as many leaves, grown where impurity falls most."""
    if not grown.by_hand or grown.tree.n_leaves < 2 or grown.dataset.X.size > LARGE:
        return
    values = dict(grown.source.model.settings) if grown.source.model.name == "cart" else {}
    settings = {key: values[key] for key in SHARED if key in values} | {
        "depth": None,
        "leaves": grown.tree.n_leaves,
    }
    greedy = results.grown(grown.dataset, grown.source.holdout, Model("cart", tuple(settings.items())))
    mine, other = report.scores_in_short(grown), report.scores_in_short(greedy)
    words = say("**You**: {mine} · **CART** of as many leaves: {other}", mine=mine, other=other)
    st.markdown(f":material/trophy: {words}")

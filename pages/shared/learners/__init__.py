"""The ways of growing a tree that the page offers: one record each, which of them is in use, its controls."""

from __future__ import annotations

import streamlit as st

from core.data import Dataset
from pages.shared import controls
from pages.shared.address import Entry, one_of
from pages.shared.controls import Help
from pages.shared.learners.cart import CART
from pages.shared.learners.cultivated import CULTIVATED
from pages.shared.learners.record import Learner, Parameters

__all__ = ["LEARNERS", "Learner", "Parameters", "chosen", "draw", "entries", "named", "parameters"]

LEARNERS = {"cart": CART, "cultivated": CULTIVATED}  # by what the address says
DEFAULT = "cart"
HELP = {
    "learner": Help(
        "How the tree is grown",
        "\n".join(f"- **{learner.title}.** {learner.words}" for learner in LEARNERS.values()),
    )
}


def named(name: str) -> Learner:
    """The learner of this name in the address."""
    return LEARNERS[name]


def chosen() -> Learner:
    """The learner in use."""
    return LEARNERS[st.session_state["learner"]]


def entries(classification: bool) -> list[Entry]:
    """The choice, and the controls of all learners: one that is left keeps its settings until one is back."""
    every = [entry for learner in LEARNERS.values() for entry in learner.entries(classification)]
    unique = {entry.key: entry for entry in every}
    return [Entry("learner", DEFAULT, one_of(LEARNERS)), *controls.held_out_entries(), *unique.values()]


def draw(dataset: Dataset) -> None:
    """The choice of the learner, and its controls."""
    titles = {name: learner.title for name, learner in LEARNERS.items()}
    controls.pick(
        HELP, "learner", st.segmented_control, options=list(titles), format_func=titles.get, required=True,
        width="stretch",
    )  # fmt: skip
    st.caption(chosen().words)
    n_rows = round(len(dataset.y) * (1 - st.session_state["held"] / 100))
    chosen().draw(dataset.is_classification, n_rows)


def parameters(classification: bool) -> Parameters:
    """Learner and parameters that the controls stand for, as a hashable key of caches."""
    return (("learner", st.session_state["learner"]), *chosen().parameters(classification).items())

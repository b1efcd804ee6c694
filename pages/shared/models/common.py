"""Controls that several learners have, with the same meaning and the same values."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.shared.app.address import Entry, decimal, one_of, whole
from pages.shared.models.rail import BIG, Help, pick

MAX_DEPTH = 20
DEPTHS = [*range(1, MAX_DEPTH + 1), None]
FEATURES = {
    "all": "All features",
    "sqrt": "√ of their number, at random",
    "log2": "log₂ of their number, at random",
    "half": "Half of them, at random",
    "one": "One at random",
}
MAX_FEATURES: dict[str, Any] = {"all": None, "half": 0.5, "one": 1}
WEIGHTS = {"none": "Every row counts the same", "balanced": "Every class counts the same"}

HELP = {
    "alpha": Help(
        "Pruning α",
        "The price of a leaf: branches that lower the training error by less than α per leaf are cut off "
        "again. *Term:* minimal cost-complexity pruning, `ccp_alpha`; *R_α(T) = R(T) + α·leaves(T)*.",
    ),
    "features": Help(
        "Features tried at each split",
        "Random forests try a random few, so that their trees differ. *Term:* `max_features`.",
    ),
    "weights": Help(
        "Weight of the classes",
        "Balanced: a rare class weighs as much as a frequent one. *Term:* `class_weight`.",
    ),
    "random": Help("Seed of the tree", "Of random features, thresholds and ties. *Term:* `random_state`."),
}


def url_entries() -> list[Entry]:
    """The controls as parts of the address."""
    return [
        Entry("alpha", 0.0, decimal(0, 1e12)),
        Entry("features", "all", one_of(FEATURES)),
        Entry("weights", "none", one_of(WEIGHTS)),
        Entry("random", 0, whole(0, BIG)),
    ]


def parameters(classification: bool) -> dict[str, Any]:
    """The learners' parameters that the controls stand for."""
    state = st.session_state
    chosen = {
        "ccp_alpha": float(state["alpha"]),
        "max_features": MAX_FEATURES.get(state["features"], state["features"]),
        "random_state": state["random"],
    }
    if classification:
        chosen["class_weight"] = "balanced" if state["weights"] == "balanced" else None
    return chosen


def written_depth(depth: int | None) -> str:
    """A depth of `DEPTHS` on a slider."""
    return "no limit" if depth is None else str(depth)


def pick_alpha() -> None:
    """What a leaf costs."""
    pick(HELP, "alpha", st.number_input, min_value=0.0, step=0.005, format="%g")


def pick_features() -> None:
    """How many features each node tries."""
    pick(HELP, "features", st.selectbox, options=list(FEATURES), format_func=FEATURES.get)


def pick_weights_and_seed(classification: bool) -> None:
    """How the classes count, and the seed of what is left to chance."""
    if classification:
        pick(HELP, "weights", st.selectbox, options=list(WEIGHTS), format_func=WEIGHTS.get)
    pick(HELP, "random", st.number_input, min_value=0, max_value=BIG)

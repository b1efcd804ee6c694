"""CART: its controls in plain words, with the field's own term in the help text."""

from __future__ import annotations

from typing import Any

import streamlit as st

from espalier.data.dataset import Feature
from espalier.learners import CartClassifier, CartRegressor
from pages.shared.app.address import Entry, decimal, one_of, whole
from pages.shared.models import common, rail
from pages.shared.models.rail import BIG, Help, pick
from pages.shared.models.record import LearnerControls

CRITERIA = {
    True: {
        "gini": "Gini impurity",
        "entropy": "Entropy",
        "gain_ratio": "Gain ratio (C4.5)",
        "misclassification": "Misclassification",
    },
    False: {"squared": "Squared error", "absolute": "Absolute error"},
}
CRITERION_NAMES = {"squared": "squared_error", "absolute": "absolute_error"}  # where the learner's differs
SPLITTERS = {"best": "The best one", "random": "One drawn at random per feature"}

HELP = {
    "depth": Help(
        "Depth, at most",
        "How many questions may follow each other from the root to a leaf. *Term:* `max_depth`; the root "
        "has depth 0.",
    ),
    "criterion": Help(
        "What a good split reduces",
        "The impurity *i(t)* of a node *t*, with *p(k|t)* the share of class *k*: Gini 1 − Σ p², entropy "
        "−Σ p log₂ p, misclassification 1 − max p. Gain ratio, of C4.5, divides what a split takes off the "
        "entropy by the entropy of the two sides' sizes, and chooses among the features that take off the average "
        "or more. For a number: the mean squared distance from the mean, or "
        "the mean absolute distance from the median. *Term:* `criterion`.",
    ),
    "leaf": Help(
        "Rows in a leaf, at least",
        "A split that would leave a side with fewer rows is not considered. *Term:* `min_samples_leaf`.",
    ),
    "leaves": Help(
        "Leaves, at most",
        "The tree then grows where the impurity falls most, instead of level by level. *Term:* `max_leaf_nodes`.",
    ),
    "split": Help(
        "Rows to split, at least", "A node with fewer rows becomes a leaf. *Term:* `min_samples_split`."
    ),
    "gain": Help(
        "Decrease of impurity, at least",
        "How much a split must lower the impurity, *n(t)/n · Δi(t)*. *Term:* `min_impurity_decrease`.",
    ),
    "splitter": Help(
        "Threshold of each feature", "*Term:* `splitter`. Random thresholds make extremely random trees."
    ),
}


def url_entries(target: Feature) -> list[Entry]:
    """The controls as parts of the address."""
    criteria = CRITERIA[bool(target.categories)]
    return [
        Entry("depth", 3, whole(1, common.MAX_DEPTH, optional=True)),
        Entry("criterion", next(iter(criteria)), one_of(criteria)),
        Entry("leaf", 1, whole(1, BIG)),
        Entry("leaves", None, whole(2, BIG, optional=True)),
        Entry("split", 2, whole(2, BIG)),
        Entry("gain", 0.0, decimal(0, 1e12)),
        Entry("splitter", "best", one_of(SPLITTERS)),
        *common.url_entries(),
    ]


def draw(target: Feature, _n_rows: int) -> None:
    """The controls; their values stand in the session state under the keys of `url_entries`."""
    classification = bool(target.categories)
    criteria = CRITERIA[classification]
    _fit_criterion(classification)
    pick(HELP, "depth", st.select_slider, options=common.DEPTHS, format_func=common.written_depth)
    pick(HELP, "criterion", st.selectbox, options=list(criteria), format_func=criteria.get)
    pick(HELP, "leaf", st.number_input, min_value=1, max_value=BIG)
    common.pick_alpha()
    rail.pick_held()
    with st.expander("More ways to stop, and chance"):
        pick(HELP, "leaves", st.number_input, min_value=2, max_value=BIG, value=None, placeholder="no limit")
        pick(HELP, "split", st.number_input, min_value=2, max_value=BIG)
        pick(HELP, "gain", st.number_input, min_value=0.0, step=0.005, format="%g")
        common.pick_features()
        pick(HELP, "splitter", st.selectbox, options=list(SPLITTERS), format_func=SPLITTERS.get)
        common.pick_weights_and_seed(classification)
        rail.pick_seed()


def parameters(target: Feature) -> dict[str, Any]:
    """The parameters of the estimators that the controls stand for."""
    state = st.session_state
    return {
        "criterion": CRITERION_NAMES.get(state["criterion"], state["criterion"]),
        "splitter": state["splitter"],
        "max_depth": state["depth"],
        "min_samples_split": state["split"],
        "min_samples_leaf": state["leaf"],
        "max_leaf_nodes": state["leaves"],
        "min_impurity_decrease": float(state["gain"]),
        **common.parameters(bool(target.categories)),
    }


def why_no_split(n_rows: int) -> str | None:
    """Which control left a lone root of so many rows, if one did."""
    state = st.session_state
    if state["split"] > n_rows:
        return f"it was grown on {n_rows} rows, fewer than the {state['split']} that a split needs"
    if 2 * state["leaf"] > n_rows:
        return f"{n_rows} rows do not make two leaves of {state['leaf']} rows each"
    if state["alpha"] > 0 or state["gain"] > 0:
        return "no split is worth its price; lower pruning α, or the decrease of impurity that a split needs"
    return None


def _fit_criterion(classification: bool) -> None:
    """Another kind of target came: its first criterion stands in for one that it does not have."""
    criteria = CRITERIA[classification]
    if st.session_state["criterion"] not in criteria:
        st.session_state["criterion"] = next(iter(criteria))


CART = LearnerControls(
    title="CART",
    words="Every node asks one question, and every row gives one answer.",
    entries=url_entries,
    draw=draw,
    parameters=parameters,
    estimators={True: CartClassifier, False: CartRegressor},
    why_no_split=why_no_split,
    long=2_000_000,
    uncompiled=True,
    stage="cart",
)

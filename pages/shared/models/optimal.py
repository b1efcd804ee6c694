"""Optimal trees: their controls in plain words, with the estimator's parameters in the help text."""

from __future__ import annotations

from typing import Any

import streamlit as st

from espalier.data.dataset import Feature
from espalier.learners import OptimalClassifier
from pages.shared.app.address import Entry, decimal, one_of, whole
from pages.shared.models import common, rail
from pages.shared.models.rail import Help, pick
from pages.shared.models.record import LearnerControls

MAX_DEPTH, MAX_SPLITS = 6, 2**6 - 1
MAX_QUESTIONS = 50  # a column
MAX_TIMES = 20.0
MAX_SECONDS = 300
MEMORY_MB = 128  # of a search: the page may keep a few
SOURCES = {
    "boosting": "Chosen by boosted trees",
    "forest": "Chosen by a random forest",
    "quantiles": "Between classes, spread evenly",
}
NO_CLASS = ""

HELP = {
    "height": Help(
        "Depth, at most",
        "How many questions may follow each other from the root to a leaf. Every level more makes the search "
        "many times longer. *Term:* `max_depth`.",
    ),
    "splits": Help(
        "Splits, at most",
        "How many questions the whole tree may have; of equally good trees the one with fewer is taken in any "
        "case. *Term:* `max_splits`.",
    ),
    "cuts": Help(
        "Questions a column, at most",
        "The tree may ask only yes-or-no questions that are chosen beforehand: so many thresholds of each number "
        "(each category of other columns is a question of its own). More make the tree better and the search "
        "longer. *Term:* `max_thresholds`.",
    ),
    "source": Help(
        "Where the thresholds are",
        "Those that many small trees of a boosted or a random forest split on most, which are the most telling "
        "ones. Or those between rows of different classes, with about the same number of rows between any two. "
        "*Term:* `binarisation`.",
    ),
    "costly": Help(
        "Worse to mistake",
        "Taking a row of this class for another one costs more than any other error: say, to miss an ill "
        "patient. *Term:* `misclassification_cost`, whose row of this class is multiplied.",
    ),
    "times": Help("How many times worse", "1: as bad as any other error."),
    "seconds": Help(
        "Seconds, at most",
        "The search ends by then with the best tree so far, and with what is known of how good a tree can be; "
        "it can go on from there. *Term:* `time_limit`.",
    ),
}


def url_entries(target: Feature) -> list[Entry]:
    """The controls as parts of the address."""
    return [
        Entry("height", 3, whole(1, MAX_DEPTH)),
        Entry("splits", None, whole(1, MAX_SPLITS, optional=True)),
        Entry("cuts", 10, whole(1, MAX_QUESTIONS)),
        Entry("source", "boosting", one_of(SOURCES)),
        Entry("costly", NO_CLASS, one_of([NO_CLASS, *target.categories])),
        Entry("times", 5.0, decimal(1, MAX_TIMES)),
        Entry("seconds", 20, whole(1, MAX_SECONDS)),
        *(entry for entry in common.url_entries() if entry.key in ("weights", "random")),
    ]


def draw(target: Feature, _n_rows: int) -> None:
    """The controls; their values stand in the session state under the keys of `url_entries`."""
    _fit_costly(target)
    pick(HELP, "height", st.slider, min_value=1, max_value=MAX_DEPTH)
    pick(HELP, "cuts", st.slider, min_value=1, max_value=MAX_QUESTIONS)
    pick(HELP, "costly", st.selectbox, options=[NO_CLASS, *target.categories], format_func=_class)
    if st.session_state["costly"] != NO_CLASS:
        pick(HELP, "times", st.slider, min_value=1.0, max_value=MAX_TIMES, step=0.5, format="%g times")
    rail.pick_held()
    with st.expander("Size, thresholds, time, and chance"):
        no_limit = {"value": None, "placeholder": "no limit"}
        pick(HELP, "splits", st.number_input, min_value=1, max_value=MAX_SPLITS, **no_limit)
        pick(HELP, "source", st.selectbox, options=list(SOURCES), format_func=SOURCES.get)
        pick(HELP, "seconds", st.number_input, min_value=1, max_value=MAX_SECONDS)
        common.pick_weights_and_seed(bool(target.categories))
        rail.pick_seed()


def parameters(target: Feature) -> dict[str, Any]:
    """The parameters of the estimator that the controls stand for."""
    state = st.session_state
    return {
        "max_depth": state["height"],
        "max_splits": state["splits"],
        "max_thresholds": state["cuts"],
        "binarisation": state["source"],
        "misclassification_cost": costs(target, state["costly"], float(state["times"])),
        "class_weight": "balanced" if state["weights"] == "balanced" else None,
        "time_limit": float(state["seconds"]),
        "max_memory": MEMORY_MB,
        "random_state": state["random"],
    }


def costs(target: Feature, costly: str, times: float) -> tuple[tuple[float, ...], ...] | None:
    """What taking a class (row) for another (column) costs, where mistaking `costly` is so many times worse."""
    if costly not in target.categories or times == 1:
        return None
    n = range(len(target.categories))
    worse = target.categories.index(costly)
    return tuple(tuple(0.0 if j == k else times if k == worse else 1.0 for j in n) for k in n)


def why_no_split(_n_rows: int) -> str | None:
    """Which control left a lone root, if one did."""
    return "no tree of this size over these questions makes fewer errors than no question at all"


def _class(name: str) -> str:
    return name or "no class: all errors are alike"


def _fit_costly(target: Feature) -> None:
    """Other data came: their errors are alike until one of their own classes is chosen."""
    if st.session_state["costly"] not in target.categories:
        st.session_state["costly"] = NO_CLASS


OPTIMAL = LearnerControls(
    title="Optimal",
    words="The best tree of its size, with a proof.",
    entries=url_entries,
    draw=draw,
    parameters=parameters,
    estimators={True: OptimalClassifier},
    why_no_split=why_no_split,
    long=0,
    uncompiled=False,
    stage="optimal",
    is_searched=True,
)

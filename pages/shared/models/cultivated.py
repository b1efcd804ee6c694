"""Cultivated trees: their controls in plain words, with the paper's symbols in the help text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import streamlit as st

from espalier.data.dataset import Feature
from espalier.learners import CultivatedClassifier, CultivatedRegressor
from espalier.learners.cultivated import PRESETS
from pages.shared.app.address import Entry, decimal, one_of, whole, word_or, yes_or_no
from pages.shared.app.frame import callback
from pages.shared.models import common, rail
from pages.shared.models.rail import BIG, Help, pick
from pages.shared.models.record import LearnerControls

PICKER = "preset picker"  # key of the widget; what it sets stands in the address
TITLES = {
    "CRF-full": "CRF-full: both",
    "CRF-split": "CRF-split: thresholds only",
    "CRF-option": "CRF-option: features only",
    "CRF-shallow": "CRF-shallow: both, 6 deep",
}
WIDTHS = {"sqrt": "√W", "all": "all"}
THRESHOLDS = {"midpoint": "Midway between values", "data": "On the values, as the paper has it"}
SHARING = {"equal": "Equally", "gain": "By their gain", "gain2": "By the square of their gain"}
POWERS = {"equal": 0.0, "gain": 1.0, "gain2": 2.0}
PAPER: dict[str, Any] = {"robust": True, "options": True, "k": "sqrt", "eta": 0.3, "levels": 14, "weight": 6.0}
# What the controls are called where the estimator's parameter has another name.
KEYS = {"max_depth": "levels", "robust_splits": "robust"}

HELP = {
    PICKER: Help(
        "As in the paper",
        "Sets the controls below to one of the four versions of Nalenz & Augustin (2021): with splits that "
        "hesitate about features and thresholds, or about one of them; the shallow one has a depth of 6.",
    ),
    "robust": Help(
        "Robust splits",
        "Whether a split may hesitate about its threshold: instead of the one best cut t₀ it keeps the cuts "
        "around it, and a row that lies among them goes partly left and partly right. *Term:* robust split "
        "module, neighbourhood *T(t₀)*.",
    ),
    "options": Help(
        "Options",
        "Whether a node may hesitate about its feature: it asks all features that are nearly as good as the "
        "best one, and pools their answers. Without options and robust splits the tree is that of CART. "
        "*Term:* option module.",
    ),
    "k": Help(
        "Width of the neighbourhood, k",
        "How many rows on either side of the best cut t₀ have cuts that a robust split keeps. One cut is a "
        "sharp split; √W, the root of the node's weight, is the paper's; all takes every cut there is. "
        "*Symbol:* k, of the neighbourhood *T(t₀)*.",
    ),
    "eta": Help(
        "Tolerance of the options, η₀",
        "How much worse than the best feature another one may be to join it, in units of Gini impurity (where "
        "the target is a number: in twice its variance); at depth s it is η₀ / s³, the root having 1. With 0 only "
        "the best feature counts. *Symbol:* η₀.",
    ),
    "levels": Help(
        "Depth, at most",
        "How many modules may follow each other from the root to a leaf. *Term:* `max_depth`; the paper has 14, "
        "and 6 for its shallow version.",
    ),
    "weight": Help(
        "Weight to split, at least",
        "A node of less weight becomes a leaf. A row weighs its fraction in the node. *Term:* "
        "`min_node_weight`; the paper has 6.",
    ),
    "fraction": Help(
        "Smallest fraction while growing",
        "A row of which less than this would go to one side goes wholly to the other. Saves time; predictions "
        "always use all fractions. *Term:* `min_fraction`; the paper has 0.",
    ),
    "placement": Help(
        "Cuts lie",
        "Each cut lies midway between the two values of the node that it parts, as in CART; or on the lower one, "
        "as the paper has it. Rows that the tree was grown on go the same ways; new rows may not. "
        "*Term:* `thresholds`.",
    ),
    "sharing": Help(
        "Options share a module",
        "What part of the pooled answer each feature has: the same, as in the paper, or more for the better "
        "ones. *Term:* `share_power`.",
    ),
}


def url_entries(_target: Feature) -> list[Entry]:
    """The controls as parts of the address."""
    return [
        Entry("robust", True, yes_or_no),
        Entry("options", True, yes_or_no),
        Entry("k", "sqrt", word_or(WIDTHS, whole(0, BIG))),
        Entry("eta", 0.3, decimal(0, 1)),
        Entry("levels", 14, whole(1, common.MAX_DEPTH, optional=True)),
        Entry("weight", 6.0, decimal(0, BIG)),
        Entry("fraction", 0.0, decimal(0, 0.5)),
        Entry("placement", "midpoint", one_of(THRESHOLDS)),
        Entry("sharing", "equal", one_of(SHARING)),
        *common.url_entries(),
    ]


def draw(target: Feature, n_rows: int) -> None:
    """The controls; their values stand in the session state under the keys of `url_entries`."""
    state = st.session_state
    _pick_preset()
    pick(HELP, "robust", st.toggle)
    pick_width(n_rows, disabled=not state["robust"])
    pick(HELP, "options", st.toggle)
    pick(HELP, "eta", st.slider, min_value=0.0, max_value=1.0, step=0.05, disabled=not state["options"])
    pick(HELP, "levels", st.select_slider, options=common.DEPTHS, format_func=common.written_depth)
    pick(HELP, "weight", st.number_input, min_value=0.0, max_value=float(BIG), step=1.0, format="%g")
    rail.pick_held()
    with st.expander("More ways, and chance"):
        pick(HELP, "fraction", st.number_input, min_value=0.0, max_value=0.5, step=0.01, format="%g")
        pick(HELP, "placement", st.selectbox, options=list(THRESHOLDS), format_func=THRESHOLDS.get)
        pick(HELP, "sharing", st.selectbox, options=list(SHARING), format_func=SHARING.get)
        common.pick_alpha()
        common.pick_features()
        common.pick_weights_and_seed(bool(target.categories))
        rail.pick_seed()


def parameters(target: Feature) -> dict[str, Any]:
    """The parameters of the estimators that the controls stand for."""
    state = st.session_state
    return {
        "max_depth": state["levels"],
        "min_node_weight": float(state["weight"]),
        "eta": float(state["eta"]),
        "k": state["k"],
        "robust_splits": state["robust"],
        "options": state["options"],
        "min_fraction": float(state["fraction"]),
        "thresholds": state["placement"],
        "share_power": POWERS[state["sharing"]],
        **common.parameters(bool(target.categories)),
    }


def why_no_split(n_rows: int) -> str | None:
    """Which control left a lone root of so many rows, if one did."""
    state = st.session_state
    if state["weight"] > n_rows:
        return f"it was grown on {n_rows} rows, less than the weight of {state['weight']:g} that a split needs"
    if state["alpha"] > 0:
        return "no split is worth its price; lower pruning α"
    return None


def pick_width(n_rows: int, disabled: bool = False) -> None:
    """The slider of k for a tree of so many rows, from one cut to all."""
    pick(
        HELP, "k", st.select_slider, options=widths(n_rows, st.session_state["k"]), format_func=_width,
        disabled=disabled,
    )  # fmt: skip


def widths(n_rows: int, chosen: int | str) -> list[int | str]:
    """What the slider of k offers, by size: one cut, 1-2-5 steps below the number of rows, √W, and all."""
    size = {"sqrt": math.sqrt(n_rows), "all": math.inf}
    steps = [step for step in _steps() if step < n_rows]
    return sorted({0, *steps, *WIDTHS, chosen}, key=lambda k: size.get(k, k) if isinstance(k, str) else k)


def _steps() -> Iterator[int]:
    """1, 2, 5, 10, 20, 50, … up to a million."""
    return (digit * 10**power for power in range(6) for digit in (1, 2, 5))


def _width(k: int | str) -> str:
    if isinstance(k, str):
        return WIDTHS[k]
    return f"{k:,}" if k else "one cut"


def _settings(preset: str) -> dict[str, Any]:
    """What the preset sets, by the controls' keys; chance and what stands under "More ways" stay."""
    changes: dict[str, Any] = PRESETS[preset]
    return PAPER | {KEYS.get(name, name): value for name, value in changes.items()}


def _pick_preset() -> None:
    state = st.session_state
    same = (preset for preset in TITLES if all(state[key] == v for key, v in _settings(preset).items()))
    state[PICKER] = next(same, None)
    pick(
        HELP, PICKER, st.selectbox, options=list(TITLES), format_func=TITLES.get, on_change=callback(_take_preset),
        placeholder="a mix of your own",
    )  # fmt: skip


def _take_preset() -> None:
    preset = st.session_state[PICKER]
    if preset is not None:
        st.session_state.update(_settings(preset))


CULTIVATED = LearnerControls(
    title="Cultivated",
    words="A split may hesitate: about its threshold, and about its feature.",
    entries=url_entries,
    draw=draw,
    parameters=parameters,
    estimators={True: CultivatedClassifier, False: CultivatedRegressor},
    why_no_split=why_no_split,
    long=200_000,
    uncompiled=False,
    stage="cultivated",
)

"""Cultivated trees: their controls in plain words, with the paper's symbols in the help text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import streamlit as st

from espalier.data.dataset import Feature
from espalier.learners import CultivatedClassifier, CultivatedRegressor, catalogue
from espalier.learners.catalogue.settings import ETA, K
from espalier.learners.cultivated import PRESETS
from pages.shared.app.address import Entry, yes_or_no
from pages.shared.app.frame import callback
from pages.shared.models import rail
from pages.shared.models.common import TreeSettings
from pages.shared.models.rail import Help, pick
from pages.shared.models.record import LearnerControls

SETTINGS = TreeSettings("cultivated", keys={"depth": "levels"}, left_out=("hesitates",))
KIND = catalogue.named("cultivated")
PICKER = "preset picker"  # key of the widget; what it sets stands in the address
TITLES = {
    "CRF-full": "CRF-full: both",
    "CRF-split": "CRF-split: thresholds only",
    "CRF-option": "CRF-option: features only",
    "CRF-shallow": "CRF-shallow: both, 6 deep",
}
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
}


def url_entries(target: Feature) -> list[Entry]:
    """The controls as parts of the address."""
    own = [Entry("robust", True, yes_or_no), Entry("options", True, yes_or_no)]
    return [*own, *SETTINGS.url_entries(target)]


def draw(target: Feature, n_rows: int) -> None:
    """The controls; their values stand in the session state under the keys of `url_entries`."""
    state = st.session_state
    SETTINGS.drop_invalid(target)
    _pick_preset()
    pick(HELP, "robust", st.toggle)
    pick_width(target, n_rows, disabled=not state["robust"])
    pick(HELP, "options", st.toggle)
    SETTINGS.pick(
        "eta", target, st.slider, min_value=0.0, max_value=1.0, step=ETA.step, disabled=not state["options"]
    )
    SETTINGS.pick_depth("levels", target)
    SETTINGS.pick("weight", target)
    rail.pick_held()
    with st.expander("More ways, and chance"):
        for key in ("fraction", "placement", "sharing", "alpha", "features", "weights", "random"):
            if key in SETTINGS.of(target):
                SETTINGS.pick(key, target)
        rail.pick_seed()


def parameters(target: Feature) -> dict[str, Any]:
    """The parameters of the estimators that the controls stand for."""
    hesitation = {"robust_splits": st.session_state["robust"], "options": st.session_state["options"]}
    return SETTINGS.parameters(target) | hesitation


def why_no_split(n_rows: int) -> str | None:
    """Which control left a lone root of so many rows, if one did."""
    state = st.session_state
    if state["weight"] > n_rows:
        return f"it was grown on {n_rows} rows, less than the weight of {state['weight']:g} that a split needs"
    if state["alpha"] > 0:
        return "no split is worth its price; lower pruning α"
    return None


def pick_width(target: Feature, n_rows: int, disabled: bool = False) -> None:
    """The slider of k for a tree of so many rows, from one cut to all."""
    offered = widths(n_rows, st.session_state["k"])
    SETTINGS.pick("k", target, st.select_slider, options=offered, format_func=_width, disabled=disabled)


def widths(n_rows: int, chosen: int | str) -> list[int | str]:
    """What the slider of k offers, by size: one cut, 1-2-5 steps below the number of rows, √W, and all."""
    size = {"sqrt": math.sqrt(n_rows), "all": math.inf}
    steps = [step for step in _steps() if step < n_rows]
    return sorted({0, *steps, *dict(K.options), chosen}, key=lambda k: size.get(k, k) if isinstance(k, str) else k)


def _steps() -> Iterator[int]:
    """1, 2, 5, 10, 20, 50, … up to a million."""
    return (digit * 10**power for power in range(6) for digit in (1, 2, 5))


def _width(k: int | str) -> str:
    if isinstance(k, str):
        return dict(K.options)[k]
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
    title=KIND.title,
    words=KIND.words,
    entries=url_entries,
    draw=draw,
    parameters=parameters,
    estimators={True: CultivatedClassifier, False: CultivatedRegressor},
    why_no_split=why_no_split,
    long=200_000,
    uncompiled=False,
    stage=KIND.stage,
)

"""Cultivated trees: their controls in plain words, with the paper's symbols in the help text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import streamlit as st

from espalier.data.dataset import Feature
from espalier.display.theme import count, number
from espalier.language import Texts, in_style, say
from espalier.learners import catalogue
from espalier.learners.catalogue.estimators import hesitation_of
from espalier.learners.catalogue.settings import ETA, HESITATES, K
from espalier.learners.cultivated import PRESETS
from pages.shared.app.frame import callback
from pages.shared.canvas.slider import slider
from pages.shared.models import rail
from pages.shared.models.common import TreeSettings, controls_of, steps
from pages.shared.models.rail import pick

PRESET_LABELS = Texts(
    {
        "CRF-full": "CRF-full: both",
        "CRF-split": "CRF-split: thresholds only",
        "CRF-option": "CRF-option: features only",
        "CRF-shallow": "CRF-shallow: both, 6 deep",
    }
)
OF_CULTIVATED = Texts(
    {  # label and help of controls
        "preset-picker": (
            "As in the paper",
            "Sets the controls below to one of the four versions of Nalenz & Augustin (2021): with splits that "
            "hesitate about columns and thresholds, or about one of them; the shallow one has a depth of 6.",
        ),
    }
)

SETTINGS = TreeSettings("cultivated", keys={"depth": "levels"})
KIND = catalogue.find_kind("cultivated")
PICKER = "preset-picker"  # key of the widget; the values that it sets stand in the address
FULL = hesitation_of("both")
PAPER: dict[str, Any] = {"hesitates": "both", "k": "sqrt", "eta": 0.3, "levels": 14, "weight": 6.0}


def draw(target: Feature, n_rows: int) -> None:
    """The controls; their values stand in the session state under the keys of the address."""
    SETTINGS.drop_invalid(target)
    _pick_preset()
    SETTINGS.pick("hesitates", target)
    hesitates = hesitation_of(st.session_state["hesitates"])
    pick_width(target, n_rows, disabled=not hesitates["robust_splits"])
    is_sharp = not hesitates["options"]
    SETTINGS.pick("eta", target, slider, options=steps(ETA), format_func=number, disabled=is_sharp)
    SETTINGS.pick_depth("levels", target)
    SETTINGS.pick("weight", target)
    SETTINGS.pick_costs(target)
    rail.pick_held()
    keys = ("fraction", "placement", "sharing", "without", "alpha", "features", "weights", "random")
    rail.more(say("More ways, columns, and chance"), lambda: SETTINGS.pick_more(keys, target))


def why_no_split(n_rows: int) -> str | None:
    """Return the reason why a tree of so many rows is a lone root, if a control is the reason."""
    state = st.session_state
    if state["weight"] > n_rows:
        return say(
            "it was grown on {n_rows} rows, less than the weight of {weight} that a split needs",
            n_rows=n_rows,
            weight=in_style(f"{state['weight']:g}"),
        )
    if state["alpha"] > 0:
        return say("no split is worth its price; lower pruning α")
    return None


def pick_width(target: Feature, n_rows: int, disabled: bool = False) -> None:
    """The slider of k for a tree of so many rows, from one cut to all."""
    offered = widths(n_rows, st.session_state["k"])
    SETTINGS.pick("k", target, slider, options=offered, format_func=_width, disabled=disabled)


def widths(n_rows: int, chosen: int | str) -> list[int | str]:
    """Values that the slider of k offers, by size: one cut, 1-2-5 steps below the number of rows, √W, and all."""
    size = {"sqrt": math.sqrt(n_rows), "all": math.inf}
    steps = [step for step in _steps() if step < n_rows]
    return sorted({0, *steps, *dict(K.options), chosen}, key=lambda k: size.get(k, k) if isinstance(k, str) else k)


def _steps() -> Iterator[int]:
    """1, 2, 5, 10, 20, 50, … up to a million."""
    return (digit * 10**power for power in range(6) for digit in (1, 2, 5))


def _width(k: int | str) -> str:
    if isinstance(k, str):
        return say(dict(K.options)[k])
    return count(k) if k else say("one cut")


def _settings(preset: str) -> dict[str, Any]:
    """Values of the preset, by the controls' keys; chance and the controls under "More ways" stay."""
    changes: dict[str, Any] = PRESETS[preset]
    meant = FULL | {name: value for name, value in changes.items() if name in FULL}
    hesitates = next(word for word, _ in HESITATES.options if hesitation_of(word) == meant)
    return PAPER | {"hesitates": hesitates, "levels": changes.get("max_depth", PAPER["levels"])}


def _pick_preset() -> None:
    state = st.session_state
    same = (preset for preset in PRESET_LABELS if all(state[key] == v for key, v in _settings(preset).items()))
    state[PICKER] = next(same, None)
    pick(
        OF_CULTIVATED, PICKER, st.selectbox, options=list(PRESET_LABELS), format_func=PRESET_LABELS.get,
        on_change=callback(_take_preset), placeholder=say("a mix of your own"),
    )  # fmt: skip


def _take_preset() -> None:
    preset = st.session_state[PICKER]
    if preset is not None:
        st.session_state.update(_settings(preset))


CULTIVATED = controls_of(SETTINGS, draw, why_no_split, long=200_000, has_presets=True)

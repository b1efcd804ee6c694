"""The learners side by side, how the data are drawn again, and when two trees are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.language import say, to_say
from espalier.stability.replicates import Plan
from espalier.stability.resampling import KINDS, Redraw, RedrawKind, largest, n_units
from espalier.stability.splits import tolerances
from espalier.stability.structures import EQUALITIES, Equality
from pages.shared.app import links
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Entry
from pages.shared.app.store import of_table
from pages.shared.canvas.control import Control, slider
from pages.shared.models import slots
from pages.shared.models.drawer import BIG
from pages.shared.models.slots import NONE, Places

PLACES = Places(
    ("t1", "t2", "t3"),
    {True: ("cart", "cultivated", "optimal"), False: ("cart", "cultivated", NONE)},
    of=lambda: say("Learner"),
    only_trees=True,
    more=lambda: f"\n\n{slots.not_offered()}",
    begin={"depth": 3},  # deeper trees have more structures to choose from, whatever the learner
)
SYMBOLS = ("●", "■", "▲")
SECONDS = 10.0  # limit of the search for one best tree
KIND_OF = {kind.name: kind for kind in KINDS}
CONTROLS = {
    control.key: control
    for control in (
        Control("redraw", "bootstrap", {kind.name: kind.title for kind in KINDS}, to_say("Drawn again by")),
        *(
            Control(
                f"size-{kind.name}", number(kind.default), (number(kind.low), number(kind.high)), kind.asks,
                step=1 if kind.is_whole else 0.05 if kind.default > 0.1 else 0.01,
            )
            for kind in KINDS
            for number in [int if kind.is_whole else float]
            if kind.asks
        ),
        Control(
            "draws", 100, (2, 1_000), to_say("How often"),
            to_say("So many trees of each learner. More make the shares surer. *Term:* replicates."), step=50,
        ),
        Control("same", "features", {name: title for name, title, _ in EQUALITIES}, to_say("Same tree means")),
        Control(
            "near", 5, (0, 50), to_say("Thresholds apart by"),
            to_say("In percent of a column's span. *Term:* tolerance."), slider, said=app_sentences.percentage,
        ),
        Control("down", 4, (1, 6), to_say("Levels of questions"), to_say("So many are compared."), slider),
        Control(
            "chance", 0, (0, BIG), to_say("Seed of the draws"), to_say("Another number draws the data otherwise."),
        ),
    )
}  # fmt: skip


def url_entries() -> list[Entry]:
    """All of it as parts of the address; every kind of redraw keeps its own size."""
    repetitions = links.gone_entry("again", say("repetitions are gone; another *Seed of the draws* repeats them"))
    return [*(control.entry for control in CONTROLS.values()), repetitions]


def drop_invalid(dataset: Dataset) -> None:
    """Limit folds, and rows left out, to the number of rows of these data."""
    for kind in KINDS:
        if kind.asks:
            key = f"size-{kind.name}"
            st.session_state[key] = min(st.session_state[key], _most(kind, dataset))


def _most(kind: RedrawKind, dataset: Dataset) -> float:
    most = largest(kind, n_units(dataset))
    return int(most) if kind.is_whole else most


def draw_first() -> None:
    """Draw the choice that stands beside the figure, each redraw with its explanation."""
    CONTROLS["redraw"].draw(help="\n".join(f"- **{say(kind.title)}.** {say(kind.words)}" for kind in KINDS))


def draw(dataset: Dataset) -> None:
    """Draw the other controls."""
    CONTROLS["same"].draw(
        help="\n".join(f"- **{say(title).capitalize()}.** {say(text)}" for _, title, text in EQUALITIES)
    )
    if st.session_state["same"] == "tolerance":
        CONTROLS["near"].draw()
    kind = KIND_OF[st.session_state["redraw"]]
    if kind.asks:
        CONTROLS[f"size-{kind.name}"].draw(max_value=_most(kind, dataset))
    for key in ("draws", "down", "chance"):
        CONTROLS[key].draw()


def plan() -> Plan:
    """Replicates to be grown."""
    kind = KIND_OF[st.session_state["redraw"]]
    size = float(CONTROLS[f"size-{kind.name}"].value) if kind.asks else 0.0
    return Plan(Redraw(kind.name, size), CONTROLS["draws"].value, CONTROLS["chance"].value)


def equality(dataset: Dataset) -> Equality:
    """The condition under which two trees have the same structure."""
    kind = st.session_state["same"]
    if kind == "tolerance":
        return Equality(kind, st.session_state["near"] / 100 * spans(dataset))
    return Equality(kind, _widths(dataset) if kind == "neighbourhood" else 0.0)


def equality_key() -> tuple[Any, ...]:
    """Key of this equality, for the same data."""
    kind = st.session_state["same"]
    return (kind, st.session_state["near"]) if kind == "tolerance" else (kind,)


@of_table(max_entries=32)
def _widths(dataset: Dataset) -> np.ndarray:
    return tolerances(dataset)


def spans(dataset: Dataset) -> np.ndarray:
    """(n_features,): from the least value of each feature to its greatest; 0 where none is known."""
    finite = np.isfinite(dataset.X)
    low = np.where(finite, dataset.X, np.inf).min(axis=0, initial=np.inf)
    high = np.where(finite, dataset.X, -np.inf).max(axis=0, initial=-np.inf)
    return np.where(np.isfinite(high - low), high - low, 0.0)

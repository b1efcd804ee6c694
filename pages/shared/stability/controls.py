"""The kind and number of redraws, and the equality of two trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.theme import number
from espalier.language import say, to_say
from espalier.stability.replicates import Plan
from espalier.stability.resampling import KINDS, Redraw, RedrawKind, largest, n_units
from espalier.stability.splits import tolerances
from espalier.stability.structures import EQUALITIES, Equality
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain
from pages.shared.app.table_results import of_table
from pages.shared.canvas.control import Control
from pages.shared.canvas.slider import slider
from pages.shared.models.drawer import BIG

MOST_NAMED = 3  # features whose tolerance is named
KIND_OF = {kind.name: kind for kind in KINDS}
CONTROLS = {
    control.key: control
    for control in (
        Control(
            "redraw", "bootstrap", {kind.name: kind.title for kind in KINDS}, to_say("Drawn again by"),
            to_say(
                "For an approximation tree *New seeds* draws new made-up cases from one and the same black box."
            ),
        ),
        *(
            Control(
                f"size-{kind.name}", written(kind.default), (written(kind.low), written(kind.high)), kind.asks,
                step=1 if kind.is_whole else 0.05 if kind.default > 0.1 else 0.01,
            )
            for kind in KINDS
            for written in [int if kind.is_whole else float]
            if kind.asks
        ),
        Control(
            "draws", 100, (2, 1_000), to_say("How often"),
            to_say(
                "So many trees are grown by each learner, each on data drawn anew. *Term:* replicates. The more, "
                "the surer are the shares; the number of structures grows with it."
            ),
            step=50,
        ),
        Control(
            "chance", 0, (0, BIG), to_say("Seed of the draws"), to_say("Another number draws the data otherwise."),
        ),
        Control("same", "features", {name: title for name, title, _ in EQUALITIES}, to_say("Same tree means")),
        Control(
            "near", 5, (0, 50), to_say("Thresholds apart by"),
            to_say("In percent of a column's span, from its least value to its greatest. *Term:* tolerance."),
            slider, said=app_sentences.percentage,
        ),
        Control(
            "down", 4, (1, 6), to_say("Levels of questions"),
            to_say("How many are compared: the root's question alone, or those below it too."), slider,
        ),
        Control(
            "again", 0, (0, 3), to_say("Repetitions"),
            to_say("The same again with other seeds, below the first: one can be lucky."), slider,
        ),
    )
}  # fmt: skip


def url_entries() -> list[Entry]:
    """All of it as parts of the address; every kind of redraw keeps its own size."""
    return [control.entry for control in CONTROLS.values()]


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
    redraws = "\n".join(f"- **{say(kind.title)}.** {say(kind.words)}" for kind in KINDS)
    CONTROLS["redraw"].draw(help=f"{redraws}\n\n{say(CONTROLS['redraw'].help)}")


def draw(dataset: Dataset) -> None:
    """Draw the other controls."""
    equalities = "\n".join(f"- **{say(title).capitalize()}.** {say(text)}" for _, title, text in EQUALITIES)
    CONTROLS["same"].draw(help=f"{equalities}\n\n")
    kind = KIND_OF[st.session_state["redraw"]]
    if kind.asks:
        CONTROLS[f"size-{kind.name}"].draw(max_value=_most(kind, dataset))
    has_tolerance = st.session_state["same"] == "tolerance"
    for key in ("draws", *(["near"] if has_tolerance else []), "down", "again", "chance"):
        CONTROLS[key].draw()


def plan(run: int = 0) -> Plan:
    """Replicates to be grown: the first ones, or those of a repetition with another seed."""
    kind = KIND_OF[st.session_state["redraw"]]
    size = float(CONTROLS[f"size-{kind.name}"].value) if kind.asks else 0.0
    return Plan(Redraw(kind.name, size), CONTROLS["draws"].value, CONTROLS["chance"].value + run)


def n_runs() -> int:
    """Number of runs: the first draws and their repetitions."""
    return 1 + st.session_state["again"]


def depth() -> int:
    """Number of levels of questions that are compared, the root's included."""
    return st.session_state["down"]


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
    known = np.isfinite(dataset.X)
    low = np.where(known, dataset.X, np.inf).min(axis=0, initial=np.inf)
    high = np.where(known, dataset.X, -np.inf).max(axis=0, initial=-np.inf)
    return np.where(np.isfinite(high - low), high - low, 0.0)


def equality_words(dataset: Dataset) -> str:
    """When two trees are the same, in words; a tolerance is in a feature's own units."""
    kind = st.session_state["same"]
    text = say({name: text for name, _, text in EQUALITIES}[kind])
    numbers = [f for f, feature in enumerate(dataset.features) if not feature.categories]
    if kind not in ("tolerance", "neighbourhood") or not numbers:
        return text
    widths = equality(dataset).tolerance
    named = [(float(widths[f]), plain(dataset.features[f].name)) for f in numbers[:MOST_NAMED]]
    return text + _tolerance_sentence(kind == "neighbourhood", named, len(numbers) > MOST_NAMED)


def _tolerance_sentence(is_neighbourhood: bool, widths: list[tuple[float, str]], has_more: bool) -> str:
    """The distance of two thresholds that count as the same, by feature."""
    parts = ", ".join((say("{width} for {name}", width=number(width, 2), name=name) for width, name in widths))
    rest = say(" and so on") if has_more else ""
    if is_neighbourhood:
        return say(
            " Plain trees get half the width of the neighbourhood that such a tree's root has: {parts}{rest}.",
            parts=parts,
            rest=rest,
        )
    return say(" Apart by at most {parts}{rest}.", parts=parts, rest=rest)

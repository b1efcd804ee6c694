"""The kind and number of redraws, and the equality of two trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.theme import number
from espalier.language import Texts, say
from espalier.stability.replicates import Plan
from espalier.stability.resampling import KINDS, Redraw, RedrawKind, largest, n_units
from espalier.stability.splits import tolerances
from espalier.stability.structures import EQUALITIES, Equality
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain
from pages.shared.app.links.readers import decimal, one_of, whole
from pages.shared.app.table_results import of_table
from pages.shared.canvas.slider import slider
from pages.shared.models.drawer import BIG, pick

DRAW_HELP = Texts(
    {
        "redraw": (
            "Drawn again by",
            "For an approximation tree *New seeds* draws new made-up cases from one and the same black box.",
        ),
        "draws": (
            "How often",
            "So many trees are grown by each learner, each on data drawn anew. *Term:* replicates. The more, the "
            "surer are the shares; the number of structures grows with it.",
        ),
        "chance": ("Seed of the draws", "Another number draws the data otherwise."),
        "same": ("Same tree means", ""),
        "near": (
            "Thresholds apart by",
            "In percent of a column's span, from its least value to its greatest. *Term:* tolerance.",
        ),
        "again": (
            "Repetitions",
            "The same again with other seeds, below the first: one can be lucky.",
        ),
        "down": (
            "Levels of questions",
            "How many are compared: the root's question alone, or those below it too.",
        ),
    }
)

MOST_DRAWS, MOST_REPEATS, DEEPEST, WIDEST = 1_000, 3, 6, 50
NEAR, DOWN = 5, 4  # per cent, and levels, if nobody says otherwise
MOST_NAMED = 3  # features whose tolerance is named
KIND_OF = {kind.name: kind for kind in KINDS}
SAME = [name for name, _, _ in EQUALITIES]


def url_entries() -> list[Entry]:
    """All of it as parts of the address; every kind of redraw keeps its own size."""
    return [
        Entry("redraw", "bootstrap", one_of(KIND_OF)),
        *(_size_entry(kind) for kind in KINDS if kind.asks),
        Entry("draws", 100, whole(2, MOST_DRAWS)),
        Entry("chance", 0, whole(0, BIG)),
        Entry("same", "features", one_of(SAME)),
        Entry("near", NEAR, whole(0, WIDEST)),
        Entry("down", DOWN, whole(1, DEEPEST)),
        Entry("again", 0, whole(0, MOST_REPEATS)),
    ]


def _size_entry(kind: RedrawKind) -> Entry:
    if kind.is_whole:
        return Entry(_size_key(kind), int(kind.default), whole(int(kind.low), int(kind.high)))
    return Entry(_size_key(kind), kind.default, decimal(kind.low, kind.high))


def _size_key(kind: RedrawKind) -> str:
    return f"size-{kind.name}"


def drop_invalid(dataset: Dataset) -> None:
    """Limit folds, and rows left out, to the number of rows of these data."""
    state = st.session_state
    for kind in KINDS:
        if kind.asks:
            most = largest(kind, n_units(dataset))
            state[_size_key(kind)] = min(state[_size_key(kind)], int(most) if kind.is_whole else most)


def draw_first() -> None:
    """Draw the choice that stands beside the figure."""
    titles = {kind.name: say(kind.title) for kind in KINDS}
    pick(_help("redraw"), "redraw", st.selectbox, options=list(titles), format_func=titles.__getitem__)


def draw(dataset: Dataset) -> None:
    """Draw the other controls."""
    same = {name: say(title) for name, title, _ in EQUALITIES}
    pick(_help("same"), "same", st.selectbox, options=list(same), format_func=same.__getitem__)
    kind = KIND_OF[st.session_state["redraw"]]
    if kind.asks:
        _draw_size(kind, n_units(dataset))
    pick(DRAW_HELP, "draws", st.number_input, min_value=2, max_value=MOST_DRAWS, step=50)
    if st.session_state["same"] == "tolerance":
        pick(
            DRAW_HELP,
            "near",
            slider,
            options=range(WIDEST + 1),
            default=NEAR,
            format_func=app_sentences.percentage,
        )
    pick(DRAW_HELP, "down", slider, options=range(1, DEEPEST + 1), default=DOWN)
    pick(DRAW_HELP, "again", slider, options=range(MOST_REPEATS + 1), default=0)
    pick(DRAW_HELP, "chance", st.number_input, min_value=0, max_value=BIG)


def _help(key: str) -> dict[str, tuple[str, str]]:
    """Label and help of a control, each choice with its explanation before the help."""
    label, text = DRAW_HELP[key]
    redraws = "\n".join(f"- **{say(kind.title)}.** {say(kind.words)}" for kind in KINDS) + "\n\n"
    equalities = "\n".join(f"- **{say(title).capitalize()}.** {say(text)}" for _, title, text in EQUALITIES)
    return {key: (label, (redraws if key == "redraw" else equalities) + text)}


def _draw_size(kind: RedrawKind, n_samples: int) -> None:
    least, most = kind.low, largest(kind, n_samples)
    if kind.is_whole:
        st.number_input(say(kind.asks), int(least), int(most), step=1, key=_size_key(kind))
    else:
        step = 0.05 if kind.default > 0.1 else 0.01
        st.number_input(say(kind.asks), float(least), float(most), step=step, format="%.2f", key=_size_key(kind))


def plan(run: int = 0) -> Plan:
    """Replicates to be grown: the first ones, or those of a repetition with another seed."""
    state = st.session_state
    kind = KIND_OF[state["redraw"]]
    size = float(state[_size_key(kind)] or kind.default) if kind.asks else 0.0
    return Plan(Redraw(kind.name, size), state["draws"] or 100, (state["chance"] or 0) + run)


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

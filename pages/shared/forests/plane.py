"""The chosen row, the plane and the surfaces to click, which several tabs of the forests show."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from espalier.display.boundaries.plane import Dots, in_words, mark, ringed
from espalier.display.boundaries.raster import raster
from espalier.forests.growth import can_average, gains
from espalier.forests.surfaces import forest_average
from espalier.language import say
from pages.shared.app import chosen_row
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback
from pages.shared.app.links.readers import one_of
from pages.shared.app.table_results import of_table
from pages.shared.canvas import axis_choice
from pages.shared.canvas.surface import surface_canvas
from pages.shared.forests import results
from pages.shared.forests.forest_job import GrownForest
from pages.shared.tree import sentences as tree_sentences
from pages.shared.tree.grown.record import AVERAGE, OffAxis
from pages.shared.tree.node_line import Selected, node_line

CHANNEL = "forests"
HEIGHT = 400  # pixels of a surface


def url_entries() -> list[Entry]:
    """The sample, the axes and what other columns have, as part of the address; the tree page has the same."""
    others = Entry("others", AVERAGE, one_of(tree_sentences.OTHERS), undo=False)
    return [chosen_row.entry(), *axis_choice.url_entries(), others]


def drop_invalid(grown: GrownForest, linked: bool) -> list[str]:
    """Drop a row and axes that these data do not have; notes on them where a link asked for them."""
    notes = axis_choice.drop_invalid(grown.dataset.features)
    notes += chosen_row.drop_invalid(len(grown.dataset.y))
    return notes if linked else []


# The plane -------------------------------------------------------------------------------------------


@of_table(max_entries=32)
def _by_use(grown: GrownForest) -> list[int]:
    features = grown.dataset.features
    gain = gains(grown.forest, len(features))
    order = np.argsort(-gain, kind="stable").tolist()
    best = axis_choice.legible(features, order, np.flatnonzero(gain > 0).tolist())
    return sorted(best[:2]) + best[2:]


def axes(grown: GrownForest) -> tuple[int, ...]:
    """The chosen features of the axes, else the two most used by the trees of this forest."""
    return axis_choice.chosen(_names(grown), _by_use(grown))


def pick_axes(grown: GrownForest) -> None:
    """The choice of both axes, in a line."""
    axis_choice.pick(_names(grown), axes(grown))


def pick_others() -> None:
    """The choice of what columns on no axis have, as on the tree page."""
    texts = tree_sentences.OTHERS
    with st.popover("", icon=":material/tune:", help=say("What the columns on no axis have")):
        st.radio(say("Columns not on an axis have"), list(texts), format_func=texts.get, key="others")


def like(grown: GrownForest) -> OffAxis:
    """What columns on no axis have on this forest's surfaces: typical values where it has no average."""
    others = st.session_state["others"]
    if others == AVERAGE:
        return OffAxis(averaged=can_average(grown.forest))
    return OffAxis(chosen_row.chosen() if others == "row" else None)


def _names(grown: GrownForest) -> list[str]:
    return [feature.name for feature in grown.dataset.features]


# Surfaces to click -----------------------------------------------------------------------------------


@of_table(max_entries=16)
def _surface(grown: GrownForest, axes: tuple[int, ...], like: OffAxis) -> dict[str, Any]:
    def predict(X: np.ndarray) -> tuple[np.ndarray, None]:
        return results.answers(grown, X), None

    data, values = grown.dataset, results.held_values(grown, like)
    if like.averaged:
        dots = Dots(lambda X: (np.zeros(len(X), np.int64), results.answers(grown, X)), grown.surely_held)
        return forest_average(grown.forest, data, axes, values, dots)
    return raster(predict, data, axes, values, grown.surely_held)


def surface(grown: GrownForest, plane: tuple[int, ...], rings: tuple[np.ndarray, str], key: str) -> None:
    """A forest's surface, with rings around some rows, (n_samples,) bool, and why; a click chooses a sample."""
    drawn = ringed(_surface(grown, plane, like(grown)), *rings)

    def pick(spot: dict[str, Any] | None) -> None:
        chosen_row.choose((spot or {}).get("row"))

    surface_canvas(drawn, key=key, tree=None, channel=CHANNEL, on_pick=callback(pick), height=HEIGHT)


def line(grown: GrownForest, plane: tuple[int, ...], text: list[str], canvases: list[str]) -> None:
    """The chosen sample in words (every other part bold), marked on the surfaces of these keys."""
    row = chosen_row.chosen()
    sample = None if row is None else mark(grown.dataset, plane, row)
    node_line(text, "", Selected("", 0, 0, sample), channel=CHANNEL, canvases=canvases)


def row_words(grown: GrownForest) -> list[str]:
    """The chosen sample: its number, and the truth; every other part is bold."""
    row = chosen_row.chosen()
    if row is None:
        return [say("No row is chosen"), say(": click one on a surface, or give its number.")]
    data = grown.dataset
    is_held = None if grown.may_have_seen else bool(grown.held[row])
    origin = "" if is_held is None else say(" (held out)" if is_held else " (grown on)")
    answer = in_words(data.target, float(data.y[row]))
    return [data.roles.name_of(row, begins=True), say("{known}, in truth ", known=origin), answer]

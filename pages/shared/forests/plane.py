"""What the forests' parts of the page have in common: the chosen sample, the plane, and surfaces to click."""

from __future__ import annotations

from typing import Any

import numpy as np

from espalier.analysis.forests.growth import gains
from espalier.views.boundaries.plane import mark, ringed
from espalier.views.boundaries.raster import raster
from espalier.views.boundaries.surface import in_words
from pages.shared.app import chosen_row
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback
from pages.shared.app.table_results import of_table
from pages.shared.canvas import axis_choice
from pages.shared.canvas.surface import surface_canvas
from pages.shared.forests import results
from pages.shared.forests.forest_job import GrownForest
from pages.shared.tree.node_line import Selected, node_line

CHANNEL = "forests"
HEIGHT = 400  # pixels of a surface


def url_entries() -> list[Entry]:
    """The sample and the axes, as part of the address; the tree page has the same."""
    return [chosen_row.entry(), *axis_choice.url_entries()]


def drop_invalid(planted: GrownForest, linked: bool) -> list[str]:
    """Let go of a row and axes that these data do not have; notes on them where a link asked for them."""
    notes = axis_choice.drop_invalid(planted.dataset.features)
    notes += chosen_row.drop_invalid(len(planted.dataset.y))
    return notes if linked else []


# The plane -------------------------------------------------------------------------------------------


@of_table(max_entries=32)
def _by_use(key: str, _planted: GrownForest) -> list[int]:
    features = _planted.dataset.features
    gain = gains(_planted.forest, len(features))
    order = np.argsort(-gain, kind="stable").tolist()
    best = axis_choice.legible(features, order, np.flatnonzero(gain > 0).tolist())
    return sorted(best[:2]) + best[2:]


def axes(planted: GrownForest) -> tuple[int, ...]:
    """The features on the axes: those chosen, else the two that the trees of this forest have most use for."""
    return axis_choice.chosen(_names(planted), _by_use(planted.key, planted))


def pick_axes(planted: GrownForest) -> None:
    """The choice of both axes, in a line."""
    axis_choice.pick(_names(planted), axes(planted))


def _names(planted: GrownForest) -> list[str]:
    return [feature.name for feature in planted.dataset.features]


# Surfaces to click -----------------------------------------------------------------------------------


@of_table(max_entries=16)
def _surface(key: str, axes: tuple[int, ...], _planted: GrownForest) -> dict[str, Any]:
    def predict(X: np.ndarray) -> tuple[np.ndarray, None]:
        return results.answers(_planted, X), None

    return raster(predict, _planted.dataset, axes, None, _planted.held)


def surface(planted: GrownForest, plane: tuple[int, ...], rings: tuple[np.ndarray, str], key: str) -> None:
    """A forest's surface, with rings around some rows, (n_samples,) bool, and why; a click chooses a sample."""
    drawn = ringed(_surface(planted.key, plane, planted), *rings)

    def pick(spot: dict[str, Any] | None) -> None:
        chosen_row.choose((spot or {}).get("row"))

    surface_canvas(drawn, key=key, tree=None, channel=CHANNEL, on_pick=callback(pick), height=HEIGHT)


def line(planted: GrownForest, plane: tuple[int, ...], words: list[str], canvases: list[str]) -> None:
    """The chosen sample in words (every other part bold), marked on the surfaces of these keys."""
    row = chosen_row.chosen()
    sample = None if row is None else mark(planted.dataset, plane, row)
    node_line(words, "", Selected("", 0, 0, sample), channel=CHANNEL, canvases=canvases)


def row_words(planted: GrownForest) -> list[str]:
    """The chosen sample: its number, and the truth; every other part is bold."""
    row = chosen_row.chosen()
    if row is None:
        return ["No row is chosen", ": click one on a surface, or give its number."]
    data, kind = planted.dataset, "held out" if planted.held[row] else "grown on"
    return [f"Row {row + 1}", f" ({kind}), in truth ", in_words(data.target, float(data.y[row]))]

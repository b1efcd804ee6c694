"""Where the sliders that fold a tree stand for the tree on the page."""

from __future__ import annotations

from typing import Any

from pages.shared.tree.grown.record import GrownTree

DEPTH, LEVELS, ALPHA = "depth", "levels", "alpha"  # names of the sliders


def places(grown: GrownTree) -> dict[str, Any]:
    """The value of each slider: the browser then knows whether the tree is what it asked for."""
    model = grown.source.model
    return {LEVELS if grown.is_cultivated else DEPTH: model.value(DEPTH), ALPHA: model.value(ALPHA)}

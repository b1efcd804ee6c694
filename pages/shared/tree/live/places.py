"""Where the sliders that fold a tree stand for the tree on the page."""

from __future__ import annotations

from typing import Any

from pages.shared.tree.grown.record import GrownTree

DEPTH = "depth"  # name of the slider


def places(grown: GrownTree) -> dict[str, Any]:
    """The value of each slider: the browser then knows whether the tree is what it asked for."""
    return {DEPTH: grown.source.model.value(DEPTH)}

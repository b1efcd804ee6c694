"""The lines above the tree: how it was searched for, pruned and changed by hand, and the ways back."""

from __future__ import annotations

from pages.shared.tree.by_hand import against, controls
from pages.shared.tree.by_hand.changes import Changed
from pages.shared.tree.live import searching
from pages.shared.tree.pruning import tab
from pages.shared.tree.results import GrownTree


def draw(grown: GrownTree, pruned: GrownTree, change: Changed) -> None:
    """Draw them for the tree of the controls, that tree pruned, and what was changed of it."""
    searching.above(grown)
    tab.line(grown, pruned)
    controls.line(change)
    against.line(change.tree)

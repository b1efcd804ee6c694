"""Texts of the film of a tree's growth."""

from __future__ import annotations

ORDER = "In which order the tree grows"
ORDERS = {"gain": "Best split first", "depth": "Level by level", "found": "As CART finds them"}
PLAYER = {
    "film": "Film of the tree's growth",
    "splits": "Splits that the tree has",
    "start": "Back to a single leaf",
    "back": "Take the last split back",
    "play": "Play",
    "pause": "Pause",
    "step": "Next split",
    "end": "The whole tree",
}
SINGLE_LEAF = "A single leaf: all rows get the same answer."
NOT_BOXED = "Of this kind of tree there is no film: rows go several ways, or leaves are no boxes."


def step(number: int, of: int, test: str) -> str:
    """The last split of a film's step."""
    return f"Split {number} of {of}: {test}"


def too_many(n_splits: int, most: int) -> str:
    """Note in place of a film that would take too long."""
    return f"The tree has {n_splits} splits; there is a film of up to {most}. Lower the depth, or prune the tree."

"""Texts of the film of a tree's growth."""

from __future__ import annotations

from espalier.views.theme import number

ORDER = "In which order the tree grows"
ORDERS = {"gain": "Best split first", "depth": "Level by level", "found": "Leftmost branch first"}
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
OF_SEARCH = "Film of the search: how the best tree was found and proved"
RACE = "Best tree found, and the bound that no tree can beat"
BEST = "Best tree so far"
NOT_RECORDED = "There is no record of this search: searches with monotone columns and older ones keep none."
SEARCH_PLAYER = {
    "film": "Film of the search",
    "splits": "Steps of the search",
    "start": "Back to the first tree",
    "back": "One step back",
    "play": "Play",
    "pause": "Pause",
    "step": "Next step",
    "end": "End of the search",
}
SINGLE_LEAF = "A single leaf: all rows get the same answer."
NOT_BOXED = (
    "There is no film of this kind of tree. Films show trees that send each row one way, at a threshold of one "
    "column, to a leaf with one answer."
)


def step(number: int, of: int, test: str) -> str:
    """The last split of a film's step."""
    return f"Split {number} of {of}: {test}."


def state(impurity: str, left: float, errors: str) -> str:
    """The tree of a step in figures: the impurity that its leaves have left, and its errors."""
    return f"Mean {impurity} of the leaves {number(left)}, {errors}"


def too_many(n_splits: int, most: int) -> str:
    """Note in place of a film that would take too long."""
    return f"The tree has {n_splits} splits; there is a film of up to {most}. Lower the depth, or prune the tree."


def of_search(seconds: str, state: str, gap: str) -> str:
    """A step of a search: the time, its best tree and its bound, and the gap between them."""
    return f"After {seconds} s: {state}. Gap {gap}."


def end_of_search(proof: str) -> str:
    """The last step of a search."""
    return f"The end of the search. {proof}"

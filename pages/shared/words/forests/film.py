"""Texts of the film of a forest: tree after tree joins the average."""

from __future__ import annotations

from collections.abc import Sequence

TITLE = "**Tree after tree joins the average**"
PLAYER = {
    "film": "Film of the forests' growth",
    "splits": "Trees that have joined",
    "start": "Back to the first tree",
    "back": "One step back",
    "play": "Play",
    "pause": "Pause",
    "step": "Next step",
    "end": "All trees",
}
ERROR = "Error of the trees so far"
HOW_TO_READ = (
    "One tree cuts the plane into boxes, and the next one cuts it elsewhere. Their average has borders where most "
    "of them agree, and its error falls until the trees that join say nothing new. After the first 12 trees "
    "several join at a time."
)


def average(side: str) -> str:
    """Title of the surface of all trees so far."""
    return f"Forest {side}: average of its trees"


def newest(side: str) -> str:
    """Title of the surface of the tree that has joined last."""
    return f"Forest {side}: the tree that joined last"


def step(n_trees: int, most: int, errors: Sequence[str]) -> str:
    """A step of the film: the number of trees, and the errors of their average."""
    told = f" Error: {'; '.join(errors)}." if errors else ""
    return f"{n_trees} of {most} tree{'s' * (most != 1)}.{told}"


def no_film(side: str) -> str:
    """Note on a forest whose trees are added up."""
    return f"Forest {side} adds its trees up, and none of them means anything alone: see *Round by round*."

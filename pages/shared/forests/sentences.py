"""Sentences that several parts of the page of forests say."""

from __future__ import annotations

from espalier.data.dataset import Dataset
from espalier.grown import GrownForest
from espalier.language import say


def colours(data: Dataset) -> str:
    """The legend of the surfaces in a sentence."""
    if data.is_classification:
        return say("A colour for each class: {classes}.", classes=", ".join(data.classes))
    return say("The deeper the colour, the greater the number.")


def forest_name(side: str) -> str:
    """Name of a forest."""
    return say("Forest {side}", side=side)


def forest_heading(side: str) -> str:
    """Name of a forest as a heading."""
    return f"**{forest_name(side)}**"


def no_votes(one: GrownForest) -> str:
    """Why the trees of a sum have no votes to show."""
    if one.has_rounds:
        return say("Each tree corrects the sum of the earlier ones, and says nothing alone: see *Round by round*.")
    return say("Its trees say log odds, and none of them votes.")

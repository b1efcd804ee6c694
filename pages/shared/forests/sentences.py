"""Sentences that several parts of the page of forests say."""

from __future__ import annotations

from espalier.data.dataset import Dataset
from espalier.language import say, to_say
from pages.shared.forests.forest_job import GrownForest

PAIRS = to_say("A cell is a pair of trees: the darker, the more rows they agree on (Ho 1998).")
LIMITS_OF_IMPORTANCE = to_say(
    "Where two columns tell the same, each looks worth less than both together. Shuffling also makes rows that "
    "could not be, and a column that a forest relies on need not be a cause."
)
NOT_MEASURED = to_say("Not measured: every tree saw every row. Hold some rows out.")
HOW_TO_READ_WALL = to_say(
    "A tree hangs from its root: a node is as wide as its rows are many, and a leaf has the colour of its class. "
    "Trees that answer alike are neighbours. Click one to see its questions."
)
HOW_TO_READ = to_say("Questions from left to right; a row that answers yes goes up. Names are shortened to fit.")


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

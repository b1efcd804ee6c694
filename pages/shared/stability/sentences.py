"""Sentences that several parts of a page say."""

from __future__ import annotations

from espalier.display.theme import number
from espalier.language import say, to_say

AGREEMENT = to_say(
    "Up: share of the rows. Trees of different structure may well say the same; where "
    "they do not, the answer depends on the luck of the draw. Rows that a tree has grown "
    "on are among them."
)


def learner_heading(symbol: str, title: str) -> str:
    """A learner, with its symbol."""
    return f"**{symbol} {title}**"


def seed_line(value: int) -> str:
    """The seed of the draws of one histogram."""
    return say("Draws of seed {value}", value=value)


def picture_title(title: str, n_trees: int) -> str:
    """Title of a saved histogram."""
    return say("{title}, {n_trees} trees", title=title, n_trees=n_trees)


def scale_alt(most: float) -> str:
    """Alt text of the scale."""
    return say("From 0 to {most}", most=number(most))


def maps_caption(most_trees: int, is_classification: bool) -> str:
    """Caption of all maps."""
    of_classes = say(" Of classes: the root of half the summed variances of the shares.") * is_classification
    return say(
        "The stronger the tone, the more the answer depends on the draw. At most {most_trees} trees of each "
        "learner are asked; columns on no axis have their median or most frequent value.{of_classes}",
        most_trees=most_trees,
        of_classes=of_classes,
    )

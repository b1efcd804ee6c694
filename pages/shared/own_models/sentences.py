"""Sentences that several parts of a page say."""

from __future__ import annotations

from espalier.language import say


def judging_sentence(rows: str) -> str:
    """The rows that judge it, in a sentence."""
    return say("Not fitted here. Scores are on {rows}.", rows=rows)


def differences_heading(title: str, may_have_seen: bool) -> str:
    """Heading of the differences from the models that are fitted fold by fold."""
    if not may_have_seen:
        return say("**{title} beside the others**, on the rows of each fold that are new to it.", title=title)
    return say(
        "**{title} beside the others**, on the rows of each fold. It may have been trained on them, which would "
        "flatter it: say in the left rail what it was trained on.",
        title=title,
    )

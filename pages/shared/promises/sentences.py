"""Sentences that several parts of a page say."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.language import say


def introduction(is_classification: bool) -> str:
    """First lines of the section."""
    if is_classification:
        return say(
            "Instead of one class, a model may name several: as many as it takes for the truth to be among them "
            "as often as you ask. A row with several classes is for an expert; a single class may still be wrong."
        )
    return say(
        "Instead of one number, a model may name an interval: as wide as it takes for the truth to be inside as "
        "often as you ask. The horizontal dashed line is the share promised."
    )


def rules(titles: Sequence[tuple[str, str]], is_classification: bool) -> str:
    """Caption of the rule for new rows, with the title of each model."""
    what = (
        say(
            "The set of a new row has the class that the model says, and any other by the share that the model "
            "gives it"
        )
        if is_classification
        else say("Intervals of new rows")
    )
    parts = "; ".join((f"{title}: {rule}" for title, rule in titles))
    return say(
        "Each fold is judged with the limit chosen on the other folds; in brackets the 95 % interval. {what}: "
        "{parts}.",
        what=what,
        parts=parts,
    )


def forests_so_far(n: int, total: int) -> str:
    """How far the test for drift has come."""
    return say("{n} of {total} forests", n=n, total=total)

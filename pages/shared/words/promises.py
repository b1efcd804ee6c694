"""Texts of the part of the Reliability page that promises answers which hold the truth."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.views.theme import number

CONTROLS = {
    "level": (
        "Share of rows whose truth is to be among the answers, in percent",
        "Of new rows like these, at least so many get a set, or an interval, that holds the truth. "
        "*Term:* conformal prediction.",
    ),
    "per": (
        "Promised",
        "Over all rows, a rare class may get less than its part; for every class, each gets as much, and sets are "
        "larger. *Term:* Mondrian conformal prediction.",
    ),
    "width": (
        "Intervals",
        "Of one width, they hold the truth less often where the model doubts. Wider where it doubts: as many "
        "times its doubt as it takes.",
    ),
}
PER = {"all": "over all rows", "class": "for every class"}
WIDTH = {"equal": "of one width", "doubt": "wider where in doubt"}
SAVE = "What was promised for each row (.csv)"


def heading(is_classification: bool) -> str:
    """Heading of the section."""
    return (
        "#### Sets of classes that hold the truth" if is_classification else "#### Intervals that hold the truth"
    )


def introduction(is_classification: bool) -> str:
    """First lines of the section."""
    if is_classification:
        return (
            "Instead of one class, a model may name several: as many as it takes for the truth to be among them "
            "as often as you ask. A row for which it names one class is clear; one with several is for an expert."
        )
    return (
        "Instead of one number, a model may name an interval: as wide as it takes for the truth to be inside as "
        "often as you ask. The dashed line is what was promised."
    )


def rules(titles: Sequence[tuple[str, str]], is_classification: bool) -> str:
    """Caption of the rule for new rows, with the title of each model."""
    what = (
        "The set of a new row holds the class that the model says, and others"
        if is_classification
        else "Intervals of new rows"
    )
    parts = "; ".join(f"{title}: {rule}" for title, rule in titles)
    return f"Each fold is judged by what the others choose; in brackets the 95 % interval. {what}: {parts}."


def beware(in_groups: bool, in_time: bool) -> str:
    """Warning of rows that are not alike; empty if nothing is known against them."""
    if in_time:
        return (
            "These rows follow each other in time: the promise holds only while later rows are like earlier ones."
        )
    if in_groups:
        return (
            "These rows come in groups: the promise is for rows of new groups on average, not within each group."
        )
    return ""


def of_row(row: str, models: Sequence[tuple[str, str]]) -> str:
    """What each model names for the chosen row."""
    parts = "; ".join(f"{title}: **{named}**" for title, named in models)
    return f"Row {row}, chosen below: {parts}."


def between(low: float, high: float) -> str:
    """An interval."""
    return f"{number(low)} to {number(high)}"

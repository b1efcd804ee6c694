"""Texts of the part of the Reliability page that promises answers which hold the truth."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.views.theme import number

CONTROLS = {
    "level": (
        "Share of rows whose set, or interval, should contain the truth, in percent",
        "At least about this share of new rows, if they are like these, get a set, or an interval, that contains "
        "the truth. *Term:* conformal prediction.",
    ),
    "per": (
        "Promised",
        "*Over all rows*: the share is that of all rows together, and a rare class may get less. *For every "
        "class*: the share is promised within each class, and sets are usually larger. *Term:* Mondrian conformal "
        "prediction.",
    ),
    "width": (
        "Intervals",
        "*Of one width*: where the model doubts more, the truth is usually inside less often. *Wider where in "
        "doubt*: each is ± a multiple of its row's doubt, the same multiple for all rows.",
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
            "as often as you ask. A row with several classes is for an expert; a single class may still be wrong."
        )
    return (
        "Instead of one number, a model may name an interval: as wide as it takes for the truth to be inside as "
        "often as you ask. The horizontal dashed line is the share promised."
    )


def rules(titles: Sequence[tuple[str, str]], is_classification: bool) -> str:
    """Caption of the rule for new rows, with the title of each model."""
    what = (
        "The set of a new row has the class that the model says, and any other by the share that the model gives "
        "it"
        if is_classification
        else "Intervals of new rows"
    )
    parts = "; ".join(f"{title}: {rule}" for title, rule in titles)
    how = "Each fold is judged with the limit chosen on the other folds"
    return f"{how}; in brackets the 95 % interval. {what}: {parts}."


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

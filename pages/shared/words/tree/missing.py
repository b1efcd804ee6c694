"""Texts of the tab "Missing values" of the Tree page."""

from __future__ import annotations

from espalier.views.theme import count

INTRODUCTION = (
    "How well does each way of treating missing values cope with gaps? Values are removed at random; trees with "
    "the settings on the left grow and are tested with these gaps."
)
REPEATS = "Repeats"
REPEATS_HELP = "Each holds out other rows and removes other values. More make the bars shorter, and take longer."
AT_RANDOM = (
    "Here a gap says nothing of the target, since chance makes it. Where a gap means something, as a test "
    "that a doctor did not think necessary, *To the better side* and *As a category of their own* can learn from "
    "it, and may be better than this figure shows (Ding & Simonoff 2010)."
)
NO_SURROGATES = "With gain ratio or monotone columns there are no surrogate splits, and so three ways."
ONE_COLUMN = "With a single column there is no other to stand in: surrogate splits only know the larger side."

# The job

AT_WORK = "**Growing trees with gaps**"
BEGIN = "Compare the ways"
STOPPED = "The comparison was stopped."
FAILED = "The ways cannot be compared."


def below_the_picture(is_share: bool, percent: int, has_gaps: bool) -> str:
    """What the lines and the bars are."""
    unit = "the share of rows with a wrong class" if is_share else "the mean squared error"
    own = " Values that are missing in the table stay so." if has_gaps else ""
    return (
        f"Error: {unit}, on the {percent} % of the rows that are held out, other ones in each repeat. All ways "
        "have the same rows and the same gaps, in the rows that trees grow on and in those held out."
        f"{own} Bars are one standard error, which takes into account that the repeats share rows "
        "(Nadeau & Bengio 2003)."
    )


def much_to_do(n_trees: int, n_rows: int) -> str:
    """How much work the comparison is."""
    return f"{count(n_trees)} trees have to grow on up to {count(n_rows)} rows each."


def in_part(n_repeats: int, of: int) -> str:
    """How many of the repeats the picture shows, where not all were done."""
    return f"{count(n_repeats)} of {count(of)} repeats are done."

"""Sentences that several parts of a page say."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.language import Texts, say, to_say

STEPS = to_say("The rows in ten steps of growing doubt. The steeper a line rises, the more its doubts say.")
CALIBRATION = to_say(
    "Of the rows that a model gives 80 % to the class that it says, 80 % should be of "
    "that class: on the dotted line they are. Large dots have many rows, pale ones fewer "
    "than 10; bars are 95 % intervals."
)
NOTHING_TO_HAND_OVER = to_say("At this goal the model answers every row: there is nothing to hand over.")
LEAVES = to_say(
    "A part for each leaf that it is in, as wide as its fraction, in the colour of what the leaf says."
)
CHANGE_HELP = Texts(
    {
        "keep": ("Stay as they are", "What nobody can change, such as an age or a place of birth."),
        "up": ("May only go up", "Such as years of experience: a change that makes them less is not offered."),
        "down": ("May only go down", "Such as debts: a change that makes them more is not offered."),
        "within": (
            "May only change within",
            "The least and the greatest number that it may become, in the column's own unit. A column may always "
            "stay as it is, and no value leaves the range of the table.",
        ),
        "toward": (
            "The change is to lead to",
            "Finds the smallest change that leads to this answer, and proves that no smaller one does; or proves "
            "that "
            "nothing that may change leads there.",
        ),
    }
)
AGAIN = to_say("**Would it say the same, had the data been drawn again?**")
AGAIN_MODELS = to_say("Each model has learned from rows drawn anew from the other folds. *Term:* bootstrap.")


def warning(in_groups: bool, in_time: bool) -> str:
    """Warning of rows that are not alike; empty if nothing is known against them."""
    if in_time:
        return say(
            "These rows follow each other in time: the promise holds only while later rows are like earlier ones."
        )
    if in_groups:
        return say(
            "These rows come in groups: the promise is for rows of new groups on average, not within each group."
        )
    return ""


def outcomes_caption(thresholds: Sequence[tuple[str, str]], is_promised: bool) -> str:
    """Caption of the outcomes of the goal; each threshold with the title of its model."""
    parts = "; ".join((f"{title}: {threshold}" for title, threshold in thresholds))
    how = say("Judged on folds that did not choose the threshold; in brackets the 95 % interval")
    if is_promised:
        how = say(
            "The threshold is chosen on all rows and judged on the same ones. The 90 % confidence takes that "
            "into account; the 95 % interval in brackets does not"
        )
    return say("{how}. For new rows: {parts}.", how=how, parts=parts)


def answered_heading(is_classification: bool) -> str:
    """Heading of the curves against the share answered."""
    what = say("Right, of what is answered") if is_classification else say("Average error of what is answered")
    return say("**{what}, when the most doubted rows are left to an expert**", what=what)


def answered_caption(is_classification: bool) -> str:
    """Caption of the curves against the share answered."""
    dotted = say(
        " Dotted lines, each in its model's colour: the share of the same rows that one would get right by "
        "always saying the most frequent class."
    )
    return (
        say(
            "Further to the left, more rows are left to an expert. The larger marks are where the goal leads; "
            "bands are 95 % intervals, as the folds differ."
        )
        + dotted * is_classification
    )


def threshold_caption(is_classification: bool) -> str:
    """Caption of the curves against the threshold."""
    of_classes = say("right, of the answered (dotted: always the most frequent class)")
    of_numbers = say("average error of the answered (axis on the right)")
    return say(
        "Full line: {is_classification}. Dashed: share answered. A row is answered if its doubt is at most the "
        "threshold; the upright line is the threshold for the goal. After figure 4 of Nalenz & Augustin (2021).",
        is_classification=of_classes if is_classification else of_numbers,
    )


def parts_caption(link: str) -> str:
    """Caption of the bars: what each column adds."""
    if link in ("logistic", "softmax"):
        counted = say("in log odds, the score that becomes the share")
    elif link == "log":
        counted = say("to the logarithm of the answer")
    else:
        counted = say("beside what the model says before it knows any column")
    return say(
        "What each column's value adds to the answer (right) or takes away (left), {counted}. All together lead "
        "to the answer. *Term:* Shapley values (SHAP).",
        counted=counted,
    )


def way_caption(is_cultivated: bool) -> str:
    """Caption of the way of a row through its tree."""
    most = say("What divides it most. ") * is_cultivated
    return say("{most}The dot is this row, on the range of the column; grey is where it is cut.", most=most)


def unused_columns_note(names: Sequence[str]) -> str:
    """Columns that are limited in the same way, and that the model of this page does not ask about; Markdown."""
    return say("Chosen, too, but not asked about by this model: {names}.", names=", ".join(names))


def recourse_caption(is_classification: bool) -> str:
    """Caption of the plane of the two columns that matter most for another answer."""
    strong = (
        say("another class would be said") if is_classification else say("a number far enough away would be said")
    )
    return say(
        "The full dot is this row, the open one its nearest change. Colours are strong where {strong}, weak "
        "where not, and almost gone where this row may not go. All else is held. *Term:* region of recourse.",
        strong=strong,
    )


def strips_caption(is_classification: bool) -> str:
    """Caption of the strips of answers."""
    colour = (
        say("in the colour of the class that would be said")
        if is_classification
        else say("the deeper the greater")
    )
    return say(
        "Along each column what would be said, all else held, {colour}; the mark is this row.", colour=colour
    )

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
    return f"{row}, chosen below: {parts}."


def between(low: float, high: float) -> str:
    """An interval."""
    return f"{number(low)} to {number(high)}"


# Promises of a single tree, and whether rows are alike

OF_TREE = "What does each leaf promise for new rows?"
OF_LEAVES = (
    "A tree that is right for 95 % of all rows may be wrong for half of those in one leaf. So each leaf has a "
    "promise of its own, made from the held-out rows that end in it alone: at least as many of the new rows in "
    "that leaf as you ask for have their truth among the classes named, or inside the interval, on average over "
    "such promises, if new rows are like these. *Term:* Mondrian conformal prediction."
)
NO_LEAVES = (
    "A row is in several leaves of a cultivated tree, and leaves of a model tree have formulas: such leaves make "
    "no promise."
)
NONE_HELD = "No rows are held out, so that nothing can be promised: hold some out, on the left."
CHOSEN_BY_THEM = (
    "If you chose the depth, pruned, or changed the tree by looking at scores of held-out rows, they are no "
    "longer unseen, and the promises are too good."
)
LEAVES_ALT = "What each leaf promises for new rows"
SAVE_LEAVES = "Promises of the leaves (.csv)"
DRIFT = {
    "drift": (
        "Test whether the rows held out are like those it learned from",
        "A forest learns to tell them apart by their columns, and again 99 times with both shuffled. If it does "
        "better than nearly all of these, the rows differ. Hold out what is new: later rows, another year or "
        "place, by a condition on the page *Data*. *Terms:* drift, covariate shift, two-sample test by a "
        "classifier.",
    )
}
DRIFT_AT_WORK = "Are they alike?"
DRIFT_STOPPED = "The test was stopped."
DRIFT_FAILED = "The test came to no end."
BY_CHANCE = (
    "These rows were held out by chance, so that they are like the others by the way they were drawn. The test "
    "tells something where new rows are held out: later ones, or those of another place, by a condition on the "
    "page *Data*."
)


def how_far(n: int, total: int) -> str:
    """How far the test for drift has come."""
    return f"{n} of {total} forests"


def too_few_rows(least: int) -> str:
    """Note where the test has too few rows."""
    return f"The test takes at least {least} rows held out, and as many that the tree learned from."


def drifted(is_found: bool, pairs: float, p_value: float, columns: Sequence[str]) -> str:
    """Result of the test: of 100 pairs how many are told apart, the p value, and by which columns."""
    measured = (
        f"of 100 pairs of a held-out row and one that it learned from, a forest tells {number(pairs)} rightly "
        f"apart, where guessing would tell 50 (p = {number(p_value)})"
    )
    if not is_found:
        return f"**No difference found:** {measured}. That is no proof that there is none."
    used = ", ".join(columns)
    return (
        f"**The rows held out differ** from those it learned from: {measured}. It uses most: {used}. For rows "
        f"like these, scores and promises made on other rows may not hold."
    )

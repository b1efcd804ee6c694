"""Texts on decisions: what errors cost, from which share a class is the answer, and rates by group."""

from __future__ import annotations

CONTROLS = {
    "costly": (
        "Worse to mistake",
        "Taking a row of this class for another one costs more than any other error: say, to miss an ill patient. "
        "It is the same setting on every page. Trees on the page *Tree* grow by it; here models stay as they are, "
        "and their answers follow it.",
    ),
    "times": (
        "How many times worse",
        "Of two classes, the class is then the answer from a share of 1 ÷ (1 + times) on, which costs least if "
        "shares are true. *Term:* cost-sensitive decision.",
    ),
    "threshold": (
        "Answer it from a share of (percent)",
        "Empty: the share that the costs ask for. The curve of costs shows what another one would bring. *Term:* "
        "decision threshold.",
    ),
    "prevalence": (
        "How frequent it will be (percent)",
        "Empty: as in this table. Where a table has as many ill as healthy rows but one patient in a hundred is "
        "ill, write 1: shares, precision and costs are corrected for that. It assumes that ill patients there are "
        "like the ill ones here. *Term:* prevalence.",
    ),
}
RAIL = "**What errors cost**"
ALIKE = "no class: all errors are alike"
MORE = "Threshold and prevalence"
AS_COSTS, AS_HERE = "as the costs ask for", "as in this table"
HEADING = "#### When errors do not cost the same"
INTRODUCTION = (
    "Each model's answers to rows that it has not seen, decided by what errors cost: choose it on the left, under "
    "*What errors cost*. The other parts of this page show the answers that the models give by themselves."
)
TREE = "The tree"
OF_TREE = "Decisions: what errors cost, and a threshold"
OF_TREE_INTRODUCTION = (
    "The answers to the rows held out, decided by what errors cost. Where a tree grew with some classes counting "
    "more, their shares are first turned back to those of equal rows, so that costs are met once. All else on "
    "this page is what the tree says by itself."
)
AS_IT_GREW = (
    "Which class is worse to mistake, and how much, is a setting of the tree: on the left, in its settings."
)
NONE_HELD = "No rows are held out, and those it grew on would judge it too well. Hold some out on the left."
TABLE_ALT = "How often each model's decisions are right, by class, and what their errors cost"
TABLE_NOTES = (
    "In brackets the 95 % interval. *Found* is the recall of a class, its sensitivity; *right, of those answered* "
    "is its precision. An error costs 1, or as many times as much as you say."
)
CURVE = "**What 100 rows would cost**"
CURVE_NOTES = (
    "The mark is the decision as it is; bands are 95 % intervals. If a curve is clearly lower elsewhere, the "
    "model's shares are not true, and a threshold of its own would cost less: test it on other rows before you "
    "rely on it. Dotted: always or never answering the class."
)
CHOOSE_A_CLASS = "Choose on the left which class is worse to mistake, to see what other thresholds would cost."
GROUPS_HEADING = "**Is it as good for every group?**"
GROUPS = {
    "rate-groups": (
        "Groups by",
        "Every rate of the decisions, for each group of this column: each category, or four ranges of a number "
        "with about as many rows each, or ranges that you cut. The models may use the column or not. *Terms:* "
        "equal opportunity (found), equalised odds, demographic parity (answered).",
    )
}
CUTS = {
    "group-cuts": (
        "Cut at",
        "Numbers such as 18, 65: the groups are then up to 18, above 18 up to 65, and above 65. Empty: at the "
        "quartiles of the column.",
    )
}
QUARTILES = "its quartiles"
CUTS_EXPECTED = "up to seven numbers with commas between them, such as 18, 65"
NO_COLUMN = "no column"
A_COLUMN = "the name of a column"
GROUPS_NOTES = (
    "Each group is set against all other rows; what is named differs by more than chance alone would make one of "
    "all these comparisons differ (5 % together). A group that differs may differ for good reasons: ask why "
    "before you judge, and remember that equal rates of all kinds at once are seldom possible."
)
SAVE_GROUPS = "Rates by group (.csv)"


def groups_alt(title: str) -> str:
    """Text of the table of a model's rates by group, for those who do not see it."""
    return f"Rates of {title} by group, with intervals"


def others(n: int) -> str:
    """Caption of groups that are left out."""
    return f"{n} smaller groups are left out."


def not_cuts(text: str) -> str:
    """Warning on a text that says no cuts; it is Markdown."""
    return f"“{text}” should be {CUTS_EXPECTED}. Until then the column is cut at its quartiles."

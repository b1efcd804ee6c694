"""Texts of the Forests page on what columns add to answers, and on answers along a column."""

from __future__ import annotations

from espalier.views.theme import count

PARTS = "#### What do columns add to an answer?"
EXPLAINED = "Share of"
EXPLAINING = "Taking the answers apart …"
NO_PARTS = (
    "There is no exact answer here: in these trees a row is in many leaves, or a split asks for several columns."
)
TOGETHER = "#### Which columns act together?"
TOGETHER_HELP = (
    "A bar is a pair of columns: how much of an answer depends on both values at once, beyond what each adds by "
    "itself, on average over the rows. If answers were sums of one part for each column, there would be no bars. "
    "The ten columns that add most are looked at. *Term:* Shapley interaction values (SHAP)."
)
PAIR = "Rows of the pair"
STRONGEST = "the strongest of each forest"
NOT_TOGETHER = "In this forest these two columns hardly act together, or not at all."
A_PAIR = "a pair of columns, such as 1-2"
CURVES = "#### How does the answer change along a column?"
ALONG = "Column"
CURVE = "Curve"
CURVE_NAMES = {"mean": "Mean and single rows", "accumulated": "Accumulated changes"}
CURVE_HELP = (
    "**Mean and single rows**: every row gets every value of the column, and its other values stay. That is "
    "plain to read, but where columns go together it asks about rows that do not exist.\n\n**Accumulated "
    "changes**: only rows near a value are moved, only a little, and their changes add up. To be preferred "
    "where the column goes together with another. *Terms:* PDP, ICE; accumulated local effects (ALE; Apley "
    "and Zhu 2020)."
)


def share_of(name: str) -> str:
    """What the axis of a class counts."""
    return f"share of {name}"


def parts(most: int, n: int) -> str:
    """Caption of the strips."""
    some = f" {count(most)} rows are drawn." if n > most else ""
    return (
        "A dot is a row: how much this column's value adds to its answer, beside what the forest says before it "
        "knows any column; the stronger its colour, the greater the value. The number is the mean size. All "
        f"columns together lead exactly to the answer. Rows that the forest grew on are among them.{some} *Term:* "
        "Shapley values (SHAP)."
    )


def pair_rows(n: int, of: int) -> str:
    """Caption of the rows of a pair."""
    some = f" {count(n)} rows are drawn." if n < of else ""
    return (
        "A triangle is a row. It points up where both values together add to the answer, and down where they take "
        f"away; the larger it is, the more.{some}"
    )


def curves(most: int) -> str:
    """Caption of the curves."""
    return (
        "The thick line is the mean answer if every row had this value of the column; thin lines are single rows, "
        "and the dark one is the chosen row, where it is. The lines are exact: they step at the trees' own "
        f"thresholds. Of a larger table {count(most)} rows count. *Terms:* partial dependence (PDP), individual "
        "conditional expectation (ICE)."
    )


def accumulated(most: int) -> str:
    """Caption of the accumulated changes."""
    return (
        "The rows between one dot and the next take the value of the first dot, then that of the second, and "
        "nothing else of them changes. The thick line adds up the mean changes of their answers, and is set "
        "around 0. No row is moved to where no rows are. The dashed line is the mean curve, around 0 too. Of a "
        f"larger table {count(most)} rows count. *Term:* accumulated local effects (ALE)."
    )

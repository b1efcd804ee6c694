"""Sentences that several parts of a page say."""

from __future__ import annotations

from espalier.display.theme import count, percent
from espalier.language import say, to_say

PAIRS = to_say(
    "Each cell is a pair of trees: the stronger its colour, the more rows they say the "
    "same of (Ho 1998). Forests whose trees agree less have more to gain from averaging, "
    "as long as each tree stays good."
)
LIMITS_OF_IMPORTANCE = to_say(
    "**What this cannot say.** Where two columns tell the same, trees take now one, now "
    "the other, and the one covers for the other that is shuffled: each looks worth less "
    "than both are together. Shuffling also makes rows that could not be, say a tall "
    "child of 5 kg. And a column that a forest relies on need not be a cause: it may "
    "stand in for something that was not measured."
)
MEAN_OF_LOG_ODDS = to_say(
    "Its trees say log odds, whose mean over the trees is made into shares: each counts "
    "as much as any other, and none of them votes."
)
NO_PARTS = to_say(
    "There is no exact answer here: in these trees a row is in many leaves, or a split asks for several columns."
)
TOGETHER_HELP = to_say(
    "A bar is a pair of columns: how much of an answer depends on both values at once, "
    "beyond what each adds by itself, on average over the rows. If answers were sums of "
    "one part for each column, there would be no bars. The ten columns that add most are "
    "looked at. *Term:* Shapley interaction values (SHAP)."
)
UNEQUAL = to_say("The formula is of trees whose votes count the same; those of this forest do not.")
NOT_MEASURED = to_say("Not measured: every tree saw every row. Hold some rows out.")
HOW_TO_READ = to_say("Questions from left to right; a row that answers yes goes up. Names are shortened to fit.")


def votes_alt(votes: str) -> str:
    """Alt text of the votes."""
    return say("Tree by tree: {votes}", votes=votes)


def agreement_sentence(share: float, is_held_out: bool) -> str:
    """How often two trees agree."""
    rows = say("held-out rows", context="within a sentence") if is_held_out else say("rows, which they grew on")
    return say("Two trees say the same of **{share}** of the {rows}, on average.", share=percent(share), rows=rows)


def surface_dots(most: int, has_two_axes: bool) -> str:
    """Caption of the surfaces."""
    by_chance = "" if has_two_axes else say("; up and down they stand by chance")
    return say(
        "Dots are rows of the data, {most} at most{by_chance}. One tree is constant on boxes; the mean of many "
        "has as many steps as all of them have edges, so it looks smooth where they differ, and stays sharp "
        "where all cut at the same place.",
        most=most,
        by_chance=by_chance,
    )


def rounds(n: int) -> str:
    """A number of rounds."""
    return say("{n} round" if n == 1 else "{n} rounds", n=n)


def parts_caption(most: int, n: int) -> str:
    """Caption of the strips."""
    some = say(" {most} rows are drawn.", most=count(most)) if n > most else ""
    return say(
        "A dot is a row: how much this column's value adds to its answer, beside what the forest says before it "
        "knows any column; the stronger its colour, the greater the value. The number is the mean size. All "
        "columns together lead exactly to the answer. Rows that the forest grew on are among them.{some} *Term:* "
        "Shapley values (SHAP).",
        some=some,
    )


def curves_caption(most: int) -> str:
    """Caption of the curves."""
    return say(
        "The thick line is the mean answer if every row had this value of the column; thin lines are single "
        "rows, and the dark one is the chosen row, where it is. The lines are exact: they step at the trees' own "
        "thresholds. Of a larger table {most} rows count. *Terms:* partial dependence (PDP), individual "
        "conditional expectation (ICE).",
        most=count(most),
    )


def accumulated_caption(most: int) -> str:
    """Caption of the accumulated changes."""
    return say(
        "The rows between one dot and the next take the value of the first dot, then that of the second, and "
        "nothing else of them changes. The thick line adds up the mean changes of their answers, and is set "
        "around 0. No row is moved to where no rows are. The dashed line is the mean curve, around 0 too. Of a "
        "larger table {most} rows count. *Term:* accumulated local effects (ALE).",
        most=count(most),
    )


def forest_name(side: str) -> str:
    """Name of a forest."""
    return say("Forest {side}", side=side)


def forest_heading(side: str) -> str:
    """Name of a forest as a heading."""
    return f"**{forest_name(side)}**"


def out_of_bag_curve(side: str) -> str:
    """Name of a curve of the error out of bag."""
    return say("{side}, out of bag", side=side)


def held_out_curve(side: str) -> str:
    """Name of a curve of the error on held-out rows."""
    return say("{side}, held out", side=side)

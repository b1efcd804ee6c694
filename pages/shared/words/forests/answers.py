"""Texts of the Forests page on answers: one row, agreement, importance, surfaces and differences.

`side` is always a forest's letter, such as "A".
"""

from __future__ import annotations

from collections.abc import Sequence

from espalier.data.errors import counted
from espalier.views.theme import count, number, percent
from pages.shared.words.tree import page as tree_words

# One row

DRAW_ONE = "Draw one"
DRAW_ONE_HELP = "Another row, by chance"
WRONG = {True: "wrong by trees new to it", False: "wrong"}  # whether rows are new to some trees
CELLS = "A cell for each tree, in its class's colour: dotted where it grew on the row, underlined where wrong."
DOTS = "A dot for each tree: hollow where it grew on the row."
NO_ROW = ["No row is chosen", ": click one on a surface, or give its number."]  # every other part is bold


def row(name: str, is_held_out: bool | None, truth: str) -> list[str]:
    """Name of a row, whether it is held out (None: not known), and the truth; every other part is bold."""
    known = "" if is_held_out is None else f" ({'held out' if is_held_out else 'grown on'})"
    return [name, f"{known}, in truth ", truth]


# Headings of the table of votes
TREE, SEEN, ANSWER, WEIGHT = "tree", "grew on the row", "says", "weight"


def share_of(name: str) -> str:
    """Heading of the share of a class."""
    return f"share of {name}"


def tree_by_tree(votes: str) -> str:
    """Alt text of the votes."""
    return f"Tree by tree: {votes}"


def verdict(answer: str, votes: str) -> str:
    """Answer of the forest, with its votes."""
    return f"Says **{answer}**: {votes}."


def verdict_of_unseen(n: int, answer: str) -> str:
    """Answer of the trees that did not grow on the row."""
    return f"The {n} trees that did not grow on it say **{answer}**."


# Agreement

VARIANCE_OF = {True: "variance of a tree's lead", False: "mean squared error"}
RHO = (
    "Two correlations stand here: ρ in the curve is measured pair by pair, each on the rows that both trees have "
    "not seen; Breiman's ρ̄ in the table follows from how much the margin of all votes varies (2001, appendix II)."
)
RHO_OF_NUMBERS = (
    "Two correlations stand here and hardly differ: ρ in the curve divides the mean product of two trees' errors "
    "by the mean square of one tree's, Breiman's ρ̄ in the table by the mean product of their sizes (2001, "
    "section 11)."
)
PAIRS = (
    "Each cell is a pair of trees: the stronger its colour, the more rows they say the same of (Ho 1998). Forests "
    "whose trees agree less have more to gain from averaging, as long as each tree stays good."
)
NO_VOTES = "Trees of numbers have no votes to agree on: their errors are compared."
COMPARING = "Comparing the trees …"


def agreement(share: float, is_held_out: bool) -> str:
    """How often two trees agree."""
    rows = "held-out rows" if is_held_out else "rows, which they grew on"
    return f"Two trees say the same of **{percent(share)}** of the {rows}, on average."


def measures_alt(side: str) -> str:
    """Alt text of a forest's measures."""
    return f"What makes forest {side} good"


def fall(formula: str, is_classification: bool) -> str:
    """Caption of the curve of the formula."""
    return f"{formula}. More trees take away the second part only. {RHO if is_classification else RHO_OF_NUMBERS}"


# Importance

LIMITS_OF_IMPORTANCE = (
    "**What this cannot say.** Where two columns tell the same, trees take now one, now the other, and the one "
    "covers for the other that is shuffled: each looks worth less than both are together. Shuffling also makes "
    "rows that could not be, say a tall child of 5 kg. And a column that a forest relies on need not be a cause: "
    "it may stand in for something that was not measured."
)
SHUFFLING = "Shuffling the columns …"
NOTHING_TO_SHUFFLE = "Every tree of it saw every row. Hold some rows out, to shuffle those."
FEATURE, RISE, STANDARD_ERROR, SPREAD = "column", "rise of the error", "standard error", "spread over trees"


def importance(is_classification: bool, n_drawn: int, n_features: int) -> str:
    """Caption of the bars."""
    kind = "error" if is_classification else "mean squared error"
    most = f" The {n_drawn} most important of {n_features} columns are drawn; the file has all."
    return (
        "A column's values are shuffled among the rows that a tree has not seen; the bar is how much the tree's "
        f"{kind} rises on average over the trees (Breiman 2001, section 10). The line is the standard error of "
        "that mean: how far chance in growing the trees may put it off." + most * (n_features > n_drawn)
    )


def no_importance(reason: object) -> str:
    """Why there is no importance."""
    return f"There is none: {reason}."


# Surface

FIRST_TREES = "What the first trees say together"
ASKING_FIRST = "Asking the first trees of each forest …"
DEEPER_IS_GREATER = "The deeper the colour, the greater the number."


def surface_dots(most: int, has_two_axes: bool) -> str:
    """Caption of the surfaces."""
    by_chance = "" if has_two_axes else "; up and down they stand by chance"
    return (
        f"Dots are rows of the data, {most} at most{by_chance}. One tree is constant on boxes; the mean of many "
        "has as many steps as all of them have edges, so it looks smooth where they differ, and stays sharp where "
        "all cut at the same place."
    )


HELD = "What the columns on no axis have"
NO_AVERAGE = " A sum of trees that passes through a link, and soft trees, have no exact average here."


def others(averaged: Sequence[bool], chosen: str) -> str:
    """What columns on no axis have; `averaged` says of forests A and B whether their answers are averages."""
    texts, columns = tree_words.OTHERS, tree_words.OTHER_FEATURES
    held = texts["row" if chosen == "row" else "typical"]
    if not any(averaged):
        return f"{columns} {held}.{NO_AVERAGE * (chosen == 'average')}"
    both = f"{columns} {texts['average']}."
    return both if all(averaged) else f"{both} Of forest {'AB'[averaged.index(False)]}: {held}.{NO_AVERAGE}"


def colours(classes: list[str]) -> str:
    """Alt text of the legend."""
    return f"A colour for each class: {', '.join(classes)}."


def first_trees(n: int, n_trees: int) -> str:
    """The number of first trees that a surface is of."""
    return f"all {n}" if n == n_trees else f"{n} tree{'s' * (n > 1)}"


def surface_title(trees: str, error: str) -> str:
    """Heading of a surface: its trees, and their error if it is known."""
    return f":small[**{trees}** · error {error}]" if error else f":small[**{trees}**]"


# Differences

WHERE_APART = {True: "the forests disagree", False: "the forests are farthest apart"}
NO_ROW_OF_TABLE = ["No row is chosen", ": tick a row, or click one on a surface."]  # every other part is bold
DIFFERENCES_ALT = "Rows of which the two forests say different things"
FAIRLY = "Rows that a forest grew on are judged by those of its trees that did not draw them, where there are any."
ROW, HELD_OUT, TRUTH, APART = "row", "held out", "truth", "apart"  # headings of the table


def says(side: str) -> str:
    """Heading of a forest's answers."""
    return f"{side} says"


def share(side: str) -> str:
    """Heading of the shares that a forest gives its answers."""
    return f"{side}'s share"


def also_says(side: str) -> str:
    """Words before a forest's answer for the chosen row."""
    return f"; {side} says "


def numbers_apart(mean: float, together: float) -> str:
    """How far the numbers of the forests are apart, and their correlation."""
    return (
        f"The two forests' numbers are **{number(mean)}** apart on average, and have the correlation "
        f"**{number(together)}**. Below, the rows where they are farthest apart. {FAIRLY}"
    )


def all_alike(n_rows: int) -> str:
    """Note on forests that agree on every row."""
    return f"The two forests say the same of every one of the {count(n_rows)} rows. {FAIRLY}"


def disagreement(n: int, n_rows: int) -> str:
    """The number of rows on which the forests disagree."""
    return f"They disagree on **{counted(n, 'row')}** of {n_rows} ({percent(n / n_rows)}): "


def right_and_wrong(first: int, second: int, both_wrong: int) -> str:
    """The rows of these on which each forest is right, and the rows on which both are wrong."""
    both = f"Both are wrong on {counted(both_wrong, 'row')}. {FAIRLY}"
    return f"of these A is right on {first} and B on {second}. {both}"


# Intervals of forests for numbers

TITLE = "**Intervals, and how often they hold**"
WHY = """
In every tree a row shares its leaf with rows of the table. Their numbers, each by its share of the leaf and
averaged over the trees, are a distribution, not only a mean (*quantile regression forests*, Meinshausen 2006). An
interval leaves out equal shares of it at both ends.

Above the dashed line the intervals hold more rows than they state, and could be narrower; below it they hold
fewer.
"""
FOREST, STATED, MEASURED, WIDTH = "forest", "stated coverage", "measured coverage", "mean width"  # of the table


def too_large(side: str, most: int) -> str:
    """Note on a forest without intervals; `most` is the greatest number of rows times trees."""
    return f"Forest {side} has no intervals here: its rows times its trees are more than {count(most)}."


def of_row(coverage: float, low: float, high: float, has_seen: bool) -> str:
    """Interval of a row; `has_seen`: every tree grew on it."""
    by = "by trees that all grew on it" if has_seen else "by trees that did not grow on it"
    return f"{percent(coverage)} interval, {by}: **{number(low)}** to **{number(high)}**."


def measured_on(side: str, n: int) -> str:
    """Note on the rows that the intervals of a forest were measured on."""
    return f"Forest {side}: measured on {count(n)} rows, each by trees that did not grow on it."

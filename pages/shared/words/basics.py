"""Texts of the page on basics: impurity as a curve, and what bagging does to single rows."""

from __future__ import annotations

from espalier.views.theme import number

TITLE = "Basics: two figures to drag"
VIEW = "What is shown"
VIEWS = {"impurity": "Impurity", "bagging": "Bagging"}

# Impurity

IMPURITY = (
    "Rows of two classes are split in two. Drag the children **L** and **R** along the curve, to the share of the "
    "first class in each; drag the parent **P** between them, and more rows go left or right."
)
IMPURITY_HELP = (
    "The gain is the height of the curve at the parent over the dashed chord of its children: an arch lies above "
    "its chords, a straight line on them. All three curves are drawn as high; the axis is that of the bold one. "
    "Arrows move a handle that has the focus, with Shift further."
)
MEASURE = "Impurity"
MEASURES = {"gini": "Gini", "entropy": "Entropy", "error": "Error"}
COLUMNS = ["parent", "left", "right", "after the split", "gain"]
FIGURE = {
    "alt": "Impurity against the share of a class, with a split to drag",
    "across": "share of the first class, per cent",
    "gain": "gain",
    "letters": {"left": "L", "right": "R", "parent": "P"},
    "handles": {
        "left": "Left child: share of the first class",
        "right": "Right child: share of the first class",
        "parent": "Parent: share of the first class; it says how many rows go left",
    },
}

# Bagging

BAGGING = (
    "One fit to all rows, and the mean of fits to rows drawn with replacement. **Drag any row**, and both follow."
)
BAGGING_HELP = (
    "The error is the root of the mean squared distance from the truth. The influence of a row is how far the "
    "answer at its place rises if the row rises by 1."
)
ROWS = "Rows"
EXAMPLES = {
    "wave": "A wave with noise",
    "far": "A line, and a wrong row far out",
    "central": "A line, and a wrong row amidst",
    "right": "A line, and a true row far out",
}
FIT = "What is fitted"
FITS = {"tree": "tree", "line": "line", "mean": "mean"}
BAGS = "Bags"
BAGS_HELP = "How often rows are drawn and fitted; each bag has as many rows as there are."
PUT_BACK = "Put rows back"
ROW = "row"


def curves(n_bags: int) -> dict[str, str]:
    """Names of the curves."""
    return {
        "truth": "truth",
        "one": "one fit to all rows",
        "mean": f"mean of {n_bags} bags" if n_bags > 1 else "one bag",
    }


def plane_alt(n_rows: int, fit: str, n_bags: int) -> str:
    """The figure in a sentence, and its keys."""
    return (
        f"{n_rows} rows on a plane, with a {fit} fitted to all of them and the mean of {n_bags} bags. Arrows move "
        "the chosen row, with Shift further; N and P choose the next and the previous one."
    )


def errors(one: float, mean: float) -> str:
    """How far both are from the truth."""
    return f"Error of one fit **{number(one)}**, of the mean **{number(mean)}**"


def influences(row: int, one: float, mean: float) -> str:
    """How much a row counts in both."""
    return f"Influence of row {row} in one fit **{number(one, 2)}**, in the mean **{number(mean, 2)}**"


def accepted_rows(low: float, high: float) -> str:
    """The rows that an address may have."""
    return f"rows such as 14-9.5-2, their number, x and y from {number(low)} to {number(high)}, joined by _"

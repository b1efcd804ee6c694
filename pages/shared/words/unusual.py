"""Texts of "Unusual rows" on the Data page."""

from __future__ import annotations

from espalier.data.errors import counted

# What it is

INTRODUCTION = (
    "Which rows are unlike the others? Many small trees cut the table at random; a row that is alone after few "
    "cuts is unusual. The target does not count; all rows do, also those held out."
)
HOW = (
    "Each tree takes up to 256 rows, cuts a random column at a random place, and goes on until rows are alone or "
    "as deep as in a balanced tree. The score is 2 to the power of −(mean number of cuts) ÷ (cuts expected of "
    "random rows): near 0.5 for usual rows, towards 1 for rows that few cuts isolate (Liu, Ting and Zhou 2008). "
    "Of categories a random set goes to one side, and a missing value goes to a random side. An unusual row may "
    "be an error, or the most interesting one."
)
HOW_TITLE = "How rows are scored"

# Controls

TREES = "Trees"
TREES_HELP = "More trees give steadier scores. *Term:* n_estimators."
SHARE = "Share of unusual rows, %"
SHARE_HELP = (
    "So many rows, those with the highest scores, count as unusual. The scores do not depend on it. "
    "*Term:* contamination."
)
CHANCE = "Chance"
CHANCE_HELP = "Another number draws other rows and other cuts. *Term:* random_state."

# The job

ISOLATING = "**Cutting the table at random**"
STOPPED = "The search for unusual rows was stopped before all trees were grown."
FAILED = "The rows could not be scored."
SCORE_ROWS = "Score the rows"


def amount(n_trees: int, n_rows: int) -> str:
    """Amount of work that is begun only when asked for."""
    return f"{n_trees:,} trees give a score to {counted(n_rows, 'row')}"


def how_far(done: int, n_trees: int) -> str:
    """Progress of the job."""
    return f"{ISOLATING}: tree {done:,} of {n_trees:,}"


# Scores

SCORES = "**Scores**"
MOST_UNUSUAL = "**The most unusual rows**"
SCORE, UNUSUAL, APART = "score", "unusual", "set apart by"
TABLE_ALT = "The rows with the highest scores, and the columns that set them apart"
APART_HELP = (
    "The columns whose cuts isolated the row early, and how many cuts each saved: by how many a cut shortens the "
    "rest of the path that is expected of so many rows, without the cut itself; summed along the row's path and "
    "averaged over the trees."
)
CODE = "Python code"
CODE_NOTE = "Ordered and yes/no columns count as categories here, so the scores may differ a little."
SURFACE = "**Score over two columns**"
SURFACE_NOTE = (
    "Each dot is a row in the colour of its score; a ring marks an unusual one. Columns on no axis have their "
    "median or most frequent value. Click a dot to choose its row."
)
RING = "unusual"
NO_ROW = ["", "Click a row of the table or a dot to choose it."]
ELSEWHERE = "See the row on other pages:"
PAGES = {"pages/tree.py": "Tree", "pages/forests.py": "Forests", "pages/reliability.py": "Reliability"}


def column(name: str) -> str:
    """Name of a column of the data, if it is called as one of the page's own."""
    return f"{name} (column)"


def first_rows(n_listed: int, n_rows: int) -> str:
    """Note below the table of rows."""
    shown = f"The {n_listed:,} highest scores of {n_rows:,} rows. " if n_listed < n_rows else ""
    return f"{shown}Tick a row to choose it. Numbers in *{APART}*: cuts saved."


def row(name: str, score: str, is_unusual: bool, apart: str) -> list[str]:
    """The chosen row, whose name begins it; every other part is bold."""
    ends = ", set apart by " if apart else ", set apart by no column"
    return [name, f" has the score {score}: ", "unusual" if is_unusual else "usual", ends, apart]

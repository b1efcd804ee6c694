"""Texts of the page New rows."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.views.theme import count, number

# The page, the model and its controls

TITLE = "What does a model say of new rows?"
INTRODUCTION = (
    "Bring a file of rows that the model has not seen. Each gets an answer, how sure it is, what is promised "
    "about it, and the columns that matter most. Rows that an expert should answer in place of the model are "
    "named, with the reason."
)
CHOOSE_A_MODEL = "Choose a model above."
NOT_FITTED = "The model could not be made."
SEARCHES = "Time of a search"
WHAT_TO_HAND_OVER = "**Rows for an expert**"
CONTROLS = {
    "rows-from": (
        "The rows",
        "A file of your own, or rows of the table that were held out, as if they were new: half of them are "
        "scored, and the other half judges the model.",
    ),
    "reasons": (
        "Columns that matter most",
        "The three columns whose values add most to each answer, or take most away. *Term:* Shapley values "
        "(SHAP). For many rows and large forests this takes much longer than the answers.",
    ),
    "drift": (
        "Test whether these rows are like those the model learned from",
        "A forest learns to tell the two kinds of rows apart by their columns. Then 99 more forests try it "
        "after old and new rows have been mixed. If the first does better than nearly all of them, the rows "
        "differ. *Terms:* drift, covariate shift, two-sample test by a classifier.",
    ),
}
REASONS_AUTO, REASONS_YES, REASONS_NO = "find them if that is quick", "find them", "leave them out"
NO_REASONS = "For this kind of model the columns that matter most are not found."
REASONS_TAKE_LONG = (
    "The columns that matter most are left out, since finding them for so many rows takes long. You can ask for "
    "them on the left."
)

# The file

FROM_FILE, FROM_HELD = "a file", "rows held out"
UPLOAD = "Upload a file of new rows"
PASTE = "Paste new rows"
READ_PASTED = "Read the pasted rows"
DISCARD = "Discard"
NO_FILE = (
    "No new rows yet. A file needs the columns of the table, by their names, in any order; the target may be "
    "missing. One row is enough. Choose “rows held out” to see how it works, or begin with the example."
)
EXAMPLE = "An example file (.csv)"
NONE_HELD = "Too few rows are held out: hold some out on the left."
ROW_OF_TABLE = "row of the table"
MATCH_BY_HAND = "How the columns are matched"
COLUMN_OF_MODEL, COLUMN_OF_FILE = "column of the model", "column of the file"
NO_COLUMN = "none"
LABEL = "Rows are called by"
LABEL_HELP = "The column that names the rows, such as the number of a customer. The model does not use it."

# The answers

SCORING, NOT_SCORED = "New rows", "The rows could not be scored."
STOPPED = "Stopped before all rows had an answer."
REASONS_STOPPED = "All rows have an answer; the search for the columns that matter most was stopped."
SHOW = "Rows to show"
SHOW_ALL, SHOW_EXPERT, SHOW_WRONG, SHOW_OFF = "all rows", "for an expert", "wrong answers", "furthest off"
NONE_OF_THESE = "There are no such rows."
TICK_ONE = "Tick a row to read about it in words."
ANSWERED_ITSELF = "The model answers it itself: there is no reason to ask an expert."
ANSWERS_ALT = "How many rows get each answer"
LIST_ALT = "New rows with their answers"

# The file of answers

SAVE = "Save the answers"
WRITING = "The file"
WRITING_STOPPED = "The writing of the file was stopped."
FILE_HAS = "All rows of the choice above, with the chance of every class and all columns of your file."


def fit_stopped(title: str) -> str:
    """Note on a model that was stopped before it was there."""
    return f"{title} was stopped before the model was ready."


def fitting(title: str, seconds: float) -> str:
    """How long the model has been at work."""
    return f"Growing **{title}**, {seconds:.0f} s so far"


def rows_of_file(n: int) -> str:
    """Number of rows of a file."""
    return f"{count(n)} row{'s' * (n != 1)}"


def truth_in(target: str) -> str:
    """Label of the column that has the truth."""
    return f"The truth ({target}) stands in"


def half_and_half(n: int, n_judges: int) -> str:
    """Which rows held out are scored, and which judge."""
    judges = f"the other {count(n_judges)} judge the model"
    return f"{count(n)} of the rows held out are scored as if they were new; {judges}."


def scoring(done: int, total: int) -> str:
    """How far the scoring is; rows count once for the answer, and once for the columns that matter."""
    return f"Asking about the rows: {count(done)} of {count(total)} steps"


def listed(n: str, most: str) -> str:
    """Caption of the list of n rows, of which at most so many are shown; empty where all are."""
    return f"The first {most} of {n} rows; the file below has all." if most else f"{n} row{'s' * (n != '1')}."


def adds(link: str) -> str:
    """Caption: in what units the columns add to the answer."""
    if link in ("logistic", "softmax"):
        unit = "in log odds, the score that becomes the chance"
    elif link == "log":
        unit = "to the logarithm of the answer"
    else:
        unit = "to the chance of the class, or to the number"
    return f"In brackets what a column's value adds to the answer (+) or takes away (−), {unit}. *Term:* SHAP."


def says(row: str, answer: str, shares: str) -> str:
    """The answer to a row, with the chances of the classes."""
    return f"**{row}**: the model says **{answer}** ({shares})."


def says_number(row: str, answer: str) -> str:
    """The answer to a row that is a number."""
    return f"**{row}**: the model says **{answer}**."


def says_without(row: str, answer: str, columns: str) -> str:
    """The answer to a row that hangs on columns which the file does not have."""
    return f"**{row}**: without {columns} the model would say **{answer}**, but other values change the answer."


def between(low: str, high: str) -> str:
    """An interval."""
    return f"between {low} and {high}"


def promises(what: str) -> str:
    """The promise about a row."""
    return f"Promised: {what}."


def matters(columns: Sequence[str]) -> str:
    """The columns that matter most, each with its value and what it adds."""
    return f"What matters most: {'; '.join(columns)}."


def for_expert(reasons: Sequence[str]) -> str:
    """Why a row is for an expert."""
    return f":material/person_raised_hand: **For an expert**, because {'; '.join(reasons)}."


def save_rows(n: str, kilobytes: str) -> str:
    """Label of the button that saves n rows."""
    return f"Save {n} rows (.csv, {kilobytes} kB)"


def writing(done: int, total: int) -> str:
    """How far the writing is."""
    return f"Writing the file: {count(done)} of {count(total)} rows"


def too_few_rows(fewest: int) -> str:
    """Note where there are too few rows for the test."""
    return f"The test needs {fewest} new rows, and as many that the model learned from."


def drifted(is_found: bool, pairs: float, p_value: float, columns: Sequence[str]) -> str:
    """Result of the test: of 100 pairs how many are told apart, the p value, and by which columns."""
    measured = (
        f"given a new row and one that the model learned from, a forest knows which is new in {number(pairs)} "
        f"of 100 such pairs; by guessing it would be 50 (p = {number(p_value)})"
    )
    if not is_found:
        return f"**No difference found:** {measured}. That is no proof that there is none."
    return (
        f"**The new rows differ** from those the model learned from: {measured}. What helps it most: "
        f"{', '.join(columns)}. For rows like these, scores and promises made on other rows may not hold."
    )

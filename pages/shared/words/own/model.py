"""Texts on a person's own models: the file, its name, the order of its columns, and the rows it was trained on."""

from __future__ import annotations

from espalier.views.theme import count

# The file

YOUR_MODEL = "Your model"
GONE = (
    "This link asks for a model that this server does not have (any more): uploaded models are kept only while it "
    "runs and has room. Upload the file again; the same link then works again."
)
DIGEST = "the 32 letters that a link to an uploaded model has"
UPLOAD = (
    "**Upload your model** in the left rail: a file of XGBoost, LightGBM, CatBoost or R, or an ONNX file. It is "
    "asked as it is, and nothing is fitted again."
)


def file_label(megabytes: int) -> str:
    """Label of the upload."""
    return f"Model file (.json, .ubj, .txt or .onnx, at most {megabytes} MB)"


def file_help(n_columns: int) -> str:
    """Help of the upload."""
    return (
        f"A model that takes one row of the table's {n_columns} columns as numbers, categories "
        "as codes 0, 1, …, and says the chances of the classes, or a number. XGBoost writes .json or .ubj, "
        "LightGBM .txt, CatBoost .json; for rpart, ranger and randomForest there is a script. It is read and "
        "run on this server within limits, and nothing else of it is trusted. No pickle is opened."
    )


def cannot_read(why: str) -> str:
    """Note where the server has no runtime for such files."""
    return f"**Your own model cannot be read here:** {why}. Or choose another model."


# The order of its classes and columns

ORDERS = {
    "ap-classes": (
        "Your model's classes",
        "Which class of the table each class of the model is. A file that numbers its classes does not say which "
        "is which: by itself the page takes the order that agrees best with the table's target.",
    ),
    "ap-columns": (
        "Your model's columns",
        "In which order the model takes the table's columns. A file without names does not say so: by itself the "
        "page tries the table's order, the alphabet's and the opposite, and takes what agrees best with the "
        "target.",
    ),
}
BEST_ORDER = "Whichever agrees best"
OTHER_ORDER = "In another order"
NAMES_IN_ORDER = "Names in your model's order, one a line"
PLACES = "the places of the table's classes or columns in the model's order, such as 1-0"
TWICE = "Some names stand there twice: each must stand there once."


def other_table(parameter: str, text: str) -> str:
    """Note on an order of a link that is of another table."""
    return f"{parameter}={text} is of another table"


def no_such_name(name: str) -> str:
    """A name that the table does not have; Markdown."""
    return f"The table has no {name}: write its own names, one a line."


def lacking(n: int, of: int, first: str) -> str:
    """Names that are not there; the first of them is Markdown."""
    return f"{n} of {of} are lacking, the first is {first}."


def not_so(order: str) -> str:
    """Note on the orders that were taken."""
    counted = "All rows count here, also those that it was trained on: this chooses an order and is no score."
    return f"{order} {counted} Not so? Change it in the left rail."


def reads(heading: str) -> str:
    """A file is being read; `heading` names the place of its model."""
    return f"{heading}: your file is being read"


# The models of a session

IN_USE = "Your model"
NAME = "Name"
IN_THIS_PLACE = "Which of your models"
IN_THIS_PLACE_HELP = (
    "Several models that you have brought can stand side by side. What each was trained on, and the order of its "
    "columns and classes, are set on the left, where you choose one model after the other."
)
NAME_OR_REMOVE = "Rename it, or remove it"
REMOVE = "Remove this model"
REMOVE_HELP = "This server then forgets the file. Links to it ask for it again."

# The rows that it was trained on

TRAINED_ON = "Trained on"
TRAINED_ON_HELP = (
    "Which rows of this table the model has learnt from. A score on these says nothing of new rows, so they are "
    "left out of every score. While you do not say, all rows count, and every score says so."
)
WAYS = {
    "": "Not known",
    "none": "No row of this table",
    "all": "All rows of this table",
    "column": "Rows that a column marks",
    "file": "Rows listed in a file",
}
MARK = "Column that marks them"
VALUES = "Values of the rows it was trained on"
ROW_FILE = "File of row numbers"
ROW_FILE_HELP = "A text file with the number of a row in each line, from 1; a heading may stand above."
A_WAY = "none, all, a condition on a column, or the name of a file of row numbers"
NO_TEXT = "The file is no text. Write the number of a row in each line, from 1."
NOTHING_LEFT = (
    "**It was trained on every row of this table**, so no row is left to judge it by. Open a table with rows that "
    "are new to it, or say which rows are."
)


def wrong_rows(why: str) -> str:
    """Rows that cannot be taken, with the reason in Markdown."""
    return f"The rows that it was trained on are not clear: {why.rstrip('.')}."


def may_have_seen() -> str:
    """The rows that judge a model of which nobody knows what it was trained on."""
    return "rows that it may have been trained on"


def new_to_it(n: int, of: int) -> str:
    """The rows that judge it."""
    if n == of:
        return f"all {count(of)} rows, which are new to it"
    return (
        f"the {count(n)} of {count(of)} rows that it was not trained on" if n else "no row: it was trained on all"
    )


def judged(rows: str) -> str:
    """The rows that judge it, in a sentence."""
    return f"Not fitted here. Scores are on {rows}."


def without_folds(title: str, score: str, judged: str) -> str:
    """The score of a model among those that are fitted fold by fold; `judged` as above."""
    return (
        f"**{title}: {score}.** {judged} It is not fitted fold by fold, but asked about all of these rows at once."
    )


def beside_others(title: str, may_have_seen: bool) -> str:
    """Heading of the differences from the models that are fitted fold by fold."""
    text = f"**{title} beside the others**, on the rows of each fold that are new to it."
    if not may_have_seen:
        return text
    return (
        f"**{title} beside the others**, on the rows of each fold. It may have been trained on them, which would "
        "flatter it: say in the left rail what it was trained on."
    )


def beside_each_other(first: str, second: str, may_have_seen: bool) -> str:
    """Heading of the difference between two models that are not fitted here."""
    if not may_have_seen:
        return f"**{first} beside {second}**, on the rows of each fold that are new to both."
    return (
        f"**{first} beside {second}**, on the rows of each fold. One or both may have been trained on some of "
        "them, which would flatter them: say in the left rail what each was trained on."
    )


NOTHING_NEW_TO_BOTH = "There is no such row: each row was used to train the one or the other."


def error(may_have_seen: bool) -> str:
    """Label of its error on these rows."""
    return "error on rows it may have seen" if may_have_seen else "error on rows new to it"


def error_of_one(may_have_seen: bool) -> str:
    """Label of the error of one of its trees on these rows."""
    return "error of one tree, on rows it may have seen" if may_have_seen else "error of one tree, on new rows"


def its_rows(may_have_seen: bool) -> str:
    """Which rows such an error is about."""
    if may_have_seen:
        return "that it may have been trained on, which would flatter it"
    return "that you say it was not trained on"


def line(side: str, may_have_seen: bool) -> str:
    """Name of the curve of that error."""
    return f"{side}, rows it may have seen" if may_have_seen else f"{side}, rows new to it"


NO_ROUNDS = (
    "The rounds of your own model are shown tree by tree, on the tab *Trees*: its file does not say how it learnt."
)
NOT_REDRAWN = (
    "Your own model is not fitted again, so how its answer would change with other training rows is not known "
    "here."
)

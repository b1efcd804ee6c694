"""Texts of the Data page, and notes on tables that are not there."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.data.errors import counted

# The page

TITLE = "Data"
TABS = ("Tables", "Draw points")
SAMPLES = "Or take a sample"
HELD_OUT = "Rows held out"
TO_TREE = "To its tree"
DISCARD = "Discard"
PAINT_HOW = (
    "Choose a class and click on the plane. *Brush* sprays points along a stroke, *Move* drags one, *Delete* "
    "takes away those that it passes. With the keyboard: arrows move the cursor, Enter places a point, "
    "Delete removes the nearest, Z undoes, 1 to 4 choose the class."
)
PAINT_NAME = "Name of the table"
PAINT_USE = "Grow its tree"
PAINT_SAVE = "Save as CSV"
PAINT = {
    "tools": {"add": "Add", "brush": "Brush", "move": "Move", "delete": "Delete"},
    "tool": "What a click does", "c": "Class of new points", "acts": "The drawing", "points": "points",
    "undo": "Undo", "undo_help": "take back the last stroke",
    "clear": "Clear", "clear_help": "take all points away",
    "board": "plane to draw points on: arrows move the cursor, Enter places a point, Delete removes the nearest",
}  # fmt: skip


def painted(n: int, is_short: bool) -> str:
    """Note below the plane."""
    if not n:
        return "No points yet: a table needs points of two classes."
    kept = "The link to its tree holds all points." if is_short else (
        "That is too much for a link: this server keeps the table for a while; save it as CSV to keep it yourself."
    )  # fmt: skip
    return f"{n:,} point{'s' * (n != 1)}. {kept}"


DRAW_AGAIN = "Draw again"
DRAW_AGAIN_DATA = "Draws new rows from the same simulation: what changes is chance."
DRAW_AGAIN_ROWS = "Holds out other rows: the tree grows on another part of the same data."
SIMULATION = "Noise, rotation, scale and number of rows of the simulation"
ROWS, NOISE, FLIPS, OVERLAP = "Rows", "Noise", "Share of rows with the wrong class", "Overlap of the classes"
TURN = "Turn the plane by"
STRETCH = "Stretch the first axis"
STRETCH_HELP = (
    "Measures the first column in another unit. A tree's splits stretch with it and its answers stay; turning the "
    "plane changes them."
)
AS_BUNDLED = "As it was"


def degrees(turn: float) -> str:
    """A turn of the plane."""
    return f"{turn:g}°"


def times(factor: float) -> str:
    """A factor by which the first column is stretched."""
    return f"× {factor:g}"


UNCHANGED = "The data set in use has not changed."
USE = "Use this table"


def in_use(name: str, n_rows: int, n_features: int, target: str, roles: str = "") -> str:
    """Size, target and columns with a role of the data set in use; the names are Markdown."""
    size = f"{counted(n_rows, 'row')} × {counted(n_features, 'column')}"
    return f"In use: **{name}** · {size} · predicts *{target}*{roles}"


# A table that is not there


def gone(key: str, file: str = "") -> str:
    """Warning of a link to a table that this server does not have; the key has no characters of Markdown.

    `file` is the name of its file in Markdown, or empty.
    """
    what = f"Upload {f'the file “{file}”' if file else 'the table'} again on the Data page"
    return (
        f"This link asks for the data `{key or '?'}`, which this server does not have (any more). Uploaded "
        f"tables are kept only while the server runs and has room. **Iris is shown instead. {what}** to work with "
        "it; the same link then works again, if the table is the same."
    )


CLASSES_REFUSED = "The order of classes in this link does not fit the table: its classes stand as they were read."

# The class that counts, and the order of the classes

CLASSES_BUTTON = "Classes"
COUNTS = "The class that counts"
COUNTS_HELP = (
    "ROC, sensitivity, specificity and precision are of this class against all others, and of two classes the "
    "directions of columns are of its share. Its colour stays. *Term:* positive class."
)
CLASS_ORDER = "Classes that come first, in this order"
CLASS_ORDER_HELP = (
    "The others follow as they were. Legends, tables, pictures and exports have the classes in this order; each "
    "keeps its colour. Trees ask the same questions; a leaf with equal shares answers the class that comes first."
)
GUESSED_BY = {"name": "guessed by its name", "rarity": "guessed as the rarer one", "choice": "as chosen before"}
MOST_CLASSES_LISTED = 6


def it_counts(name: str) -> str:
    """Button of the choice; the name is Markdown."""
    return f"{name} counts"


def as_guessed(name: str, by: str) -> str:
    """The class that counts if nobody chooses one; an empty name: none does."""
    return f"{name}, {GUESSED_BY[by]}" if name else "none"


def classes_as_they_are(classes: Sequence[str]) -> str:
    """The order of classes if nobody chooses one."""
    more = ", …" if len(classes) > MOST_CLASSES_LISTED else ""
    return f"as they are: {', '.join(classes[:MOST_CLASSES_LISTED])}{more}"


def filter_refused(reason: str) -> str:
    """Warning of a link whose filter of rows cannot be used; the reason is Markdown."""
    return f"{reason} **All rows are shown instead.**"


# Upload and clipboard

BRING = "Bring your own table"
NO_UPLOADS = "This server takes no tables: choose one of the samples."
UPLOAD = "Upload a file"
PASTE = "Paste a table"
PASTE_HERE = "Copied cells or lines of CSV"
READ_PASTED = "Read the pasted table"
PASTED = "Pasted table"  # name of the table


def no_such_target(name: str) -> str:
    """Warning of a target on the command line that the table does not have; the name is made plain."""
    return (
        f"The table has no column “{name}”, which the command line names as its target. Choose the target below."
    )


OTHERS_FIRST = "Other files are read first."
CANCEL = "Cancel"
MAKING_DATASET = "Making a data set of the columns …"


def limits(megabytes: int, n_rows: int, n_columns: int, n_cells: int) -> str:
    """Formats that can be uploaded, and the most of each size."""
    return (
        f"CSV, TSV, Excel (.xlsx), Parquet, ARFF or JSON lines, also as .gz or .zip; up to {megabytes} MB, "
        f"{n_rows:,} rows, {n_columns:,} columns and {n_cells // 1_000_000} million cells. "
        "It stays on this server."
    )


def reading(step: str) -> str:
    """Text beside the bar while a file is read."""
    return f"**Reading the file**: {step.lower()} …"


# Samples

IN_USE = "in use"
CLASSES = "classes"
NUMBER = "number"
FIGURE_3 = "The paper's Figure 3"
FIGURE_3_HELP = "A soft split, a forest and CART abreast"
GROW = "Grow a tree on it"


def grow_help(title: str) -> str:
    """Help of the button of a sample."""
    return f"Show the tree of {title}"


def sample_size(n_rows: int, n_features: int, target: str) -> str:
    """Size and target of a sample."""
    return f"{counted(n_rows, 'row')} × {counted(n_features, 'column')} · predicts *{target}*"


# How a file was read

EMPTY_CELL = "(empty cell)"
EXCEL = "Excel"
PARQUET = "Parquet"
FORMAT = "Format"
DELIMITER = "Cells are parted by"
DECIMAL = "Decimal mark"
THOUSANDS = "Thousands mark"
ENCODING = "Encoding"
QUOTE = "Around cells"
SHEET = "Sheet"
HEADER = "First row has the names"
MISSING = "Texts read as missing"
MISSING_HELP = "Cells with exactly this text. Add your own, such as -999, and press Enter."
READ_SO_NOW = "Read so now"
READ_IT_SO = "Read it so"
NOT_CHOSEN = {"sheet": "the first", "delimiter": "as guessed", "decimal": "as guessed", "encoding": "as guessed"}
NONE = "none"


def how_read(options: str) -> str:
    """Title of the options."""
    return f"How it was read: {options}"


def excel_options(has_header: bool) -> str:
    """Options of an Excel file in short."""
    return f"{EXCEL}, {_header(has_header)}"


def text_options(delimiter: str | None, decimal: str | None, encoding: str, has_header: bool) -> str:
    """Options of a text file in short; None for a mark that is still to be guessed."""
    parted = f"parted by {delimiter or 'what is guessed'}"
    return f"{parted}, decimal {decimal or 'mark as guessed'}, {encoding}, {_header(has_header)}"


def _header(has_header: bool) -> str:
    return "names in the first row" if has_header else "no names"


def to_skip(is_excel: bool) -> str:
    """Label of the number of rows or lines before the table."""
    return f"{'Rows' if is_excel else 'Lines'} to skip"


def left_open(question: str) -> str:
    """Question that the file does not answer; Markdown."""
    return f"**{question}** The file leaves it open."


# Columns and target

NOTES = "**Worth knowing about this table**"
TARGET = "Target: the column to predict"
TARGET_HELP = "A tree predicts it from all other columns."
PREDICT = "Predict it"
AS_CLASSES = "as classes"
AS_NUMBER = "as a number"
BY_CHOICE = "by your choice"
COLUMN = "Column"
KIND = "Kind (change it here)"
KIND_HELP = (
    "number: asked as “x ≤ 3”. category: asked as “is red or blue”. ordered: categories with an order, asked as "
    "“at most medium”. date, time of day, duration: asked as “before 2021-03-01”, “in December”, “longer than "
    "3 days”. Identifiers and ignored columns are not used."
)
VALUES = "Values"
VALUES_HELP = "How often each value or range occurs."
MISSING_CELLS = "Missing"
MISSING_CELLS_HELP = "Cells without a value."
DISTINCT = "Distinct"
DISTINCT_HELP = "Different values."
ORDER = "Order"
ORDER_HELP = "For the kind “ordered”: its values as low < medium < high."
PARTS = "Parts of dates"
PARTS_HELP = (
    "For the kind “date”: what a tree may ask about. date: before or after a day, or a time. The others are as in "
    "the calendar; months and weekdays are asked for in sets, as “in December or January”. Empty: the usual ones."
)
ORDERS = {"dmy": "The day comes first", "mdy": "The month comes first"}
IN_FILE = "In the file"
READ_AS = "Read as"
FIRST_VALUES = "First values"
WHY = "Why"


def first_rows(n_rows: int) -> str:
    """Title of the preview."""
    return f"First rows of {counted(n_rows, 'row')}"


def first_columns(most: int, n_columns: int) -> str:
    """Note on columns that the preview leaves out."""
    return f"The first {most} of {n_columns:,} columns."


def which_date(column: str, cell: str) -> str:
    """Question on a cell whose day could also be its month."""
    return f"Which date is “{cell}” in “{column}”?"

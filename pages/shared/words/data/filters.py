"""Texts on filters of rows: their builder on the Data page, and the line in the rail."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.data.errors import counted

TITLE = "Filter rows"
HOW = (
    "Work on a part of the rows: every page then takes it for the whole table. *And* binds more than *or*, which "
    "begins another alternative."
)
JOINT, COLUMN, RELATION, VALUE = "Joined by", "Column", "Relation", "Value"
JOINTS = {"and": "and", "or": "or"}
OF_NUMBERS = {"gt": ">", "ge": "≥", "le": "≤", "lt": "<", "in": "is", "out": "is not"}
OF_CATEGORIES = {"in": "is one of", "out": "is none of"}
OF_LEVELS = {"le": "at most", "ge": "at least", "gt": "above", "lt": "below"}
OF_GAPS = {"missing": "is missing", "known": "is known"}
OR_MISSING = "or missing"
OR_MISSING_HELP = "Rows without a value in this column fulfil the condition, too."
CHOOSE = "choose values"
NO_VALUE = "A condition has no value yet: choose one, or take the condition away."
ADD = "Add a condition"
TAKE_AWAY = "Take this condition away"
KEEP = "Keep these rows"
OTHERS = "Keep the others"
OTHERS_HELP = "Turns the conditions round: just the rows that they leave out are kept."
ALL_ROWS = "All rows"
ALL_ROWS_HELP = "Takes the filter away."
UNDO = "Undo"

# Rows held out by a condition

HOLD_OUT = "Hold these rows out"
HOLD_OUT_HELP = (
    "Trees grow on the other rows and are tested on these, instead of on rows that chance holds out: rows of a "
    "column “test”, of a later year, of another place. Folds of cross-validation stay as they are."
)
BY_CHANCE = "By chance"
BY_CHANCE_HELP = "Chance holds rows out again."
A_FILTER = "a filter such as petal length~gt~2"


def held_out(conditions: str, n: int, n_all: int) -> str:
    """Line of the rows that are held out; the conditions are Markdown."""
    return f":material/call_split: Held out: {conditions} ({n:,} of {counted(n_all, 'row')})"


def not_held_out(conditions: str, reason: str) -> str:
    """Warning of rows that cannot be held out; both are Markdown."""
    return f"Held out would be: {conditions}. {reason} **Chance holds rows out instead.**"


def parted(n: int, group: str) -> str:
    """Warning of groups that a condition parts; their column's name is Markdown."""
    there = "1 group has" if n == 1 else f"{n:,} groups have"
    return (
        f":material/warning: {there} rows on both sides: a tree that has seen some rows of a **{group}** knows "
        "the others, so that its held-out score is too good."
    )


NONE_HELD_OUT = "No row of this table fulfils it."
NOTHING_LEFT = "The other rows are fewer than two, or have one target only, so that no tree can grow on them."


# A node's rows, on the Tree page

GROW_ON_ROWS = "Grow on this node's rows"
GROW_ON_ROWS_HELP = (
    "Makes the way to this node the filter: every page then works on these rows alone. *Undo* or *All rows* "
    "leads back."
)
NO_CONDITIONS = "The way to this node is no list of conditions on columns, so that no filter takes just its rows."
BY_SURROGATES = (
    "Other columns stand in for missing values on the way to this node, so that no filter takes just its rows. "
    "Grow the tree with another way of missing values."
)
TOO_LONG = "The way to this node is too long for an address. Choose a node nearer to the root."


def in_force(conditions: str) -> str:
    """Line of the filter that there is; Markdown."""
    return f":material/filter_alt: {conditions}"


def kept(n: int, n_all: int, classes: Sequence[tuple[str, int]]) -> str:
    """Number of rows that the conditions keep, and of each class; the names are Markdown."""
    sizes = ", ".join(f"{name} {size:,}" for name, size in classes)
    return f"**{n:,} of {counted(n_all, 'row')}**" + (f": {sizes}" if sizes else "")

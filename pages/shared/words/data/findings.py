"""Texts around what about a table misleads: the list on the Data page, the mark on the Tree page."""

from __future__ import annotations


def title(n: int) -> str:
    """Title of the list of n things."""
    return f"What to look at first ({n})"


def paragraph(seen: str, why: str, todo: str) -> str:
    """What was seen, why it misleads, and what to do; Markdown."""
    return f"**{seen}** {why} *{todo}*"


ITS_TREE = "Its tree alone"
PARTS_TREE = "Tree of the two parts"
PART = "part"
PARTS = ("training", "held out")
LEAVE_OUT = "Leave it out"
MAKE_GROUP = "Make it the group"
ROWS = "The rows"
ROWS_ALT = "Rows that show it"
SIDE_BY_SIDE = "Like rows stand one below the other; at most the first 50 rows."
SOME = "At most the first 50 rows."


def only(name: str, columns: str) -> str:
    """Name of a table with these columns alone."""
    return f"{name}: {columns} alone"


def without(name: str, columns: str) -> str:
    """Name of a table without these columns."""
    return f"{name} without {columns}"


def grouped(name: str, column: str) -> str:
    """Name of a table whose rows a column joins."""
    return f"{name} by {column}"


def parts_of(name: str) -> str:
    """Name of a table whose target says which rows are held out."""
    return f"{name}: training or held out"


# The mark on the Tree page

LOOK = "Look at the data first"
DISMISS = "Do not say this again"


def mark(seen: str, n_more: int) -> str:
    """The most serious thing, and how many more there are; Markdown."""
    more = f" And {n_more} more." if n_more else ""
    return f"**These scores may mislead.** {seen}{more}"

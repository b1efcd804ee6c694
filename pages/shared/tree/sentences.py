"""Sentences that several parts of a page say."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.display.theme import count, percent
from espalier.language import Texts, say, to_say

NOT_HERE = to_say(
    "You can choose splits by hand in trees of CART and, of classes, in optimal trees, "
    "where each node cuts one column once. The nodes of other trees weigh several "
    "columns, keep several cuts, or have formulas below them."
)
ONE_TARGET = to_say("All rows here have the same target: there is nothing left to tell apart.")
NO_COLUMN = to_say(
    "Every column is in the list *Columns that no split may ask about*, so none is left to split on."
)
WITHOUT_LEFT_OUT = to_say(" Columns in the list *Columns that no split may ask about* are not shown here.")
ROWS = Texts({"held-out": "held-out", "training": "training"})
OTHERS = Texts(
    {
        "average": "each row's own values: the answer is the average over the rows",
        "typical": "their median or most frequent value",
        "row": "the selected row's values",
    }
)
DIALECT_HELP = to_say("Databases quote names and texts, and read numbers, in ways of their own.")
ACROSS = Texts({"depth": "Depth", "leaves": "Leaves", "alpha": "Price α"})
RULES = Texts(
    {
        "no": "Whole tree",
        "one-se": "One standard error",
        "least": "Least error",
        "reduced": "Reduced error",
        "hand": "By hand",
    }
)
LETTERS = ("A", "B")


def node_name(kind: str, at: int) -> str:
    """Name of a node."""
    return f"{kind} {at}"


def verb(answer: str) -> str:
    """Words between a node's name and its answer."""
    return ": " if answer.endswith(".") else say(" says ")


def size_and_depth(size: str, depth: int) -> str:
    """End of the line of a node."""
    return say(" · {size} · depth {depth}", size=size, depth=depth)


def rows_and_share(n: int, share: float) -> str:
    """Size of a node."""
    return say("{n} row, {share}" if n == 1 else "{n} rows, {share}", n=count(n), share=percent(share))


def rule_line(conditions: Sequence[str]) -> str:
    """Rule of a node on one line."""
    return say("if ") + say(" and ").join(conditions) if conditions else say("Every row starts here.")


def list_note(most: int, n: int) -> str:
    """Note on rows that are not listed; empty if there are none."""
    return say("The first {most} of {n} rows. ", most=count(most), n=count(n)) if n > most else ""


def number_of_splits(n: int) -> str:
    """A number of splits."""
    return say("{n} split" if n == 1 else "{n} splits", n=n)


def opening_help(number: int) -> str:
    """Help of the button of a tree."""
    return say("Show tree {number} above, in place of the optimal one", number=number)

"""Sentences that several parts of a page say."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.display.theme import count, percent
from espalier.language import Texts, say, to_say

ROWS = Texts({"held-out": "held-out", "training": "training"})
OTHERS = Texts(
    {
        "average": "each row's own values: the answer is the average over the rows",
        "typical": "their median or most frequent value",
        "row": "the selected row's values",
    }
)
DIALECT_HELP = to_say("Databases quote names and texts, and read numbers, in ways of their own.")


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


def number_of_splits(n: int) -> str:
    """A number of splits."""
    return say("{n} split" if n == 1 else "{n} splits", n=n)


def opening_help(number: int) -> str:
    """Help of the button of a tree."""
    return say("Show tree {number} above, in place of the optimal one", number=number)

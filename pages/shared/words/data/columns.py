"""Texts on the names, units and meanings of columns."""

from __future__ import annotations

HEADING = "Names, units and meanings of the columns"
INTRODUCTION = (
    "What you write here is what all pages, questions, reports and figures call the columns; the table itself "
    "stays as it is, and exported code goes on to read the columns by their names there. It stands in the link "
    "and in a saved session."
)
COLUMN = "column in the table"
FIELDS = {"name": "called", "unit": "unit", "meaning": "what it means"}
HELP = {
    "name": "Empty: as in the table.",
    "unit": "Of a number, such as mg/dl: it stands behind the name and behind values.",
    "meaning": "A sentence for those who do not know the column; it stands below questions and in reports.",
}
TAKE = "Use these words"
AS_IN_TABLE = "As in the table"


def refused(reason: str) -> str:
    """Words that cannot be used, with the reason."""
    return f"These words cannot be used: {reason}."

"""What a person is told when a table cannot be used."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.data.inert import inert


class TableError(ValueError):
    """Error of an unusable table: its text says what is wrong, where, and what to do about it."""

    def __init__(self, what: str, where: str, todo: str):
        super().__init__(f"{what} {where} {todo}")
        self.what, self.where, self.todo = what, where, todo

    def __reduce__(self):
        return TableError, (self.what, self.where, self.todo)


def listed(items: Sequence, most: int = 5) -> str:
    """Return the items as in a sentence: "2, 5 and 9", or the first few "and 12 more"."""
    shown = [str(item) for item in items[:most]]
    if len(items) > most:
        return f"{', '.join(shown)} and {len(items) - most:,} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]])) if shown else ""


def counted(n: int, noun: str) -> str:
    """Return the number with its noun: "1 row", "2,000 rows"."""
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def quoted(text: str, most: int = 40) -> str:
    """Return the text in quotation marks, on one line, shortened."""
    plain = " ".join(str(text).split())
    return f"“{inert(f'{plain[: most - 1]}…' if len(plain) > most else plain)}”"

"""What a person is told when a table cannot be used."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.inert import inert
from espalier.language import in_style, say, to_say

COUNTED = (  # of `counted`: the nouns that it is given, with their numbers
    *(to_say("{n} row"), to_say("{n} rows"), to_say("{n} blank row"), to_say("{n} blank rows")),
    *(to_say("{n} column"), to_say("{n} columns"), to_say("{n} empty column"), to_say("{n} empty columns")),
    *(to_say("{n} cell"), to_say("{n} cells"), to_say("{n} attribute"), to_say("{n} attributes")),
    *(to_say("{n} line"), to_say("{n} lines"), to_say("{n} character"), to_say("{n} characters")),
)


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
        return say("{names} and {n} more", names=", ".join(shown), n=count(len(items) - most))
    return say("{first} and {last}", first=", ".join(shown[:-1]), last=shown[-1]) if shown[1:] else "".join(shown)


def counted(n: int, noun: str) -> str:
    """Return the number with its noun: "1 row", "2,000 rows"."""
    return say(f"{{n}} {noun}" if n == 1 else f"{{n}} {noun}s", n=count(n))


def count(n: int) -> str:
    """Return a number of things with the marks of the language that is spoken: "2,000"."""
    return in_style(f"{n:,}")


def quoted(text: str, most: int = 40) -> str:
    """Return the text in quotation marks, on one line, shortened."""
    plain = " ".join(str(text).split())
    return say("“{text}”", text=inert(f"{plain[: most - 1]}…" if len(plain) > most else plain))

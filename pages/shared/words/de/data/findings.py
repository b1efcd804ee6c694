"""Texte zu dem, was an einer Tabelle in die Irre führt: die Liste unter „Daten“, der Hinweis unter „Baum“."""

from __future__ import annotations


def title(n: int) -> str:
    return f"Was man zuerst ansehen sollte ({n})"


def paragraph(seen: str, why: str, todo: str) -> str:
    return f"**{seen}** {why} *{todo}*"


ITS_TREE = "Ihr Baum allein"
PARTS_TREE = "Baum der beiden Teile"
PART = "Teil"
PARTS = ("Training", "zurückgehalten")
LEAVE_OUT = "Weglassen"
MAKE_GROUP = "Zur Gruppe machen"
ROWS = "Die Zeilen"
ROWS_ALT = "Zeilen, die es zeigen"
SIDE_BY_SIDE = "Gleiche Zeilen stehen untereinander; höchstens die ersten 50 Zeilen."
SOME = "Höchstens die ersten 50 Zeilen."


def only(name: str, columns: str) -> str:
    return f"{name}: nur {columns}"


def without(name: str, columns: str) -> str:
    return f"{name} ohne {columns}"


def grouped(name: str, column: str) -> str:
    return f"{name} nach {column}"


def parts_of(name: str) -> str:
    return f"{name}: Training oder zurückgehalten"


LOOK = "Zuerst die Daten ansehen"
DISMISS = "Nicht mehr sagen"


def mark(seen: str, n_more: int) -> str:
    more = f" Und {n_more} weitere." if n_more else ""
    return f"**Diese Gütemaße führen vielleicht in die Irre.** {seen}{more}"

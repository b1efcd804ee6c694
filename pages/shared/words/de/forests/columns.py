"""German texts of the Forests page on what columns add to answers, and on answers along a column."""

from __future__ import annotations

from espalier.views.theme import count

PARTS = "#### Was tragen Spalten zu einer Antwort bei?"
EXPLAINED = "Anteil von"
EXPLAINING = "Die Antworten werden zerlegt …"
NO_PARTS = (
    "Hier gibt es keine exakte Antwort: In diesen Bäumen ist eine Zeile in vielen Blättern, oder eine Teilung "
    "fragt nach mehreren Spalten."
)
CURVES = "#### Wie ändert sich die Antwort entlang einer Spalte?"
ALONG = "Spalte"


def parts(most: int, n: int) -> str:
    """Caption of the strips."""
    some = f" Gezeichnet sind {count(most)} Zeilen." if n > most else ""
    return (
        "Ein Punkt ist eine Zeile: wie viel der Wert dieser Spalte zu ihrer Antwort beiträgt, neben dem, was der "
        "Wald sagt, bevor er eine Spalte kennt; je dunkler, desto größer der Wert. Die Zahl ist die mittlere "
        "Größe. Alle Spalten zusammen führen genau zur Antwort. Zeilen, an denen der Wald gewachsen ist, sind "
        f"dabei.{some} *Fachwort:* Shapley-Werte (SHAP)."
    )


def curves(most: int) -> str:
    """Caption of the curves."""
    return (
        "Die dicke Linie ist die mittlere Antwort, wenn jede Zeile diesen Wert der Spalte hätte; dünne Linien "
        "sind einzelne Zeilen, und die dunkle ist die gewählte Zeile, mit der Stelle, an der sie ist. Die Linien "
        "sind exakt: Sie haben ihre Stufen an den Schwellen der Bäume selbst. Von einer größeren Tabelle zählen "
        f"{count(most)} Zeilen. *Fachwörter:* partial dependence (PDP), individual conditional expectation "
        "(ICE)."
    )

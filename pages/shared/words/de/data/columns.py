"""Texte zu Namen, Einheiten und Bedeutungen von Spalten."""

from __future__ import annotations

HEADING = "Namen, Einheiten und Bedeutungen der Spalten"
INTRODUCTION = (
    "Was hier steht, so heißen die Spalten auf allen Seiten, in Fragen, Berichten und Bildern; die Tabelle selbst "
    "bleibt, wie sie ist, und exportierter Code liest die Spalten weiter unter ihren Namen dort. Es steht im Link "
    "und in einer gespeicherten Sitzung."
)
COLUMN = "Spalte der Tabelle"
FIELDS = {"name": "heißt", "unit": "Einheit", "meaning": "was sie bedeutet"}
HELP = {
    "name": "Leer: wie in der Tabelle.",
    "unit": "Einer Zahl, etwa mg/dl: Sie steht hinter dem Namen und hinter Werten.",
    "meaning": "Ein Satz für alle, die die Spalte nicht kennen; er steht unter Fragen und in Berichten.",
}
TAKE = "Diese Namen verwenden"
AS_IN_TABLE = "Wie in der Tabelle"


def refused(reason: str) -> str:
    return f"Diese Namen gehen nicht: {reason}."

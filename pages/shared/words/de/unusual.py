"""Texte zu „Ungewöhnliche Zeilen“ auf der Seite „Daten“."""

from __future__ import annotations

from espalier.views.theme import count

INTRODUCTION = (
    "Welche Zeilen sind anders als die übrigen? Viele kleine Bäume zerschneiden die Tabelle zufällig; eine "
    "Zeile, die nach wenigen Schnitten allein ist, ist ungewöhnlich. Das Ziel zählt nicht mit; alle Zeilen "
    "zählen, auch die zurückgehaltenen."
)
HOW = (
    "Jeder Baum nimmt bis zu 256 Zeilen, schneidet eine zufällige Spalte an zufälliger Stelle, und so weiter, bis "
    "Zeilen allein sind oder so tief wie in einem ausgewogenen Baum. Der Punktwert ist 2 hoch −(mittlere Zahl der "
    "Schnitte) ÷ (bei zufälligen Zeilen erwartete Schnitte): nahe 0,5 bei gewöhnlichen Zeilen, gegen 1 bei "
    "Zeilen, die wenige Schnitte absondern (Liu, Ting und Zhou 2008). Von Kategorien geht eine zufällige Menge "
    "auf eine Seite, und ein fehlender Wert auf eine zufällige Seite. Eine ungewöhnliche Zeile kann ein Fehler "
    "sein, oder die interessanteste von allen."
)
HOW_TITLE = "Wie Zeilen bewertet werden"
TREES = "Bäume"
TREES_HELP = "Mehr Bäume geben stabilere Punktwerte. *Fachwort:* n_estimators."
SHARE = "Anteil ungewöhnlicher Zeilen, %"
SHARE_HELP = (
    "So viele Zeilen, die mit den höchsten Punktwerten, gelten als ungewöhnlich. Die Punktwerte hängen nicht "
    "davon ab. *Fachwort:* contamination."
)
CHANCE = "Zufall"
CHANCE_HELP = "Eine andere Zahl zieht andere Zeilen und andere Schnitte. *Fachwort:* random_state."
ISOLATING = "**Die Tabelle wird zufällig zerschnitten**"
STOPPED = "Die Suche nach ungewöhnlichen Zeilen wurde angehalten, bevor alle Bäume gewachsen waren."
FAILED = "Die Zeilen konnten nicht bewertet werden."
SCORE_ROWS = "Zeilen bewerten"


def amount(n_trees: int, n_rows: int) -> str:
    return f"{count(n_trees)} Bäume bewerten {count(n_rows)} Zeile{'n' * (n_rows != 1)}"


def how_far(done: int, n_trees: int) -> str:
    return f"{ISOLATING}: Baum {count(done)} von {count(n_trees)}"


SCORES = "**Punktwerte**"
MOST_UNUSUAL = "**Die ungewöhnlichsten Zeilen**"
SCORE, UNUSUAL, APART = "Punktwert", "ungewöhnlich", "abgesondert durch"
TABLE_ALT = "Die Zeilen mit den höchsten Punktwerten, und die Spalten, die sie absondern"
APART_HELP = (
    "Die Spalten, deren Schnitte die Zeile früh abgesondert haben, und wie viele Schnitte jede erspart hat: um "
    "wie viele ein Schnitt den Rest des Weges verkürzt, der bei so vielen Zeilen zu erwarten ist, ohne den "
    "Schnitt selbst; über den Weg der Zeile summiert und über die Bäume gemittelt."
)
CODE = "Python-Code"
CODE_NOTE = (
    "Geordnete und Ja/Nein-Spalten zählen hier als Kategorien; die Punktwerte können darum ein wenig abweichen."
)
SURFACE = "**Punktwert über zwei Spalten**"
SURFACE_NOTE = (
    "Jeder Punkt ist eine Zeile in der Farbe ihres Punktwerts; ein Ring bezeichnet eine ungewöhnliche. Spalten "
    "ohne Achse haben ihren Median oder häufigsten Wert. Ein Klick auf einen Punkt wählt seine Zeile."
)
RING = "ungewöhnlich"
NO_ROW = ["", "Ein Klick auf eine Zeile der Tabelle oder einen Punkt wählt sie."]
ELSEWHERE = "Diese Zeile auf anderen Seiten:"
PAGES = {"pages/tree.py": "Baum", "pages/forests.py": "Wälder", "pages/reliability.py": "Verlässlichkeit"}


def column(name: str) -> str:
    return f"{name} (Spalte)"


def first_rows(n_listed: int, n_rows: int) -> str:
    few = f"Die {count(n_listed)} höchsten Punktwerte von {count(n_rows)} Zeilen. " if n_listed < n_rows else ""
    return f"{few}Ein Häkchen wählt eine Zeile. Zahlen unter *{APART}*: ersparte Schnitte."


def row(name: str, score: str, is_unusual: bool, apart: str) -> list[str]:
    kind = "ungewöhnlich" if is_unusual else "gewöhnlich"
    ends = ", abgesondert durch " if apart else ", durch keine Spalte abgesondert"
    return [name, f" hat den Punktwert {score}: ", kind, ends, apart]

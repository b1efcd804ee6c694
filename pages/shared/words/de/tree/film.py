"""Texte zum Film vom Wachsen eines Baums."""

from __future__ import annotations

from espalier.views.theme import number

ORDER = "In welcher Reihenfolge der Baum wächst"
ORDERS = {"gain": "Beste Teilung zuerst", "depth": "Ebene für Ebene", "found": "Linker Zweig zuerst"}
PLAYER = {
    "film": "Film vom Wachsen des Baums",
    "splits": "Teilungen, die der Baum hat",
    "start": "Zurück zu einem einzigen Blatt",
    "back": "Letzte Teilung zurücknehmen",
    "play": "Abspielen",
    "pause": "Anhalten",
    "step": "Nächste Teilung",
    "end": "Der ganze Baum",
}
OF_SEARCH = "Film der Suche: wie der beste Baum gefunden und bewiesen wurde"
RACE = "Bester Baum und die Schranke, die kein Baum unterbietet"
BEST = "Bester Baum bisher"
NOT_RECORDED = "Diese Suche hat keine Aufzeichnung: Suchen mit monotonen Spalten und ältere behalten keine."
SEARCH_PLAYER = {
    "film": "Film der Suche",
    "splits": "Schritte der Suche",
    "start": "Zurück zum ersten Baum",
    "back": "Einen Schritt zurück",
    "play": "Abspielen",
    "pause": "Anhalten",
    "step": "Nächster Schritt",
    "end": "Ende der Suche",
}
SINGLE_LEAF = "Ein einziges Blatt: Alle Zeilen bekommen dieselbe Antwort."
NOT_BOXED = (
    "Von dieser Art Baum gibt es keinen Film. Filme zeigen Bäume, die jede Zeile einen Weg schicken, an einer "
    "Schwelle einer Spalte, zu einem Blatt mit einer Antwort."
)


def step(number: int, of: int, test: str) -> str:
    return f"Teilung {number} von {of}: {test}."


def state(impurity: str, left: float, errors: str) -> str:
    return f"{impurity} der Blätter im Mittel {number(left)}, {errors}"


def too_many(n_splits: int, most: int) -> str:
    return (
        f"Der Baum hat {n_splits} Teilungen; einen Film gibt es bis {most}. Eine kleinere Tiefe oder Stutzen "
        "hilft."
    )


def of_search(seconds: str, state: str, gap: str) -> str:
    return f"Nach {seconds} s: {state}. Lücke {gap}."


def end_of_search(proof: str) -> str:
    return f"Das Ende der Suche. {proof}"

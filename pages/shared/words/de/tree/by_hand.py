"""Texte zu Bäumen, die von Hand geändert sind."""

from __future__ import annotations

from collections.abc import Sequence

TAKE = "Hier teilen"
TAKEN = "Nimmt den Schnitt, der auf der Kurve gewählt ist, als Teilung dieses Knotens"
LEAF = "Zum Blatt machen"
LEAF_HELP = "Beendet den Baum hier: Der Knoten antwortet für alle Zeilen darunter."
GROW = "Weiterwachsen"
GROW_HELP = "Das Verfahren teilt dieses Blatt noch einmal, auch wo die Tiefe links den Baum beendet."
REGROW = "Zweig neu wachsen lassen"
REGROW_HELP = (
    "Lässt alles unter diesem Knoten neu wachsen, so tief wie gewünscht, auch über die Tiefe links hinaus."
)
LEVELS = "Höchstens so viele Ebenen unter diesem Knoten"
GREEDILY = "Gierig"
GREEDILY_HELP = "So wie CART: hier die beste Teilung, darunter wieder die besten."
OPTIMALLY = "Optimal"
OPTIMALLY_HELP = (
    "Der Zweig mit den wenigsten Fehlern unter allen dieser Tiefe; gesucht wird höchstens fünf Sekunden."
)
BACK = "Zurück zum Verfahren"
BACK_HELP = "Nimmt zurück, was an diesem Knoten und darunter von Hand geändert wurde."
ALL_BACK = "Alles zurücknehmen"
SETS = "Kategorien, die nach links gehen"
TAKE_SET = "So teilen"
GROWING = "**Die Zweige unter den eigenen Teilungen wachsen**"
STOPPED = "Das Wachsen wurde angehalten: Der Baum ist ohne die Änderungen von Hand."
FAILED = "Die Änderungen von Hand waren nicht möglich."
SEARCHING = "**Der beste Baum mit ebenso vielen Teilungen wird gesucht**"
YOURS, GREEDY, OPTIMAL, BEST_FOUND = "eigener", "CART", "optimal", "bester gefundener"
WAITS = "Die Änderungen von Hand werden gemacht."
NOT_HERE = (
    "Teilungen von Hand gibt es in Bäumen von CART und, für Klassen, in optimalen Bäumen, wo jeder Knoten eine "
    "Spalte einmal schneidet. Die Knoten anderer Bäume wägen mehrere Spalten, behalten mehrere Schnitte oder "
    "haben Formeln unter sich."
)
DIRECTED = (
    "Teilungen von Hand gibt es nicht, solange Spalten monoton sind, also eine Vorhersage mit einer Spalte "
    "nur steigen oder nur fallen darf."
)


def split_on(column: str, is_second: bool, is_as_good: bool = False) -> str:
    return f"{'Ebenso gut: n' if is_as_good else 'Zweitbeste: n' if is_second else 'N'}ach {column} teilen"


def split_on_help(column: str) -> str:
    return f"Nimmt hier die beste Teilung nach {column}; das Verfahren lässt die Zweige darunter wachsen."


def without(column: str) -> str:
    return f"Ohne {column}"


def without_help(column: str) -> str:
    return f"Das Verfahren lässt diesen Zweig neu wachsen und fragt {column} hier und darunter nicht."


def of_branch(proof: str) -> str:
    return f"**Dieser Zweig allein**, auf den Zeilen, die hierher kommen. {proof}"


def summary(changes: Sequence[str]) -> str:
    few = "; ".join(changes[:3]) + (f"; und {len(changes) - 3} weitere" if len(changes) > 3 else "")
    n = len(changes)
    if not n:
        return "**Keine Änderung von Hand passt zu diesem Baum:** Er hat keine solchen Knoten."
    return f"**{n} Änderung{'en' * (n != 1)} von Hand**: {few}."


def on_the_way(changes: Sequence[str]) -> str:
    return f"Auf dem Weg von Hand geändert: {'; '.join(changes)}."


def here(change: str) -> str:
    return f"✎ {change}."


def against(rows: str, scores: Sequence[str]) -> str:
    return f"{rows}: {', '.join(scores)}"


def as_many_splits(n: int, parts: Sequence[str]) -> str:
    return f"**Von Hand gegen CART**, je {n} Teilung{'en' * (n != 1)} · {' · '.join(parts)}"

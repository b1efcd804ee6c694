"""Texte zu Entscheidungen: was Fehler kosten, ab welchem Anteil eine Klasse die Antwort ist, und Gruppen."""

from __future__ import annotations

CONTROLS = {
    "costly": (
        "Schlimmer zu verwechseln",
        "Eine Zeile dieser Klasse für eine andere zu halten kostet mehr als jeder andere Fehler, etwa Kranke zu "
        "übersehen. Die Einstellung gilt auf allen Seiten. Bäume der Seite *Baum* wachsen danach; hier bleiben "
        "die Modelle, wie sie sind, und ihre Antworten richten sich danach.",
    ),
    "times": (
        "Wievielmal schlimmer",
        "Von zwei Klassen ist diese dann ab einem Anteil von 1 ÷ (1 + Faktor) die Antwort; das kostet am "
        "wenigsten, wenn die Anteile stimmen. *Fachwort:* kostensensitive Entscheidung.",
    ),
    "threshold": (
        "Antwort ab einem Anteil von (Prozent)",
        "Leer: der Anteil, den die Kosten verlangen. Die Kostenkurve zeigt, was ein anderer brächte. *Fachwort:* "
        "Entscheidungsschwelle.",
    ),
    "prevalence": (
        "Wie häufig sie sein wird (Prozent)",
        "Leer: wie in dieser Tabelle. Enthält eine Tabelle gleich viele Kranke wie Gesunde, von hundert Patienten "
        "ist aber einer krank, dann steht hier 1: Anteile, Präzision und Kosten werden darauf umgerechnet. "
        "Vorausgesetzt ist, dass Kranke dort sind wie die Kranken hier. *Fachwort:* Prävalenz.",
    ),
}
RAIL = "**Was Fehler kosten**"
ALIKE = "keine Klasse: alle Fehler sind gleich"
MORE = "Schwelle und Prävalenz"
AS_COSTS, AS_HERE = "wie die Kosten verlangen", "wie in dieser Tabelle"
HEADING = "#### Wenn Fehler nicht gleich viel kosten"
INTRODUCTION = (
    "Die Antworten jedes Modells auf Zeilen, die es nicht kennt, entschieden nach den Kosten der Fehler: "
    "einzustellen links unter *Was Fehler kosten*. Die übrigen Teile dieser Seite zeigen die Antworten, die die "
    "Modelle von sich aus geben."
)
TREE = "Der Baum"
OF_TREE = "Entscheidungen: was Fehler kosten, und eine Schwelle"
OF_TREE_INTRODUCTION = (
    "Die Antworten auf die zurückgehaltenen Zeilen, nach den Kosten der Fehler entschieden. Wo Klassen beim "
    "Wachsen mehr zählten, werden ihre Anteile zuerst auf gleiche Zeilen zurückgerechnet, damit Kosten nur einmal "
    "zählen. Alles andere auf dieser Seite sagt der Baum von sich aus."
)
AS_IT_GREW = "Welche Klasse schlimmer zu verwechseln ist, und wie sehr, stellt man links beim Baum ein."
NONE_HELD = (
    "Keine Zeilen sind zurückgehalten, und die, aus denen er wuchs, lobten ihn zu sehr. Links welche zurückhalten."
)
TABLE_ALT = "Wie oft die Entscheidungen jedes Modells richtig sind, nach Klassen, und was ihre Fehler kosten"
TABLE_NOTES = (
    "In Klammern das 95-%-Intervall. *Gefunden* ist die Trefferquote einer Klasse, ihre Sensitivität; *richtig, "
    "von den Antworten* ist ihre Präzision. Ein Fehler kostet 1 oder das eingestellte Vielfache."
)
CURVE = "**Was 100 Zeilen kosten würden**"
CURVE_NOTES = (
    "Die Marke ist die Entscheidung, wie sie ist; Bänder sind 95-%-Intervalle. Liegt eine Kurve anderswo deutlich "
    "tiefer, stimmen die Anteile des Modells nicht, und eine eigene Schwelle käme billiger: vorher an anderen "
    "Zeilen prüfen. Gepunktet: die Klasse immer oder nie antworten."
)
CHOOSE_A_CLASS = (
    "Links wählen, welche Klasse schlimmer zu verwechseln ist: Dann steht hier, was andere Schwellen kosten."
)
GROUPS_HEADING = "**Ist es für jede Gruppe gleich gut?**"
GROUPS = {
    "rate-groups": (
        "Gruppen nach",
        "Jeder Anteil der Entscheidungen für jede Gruppe dieser Spalte: jede Kategorie, oder vier Bereiche einer "
        "Zahl mit etwa gleich vielen Zeilen, oder selbst gewählte. Die Modelle dürfen die Spalte verwenden oder "
        "nicht. *Fachwörter:* Chancengleichheit (gefunden), equalised odds, demografische Parität (Antwort).",
    )
}
CUTS = {
    "group-cuts": (
        "Schneiden bei",
        "Zahlen wie 18, 65: Die Gruppen sind dann bis 18, über 18 bis 65 und über 65. Leer: bei den Quartilen der "
        "Spalte.",
    )
}
QUARTILES = "ihren Quartilen"
CUTS_EXPECTED = "bis zu sieben Zahlen mit Kommas dazwischen, etwa 18, 65"
NO_COLUMN = "keine Spalte"
A_COLUMN = "der Name einer Spalte"
GROUPS_NOTES = (
    "Jede Gruppe steht gegen alle anderen Zeilen; genannt wird, was stärker abweicht, als der Zufall einen dieser "
    "Vergleiche abweichen ließe (5 % zusammen). Eine Abweichung kann gute Gründe haben: erst fragen, dann "
    "urteilen. Alle Anteile zugleich sind selten gleich."
)
SAVE_GROUPS = "Anteile nach Gruppen (.csv)"


def groups_alt(title: str) -> str:
    return f"Anteile von {title} nach Gruppen, mit Intervallen"


def others(n: int) -> str:
    return f"{n} kleinere Gruppen fehlen."


def not_cuts(text: str) -> str:
    return f"„{text}“ sollten {CUTS_EXPECTED} sein. Bis dahin gelten die Quartile der Spalte."

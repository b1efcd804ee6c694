"""Texte der Seite über die Grundlagen: Unreinheit als Kurve, und was Bagging mit einzelnen Zeilen macht."""

from __future__ import annotations

from espalier.views.theme import number

TITLE = "Grundlagen: zwei Bilder zum Ziehen"
VIEW = "Was gezeigt wird"
VIEWS = {"impurity": "Unreinheit", "bagging": "Bagging"}

IMPURITY = (
    "Zeilen von zwei Klassen werden geteilt. Die Kinder **L** und **R** lassen sich auf der Kurve ziehen, zum "
    "Anteil der ersten Klasse in jedem; wird der Elternknoten **E** zwischen ihnen gezogen, gehen mehr Zeilen "
    "nach links oder nach rechts."
)
IMPURITY_HELP = (
    "Der Gewinn ist die Höhe der Kurve beim Elternknoten über der gestrichelten Sehne seiner Kinder: Ein Bogen "
    "liegt über seinen Sehnen, eine Gerade auf ihnen. Alle drei Kurven sind gleich hoch gezeichnet; die Achse "
    "gehört zur fetten. Pfeiltasten bewegen einen Griff, der den Fokus hat, mit Umschalt weiter."
)
MEASURE = "Unreinheit"
MEASURES = {"gini": "Gini", "entropy": "Entropie", "error": "Fehler"}
COLUMNS = ["Eltern", "links", "rechts", "nach der Teilung", "Gewinn"]
FIGURE = {
    "alt": "Unreinheit gegen den Anteil einer Klasse, mit einer Teilung zum Ziehen",
    "across": "Anteil der ersten Klasse, Prozent",
    "gain": "Gewinn",
    "letters": {"left": "L", "right": "R", "parent": "E"},
    "handles": {
        "left": "Linkes Kind: Anteil der ersten Klasse",
        "right": "Rechtes Kind: Anteil der ersten Klasse",
        "parent": "Elternknoten: Anteil der ersten Klasse; er sagt, wie viele Zeilen nach links gehen",
    },
}

BAGGING = (
    "Eine Anpassung an alle Zeilen und das Mittel von Anpassungen an Zeilen, die mit Zurücklegen gezogen sind. "
    "**Jede Zeile lässt sich ziehen**, und beide folgen."
)
BAGGING_HELP = (
    "Der Fehler ist die Wurzel des mittleren quadrierten Abstands von der Wahrheit. Der Einfluss einer Zeile "
    "sagt, wie weit die Antwort an ihrer Stelle steigt, wenn die Zeile um 1 steigt."
)
ROWS = "Zeilen"
EXAMPLES = {
    "wave": "Eine Welle mit Rauschen",
    "far": "Eine Gerade und eine falsche Zeile weit außen",
    "central": "Eine Gerade und eine falsche Zeile mittendrin",
    "right": "Eine Gerade und eine wahre Zeile weit außen",
}
FIT = "Was angepasst wird"
FITS = {"tree": "Baum", "line": "Gerade", "mean": "Mittelwert"}
BAGS = "Ziehungen"
BAGS_HELP = "Wie oft Zeilen gezogen und angepasst werden; jede Ziehung hat so viele Zeilen, wie es gibt."
PUT_BACK = "Zeilen zurücksetzen"
ROW = "Zeile"


def curves(n_bags: int) -> dict[str, str]:
    mean = f"Mittel von {n_bags} Ziehungen" if n_bags > 1 else "eine Ziehung"
    return {"truth": "Wahrheit", "one": "Anpassung an alle Zeilen", "mean": mean}


def plane_alt(n_rows: int, fit: str, n_bags: int) -> str:
    return (
        f"{n_rows} Zeilen auf einer Ebene; an alle angepasst: {fit}, daneben das Mittel von {n_bags} Ziehungen. "
        "Pfeiltasten bewegen die gewählte Zeile, mit Umschalt weiter; N und P wählen die nächste und die vorige."
    )


def errors(one: float, mean: float) -> str:
    return f"Fehler der einen Anpassung **{number(one)}**, des Mittels **{number(mean)}**"


def influences(row: int, one: float, mean: float) -> str:
    return f"Einfluss von Zeile {row} in der einen Anpassung **{number(one, 2)}**, im Mittel **{number(mean, 2)}**"


def accepted_rows(low: float, high: float) -> str:
    return f"Zeilen wie 14-9.5-2, ihre Nummer, x und y von {number(low)} bis {number(high)}, verbunden mit _"

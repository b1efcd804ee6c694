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
TOGETHER = "#### Welche Spalten wirken zusammen?"
TOGETHER_HELP = (
    "Ein Balken ist ein Paar von Spalten: wie viel von einer Antwort von beiden Werten zugleich abhängt, über das "
    "hinaus, was jede Spalte für sich beiträgt, im Mittel über die Zeilen. Wären Antworten Summen aus einem Teil "
    "für jede Spalte, gäbe es keine Balken. Betrachtet werden die zehn Spalten, die am meisten beitragen. "
    "*Fachwort:* Shapley-Wechselwirkungswerte (SHAP)."
)
PAIR = "Zeilen des Paars"
STRONGEST = "das stärkste jedes Waldes"
NOT_TOGETHER = "In diesem Wald wirken diese beiden Spalten kaum oder gar nicht zusammen."
A_PAIR = "ein Paar von Spalten, etwa 1-2"
CURVES = "#### Wie ändert sich die Antwort entlang einer Spalte?"
ALONG = "Spalte"
CURVE = "Kurve"
CURVE_NAMES = {"mean": "Mittel und einzelne Zeilen", "accumulated": "Summierte Änderungen"}
CURVE_HELP = (
    "**Mittel und einzelne Zeilen**: Jede Zeile bekommt jeden Wert der Spalte, und ihre anderen Werte "
    "bleiben. Das liest sich leicht; wo aber Spalten zusammenhängen, fragt es nach Zeilen, die es nicht "
    "gibt.\n\n**Summierte Änderungen**: Nur Zeilen in der Nähe eines Werts werden verschoben, nur wenig, und "
    "ihre Änderungen addieren sich. Vorzuziehen, wo die Spalte mit einer anderen zusammenhängt. *Fachwörter:* "
    "PDP, ICE; accumulated local effects (ALE; Apley und Zhu 2020)."
)


def share_of(name: str) -> str:
    """What the axis of a class counts."""
    return f"Anteil von {name}"


def parts(most: int, n: int) -> str:
    """Caption of the strips."""
    some = f" Gezeichnet sind {count(most)} Zeilen." if n > most else ""
    return (
        "Ein Punkt ist eine Zeile: wie viel der Wert dieser Spalte zu ihrer Antwort beiträgt, neben dem, was der "
        "Wald sagt, bevor er eine Spalte kennt; je kräftiger seine Farbe, desto größer der Wert. Die Zahl ist die "
        "mittlere Größe. Alle Spalten zusammen führen genau zur Antwort. Zeilen, an denen der Wald gewachsen ist, "
        f"sind dabei.{some} *Fachwort:* Shapley-Werte (SHAP)."
    )


def pair_rows(n: int, of: int) -> str:
    """Caption of the rows of a pair."""
    some = f" Gezeichnet sind {count(n)} Zeilen." if n < of else ""
    return (
        "Ein Dreieck ist eine Zeile. Es zeigt nach oben, wo beide Werte gemeinsam etwas beitragen, nach unten, wo "
        f"sie etwas wegnehmen, und je größer es ist, desto mehr.{some}"
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


def accumulated(most: int) -> str:
    """Caption of the accumulated changes."""
    return (
        "Die Zeilen zwischen einem Punkt und dem nächsten bekommen erst den Wert des einen, dann den des "
        "anderen, und sonst ändert sich an ihnen nichts. Die dicke Linie addiert die mittleren Änderungen "
        "ihrer Antworten und liegt um 0 herum. Keine Zeile wird dorthin verschoben, wo keine Zeilen sind. Die "
        "gestrichelte Linie ist die mittlere Kurve, ebenfalls um 0. Von einer größeren Tabelle zählen "
        f"{count(most)} Zeilen. *Fachwort:* accumulated local effects (ALE)."
    )

"""Texte des Teils der Seite „Verlässlichkeit“, der Antworten verspricht, unter denen die Wahrheit ist."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.views.theme import number

CONTROLS = {
    "level": (
        "Anteil der Zeilen, deren Menge oder Intervall die Wahrheit enthalten soll, in Prozent",
        "Von neuen Zeilen wie diesen bekommt mindestens etwa dieser Anteil eine Menge oder ein Intervall mit der "
        "Wahrheit. *Fachwort:* konforme Vorhersage.",
    ),
    "per": (
        "Versprochen",
        "*Über alle Zeilen*: Der Anteil gilt für alle Zeilen zusammen, und eine seltene Klasse kann zu kurz "
        "kommen. *Für jede Klasse*: Der Anteil wird in jeder Klasse versprochen, und die Mengen sind meist "
        "größer. *Fachwort:* Mondrian conformal prediction.",
    ),
    "width": (
        "Intervalle",
        "*Gleich breit*: Wo das Modell mehr zweifelt, liegt die Wahrheit meist seltener darin. *Bei Zweifel "
        "breiter*: Jedes ist ± ein Vielfaches des Zweifels seiner Zeile, für alle Zeilen dasselbe.",
    ),
}
PER = {"all": "über alle Zeilen", "class": "für jede Klasse"}
WIDTH = {"equal": "gleich breit", "doubt": "bei Zweifel breiter"}
SAVE = "Was für jede Zeile versprochen wurde (.csv)"


def heading(is_classification: bool) -> str:
    what = "Mengen von Klassen" if is_classification else "Intervalle"
    return f"#### {what}, in denen die Wahrheit ist"


def introduction(is_classification: bool) -> str:
    if is_classification:
        return (
            "Statt einer Klasse darf ein Modell mehrere nennen: so viele, dass die Wahrheit so oft darunter ist, "
            "wie verlangt wird. Eine Zeile mit mehreren Klassen ist für eine Fachperson; auch eine einzelne "
            "Klasse kann falsch sein."
        )
    return (
        "Statt einer Zahl darf ein Modell ein Intervall nennen: so breit, dass die Wahrheit so oft darin liegt, "
        "wie verlangt wird. Die waagerechte gestrichelte Linie ist der versprochene Anteil."
    )


def rules(titles: Sequence[tuple[str, str]], is_classification: bool) -> str:
    what = (
        "Zur Menge einer neuen Zeile gehört die Klasse, die das Modell sagt, und jede andere je nach dem Anteil, "
        "den das Modell ihr gibt"
        if is_classification
        else "Intervalle neuer Zeilen"
    )
    parts = "; ".join(f"{title}: {rule}" for title, rule in titles)
    return (
        "Jeder Fold wird mit der Grenze beurteilt, die an den anderen gewählt ist; in Klammern das "
        "95-%-Intervall. "
        f"{what}: {parts}."
    )


def beware(in_groups: bool, in_time: bool) -> str:
    if in_time:
        return (
            "Diese Zeilen folgen zeitlich aufeinander: Das Versprechen gilt nur, solange spätere Zeilen wie "
            "frühere sind."
        )
    if in_groups:
        return (
            "Diese Zeilen gehören zu Gruppen: Das Versprechen gilt für Zeilen neuer Gruppen im Mittel, nicht in "
            "jeder Gruppe."
        )
    return ""


def of_row(row: str, models: Sequence[tuple[str, str]]) -> str:
    parts = "; ".join(f"{title}: **{named}**" for title, named in models)
    return f"Zeile {row}, unten gewählt: {parts}."


def between(low: float, high: float) -> str:
    return f"{number(low)} bis {number(high)}"

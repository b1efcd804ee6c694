"""Texte des Teils der Seite „Verlässlichkeit“, der Antworten verspricht, unter denen die Wahrheit ist."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.views.theme import number

CONTROLS = {
    "level": (
        "Anteil der Zeilen, bei denen die Wahrheit unter den Antworten sein soll, in Prozent",
        "Von neuen Zeilen wie diesen bekommen mindestens so viele eine Menge oder ein Intervall mit der Wahrheit. "
        "*Fachwort:* konforme Vorhersage.",
    ),
    "per": (
        "Versprochen",
        "Über alle Zeilen kann eine seltene Klasse zu kurz kommen; für jede Klasse bekommt jede gleich viel, und "
        "die Mengen sind größer. *Fachwort:* Mondrian conformal prediction.",
    ),
    "width": (
        "Intervalle",
        "Gleich breite halten die Wahrheit seltener, wo das Modell zweifelt. Bei Zweifel breiter: so viele Male "
        "der Zweifel, wie nötig ist.",
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
            "wie verlangt wird. Eine Zeile, für die es eine Klasse nennt, ist klar; eine mit mehreren ist für "
            "eine Fachperson."
        )
    return (
        "Statt einer Zahl darf ein Modell ein Intervall nennen: so breit, dass die Wahrheit so oft darin liegt, "
        "wie verlangt wird. Die gestrichelte Linie ist, was versprochen wurde."
    )


def rules(titles: Sequence[tuple[str, str]], is_classification: bool) -> str:
    what = (
        "Zur Menge einer neuen Zeile gehören die Klasse, die das Modell sagt, und andere"
        if is_classification
        else "Intervalle neuer Zeilen"
    )
    parts = "; ".join(f"{title}: {rule}" for title, rule in titles)
    return (
        "Jeder Fold wird nach dem beurteilt, was die anderen wählen; in Klammern das 95-%-Intervall. "
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

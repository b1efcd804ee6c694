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
    return f"{row}, unten gewählt: {parts}."


def between(low: float, high: float) -> str:
    return f"{number(low)} bis {number(high)}"


# Versprechen eines einzelnen Baums, und ob Zeilen einander gleichen

OF_TREE = "Was verspricht jedes Blatt für neue Zeilen?"
OF_LEAVES = (
    "Ein Baum, der bei 95 % aller Zeilen recht hat, kann in einem Blatt bei der Hälfte irren. Darum hat jedes "
    "Blatt ein eigenes Versprechen, allein aus den zurückgehaltenen Zeilen, die in ihm enden: Von den neuen "
    "Zeilen in diesem Blatt ist bei mindestens so vielen wie verlangt die Wahrheit unter den genannten Klassen "
    "oder im Intervall, im Mittel über solche Versprechen und wenn neue Zeilen sind wie diese. *Fachwort:* "
    "Mondrian-konforme Vorhersage."
)
NO_LEAVES = (
    "In einem kultivierten Baum ist eine Zeile in mehreren Blättern, und Blätter eines Modellbaums haben Formeln: "
    "Solche Blätter versprechen nichts."
)
NONE_HELD = "Es sind keine Zeilen zurückgehalten, also lässt sich nichts versprechen: links welche zurückhalten."
CHOSEN_BY_THEM = (
    "Wer Tiefe, Stutzen oder Änderungen nach den Gütemaßen der zurückgehaltenen Zeilen gewählt hat, hat sie "
    "gesehen: Dann sind die Versprechen zu gut."
)
LEAVES_ALT = "Was jedes Blatt für neue Zeilen verspricht"
SAVE_LEAVES = "Versprechen der Blätter (.csv)"
DRIFT = {
    "drift": (
        "Prüfen, ob die zurückgehaltenen Zeilen denen gleichen, aus denen er gelernt hat",
        "Ein Wald lernt, sie an ihren Spalten zu unterscheiden, und noch 99-mal mit beiden gemischt. Ist er "
        "besser als fast alle davon, dann unterscheiden sich die Zeilen. Zurückhalten, was neu ist: spätere "
        "Zeilen, ein anderes Jahr oder einen anderen Ort, durch eine Bedingung auf der Seite *Daten*. "
        "*Fachwörter:* Drift, Zweistichprobentest durch einen Klassifikator.",
    )
}
DRIFT_AT_WORK = "Gleichen sie einander?"
DRIFT_STOPPED = "Die Prüfung wurde angehalten."
DRIFT_FAILED = "Die Prüfung kam zu keinem Ende."
BY_CHANCE = (
    "Diese Zeilen sind durch Zufall zurückgehalten und gleichen den anderen schon deshalb. Die Prüfung sagt "
    "etwas, wo Neues zurückgehalten ist: spätere Zeilen oder die eines anderen Ortes, durch eine Bedingung auf "
    "der Seite *Daten*."
)


def how_far(n: int, total: int) -> str:
    return f"{n} von {total} Wäldern"


def too_few_rows(least: int) -> str:
    return f"Die Prüfung braucht mindestens {least} zurückgehaltene Zeilen und ebenso viele andere."


def drifted(is_found: bool, pairs: float, p_value: float, columns: Sequence[str]) -> str:
    measured = (
        f"Von 100 Paaren aus einer zurückgehaltenen Zeile und einer, aus der er gelernt hat, unterscheidet ein "
        f"Wald {number(pairs)} richtig, wo Raten 50 träfe (p = {number(p_value)})"
    )
    if not is_found:
        return f"**Kein Unterschied gefunden.** {measured}. Das beweist nicht, dass es keinen gibt."
    return (
        f"**Die zurückgehaltenen Zeilen sind anders.** {measured}. Am meisten nutzt er: {', '.join(columns)}. Für "
        "solche Zeilen gelten Gütemaße und Versprechen, die an anderen gewonnen sind, vielleicht nicht."
    )

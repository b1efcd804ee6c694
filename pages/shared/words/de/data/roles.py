"""Deutsche Texte zu Spalten, die etwas über die Zeilen selbst sagen."""

from __future__ import annotations

COLUMNS = {
    "weight": (
        "Gewicht: wie viel eine Zeile zählt",
        "Eine Spalte von Zahlen von mindestens 0: Eine Zeile vom Gewicht 2 zählt als zwei, eine vom Gewicht 0 "
        "bleibt weg. Umfragen haben eine solche Spalte, und Tabellen, in denen eine Zeile für viele steht. Zum "
        "Vorhersagen dient sie dann nicht. *Fachwort:* `sample_weight`.",
        "jede Zeile zählt gleich",
    ),
    "group": (
        "Gruppe: welche Zeilen zusammengehören",
        "Zeilen mit demselben Wert bleiben zusammen: Besuche eines Patienten, Kinder einer Schule. Ein Modell, "
        "das einige davon gesehen hat, kennt die anderen; darum werden ganze Gruppen zurückgehalten, auf Folds "
        "verteilt und gezogen, und die Gütemaße sagen, wie gut neue Gruppen vorhergesagt werden. Zum Vorhersagen "
        "dient sie dann nicht. *Fachwort:* `groups`, gruppierte Kreuzvalidierung.",
        "jede Zeile steht für sich",
    ),
    "time": (
        "Zeit: welche Zeilen früher sind",
        "Ein Datum, oder eine Zahl, die mit der Zeit wächst. Dann werden die spätesten Zeilen zurückgehalten, und "
        "jeder Fold wird nur aus früheren Zeilen vorhergesagt, wie später im Gebrauch. Zum Vorhersagen dient sie "
        "dann nicht. *Fachwort:* time series split, forward chaining.",
        "Zeilen haben keine Reihenfolge",
    ),
    "label": (
        "Name jeder Zeile",
        "Listen, Hinweise und Erklärungen nennen die Zeilen dann so, neben ihrer Nummer. Zum Vorhersagen dient "
        "sie nicht.",
        "Zeilen haben nur Nummern",
    ),
}
_OFFERS = {
    "group": "Mehrere Zeilen haben hier denselben Wert. Gehören sie zusammen, sind Gütemaße nur damit ehrlich.",
    "time": "Sie enthält Datumsangaben. Sollen spätere Zeilen aus früheren vorhergesagt werden, sind Gütemaße nur "
    "damit ehrlich.",
    "label": "Jede Zeile hat hier ihren eigenen Text: daran erkennt man sie in jeder Liste.",
}
_TAKE = {"group": "*{}* als Gruppe nehmen", "time": "*{}* als Zeit nehmen", "label": "*{}* als Namen nehmen"}


def offer(role: str, name: str) -> tuple[str, str]:
    return _TAKE[role].format(name), _OFFERS[role]


def in_use(weight: str, group: str, time: str, label: str) -> str:
    said = [f"Zeilen zählen nach dem Gewicht *{weight}*"] if weight else []
    said += [f"Zeilen mit gleichem Wert von *{group}* bleiben zusammen"] if group else []
    said += [f"in der Reihenfolge von *{time}*"] if time else []
    said += [f"benannt nach *{label}*"] if label else []
    return "".join(f" · {part}" for part in said)


COUNTED_ALIKE = {
    "data": "",
    "tree": "Anzahlen von Zeilen, die Balken auf den Karten, und Grenzen wie die Zeilen in einem Blatt",
    "forests": (
        "Anzahlen von Zeilen, Grenzen wie die Zeilen in einem Blatt, Stärke und Korrelation, die Übereinstimmung "
        "der Bäume, und die Zeilen, bei denen die Wälder verschieden antworten"
    ),
    "compare": "Anzahlen von Zeilen, und die Folds, die gleich viele Zeilen haben",
    "stability": (
        "das Neuziehen, das jede Zeile mit gleicher Wahrscheinlichkeit zieht, und die Übereinstimmung der "
        "Bäume bei Zeilen"
    ),
    "reliability": "Anzahlen von Zeilen, die Folds, und die Zeilen, mit denen eine Erklärung verglichen wird",
    "approximate": (
        "erfundene Zeilen, die um eine Zeile von größerem Gewicht öfter gezogen werden und dann gleich zählen"
    ),
    "questionnaire": "Anzahlen von Zeilen hinter einer Antwort, und erfundene Zeilen",
}


def rows_count_by(weight: str, page: str) -> str:
    alike = COUNTED_ALIKE.get(page, "")
    note = f"Zeilen zählen nach dem Gewicht **{weight}**, beim Wachsen und in den Gütemaßen."
    return f"{note} Nicht nach Gewicht: {alike}." if alike else note


def together(what: str, group: str, time: str) -> str:
    if what == "drawn":
        unit = (
            f"Ganze Gruppen von **{group}**" if group else f"Blöcke aufeinander folgender Zeilen nach **{time}**"
        )
        return f"{unit} werden statt einzelner Zeilen gezogen."
    if what == "held":
        return _held_out(group, time)
    if not time:
        return f"Folds bestehen aus ganzen Gruppen von **{group}**."
    others = f" anderer Gruppen von **{group}**" if group else ""
    return (
        f"Folds folgen einander in der Reihenfolge von **{time}**: jeder wird nur aus früheren Zeilen{others} "
        "vorhergesagt. Wiederholungen und Startwert ändern nichts."
    )


def _held_out(group: str, time: str) -> str:
    if not time:
        return f"Ganze Gruppen von **{group}** werden zurückgehalten."
    latest = f"die zuletzt endenden Gruppen von **{group}**" if group else "die spätesten Zeilen"
    return f"Nach **{time}** geordnet: {latest} werden zurückgehalten; der Startwert ändert nichts."


def too_many_folds(n_folds: int, most: int, group: str, time: str) -> str:
    if time:
        return (
            f"{n_folds} Folds brauchen {n_folds + 1} verschiedene Zeiten von {time}; es gibt {most + 1}: weniger "
            "wählen."
        )
    unit = f"Gruppen von {group}" if group else "Zeilen"
    return f"Aus {most} {unit} lassen sich keine {n_folds} Folds machen: weniger wählen."

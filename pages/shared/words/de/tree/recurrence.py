"""Texte dazu, wie oft eine Teilung wiederkommt."""

from __future__ import annotations

from espalier.views.theme import count

OPTIONS = "Was die Karten des Baums zeigen"
TOGGLE = "Wie oft jede Teilung wiederkommt"
HELP = (
    "100 Bäume wachsen mit denselben Einstellungen, nicht von Hand gestutzt, auf Bootstrap-Stichproben: so vielen "
    "Zeilen, wie es gibt, mit Zurücklegen gezogen. Eine Teilung kam wieder in einem Baum, der auf dem ganzen "
    "Weg von der Wurzel bis zu dieser Teilung nach denselben Spalten in dieselben Richtungen fragt: die "
    "Definition der Seite „Stabilität“, nach Spalten."
)
COUNTING = "**100 Bäume wachsen auf Bootstrap-Stichproben**"
STOPPED = "Das Wachsen der Bäume wurde angehalten: Die Zahlen auf den Karten sind die der fertigen."
FAILED = "Wie oft Teilungen wiederkommen, ließ sich nicht zählen."
COUNT = "Zählen, wie oft"


def much_to_do(n_trees: int, n_rows: int) -> str:
    return f"{n_trees} Bäume sollen auf je {count(n_rows)} Zeilen wachsen"


def leaf(n_trees: int) -> str:
    return (
        f"Ein Blatt fragt nichts. Eine gewählte Teilung zeigt, in wie vielen von {n_trees} Bäumen sie wiederkam."
    )


def split(times: int, nearby: int, n_trees: int, is_root: bool) -> str:
    way = (
        "Sie fragen zuerst nach derselben Spalte"
        if is_root
        else "Sie fragen von der Wurzel bis hierher nach denselben Spalten"
    )
    where = "auch die Schwelle" if is_root else "auch die Schwellen"
    near = (
        f" In {nearby} davon {'liegt' if is_root else 'liegen'} {where} in der Nähe: nicht weiter weg, als ein "
        "kultivierter Baum zögern würde."
    )
    said = (
        f"Diese Teilung kam in **{times} von {n_trees}** Bäumen wieder, auf Bootstrap-Stichproben gewachsen. "
        f"{way}."
    )
    return said + near if times else said

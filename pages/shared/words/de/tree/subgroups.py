"""Texte zu Teilgruppen: dasselbe Verfahren auf jeder Gruppe einer Spalte, neben dem Baum aller Zeilen."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.views.text.trees import join
from espalier.views.theme import count

NO_COLUMN = "keine Spalte"
CONTROLS = {
    "groups": (
        "Teilgruppen vergleichen nach",
        "Das Verfahren in der Leiste lässt auf jeder Gruppe dieser Spalte einen Baum wachsen: auf jeder "
        "Kategorie, oder auf Bereichen einer Zahl mit etwa gleich vielen Zeilen. Zurückgehaltene Zeilen der "
        "Gruppe prüfen ihn, neben dem Baum aller Zeilen.",
    ),
    "ranges": ("Bereiche", "In wie viele Teile mit etwa gleich vielen Zeilen die Zahlen der Spalte zerfallen."),
}
A_COLUMN = "der Name einer Spalte außer dem Ziel"
GROWING = "**Für jede Gruppe wächst ein Baum**"
STOPPED = "Das Wachsen der Bäume der Gruppen wurde angehalten."
FAILED = "Die Gruppen ließen sich nicht vergleichen."
HOW = (
    "Der eigene Baum jeder Gruppe wuchs nur auf ihren Zeilen; beide Bäume werden an den zurückgehaltenen Zeilen "
    "der Gruppe geprüft. In Klammern stehen 95-%-Intervalle; die der Unterschiede gelten für alle Gruppen "
    "zugleich."
)
UNCHANGED = "Die Bäume sind so, wie das Verfahren sie wachsen lässt, weder gestutzt noch von Hand geändert."
NOT_TESTED = "Keine Zeile dieser Gruppe ist zurückgehalten; nichts prüft ihren Baum."
WORK_ON = "Mit diesen Zeilen arbeiten"
WORK_ON_HELP = (
    "Macht diese Gruppe zum Filter: Jede Seite arbeitet dann nur mit ihren Zeilen. *Zurück* führt zurück."
)


def headline(n_judged: int, own: Sequence[str], of_all: Sequence[str]) -> str:
    if not n_judged:
        return "Keine Gruppe hat sowohl einen eigenen Baum als auch zurückgehaltene Zeilen."
    parts = [f"**Ein eigener Baum ist besser für: {join(own, 'and')}.**"] if own else []
    if of_all:
        parts.append(f"**Der Baum aller Zeilen ist besser für: {join(of_all, 'and')}**; er hat mehr zu lernen.")
    if not parts:
        who = "die Gruppe" if n_judged == 1 else f"jede der {n_judged} Gruppen"
        return f"**Ein Baum genügt:** Für {who} könnte der Unterschied zu einem eigenen Baum Zufall sein."
    return " ".join(parts)


def sizes(n_grown: int, n_held: int, target: str) -> str:
    return f"{count(n_grown)} Zeilen zum Wachsen, {count(n_held)} zurückgehalten · {target}"


def mean(value: str) -> str:
    return f"Mittel {value}"


def why_not(reason: str, fewest: int) -> str:
    return {
        "few": f"Zu wenige Zeilen für einen Baum: Mindestens {fewest} zum Wachsen sind nötig.",
        "one": "Alle Zeilen zum Wachsen haben dasselbe Ziel; es gibt nichts zu unterscheiden.",
        "wide": "Der Baum hat zu viele Summen von Spalten, um gezeigt zu werden; er muss kleiner werden.",
    }[reason]


def leaves(n: int) -> str:
    return "1 Blatt" if n == 1 else f"{n} Blätter"


def scores(own: str, of_all: str, is_share: bool) -> str:
    what = "richtig" if is_share else "mittlerer absoluter Fehler"
    return f"Eigener Baum: {own} {what}  \nBaum aller Zeilen: {of_all}"


def interval(low: str, high: str) -> str:
    return f"{low} bis {high}"


def points(value: str) -> str:
    return f"{value} Prozentpunkte"


def gap(verdict: str, difference: str) -> str:
    return {
        "own": f":material/check: Der eigene Baum ist besser um {difference}",
        "all": f":material/close: Der eigene Baum ist schlechter: {difference}",
        "neither": f"Unterschied {difference}: könnte Zufall sein",
    }[verdict]


def others(n: int, n_rows: int) -> str:
    rows = f"mit zusammen {count(n_rows)} Zeilen"
    return (
        f"1 kleinere Gruppe {rows} fehlt hier." if n == 1 else f"{count(n)} kleinere Gruppen {rows} fehlen hier."
    )


GROUP, GROWN_ON, HELD_OUT, LEAVES, FIRST = (
    "Gruppe",
    "Zeilen zum Wachsen",
    "zurückgehalten",
    "Blätter",
    "erste Frage",
)
SCORES = {"own": "eigener Baum", "of_all": "Baum aller Zeilen", "gain": "Gewinn"}


def low(score: str) -> str:
    return f"{score}, von"


def high(score: str) -> str:
    return f"{score}, bis"

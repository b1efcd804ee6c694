"""Texte zu zwei Bäumen nebeneinander, A | B."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from espalier.language import in_style
from espalier.views.theme import count

LETTERS = ("A", "B")
KEEP = "Als A behalten"
KEEP_HELP = (
    "Behält diesen Baum als A. Mit einem anderen Verfahren, anderen Einstellungen, einem anderen Filter oder "
    "einer anderen Tabelle steht unten B, mit allem, was sich unterscheidet."
)
CANNOT_BE_KEPT = (
    "Ein Baum eines Waldes und einer, der auf dem Reiter gestutzt ist, lassen sich nicht als A behalten."
)
END = "A | B beenden"
END_HELP = "Lässt Baum A los; der Baum, den die Einstellungen meinen, bleibt."
TITLE = "#### A | B"
DIFFER = "die Bäume antworten verschieden"
SETTINGS_OF_A = "ein Verfahren und seine Einstellungen, wie „Als A behalten“ sie schreibt"
GROWING = "**Baum A wächst**"
MOST_NAMED = 8  # Spalten, Kategorien oder Klassen
OTHER_TARGET = (
    "Baum A gehört zu einer Tabelle mit einer anderen Art von Zielgröße. Beenden Sie A | B oder gehen Sie zurück."
)
A_FILE = "eine Datei"
LOAD = "A aus einer Datei"
LOAD_LABEL = "Ein Baum, der unter Export als JSON gespeichert ist"
LOAD_HELP = "Er wird A, etwa der Baum vom letzten Monat. Seine Spalten werden nach Namen zugeordnet."
NOT_TEXT = "Sie ist kein Text. Wählen Sie eine Datei, die unter Export als JSON gespeichert ist."
OTHER_KIND = (
    "Ihre Teilungen sind keine einzelnen Fragen. Aus Dateien werden nur Bäume verglichen, deren Teilungen "
    "nach einer Spalte fragen und deren Blätter eine Antwort haben."
)
TABLE_GONE = "Die Tabelle von A ist nicht mehr auf diesem Server: A wächst auf der jetzigen Tabelle."
OTHER_COLUMNS = (
    "Die Tabellen von A und B haben andere Spalten. Nur ein Baum, dessen Teilungen nach je einer Spalte "
    "fragen, lässt sich auf eine andere Tabelle legen: Nehmen Sie einen CART- oder einen optimalen Baum als "
    "A."
)
DIFFERENCE = "##### Was sich unterscheidet"
ANSWERS_ALONE = (
    "Einer der Bäume hat keine Teilungen nach einzelnen Spalten; verglichen werden nur die Antworten: Zeilen "
    "eines kultivierten Baums gehen mehrere Wege, Teilungen eines schrägen wägen mehrere Spalten."
)
TOO_LARGE = "Die Bäume sind zu groß, um sie übereinanderzulegen. Wählen Sie eine kleinere Tiefe."
COST_HELP = (
    "B wird von der Wurzel an so über A gelegt, dass es am wenigsten kostet. Eine Teilung nur eines Baums "
    "kostet 1. Eine Teilung über einer nach derselben Spalte kostet den Anteil aller Zeilen zwischen beiden "
    "Schwellen, über einer nach einer anderen Spalte 1. Blätter verschiedener Klassen kosten 1/2, "
    "verschiedener Zahlen bis zu 1/2. Die Seiten einer Teilung nach einer anderen Spalte oder nach Kategorien "
    "dürfen vertauscht sein."
)
LEGEND_ALT = (
    "Zeichen: Ein grauer Punkt ist gleich, Δ verschoben, ≠ eine andere Spalte oder Antwort, − nur in A, + nur "
    "in B."
)
CHANGED_ALT = (
    "Zeilen, auf die A und B verschieden antworten, mit beiden Antworten und der Teilung, an der es liegt"
)
REPORT = "Unterschied speichern"
REPORT_HELP = "Eine eigene Seite (HTML) mit den Sätzen, beiden Bildern und den Zeilen; sie braucht kein Internet."


def title(learner: str, settings: Mapping[str, str], is_by_hand: bool) -> str:
    parts = [learner, *(f"{name} {text}" for name, text in settings.items())]
    return ", ".join([*parts, "von Hand geändert"] if is_by_hand else parts)


def side(letter: str, name: str, n_leaves: int, scores: str) -> str:
    return f"**{letter}: {name}**, {n_leaves} {'Blatt' if n_leaves == 1 else 'Blätter'}  \n:small[{scores}]"


def difference(gaps: Mapping[str, float], is_share: bool, n_rows: int, n: int) -> str:
    parts = [f"{kind} {_gap(gap, is_share)}" for kind, gap in gaps.items()]
    return f"**B gegen A:** {', '.join(parts)} · {count(n_rows)} von {count(n)} Zeilen bekommen andere Antworten"


def _gap(gap: float, is_share: bool) -> str:
    if is_share:
        return f"{in_style(f'{100 * gap:+.1f}')} Punkte" if round(100 * gap, 1) else "gleich"
    return f"R² {in_style(f'{gap:+.3f}')}" if round(gap, 3) else "gleich"


def sides(a: str, b: str) -> str:
    return f"**A: {a}**  \n**B: {b}**"


def letter(letter: str) -> str:
    return f"**{letter}**"


def on_table(title: str, table: str, n: int) -> str:
    return f"{title}, auf {table} ({count(n)} Zeilen)"


def no_tree(wrong: str) -> str:
    return f"Aus dieser Datei ließ sich kein Baum lesen. {wrong}"


def file_gone(name: str) -> str:
    return (
        f"Baum A kam aus der Datei {name}, die diese Sitzung nicht hat. Beenden Sie A | B und laden Sie sie neu."
    )


def cannot_compare(why: str) -> str:
    return f"A und B lassen sich nicht vergleichen: {why}."


def absent(names: Sequence[str]) -> str:
    return f"Die Tabelle hat keine Spalte {_listed(names)}: Dort gehen Zeilen in A, wohin fehlende Werte gehen."


def strange(names: Sequence[str]) -> str:
    return f"Kategorien, die nur A oder nur die Tabelle kennt: {_listed(names)}."


def classes(names: Sequence[str]) -> str:
    return f"Klassen, die nur A kennt: {_listed(names)}."


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MOST_NAMED])
    return f"{shown} und {count(len(names) - MOST_NAMED)} weitere" if len(names) > MOST_NAMED else shown


def more_changes(n: int) -> str:
    return f"{count(n)} weitere {'Änderung' if n == 1 else 'Änderungen'}"


def not_drawn(most: int) -> str:
    return f"Bäume mit mehr als {most} Blättern sind hier nicht gezeichnet; Sätze und Zeilen sind vollständig."


def changed_rows(n: int) -> str:
    return f"**Zeilen, deren Antwort sich ändert** ({count(n)})"


def tick(most: int, n: int) -> str:
    first = f"Die ersten {count(most)} von {count(n)} Zeilen. " if n > most else ""
    return f"{first}Haken Sie eine Zeile an, um ihren Weg durch beide Bäume zu sehen."


def report_title(table: str) -> str:
    return f"Zwei Bäume auf {table}"

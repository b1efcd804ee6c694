"""Texte der Seite „Wälder“ zu Antworten: eine Zeile, Übereinstimmung, Wichtigkeit, Flächen und Unterschiede."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.views.theme import count, number, percent
from pages.shared.words.de.tree import page

DRAW_ONE = "Eine ziehen"
DRAW_ONE_HELP = "Eine andere Zeile, zufällig"
WRONG = {True: "falsch (Out-of-Bag)", False: "falsch"}
CELLS = (
    "Eine Zelle für jeden Baum, in der Farbe seiner Klasse: gepunktet, wo er auf der Zeile wuchs, "
    "unterstrichen, wo sie falsch ist."
)
DOTS = "Ein Punkt für jeden Baum: hohl, wo er auf der Zeile wuchs."
NO_ROW = ["Keine Zeile ist gewählt", ": auf eine in einer Fläche klicken, oder ihre Nummer angeben."]


def row(name: str, is_held_out: bool | None, truth: str) -> list[str]:
    kind = "" if is_held_out is None else f" ({'zurückgehalten' if is_held_out else 'zum Wachsen benutzt'})"
    return [name, f"{kind}, in Wahrheit ", truth]


TREE, SEEN, ANSWER, WEIGHT = "Baum", "wuchs auf der Zeile", "sagt", "Gewicht"


def share_of(name: str) -> str:
    return f"Anteil von {name}"


def tree_by_tree(votes: str) -> str:
    return f"Baum für Baum: {votes}"


def verdict(answer: str, votes: str) -> str:
    return f"Sagt **{answer}**: {votes}."


def verdict_of_unseen(n: int, answer: str) -> str:
    return f"Die {n} Bäume, die nicht auf ihr wuchsen, sagen **{answer}**."


VARIANCE_OF = {True: "Varianz des Vorsprungs eines Baums", False: "mittlerer quadratischer Fehler"}
RHO = (
    "Zwei Korrelationen stehen hier: ρ in der Kurve ist Paar für Paar gemessen, jedes an den Zeilen, die beide "
    "Bäume nicht kennen; Breimans ρ̄ in der Tabelle folgt daraus, wie sehr der Vorsprung aller Stimmen streut "
    "(2001, Anhang II)."
)
RHO_OF_NUMBERS = (
    "Zwei Korrelationen stehen hier und unterscheiden sich kaum: ρ in der Kurve teilt das mittlere Produkt der "
    "Fehler zweier Bäume durch das mittlere Quadrat derer eines Baums, Breimans ρ̄ in der Tabelle durch das "
    "mittlere Produkt ihrer Größen (2001, Abschnitt 11)."
)
PAIRS = (
    "Jede Zelle ist ein Paar von Bäumen: je kräftiger ihre Farbe, von desto mehr Zeilen sagen sie dasselbe (Ho "
    "1998). Wälder, deren Bäume weniger übereinstimmen, gewinnen mehr durch Mitteln, solange jeder Baum gut "
    "bleibt."
)
NO_VOTES = "Bäume von Zahlen haben keine Stimmen, die übereinstimmen könnten: Verglichen werden ihre Fehler."
COMPARING = "Die Bäume werden verglichen …"


def agreement(share: float, is_held_out: bool) -> str:
    rows = "zurückgehaltenen Zeilen" if is_held_out else "Zeilen, auf denen sie wuchsen"
    return f"Zwei Bäume sagen im Mittel dasselbe bei **{percent(share)}** der {rows}."


def measures_alt(side: str) -> str:
    return f"Was Wald {side} gut macht"


def fall(formula: str, is_classification: bool) -> str:
    return f"{formula}. Mehr Bäume nehmen nur den zweiten Teil weg. {RHO if is_classification else RHO_OF_NUMBERS}"


LIMITS_OF_IMPORTANCE = (
    "**Was das nicht sagen kann.** Wo zwei Spalten dasselbe sagen, nehmen Bäume bald die eine, bald die "
    "andere, und die eine springt ein, wenn die andere gemischt wird: Jede sieht weniger wert aus, als beide "
    "zusammen sind. Mischen macht auch Zeilen, die es nicht geben kann, etwa ein großes Kind von 5 kg. Und "
    "eine Spalte, auf die sich ein Wald verlässt, muss keine Ursache sein: Sie kann für etwas stehen, das "
    "nicht gemessen wurde."
)
SHUFFLING = "Die Spalten werden gemischt …"
NOTHING_TO_SHUFFLE = "Jeder seiner Bäume kennt jede Zeile. Zum Mischen müssen Zeilen zurückgehalten sein."
FEATURE, RISE, STANDARD_ERROR, SPREAD = "Spalte", "Anstieg des Fehlers", "Standardfehler", "Streuung über Bäume"


def importance(is_classification: bool, n_drawn: int, n_features: int) -> str:
    kind = "Fehler" if is_classification else "mittlerer quadratischer Fehler"
    most = f" Gezeichnet sind die {n_drawn} wichtigsten von {n_features} Spalten; die Datei hat alle."
    return (
        "Die Werte einer Spalte werden unter den Zeilen gemischt, die ein Baum nicht kennt; der Balken ist, um "
        f"wie viel dabei sein {kind} im Mittel über die Bäume steigt (Breiman 2001, Abschnitt 10). Die Linie "
        "ist der Standardfehler dieses Mittels: wie weit es durch Zufall beim Wachsen der Bäume daneben liegen "
        "kann." + most * (n_features > n_drawn)
    )


def no_importance(reason: object) -> str:
    return f"Es gibt keine: {reason}."


FIRST_TREES = "Was die ersten Bäume zusammen sagen"
ASKING_FIRST = "Die ersten Bäume jedes Waldes werden befragt …"
DEEPER_IS_GREATER = "Je kräftiger die Farbe, desto größer die Zahl."


def surface_dots(most: int, has_two_axes: bool) -> str:
    by_chance = "" if has_two_axes else "; ihre Höhe ist Zufall"
    return (
        f"Punkte sind Zeilen der Daten, höchstens {most}{by_chance}. Spalten ohne Achse haben ihren Median oder "
        "häufigsten Wert. Ein Baum ist konstant auf Kästen; das Mittel vieler hat so viele Stufen wie alle "
        "zusammen Kanten; darum sieht es glatt aus, wo sie sich unterscheiden, und bleibt scharf, wo alle an "
        "derselben Stelle schneiden."
    )


HELD = "Was die Spalten ohne Achse haben"
NO_AVERAGE = (
    " Eine Summe von Bäumen, die durch eine Verknüpfung geht, und weiche Bäume haben hier kein genaues Mittel."
)


def others(averaged: Sequence[bool], chosen: str) -> str:
    first, held = page.OTHER_FEATURES, page.OTHERS["row" if chosen == "row" else "typical"]
    if not any(averaged):
        return f"{first} {held}.{NO_AVERAGE * (chosen == 'average')}"
    both = f"{first} {page.OTHERS['average']}."
    return both if all(averaged) else f"{both} Bei Wald {'AB'[averaged.index(False)]}: {held}.{NO_AVERAGE}"


def colours(classes: list[str]) -> str:
    return f"Eine Farbe für jede Klasse: {', '.join(classes)}."


def first_trees(n: int, n_trees: int) -> str:
    return f"alle {n}" if n == n_trees else f"{n} {'Bäume' if n > 1 else 'Baum'}"


def surface_title(trees: str, error: str) -> str:
    return f":small[**{trees}** · Fehler {error}]" if error else f":small[**{trees}**]"


WHERE_APART = {True: "die Wälder verschieden antworten", False: "die Wälder am weitesten auseinander sind"}
NO_ROW_OF_TABLE = ["Keine Zeile ist gewählt", ": ein Häkchen setzen, oder auf eine in einer Fläche klicken."]
DIFFERENCES_ALT = "Zeilen, zu denen die beiden Wälder Verschiedenes sagen"
FAIRLY = (
    "Zeilen, auf denen ein Wald wuchs, werden von denen seiner Bäume beurteilt, die sie nicht gezogen haben, "
    "wenn es welche gibt."
)
ROW, HELD_OUT, TRUTH, APART = "Zeile", "zurückgehalten", "Wahrheit", "auseinander"


def says(side: str) -> str:
    return f"{side} sagt"


def share(side: str) -> str:
    return f"Anteil von {side}"


def also_says(side: str) -> str:
    return f"; {side} sagt "


def numbers_apart(mean: float, together: float) -> str:
    return (
        f"Die Zahlen der beiden Wälder sind im Mittel **{number(mean)}** auseinander und haben die Korrelation "
        f"**{number(together)}**. Unten die Zeilen, bei denen sie am weitesten auseinander sind. {FAIRLY}"
    )


def all_alike(n_rows: int) -> str:
    return f"Die beiden Wälder sagen zu jeder der {count(n_rows)} Zeilen dasselbe. {FAIRLY}"


def _rows(n: int) -> str:
    return f"{count(n)} Zeile{'n' * (n != 1)}"


def disagreement(n: int, n_rows: int) -> str:
    return f"Sie antworten verschieden bei **{_rows(n)}** von {n_rows} ({percent(n / n_rows)}): "


def right_and_wrong(first: int, second: int, both_wrong: int) -> str:
    both = f"Beide haben unrecht bei {_rows(both_wrong)}. {FAIRLY}"
    return f"Davon hat A bei {first} recht und B bei {second}. {both}"


TITLE = "**Intervalle, und wie oft sie gelten**"
WHY = """
In jedem Baum teilt eine Zeile ihr Blatt mit Zeilen der Tabelle. Deren Zahlen, jede nach ihrem Anteil am Blatt
und über die Bäume gemittelt, sind eine Verteilung, nicht nur ein Mittelwert (*quantile regression forests*,
Meinshausen 2006). Ein Intervall lässt an beiden Enden gleiche Anteile davon weg.

Über der gestrichelten Linie enthalten die Intervalle mehr Zeilen, als sie angeben, und könnten schmaler sein;
darunter enthalten sie weniger.
"""
FOREST, STATED, MEASURED, WIDTH = "Wald", "angegebene Abdeckung", "gemessene Abdeckung", "mittlere Breite"


def too_large(side: str, most: int) -> str:
    return f"Wald {side} hat hier keine Intervalle: Zeilen mal Bäume sind mehr als {count(most)}."


def of_row(coverage: float, low: float, high: float, has_seen: bool) -> str:
    by = "von Bäumen, die alle auf ihr wuchsen" if has_seen else "von Bäumen, die nicht auf ihr wuchsen"
    return f"{percent(coverage)}-Intervall, {by}: **{number(low)}** bis **{number(high)}**."


def measured_on(side: str, n: int) -> str:
    return f"Wald {side}: gemessen an {count(n)} Zeilen, jede von Bäumen, die nicht auf ihr wuchsen."

"""Texte des Reiters „Fehlende Werte“ der Seite „Baum“."""

from __future__ import annotations

from espalier.views.theme import count

INTRODUCTION = (
    "Wie gut kommt jede Art des Umgangs mit fehlenden Werten mit Lücken zurecht? Werte werden zufällig entfernt; "
    "Bäume mit den Einstellungen links wachsen und werden mit diesen Lücken getestet."
)
REPEATS = "Wiederholungen"
REPEATS_HELP = (
    "Jede hält andere Zeilen zurück und entfernt andere Werte. Mehr machen die Balken kürzer und brauchen länger."
)
AT_RANDOM = (
    "Hier sagt eine Lücke nichts über das Ziel, denn der Zufall macht sie. Wo eine Lücke etwas bedeutet, wie bei "
    "einer Untersuchung, die der Arzt nicht für nötig hielt, können *Auf die bessere Seite* und *Als eigene "
    "Kategorie* daraus lernen und besser sein, als dieses Bild zeigt (Ding & Simonoff 2010)."
)
NO_SURROGATES = (
    "Mit dem Gewinnverhältnis oder monotonen Spalten gibt es keine Ersatzteilungen, also drei Möglichkeiten."
)
ONE_COLUMN = (
    "Bei einer einzigen Spalte kann keine andere einspringen: Ersatzteilungen kennen nur die größere Seite."
)
AT_WORK = "**Bäume mit Lücken wachsen**"
BEGIN = "Möglichkeiten vergleichen"
STOPPED = "Der Vergleich wurde angehalten."
FAILED = "Die Möglichkeiten lassen sich nicht vergleichen."


def below_the_picture(is_share: bool, percent: int, has_gaps: bool) -> str:
    unit = "der Anteil der Zeilen mit falscher Klasse" if is_share else "der mittlere quadratische Fehler"
    own = " Werte, die in der Tabelle fehlen, fehlen weiter." if has_gaps else ""
    return (
        f"Fehler: {unit}, bei den {percent} % der Zeilen, die zurückgehalten werden, in jeder Wiederholung "
        "andere. Alle Möglichkeiten haben dieselben Zeilen und dieselben Lücken, in den Zeilen zum Wachsen wie "
        f"in den zurückgehaltenen.{own} Balken sind ein Standardfehler, der berücksichtigt, dass Wiederholungen "
        "Zeilen gemeinsam haben (Nadeau & Bengio 2003)."
    )


def much_to_do(n_trees: int, n_rows: int) -> str:
    return f"{count(n_trees)} Bäume müssen auf je bis zu {count(n_rows)} Zeilen wachsen."


def in_part(n_repeats: int, of: int) -> str:
    return f"{count(n_repeats)} von {count(of)} Wiederholungen sind fertig."

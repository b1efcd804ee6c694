"""Texte zum gewählten Knoten auf der Seite „Baum“: seine Teilung oder sein Modul, seine Regel und seine Zeilen."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.views.theme import count, number, percent

ERRORS, FORMULA = "Fehler nach Größe", "Formel"
TABS = ("Warum diese Teilung", "Regel", "Zeilen", "Ziel", ERRORS, FORMULA)
FORMER_TABS = {
    "Missing values": "dieser Reiter ist fort; die Behandlung fehlender Werte ist eine Einstellung des Baums"
}
NO_GROUPS = "Gruppen haben hier keine eigenen Bäume; „Zeilen filtern“ auf der Seite „Daten“ nimmt die einer Gruppe"
CLEAR = "Auswahl aufheben"
ROOT, LEAF, NODE = "Wurzel", "Blatt", "Knoten"
START = "Start"
HELD_OUT = "zurückgehalten"
GROWN_ON = "zum Wachsen benutzt"
FROM_HERE = "Hier beginnt jede Zeile."


def node(kind: str, at: int) -> str:
    return f"{kind} {at}"


def says(answer: str) -> str:
    return ": " if answer.endswith(".") else " sagt "


def size_and_depth(size: str, depth: int) -> str:
    return f" · {size} · Tiefe {depth}"


def rows_and_share(n: int, share: float) -> str:
    return f"{count(n)} Zeile{'n' * (n != 1)}, {percent(share)}"


def with_weight(weight: str, share: str) -> str:
    return f", Gewicht {weight} ({share})"


def of_weight(weight: str) -> str:
    return f", Gewicht {weight}"


def with_row(part: str, row: str, is_held: bool) -> list[str]:
    return [f" · mit {part}", row, f" ({HELD_OUT if is_held else GROWN_ON}), in Wahrheit "]


def in_short(conditions: Sequence[str]) -> str:
    return "wenn " + " und ".join(conditions) if conditions else FROM_HERE


ONE_TARGET = "Alle Zeilen hier haben dasselbe Ziel: Es gibt nichts mehr zu unterscheiden."
ONE_VALUE = "Keine Spalte hat zwei verschiedene Werte in diesen Zeilen; nichts trennt sie."
FEATURE = "Spalte"
GAIN = "Gewinn"
RATIO = "Verhältnis"
BEST_SPLIT = "beste Teilung"
OF_LEAF = "Ein Blatt: Das könnte eine weitere Teilung gewinnen. Ein Häkchen an einer Spalte zeigt ihre Kurve."
OF_OPTIMAL = (
    "✓ ist, wonach der Baum teilt: das Beste für den ganzen Baum, wenn auch nicht hier. Ein Häkchen an einer "
    "anderen Spalte zeigt ihre Kurve."
)
BY_CHANCE = (
    "✓ ist, wonach der Baum teilt; der Zufall war beteiligt, darum können andere mehr gewinnen. Ein Häkchen an "
    "einer Spalte zeigt ihre Kurve."
)
OTHER_WAY = (
    "✓ ist, wonach der Baum teilt, auf seine eigene Art mit fehlenden Werten; Tabelle und Kurve schicken sie "
    "auf die bessere Seite und können mehr gewinnen. Ein Häkchen an einer anderen Spalte zeigt ihre Kurve."
)
SURROGATES = "Ersatzteilungen"
NO_COLUMN = (
    "Jede Spalte steht in der Liste *Spalten, nach denen keine Teilung fragen darf*; es bleibt keine zum Teilen."
)
WITHOUT_LEFT_OUT = " Spalten der Liste *Spalten, nach denen keine Teilung fragen darf* sind hier nicht zu sehen."
WITHOUT_FORBIDDEN = "Teilungen, die monotone Spalten verbieten, fehlen hier."
WITH_SETS = "Auch Mengen von Kategorien stehen hier; dieser Baum trennt eine Kategorie von allen anderen."
BY_RATIO = (
    "✓ ist, wonach der Baum teilt: das größte Verhältnis unter den Spalten, deren Gewinn mindestens der "
    "Durchschnitt ist; die mit weniger Gewinn stehen darunter. Das Verhältnis ist der Gewinn durch die "
    "Entropie der Größen beider Seiten. Ein Häkchen an einer anderen Spalte zeigt ihre Kurve."
)
ASKED_HERE = "✓ steht bei der Spalte, nach der der Baum teilt."
BY_GAIN = "✓ ist, wonach der Baum teilt: der größte Gewinn. Ein Häkchen an einer anderen Spalte zeigt ihre Kurve."


def gain_as_much(splits: Sequence[str], more: int) -> str:
    names = [f"**{one}**" for one in splits] + ([f"{count(more)} weitere"] if more else [])
    listed = " und ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
    verb = "gewinnt" if len(names) == 1 else "gewinnen"
    return f"Gleichauf: {listed} {verb} ebenso viel. Welche der Baum nimmt, ist Regel, kein Ergebnis."


def by_hand(change: str) -> str:
    return (
        f"✎ Dieser Knoten ist von Hand gemacht: {change}. Ein Häkchen an einer Spalte zeigt ihre Kurve, und ein "
        "Schnitt darauf lässt sich übernehmen."
    )


def gains_alt(by: str) -> str:
    return f"Beste Teilung jeder Spalte, nach {by}"


def without_question(answer: str) -> str:
    return f"Jede Zeile beginnt an der Wurzel. Ohne jede Frage ist die Antwort **{answer}**."


def rule(conditions: Sequence[str], answer: str) -> str:
    lines = "\n".join(f"- {condition}" for condition in conditions)
    return f"**Wenn**\n\n{lines}\n\n**dann** {answer}."


def value_of_row(row: str, value: str) -> str:
    return f" — {row}: **{value}**"


ROWS_ALT = "Zeilen im gewählten Knoten"
TICK = "Ein Häkchen an einer Zeile zeigt ihren Weg durch den Baum."


def first_rows(most: int, n: int) -> str:
    return f"Die ersten {count(most)} von {count(n)} Zeilen. " if n > most else ""


NO_CUT = "Kein Schnitt einer Spalte gewinnt etwas bei diesen Zeilen."
IMPURITY = "h"
MEAN_GAIN = "mittlerer Gewinn"
SHARE = "Anteil"
GOES_LEFT = "geht nach links"
OFFERS_ALT = "Was jede Spalte diesem Knoten bietet, die kleinste Unreinheit zuerst"
MODULE_ALONE = "✓ ist das Modul: ohne Optionen nur die beste."
H = (
    "h ist die mittlere Unreinheit über die Schnitte der Spalte, und der mittlere Gewinn, wie viel kleiner sie "
    "damit ist als vorher. "
)
CHANCE_CHOSE = " Der Zufall hat gewählt, welche Spalten hier versucht wurden."
SMALL_FRACTIONS = (
    " Kleine Bruchteile gingen beim Wachsen des Baums ganz auf eine Seite; darum weichen seine eigenen Zahlen ein "
    "wenig ab."
)
TICK_FEATURE = " Ein Häkchen an einer Spalte zeigt ihre Schnitte."


def limit(least: float, tolerance: float, depth: int, is_classification: bool) -> str:
    how = "η₀ / s³" if is_classification else "η₀ / s³ mal die doppelte Varianz der Wurzel"
    return f"h ≤ {number(least, 4)} + {number(tolerance, 2)} ({how}, hier s = {depth})"


def module_of_leaf(limit_: str) -> str:
    return f"Ein Blatt, hier wird nichts gefragt. Das könnte ein Modul gewinnen; Spalten kämen hinzu bis {limit_}."


def in_module(limit_: str) -> str:
    return f"✓ gehört zum Modul: {limit_}."


SOFT_SIGNS = (
    "≲ heißt *kleiner als ungefähr*: Je näher ein Wert an der Schwelle liegt, desto mehr der Zeile geht den "
    "anderen Weg. Prozente vor einem Doppelpunkt sind Anteile in einem Modul: was eine Option zählt."
)
BARS = (
    "Balken sind die Bruchteile der Zeile bei den Werten ihrer Blätter, die Linie ihr gewichtetes Mittel, das "
    "Band ± σ."
)
LONE_LEAF = "Der Baum ist ein einziges Blatt."


def wholly_at_root(answer: str) -> str:
    return f"Jede Zeile beginnt ganz an der Wurzel. Ohne jede Frage ist die Antwort **{answer}**."


def as_far_as(steps: Sequence[str], answer: str) -> str:
    lines = "\n".join(f"1. {step}" for step in steps)
    return f"Eine Zeile kommt hierher, **soweit**\n\n{lines}\n\n**dann** {answer}."


def soft_in_short(steps: str) -> str:
    return f"soweit {steps}" if steps else FROM_HERE


def answer_to(row: str, answer: str) -> str:
    return f"{row}: **{answer}**"


def over_all_classes(spread: float) -> str:
    return f" Über alle Klassen ist σ {number(spread, 2)}."


def based_on(n: int, fraction: float) -> str:
    if n == 1:
        return "**Beruht auf**"
    return f"**Beruht auf** den {n} Blättern mit den größten Bruchteilen, zusammen {percent(fraction)}:"


def from_leaf(about: str, leaf: int, answer: str) -> str:
    return f"**{about}** aus Blatt {leaf}: **{answer}**"


def mostly_if(steps: Sequence[str]) -> str:
    lines = "".join(f"\n   - {step}" for step in steps)
    return f"wenn, zum größten Teil,{lines}" if steps else LONE_LEAF


FRACTION = "Bruchteil"
FRACTIONS_ALT = "Zeilen im gewählten Knoten, nach dem Bruchteil, der von jeder hier ist"


def wholly_here(n_whole: int, n: int) -> str:
    return (
        f"{count(n_whole)} von {count(n)} sind ganz hier. Ein Häkchen an einer Zeile zeigt den Weg ihrer "
        "Bruchteile durch den Baum."
    )


def weigh(n: int, weight: float) -> str:
    return f"Jede Zeile zählt mit dem Bruchteil, der von ihr hier ist: {count(n)} Zeilen wiegen {number(weight)}."


def all_rows(n: int) -> str:
    return f"{count(n)} Zeilen"


def rows_in_part(n: int, weight: float, share: float) -> str:
    return f"{count(n)} Zeilen zum Teil, zusammen {number(weight)}, {percent(share)}"


def part(fraction: float) -> str:
    return f"{percent(fraction)} von "

"""Texte der Seite „Wälder“: der Rahmen, das Wachsen, die Fehler, und die Bäume einzeln."""

from __future__ import annotations

from espalier.views.theme import count, number, percent

TABS = (
    "Fehler",
    "Bäume",
    "Runde für Runde",
    "Eine Zeile",
    "Übereinstimmung",
    "Wichtigkeit",
    "Fläche",
    "Film",
    "Unterschiede",
)


def forest(side: str) -> str:
    return f"Wald {side}"


def heading(side: str) -> str:
    return f"**{forest(side)}**"


def limited(side: str, depth: int | None, most: int) -> str:
    return (
        f"{forest(side)}: Bäume enden bei Tiefe {depth}. Ohne Ende könnten so viele Zeilen mehr als die "
        f"{count(most)} MB brauchen, die dieser Server für Wälder hat; eine eigene Tiefe lässt sich wählen."
    )


def too_large(megabytes: float, most: int) -> str:
    return (
        f"er kann {count(round(megabytes))} MB brauchen, und dieser Server erlaubt {count(most)} MB; weniger "
        "Bäume helfen, eine kleinere Tiefe, oder mehr zurückgehaltene Zeilen"
    )


def failed(side: str) -> str:
    return f"{forest(side)} konnte nicht wachsen."


def stopped(side: str, n: int, most: int | None) -> str:
    if not n:
        return f"{forest(side)} wurde angehalten, bevor er einen Baum hatte."
    of = f" von {most}" if most else ""
    return f"{forest(side)} wurde angehalten: Er hat {n}{of} Bäume."


def how_far(side: str, n: int, most: int | None) -> str:
    return f"{heading(side)}: {n} von {most} Bäumen" if most else f"{heading(side)}: bisher {n} Bäume"


def out_of_bag(side: str) -> str:
    return f"{side}, Out-of-Bag"


def held_out(side: str) -> str:
    return f"{side}, zurückgehalten"


ERROR_OUT_OF_BAG = "Fehler Out-of-Bag"
ERROR_HELD_OUT = "Fehler, zurückgehalten"
ERROR_OF_BASELINE = "Fehler des Nullmodells"
ERROR_OF_ONE = "Fehler eines Baums"
ERROR_HELP = {
    ERROR_OUT_OF_BAG: "Jede Zeile, beurteilt von den Bäumen, die sie nicht gezogen haben: das, was bei neuen "
    "Zeilen zu erwarten ist.",
    ERROR_HELD_OUT: "Bei Zeilen, die keiner seiner Bäume kennt: das, was bei neuen zu erwarten ist.",
    ERROR_OF_BASELINE: "Bei zurückgehaltenen Zeilen, sonst Out-of-Bag: immer die häufigste Klasse.",
    ERROR_OF_ONE: "Der mittlere Fehler eines Baums allein bei Zeilen, die er nicht kennt: denen Out-of-Bag, wenn "
    "es welche gibt, sonst zurückgehaltenen.",
}
EXPORT = "Exportieren"
LINK = "Link zu dieser Seite, mit allem, was eingestellt und gewählt ist:"


def data(name: str, n_rows: int, target: str, n_classes: int) -> str:
    goal = f"{n_classes} Klassen" if n_classes else "eine Zahl"
    return f"#### Wälder: {name}\n:small[:gray[{count(n_rows)} Zeilen · Ziel {target}, {goal}]]"


def in_short(side: str, kind: str, size: str) -> str:
    return f"{heading(side)} · {kind}  \n:small[{size}]"


def size(n: int, asked_for: int | None, n_leaves: float) -> str:
    fewer = f" (von {asked_for} verlangten; dann gab es nichts mehr zu wachsen)" if asked_for else ""
    kind = "Blatt" if n_leaves == 1 else "Blättern"
    return f"{n} {'Bäume' if n > 1 else 'Baum'}{fewer} mit im Mittel {number(n_leaves)} {kind}"


def save_code(side: str, ending: str, kilobytes: str) -> str:
    kinds = {"py": "Python-Funktion", "sql": "SQL-Ausdrücke", "onnx": "ONNX-Datei"}
    return f"{kinds[ending]} von Wald {side} (.{ending}, {kilobytes} kB)"


def save_trees(side: str, kilobytes: str) -> str:
    return f"Bäume von Wald {side} (.zip mit .json, {kilobytes} kB)"


WHY_TITLE = "**Warum Mitteln hilft, und was es begrenzt**"
WHY = """
Je zwei Bäume eines Waldes antworten im Grad ρ gleich (ihre *Korrelation*), und jeder allein streut um σ². Das
Mittel von *B* Bäumen streut um

$$\\rho\\,\\sigma^2 + \\frac{1-\\rho}{B}\\,\\sigma^2$$

**Mehr Bäume** nehmen den zweiten Teil weg, und sonst nichts: Im Mittel fällt der Fehler und bleibt dann. Die Kurve
einer Tabelle bewegt sich darum herum auf und ab, umso mehr, je weniger Zeilen sie testen.
**Bäume, die sich weniger gleichen,** verringern den ersten Teil: daher die neu gezogenen Zeilen, und die wenigen
Spalten, die eine Teilung versuchen darf.
"""
UNEQUAL = "Die Formel gilt für Bäume, deren Stimmen gleich zählen; die dieses Waldes tun das nicht."
NOT_MEASURED = "Nicht gemessen: Jeder Baum kennt jede Zeile. Dafür Zeilen zurückhalten."
GAINS_LITTLE = "Bei diesen Daten ist ein Baum fast so gut wie viele: Es gibt wenig wegzumitteln."
OTHER_DATA = "Daten, bei denen es mehr hilft"
OUT_OF_BAG = (
    "*Out-of-Bag*: Jede Zeile wird nur von den Bäumen beurteilt, die sie nicht gezogen haben (Breiman 2001); bei "
    "wenigen Bäumen werden darum nur manche Zeilen beurteilt."
)
NO_ERROR = "Für einen Fehler überhaupt müssen Zeilen zurückgehalten sein."


def measured(side: str) -> str:
    return f"**{forest(side)}, gemessen**"


TREES, ROUNDS, TREES_OR_ROUNDS = "Bäume", "Runden", "Bäume oder Runden"


def error_drawn(is_classification: bool) -> str:
    error = (
        "der Anteil falscher Klassen" if is_classification else "die Wurzel des mittleren quadratischen Fehlers"
    )
    return f"Fehler: {error} der ersten 1, 2, … Bäume zusammen."


def all_seen(sides: list[str]) -> str:
    return f"Jeder Baum von {' und '.join(sides)} kennt jede Zeile; darum gibt es keinen Out-of-Bag-Fehler davon."


def held_out_rows(n: int, are_few: bool) -> str:
    step = f": eine Zeile von {n} ist {percent(1 / n)}, und kleineres Zittern ist Zufall" if are_few else ""
    return f"*Zurückgehalten*: Zeilen, die kein Baum kennt{step}."


UNSEEN = "die er nicht kennt"


def one_and_all(one: str, n: int, together: str, rows: str) -> str:
    rest = f"; alle {n} zusammen: **{together}**" if n > 1 else ""
    return f"Ein Baum allein: Fehler **{one}** bei Zeilen, {rows}{rest}."


def strength(value: float) -> str:
    return f"*Stärke* s = **{number(value)}**: der Vorsprung der Stimmen der richtigen Klasse vor der nächsten."


def correlation(value: float, variance: str, n: int, limit: str) -> str:
    alike = f"Zwei Bäume gleichen sich im Grad ρ = **{number(value)}**, Paar für Paar gemessen."
    return f"{alike} Von {variance}, lassen {n} Bäume {limit}."


def variance(value: float, is_classification: bool) -> str:
    of = "der Varianz des Vorsprungs eines Baums" if is_classification else "dem quadratischen Fehler eines Baums"
    return f"σ² = **{number(value)}**, {of}"


def limit(left: float, floor: float) -> str:
    return f"**{number(left)}** übrig; so viele es auch sind, mindestens ρσ² = **{number(floor)}** bleibt"


ORDERS = {"grown": "Wie sie wuchsen", "best": "Die besten zuerst"}
FOREST, ORDER = "Wald", "Reihenfolge"
HOW_TO_READ = (
    "Fragen von links nach rechts; eine Zeile, die ja antwortet, geht nach oben. Namen sind gekürzt, damit sie "
    "passen."
)
NO_QUESTION = "Kein Baum fragt etwas: Jeder ist eine Wurzel ohne Teilung."
OPEN_HELP = "Baum, Entscheidungsfläche und jede Teilung dieses Baums"


def more_trees(n: int, left: int) -> str:
    return f"{n} weitere von {left} zeigen"


def roots(names: list[str], counts: list[int], n_others: int, n_trees: int) -> str:
    parts = [f"**{name}** {n} ×" for name, n in zip(names, counts, strict=True)]
    parts += [f"{n_others} weitere Spalte{'n' * (n_others > 1)}"] if n_others else []
    text = " und ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
    return f"Die erste Frage gilt, bei {n_trees} {'Bäumen' if n_trees > 1 else 'Baum'}: {text}."


def open_tree(number_: int) -> str:
    return f"Baum {number_} öffnen"


def tree_size(n_leaves: int, depth: int, drawn_depth: int) -> str:
    text = f"{n_leaves} {'Blatt' if n_leaves == 1 else 'Blätter'}, Tiefe {depth}"
    return f"{text} · gezeichnet bis Tiefe {drawn_depth}" if depth > drawn_depth else text


def error(text: str) -> str:
    return f"Fehler {text}"


def vote_weight(weight: float) -> str:
    return f"seine Stimme zählt {number(weight)}"


def tree_of_forest(number_: int, n_trees: int, side: str, is_last: bool, kind: str) -> str:
    last = ", der letzte" if is_last else ""
    return f"**Baum {number_} von {n_trees} aus Wald {side}**{last} ({kind})."


def rows_drawn(n: int, n_rows: int) -> str:
    return (
        f"Er hat {count(n)} von {count(n_rows)} Zeilen gezogen, manche mehrmals; alle anderen gelten als "
        "zurückgehalten."
    )

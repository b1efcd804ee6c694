from __future__ import annotations

from collections.abc import Sequence

TOO_MANY = (
    "Hier sind es zu viele Bäume, um sie zu zählen. Weniger Fehler mehr, eine kleinere Tiefe oder weniger Fragen "
    "je Spalte erlauben."
)


def cards(n_functions: str, n_cards: str, n_listed: str) -> str:
    there = f"{n_functions} Funktion{'en' * (n_functions != '1')} auf {n_cards} Karte{'n' * (n_cards != '1')}"
    return f"Die ersten {n_listed} sind mindestens {there}." if n_listed else f"Sie sind {there}."


def of_card(number: int, facts: Sequence[str]) -> str:
    return f"**{number}** · {' · '.join(facts)}"


def apart(n: int, number: str) -> str:
    if not n:
        return "jede Zeile gleich beantwortet"
    return f"höchstens {number} Zeile{'n' * (n != 1)} anders beantwortet"


GLANCE = "**Auf einen Blick: was anders ist als im Baum oben**"


def glance_caption(n_drawn: str, n: str) -> str:
    which = f"Die ersten {n_drawn} von {n} Karten" if n_drawn else f"Alle {n} Karten"
    return (
        f"{which}. Punkte sind Fragen, Balken Blätter; was kein Zeichen hat, ist wie im Baum oben. Δ: eine andere "
        "Schwelle. ≠: eine andere Frage oder eine andere Antwort. +: eine Frage, die der Baum oben nicht stellt. "
        "−: eine, die hier fehlt. Der Knopf zeigt den Baum."
    )


def cell(number: int, errors: str) -> str:
    return f"{number} · {errors}"


def functions(n: int, number: str) -> str:
    return f"{number} Funktion{'en' * (n != 1)}"


OWN = "#### Selbst gebaut"
OWN_CAPTION = (
    "Knoten für Knoten entscheiden. Neben jeder Wahl steht, wie viele der Bäume oben zu ihr und zu allem schon "
    "Entschiedenen passen, und der beste davon. Die Zahlen sind genau und zählen Bäume: Eine Funktion kann "
    "mehrere davon haben."
)
NODE = "Knoten"
ROOT = "Wurzel"
ANSWER = "Gleich antworten"
ASK = "Fragen nach"
WHERE = "Frage"
CLOSED = "Hier nicht mehr möglich"
TAKE_BACK = "Zurücknehmen"
TAKE_BACK_HELP = "Öffnet einen Knoten wieder, mit allem darunter."
ANEW = "Neu beginnen"
FINISH = "Fertig bauen lassen"
FINISH_HELP = "Ergänzt den Rest durch den besten Baum, der zum Entschiedenen passt."
SHOW = "Oben zeigen"
SHOW_HELP = "Zeigt diesen Baum anstelle des optimalen, mit Fläche, Kennzahlen und Exporten."
ONLY_ANSWERS = "Keine Frage führt hier zu einem ebenso guten Baum."
NO_DEPTH = "Hier ist die größte Tiefe erreicht: Es bleibt nur eine Antwort."
FORM = "was beim Bauen eines Baums entschieden wurde"
OWN_LOST = "own: kein gleich guter Baum passt zu dem, was dort entschieden war"
NO_STABLE = (
    "hier gibt es keinen stabilen Baum mehr, dies ist der optimale; die Seite Stabilität vergleicht Bäume neu "
    "gezogener Zeilen"
)
NOTHING_TO_PART = "Sie trennen hier keine Zeilen"


def left(trees: str, errors: str) -> str:
    return f"Noch **{trees}**; der beste hat {errors}."


def finished(errors: str, splits: str) -> str:
    return f":material/check_circle: Der Baum ist fertig: {errors}, {splits}."


def shown(errors: str, splits: str) -> str:
    return f"Das ist der selbst gebaute Baum: {errors}, {splits}."


def choice(what: str, trees: str, errors: str) -> str:
    return f"{what} · {trees} · {errors}"


def ask(name: str, trees: str, errors: str) -> str:
    return f"{name} · {trees} · bester {errors}"


def too_dear(name: str, errors: str, more: str) -> str:
    return f"- **{name}**: Der beste Baum damit hat {errors}, {more} mehr als erlaubt."


def answer_too_dear(name: str, errors: str, more: str) -> str:
    return f"- Gleich **{name}** antworten: Der beste Baum damit hat {errors}, {more} mehr als erlaubt."


def same_answer(name: str) -> str:
    return f"- Gleich **{name}** antworten: Beide Seiten der Frage darüber würden gleich antworten."


def instead_of(decision: str) -> str:
    return f" Wieder möglich ohne die Entscheidung bei „{decision}“."


def allow(slack: str) -> str:
    return f" Möglich, wenn mehr erlaubt ist: {slack} über dem besten Baum."


def not_below(slack: str) -> str:
    return f" Dafür ist mehr zu erlauben: mindestens {slack} über dem besten Baum."


def parting_none(names: str) -> str:
    return f"- {NOTHING_TO_PART}: {names}."


def at_least(errors: str) -> str:
    return f"mindestens {errors}"


TOGETHER = "#### Was diese Bäume zusammen sagen"
ALL_SETTLED = "Jede Trainingszeile bekommt von allen dieselbe Klasse."
OPEN_ROWS = "Die Zeilen, deren Klasse nicht feststeht"
IS_OPEN = "die Klasse steht nicht fest"
ROW = "Zeile"
TRUE = "in Wahrheit"
WHERE_OPEN = "**Wo diese Bäume einig sind**"
WHERE_OPEN_CAPTION = (
    "Volle Farben: Alle geben diese Klasse. Grau und gemischte Farben: Manche geben die eine, manche eine andere; "
    "alle werden gefragt. Andere Spalten haben typische Werte, oder die der gewählten Zeile."
)


def ambiguity(n: str, n_rows: str, share: str) -> str:
    return (
        f"**{n} von {n_rows} Trainingszeilen ({share}) stehen nicht fest**: Manche dieser Bäume geben ihnen eine "
        "andere Klasse."
    )


def discrepancy(n: str) -> str:
    return (
        f"Ein einzelner Baum antwortet bei höchstens {n} davon anders als der optimale. "
        "*Fachwörter:* ambiguity, discrepancy (Marx, Calmon & Ustun 2020)."
    )


def possible(name: str) -> str:
    return f"{name}, ab"


def first_rows(n: str) -> str:
    return f"Die ersten {n} Zeilen."


RELIANCE = "Fehler mehr, wenn vertauscht"


def to(low: str, high: str) -> str:
    return f"{low} bis {high}"


def reliance(n_drawn: int) -> str:
    whose = (
        f"{n_drawn} daraus gezogenen Bäumen; andere können weiter reichen" if n_drawn else "allen diesen Bäumen"
    )
    return (
        "Wie viele Fehler (wie viel Kosten) es im Mittel mehr macht, wenn jede Trainingszeile den Wert der Spalte "
        f"von einer anderen bekommt: das Mindeste und das Meiste unter {whose}. *Fachwort:* model class reliance "
        "(Fisher, Rudin & Dominici 2019)."
    )


def span(low: str, high: str) -> str:
    return low if low == high else to(low, high)

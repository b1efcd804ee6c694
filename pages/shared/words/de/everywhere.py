"""Texte, die mehrere Seiten zeigen: der Rahmen, die Adresse, die Achsen, und Modelle mit ihren Einstellungen."""

from __future__ import annotations

from collections.abc import Iterable

from espalier.language import in_style
from espalier.views.theme import count

DOING = "bei dem, was gerade zu tun war"
DRAWING = "beim Zeichnen dieses Teils der Seite"
AFTER_A_FAULT = (
    "Die Daten sind sicher. Der Zurück-Knopf des Browsers nimmt die letzte Änderung zurück; oder alles beginnt "
    "von vorn mit den Voreinstellungen. Die Einzelheiten stehen im Protokoll des Servers."
)
START_AGAIN = "Von vorn beginnen"


def fault(while_: str) -> str:
    return f"**Etwas ist schiefgegangen, {while_}.**"


def link_not_understood(parts: str) -> str:
    return (
        f"Ein Teil des Links war unverständlich; dafür gilt der nächste Wert oder die Voreinstellung: `{parts}`."
    )


WIDE_PICTURE = "Bild, das sich verschieben lässt"
NOT_FOUND = "Nicht gefunden"
SCRIPT_LOST = "Dieses Bild ließ sich nicht laden. Die Seite neu laden hilft; was eingestellt ist, bleibt."
NO_HOST = "kein Name"


def refusal(host: str) -> str:
    return (
        f"Dieser Server antwortet nicht unter dem Namen „{host}“. Er öffnet sich unter seiner IP-Adresse oder als "
        "localhost, oder mit dem Namen in --server.allowedHosts beim Start.\n"
    )


def should_be(parameter: str, text: str, expected: str) -> str:
    return f"{parameter}={text} sollte {expected} sein"


def misspelt(parameter: str, nearest: str) -> str:
    return f"{parameter}: diesen Teil eines Links kennt die Seite nicht; gemeint ist vielleicht {nearest}"


def whole_number(low: int, high: int, optional: bool) -> str:
    return f"eine ganze Zahl von {low} bis {high}" + (" oder none" if optional else "")


def a_number(low: float, high: float) -> str:
    return f"eine Zahl von {low:g} bis {high:g}"


def one_of(options: Iterable[str]) -> str:
    return "eines von " + ", ".join(option for option in options if option)


def or_one_of(other: str, options: Iterable[str]) -> str:
    return f"{other} oder eines von {', '.join(options)}"


def no_such_feature(key: str, name: str) -> str:
    return f"{key}={name}: eine solche Spalte haben diese Daten nicht"


ROW = "Zeile"
ROWS_COUNT_FROM_1 = "Zeilen zählen ab 1, wie in den Tabellen."


def row_numbers(n: int) -> str:
    return f"1 bis {n}"


def no_such_row(number: int, n: int) -> str:
    return f"row={number}: diese Daten haben die Zeilen 1 bis {n}"


NO_AXIS = "keine"
NO_SECOND_AXIS = "↕ keine"
AXES = {"x": "Waagerechte Achse", "y": "Senkrechte Achse"}


def axis_by_itself(key: str, name: str) -> str:
    return f"{'↔' if key == 'x' else '↕'} {name} (von selbst)"


WELCOME = "Ein Entscheidungsbaum wächst: Kasten oder Punkt anklicken, „Tiefe“ ziehen."
DISMISS = "Verstanden"

DATA = "Daten"
OWN_TABLE = "Eigene Tabelle öffnen"
UNDO = "Zurück"
UNDO_HELP = "Nimmt die letzte Änderung einer Einstellung zurück."
REDO = "Wieder"
REDO_HELP = "Wiederholt die Änderung, die zuletzt zurückgenommen wurde."
RESET = "Zurücksetzen"
RESET_HELP = "Alle Einstellungen wie am Anfang; die Daten und die Art des Baums bleiben."
CONTROLS = {
    "held": (
        "Zum Testen zurückgehaltene Zeilen",
        "Diese Zeilen dienen nicht zum Wachsen des Baums; sie zeigen, wie gut er bei Zeilen ist, die er nicht "
        "kennt. *Fachwort:* Testmenge, Hold-out. Klassen behalten ihre Anteile, eine Zahl ihre Streuung.",
    ),
    "seed": ("Startwert der zurückgehaltenen Zeilen", "Eine andere Zahl hält andere Zeilen zurück."),
}

HOW_GROWN = "Wie der Baum wächst"
NO_LIMIT = "ohne Grenze"
MORE = "Mehr"
MORE_OF_CART = "Grenzen, fehlende Werte, Spalten, Zufall"
MORE_OF_CULTIVATED = "Weitere Möglichkeiten, Spalten, Zufall"
MORE_OF_OPTIMAL = "Größe, Schwellen, Spalten, Zeit"
MORE_OF_OPTIMAL_NUMBERS = "Größe, Spalten, Zeit"
ONE_CATEGORY_AT_A_TIME = "Neben monotonen Spalten trennt eine Teilung eine Kategorie von allen anderen."
ONE_CUT = "ein Schnitt"


def times(factor: float) -> str:
    return f"{in_style(f'{factor:g}')}-mal"


def per_cent(share: int) -> str:
    return f"{share} %"


def kinds(pairs: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"- **{title}.** {text}" for title, text in pairs)


def other_target(learner: str, target: str, is_classification: bool) -> str:
    kind, others = ("eine Klasse", "Zahlen") if is_classification else ("eine Zahl", "Klassen")
    return (
        f"**Bäume der Art „{learner}“ sind für {others}**, und das Ziel dieser Daten, {target}, ist {kind}. Hier "
        "hilft eine andere Art von Baum, oder andere Daten."
    )


def grow_with(learner: str) -> str:
    return f"Baum wachsen lassen: {learner}"


LONE_BY_PRICE = (
    "keine Teilung ist ihren Preis wert; ein kleineres α beim Stutzen hilft, oder eine kleinere Abnahme der "
    "Unreinheit, die eine Teilung braucht"
)
LONE_BY_PRUNING = "keine Teilung ist ihren Preis wert; ein kleineres α beim Stutzen hilft"
LONE_OPTIMAL = "kein Baum dieser Größe mit diesen Fragen ist besser als gar keine Frage"
LONE_OF_FOREST = "keine Teilung der gezogenen Zeilen lohnte sich innerhalb der Grenzen des Waldes"


def lone_by_rows(n_rows: int, needed: int) -> str:
    return f"er wuchs auf {n_rows} Zeilen, weniger als den {needed}, die eine Teilung braucht"


def lone_by_leaves(n_rows: int, leaf: int) -> str:
    return f"aus {n_rows} Zeilen werden keine zwei Blätter mit je {leaf} Zeilen"


def lone_by_weight(n_rows: int, weight: float) -> str:
    return (
        f"er wuchs auf {n_rows} Zeilen, weniger als dem Gewicht {in_style(f'{weight:g}')}, das eine Teilung "
        "braucht"
    )


PRESETS = {
    "CRF-full": "CRF-full: beides",
    "CRF-split": "CRF-split: nur Schwellen",
    "CRF-option": "CRF-option: nur Spalten",
    "CRF-shallow": "CRF-shallow: beides, Tiefe 6",
}
NO_PRESET = "eine eigene Mischung"
OF_CULTIVATED = {
    "preset-picker": (
        "Wie in der Veröffentlichung",
        "Stellt alles darunter auf eine der vier Fassungen von Nalenz & Augustin (2021): mit Teilungen, die bei "
        "Spalten und Schwellen zögern, oder bei einem davon; die flache hat Tiefe 6.",
    ),
}

OF_A_FOREST = "Aus einem Wald"
OF_A_FOREST_HELP = "Ein Baum eines Waldes: gewachsen auf Zeilen, die für ihn gezogen wurden."
TREE_NUMBER = {
    "number": (
        "Nummer des Baums",
        "Bäume zählen ab 1, in der Reihenfolge ihrer Startwerte. Wo jeder seine eigenen Zeilen gezogen hat, "
        "gelten die nicht gezogenen hier als zurückgehalten.",
    )
}
BACK_TO_FORESTS = "Zurück zu den Wäldern"


def of_forest(title: str, model: str) -> str:
    return f"Aus Wald {title}: {model}."


def forest(title: str) -> str:
    return f"Wald {title}"


def for_forest(label: str, title: str) -> str:
    return label.replace("des Waldes", f"von Wald {title}")


def with_seed(text: str, seed: int) -> str:
    return text + (f", Startwert {seed}" if seed else "")


def in_short(label: str) -> str:
    return label.split(",")[0]


def set_to(label: str, value: str) -> str:
    return f"{label}: {value}"


def switched(label: str, is_on: bool) -> str:
    return label if is_on else f"nicht: {label}"


MODEL = "Modell"
FREE_PLACE = "Dieser Platz ist frei."


def nothing(noun: str) -> str:
    return f"Kein {noun}"


def place(mark: str, noun: str, number: int) -> str:
    return f"{mark} {noun} {number}"


def place_of_twin(number: int) -> str:
    return f"Modell {number}"


def switch_in_short(name: str, is_on: bool) -> str:
    return name if is_on else f"nein: {name}"


def trees_in_short(name: str, n: int) -> str:
    return f"{count(n)} {name}"


def number_in_short(name: str, value: float | None) -> str:
    return f"{name} beliebig" if value is None else f"{name} {in_style(str(value))}"


def not_offered(kinds: Iterable[tuple[str, str]]) -> str:
    return f"Hier nicht dabei: {'; '.join(f'{title}, {why}' for title, why in kinds)}."


def not_for(is_classification: bool, target: str) -> str:
    kind, others = ("eine Klasse", "Zahlen") if is_classification else ("eine Zahl", "Klassen")
    return f"Diese Art ist nur für {others}, und das Ziel, {target}, ist {kind}. Hier hilft eine andere Art."


def poisson_of_negative(target: str, row: str, value: str) -> str:
    return (
        f"**Poisson-Devianz passt nicht zu diesem Ziel.** Sie ist für Anzahlen, und das Ziel *{target}* ist "
        f"{value} in {row}. Hier hilft der quadratische oder der absolute Fehler."
    )


def poisson_of_nothing(target: str) -> str:
    return (
        f"**Poisson-Devianz passt nicht zu diesem Ziel**: *{target}* ist 0 in jeder Zeile, aus der gelernt wird. "
        "Hier hilft der quadratische oder der absolute Fehler."
    )


def all_classes(n: int) -> str:
    """Die Liste aller Klassen einer Legende."""
    return f"Alle {n} Klassen"

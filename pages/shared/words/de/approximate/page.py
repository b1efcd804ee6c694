"""Texte der Seite „Nähern“: ihre Einstellungen, ein eigenes Modell; sonst `approximate_tabs`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from espalier.views.theme import count, number
from pages.shared.words.de.everywhere import kinds

ADVANCED = "Weiteres"
CHANGE_FOREST = "Auf seiner Seite ändern"
NOT_EXACT = "Nur einer unserer Bäume oder Wälder lässt sich genau befragen."
OWN_MODEL = "Eigenes Modell (eine Datei)"
YOUR_MODEL = "Eigenes Modell"


def boxes(offered: Iterable[tuple[str, str]]) -> str:
    return (
        "Das Modell, für das der Baum stehen soll. Es lernt aus den Zeilen, die nicht zurückgehalten sind.\n"
        f"{kinds(offered)}"
        "\n- **Wald A, Wald B.** Wie sie auf der Seite „Wälder“ eingestellt sind."
        "\n- **Eigenes Modell.** Bäume von XGBoost, LightGBM, CatBoost oder R, oder eine ONNX-Datei. Nichts wird "
        "hier trainiert."
    )


def forest(title: str) -> str:
    return f"Wald {title}"


def forest_of_page(title: str) -> str:
    return f"Wald {title} der Seite „Wälder“"


def in_sentence(box: str, title: str) -> str:
    if box == "onnx":
        return "das eigene Modell"
    return title if box.startswith("forest-") else f"das Modell „{title}“"


GONE = (
    "Dieser Link verlangt ein Modell, das dieser Server nicht (mehr) hat: Hochgeladene Modelle bleiben nur, "
    "solange er läuft und Platz hat. Nach erneutem Hochladen gilt derselbe Link wieder."
)
DIGEST = "die 32 Zeichen, die ein Link zu einem hochgeladenen Modell hat"
UPLOAD = (
    "**Ein eigenes Modell** lässt sich links hochladen, eine Datei von XGBoost, LightGBM, CatBoost oder R oder "
    "eine ONNX-Datei; hier wächst der Baum, der für es steht."
)


def file_label(megabytes: int) -> str:
    return f"Modelldatei (.json, .ubj, .txt oder .onnx, höchstens {megabytes} MB)"


def file_help(n_columns: int) -> str:
    return (
        f"Ein Modell, das eine Zeile mit den {n_columns} Spalten der Tabelle als Zahlen nimmt, Kategorien als "
        "Codes 0, 1, …, und die Wahrscheinlichkeiten der Klassen oder eine Zahl sagt. XGBoost schreibt .json oder "
        ".ubj, LightGBM .txt, CatBoost .json; für rpart, ranger und randomForest gibt es ein Skript. Gelesen und "
        "ausgeführt wird es auf diesem Server in Grenzen, und sonst wird ihm in nichts vertraut. Kein Pickle wird "
        "geöffnet."
    )


def cannot_read(why: str) -> str:
    return f"**Ein eigenes Modell lässt sich hier nicht lesen:** {why}. Oder eine andere Blackbox wählen."


ORDERS = {
    "ap-classes": (
        "Klassen des eigenen Modells",
        "Welche Klasse der Tabelle jede Klasse des Modells ist. Eine Datei, die ihre Klassen nummeriert, sagt "
        "nicht, welche welche ist: Von selbst nimmt die Seite die Ordnung, die am besten zum Ziel der Tabelle "
        "passt.",
    ),
    "ap-columns": (
        "Spalten des eigenen Modells",
        "In welcher Ordnung das Modell die Spalten der Tabelle nimmt. Eine Datei ohne Namen sagt das nicht: "
        "Von selbst versucht die Seite die Ordnung der Tabelle, die des Alphabets und die umgekehrte, und "
        "nimmt, was am besten zum Ziel passt.",
    ),
}
BEST_ORDER = "Die am besten passende"
OTHER_ORDER = "In anderer Ordnung"
NAMES_IN_ORDER = "Namen in der Ordnung des Modells, einer je Zeile"
PLACES = "die Plätze der Klassen oder Spalten der Tabelle in der Ordnung des Modells, etwa 1-0"
TWICE = "Manche Namen stehen zweimal da: Jeder muss einmal dastehen."


def other_table(parameter: str, text: str) -> str:
    return f"{parameter}={text} gehört zu einer anderen Tabelle"


def no_such_name(name: str) -> str:
    return f"Die Tabelle hat kein {name}: ihre eigenen Namen eintragen, einen je Zeile."


def lacking(n: int, of: int, first: str) -> str:
    return f"{n} von {of} fehlen, zuerst {first}."


def not_so(order: str) -> str:
    return f"{order} Stimmt das nicht? Links lässt es sich ändern."


THE_TREE = "**Der Baum**"
NOT_ASKED = "Das Modell ließ sich nicht befragen."
STOPPED_PART = "Das Wachsen wurde angehalten: Dies ist der Teil des Baums, den es schon gab."


def learns(title: str, is_own: bool, seconds: float) -> str:
    return f"{title} {'wird befragt' if is_own else 'lernt'} (bisher {seconds:.0f} s)"


def compares(n: int, of: int) -> str:
    return (
        f"**Der Baum ist gewachsen.** Zum Vergleich beider wird nach {count(n)} von {count(of)} weiteren Zeilen "
        "gefragt"
    )


def begins(seconds: float) -> str:
    return f"**Der Baum beginnt**, bisher {seconds:.0f} s"


def asks(title: str, n: int, of: int, seconds: float) -> str:
    return f"{title} wird nach {count(n)} der {count(of)} Zeilen der Tabelle gefragt, bisher {seconds:.0f} s"


def grows_exactly(seconds: float, left: str) -> str:
    return f"**Der Baum wächst**: bisher {seconds:.0f} s, {left}"


def grows(n: int, most: int, seconds: float, left: str) -> str:
    return (
        f"**Der Baum wächst**: {count(n)} von höchstens {count(most)} erfundenen Fällen gefragt, bisher "
        f"{seconds:.0f} s, {left}"
    )


def at_most(time: str) -> str:
    return f"höchstens {time}"


def asking(who: str) -> str:
    return f"Befragt wird {who}"


def asking_stopped(who: str) -> str:
    return f"Die Befragung wurde angehalten; gefragt wurde {who}."


def rows_asked(title: str, n: int, of: int) -> str:
    return f"{title} wird nach {count(n)} von {count(of)} Zeilen gefragt"


def too_large(n: int, n_columns: int, megabytes: float, most: int) -> str:
    return (
        f"{count(n)} erfundene Fälle mit {count(n_columns)} Spalten können {count(round(megabytes))} MB "
        f"brauchen, und dieser Server erlaubt {count(most)} MB; weniger Fälle helfen"
    )


def stopped(who: str) -> str:
    return f"Das Wachsen wurde angehalten, bevor es einen Baum für {who} gab."


def no_tree(who: str) -> str:
    return f"Es gibt keinen Baum für {who}."


def late(seconds: float, is_exact: bool) -> str:
    fewer = "weniger Fragen" if is_exact else "weniger erfundene Fälle oder weniger Fragen"
    return (
        f"**Das Wachsen wurde nach {seconds:.0f} s angehalten**, mehr erlaubt dieser Server nicht: Dies ist der "
        f"Teil des Baums, den es schon gab. Für einen ganzen Baum helfen {fewer}, oder eine Blackbox, die "
        "schneller antwortet."
    )


def slow(milliseconds: float, parts: Sequence[str]) -> str:
    return f"Das Modell braucht {number(milliseconds)} ms je Zeile; darum {' und '.join(parts)}."


def fewer_cases(n: float, of: int) -> str:
    return f"werden höchstens {count(round(n))} erfundene Fälle gefragt statt {count(of)}"


def fewer_fresh(n: int, of: int) -> str:
    return f"werden beide an {count(n)} frischen verglichen statt an {count(of)}"

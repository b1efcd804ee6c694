"""Texte der Seite „Nähern“: ihre Einstellungen, ein eigenes Modell; sonst `approximate_tabs`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from espalier.views.theme import count, number
from pages.shared.words.de.everywhere import kinds

ADVANCED = "Weiteres"
CHANGE_FOREST = "Auf seiner Seite ändern"
NOT_EXACT = "Nur einer unserer Bäume oder Wälder lässt sich genau befragen."
OWN_MODEL = "Eigenes Modell (eine Datei)"


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

"""Texte zum Gradient Boosting: der Reiter „Runde für Runde“, und Hinweise, wo eine Summe keine Stimmen hat."""

from __future__ import annotations

from espalier.views.theme import count, number

TAB = "Runde für Runde"
STEPS = f"Jeder ist ein Schritt, der die Summe davor verbessert: Blätter sagen, wie weit. Siehe *{TAB}*."
NOT_MEASURED = "Nicht gemessen: Es gibt keine Zeilen, die seine Bäume nicht kennen. Dafür Zeilen zurückhalten."
NOT_AVERAGED = (
    "Hier wird nichts gemittelt; die Formel gilt darum nicht. Ein Baum stimmt nicht ab; er verbessert die "
    "Summe der früheren. Das verringert die Verzerrung, und zu viele Runden folgen dem Rauschen: Der Fehler "
    "kann wieder steigen."
)


MEAN_OF_LOG_ODDS = (
    "Seine Bäume nennen logarithmierte Chancen; aus deren Mittel über die Bäume werden Anteile: Jeder zählt so "
    "viel wie jeder andere, und keiner stimmt ab."
)


def of_forest(side: str) -> str:
    return f"Wald {side}:"


def trees_and_error(n: int, error: str) -> str:
    return f"Alle {n} Bäume zusammen: Fehler **{error}** bei zurückgehaltenen Zeilen."


def no_votes(side: str) -> str:
    return (
        f"Wald {side} summiert seine Bäume: Jeder ist ein Schritt, der die Summe der früheren verbessert, "
        f"und sagt allein nichts. Darum hat er hier keine Stimmen zu zeigen. *{TAB}* zeigt seine Schritte."
    )


def not_alone(side: str) -> str:
    return (
        f"Ein Baum von Wald {side} ist kein Baum für sich: Er ist ein Schritt des Gradient Boosting, der die "
        f"Summe der früheren verbessert. Die Seite „Wälder“ zeigt ihn unter *{TAB}*."
    )


def not_out_of_bag(sides: list[str]) -> str:
    return (
        f"Die Bäume von {' und '.join(sides)} werden summiert: Ohne einige davon gibt es keine Summe, "
        "die sich Out-of-Bag beurteilen ließe."
    )


def rounds_and_error(n: int, trees_a_round: int, error: str) -> str:
    each = f", jede aus {trees_a_round} Bäumen, einem je Klasse" if trees_a_round > 1 else ""
    return f"{rounds(n)}{each}: Fehler **{error}** bei zurückgehaltenen Zeilen."


def rounds(n: int) -> str:
    return f"{n} Runde{'n' * (n > 1)}"


def round_of(number_: int, of_class: str) -> str:
    return f"Runde {number_}, {of_class}" if of_class else f"Runde {number_}"


def size(n: int, n_trees: int, n_leaves: float) -> str:
    leaves = f"{number(n_leaves)} {'Blatt' if n_leaves == 1 else 'Blättern'}"
    return f"{rounds(n)}: {n_trees} {'Bäume' if n_trees > 1 else 'Baum'} mit im Mittel {leaves}"


def answer(text: str) -> str:
    return f"Sagt **{text}**."


def how_far(side: str, n: int, most: int | None) -> str:
    return f"**Wald {side}**: {n} von {most} Runden"


def stopped(side: str, n: int, most: int | None) -> str:
    return f"Wald {side} wurde angehalten: Er hat {n} von {most} Runden."


def save_forest(side: str, kilobytes: str) -> str:
    return f"Wald {side} (.json, {kilobytes} kB)"


def no_single_trees(side: str) -> str:
    return f"Die Bäume von Wald {side} sind Schritte: Allein sagt keiner etwas."


NOT_EXACT = (
    "Nicht genau: Was Gradient Boosting zu Klassen und Anzahlen sagt, ist keine Summe über seine Bäume, denn eine "
    "Verknüpfung biegt sie."
)
NONE = (
    "Keiner der Wälder ist durch Gradienten verstärkt. Mit *Gradient Boosting* als Wald A oder B in der Leiste "
    "links stehen hier die Runden einzeln: die Residuen, der Baum, der sie lernt, und die Summe."
)
ADDING = "Die Runden werden summiert …"
FOREST, ROUND, CLASS = "Wald", "Runde", "Klasse"
LOSS = {
    "log_loss": "logarithmischer Verlust",
    "squared_error": "Wurzel des mittleren quadratischen Fehlers",
    "absolute_error": "mittlerer absoluter Fehler",
    "poisson": "halbe Poisson-Devianz",
}
MOVES = {"log_loss": "der Punktwert der Klasse", "poisson": "der Logarithmus der Vorhersage"}
RESIDUAL_OF = {
    "log_loss": "Das Residuum einer Zeile ist 1 für ihre Klasse und 0 für die anderen, minus dem Anteil, den "
    "die Summe der Klasse gibt: die Steigung des logarithmischen Verlusts.",
    "squared_error": "Das Residuum einer Zeile ist ihre wahre Zahl minus der Summe: die Steigung des "
    "quadratischen Fehlers.",
    "absolute_error": "Das Residuum einer Zeile ist ihre wahre Zahl minus der Summe. Der Baum wächst nur auf den "
    "Vorzeichen, den Steigungen des absoluten Fehlers; der volle Schritt eines Blattes ist der Median seiner "
    "Residuen.",
    "poisson": "Das Residuum einer Zeile ist ihre wahre Zahl minus der Vorhersage: die Steigung der halben "
    "Poisson-Devianz. Die Summe ist der Logarithmus der Vorhersage.",
}
GROWN_ON, HELD_OUT = "zum Wachsen benutzt", "zurückgehalten"
SUM_BEFORE, SUM_AFTER, BEFORE, AFTER = "Summe vorher", "Summe nachher", "vorher", "nachher"
STEP, FULL_STEP, RESIDUAL, RESIDUAL_BEFORE = "Schritt", "voller Schritt", "Residuum", "Residuum vorher"
SHARE, OF_CLASS, OTHERS = "Anteil der Klasse", "Zeilen der Klasse", "andere Zeilen"
RESIDUALS_AND_STEP, STEP_OF_TREE, RESIDUALS = "Residuen und Schritt", "Schritt des Baums", "Residuen"
THE_SUM, SUM_AGAINST_TRUTH, SHARE_OF_CLASS = "Die Summe", "Summe gegen Wahrheit", "Anteil der Klasse"
LOSS_OF_GROWN_ON = (
    "Bei Zeilen, auf denen der Baum wuchs, kann er nur fallen. Zurückgehaltene Zeilen zeigen, von wo an er dem "
    "Rauschen folgt."
)


def tree_of_round(number_: int, of_class: str) -> str:
    text = f"**Der Baum von Runde {number_}**"
    return f"{text}, für {of_class}" if of_class else text


def how_to_read(loss: str, rate: float, depth: int | None) -> str:
    moves = MOVES.get(loss, "die Vorhersage")
    cut = f" Gezeichnet ist er bis Tiefe {depth}." if depth else ""
    return (
        f"Er lernt die Residuen. Seine Blätter sagen, wie weit sich {moves} dort bewegt: den vollen Schritt mal "
        f"der Lernrate ν = {number(rate)}. Eine Zeile, die ja antwortet, geht nach oben.{cut}"
    )


def loss_heading(loss: str) -> str:
    return f"**Nach jeder Runde: {loss}**"


def least_loss(loss: str, best: int, n: int, value: float) -> str:
    text = f"Bei zurückgehaltenen Zeilen am kleinsten nach **Runde {best}** von {n} ({loss}): {number(value)}."
    if best == n:
        return f"{text} Mehr Runden können ihn noch verbessern."
    return (
        f"{text} Frühes Anhalten behält die Runden bis dahin; spätere folgen dem Rauschen der Zeilen, auf denen "
        "er wuchs."
    )


def formula(i: int, before: float, after: float) -> str:
    return (
        f"$f_{{{i}}} = f_{{{i - 1}}} + \\nu\\,h_{{{i}}}$, wobei $h_{{{i}}}$ der Baum ist. Das quadratische "
        f"Mittel der Residuen bei den Zeilen zum Wachsen ist **{number(before)}** vor der Runde und "
        f"**{number(after)}** danach."
    )


def heading(text: str) -> str:
    return f"**{text}**"


def steps_over(n: int, column: str) -> str:
    return f"Der Baum fügt {n} verschiedene Schritte entlang {column} hinzu."


def sum_over(column: str) -> str:
    return f"Die Summe über {column}, vor der Runde und danach."


def steps_between(low: float, high: float) -> str:
    return f"Schritte von {number(low)} bis {number(high)}."


def spread(before: float, after: float) -> str:
    return f"Standardabweichung der Residuen: {number(before)} vor der Runde, {number(after)} danach."


def correlation(value: float) -> str:
    return f"Korrelation der Summe mit der Wahrheit: {number(value)}."


def mean_shares(own: float | None, others: float | None) -> str:
    on_own, on_others = ("keiner" if mean is None else number(mean) for mean in (own, others))
    return f"Mittlerer Anteil der Klasse: {on_own} bei ihren Zeilen, {on_others} bei anderen."


def residual(loss: str) -> str:
    return RESIDUAL_OF[loss]


def some_rows(n: int, n_rows: int) -> str:
    return f"Betrachtet sind nur {count(n)} von {count(n_rows)} Zeilen, gleichmäßig ausgewählt."

"""Texte der Seite „Baum“: Überschrift, Ausgaben, Suche, Galerie und Bilder; `nodes` hat die des Knotens."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.views.theme import count


def heading(name: str, size: str) -> str:
    return f"#### Baum: {name}\n:small[:gray[{size}]]"


ACCURACY = {"accuracy": "Genauigkeit", "r2": "R²"}
ERROR = "Fehler"
ROWS = {"held-out": "zurückgehalten", "training": "Training"}
BASELINE = "Nullmodell"
LEAVES = "Blätter"
DEPTH = "Tiefe"
MODULES = "Module"
STANDS_FOR = "steht für"
NUMBERS = {
    "held-out": "Bei Zeilen, die der Baum nicht kennt: das, was bei neuen zu erwarten ist.",
    "training": "Bei den Zeilen, auf denen der Baum wuchs; ein tiefer Baum lernt sie auswendig.",
    BASELINE: "Was es ganz ohne Frage gibt: die häufigste Klasse der Trainingszeilen, oder ihr Mittelwert.",
    LEAVES: "Jedes ist ein Gebiet der Entscheidungsfläche und eine Regel.",
    DEPTH: "Fragen auf dem längsten Weg von der Wurzel zu einem Blatt.",
    MODULES: "Knoten, die zögern: Sie fragen mehrere Spalten, oder behalten mehrere Schwellen einer Spalte. "
    "*Fachwort:* Ensemble-Modul (Option, robuste Teilung).",
    STANDS_FOR: "Ein kultivierter Baum antwortet wie der Durchschnitt aller Bäume, die sich in jedem Knoten "
    "für eine Spalte und eine Schwelle entscheiden; so viele gibt es. *Symbol:* |D×|, die Größe des kartesischen "
    "Produkts aller Module (Nalenz & Augustin 2021, Gleichung 1).",
}


def one_in(step: int) -> str:
    if step == 1:
        return ""
    return f" Gemessen an jeder {step}. davon; die Gütemaße am Fuß der Seite haben alle."


def size(n_rows: int, n_features: int, target: str, n_classes: int) -> str:
    features = "1 Spalte" if n_features == 1 else f"{n_features} Spalten"
    kind = f"{n_classes} Klassen" if n_classes else "eine Zahl"
    return f"{count(n_rows)} Zeilen · {features} · Ziel {target}, {kind}"


def trees(number: str) -> str:
    return f"{number} {'Baum' if number == '1' else 'Bäume'}"


THE_TREE = "Der Baum"
ONE_TARGET = "alle Zeilen, auf denen er wuchs, haben dasselbe Ziel; es gibt nichts zu unterscheiden"
ALL_LEFT_OUT = "alle Spalten stehen in der Liste der Spalten, nach denen keine Teilung fragen darf"
NO_GAIN = "keine Teilung nach einer Spalte verringert die Unreinheit"
COSTS = "Prozente im Baum zählen eine Zeile so oft, wie ihre Verwechslung mehr kostet als die einer anderen."


def pruned_into_one(n_leaves: int) -> str:
    return f"alle {n_leaves} Blätter wurden zu einem gestutzt"


def lone_root(why: str) -> str:
    return f"Der Baum ist eine Wurzel ohne Teilung: {why}. Er sagt zu jeder Zeile dasselbe."


def warning(text: str) -> str:
    return f":material/warning: {text}"


HOW_GOOD = "Wie gut ist dieser Baum?"
WHOSE = {"tree": "Baum", "baseline": "Nullmodell"}
SCORES_ALT = "Gütemaße des Baums und des Nullmodells"


def scores_of(rows: str, whose: str) -> str:
    return f"{ROWS[rows]}: {WHOSE[whose]}"


def scores(brier: str) -> str:
    return (
        "↑ mehr ist besser, ↓ weniger ist besser. Das Nullmodell stellt keine "
        f"Frage.{f' {brier}' if brier else ''}"
    )


def confusion(rows: str) -> str:
    return f"**Konfusionsmatrix, {rows}**"


TREE = "**Baum**"
DRAWING = "Darstellung"
GRAPHS = {"cards": "Karten", "film": "Film", "classical": "Klassisch"}
SHOWN = {
    True: {"probability": "Wahrscheinlichkeit", "class": "Klasse", "uncertainty": "Unsicherheit"},
    False: {"probability": "Wert", "uncertainty": "Streuung"},
}
HESITATION = {"spread": "Zögern σ"}
OTHERS = {
    "average": "die eigenen Werte jeder Zeile: die Antwort ist der Durchschnitt über die Zeilen",
    "typical": "ihren Median oder häufigsten Wert",
    "row": "die Werte der gewählten Zeile",
}
OPTIONS = "Was die Farben zeigen, und wo die anderen Spalten gehalten werden"
COLOURS = "Farben zeigen"
OTHER_FEATURES = "Spalten ohne Achse haben"
CLASSICAL_ALT = "Klassische Zeichnung des Baums"
MOST_USE = "zuerst die, die der Baum am meisten braucht"


def is_cut(depth: int) -> str:
    return f"Gezeichnet bis zur Tiefe {depth}; der DOT-Export hat den ganzen Baum."


def chosen_axis(arrow: str, name: str, is_pinned: bool) -> str:
    return f"{arrow}\N{NO-BREAK SPACE}{name}{' (von selbst)' * is_pinned}"


def no_axis(arrow: str) -> str:
    return f"{arrow} Treppenkurve"


def no_such_node(node: int, most: int) -> str:
    return f"node={node}: dieser Baum hat die Knoten 0 bis {most}"


EXPORT = "Exportieren"
FORMATS = {
    "py": "Python-Funktion",
    "sql": "SQL-Ausdruck",
    "txt": "Regeln in Worten (englisch)",
    "json": "JSON, wieder lesbar",
    "dot": "Graphviz-DOT",
}
PICTURES = "Baum und Entscheidungsfläche haben eigene Knöpfe für ein Bild."
REPORT = "Bericht über diesen Baum, zum Lesen und Drucken (.html)"
SCRIPT = "Python, das diesen Baum wieder wachsen lässt (.py)"
NOTEBOOK = "Notebook, das diesen Baum wieder wachsen lässt (.ipynb)"
PREDICTIONS = "Vorhersagen aller Zeilen (.csv)"
LINK = "Link zu dieser Seite, mit allem, was eingestellt und gewählt ist:"
DIALECT = "SQL für"
DIALECT_HELP = "Datenbanken schreiben Namen, Texte und Zahlen auf eigene Art."
ROW = "Zeile"
HELD_OUT = "zurückgehalten"
TARGET = "Ziel"
PREDICTED = "vorhergesagt"
SPREAD = "Streuung"


def no_source(why: str) -> str:
    return f"Dieser Baum lässt sich so nicht schreiben: {why}"


def too_many_sums(n_sums: int, n_rows: int, megabytes: str, most: int) -> str:
    return (
        f"**Dieser schräge Baum ist zu groß, um ihn zu zeigen.** Er wägt in {count(n_sums)} Teilungen mehrere "
        f"Spalten ab; eine Summe für jede von {count(n_rows)} Zeilen bräuchte {megabytes} MB, und die Seite hat "
        f"{most} MB. Eine kleinere Tiefe hilft."
    )


def weight_of(name: str) -> str:
    return f"Gewicht: {name}"


def share_of(name: str) -> str:
    return f"Anteil von {name}"


GROWING = "**Der Baum wächst**"
GROWING_NOW = "Der Baum wächst …"
TRYING = "Jede Schwelle wird versucht …"
STOPPED = "Das Wachsen wurde angehalten, bevor es einen Baum gab."
STOPPED_PART = "Das Wachsen wurde angehalten: Dies ist der Teil des Baums, den es schon gab."
STILL_SEARCHED = "bester Baum bis jetzt"
NOT_GROWN = "Der Baum konnte nicht wachsen."
SEARCHING = "**Der beste Baum wird gesucht**"
RACE = "**Bester gefundener Baum, und die Schranke, die keiner unterbietet**"
BEST_SO_FAR = "**Bester Baum bis jetzt**"


def growing_on(n_rows: int) -> str:
    return f"{GROWING} auf {count(n_rows)} Zeilen"


def searching(best_and_bound: str) -> str:
    return f"{SEARCHING}: {best_and_bound}"


WHY_NOT_EVERY = (
    "Automatisch: etwa zehn Schwellen jeder Zahl, denn jede Schwelle könnte bei dieser Tiefe und Größe oder mit "
    "diesen Grenzen lange dauern. *Fragen je Spalte* erlaubt jede."
)
GO_ON = "Weiter"
GO_ON_HELP = "Setzt die Suche fort, wo sie war, noch einmal so viele Sekunden."
DIFFER = "die Bäume antworten verschieden"
BESIDE = "#### Gierig neben optimal"
OPTIMAL = "Optimal"
BEST_FOUND = "Bester gefundener"


def greedy(depth: int | None) -> str:
    return f"Gierig: CART der Tiefe {depth}"


def mean_error(amount: str, n_rows: str, kind: str) -> str:
    return f"{amount} auf {n_rows} Zeilen ({kind})"


def beside(title: str, n_leaves: int, errors: str) -> str:
    return f"**{title}**, {n_leaves} Blätter  \n:small[{errors}]"


LOOKING = "**Ebenso gute Bäume werden gesucht**"
ASKED = "Bäume, die danach fragen"
FEATURE = "Spalte"
AS_GOOD = "#### Andere ebenso gute Bäume"
NOT_PROVED = (
    "Welche anderen Bäume ebenso gut sind, lässt sich nur von einem Baum sagen, der nachweislich der beste ist."
)
NOT_FOR_NUMBERS = (
    "Sie werden nur gesucht, wo das Ziel eine Klasse ist: Bei Zahlen sind kaum zwei Bäume gleich gut."
)
NOT_WITH_DIRECTIONS = "Sie werden nur gesucht, wo keine Spalten monoton sind."
OVER_SOME_THRESHOLDS = (
    "Über alle Schwellen sind es hier zu viele solche Bäume, um sie zu zählen, oder es würde zu lange dauern. Die "
    "gezeigten stellen die Fragen des optimalen Baums und etwa zehn weitere je Spalte. Um alle zu "
    "sehen, weniger zusätzliche Fehler, eine kleinere Tiefe oder weniger Fragen je Spalte erlauben."
)
LOOKING_STOPPED = "Angehalten: Es kann weitere ebenso gute Bäume geben."
NO_OTHERS = "Es gibt keine anderen Bäume."
FEATURES_ALT = "Wie viele der Bäume nach jeder Spalte fragen"
GALLERY = (
    "Fragen von links nach rechts; eine Zeile, die ja antwortet, geht nach oben. Eine Karte hat Bäume mit "
    "denselben Spalten und denselben Antworten an denselben Stellen, die höchstens 2 % der Zeilen anders "
    "beantworten als ihr bester Baum; ein Bereich hat alle Schwellen, nach denen sie dort fragen. Bäume, "
    "die jeder möglichen Zeile dasselbe antworten, zählen als eine Funktion. *Öffnen* zeigt den besten Baum einer "
    "Karte."
)
BACK_TO_OPTIMAL = "Zurück zum optimalen Baum"
OPEN = "Öffnen"
SLACK = {
    "slack": (
        "Wie viel schlechter als der beste, höchstens",
        "0: nur Bäume, die so gut sind wie der optimale. Bei mehr auch die, die so viele Fehler mehr machen "
        "(so viel mehr kosten, wo Fehler verschieden teuer sind). *Fachwort:* `optimal_trees(slack=…)`.",
    )
}


def looking(n: int) -> str:
    return f"{LOOKING} bisher {n}"


def no_such_tree(number: int, n: int) -> str:
    return f"tree={number}: es gibt {n} Bäume, die so gut sind"


def of_gallery(number: int, facts: Sequence[str]) -> str:
    return f"Das ist Baum {number} der Galerie unten: {', '.join(facts)}."


def splits(n: int) -> str:
    return f"{n} Teilung{'en' * (n != 1)}"


def more(n: int, left: int) -> str:
    return f"{n} weitere von {left} zeigen"


def open_help(number: int) -> str:
    return f"Zeigt Baum {number} oben, anstelle des optimalen"

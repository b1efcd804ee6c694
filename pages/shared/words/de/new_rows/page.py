"""Texte der Seite „Neue Zeilen“."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.views.theme import count, number

TITLE = "Was sagt ein Modell zu neuen Zeilen?"
INTRODUCTION = (
    "Eine Datei mit Zeilen bringen, die das Modell nicht kennt. Jede bekommt eine Antwort, wie sicher sie "
    "ist, was über sie versprochen wird, und die Spalten, auf die es am meisten ankommt. Zeilen, die "
    "eine Fachperson statt des Modells beantworten sollte, werden genannt, mit dem Grund."
)
CHOOSE_A_MODEL = "Oben ein Modell wählen."
NOT_FITTED = "Das Modell ließ sich nicht bilden."
SEARCHES = "Zeit einer Suche"
WHAT_TO_HAND_OVER = "**Zeilen für eine Fachperson**"
CONTROLS = {
    "rows-from": (
        "Die Zeilen",
        "Eine eigene Datei, oder zurückgehaltene Zeilen der Tabelle, als wären sie neu: Die Hälfte von ihnen wird "
        "bewertet, die andere Hälfte beurteilt das Modell.",
    ),
    "reasons": (
        "Wichtigste Spalten",
        "Die drei Spalten, deren Werte am meisten zu jeder Antwort beitragen oder am meisten von ihr "
        "wegnehmen. *Fachwort:* Shapley-Werte (SHAP). Für viele Zeilen und große Wälder dauert das viel "
        "länger als die Antworten.",
    ),
    "drift": (
        "Prüfen, ob diese Zeilen denen gleichen, aus denen es gelernt hat",
        "Ein Wald lernt, die beiden Arten von Zeilen an ihren Spalten zu unterscheiden. Danach versuchen es 99 "
        "weitere, nachdem alte und neue Zeilen gemischt wurden. Gelingt es dem ersten besser als fast allen von "
        "ihnen, sind die Zeilen anders. *Fachwörter:* Drift, Verschiebung der Kovariablen, "
        "Zwei-Stichproben-Test durch einen Klassifikator.",
    ),
}
REASONS_AUTO, REASONS_YES, REASONS_NO = "suchen, wenn es schnell geht", "suchen", "weglassen"
NO_REASONS = "Für diese Art von Modell werden die wichtigsten Spalten nicht gesucht."
REASONS_TAKE_LONG = (
    "Die wichtigsten Spalten sind weggelassen, weil die Suche für so viele Zeilen lange dauert. Links lassen "
    "sie sich verlangen."
)
FROM_FILE, FROM_HELD = "eine Datei", "zurückgehaltene Zeilen"
UPLOAD = "Datei mit neuen Zeilen hochladen"
PASTE = "Neue Zeilen einfügen"
READ_PASTED = "Eingefügte Zeilen lesen"
DISCARD = "Verwerfen"
NO_FILE = (
    "Noch keine neuen Zeilen. Eine Datei braucht die Spalten der Tabelle unter ihren Namen, in beliebiger "
    "Reihenfolge; das Ziel darf fehlen. Eine Zeile genügt. „Zurückgehaltene Zeilen“ zeigt, wie es geht; "
    "oder mit dem Beispiel beginnen."
)
EXAMPLE = "Eine Beispieldatei (.csv)"
NONE_HELD = "Zu wenige Zeilen sind zurückgehalten: links welche zurückhalten."
ROW_OF_TABLE = "Zeile der Tabelle"
MATCH_BY_HAND = "Wie die Spalten zugeordnet sind"
COLUMN_OF_MODEL, COLUMN_OF_FILE = "Spalte des Modells", "Spalte der Datei"
NO_COLUMN = "keine"
LABEL = "Zeilen heißen nach"
LABEL_HELP = "Die Spalte, die die Zeilen benennt, etwa die Nummer eines Kunden. Das Modell nutzt sie nicht."
SCORING, NOT_SCORED = "Neue Zeilen", "Die Zeilen ließen sich nicht bewerten."
STOPPED = "Abgebrochen, bevor alle Zeilen eine Antwort hatten."
REASONS_STOPPED = "Alle Zeilen haben eine Antwort; die Suche nach den wichtigsten Spalten wurde abgebrochen."
SHOW = "Gezeigte Zeilen"
SHOW_ALL, SHOW_EXPERT = "alle Zeilen", "für eine Fachperson"
SHOW_WRONG, SHOW_OFF = "falsche Antworten", "am weitesten daneben"
NONE_OF_THESE = "Solche Zeilen gibt es nicht."
TICK_ONE = "Eine Zeile anhaken, um über sie in Worten zu lesen."
ANSWERED_ITSELF = "Das Modell beantwortet sie selbst: Es gibt keinen Grund, eine Fachperson zu fragen."
ANSWERS_ALT = "Wie viele Zeilen jede Antwort bekommen"
LIST_ALT = "Neue Zeilen mit ihren Antworten"
SAVE = "Antworten speichern"
WRITING = "Die Datei"
WRITING_STOPPED = "Das Schreiben der Datei wurde abgebrochen."
FILE_HAS = "Alle Zeilen der Auswahl oben, mit der Chance jeder Klasse und allen Spalten der Datei."


def fit_stopped(title: str) -> str:
    return f"{title} wurde abgebrochen, bevor das Modell fertig war."


def fitting(title: str, seconds: float) -> str:
    return f"**{title}** wächst, bisher {seconds:.0f} s"


def rows_of_file(n: int) -> str:
    return f"{count(n)} Zeile{'n' * (n != 1)}"


def truth_in(target: str) -> str:
    return f"Die Wahrheit ({target}) steht in"


def half_and_half(n: int, n_judges: int) -> str:
    return (
        f"{count(n)} der zurückgehaltenen Zeilen werden bewertet, als wären sie neu; die anderen "
        f"{count(n_judges)} beurteilen das Modell."
    )


def scoring(done: int, total: int) -> str:
    return f"Das Modell wird nach den Zeilen gefragt: {count(done)} von {count(total)} Schritten"


def listed(n: str, most: str) -> str:
    return (
        f"Die ersten {most} von {n} Zeilen; die Datei unten hat alle." if most else f"{n} Zeile{'n' * (n != '1')}."
    )


def adds(link: str) -> str:
    if link in ("logistic", "softmax"):
        unit = "in Log-Odds, dem Wert, aus dem die Chance wird"
    elif link == "log":
        unit = "zum Logarithmus der Antwort"
    else:
        unit = "zur Chance der Klasse oder zur Zahl"
    return f"In Klammern, was der Wert einer Spalte beiträgt (+) oder wegnimmt (−), {unit}. *Fachwort:* SHAP."


def says(row: str, answer: str, shares: str) -> str:
    return f"**{row}**: Das Modell sagt **{answer}** ({shares})."


def says_number(row: str, answer: str) -> str:
    return f"**{row}**: Das Modell sagt **{answer}**."


def says_without(row: str, answer: str, columns: str) -> str:
    return f"**{row}**: Ohne {columns} sagte das Modell **{answer}**, doch andere Werte ändern die Antwort."


def between(low: str, high: str) -> str:
    return f"zwischen {low} und {high}"


def promises(what: str) -> str:
    return f"Versprochen: {what}."


def matters(columns: Sequence[str]) -> str:
    return f"Worauf es am meisten ankommt: {'; '.join(columns)}."


def for_expert(reasons: Sequence[str]) -> str:
    return f":material/person_raised_hand: **Für eine Fachperson**; Gründe: {'; '.join(reasons)}."


def save_rows(n: str, kilobytes: str) -> str:
    return f"{n} Zeilen speichern (.csv, {kilobytes} kB)"


def writing(done: int, total: int) -> str:
    return f"Die Datei wird geschrieben: {count(done)} von {count(total)} Zeilen"


def too_few_rows(fewest: int) -> str:
    return f"Die Prüfung braucht {fewest} neue Zeilen und ebenso viele, aus denen das Modell gelernt hat."


def drifted(is_found: bool, pairs: float, p_value: float, columns: Sequence[str]) -> str:
    measured = (
        f"Von einer neuen Zeile und einer, aus der das Modell gelernt hat, weiß ein Wald bei {number(pairs)} "
        f"von 100 solchen Paaren, welche die neue ist; mit Raten wären es 50 (p = {number(p_value)})"
    )
    if not is_found:
        return f"**Kein Unterschied gefunden.** {measured}. Das beweist nicht, dass es keinen gibt."
    return (
        f"**Die neuen Zeilen sind anders.** {measured}. Am meisten helfen ihm: {', '.join(columns)}. Für solche "
        "Zeilen gelten Kennzahlen und Versprechen, die auf anderen beruhen, vielleicht nicht."
    )

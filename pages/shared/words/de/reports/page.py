"""Texts of the reports of pages."""

from __future__ import annotations

REPORT = "Bericht"
ABOUT = (
    "Was diese Seite zeigt, wie sie jetzt eingestellt ist, mit den Daten, den Einstellungen und wofür die Modelle "
    "nicht gedacht sind: eine Datei, die ohne Internet aufgeht, zum Lesen, Drucken und Aufheben."
)
SCRIPT = "Python, das die Modelle noch einmal macht (.py)"
NOTEBOOK = "Notebook, das die Modelle noch einmal macht (.ipynb)"
WRITING = "Der Bericht wird geschrieben …"
CASE = "Die Antwort auf diesen Fall"
QUESTIONS = "Die Fragen"
SHARE = "Anteil"
HESITATION = "Drei Antworten auf dieselben Zeilen"
ORIGIN = "Worum es in der Tabelle geht"
NEW_ROWS = "Was das Modell zu neuen Zeilen sagt"
MATCHED_COLUMNS = "Wie die Spalten zugeordnet sind"
BY_DEPTH = "Nach der Zahl der Fragen, die er stellen darf"
SPLITS = "Jede Teilung, und wie sicher sie ist"
ALONG = "Entlang einer Spalte"
SELECTED_NODE = "Der gewählte Knoten"
FIRST_QUESTION = "Warum er das zuerst fragt"
STORY = "Die Geschichte einer Zeile"
FOR_EXPERTS = "Zeilen für eine Fachperson"
COMPARED = "Modelle im Vergleich"
WHEN_TO_ANSWER = "Wann Modelle besser nicht antworten"
TWO_FORESTS = "Zwei Wälder"
SAME_AGAIN = "Wüchse derselbe Baum noch einmal?"
CRITICAL_LOOK = "Ein kritischer Blick"
DECISIONS = "Entscheidungen und ihre Kosten"
PROMISES = "Zusagen"
ERRORS = "Wie gut die Wälder sind"
SURFACES = "Was die Wälder antworten"
IMPORTANCE = "Worauf sich die Wälder stützen"
STRUCTURES = "Wie viele verschiedene Bäume"
COLUMNS = "Wonach sie fragen"
BOTH = "Das Modell und der Baum, der für es steht"
SURFACE = "Was er antwortet"
AGREEMENT = "Wie weit die Bäume übereinstimmen"
TREE = "Der Baum"
TREES = "Die ersten Bäume"
STANDS_IN = "Kann ein Baum für ein Modell stehen?"
NUMBER, VALUE = "Maß", "Wert"
MANY_TREES = "Was können viele Bäume, was einer nicht kann?"
INTERVALS = "95-%-Intervalle"


def interval(low: str, high: str) -> str:
    return f"{low} bis {high}"


def save(kilobytes: str) -> str:
    return f"Bericht speichern (.html, {kilobytes} kB)"


def about(question: str, models: str, data: str) -> str:
    return f"{question} {models}, auf den Zeilen von „{data}“."


def next_question(text: str) -> str:
    return f"Als Nächstes gefragt: {text}"


def about_table(name: str, target: str) -> str:
    return f"Die Tabelle „{name}“, in der Bäume {target} vorhersagen sollen."


def scikit_forest(seed: int) -> str:
    return (
        "Der Zufallswald ist der von scikit-learn: 500 Bäume, alle anderen Einstellungen wie dort "
        f"vorgegeben, Startwert {seed}."
    )


def votes_on(row: str) -> str:
    return f"Was die Bäume zu {row} sagen"


def in_truth(answer: str) -> str:
    return f"In Wahrheit ist es {answer}."


def explained(name: str) -> str:
    return f"Gezeigt für den Anteil von „{name}“:"


def answer_to(row: str, answer: str, truth: str) -> str:
    return f"{row}: Der Baum sagt {answer}; in Wahrheit ist es {truth}."

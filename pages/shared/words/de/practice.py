"""Texte des Übens."""

LESSONS = "Lektionen"
PRACTICE = "Üben"
PRACTISE = "Aufgaben zu dieser Lektion"
VIEW = "Was gezeigt wird"
INTRODUCTION = (
    "Zehn Aufgaben für Papier und Bleistift, sofort geprüft. Die Adresse hat ihre Arten, ihre Stufe und ihren "
    "Startwert: Wer sie öffnet, bekommt dieselben. Die Antworten stehen nicht darin."
)
KINDS_LABEL = "Arten von Aufgaben"
KINDS = {
    "impurity": "Unreinheit eines Knotens", "gain": "Gewinn einer Teilung", "split": "Die beste Teilung",
    "node": "Antwort eines Blattes", "route": "Weg einer Zeile", "region": "Teil der Ebene",
    "surface": "Fläche eines Baums", "drawing": "Baum einer Fläche", "pruning": "Stutzen",
    "errors": "Wenigste Fehler", "surrogate": "Ersatzteilung", "votes": "Stimmen eines Waldes",
    "variance": "Varianz eines Mittels",
}  # fmt: skip
LEVEL = "Stufe"
LEVELS = ("leicht", "mittel", "schwer")
SEED = "Startwert der Aufgaben"
SEED_HELP = "Dieselbe Zahl gibt allen dieselben Aufgaben; eine andere gibt andere."
OTHERS = "Andere Aufgaben"
UPPER_IS_YES = "Gilt die Bedingung, geht es auf dem oberen Zweig weiter."
CHECK = "Prüfen"
NO_NUMBER = "Eine Zahl schreiben, etwa 0,48."
NO_CHOICE = "Eine Antwort wählen."
NO_QUESTION = "Die erste Frage wählen."
LEAF = "keine Frage: ein Blatt"
THIS_TREE = "Dieser Baum"
NEXT = "Weiter"
SAVE = "Ergebnisse speichern"
SAVE_HELP = "Eine kleine Datei mit den Antworten, zum Abgeben. Der Server behält nichts."
NAME = "Name, falls er in der Datei stehen soll"
FILE = "ueben.json"
COLLECT = "Für Lehrende: Ergebnisdateien sammeln"
COLLECT_HELP = (
    "Eine Tabelle, wer was beantwortet hat. Antworten werden neu geprüft, und eine Datei, die von Hand verändert "
    "wurde, zeigt es; wer geantwortet hat, und mit welcher Hilfe, kann keine Datei beweisen."
)
TABLE = "Tabelle speichern"


def accepted_kinds(kinds: str) -> str:
    return f"Arten mit Kommas dazwischen: {kinds}"


def where(n: int, n_exercises: int, kind: str, n_right: int) -> str:
    return f"{kind} · Aufgabe {n} von {n_exercises} · {n_right} bisher richtig"


def question_where(conditions: list[str]) -> str:
    return f"Frage, wo {', '.join(conditions)}" if conditions else "Erste Frage"


def right(answer: str) -> str:
    return f"{answer} ist richtig."


def wrong(answer: str, mistake: str) -> str:
    return f"{answer} ist nicht richtig. {mistake}"


def score(n_right: int, n_asked: int) -> str:
    return f"**{n_right} von {n_asked}** Aufgaben sind richtig beantwortet."


def refused(file: str, problem: str) -> str:
    return f"{file}: {problem}."

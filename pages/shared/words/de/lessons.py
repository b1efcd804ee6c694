"""Texte der Lektionen: die Tafel neben einer Seite und die Liste aller Lektionen."""

ANSWER = "Antworten"
A_NUMBER = "eine Zahl"
BACK = "Zurück"
NEXT = "Weiter"
SHOW = "Zeigen"
END = "Zum Ergebnis"
AGAIN = "Zurücksetzen"
AGAIN_HELP = "Die Seite, wie dieser Schritt sie hat"
LEAVE = "Die Lektion beenden; die Seite bleibt, wie sie ist"
CHANGE = "Selbst ändern."
NO_SUCH_LESSON = (
    "Der Link nennt eine Lektion, die dieser Server nicht hat. Wer sie geschrieben hat, kann sie auf der Seite "
    "Lektionen wieder hochladen."
)


def where(lesson: str, step: int, n_steps: int) -> str:
    return f"{lesson} · Schritt {step} von {n_steps}"


def sketch_alt(across: str, heights: str) -> str:
    return f"Skizze mit einem Punkt zum Ziehen bei jedem von {across}; Höhen {heights}"


YOURS = "gezeichnet"
TRUE = "wie es ist"

TITLE = "Lektionen"
INTRODUCTION = (
    "Kurze Wege über die Seiten dieser App. Erst voraussagen, dann auf der Seite sehen, was geschieht, dann es "
    "ändern. Die Tafel neben der Seite führt weiter; alles auf der Seite lässt sich unterdessen bedienen."
)
BEGIN = "Beginnen"
GO_ON = "Fortfahren"
ALL = "Alle Lektionen"


def size(minutes: int, n_steps: int) -> str:
    return f"{minutes} Minuten · {n_steps} Schritte" if minutes else f"{n_steps} Schritte"


BRING = "Eine eigene Lektion hochladen"
BRING_HELP = (
    "Eine Lektion ist eine Textdatei: Schritte, jeder mit der Adresse einer Seite und dem, was daneben zu sagen "
    "ist. Jeder Editor genügt; eine Zip-Datei kann auch die deutschen Texte enthalten."
)
EXAMPLE = "Eine Lektion als Vorlage"


def brought(title: str) -> str:
    return f"**{title}** ist da. Die Adresse des ersten Schritts öffnet sie für andere, solange der Server läuft."


def refused(problems: str) -> str:
    return f"Diese Lektion lässt sich noch nicht öffnen:\n\n{problems}"


LINKS = "Es wird nachgesehen, ob jede Seite ihren Link versteht"
UNDERSTOOD = "Jede Seite versteht ihren Link."
LINKS_TOO_LONG = "Die Links nachzusehen dauerte zu lange; `espalier lesson check` hat keine Grenze."


def misunderstood(problems: str) -> str:
    return f"Die Lektion läuft, aber ihre Seiten verstehen nicht alles an ihren Links:\n\n{problems}"


RESULT = "Die Antworten"
HAND_IN = "Der Link zum Abgeben: Er öffnet diese Seite mit den Antworten."
NAME = "Name, falls er im Link stehen soll"
NO_ANSWERS = "Noch ist keine Frage beantwortet."
COLUMNS = ("Schritt", "Frage", "Antwort", "Richtige Antwort", "")
RIGHT = "richtig"
WRONG = "nicht richtig"


def of_whom(name: str) -> str:
    return f"Antworten von {name}" if name else "Antworten"


def score(n_right: int, n_asked: int) -> str:
    return f"**{n_right} von {n_asked}** Fragen sind richtig beantwortet."


PROGRAM = "espalier lesson check"
COMMAND = (
    "Sagt, was in einer Lektion nicht aufgeht: zu lange oder nicht übersetzte Texte, nicht verstandene Links."
)
COMMAND_LESSONS = "Ordner von Lektionen oder einzelne Dateien"
COMMAND_DRAW = "die Seite jedes Links zeichnen und sagen, was sie anmerkt"
COMMAND_LANGUAGE = "die Sprache dessen, was gesagt wird"
OPENS = "alles geht auf"


def at_practice(problem: str) -> str:
    return f"Üben: {problem}"


def at_step(n: int, problem: str) -> str:
    return f"Schritt {n}: {problem}"


def no_effect(parameter: str, link: str) -> str:
    return f"{parameter} hat in {link} keine Wirkung"


def not_opened(link: str) -> str:
    return f"die Seite von {link} geht nicht auf"

"""Texte der Seite „Fragebogen“, und des Bogens zum Drucken."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.views.theme import count, percent


def question_of_all(name: str, target: str) -> str:
    return f"**{name}**: Was ist {target}?"


HOW_GROWN = "**Wie der Baum dahinter wächst**"
SOURCES = {"approximation": "Volles Modell", "cart": "CART", "optimal": "Optimal"}
QUESTIONNAIRE = "Der Fragebogen"
CONTROLS = {
    "asking": (
        "Fragen gemacht aus",
        "- **Volles Modell.** Ein Baum, der für ein unlesbares Modell steht, wie auf der Seite „Nähern“.\n"
        "- **CART**, **Optimal.** Der Baum der Seite „Baum“, mit den Einstellungen, die er dort hat.",
    ),
    "questions": (
        "Höchstens fragen",
        "Ein kürzerer Fragebogen lässt die letzten Fragen weg und antwortet mit dem, was allen gemeinsam ist, "
        "die so weit kommen. *Fachwort:* Tiefe des Baums.",
    ),
    "sure": (
        "Sicher genug ab",
        "Wo die wahrscheinlichste Antwort weniger wahrscheinlich ist, sagt der Fragebogen, dass er nicht "
        "sicher ist, und nennt die zwei wahrscheinlichsten. *Fachwort:* Enthaltung, reject option.",
    ),
}


def so_many_questions(n: int) -> str:
    return f"{n} Frage{'n' * (n != 1)}"


def all_questions(n: int) -> str:
    return f"alle {n}"


def tree_in_sentence(title: str) -> str:
    return f"der Baum der Art „{title}“"


ANSWERS = "Antworten, wie diese Seite sie schreibt, zu Spalten dieser Daten"


def most_answers(most: int) -> str:
    return f"höchstens {most} Antworten"


DO_NOT_KNOW = "Weiß ich nicht"
TYPE_IT = "Wert, dann Eingabetaste"
CHOOSE_IT = "Wählen, wenn bekannt"
ANSWERS_LATER = "Spätere Fragen dazu sind dann auch beantwortet."
BACK = "Zurück"
START_AGAIN = "Von vorn"
SO_FAR = "**Bisher gesagt**"
NOTHING_YET = "Noch nichts. Die Antworten stehen im Link dieser Seite: Wer ihn öffnet, sieht sie."
CHANGE = "Ändern"
CHANGE_HELP = "Nimmt diese Antwort zurück, und alle danach."


def you_said(answer: str) -> str:
    return f"Gesagt war: {answer}."


def stands_in(name: str) -> str:
    return f"{name} ist nicht bekannt. Diese Frage sagt am ehesten dasselbe."


def stood_in(names: Sequence[str]) -> str:
    return f"Nicht bekannt: {', '.join(names)}. Eine andere Spalte sprang ein, die meist denselben Weg führt."


def progress(number: int, left: str) -> str:
    return f"Frage {number}: {left}"


def or_choose(name: str) -> str:
    return f"Oder wählen: {name}"


def or_value(name: str, unit: str) -> str:
    return f"Oder der Wert von {name}" + (f", in {unit}" if unit else "")


MODEL_WOULD_SAY = "Das Modell würde sagen"
ANSWER_IS = "Die Antwort ist"
BECAUSE = "**Denn**"
NO_REASONS = "- nichts muss gefragt werden: Die Antwort ist für alle dieselbe."
HOW_SURE = "**Wie sicher ist das?**"
EVERY_QUESTION = "Wie sicher ist jede Frage?"
NOT_TESTED = "nicht getestet"


def few_rows(behind: str) -> str:
    return f":material/warning: {behind}"


def class_share(name: str, share: float) -> str:
    return f"{name}: {percent(share)}"


def shares_of_model(who: str) -> str:
    return f"Wie wahrscheinlich jede Antwort in solchen Fällen im Mittel ist; das sagt {who}."


def shares_of_rows(is_assumed: bool) -> str:
    where = "die den genommenen Weg gehen, mit dem unten Angenommenen" if is_assumed else "die hierher führten"
    return f"Anteile der Zeilen der Tabelle, {where}."


def strange_value(name: str) -> str:
    return f"Keine Zeile der Tabelle hat einen solchen Wert von {name}: Die Antwort ist geraten."


def learned(names: Sequence[str]) -> str:
    return f"Nicht bekannt: {', '.join(names)}. Der Baum hat gelernt, was davon zu halten ist."


def assumed(names: Sequence[str], is_settled: bool) -> str:
    weak = "" if is_settled else "; die Antwort ist darum **weniger sicher**"
    return (
        f"Nicht bekannt: {', '.join(names)}. Angenommen ist, was die meisten Zeilen haben, die so weit "
        f"kommen{weak}."
    )


def if_known(n: int, could_be: str) -> str:
    return f"Wäre{'n sie' if n != 1 else ' es'} bekannt: {could_be}."


def tested(demand: str, chance: str) -> str:
    return f"{demand}: {chance or NOT_TESTED}."


ASK_IT = "Nach genau diesem Fall fragen"
FIELDS = (
    "Es braucht einen Wert jeder Spalte. Was nicht gesagt wurde, steht hier, wie es für die Zeilen typisch "
    "ist, die zu derselben Antwort führten (der mittlere Wert, oder der häufigste). Was besser bekannt ist, "
    "lässt sich ändern."
)
NOT_KNOWN = "nicht bekannt"
OTHER_ANSWER = "Das ist eine andere Antwort als die des Fragebogens, der nur weiß, was er gefragt hat."
IT_SAYS = "es sagt"


def itself(who: str) -> str:
    return f"**Was hätte das volle Modell selbst gesagt?** ({who})"


def other_columns(n: int) -> str:
    return f"Die übrigen {n} Spalten bleiben, wie sie typisch sind."


def model_says(who: str) -> str:
    return f"Antwort ({who}):"


def questionnaire_says(number: str) -> str:
    return f"Der Fragebogen sagt {number}."


def no_fit(elsewhere: str) -> str:
    return f"Diese Werte passen nicht zu den Antworten: Mit ihnen endet der Fragebogen anderswo ({elsewhere})."


PRINT = "Fragebogen drucken"
SAVE = "Als Webseite speichern (.html)"
SAVE_HELP = "Öffnet sich in jedem Browser und druckt auf A4."
BEHIND_TREE = "wie oft das bei den Zeilen der Tabelle richtig war, die dorthin führten, und wie viele das waren"


def too_many(n: int, most: int) -> str:
    return (
        f"Dieser Fragebogen hat {count(n)} Fragen, zu viele für Papier (höchstens {most}). Weniger fragen: "
        "„Höchstens fragen“ links."
    )


def behind_model(who: str) -> str:
    return f"wie wahrscheinlich ein solcher Fall das ist ({who}), und wie viele Zeilen der Tabelle dorthin führten"


def sheet_title(target: str) -> str:
    return f"Fragebogen: {target}"


def origin(who: str, is_model: bool, n: int, name: str) -> str:
    start = f"Steht für {who}" if is_model else f"Fragt, was {who} fragt"
    return f"{start}; gemacht aus {count(n)} Zeilen von „{name}“ von Espalier."


def at_most(n: int) -> str:
    return f"Höchstens {so_many_questions(n)}."


HOW_MANY = "Wie viele Fragen genügen?"
LENGTHS_ALT = "Was der Fragebogen wert ist, nach seiner Länge"
TESTED_ROWS = "zum Testen zurückgehaltene Zeilen"
SHEET_ROWS = "die Zeilen, aus denen er gemacht ist"
GROWN_ROWS = "die Zeilen, auf denen der Baum wuchs"
TARGET = "das Ziel"
QUESTIONS = "Fragen, höchstens"
MEAN_ASKED = "im Mittel gefragt"
ENDINGS = "Enden"
EXPLAINED = "erklärte Streuung"
SAME = "wie das volle Modell"
RIGHT = "richtig"


def model_answers(who: str) -> str:
    return f"Antwort ({who})"


def explains(share: float, whose: str) -> str:
    return f"Er erklärt {percent(share)} der Streuung ({whose})."


def follows(share: float, who: str) -> str:
    return f"Bei {percent(share)} der erfundenen Fälle antwortet er ebenso wie {who}."


def is_right(share: float, rows: str, rates: Sequence[str]) -> str:
    return f"Er ist bei {percent(share)} richtig ({rows}). {' '.join(rates)}"


def on_made_up_cases(who: str) -> str:
    return f"Gemessen an frischen erfundenen Fällen; gefragt wurde {who}."


def measured_on(rows: str) -> str:
    return f"Gemessen an: {rows}."


def by_costs(name: str, cut: float, said: str) -> str:
    return f"Nach den Kosten ist „{name}“ die Antwort ab einem Anteil von {percent(cut)}: hier also **{said}**."

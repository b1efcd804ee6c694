"""Texte der Seite „Vergleichen“, und der Folds, die auch die Seite „Verlässlichkeit“ hat."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.views.theme import count

TITLE = "Was ist besser, und ist es das wirklich?"
INTRODUCTION = (
    "Bis zu vier Modelle lernen aus denselben Zeilen und werden an denselben anderen getestet, Fold für Fold."
)
CHOOSE_A_MODEL = "Oben mindestens ein Modell wählen; ein zweites zum Vergleich."
CHOOSE_A_SECOND = "Ein zweites Modell wählen, um dieses damit zu vergleichen."
NONE_COULD_BE_TRIED = "Keines dieser Modelle ließ sich testen; jeder Platz oben sagt, warum."


CHANCE_AND_TIME = "Zufall und Zeit"
FOLD_HELP = {
    "folds": (
        "Folds",
        "In so viele Teile werden die Zeilen aufgeteilt; jedes Modell lernt aus allen außer einem, wird an diesem "
        "getestet, und so reihum. Alle Modelle haben dieselben Folds. *Fachwort:* k-fache Kreuzvalidierung, "
        "geschichtet.",
    ),
    "repeats": (
        "Wiederholungen",
        "Wie oft die Zeilen neu aufgeteilt werden: stabilere Mittelwerte, aber aus denselben Zeilen; darum hat es "
        "Grenzen, was Wiederholungen zeigen können. *Fachwort:* wiederholte Kreuzvalidierung.",
    ),
    "deal": ("Startwert der Folds", "Eine andere Zahl teilt die Zeilen anders auf."),
    "limit": (
        "Sekunden für eine Suche, höchstens",
        "Eine Suche nach dem besten Baum eines Folds, die länger braucht, endet mit dem besten Baum bis dahin. "
        "*Fachwort:* `time_limit`.",
    ),
}
BEGIN = "Vergleichen"


def much_to_do(n_fits: int, n_rows: int) -> str:
    return (
        f"{n_fits} Modelle müssen aus je etwa {count(n_rows)} Zeilen lernen. Mit weniger Folds geht es schneller."
    )


def how_far(title: str, fold: int, n_folds: int, seconds: float) -> str:
    return f"**{title}**: Fold {fold} von {n_folds}, bisher {seconds:.0f} s"


def stopped(n: int, n_folds: int) -> str:
    return f"Angehalten nach {n} von {n_folds} Folds."


def no_verdict(awaited: Sequence[str]) -> str:
    names = " und ".join([", ".join(awaited[:-1]), awaited[-1]] if len(awaited) > 1 else awaited)
    verb = "fehlt" if len(awaited) == 1 else "fehlen"
    return f"**Noch kein Urteil:** {names} {verb} noch. Das gibt es bis jetzt."


COMPARE_BY = "Vergleichen nach"
CRITICAL_LOOK = "#### Ein kritischer Blick"
OTHER_SCORES = "Besser nach AUC oder balancierter Genauigkeit vergleichen."
MORE_FOLDS = "Was mehr Folds ändern würden, und wie das geprüft wird"
NO_DOUBT = "Hier ist nichts zweifelhaft: Mehr Folds würden es nur sicherer machen."
DOTS = (
    "Ein Punkt ist ein Fold; eine Linie verbindet denselben Fold aller Modelle. Neben den Punkten stehen der "
    "Mittelwert und sein 95-%-Intervall."
)
DIFFERENCES = "**Zeile minus Spalte**"
COLOURS = "Blau: Die Zeile ist deutlich besser; orange: schlechter. Grau: Es kann Zufall sein."


def fold_by_fold(score: str) -> str:
    return f"**Fold für Fold: {score}**"


ALL_SCORES = "**Alle Gütemaße, Größe und Zeit**"
ALL_SCORES_ALT = "Gütemaße, Größe und Zeit der Modelle"
SAVE_TABLE = "Tabelle (.csv)"
SAVE_FOLDS = "Jeder Fold (.csv)"
MEANING_OF_ROWS = "Was die Zeilen bedeuten"
ROWS = {
    "calibration error": "Durchschnittlicher Abstand zwischen dem Anteil, den ein Modell der vorhergesagten "
    "Klasse gab, und wie oft es recht hatte; über alle Zeilen außerhalb des Folds, in zehn Klassen.",
    "right, of a class": "Von den Zeilen dieser Klasse außerhalb des Folds der Anteil, dem das Modell sie gibt "
    "(Trefferquote, recall).",
    "rules": "Blätter, wobei zwei unter einer Teilung, die dieselbe Klasse vorhersagen, als eines zählen; bei "
    "einem Wald alle.",
    "trees represented": "Eins bei einem scharfen Baum. Ein kultivierter Baum antwortet für jeden Baum, der "
    "sich in jedem seiner Knoten für eine Spalte und eine Schwelle entscheidet; ein Wald für die seiner Bäume "
    "zusammen. Die Datei hat den Zehnerlogarithmus.",
}
ROWS_OF_CLASSES = ("calibration error", "right, of a class")
MEANS = (
    "Mittelwert ± Standardabweichung über die Folds; ↑ mehr ist besser, ↓ weniger. Größen: kleinste bis größte."
)
SHARES_OF = (
    "Anteile welcher Klasse",
    "Die Kalibrierung fragt, ob von den Zeilen, denen ein Modell 80 % gibt, 80 % von dieser Klasse sind. Die "
    "vorhergesagte Klasse ist von Zeile zu Zeile eine andere.",
)
CLASS_PREDICTED = "der vorhergesagten Klasse"
ARE_SHARES_TRUE = "#### Wenn es 80 % sagt, stimmt es dann 8 von 10 Mal?"
CALIBRATION_DOTS = (
    "Auf der gepunkteten Linie sind Anteile wahr: Von den Zeilen mit 80 % sind 80 % von der Klasse. Große "
    "Punkte haben viele Zeilen, blasse weniger als 10; Balken sind 95-%-Intervalle."
)
CHOOSE_A_CLASS = (
    "Eine oben gewählte Klasse zeigt, was jedes Modell davon erfasst, und wie viele Fehlalarme es dafür braucht."
)
ROC = (
    "Weiter rechts genügt dem Modell ein kleinerer Anteil, um ja zu sagen. Die Legende hat die Fläche unter jeder "
    "Kurve, aus den Zeilen aller Folds zusammen; sie kann darum vom Mittelwert über die Folds abweichen."
)


def it_counts(name: str, by: str) -> str:
    why = {"choice": "wie gewählt", "name": "dem Namen nach", "rarity": "als die seltenere"}[by]
    return f" *{name}* ist die Klasse, um die es geht, {why}; zu wählen auf der Seite „Daten“."


def calibration(name: str) -> str:
    return f"**Kalibrierung: {name}**"


def roc(name: str) -> str:
    return f"**ROC: {name}**"

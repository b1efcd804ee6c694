"""Texte zum Stutzen auf der Seite „Baum“."""

from __future__ import annotations

from espalier.views.theme import count

RULES = {
    "no": "Ganzer Baum",
    "one-se": "Ein Standardfehler",
    "least": "Kleinster Fehler",
    "reduced": "Verringerter Fehler",
    "hand": "Von Hand",
}
WHICH = "Welcher Teilbaum"
HELP = """
- **Ganzer Baum.** Wie ihn die Einstellungen links wachsen lassen.
- **Ein Standardfehler.** Der kleinste Baum, dessen kreuzvalidierter Fehler höchstens einen Standardfehler über dem
  kleinsten liegt (Breiman u. a. 1984, Abschnitt 3.4.3): viel einfacher, und kaum schlechter.
- **Kleinster Fehler.** Der Baum mit dem kleinsten kreuzvalidierten Fehler.
- **Verringerter Fehler.** Von den Blättern aufwärts bleibt eine Teilung nur, wenn sie bei den zurückgehaltenen
  Zeilen weniger Fehler macht (Quinlan 1987). Deren Güte gilt dann nicht mehr für unbekannte Zeilen.
- **Von Hand.** So viele Blätter, wie der Regler sagt.
"""
LEAVES = "Blätter"
ACROSS = {"depth": "Tiefe", "leaves": "Blätter", "alpha": "Preis α"}
ALONG = "Fehler gegen"
KEYS = "Pfeile gehen von Baum zu Baum, die Eingabetaste zeigt einen."
TABLE = "Alle Fehler als Tabelle"
CLICK = "Ein Klick auf einen Punkt macht den Baum oben zu dem dieser Größe."


def not_pruned(learner: str) -> str:
    return (
        "Nur CART lässt sich Schritt für Schritt stutzen, so dass jeder kleinere Baum ein Teil des vorigen ist. "
        f"Für *{learner}* oben „Tiefe“ wählen."
    )


def depth_words(n_folds: int, is_searched: bool, most: int) -> str:
    end = f" Jeder Baum braucht eine eigene Suche; darum gibt es wenige Folds, und Tiefen bis {most}."
    return (
        "Ein Baum für jede Tiefe, bei sonst gleichen Einstellungen. Für den kreuzvalidierten Fehler werden die "
        f"Trainingszeilen in {n_folds} Teile (Folds) geteilt; jeder Teil beurteilt Bäume, die auf den übrigen "
        f"gewachsen sind.{end if is_searched else ''}"
    )


BACK = "Ganzer Baum"
NO_HELD_OUT = (
    "Keine Zeilen sind zurückgehalten, nach denen gestutzt werden könnte; links lassen sich welche angeben."
)
SEEN = "Die zurückgehaltenen Zeilen haben diesen Baum gewählt; seine Güte bei ihnen ist darum zu gut."


def waiting(rule: str) -> str:
    return f"Der ganze Baum, bis die Kreuzvalidierung eine Größe wählt (Regel „{RULES[rule]}“)."


def summary(rule: str, left: int, of: int) -> str:
    seen = f" {SEEN}" if rule == "reduced" else ""
    return f"Gestutzt nach der Regel „{RULES[rule]}“: {count(left)} von {count(of)} Blättern sind übrig.{seen}"


LONE = (
    "Dieser Baum ist eine Wurzel ohne Teilung: Es gibt nichts zu stutzen. Mit den Einstellungen links kann er "
    "größer wachsen."
)
LINES = (
    "Das Band reicht auf jeder Seite einen Standardfehler weit. Zwei Bäume haben Ringe: der mit dem kleinsten "
    "kreuzvalidierten Fehler, und der kleinste, dessen Fehler höchstens einen Standardfehler darüber liegt "
    "(gepunktete Linie)."
)


def begins_with(n_leaves: int) -> str:
    return (
        f"Die Folge beginnt mit dem Baum, den die Einstellungen links wachsen lassen: {count(n_leaves)} "
        "Blätter. Je größer er ist, desto mehr gibt es zu wählen."
    )


def below_the_picture(is_share: bool) -> str:
    unit = "der Anteil der Zeilen mit falscher Klasse" if is_share else "der mittlere quadratische Fehler"
    return f"{CLICK} Fehler: {unit}. {LINES}"


VALIDATING = "**Die Größen werden kreuzvalidiert**"
VALIDATE = "Kreuzvalidieren"
STOPPED = "Die Kreuzvalidierung wurde angehalten."
FAILED = "Es lässt sich keine Größe wählen."


GROWING_DEPTHS = "**Bäume jeder Tiefe wachsen**"
GROW_DEPTHS = "Wachsen lassen"
STOPPED_DEPTHS = "Das Wachsen der Bäume jeder Tiefe wurde angehalten."
FAILED_DEPTHS = "Es gibt keine Fehler nach Tiefe."


def much_to_do(n_trees: int, n_rows: int) -> str:
    return f"{n_trees} Bäume müssen auf je bis zu {count(n_rows)} Zeilen wachsen."

"""Texte zu Modellbäumen: ihre Einstellungen, die Formeln der Blätter, und der CART-Baum daneben."""

from __future__ import annotations

MORE = "Spalten, Gewichte und Zufall"
ONE_FORMULA = "eine Formel für alle Zeilen ist nach dem Informationskriterium so gut wie jede Teilung"


def too_few_rows(n_rows: int, least: int) -> str:
    return f"aus {n_rows} Zeilen werden keine zwei Blätter mit je {least} Zeilen"


def lone_formula(why: str) -> str:
    return f"Der Baum ist eine Wurzel mit einer Formel: {why}."


OF_SPLIT = "Eine Teilung hat keine Formel: Jedes Blatt darunter hat eine. Ein gewähltes Blatt zeigt seine."
NO_TERMS = "Diese Formel ist nur eine Zahl: Keine Spalte hat sie verbessert."
TABLE_ALT = "Die Glieder der Formel, das mit der größten Spannweite zuerst"
LIMITS = (
    "Ein Wert unter *von* zählt als *von*, einer über *bis* als *bis*: Keine Formel gilt jenseits dessen, was ihr "
    "Blatt gesehen hat. *Spannweite* ist das Meiste, um das ein Glied das Ergebnis innerhalb dieser Grenzen "
    "ändern kann."
)
ENDS = {
    "identity": (
        "Eine Vorhersage liegt nie jenseits des kleinsten und größten Ziels, auf denen der Baum gewachsen ist."
    ),
    "logistic": (
        "*Log-Odds* von 0 sind ein Anteil von 50 %, 1 sind 73 %, 2 sind 88 %; unter 0 ist die andere Klasse "
        "wahrscheinlicher."
    ),
    "softmax": "Vorhergesagt wird die Klasse mit dem größten Punktwert.",
}
BY_LINES = (
    "✓ ist, wonach der Baum teilt. Ein Modellbaum bewertet Teilungen zusammen mit Geraden, nach dem Bayesschen "
    "Informationskriterium; diese Tabelle hat den Gewinn der Teilungen allein. Ein Häkchen an einer anderen "
    "Spalte zeigt ihre Kurve."
)
BESIDE = "#### Neben einem CART-Baum gleicher Größe"
MODEL, CART = "Modellbaum", "CART"
OTHERS_HELD = (
    "Über der Spalte, die auf der unteren Achse der Entscheidungsfläche oben liegt; andere Spalten haben typische "
    "Werte, oder die der gewählten Zeile."
)


def sizes(of_model: int, of_cart: int) -> str:
    model, cart = leaves(of_model, "Formel"), leaves(of_cart, "Antwort")
    return f"Der Modellbaum hat {model}; CART hat {cart} für alle Zeilen darin."


def leaves(n: int, thing: str) -> str:
    return f"1 Blatt mit einer {thing}" if n == 1 else f"{n} Blätter mit je einer {thing}"


def score_line(name: str, scores: str) -> str:
    return f"**{name}**: {scores}"

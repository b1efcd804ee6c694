"""Texte der Seite über das Zögern: eine weiche Teilung neben einem Wald und einem scharfen Baum."""

from __future__ import annotations

from espalier.views.theme import count, number, percent

TITLE = "Wie eine Teilung aussieht, die zögert"
WIDTH = (
    "Wie weit die Teilung von **a** bei ihrer Schwelle zögern darf: von einem Schnitt, wie bei CART, bis zu "
    "allen, die es gibt. Die Veröffentlichung nimmt √W, die Wurzel der Zahl der Zeilen."
)
GROWING_FOREST = "Ein Zufallswald von 500 Bäumen wächst …"


def introduction(n_rows: int, n_fresh: int, best: float) -> str:
    return (
        "Zwei runde Wolken, die sich überschneiden, nach Bild 3 von Nalenz & Augustin (2021): drei Antworten auf "
        f"dieselben {n_rows} Zeilen. Die Genauigkeit ist an {count(n_fresh)} neuen Zeilen gemessen; die beste "
        f"Grenze, eine schräge Gerade, ist bei {percent(best)} davon richtig."
    )


def ranking(letters: list[str], accuracies: list[float]) -> str:
    first, second, third = (f"**{a}** {percent(x)}" for a, x in zip(letters, accuracies, strict=True))
    return f"Richtig bei den neuen Zeilen: {first}, {second}, {third}."


def lead(points: float) -> str:
    if abs(points) < 0.05:
        return "**a** ist so genau wie **c**, das auch eine einzige Teilung hat."
    if points > 0:
        return (
            f"**a** ist um {number(points, 2)} Punkte öfter richtig als **c**, das auch eine einzige Teilung hat."
        )
    return (
        f"**a** ist um {number(-points, 2)} Punkte seltener richtig als **c**, das auch eine einzige Teilung hat. "
        "Was es dafür hat: Es sagt, wo es unsicher ist."
    )


ITS_TREE = "Sein Baum"
SOFT_TITLE = "a · Erste Teilung, kultiviert"
FOREST_TITLE = "b · Zufallswald"
FOREST = (
    "Das Mittel von Hunderten von Bäumen, jeder aus anderen, mit Zurücklegen gezogenen Zeilen. Auch es ist "
    "weich, mit Spuren einzelner Zeilen."
)


def heading(title: str, accuracy: float, size: str) -> str:
    return f"**{title}**  \n:small[Genauigkeit **{percent(accuracy)}** · {size}]"


def said(title: str, accuracy: float, size: str, caption: str) -> str:
    return f"**{title}**: Genauigkeit {percent(accuracy)}, {size}. {caption}"


def soft_split(is_sharp: bool) -> str:
    jumps = "Mit je einem Schnitt springt die Antwort: Die Nachbarschaft lässt sich erweitern."
    slopes = "Zwischen den Wolken ändert sie sich nach und nach, je weiter die Nachbarschaft, desto schräger."
    return (
        "Beide Spalten werden gefragt, und wo sie sich widersprechen, in zwei Ecken, sagt der Baum etwa halb "
        "und halb. " + (jumps if is_sharp else slopes)
    )


def soft_size(n_features: int, n_leaves: int) -> str:
    asked = f"{n_features} Spalten" if n_features > 1 else "1 Spalte"
    return f"1 Teilung ({asked}), {n_leaves} Blätter"


def forest_size(n_trees: int, n_leaves: int) -> str:
    return f"{n_trees} Bäume, {count(n_leaves)} Blätter"


CART_TITLE = "c · Erste Teilung, CART"
CART = (
    "Die Teilung ist eine Gerade entlang einer Achse, und dort springt die Antwort. Gleich an der Geraden ist "
    "der Baum so sicher wie weit weg davon. Wie **a** hat er eine einzige Teilung."
)


def cart_size(n_leaves: int) -> str:
    return f"1 Teilung (1 Spalte), {n_leaves} Blätter"

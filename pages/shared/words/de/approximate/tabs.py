"""Texte der Seite „Nähern“: ihre Überschrift und ihre Reiter."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.views.theme import count, percent

TABS = ("Baum", "Nebeneinander", "Treue", "Teilungen")
AGREES = "stimmt mit dem Modell überein"
R2_TO_MODEL = "R² zum Modell"
AVERAGE_GAP = "mittlerer Abstand"
DIFFERENCE = "Unterschied"
MODEL = "Modell"
TREE = "Baum"
BASELINE = "Nullmodell"
MADE_UP = "erfundene Fälle"
ACCURACY = "Genauigkeit"
R2 = "R²"
NUMBERS = {
    AGREES: "Bei wie vielen von {n} frischen erfundenen Fällen der Baum dieselbe Klasse sagt wie die Blackbox. "
    "*Fachwort:* Treue (fidelity).",
    R2_TO_MODEL: "Wie viel der Streuung der Blackbox über {n} frische erfundene Fälle der Baum hat. 1: "
    "dieselben Antworten.",
    AVERAGE_GAP: "Um wie viel die Wahrscheinlichkeiten, die beide den Klassen geben, im Mittel über frische "
    "erfundene Fälle voneinander abweichen: die halbe Summe der Unterschiede, 0 bei gleichen, höchstens 1. "
    "*Veröffentlichung:* L1 (Abschnitt 4).",
    DIFFERENCE: "Um wie viel beide Antworten im Mittel über frische erfundene Fälle voneinander abweichen, in der "
    "Einheit des Ziels.",
    MODEL: "Bei Zeilen, die keines von beiden kennt: das, was bei neuen zu erwarten ist.",
    TREE: "Bei denselben Zeilen: was durch den Baum verloren geht, wenn überhaupt.",
    BASELINE: "Bei denselben Zeilen: immer die häufigste Klasse der gelernten Zeilen, oder deren Mittelwert.",
    MADE_UP: "Zeilen, die um die der Tabelle gezogen wurden, um alle Teilungen zusammen zu finden. Knoten, die "
    "der Test früh entscheidet, brauchen wenige. *Veröffentlichung:* pseudo-samples.",
}


def title(box: str, data: str, n_rows: int, target: str) -> str:
    return f"**{box} und ein Baum**  \n:small[:gray[{data} · {count(n_rows)} Zeilen · Ziel {target}]]"


def score_of(score: str, whose: str) -> str:
    return f"{score}, {whose}"


def asked(depth: int, n_leaves: int) -> str:
    if depth == 0:
        return "Ohne jede Frage"
    leaves = f"{n_leaves} {'Blatt' if n_leaves == 1 else 'Blätter'}"
    return f"Mit höchstens {depth} Frage{'n' * (depth != 1)} ({leaves})"


def agrees(size: str, who: str, share: float) -> str:
    return f"{size} antwortet der Baum bei **{percent(share)}** der Fälle ebenso wie {who}."


def all_the_same(who: str) -> str:
    return f"Alle erfundenen Fälle sind für {who} gleich."


def explains(size: str, who: str, share: float) -> str:
    return f"{size} erklärt der Baum **{percent(share)}** der Streuung dessen, was {who} antwortet."


def learnt_from_some(box: str, n: int) -> str:
    return f" {box} hat aus {count(n)} der Zeilen gelernt: Mehr würde zu lange oder zu viel Platz brauchen."


SHARES = (
    "Anteile und Unreinheiten gelten dem, was die Blackbox zu erfundenen Fällen sagt; Balken sind Zeilen der "
    "Tabelle nach ihrem wahren Ziel. **?** bezeichnet eine Teilung, die der Test nicht entschieden hat."
)
CLICK = "Hier beginnt jede Zeile. Ein Klick auf einen Knoten zeigt, wie sicher seine Teilung ist."
GAIN = "Gewinn"
CHANCE = "Chance"
ASKS = "fragt"
IN_THE_RUNNING = "noch im Rennen"
TRIED = "versucht"


def how_sure(node: int) -> str:
    return f"**Wie sicher ist die Teilung von Knoten {node}?**"


def closest_alt(node: int) -> str:
    return f"Teilungen von Knoten {node}, die am nächsten kamen"


def best_of(n: int, is_open: bool, shown: int) -> str:
    kind = f"{count(n)}, die {IN_THE_RUNNING} sind," if is_open else f"{count(n)} versuchten"
    return f" Von {kind} stehen die {shown} besten hier." if n > shown else ""


def exact_columns(more: str) -> str:
    return f"✓ ist, was der Baum fragt. *Gewinn*: um wie viel die Teilung die Unreinheit verringert, genau.{more}"


def sampled_columns(more: str) -> str:
    return (
        "✓ ist, was der Baum fragt. *Gewinn*: um wie viel die Teilung die Unreinheit verringert. "
        "*Chance*: die Wahrscheinlichkeit, mit der ebenso viele andere erfundene Fälle sie vor die beste setzen "
        f"würden (Zhou & Hooker 2016, Gleichung 4).{more}"
    )


BOTH = "Beide über derselben Ebene, und wie weit sie auseinander sind"
THE_TREE_ALONE = "Der Baum"
DIFFER = "Wo sie verschieden antworten"
DEEPER = "Je kräftiger die Farbe, desto größer die Zahl."
APART = "Im dritten Bild: je kräftiger die Farbe, desto weiter auseinander."
APART_OF_CLASSES = (
    "Im dritten Bild: je kräftiger die Farbe, desto weiter auseinander; voll, wo die Klasse eine andere ist."
)


def colours(classes: Sequence[str]) -> str:
    return f"Eine Farbe für jede Klasse: {', '.join(classes)}."


def dots(most: int, is_plane: bool) -> str:
    by_chance = "" if is_plane else "; ihre Höhe ist Zufall"
    return (
        f"Punkte sind Zeilen der Daten, höchstens {most}{by_chance}. Spalten ohne Achse haben ihren Median oder "
        "häufigsten Wert."
    )


CASES = "erfundene Fälle"
HELD_OUT_ROWS = "zurückgehalten"
GAPS_OF_CLASSES = (
    "*Mittlerer Abstand der Wahrscheinlichkeiten*: die halbe Summe der Unterschiede zwischen dem, was beide "
    "den Klassen geben (L1 in der Veröffentlichung). *Stimmt mit dem Modell überein*: wie oft beide dieselbe "
    "Klasse sagen."
)
GAPS_OF_NUMBERS = (
    "*Mittlerer Unterschied*: in der Einheit des Ziels; *R²*: wie viel der Streuung der Blackbox der Baum hat."
)
DEPTH = "Tiefe"
LEAVES = "Blätter"
BOX_SAYS = "die Blackbox sagt"
BY_CLASS = "**Nach Klasse**"
BY_CLASS_ALT = "Wie oft der Baum übereinstimmt, nach dem, was die Blackbox sagt"
ROWS = "Zeilen, bei denen sie am meisten auseinander sind"
ROWS_ALT = "Zeilen, bei denen Blackbox und Baum am meisten auseinander sind"
GAP = "Abstand"
ROW = "Zeile"
HELD_OUT = "zurückgehalten"


def stop_at(depth: int) -> str:
    return f"Bei Tiefe {depth} aufhören"


def allow(n: int) -> str:
    return f"{n} Fragen erlauben"


def by_depth(n: int, measures: str) -> str:
    return (
        f"Der Baum, abgeschnitten nach 0, 1, 2, … Fragen, verglichen mit der Blackbox an {count(n)} frischen "
        f"erfundenen Fällen und, wo es welche gibt, an zurückgehaltenen Zeilen. {measures}"
    )


def tree_agrees(rows: str) -> str:
    return f"Baum stimmt überein, {rows}"


LONE_ROOT = "Der Baum ist eine Wurzel ohne Teilung: Keine Teilung ändert, was die Blackbox im Mittel sagt."
NODE = "Knoten"
SUM_OF_P = "Summe der p"
AHEAD_BY = "Vorsprung"
SPLITS_ALT = "Wie sicher jede Teilung des Baums ist"
SURENESS = {
    "sampled": "**entschieden**: Der Test fand die beste Teilung. **Schwelle offen**: Die erlaubten erfundenen "
    "Fälle reichten nicht, um die besten Teilungen zu unterscheiden, die nach derselben Spalte fragen. **Spalte "
    "offen**: Sie fragen nach verschiedenen Spalten; andere Fälle können hier durchaus etwas anderes fragen. Mehr "
    "erfundene Fälle entscheiden mehr. *Summe der p*: die Wahrscheinlichkeiten aller Mitbewerber zu gewinnen, "
    "addiert (sie kann also über 1 sein); entschieden ist, was unter α liegt.",
    "exact": "**genau**: die Teilung, die Stichproben ohne Ende fänden. *Vorsprung*: um wie viel weniger der "
    "nächste Mitbewerber die Unreinheit verringert.",
}
WHO = ("das Modell", "der Baum")


def tick(method: str) -> str:
    return f"{SURENESS[method]} Ein Häkchen an einer Teilung zeigt ihre Mitbewerber."

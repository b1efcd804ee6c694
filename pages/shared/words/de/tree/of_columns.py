"""German for the texts of `words.tree.of_columns`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

NO_DIRECTIONS = "Keine: Vorhersagen dürfen beides"
NOT_WITH_SURROGATES = "Nicht mit Ersatzteilungen"
DIRECTIONS_EXPECTED = "Namen von Spalten, jede mit :rising (steigend) oder :falling (fallend), etwa age:rising"


def why_no_directions(n_classes: int, n_offered: int) -> str:
    if n_classes > 2:
        return "Nicht bei drei oder mehr Klassen"
    return "" if n_offered else "Keine Spalten mit Zahlen"


def arrow(name: str, direction: int) -> str:
    return f"{'↑' if direction > 0 else '↓'} {name}"


def direction(name: str, direction: int) -> str:
    return f"{'steigt' if direction > 0 else 'fällt'} mit {name}"


def directions_in_force(directions: Mapping[str, int], of_class: str) -> str:
    parts = [f"{direction(name, one)} nur" for name, one in directions.items()]
    text = " und ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
    begin = f"Der Anteil von {of_class}" if of_class else "Die Vorhersage"
    return f"{begin} {text}, wenn alles andere gleich bleibt."


def directions_in_short(directions: Mapping[str, int]) -> str:
    parts = [direction(name, one) for name, one in directions.items()]
    return f"Vorhersage {', '.join(parts)}" if parts else "keine monotonen Spalten"


NONE_LEFT_OUT = "Keine: Teilungen dürfen nach jeder Spalte fragen"
NAMES_EXPECTED = "Namen von Spalten, etwa age,income"


def left_out_in_short(names: Sequence[str]) -> str:
    return f"ohne {', '.join(names)}" if names else "jede Spalte"


def left_out_in_force(names: Sequence[str]) -> str:
    text = " oder ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"Keine Teilung fragt nach {text}."


def date_alone(name: str) -> str:
    return f"{name} (nur das Datum)"


NONE_GIVEN = "Keine: auf der Seite Baum von Hand wählen"
SPLITS_EXPECTED = "Teilungen, jede mit dem Weg zu ihr, ihrer Spalte und ihrer Schwelle, etwa :age:40,L:income:3000"
SPLITS_ELSEWHERE = (
    "Auch CART und optimale Bäume auf anderen Seiten beginnen mit den von Hand gewählten Teilungen und den "
    "Teilungen darüber. Von Hand gemachte Blätter und neu gewachsene Zweige bleiben auf dieser Seite."
)


def after(steps: Sequence[bool], question: str) -> str:
    return f"{', '.join('ja' if step else 'nein' for step in steps)}: {question}" if steps else question


def is_one_of(column: str, categories: Sequence[str]) -> str:
    return f"{column} ist {' oder '.join(categories)}"


def given_in_short(splits: Sequence[str]) -> str:
    if not splits:
        return "ohne vorgegebene Teilungen"
    more = f" und {len(splits) - 1} weiteren" if len(splits) > 1 else ""
    return f"beginnt mit der vorgegebenen Teilung {splits[0]}{more}"


def no_room(splits: Sequence[str]) -> str:
    said = f"Ein Baum dieser Größe hat keinen Platz für diese vorgegebenen Teilungen: {'; '.join(splits)}."
    return f"{said} Dafür mehr Tiefe oder mehr Teilungen erlauben."


def given_in_force(splits: Sequence[str]) -> str:
    return f"Der Baum beginnt mit diesen vorgegebenen Teilungen: {'; '.join(splits)}."


def as_on_tree(asked: Sequence[str]) -> str:
    return f"Wie auf der Seite *Baum*: {'; '.join(asked)}."


def asked_here(asked: Sequence[str]) -> str:
    return f"Hier eingestellt: {'; '.join(asked)}."


def not_as_on_tree(asked: Sequence[str]) -> str:
    return f"Auf der Seite *Baum* eingestellt, aber dieses Modell hält es nicht ein: {'; '.join(asked)}."

"""Texte zu Filtern von Zeilen: ihr Bau auf der Seite „Daten“, und die Zeile in der Leiste."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.views.theme import count

TITLE = "Zeilen filtern"
HOW = (
    "Mit einem Teil der Zeilen arbeiten: Jede Seite nimmt ihn dann für die ganze Tabelle. *Und* bindet stärker "
    "als *oder*, mit dem etwas anderes beginnt, was auch genügt."
)
JOINT, COLUMN, RELATION, VALUE = "Verbunden durch", "Spalte", "Beziehung", "Wert"
JOINTS = {"and": "und", "or": "oder"}
OF_NUMBERS = {"gt": ">", "ge": "≥", "le": "≤", "lt": "<", "in": "ist", "out": "ist nicht"}
OF_CATEGORIES = {"in": "ist eines von", "out": "ist keines von"}
OF_LEVELS = {"le": "höchstens", "ge": "mindestens", "gt": "über", "lt": "unter"}
OF_GAPS = {"missing": "fehlt", "known": "ist bekannt"}
OR_MISSING = "oder fehlend"
OR_MISSING_HELP = "Auch Zeilen ohne Wert in dieser Spalte erfüllen die Bedingung."
CHOOSE = "Werte wählen"
NO_VALUE = "Eine Bedingung hat noch keinen Wert: einen wählen, oder die Bedingung wegnehmen."
ADD = "Weitere Bedingung"
TAKE_AWAY = "Diese Bedingung wegnehmen"
KEEP = "Diese Zeilen behalten"
OTHERS = "Die anderen behalten"
OTHERS_HELP = "Kehrt die Bedingungen um: Genau die Zeilen bleiben, die sie weglassen."
ALL_ROWS = "Alle Zeilen"
ALL_ROWS_HELP = "Nimmt den Filter weg."
UNDO = "Zurück"
HOLD_OUT = "Diese Zeilen zurückhalten"
HOLD_OUT_HELP = (
    "Bäume wachsen auf den anderen Zeilen und werden an diesen geprüft, statt an zufälligen: Zeilen einer Spalte "
    "„Test“, eines späteren Jahres, eines anderen Ortes. Die Teile der Kreuzvalidierung bleiben."
)
BY_CHANCE = "Zufällig"
BY_CHANCE_HELP = "Der Zufall hält wieder Zeilen zurück."
A_FILTER = "ein Filter wie petal length~gt~2"


def held_out(conditions: str, n: int, n_all: int) -> str:
    return f":material/call_split: Zurückgehalten: {conditions} ({count(n)} von {count(n_all)} Zeilen)"


def not_held_out(conditions: str, reason: str) -> str:
    return f"Zurückgehalten würde: {conditions}. {reason} **Stattdessen hält der Zufall Zeilen zurück.**"


def parted(n: int, group: str) -> str:
    there = "1 Gruppe hat" if n == 1 else f"{count(n)} Gruppen haben"
    return (
        f":material/warning: {there} Zeilen auf beiden Seiten: Ein Baum, der von **{group}** einige Zeilen "
        "gesehen hat, kennt die anderen; sein Maß an zurückgehaltenen Zeilen ist zu gut."
    )


NONE_HELD_OUT = "Keine Zeile dieser Tabelle erfüllt das."
NOTHING_LEFT = (
    "Die anderen Zeilen sind weniger als zwei oder haben nur einen Zielwert; kein Baum kann auf ihnen wachsen."
)
GROW_ON_ROWS = "Auf den Zeilen dieses Knotens wachsen lassen"
GROW_ON_ROWS_HELP = (
    "Macht den Weg zu diesem Knoten zum Filter: Jede Seite arbeitet dann nur mit diesen Zeilen. *Zurück* oder "
    "*Alle Zeilen* führt zurück."
)
NO_CONDITIONS = (
    "Der Weg zu diesem Knoten ist keine Liste von Bedingungen an Spalten; kein Filter trifft genau seine Zeilen."
)
BY_SURROGATES = (
    "Auf dem Weg zu diesem Knoten springen andere Spalten für fehlende Werte ein; kein Filter trifft genau seine "
    "Zeilen. Den Baum mit einer anderen Behandlung fehlender Werte wachsen lassen."
)
TOO_LONG = "Der Weg zu diesem Knoten ist zu lang für einen Link. Einen Knoten näher an der Wurzel wählen."


def in_force(conditions: str) -> str:
    return f":material/filter_alt: {conditions}"


def kept(n: int, n_all: int, classes: Sequence[tuple[str, int]]) -> str:
    sizes = ", ".join(f"{name} {count(size)}" for name, size in classes)
    return f"**{count(n)} von {count(n_all)} Zeilen**" + (f": {sizes}" if sizes else "")

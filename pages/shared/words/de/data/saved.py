"""Texte zum Sichern und Öffnen einer Sitzung."""

from __future__ import annotations

SESSION = "Sitzung"
SESSION_HELP = "Sichern, was auf allen Seiten eingestellt ist, oder mit einer gesicherten Sitzung weitermachen."
SAVE = "Diese Sitzung sichern (.json)"
WITHOUT_ROWS = (
    "Die Datei enthält, was auf allen Seiten eingestellt ist, Namen und Prüfsumme der Tabelle und wie deren Datei "
    "gelesen wurde, aber keine ihrer Zeilen: Die Tabelle ist daneben aufzubewahren."
)
OPEN = "Eine Sitzung öffnen"
NOT_JSON = "das ist keine Datei einer Sitzung, denn sie ist kein JSON"
NO_TABLE = "die Datei sagt nicht, von welcher Tabelle die Sitzung handelt"
NO_VALUES = "die Datei sagt nicht, was eingestellt war"
OPENED = "Die Sitzung ist offen: Jede Seite ist eingestellt, wie sie gesichert wurde."


def not_opened(wrong: str) -> str:
    return f"Die Sitzung wurde nicht geöffnet: {wrong}. Alles ist, wie es war."


def awaits(name: str, n_rows: int, n_columns: int, in_use: str) -> str:
    return (
        f"Jede Seite ist eingestellt, wie die Sitzung sagt, aber sie handelt von einer anderen Tabelle: „{name}“, "
        f"mit {n_rows} Zeilen und {n_columns} Spalten neben dem Ziel; in Gebrauch ist „{in_use}“."
    )


BRING_IT = "Deren Datei unten hochladen und genauso lesen lassen wie damals."


def bring_file(name: str) -> str:
    return f"Deren Datei, {name}, unten hochladen: Sie wird gelesen wie damals."


def no_reading(where: str) -> str:
    return f"was sie darüber sagt, wie die Tabelle gelesen wurde, ist nicht zu gebrauchen ({where})"


def no_session(form: str) -> str:
    return f"das ist keine Datei einer Sitzung, denn sie nennt das Format {form} nicht"


def newer(version: int) -> str:
    return f"sie wurde von einer neueren Version von Espalier gesichert; diese liest Version {version}"


def no_text(key: str) -> str:
    return f"der Wert von {key} ist kein Text"

"""Texte der Seite „Daten“, und Hinweise auf Tabellen, die es nicht gibt."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.language import in_style
from espalier.views.theme import count

TITLE = "Daten"
TABS = ("Tabellen", "Punkte zeichnen")
SAMPLES = "Oder ein Beispiel nehmen"
HELD_OUT = "Zurückgehaltene Zeilen"
TO_TREE = "Zum Baum"
DISCARD = "Verwerfen"
PAINT_HOW = (
    "Eine Klasse wählen und auf die Ebene klicken. *Sprühen* verteilt Punkte entlang eines Strichs, *Bewegen* "
    "zieht einen, *Löschen* nimmt die weg, über die es geht. Mit der Tastatur: Pfeile bewegen den Zeiger, "
    "Eingabe setzt einen Punkt, Entf löscht den nächsten, Z nimmt zurück, 1 bis 4 wählen die Klasse."
)
PAINT_NAME = "Name der Tabelle"
PAINT_USE = "Baum wachsen lassen"
PAINT_SAVE = "Als CSV speichern"
PAINT = {
    "tools": {"add": "Setzen", "brush": "Sprühen", "move": "Bewegen", "delete": "Löschen"},
    "tool": "Was ein Klick tut", "c": "Klasse neuer Punkte", "acts": "Die Zeichnung", "points": "Punkte",
    "undo": "Zurück", "undo_help": "letzten Strich zurücknehmen",
    "clear": "Leeren", "clear_help": "alle Punkte wegnehmen",
    "board": "Ebene zum Zeichnen von Punkten: Pfeile bewegen den Zeiger, Eingabe setzt einen Punkt, Entf "
    "löscht den nächsten",
}  # fmt: skip


def painted(n: int, is_short: bool) -> str:
    if not n:
        return "Noch keine Punkte: Eine Tabelle braucht Punkte von zwei Klassen."
    kept = (
        "Der Link zum Baum enthält alle Punkte."
        if is_short
        else "Das ist zu viel für einen Link: Der Server behält die Tabelle eine Weile; als CSV bleibt sie."
    )
    return f"{count(n)} Punkt{'e' * (n != 1)}. {kept}"


DRAW_AGAIN = "Neu ziehen"
DRAW_AGAIN_DATA = "Zieht neue Zeilen aus derselben Simulation: Was sich ändert, ist Zufall."
DRAW_AGAIN_ROWS = "Hält andere Zeilen zurück: Der Baum wächst auf einem anderen Teil derselben Daten."
SIMULATION = "Rauschen, Drehung, Maßstab und Zeilenzahl der Simulation"
ROWS, NOISE, FLIPS, OVERLAP = (
    "Zeilen",
    "Rauschen",
    "Anteil der Zeilen mit falscher Klasse",
    "Überschneidung der Klassen",
)
TURN = "Ebene drehen um"
STRETCH = "Erste Achse strecken"
STRETCH_HELP = (
    "Misst die erste Spalte in einer anderen Einheit. Die Teilungen eines Baums strecken sich mit, und seine "
    "Antworten bleiben; eine Drehung der Ebene ändert sie."
)


def degrees(turn: float) -> str:
    return f"{in_style(f'{turn:g}')}°"


def times(factor: float) -> str:
    return f"× {in_style(f'{factor:g}')}"


AS_BUNDLED = "Wie am Anfang"
UNCHANGED = "Die benutzten Daten haben sich nicht geändert."
USE = "Diese Tabelle benutzen"


def _size(n_rows: int, n_features: int) -> str:
    return f"{count(n_rows)} Zeile{'n' * (n_rows != 1)} × {count(n_features)} Spalte{'n' * (n_features != 1)}"


def in_use(name: str, n_rows: int, n_features: int, target: str, roles: str = "") -> str:
    return f"In Benutzung: **{name}** · {_size(n_rows, n_features)} · sagt *{target}* vorher{roles}"


def gone(key: str, file: str = "") -> str:
    what = f"Die Datei „{file}“" if file else "Die Tabelle"
    return (
        f"Dieser Link verlangt die Daten `{key or '?'}`, die dieser Server nicht (mehr) hat. Hochgeladene "
        "Tabellen bleiben nur, solange der Server läuft und Platz hat. **Stattdessen stehen hier die Irisblüten. "
        f"{what} auf der Seite „Daten“ noch einmal hochladen**, um damit zu arbeiten; dann gilt derselbe Link "
        "wieder, wenn es dieselbe Tabelle ist."
    )


CLASSES_REFUSED = (
    "Die Reihenfolge der Klassen in diesem Link passt nicht zur Tabelle: Ihre Klassen stehen so, wie sie gelesen "
    "wurden."
)
CLASSES_BUTTON = "Klassen"
COUNTS = "Die Klasse, um die es geht"
COUNTS_HELP = (
    "ROC, Sensitivität, Spezifität und Präzision gelten für diese Klasse gegen alle anderen, und bei zwei Klassen "
    "die Richtungen von Spalten für ihren Anteil. Ihre Farbe bleibt. *Fachwort:* positive Klasse."
)
CLASS_ORDER = "Klassen, die zuerst kommen, in dieser Reihenfolge"
CLASS_ORDER_HELP = (
    "Die anderen folgen wie bisher. Legenden, Tabellen, Bilder und Exporte haben die Klassen in dieser "
    "Reihenfolge; jede behält ihre Farbe. Bäume fragen dasselbe; ein Blatt mit gleichen Anteilen antwortet mit "
    "der Klasse, die zuerst kommt."
)
GUESSED_BY = {
    "name": "vermutlich, dem Namen nach",
    "rarity": "vermutlich als die seltenere",
    "choice": "wie schon gewählt",
}
MOST_CLASSES_LISTED = 6


def it_counts(name: str) -> str:
    return f"Es geht um {name}"


def as_guessed(name: str, by: str) -> str:
    return f"{name}, {GUESSED_BY[by]}" if name else "keine"


def classes_as_they_are(classes: Sequence[str]) -> str:
    more = ", …" if len(classes) > MOST_CLASSES_LISTED else ""
    return f"wie sie sind: {', '.join(classes[:MOST_CLASSES_LISTED])}{more}"


def filter_refused(reason: str) -> str:
    return f"{reason} **Stattdessen stehen hier alle Zeilen.**"


BRING = "Eigene Tabelle"
NO_UPLOADS = "Dieser Server nimmt keine Tabellen an: Es gibt die Beispiele."
UPLOAD = "Datei hochladen"
PASTE = "Tabelle einfügen"
PASTE_HERE = "Kopierte Zellen oder Zeilen einer CSV-Datei"
READ_PASTED = "Eingefügte Tabelle lesen"
PASTED = "Eingefügte Tabelle"


def no_such_target(name: str) -> str:
    return (
        f"Die Tabelle hat keine Spalte „{name}“, die auf der Befehlszeile als Ziel steht. Das Ziel unten wählen."
    )


OTHERS_FIRST = "Andere Dateien werden zuerst gelesen."
CANCEL = "Abbrechen"
MAKING_DATASET = "Aus den Spalten werden Daten …"


def limits(megabytes: int, n_rows: int, n_columns: int, n_cells: int) -> str:
    return (
        f"CSV, TSV, Excel (.xlsx), Parquet, ARFF oder JSON-Zeilen, auch als .gz oder .zip; bis zu {megabytes} MB, "
        f"{count(n_rows)} Zeilen, {count(n_columns)} Spalten und {n_cells // 1_000_000} Millionen Zellen. Die "
        "Datei bleibt auf diesem Server."
    )


def reading(step: str) -> str:
    return f"**Die Datei wird gelesen**: {step} …"


IN_USE = "in Benutzung"
CLASSES = "Klassen"
NUMBER = "Zahl"
FIGURE_3 = "Bild 3 der Veröffentlichung"
FIGURE_3_HELP = "Eine weiche Teilung, ein Wald und CART nebeneinander"
GROW = "Baum wachsen lassen"


def grow_help(title: str) -> str:
    return f"Zeigt den Baum von {title}"


def sample_size(n_rows: int, n_features: int, target: str) -> str:
    return f"{_size(n_rows, n_features)} · sagt *{target}* vorher"


EMPTY_CELL = "(leere Zelle)"
EXCEL = "Excel"
PARQUET = "Parquet"
FORMAT = "Format"
DELIMITER = "Zellen getrennt durch"
DECIMAL = "Dezimalzeichen"
THOUSANDS = "Tausenderzeichen"
ENCODING = "Zeichensatz"
QUOTE = "Um Zellen"
SHEET = "Blatt"
HEADER = "Erste Zeile hat die Namen"
MISSING = "Texte, die als fehlend gelten"
MISSING_HELP = "Zellen mit genau diesem Text. Eigene wie -999 eintragen und mit der Eingabetaste bestätigen."
READ_SO_NOW = "So gelesen"
READ_IT_SO = "So lesen"
NOT_CHOSEN = {
    "sheet": "das erste",
    "delimiter": "wie erraten",
    "decimal": "wie erraten",
    "encoding": "wie erraten",
}
NONE = "keines"


def how_read(options: str) -> str:
    return f"Wie die Datei gelesen ist: {options}"


def excel_options(has_header: bool) -> str:
    return f"{EXCEL}, {_header(has_header)}"


def text_options(delimiter: str | None, decimal: str | None, encoding: str, has_header: bool) -> str:
    parted = f"getrennt durch {delimiter}" if delimiter else "getrennt wie erraten"
    return f"{parted}, Dezimalzeichen {decimal or 'wie erraten'}, {encoding}, {_header(has_header)}"


def _header(has_header: bool) -> str:
    return "Namen in der ersten Zeile" if has_header else "keine Namen"


def to_skip(is_excel: bool) -> str:
    return f"{'Tabellenzeilen' if is_excel else 'Zeilen'} überspringen"


def left_open(question: str) -> str:
    return f"**{question}** Die Datei lässt das offen."


NOTES = "**Gut zu wissen über diese Tabelle**"
TARGET = "Ziel: die Spalte, die vorhergesagt wird"
TARGET_HELP = "Ein Baum sagt sie aus allen anderen Spalten vorher."
PREDICT = "Vorhersagen"
AS_CLASSES = "als Klassen"
AS_NUMBER = "als Zahl"
BY_CHOICE = "nach eigener Wahl"
COLUMN = "Spalte"
KIND = "Art (hier zu ändern)"
KIND_HELP = (
    "number: gefragt als „x ≤ 3“. category: gefragt als „ist rot oder blau“. ordered: Kategorien mit einer "
    "Ordnung, gefragt als „höchstens mittel“. date, time of day, duration (Datum, Uhrzeit, Dauer): gefragt als "
    "„before 2021-03-01“, „in December“, „longer than 3 days“. Kennungen und übergangene Spalten dienen nicht "
    "zum Vorhersagen."
)
VALUES = "Werte"
VALUES_HELP = "Wie oft jeder Wert oder Bereich vorkommt."
MISSING_CELLS = "Fehlend"
MISSING_CELLS_HELP = "Zellen ohne Wert."
DISTINCT = "Verschieden"
DISTINCT_HELP = "Verschiedene Werte."
ORDER = "Ordnung"
ORDER_HELP = "Bei der Art „ordered“: ihre Werte als niedrig < mittel < hoch."
PARTS = "Teile des Datums"
PARTS_HELP = (
    "Bei der Art „date“ (Datum): wonach ein Baum fragen darf. date: vor oder nach einem Tag oder Zeitpunkt. Die "
    "anderen (Jahr, Monat, Wochentag, Tag, Stunde) sind die des Kalenders; nach Monaten und Wochentagen wird in "
    "Mengen gefragt, etwa „im Dezember oder Januar“. Leer: die üblichen."
)
ORDERS = {"dmy": "Der Tag steht vorn", "mdy": "Der Monat steht vorn"}
IN_FILE = "In der Datei"
READ_AS = "Gelesen als"
FIRST_VALUES = "Erste Werte"
WHY = "Warum"


def first_rows(n_rows: int) -> str:
    return f"Erste Zeilen von {count(n_rows)}"


def first_columns(most: int, n_columns: int) -> str:
    return f"Die ersten {most} von {count(n_columns)} Spalten."


def which_date(column: str, cell: str) -> str:
    """Frage zu einer Zelle, deren Tag auch der Monat sein könnte."""
    return f"Welches Datum ist „{cell}“ in „{column}“?"

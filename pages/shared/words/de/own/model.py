"""German texts on a person's own models."""

from __future__ import annotations

from espalier.views.theme import count

YOUR_MODEL = "Eigenes Modell"
GONE = (
    "Dieser Link verlangt ein Modell, das dieser Server nicht (mehr) hat: Hochgeladene Modelle bleiben nur, "
    "solange er läuft und Platz hat. Nach erneutem Hochladen gilt derselbe Link wieder."
)
DIGEST = "die 32 Zeichen, die ein Link zu einem hochgeladenen Modell hat"
UPLOAD = (
    "**Ein eigenes Modell** lässt sich links hochladen, eine Datei von XGBoost, LightGBM, CatBoost oder R oder "
    "eine ONNX-Datei. Es wird befragt, wie es ist, und nichts wird neu angepasst."
)


def file_label(megabytes: int) -> str:
    return f"Modelldatei (.json, .ubj, .txt oder .onnx, höchstens {megabytes} MB)"


def file_help(n_columns: int) -> str:
    return (
        f"Ein Modell, das eine Zeile mit den {n_columns} Spalten der Tabelle als Zahlen nimmt, Kategorien als "
        "Codes 0, 1, …, und die Wahrscheinlichkeiten der Klassen oder eine Zahl sagt. XGBoost schreibt .json oder "
        ".ubj, LightGBM .txt, CatBoost .json; für rpart, ranger und randomForest gibt es ein Skript. Gelesen und "
        "ausgeführt wird es auf diesem Server in Grenzen, und sonst wird ihm in nichts vertraut. Kein Pickle wird "
        "geöffnet."
    )


def cannot_read(why: str) -> str:
    return f"**Ein eigenes Modell lässt sich hier nicht lesen:** {why}. Oder ein anderes Modell wählen."


ORDERS = {
    "ap-classes": (
        "Klassen des eigenen Modells",
        "Welche Klasse der Tabelle jede Klasse des Modells ist. Eine Datei, die ihre Klassen nummeriert, sagt "
        "nicht, welche welche ist: Von selbst nimmt die Seite die Ordnung, die am besten zum Ziel der Tabelle "
        "passt.",
    ),
    "ap-columns": (
        "Spalten des eigenen Modells",
        "In welcher Ordnung das Modell die Spalten der Tabelle nimmt. Eine Datei ohne Namen sagt das nicht: "
        "Von selbst versucht die Seite die Ordnung der Tabelle, die des Alphabets und die umgekehrte, und "
        "nimmt, was am besten zum Ziel passt.",
    ),
}
BEST_ORDER = "Die am besten passende"
OTHER_ORDER = "In anderer Ordnung"
NAMES_IN_ORDER = "Namen in der Ordnung des Modells, einer je Zeile"
PLACES = "die Plätze der Klassen oder Spalten der Tabelle in der Ordnung des Modells, etwa 1-0"
TWICE = "Manche Namen stehen zweimal da: Jeder muss einmal dastehen."


def other_table(parameter: str, text: str) -> str:
    return f"{parameter}={text} gehört zu einer anderen Tabelle"


def no_such_name(name: str) -> str:
    return f"Die Tabelle hat kein {name}: ihre eigenen Namen eintragen, einen je Zeile."


def lacking(n: int, of: int, first: str) -> str:
    return f"{n} von {of} fehlen, zuerst {first}."


def not_so(order: str) -> str:
    counted = "Hier zählen alle Zeilen, auch gelernte: Das wählt eine Reihenfolge und ist kein Gütemaß."
    return f"{order} {counted} Stimmt das nicht? Links lässt es sich ändern."


def reads(heading: str) -> str:
    return f"{heading}: Die Datei wird gelesen"


IN_USE = "Eigenes Modell"
NAME = "Name"
IN_THIS_PLACE = "Welches eigene Modell"
IN_THIS_PLACE_HELP = (
    "Mehrere mitgebrachte Modelle können nebeneinander stehen. Womit jedes trainiert wurde und die Reihenfolge "
    "seiner Spalten und Klassen stehen links, wo ein Modell nach dem anderen gewählt wird."
)
NAME_OR_REMOVE = "Umbenennen oder entfernen"
REMOVE = "Dieses Modell entfernen"
REMOVE_HELP = "Dieser Server vergisst dann die Datei. Links zu ihr verlangen sie erneut."

TRAINED_ON = "Trainiert mit"
TRAINED_ON_HELP = (
    "Aus welchen Zeilen dieser Tabelle das Modell gelernt hat. Ein Gütemaß auf diesen sagt nichts über neue "
    "Zeilen, deshalb zählen sie nirgends mit. Solange das nicht gesagt ist, zählen alle Zeilen, und jedes Gütemaß "
    "sagt es dazu."
)
WAYS = {
    "": "Nicht bekannt",
    "none": "Keiner Zeile dieser Tabelle",
    "all": "Allen Zeilen dieser Tabelle",
    "column": "Zeilen, die eine Spalte kennzeichnet",
    "file": "Zeilen, die in einer Datei stehen",
}
MARK = "Spalte, die sie kennzeichnet"
VALUES = "Werte der Zeilen, mit denen es trainiert wurde"
ROW_FILE = "Datei mit Zeilennummern"
ROW_FILE_HELP = "Eine Textdatei mit der Nummer einer Zeile je Zeile, ab 1; eine Überschrift darf darüber stehen."
A_WAY = "none, all, eine Bedingung an eine Spalte oder der Name einer Datei mit Zeilennummern"
NO_TEXT = "Die Datei ist kein Text. In jeder Zeile muss die Nummer einer Zeile stehen, ab 1."
NOTHING_LEFT = (
    "**Es wurde mit jeder Zeile dieser Tabelle trainiert**, also bleibt keine, an der es sich messen lässt. Eine "
    "Tabelle mit Zeilen öffnen, die ihm neu sind, oder angeben, welche es sind."
)


def wrong_rows(why: str) -> str:
    return f"Mit welchen Zeilen es trainiert wurde, ist nicht klar: {why.rstrip('.')}."


def may_have_seen() -> str:
    return "Zeilen, mit denen es trainiert worden sein kann"


def new_to_it(n: int, of: int) -> str:
    if n == of:
        return f"alle {count(of)} Zeilen, die ihm neu sind"
    if not n:
        return "keine Zeile: Es wurde mit allen trainiert"
    return f"die {count(n)} von {count(of)} Zeilen, mit denen es nicht trainiert wurde"


def judged(rows: str) -> str:
    return f"Hier nicht angepasst. Gemessen an: {rows}."


def without_folds(title: str, score: str, judged: str) -> str:
    return (
        f"**{title}: {score}.** {judged} Es wird nicht Fold für Fold angepasst, sondern zu all diesen Zeilen auf "
        "einmal befragt."
    )


def beside_others(title: str, may_have_seen: bool) -> str:
    if not may_have_seen:
        return f"**{title} neben den anderen**, auf den Zeilen jedes Folds, die für dieses Modell neu sind."
    return (
        f"**{title} neben den anderen**, auf den Zeilen jedes Folds. Es kann mit ihnen trainiert worden sein, was "
        "ihm schmeicheln würde: Links lässt sich sagen, womit es trainiert wurde."
    )


def beside_each_other(first: str, second: str, may_have_seen: bool) -> str:
    if not may_have_seen:
        return f"**{first} neben {second}**, auf den Zeilen jedes Folds, die für beide neu sind."
    return (
        f"**{first} neben {second}**, auf den Zeilen jedes Folds. Eines der Modelle oder beide können mit manchen "
        "davon trainiert worden sein, was ihnen schmeicheln würde: Links lässt sich sagen, womit jedes trainiert "
        "wurde."
    )


NOTHING_NEW_TO_BOTH = "Solche Zeilen gibt es nicht: Mit jeder wurde das eine oder das andere trainiert."


def error(may_have_seen: bool) -> str:
    return "Fehler auf vielleicht bekannten Zeilen" if may_have_seen else "Fehler auf neuen Zeilen"


def error_of_one(may_have_seen: bool) -> str:
    if may_have_seen:
        return "Fehler eines Baums auf vielleicht bekannten Zeilen"
    return "Fehler eines Baums auf neuen Zeilen"


def its_rows(may_have_seen: bool) -> str:
    if may_have_seen:
        return "mit denen er vielleicht trainiert wurde, was ihm schmeicheln würde"
    return "mit denen er nach Ihrer Angabe nicht trainiert wurde"


def line(side: str, may_have_seen: bool) -> str:
    return f"{side}, vielleicht bekannte Zeilen" if may_have_seen else f"{side}, neue Zeilen"


NO_ROUNDS = (
    "Die Runden des eigenen Modells stehen Baum für Baum im Reiter *Bäume*: Wie es lernte, sagt seine Datei nicht."
)
NOT_REDRAWN = (
    "Das eigene Modell wird nicht neu angepasst; wie sich seine Antwort mit anderen Trainingszeilen änderte, ist "
    "hier deshalb nicht bekannt."
)

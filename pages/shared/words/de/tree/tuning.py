"""Deutsche Texte von „Einstellungen suchen“."""

from __future__ import annotations

from espalier.views.theme import count

TUNE = "Einstellungen suchen"
HELP = (
    "Sucht durch Kreuzvalidierung die Einstellungen mit der besten Güte und sagt ehrlich, wie gut sie auf Zeilen "
    "sind, die die Suche nicht gesehen hat."
)
CLOSE = "Schließen"
TIME, TIME_HELP = "Zeit", "Dann endet die Suche mit dem bisher Besten; von dort kann sie weitergehen."
BY = "Das Beste nach"
BY_HELP = (
    "Die Güte, nach der Einstellungen gewählt werden. Hat eine Klasse die meisten Zeilen, sagt die Genauigkeit "
    "wenig. *Begriffe:* wie auf der Seite *Vergleichen*."
)
SEARCH = "Suchen"


def heading(learner: str) -> str:
    return f"#### Einstellungen suchen: {learner}"


def seconds(text: str) -> str:
    n = int(text)
    return f"{n} s" if n < 100 else f"{n // 60} min"


def introduction(n_rows: int) -> str:
    return (
        f"Kombinationen von Einstellungen werden auf den {count(n_rows)} Zeilen, die nicht zurückgehalten sind, "
        "durch Kreuzvalidierung erprobt: erst viele auf einem Teil der Zeilen, dann das beste Drittel auf dreimal "
        "so vielen, bis zu allen (*successive halving*). Danach wird die Suche ohne je ein Fünftel der Zeilen "
        "wiederholt, und was sie wählt, wird dort bewertet (*geschachtelte Kreuzvalidierung*): eine ehrliche "
        "Güte, denn diese Zeilen hatten keinen Anteil an der Wahl. Gruppen und Zeiten werden beachtet. "
        "Einstellungen, die nicht gesucht werden, bleiben, wie sie sind."
    )


SEARCHING = "**Einstellungen werden gesucht**"
STOPPED = "Die Suche wurde abgebrochen. Hier ist, was sie bisher gefunden hat."
FAILED = "Es wurden keine Einstellungen gefunden."


def how_far(n_trials: int) -> str:
    return f"{SEARCHING}: bisher {count(n_trials)} Versuche"


def search_on(text: str) -> str:
    return f"{seconds(text)} weitersuchen"


RULES = {
    "now": "Wo die Suche begann",
    "simplest": "Die einfachsten innerhalb eines Standardfehlers",
    "best": "Die besten in der Suche",
}
ON_NEW_ROWS = (
    "Die ehrliche Güte: das Mittel über Teile der Zeilen, die keinen Anteil an der Wahl hatten, jeder bewertet "
    "mit dem, was die Suche ohne ihn wählte. *Begriff:* geschachtelte Kreuzvalidierung."
)
USE, IN_USE = "Diese Einstellungen nehmen", "In Gebrauch"
USE_HELP = "Die Regler links nehmen diese Werte an. *Rückgängig* nimmt es zurück."
KEYS = "Pfeile gehen von Größe zu Größe, Enter nimmt die Einstellungen."
BELOW_THE_PICTURE = (
    "Jeder Punkt ist eine Kombination von Einstellungen; kleine blasse haben einen Teil der Zeilen gesehen. Die "
    "Linie verbindet die besten jeder Größe: Ein Klick nimmt die Einstellungen. Die gepunktete Linie liegt einen "
    "Standardfehler vom Besten entfernt; die gestrichelten sind die Güte der besten in der Suche und die solcher "
    "Wahlen auf Zeilen, die keinen Anteil daran hatten."
)


def on_new_rows(score: str) -> str:
    return f"{score}, auf neuen Zeilen"


def in_the_search(score: str, spread: str) -> str:
    return f"In der Suche: {score} ± {spread}"

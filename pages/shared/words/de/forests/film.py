"""Texte zum Film eines Waldes: Baum um Baum kommt zum Mittel dazu."""

from __future__ import annotations

from collections.abc import Sequence

TITLE = "**Baum um Baum kommt zum Mittel dazu**"
PLAYER = {
    "film": "Film vom Wachsen der Wälder",
    "splits": "Bäume, die schon dabei sind",
    "start": "Zurück zum ersten Baum",
    "back": "Einen Schritt zurück",
    "play": "Abspielen",
    "pause": "Anhalten",
    "step": "Nächster Schritt",
    "end": "Alle Bäume",
}
ERROR = "Fehler der bisherigen Bäume"
HOW_TO_READ = (
    "Ein Baum zerschneidet die Ebene in Kästen, und der nächste schneidet sie anderswo. Ihr Mittel hat "
    "Grenzen, wo die meisten übereinstimmen, und sein Fehler fällt, bis neue Bäume nichts Neues mehr sagen. "
    "Nach den ersten 12 Bäumen kommen mehrere zugleich dazu."
)


def average(side: str) -> str:
    return f"Wald {side}: Mittel seiner Bäume"


def newest(side: str) -> str:
    return f"Wald {side}: der zuletzt dazugekommene Baum"


def step(n_trees: int, most: int, errors: Sequence[str]) -> str:
    told = f" Fehler: {'; '.join(errors)}." if errors else ""
    return f"{n_trees} von {most} {'Bäumen' if most != 1 else 'Baum'}.{told}"


def no_film(side: str) -> str:
    return f"Wald {side} summiert seine Bäume, und keiner bedeutet allein etwas: siehe *Runde für Runde*."

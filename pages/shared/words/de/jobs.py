"""Texte zu Arbeit neben den Seiten: der Rechenkern, der übersetzt wird; wie weit ein Auftrag ist; sein Ende."""


def engine(seconds: float, expected: int) -> str:
    return (
        f"**Der Rechenkern wird vorbereitet.** Er wird auf diesem Rechner einmal übersetzt, meist in etwa "
        f"{expected} s; danach geht es von selbst weiter (bisher {seconds:.0f} s)."
    )


def engine_beside(seconds: float, expected: int) -> str:
    return (
        f"**Der Rechenkern wird vorbereitet** (bisher {seconds:.0f} s, meist etwa {expected} s, einmal auf diesem "
        "Rechner). Bis dahin gibt es nur Bäume kleiner Tabellen, und jeder braucht einige Sekunden."
    )


CANCEL = "Abbrechen"
KEEPS = "Hält die Arbeit an. Was bis jetzt getan ist, bleibt."
GO_ON = "Weiter"
TRY_AGAIN = "Noch einmal versuchen"
SERVER_FAULT = (
    "Auf dem Server ist etwas schiefgegangen. Ein neuer Versuch hilft vielleicht; wer den Server betreibt, findet "
    "die Einzelheiten in dessen Protokoll."
)
TOO_LITTLE_MEMORY = (
    "Das braucht mehr Speicher, als der Server hat. Mit weniger Zeilen, kleinerer Tiefe oder weniger Bäumen "
    "braucht es weniger."
)
MINUTES_FROM = 100
KEEP_RUNNING = "Weiterlaufen lassen"
KEPT = (
    "Die Arbeit geht weiter, wenn die Seite verlassen wird, höchstens eine halbe Stunde lang. Sonst hält sie dann "
    "an; was getan ist, bleibt, und bei der Rückkehr geht es weiter."
)


def begins_now(title: str) -> str:
    return f"{title}: beginnt …"


def holder(title: str, is_own: bool) -> str:
    return f"„{title or 'ein anderer Auftrag'}“" + ("" if is_own else " einer anderen Person")


def begins_after(title: str, holder: str, place: int, seconds_left: float | None) -> str:
    left = "" if seconds_left is None else f" ({time_left(seconds_left)})"
    queue = "beginnt" if place == 1 else f"Platz {place} in der Schlange,"
    return f"{title}: {queue} nach {holder}{left}"


def stopping(title: str) -> str:
    return f"{title}: wird angehalten …"


def waits_for_engine(title: str, seconds: float) -> str:
    return (
        f"{title}: wartet, bis der Rechenkern übersetzt ist, einmal auf diesem Rechner (bisher {seconds:.0f} s) …"
    )


def under_way(text: str, seconds_left: float | None) -> str:
    return f"{text} …" if seconds_left is None else f"{text}, {time_left(seconds_left)} …"


def time_left(seconds: float) -> str:
    if seconds >= MINUTES_FROM:
        return f"noch etwa {round(seconds / 60)} min"
    return f"noch etwa {max(round(seconds), 1)} s"


def failed(title: str, why: str) -> str:
    return f"**{title}** {why}" if title else why


def much_to_do(amount: str) -> str:
    return f"Es ist viel zu tun: {amount}"

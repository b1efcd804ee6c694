"""Texte für einen Kurs: sein Name, und der Link, unter dem andere die Seite öffnen."""

from __future__ import annotations

from collections.abc import Sequence

HERE = "Diese Seite öffnen"
NO_CODE = "Mit dem Paket segno auf dem Server steht der Link hier auch als QR-Code."
NOT_OUTSIDE = (
    "Nur dieser Rechner kann den Link öffnen: Der Server antwortet keinem anderen. Damit andere ihn erreichen, "
    "wird er mit `espalier --lecture` oder `--server.address 0.0.0.0` gestartet."
)
SHARE = "Teilen oder vorführen"
SHARE_HELP = (
    "Der Link zur Seite, so wie sie ist, auch als QR-Code, ein Rahmen für Folien, die Tasten für einen "
    "Vortrag, und die Sprache der Seite."
)
LANGUAGE = "Sprache"
KEYS = (
    "**P** blendet alles außer den Bildern aus und vergrößert die Schrift; P oder Escape holt es zurück. Solange "
    "blättern Bild auf und Bild ab die Seiten um, die Pfeile gehen durch einen Film, die Leertaste spielt ihn "
    "ab, und **L** schaltet das Licht um den Mauszeiger ein und aus. Ein Link mit ?present öffnet die Seite so."
)


def only_here(page: str) -> str:
    return f"Erstellt auf einem Server, den nur sein Rechner erreicht; im eigenen Espalier ist die Seite {page}"


def frame(figures: Sequence[str]) -> str:
    alone = " oder ".join(f"`&figure={name}`" for name in figures)
    part = f"; mit {alone} zeigt er einen Teil allein" if alone else ""
    return f"Ein Rahmen für Folien, einen Kurs oder ein Notebook{part}:"


def no_such_figure(asked: str, known: Sequence[str]) -> str:
    return f"Diese Seite hat keine Abbildung `{asked}`. Es gibt {', '.join(f'`{name}`' for name in known)}."


def code_of(link: str) -> str:
    return f"QR-Code von {link}"

"""Colours that do not stand for classes: text, lines and paper, on light and on dark pages."""

from __future__ import annotations

from espalier.views.theme import class_colours

TEXT = {"light": "#31333F", "dark": "#FAFAFA"}
PAPER = {"light": "#FFFFFF", "dark": "#171614"}  # the page itself
LINE = {"light": "#8A8D98", "dark": "#8A8D98"}
GRID = {"light": "rgba(49,51,63,0.12)", "dark": "rgba(250,250,250,0.16)"}
FAINT = {"light": "rgba(49,51,63,0.28)", "dark": "rgba(250,250,250,0.32)"}


def theme_of(dark: bool) -> str:
    """Return the key into the colours: "light" or "dark"."""
    return "dark" if dark else "light"


def accent(dark: bool) -> str:
    """Return the colour of a figure's subject, where that is no class."""
    return class_colours(1)[theme_of(dark)][0]


def mixed(colour: str, paper: str, strength: float) -> str:
    """Return the colour mixed with the paper at `strength` (0 to 1), all as "#RRGGBB"."""
    parts = zip(rgb(colour), rgb(paper), strict=True)
    return "#" + "".join(f"{round(strength * c + (1 - strength) * p):02X}" for c, p in parts)


def readable_on(fill: str) -> str:
    """Return black or white, whichever contrasts more with the fill (relative luminance of WCAG 2)."""
    parts = [v / 255 for v in rgb(fill)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000000" if luminance > 0.179 else "#FFFFFF"


def rgb(colour: str) -> list[int]:
    """Return red, green and blue of "#RRGGBB", each from 0 to 255."""
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]

"""Colours on light and on dark pages: of text, lines and paper, and of whatever a picture is about."""

from __future__ import annotations

from espalier.data.dataset import Feature
from espalier.display.theme import class_colours, colours_of

TEXT = {"light": "#31333F", "dark": "#FAFAFA"}
PAPER = {"light": "#FFFFFF", "dark": "#171614"}  # the page itself
LINE = {"light": "#8A8D98", "dark": "#8A8D98"}
GRID = {"light": "rgba(49,51,63,0.12)", "dark": "rgba(250,250,250,0.16)"}
TIE = LINE  # of an answer that classes tie for: no class has it
FAINT = {"light": "rgba(49,51,63,0.28)", "dark": "rgba(250,250,250,0.32)"}


def theme_of(dark: bool) -> str:
    """Return the key into the colours: "light" or "dark"."""
    return "dark" if dark else "light"


def accent(dark: bool) -> str:
    """Return the colour of a figure's subject, where that is no class."""
    return class_colours(1)[theme_of(dark)][0]


def answer_colour(target: Feature, answer: float, dark: bool) -> str:
    """Return the colour of what is said about an answer: that of the class with this code, or of the number."""
    return colours_of(target)[theme_of(dark)][int(answer) if target.categories else 0]


def direction_colours(target: Feature, answer: float, dark: bool) -> tuple[str, str]:
    """Return the colours of what speaks for an answer and of what speaks against it.

    Against one of two classes speaks what speaks for the other, in its colour; else a neutral colour is against.
    """
    theme = theme_of(dark)
    if len(target.categories) == 2:
        return answer_colour(target, answer, dark), answer_colour(target, 1 - answer, dark)
    return answer_colour(target, answer, dark), mix(TEXT[theme], PAPER[theme], 0.45)


def mix(colour: str, paper: str, strength: float) -> str:
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

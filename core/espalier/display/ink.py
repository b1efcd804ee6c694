"""Colours on light and on dark pages: of text, lines and paper, and of whatever a picture is about."""

from __future__ import annotations

from espalier.data.dataset import Feature
from espalier.display.theme import DARK, LIGHT, colours_of

TEXT = {"light": "#31333F", "dark": "#FAFAFA"}
PAPER = {"light": "#FFFFFF", "dark": "#171614"}  # the page itself
LINE = {"light": "#8A8D98", "dark": "#8A8D98"}
GRID = {"light": "rgba(49,51,63,0.12)", "dark": "rgba(250,250,250,0.16)"}
TIE = LINE  # of an answer that classes tie for: no class has it
FAINT = {"light": "rgba(49,51,63,0.28)", "dark": "rgba(250,250,250,0.32)"}
STRENGTHS = (1.0, 0.6, 0.8, 0.5)  # of the ink of models, by their places; shape and dash tell them apart, too
RULE = '.js-plotly-plot {element}[style*="{what}: {there}"]{{{what}:light-dark({light},{dark})!important}}\n'
AGAINST = 0.45  # strength of the ink of what speaks against an answer


def theme_of(dark: bool) -> str:
    """Return the key into the colours: "light" or "dark"."""
    return "dark" if dark else "light"


def accent(dark: bool) -> str:
    """Return the ink of a figure's subject, where that is no class: hue belongs to classes."""
    return TEXT[theme_of(dark)]


def answer_colour(target: Feature, answer: float, dark: bool) -> str:
    """Return the colour of what is said about an answer: that of the class with this code, or of the number."""
    return colours_of(target)[theme_of(dark)][int(answer) if target.categories else 0]


def model_colour(slot: int, dark: bool) -> str:
    """Return the ink of the model, or of the line, in this place: hue belongs to classes."""
    return _ink(STRENGTHS[slot], theme_of(dark))


def direction_colours(dark: bool) -> tuple[str, str]:
    """Return the inks of what speaks for an answer and of what speaks against it: no class's colours."""
    return TEXT[theme_of(dark)], _ink(AGAINST, theme_of(dark))


def _ink(strength: float, theme: str) -> str:
    return mix(TEXT[theme], PAPER[theme], strength)


def style_of_figures() -> str:
    """Return the style by which figures of Plotly, drawn for a light page, have a dark one's colours on it.

    The browser resolves them, so that a figure follows when the page turns dark or light.
    """
    pairs = {colour["light"]: colour["dark"] for colour in (TEXT, LINE)} | dict(zip(LIGHT, DARK, strict=True))
    pairs |= {_ink(part, "light"): _ink(part, "dark") for part in (*STRENGTHS, AGAINST)}
    rules = [_rule("*", light, dark) for light, dark in pairs.items()]
    return "\n".join([*rules, _rule(":is(path,rect)", PAPER["light"], PAPER["dark"])])


def _rule(element: str, light: str, dark: str) -> str:
    there = "rgb({}, {}, {})".format(*rgb(light))
    values = {"element": element, "there": there, "light": light, "dark": dark}
    return "".join(RULE.format(what=what, **values) for what in ("fill", "stroke"))


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

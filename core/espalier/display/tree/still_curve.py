"""An impurity curve on paper: what the browser draws of a curve's card, without a cut of one's own.

The card is that of `espalier.display.tree.impurity_curve`, or of `espalier.display.cultivated.curve`, whose
neighbourhood stands over the curve as a band.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from espalier.data.dataset import Feature
from espalier.display import ink, svg
from espalier.display.svg import DASHES, Frame, Markup, round_numbers
from espalier.display.text.moments import all_written
from espalier.display.theme import number, rounded_to
from espalier.language import say

WIDTH, HEIGHT, FONT_SIZE = 560, 320, 12
LEFT, RIGHT, TOP, FOOT = 64, 14, 26, 40
STRIP, GAP = 62, 12  # pixels of the rows below the curve, and between the two
FLOOR = HEIGHT - FOOT
MOST_TICKS, MOST_LETTERS = 6, 48
NEAR_EDGE = 70  # pixels from an end of the axis: words there do not stand in the middle of their line


def curve_picture(card: dict[str, Any], feature: Feature, dark: bool) -> str:
    """Return the curve over its rows as SVG.

    Examples
    --------
    >>> from espalier.data import samples
    >>> from espalier.tree.nodes import impurity_curves
    >>> from espalier.display.tree import impurity_curve
    >>> iris = samples.load("iris")
    >>> curve = impurity_curves(iris, iris.y < 3, None, "gini")[0]
    >>> card = impurity_curve.card(impurity_curve.look(iris, iris.y < 3, None, curve), "gini")
    >>> curve_picture(card, iris.features[curve.feature], False)[1:4]
    'svg'
    """
    frame = _frame(card, dark)
    near = card.get("near")
    parts = [
        *(_band(near, frame) if near else ()), *_axes(card, feature, frame), *_rows(card, frame),
        *_curve(card, frame), *(_mean(card, frame) if near else ()),
    ]  # fmt: skip
    if card["own"] is not None:
        parts += _mark(frame, card["own"], say("the tree's split"))
    return svg.picture(parts, frame.size, FONT_SIZE)


def _frame(card: dict[str, Any], dark: bool) -> Frame:
    """Return the axes: up from 0.9 of the node's impurity at most, so that small gains look small."""
    high = max(card["before"], *card["y"], 1e-12)
    low = min(0.9 * card["before"], *card["y"])
    ends = max(low - 0.08 * (high - low), 0.0), high + 0.04 * (high - low)
    margins = (LEFT, RIGHT, TOP, FOOT + STRIP + GAP)
    return Frame((WIDTH, HEIGHT), margins, (card["low"], card["high"]), ends, dark)


def _axes(card: dict[str, Any], feature: Feature, frame: Frame) -> Iterator[Markup]:
    yield from frame.grid(round_numbers(frame.up[0], frame.up[1], 5))
    for at, words in _ticks(card, feature):
        yield frame.words(frame.x(at), FLOOR + 15, words, text_anchor="middle")
    yield frame.title_below(svg.shortened(card["name"], MOST_LETTERS), 6, font_weight="bold")
    yield frame.title_beside(say("{criterion} after the split", criterion=card["criterion"]), 12)
    below = frame._replace(margins=(LEFT, RIGHT, FLOOR - STRIP, FOOT))
    yield below.title_beside(say("weight") if card["weighted"] else say("rows"), 12)


def _ticks(card: dict[str, Any], feature: Feature) -> list[tuple[float, str]]:
    """Return places along the axis with their words: of categories as many names as there is room for."""
    names = card["names"]
    if names:
        every = -(-len(names) // MOST_TICKS)
        most = MOST_LETTERS // min(len(names), MOST_TICKS)
        return [(k, svg.shortened(names[k], most)) for k in range(0, len(names), every)]
    values = round_numbers(card["low"], card["high"], MOST_TICKS)
    return list(zip(values, all_written(feature, values), strict=True))


def _rows(card: dict[str, Any], frame: Frame) -> Iterator[Markup]:
    """Yield the rows below the curve, stacked by class."""
    theme, heights = ink.theme_of(frame.dark), [0.0] * len(card["centre"])
    most = max(max(map(sum, zip(*card["bars"], strict=True)), default=0.0), 1e-12)
    half = card["width"] / 2 * (0.8 if card["names"] else 0.94)
    for k, bars in enumerate(card["bars"]):
        colour = card["classes"][k][theme] if card["classes"] else ink.LINE[theme]
        for i, weight in enumerate(bars):
            if weight:
                heights[i] += weight
                left, right = frame.x(card["centre"][i] - half), frame.x(card["centre"][i] + half)
                box = (left, FLOOR - heights[i] / most * STRIP, right - left, weight / most * STRIP)
                yield svg.rectangle(box, colour)
    yield svg.line([(frame.left, FLOOR), (frame.right, FLOOR)], ink.LINE[theme])
    yield frame.words(frame.left - 6, FLOOR - STRIP + 9, number(most), text_anchor="end")
    yield frame.words(frame.left - 6, FLOOR + 1, "0", text_anchor="end")


def _curve(card: dict[str, Any], frame: Frame) -> Iterator[Markup]:
    """Yield the impurity before and after each cut, with a mark at the least."""
    colour, level = ink.accent(frame.dark), frame.y(card["before"])
    ends = [(frame.left, level), (frame.right, level)]
    yield svg.line(ends, ink.TEXT[ink.theme_of(frame.dark)], stroke_dasharray="2 4")
    before = rounded_to([card["before"], *card["y"]])(card["before"])
    yield frame.words(frame.right, level - 5, say("before: {value}", value=before), text_anchor="end")
    places = [(frame.x(x), frame.y(y)) for x, y in zip(card["x"], card["y"], strict=True)]
    if len(places) > 1:
        yield svg.line(places, colour, stroke_width=2, stroke_linejoin="round")
    if card["best"] >= 0:
        x, y = places[card["best"]]
        yield svg.circle(x, y, 5, colour, stroke=ink.PAPER[ink.theme_of(frame.dark)])


def _band(near: dict[str, Any], frame: Frame) -> Iterator[Markup]:
    """Yield the neighbourhood as a band, stronger where the module takes the column."""
    left, right = (_within(frame, near["x"][end]) for end in (0, -1))
    style = {"opacity": 0.13 if near["share"] else 0.06, "stroke": ink.accent(frame.dark)}
    yield svg.rectangle(
        (left, frame.top - 6, right - left, FLOOR - frame.top + 6), ink.accent(frame.dark), **style
    )


def _mean(card: dict[str, Any], frame: Frame) -> Iterator[Markup]:
    """Yield the mean impurity over the neighbourhood, and the limit up to which columns join."""
    near, text = card["near"], ink.TEXT[ink.theme_of(frame.dark)]
    halo = svg.halo(ink.PAPER[ink.theme_of(frame.dark)], 4)
    if frame.up[0] < near["limit"] < card["before"]:
        y = frame.y(near["limit"])
        yield svg.line([(frame.left, y), (frame.right, y)], text, stroke_dasharray=DASHES, stroke_opacity=0.6)
        yield svg.text(frame.left + 4, y - 5, say("joins up to here"), text, **halo)
    y = frame.y(near["mean"])
    left, right = (_within(frame, near["x"][end]) for end in (0, -1))
    yield svg.line([(min(left, right - 14), y), (max(right, left + 14), y)], text, stroke_width=3)
    is_right = right + NEAR_EDGE < frame.right
    anchor = {"text_anchor": "start" if is_right else "end"} | halo
    yield svg.text(right + 8 if is_right else left - 8, y + 4, f"h = {number(near['mean'])}", text, **anchor)
    yield from _mark(frame, near["t0"], "t₀" if near["share"] else say("t₀, not in the module"))


def _mark(frame: Frame, at: float, words: str) -> Iterator[Markup]:
    """Yield an upright line with words above it."""
    x, text = _within(frame, at), ink.TEXT[ink.theme_of(frame.dark)]
    anchor = "start" if x < frame.left + NEAR_EDGE else "end" if x > frame.right - NEAR_EDGE else "middle"
    yield svg.line([(x, frame.top - 6), (x, FLOOR)], text, stroke_width=2)
    yield svg.text(x, frame.top - 11, words, text, text_anchor=anchor, font_weight="bold")


def _within(frame: Frame, at: float) -> float:
    """Return the pixel of a number on the lower axis, that of an end where it is beyond."""
    return min(max(frame.x(at), frame.left), frame.right)

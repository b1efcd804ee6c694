"""Accuracies of a few models as dots on one line each, beside the best that any model can have."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from espalier.display import ink, svg
from espalier.display.parts import Picture
from espalier.display.theme import percent
from espalier.language import say

WIDTH, LINE, TOP, LEFT, RIGHT = 420, 20, 22, 24, 60
ROOM = 0.1  # of the range, left of the least accuracy


def accuracy_picture(names: Sequence[str], accuracies: Sequence[float], best: float) -> Picture:
    """Return a line for each model, in the order given, with a dot at its accuracy, and `best` as a dashed line.

    >>> accuracy_picture(["a", "b"], [0.9, 0.95], 0.97).alt
    'Right on the new rows: a 90 %, b 95 %. The best border: 97 %.'
    """
    pairs = [f"{name} {percent(share)}" for name, share in zip(names, accuracies, strict=True)]
    words = say(
        "Right on the new rows: {models}. The best border: {best}.", models=", ".join(pairs), best=percent(best)
    )
    return Picture(partial(_draw, names, accuracies, best), words)


def _draw(names: Sequence[str], accuracies: Sequence[float], best: float, dark: bool) -> str:
    text, pale = ink.TEXT[ink.theme_of(dark)], ink.LINE[ink.theme_of(dark)]
    low, high = min(accuracies), max(best, *accuracies)
    low -= ROOM * (high - low or 1)

    def x(share: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (share - low) / (high - low)

    floor = TOP + LINE * len(names)
    parts = [
        svg.line([(x(best), TOP - 2), (x(best), floor)], text, stroke_dasharray="4 3"),
        svg.text(x(best), TOP - 8, say("best border {best}", best=percent(best)), text, text_anchor="end"),
    ]
    for i, (name, share) in enumerate(zip(names, accuracies, strict=True)):
        y = TOP + LINE * (i + 0.5)
        parts += [
            svg.text(4, y, name, text, dy=4, font_weight="bold"),
            svg.line([(LEFT, y), (x(share), y)], pale),
            svg.circle(x(share), y, 5, text),
            svg.text(WIDTH - 4, y, percent(share), text, dy=4, text_anchor="end"),
        ]
    return svg.picture(parts, (WIDTH, floor + 4), 14)

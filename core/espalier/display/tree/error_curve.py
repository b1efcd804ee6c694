"""Error against the size of a tree, by depth or leaves: a picture, words, and a table."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from espalier.display import ink, svg
from espalier.display.parts import Picture
from espalier.display.svg import Frame
from espalier.display.theme import number, percent
from espalier.language import say, to_say
from espalier.tree.pruning import SubtreeErrors

SIZE = WIDTH, HEIGHT = 440, 184  # as wide as the column beside a tree, and as high as is left of its first screen
MARGINS = (54, 150, 22, 36)  # left, right, top, bottom: numbers of the axes, and what the lines are
LABEL_GAP = 17  # least distance between the names of two lines
EDGE = 60  # pixels from an end of the frame: words there begin or end at their point
NEAR = 120  # pixels between two rings, within which their names stand on different sides of them
LINES = (21, -11, -26)  # pixels from a ring down to its name: below it, above it, and above another name there
BAND_OPACITY = 0.16
CROSS_VALIDATED, TRAINING, HELD_OUT = to_say("cross-validated"), to_say("training"), to_say("held out")
ERRORS = {
    CROSS_VALIDATED: to_say("cross-validated error"),
    TRAINING: to_say("training error"),
    HELD_OUT: to_say("held out error"),
}
STANDARD_ERRORS = {
    CROSS_VALIDATED: to_say("cross-validated standard error"),
    HELD_OUT: to_say("held out standard error"),
}
ENDS = {
    CROSS_VALIDATED: to_say("Cross-validated error: {first} with {largest}, {last} with {smallest}."),
    TRAINING: to_say("Training error: {first} with {largest}, {last} with {smallest}."),
    HELD_OUT: to_say("Held out error: {first} with {largest}, {last} with {smallest}."),
}
DASHES = {CROSS_VALIDATED: None, TRAINING: "2 3", HELD_OUT: svg.DASHES}
DEPTH, LEAVES = to_say("depth"), to_say("leaves")  # what may be across
NAMES = {"least": to_say("least"), "one": to_say("one standard error")}  # of the rings


class SizeCurve(NamedTuple):
    """The errors of trees of several sizes, from the largest to the smallest, and which of them is shown."""

    across: str  # DEPTH or LEAVES
    at: np.ndarray  # (n_trees,) the depth, or the number of leaves, of each
    training: SubtreeErrors
    held: SubtreeErrors | None  # None: no rows are held out
    validated: SubtreeErrors | None  # None: not cross-validated, or not yet
    shown: int | None  # number of the tree that is shown; None: it is none of these
    is_share: bool  # whether errors are shares of rows; otherwise mean squared errors


def error_picture(curve: SizeCurve) -> Picture:
    """Return all errors against the size; leaves are on a logarithmic axis.

    The words tell both ends of each line, what the rules choose, and what is shown.
    """
    format_error, last = written_error(curve), len(curve.at) - 1
    sizes = {"largest": size_words(curve, 0), "smallest": size_words(curve, last)}
    sentences = [
        say(
            ENDS[name],
            first=format_error(float(errors.error[0])),
            last=format_error(float(errors.error[-1])),
            **sizes,
        )
        for name, errors, _ in _lines(curve, dark=False)
    ]
    at = curve.shown
    current = "" if at is None else say("The tree shown has {size}.", size=size_words(curve, at))
    words = " ".join(part for part in [*sentences, rule_words(curve), current] if part)
    return Picture(partial(_draw_errors, curve), words)


def _draw_errors(curve: SizeCurve, dark: bool) -> str:
    frame, format_error = _frame(curve, dark), written_error(curve)
    parts = [*_axes(curve, frame, format_error), *_band(curve, frame), *_current_mark(curve, frame)]
    return svg.picture([*parts, *_marks(curve, frame, format_error), *_choices(curve, frame)], SIZE, 13)


def card(curve: SizeCurve, key: str) -> dict[str, Any]:
    """Return the JSON of what can be chosen on the picture, in the form of `stability.bars.card`.

    Each tree has a strip of the picture, with its number as its id; `key` identifies the chart.
    """
    frame = _frame(curve, dark=False)
    points = [(frame.x(place), _point_words(curve, i)) for i, place in enumerate(_places(curve))]
    return strips_card(frame, key, points, error_picture(curve).alt)


def strips_card(frame: Frame, key: str, points: Sequence[tuple[float, str]], alt: str) -> dict[str, Any]:
    """Return the JSON of a picture with an upright strip around each point, a pixel and words, with its number."""
    order = sorted(range(len(points)), key=lambda i: points[i][0])
    middles = [(points[a][0] + points[b][0]) / 2 for a, b in itertools.pairwise(order)]
    ends = [frame.left - 8, *middles, frame.right + 8]
    strips = [
        {
            "id": str(i), "say": points[i][1], "x": round(start, 1), "y": frame.top, "fill": "transparent",
            "width": round(max(end - start - 1, 1), 1), "height": frame.floor - frame.top,
        }
        for i, start, end in zip(order, ends[:-1], ends[1:], strict=True)
    ]  # fmt: skip
    size = {"id": key, "width": frame.size[0], "height": frame.size[1], "top": frame.top, "floor": frame.floor}
    return size | {"alt": alt, "bars": strips, "selected": ""}  # the picture itself marks what is shown


def written_error(curve: SizeCurve) -> Callable[[float], str]:
    """Return the function that writes an error: as a percentage, or as a number."""
    return percent if curve.is_share else number


def _lines(curve: SizeCurve, dark: bool) -> list[tuple[str, SubtreeErrors, str]]:
    """Return the name, the errors and the colour of each line that there is, the cross-validated one first."""
    lines = ((CROSS_VALIDATED, curve.validated), (HELD_OUT, curve.held), (TRAINING, curve.training))
    return [
        (name, errors, ink.model_colour(i, dark)) for i, (name, errors) in enumerate(lines) if errors is not None
    ]


def _frame(curve: SizeCurve, dark: bool) -> Frame:
    heights = np.concatenate([errors.error for _, errors, _ in _lines(curve, dark)])
    if curve.validated is not None:
        error, spread = curve.validated
        heights = np.concatenate([heights, error + spread, error - spread])
    low, high = float(heights.min()), float(heights.max())
    pad = 0.06 * (high - low) or 0.1 * high or 0.5
    places = _places(curve)
    start, end = min(places), max(places)
    across, up = (start, end if end > start else start + 1.0), (max(low - pad, 0.0), high + pad)
    return Frame(SIZE, MARGINS, across, up, dark, 0.75)


def _places(curve: SizeCurve) -> list[float]:
    """Return the place of each tree along the lower axis."""
    if curve.across == DEPTH:
        return [float(at) for at in curve.at]
    return [math.log2(at) for at in curve.at]


def _axes(curve: SizeCurve, frame: Frame, written: Callable[[float], str]) -> Iterator[str]:
    yield from frame.grid(svg.round_numbers(*frame.up, 5), written)
    pairs = sorted(zip(_places(curve), curve.at.tolist(), strict=True), key=lambda pair: pair[0])
    yield from frame.spaced_ticks((place, number(at, 2)) for place, at in pairs)
    yield frame.title_below(say(curve.across), 6)
    yield frame.title_beside(say("error"), 12)


def _band(curve: SizeCurve, frame: Frame) -> Iterator[str]:
    """Yield the band of one standard error around the cross-validated line."""
    if curve.validated is None or len(curve.at) < 2:
        return
    error, spread = curve.validated
    upper = _points(error + spread, curve, frame)
    lower = _points(np.maximum(error - spread, frame.up[0]), curve, frame)
    *_, colour = _lines(curve, frame.dark)[0]
    yield svg.element("path", d=f"{svg.way([*upper, *reversed(lower)])}Z", fill=colour, fill_opacity=BAND_OPACITY)


def _points(errors: np.ndarray, curve: SizeCurve, frame: Frame) -> list[tuple[float, float]]:
    return [(frame.x(x), frame.y(error)) for x, error in zip(_places(curve), errors.tolist(), strict=True)]


def _current_mark(curve: SizeCurve, frame: Frame) -> Iterator[str]:
    """Yield the upright line at the tree that is shown, with its size above."""
    if curve.shown is None:
        return
    x, colour = frame.x(_places(curve)[curve.shown]), ink.TEXT[ink.theme_of(frame.dark)]
    yield svg.line([(x, frame.top), (x, frame.floor)], colour, stroke_width=1.5)
    words = say("shown: {size}", size=size_words(curve, curve.shown))
    yield svg.text(x, frame.top - 8, words, colour, text_anchor=frame.anchor(x, EDGE), font_weight=600)


def _marks(curve: SizeCurve, frame: Frame, written: Callable[[float], str]) -> Iterator[str]:
    """Yield each line with a dot per tree, and its name with the error of the rightmost tree at its end."""
    lines, last = _lines(curve, frame.dark), int(np.argmax(_places(curve)))
    ends = [frame.y(float(errors.error[last])) for _, errors, _ in lines]
    for (name, errors, colour), y in zip(lines, svg.apart(ends, LABEL_GAP), strict=True):
        points = _points(errors.error, curve, frame)
        yield svg.line(points, colour, stroke_width=2, stroke_dasharray=DASHES[name])
        yield from (svg.circle(*point, 2.2, colour) for point in points)
        yield svg.line([points[last], (frame.right + 6, y)], colour, stroke_opacity=0.7, stroke_dasharray="1 3")
        words = f"{say(name)} {written(float(errors.error[last]))}"
        yield svg.text(frame.right + 9, y, words, ink.TEXT[ink.theme_of(frame.dark)], dy=4)


def _choices(curve: SizeCurve, frame: Frame) -> Iterator[str]:
    """Yield rings around the trees that the two rules choose, with names, and the line of one standard error."""
    if curve.validated is None:
        return
    error, spread = curve.validated
    colour, least = ink.TEXT[ink.theme_of(frame.dark)], curve.validated.least
    limit = frame.y(float(error[least] + spread[least]))
    yield svg.line([(frame.left, limit), (frame.right, limit)], colour, stroke_opacity=0.6, stroke_dasharray="1 3")
    points, rings = _points(error, curve, frame), {curve.validated.one_standard_error: "one", least: "least"}
    is_near = abs(points[least][0] - points[curve.validated.one_standard_error][0]) < NEAR
    is_low = points[least][1] + LINES[0] > frame.floor - 4  # a name there would stand among the sizes
    for at, name in rings.items():
        below = LINES[is_low + (is_near and name == "one")]
        yield from frame.ring(*points[at], say(NAMES[name]), below, EDGE)


# Words and numbers -----------------------------------------------------------------------------------


def size_words(curve: SizeCurve, i: int) -> str:
    """Return the size of a tree: "depth 3" or "5 leaves"."""
    at = curve.at[i]
    if curve.across == LEAVES:
        return say("{n} leaf" if at == 1 else "{n} leaves", n=number(at))
    return say("depth {n}", n=number(float(at)))


def _point_words(curve: SizeCurve, i: int) -> str:
    """Return the errors of a tree in a sentence."""
    format_error = written_error(curve)
    lines = _lines(curve, dark=False)
    parts = [f"{say(name)} {format_error(float(errors.error[i]))}" for name, errors, _ in lines]
    words = size_words(curve, i)
    if curve.validated is not None and i == curve.validated.one_standard_error:
        words = say("{size}, within one standard error of the least", size=words)
    return f"{words[0].upper()}{words[1:]}: {', '.join(parts)}."


def rule_words(curve: SizeCurve) -> str:
    """Return what the least error and the rule of one standard error choose; empty without cross-validation."""
    if curve.validated is None:
        return ""
    (error, spread), least, small = curve.validated, curve.validated.least, curve.validated.one_standard_error
    format_error = written_error(curve)
    words = say(
        "The cross-validated error is least with {size}: {error}, give or take {spread} (one standard error).",
        size=size_words(curve, least),
        error=format_error(float(error[least])),
        spread=format_error(float(spread[least])),
    )
    if small == least:
        return f"{words} {say('No smaller tree is within one standard error of it.')}"
    within = say(
        "Within one standard error of that, the smallest tree has {size}: {error}.",
        size=size_words(curve, small),
        error=format_error(float(error[small])),
    )
    return f"{words} {within}"


def error_table(curve: SizeCurve) -> pd.DataFrame:
    """Return a row per tree: its size, and every error with its standard error."""
    table = pd.DataFrame({say(curve.across): curve.at})
    for name, errors, _ in _lines(curve, dark=False):
        table[say(ERRORS[name])] = errors.error
        if name != TRAINING:
            table[say(STANDARD_ERRORS[name])] = errors.standard_error
    return table

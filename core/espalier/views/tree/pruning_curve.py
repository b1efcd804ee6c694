"""Error against the size of the pruned tree: as a picture, in words, and as a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from espalier.analysis.tree.pruning import PruningSequence, SubtreeErrors
from espalier.learners.pruning import PruningPath
from espalier.views import ink, svg
from espalier.views.svg import Frame
from espalier.views.theme import class_colours, number, percent

SIZE = WIDTH, HEIGHT = 560, 300
MARGINS = (60, 152, 26, 42)  # left, right, top, bottom: numbers of the axes, and what the lines are
LABEL_GAP = 17  # least distance between the names of two lines
DIGIT, TICK_GAP = 7.5, 10  # width of a digit of the sizes below the picture, and least gap between two, pixels
BAND_OPACITY = 0.16
CROSS_VALIDATED, TRAINING, HELD_OUT = "cross-validated", "training", "held out"
DASHES = {CROSS_VALIDATED: None, TRAINING: "2 3", HELD_OUT: svg.DASHES}


class PruningCurve(NamedTuple):
    """The errors of the subtrees of one tree, from the whole tree to the root, and which of them is shown."""

    path: PruningPath
    training: SubtreeErrors
    held: SubtreeErrors | None  # None: no rows are held out
    sequence: PruningSequence | None  # None: not cross-validated, or not yet
    shown: int  # leaves of the tree that is shown
    is_share: bool  # whether errors are shares of rows; otherwise mean squared errors


class ErrorBySize(NamedTuple):
    """A line of the picture."""

    name: str
    errors: SubtreeErrors
    colour: str


def pruning_curve(curve: PruningCurve, dark: bool) -> str:
    """Return the SVG of all errors against the number of leaves, on a logarithmic axis."""
    frame, written = _frame(curve, dark), written_error(curve)
    lines = _lines(curve, dark)
    parts = [*_axes(curve, frame, written), *_band(curve, frame, dark), *_shown(curve, frame)]
    return svg.picture([*parts, *_drawn(lines, curve.path, frame, written), *_choices(curve, frame)], SIZE, 13)


def written_error(curve: PruningCurve) -> Callable[[float], str]:
    """Return the function that writes an error: as a percentage, or as a number."""
    return percent if curve.is_share else number


def _lines(curve: PruningCurve, dark: bool) -> list[ErrorBySize]:
    """Return the lines that there are, the cross-validated one first."""
    first, second, third = class_colours(3)[ink.theme_of(dark)]
    validated = None if curve.sequence is None else curve.sequence.validated
    named = (
        (CROSS_VALIDATED, validated, first),
        (HELD_OUT, curve.held, second),
        (TRAINING, curve.training, third),
    )
    return [ErrorBySize(name, errors, colour) for name, errors, colour in named if errors is not None]


def _frame(curve: PruningCurve, dark: bool) -> Frame:
    known = np.concatenate([line.errors.error for line in _lines(curve, dark)])
    if curve.sequence is not None:
        error, spread = curve.sequence.validated
        known = np.concatenate([known, error + spread, error - spread])
    low, high = float(known.min()), float(known.max())
    pad = 0.06 * (high - low) or 0.1 * high or 0.5
    across, up = (0, _place(max(int(curve.path.n_leaves[0]), 2))), (max(low - pad, 0.0), high + pad)
    return Frame(SIZE, MARGINS, across, up, dark, 0.75)


def _place(n_leaves: int) -> float:
    return math.log2(n_leaves)


def _axes(curve: PruningCurve, frame: Frame, written: Callable[[float], str]) -> Iterator[str]:
    yield from frame.grid(svg.round_numbers(*frame.up, 5), written)
    last = -math.inf
    for n in curve.path.n_leaves[::-1].tolist():
        x, half = frame.x(_place(n)), DIGIT * len(number(n)) / 2
        if x - half - last >= TICK_GAP:
            last = x + half
            yield frame.words(x, frame.floor + 16, number(n), text_anchor="middle")
    yield frame.title_below("leaves", 6)
    yield frame.title_beside("error", 12)


def _band(curve: PruningCurve, frame: Frame, dark: bool) -> Iterator[str]:
    """Yield the band of one standard error around the cross-validated line."""
    if curve.sequence is None or len(curve.path.alpha) < 2:
        return
    error, spread = curve.sequence.validated
    upper = _points(error + spread, curve.path, frame)
    lower = _points(np.maximum(error - spread, frame.up[0]), curve.path, frame)
    colour = _lines(curve, dark)[0].colour
    yield svg.element("path", d=f"{svg.way([*upper, *reversed(lower)])}Z", fill=colour, fill_opacity=BAND_OPACITY)


def _points(errors: np.ndarray, path: PruningPath, frame: Frame) -> list[tuple[float, float]]:
    pairs = zip(path.n_leaves.tolist(), errors.tolist(), strict=True)
    return [(frame.x(_place(n)), frame.y(error)) for n, error in pairs]


def _shown(curve: PruningCurve, frame: Frame) -> Iterator[str]:
    """Yield the upright line at the tree that is shown, with its size above."""
    x, colour = frame.x(_place(curve.shown)), ink.TEXT[ink.theme_of(frame.dark)]
    yield svg.line([(x, frame.top), (x, frame.floor)], colour, stroke_width=1.5)
    anchor = "start" if x < frame.left + 40 else "end" if x > frame.right - 40 else "middle"
    yield svg.text(x, frame.top - 8, f"shown: {_leaves(curve.shown)}", colour, text_anchor=anchor, font_weight=600)


def _drawn(
    lines: list[ErrorBySize], path: PruningPath, frame: Frame, written: Callable[[float], str]
) -> Iterator[str]:
    """Yield each line with a dot per tree, and its name with the error of the whole tree at its right end."""
    ends = [frame.y(float(line.errors.error[0])) for line in lines]
    for line, y in zip(lines, svg.apart(ends, LABEL_GAP), strict=True):
        points = _points(line.errors.error, path, frame)
        yield svg.line(points, line.colour, stroke_width=2, stroke_dasharray=DASHES[line.name])
        yield from (svg.circle(*point, 2.2, line.colour) for point in points)
        yield svg.line([points[0], (frame.right + 6, y)], line.colour, stroke_opacity=0.7, stroke_dasharray="1 3")
        words = f"{line.name} {written(float(line.errors.error[0]))}"
        yield svg.text(frame.right + 9, y, words, ink.TEXT[ink.theme_of(frame.dark)], dy=4)


def _choices(curve: PruningCurve, frame: Frame) -> Iterator[str]:
    """Yield rings around the trees that the two rules choose, and the line of one standard error."""
    if curve.sequence is None:
        return
    error, spread = curve.sequence.validated
    colour, least = ink.TEXT[ink.theme_of(frame.dark)], curve.sequence.least
    limit = frame.y(float(error[least] + spread[least]))
    yield svg.line([(frame.left, limit), (frame.right, limit)], colour, stroke_opacity=0.6, stroke_dasharray="1 3")
    for at in {least, curve.sequence.one_standard_error}:
        point = frame.x(_place(int(curve.path.n_leaves[at]))), frame.y(float(error[at]))
        yield svg.circle(*point, 6, "none", stroke=colour, stroke_width=1.6)


def _leaves(n: int) -> str:
    return f"{number(n)} {'leaf' if n == 1 else 'leaves'}"


# Words and numbers -----------------------------------------------------------------------------------


def pruning_alt(curve: PruningCurve) -> str:
    """Return the picture in sentences: both ends of each line, what the rules choose, and what is shown."""
    written, sizes = written_error(curve), curve.path.n_leaves
    sentences = [
        f"{line.name.capitalize()} error: {written(float(line.errors.error[0]))} with {_leaves(int(sizes[0]))}, "
        f"{written(float(line.errors.error[-1]))} with {_leaves(int(sizes[-1]))}."
        for line in _lines(curve, dark=False)
    ]
    return " ".join([*sentences, rule_words(curve), f"The tree shown has {_leaves(curve.shown)}."])


def rule_words(curve: PruningCurve) -> str:
    """Return what the least error and the rule of one standard error choose; empty without cross-validation."""
    if curve.sequence is None:
        return ""
    (error, spread), least, small = (
        curve.sequence.validated,
        curve.sequence.least,
        curve.sequence.one_standard_error,
    )
    written, sizes = written_error(curve), curve.path.n_leaves
    words = (
        f"The cross-validated error is least with {_leaves(int(sizes[least]))}: {written(float(error[least]))}, "
        f"give or take {written(float(spread[least]))} (one standard error)."
    )
    if small == least:
        return f"{words} No smaller tree is within one standard error of it."
    within = f"Within one standard error of that, the smallest tree has {_leaves(int(sizes[small]))}"
    return f"{words} {within}: {written(float(error[small]))}."


def price_words(curve: PruningCurve) -> str:
    """Return the prices per leaf for which the tree shown is the best; empty if it is not one of the sequence."""
    found = np.flatnonzero(curve.path.n_leaves == curve.shown)
    if not len(found):
        return ""
    at, alpha = int(found[0]), curve.path.alpha
    if at + 1 == len(alpha):
        return f"The tree shown is the best for every price α per leaf from {number(float(alpha[at]))} on."
    low, high = number(float(alpha[at]), 4), number(float(alpha[at + 1]), 4)
    return f"The tree shown is the best for every price α per leaf from {low} to below {high}."


def pruning_table(curve: PruningCurve) -> pd.DataFrame:
    """Return a row per tree of the sequence: leaves, alpha, and every error with its standard error."""
    table = pd.DataFrame({"leaves": curve.path.n_leaves, "alpha": curve.path.alpha})
    for line in _lines(curve, dark=False):
        table[f"{line.name} error"] = line.errors.error
        if line.name != TRAINING:
            table[f"{line.name} standard error"] = line.errors.standard_error
    return table

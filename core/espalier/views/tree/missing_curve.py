"""Error against the share of values removed, for each way of missing values: a picture, words and a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from espalier.analysis.tree.missing import RemovalErrors
from espalier.language import say, to_say
from espalier.learners.catalogue.settings import MISSING
from espalier.views import ink, svg
from espalier.views.svg import Frame
from espalier.views.text.trees import join
from espalier.views.theme import class_colours, count, number, percent

SIZE = WIDTH, HEIGHT = 620, 320
MARGINS = (60, 196, 14, 44)  # left, right, top, bottom: numbers of the axes, and what the lines are
LABEL_GAP = 17  # least distance between the names of two lines
ASIDE = 3.0  # pixels between the bars of two ways at the same share
CAP = 2.5  # half of the width of a bar's ends, pixels
SHORT = {
    "side": to_say("better side"),
    "category": to_say("own category"),
    "impute": to_say("mean or most frequent"),
    "surrogate": to_say("surrogate splits"),
}
DASHES = {"side": None, "category": "7 3", "impute": "2 3", "surrogate": "9 3 2 3"}


class MissingCurve(NamedTuple):
    """The errors of the ways of missing values, and whether they are shares of rows or mean squared errors."""

    found: RemovalErrors
    is_share: bool

    @property
    def written(self) -> Callable[[float], str]:
        """Writes an error, as a percentage or as a number."""
        return percent if self.is_share else number

    @property
    def has_bars(self) -> bool:
        """Whether there are standard errors."""
        return self.found.n_repeats > 1


class WayLine(NamedTuple):
    """A line of the picture."""

    name: str
    mean: np.ndarray  # (n_shares,)
    bar: np.ndarray  # (n_shares,) one standard error
    aside: float  # pixels that its dots and bars stand to the right
    colour: str
    dashes: str | None


def missing_curve(curve: MissingCurve, dark: bool) -> str:
    """Return the SVG of the mean errors against the share of values removed, with bars of one standard error."""
    frame, lines = _frame(curve, dark), _lines(curve, dark)
    return svg.picture([*_axes(curve, frame), *_drawn(curve, lines, frame)], SIZE, 13)


def _lines(curve: MissingCurve, dark: bool) -> list[WayLine]:
    found, n = curve.found, len(curve.found.ways)
    colours = class_colours(len(SHORT))[ink.theme_of(dark)]
    names = dict(zip(SHORT, colours, strict=True))
    return [
        WayLine(say(SHORT[way]), mean, bar, (i - (n - 1) / 2) * ASIDE, names[way], DASHES[way])
        for i, (way, mean, bar) in enumerate(zip(found.ways, found.mean, found.standard_error, strict=True))
    ]


def _frame(curve: MissingCurve, dark: bool) -> Frame:
    mean, bar = curve.found.mean, np.nan_to_num(curve.found.standard_error)
    low, high = float((mean - bar).min()), float((mean + bar).max())
    pad = 0.06 * (high - low) or 0.1 * high or 0.5
    across = curve.found.shares[0], curve.found.shares[-1]
    if across[0] == across[1]:
        across = across[0] - 0.05, across[0] + 0.05
    return Frame(SIZE, MARGINS, across, (max(low - pad, 0.0), high + pad), dark, 0.75)


def _axes(curve: MissingCurve, frame: Frame) -> Iterator[str]:
    yield from frame.grid(svg.round_numbers(*frame.up, 5), curve.written)
    yield from frame.ticks(curve.found.shares, percent, 18)
    yield frame.title_below(say("values removed"), 6)
    yield frame.title_beside(say("error"), 12)


def _drawn(curve: MissingCurve, lines: list[WayLine], frame: Frame) -> Iterator[str]:
    """Yield each line with its dots and bars, and its name with its last error at the right end."""
    ends = [frame.y(float(line.mean[-1])) for line in lines]
    for line, y in zip(lines, svg.apart(ends, LABEL_GAP), strict=True):
        points = _points(curve, line, frame)
        yield svg.line(points, line.colour, stroke_width=2, stroke_dasharray=line.dashes)
        if curve.has_bars:
            yield from _bars(points, line, frame)
        yield from (svg.circle(*point, 2.6, line.colour) for point in points)
        leader = [points[-1], (frame.right + 12, y)]
        yield svg.line(leader, line.colour, stroke_opacity=0.7, stroke_dasharray="1 3")
        words = f"{line.name} {curve.written(float(line.mean[-1]))}"
        yield svg.text(frame.right + 15, y, words, ink.TEXT[ink.theme_of(frame.dark)], dy=4)


def _points(curve: MissingCurve, line: WayLine, frame: Frame) -> list[tuple[float, float]]:
    pairs = zip(curve.found.shares, line.mean.tolist(), strict=True)
    return [(frame.x(share) + line.aside, frame.y(error)) for share, error in pairs]


def _bars(points: list[tuple[float, float]], line: WayLine, frame: Frame) -> Iterator[str]:
    for (x, _), mean, bar in zip(points, line.mean.tolist(), line.bar.tolist(), strict=True):
        top, end = frame.y(mean + bar), frame.y(max(mean - bar, frame.up[0]))
        for part in ([(x, top), (x, end)], [(x - CAP, top), (x + CAP, top)], [(x - CAP, end), (x + CAP, end)]):
            yield svg.line(part, line.colour, stroke_opacity=0.6)


# Words and numbers -----------------------------------------------------------------------------------


def missing_alt(curve: MissingCurve) -> str:
    """Return the picture in sentences: both ends of each line, and which way errs least at the right one."""
    first, last = (percent(curve.found.shares[at]) for at in (0, -1))
    ends = "; ".join(_ends(curve, line) for line in _lines(curve, dark=False))
    words = say(
        "Errors with {first} and {last} of the values removed: {errors}.", first=first, last=last, errors=ends
    )
    return f"{words} {best_words(curve)}"


def _ends(curve: MissingCurve, line: WayLine) -> str:
    first, last = (curve.written(float(line.mean[at])) for at in (0, -1))
    return say("{way} {first} and {last}", way=line.name, first=first, last=last)


def best_words(curve: MissingCurve) -> str:
    """Return which way errs least at the greatest share, and which others may do as well."""
    found = curve.found
    at = found.mean[:, -1]
    best = int(at.argmin())
    start = say(
        "With {share} of the values removed, the error is least for {way}: {error}.",
        share=percent(found.shares[-1]),
        way=_title(found.ways[best]),
        error=curve.written(float(at[best])),
    )
    return f"{start} {_others(curve, best)}"


def _others(curve: MissingCurve, best: int) -> str:
    """Return which ways may do as well as the best one."""
    found = curve.found
    if not curve.has_bars:
        return say("One repeat does not tell whether that is chance.")
    gap, spread = found.behind(best)[:, -1], found.standard_error_behind(best)[:, -1]
    close = [_title(way) for i, way in enumerate(found.ways) if i != best and gap[i] <= spread[i]]
    if not close:
        return say("All others err more, by over one standard error of the difference.")
    return say(
        "{ways} is within one standard error of it: the difference may be chance."
        if len(close) == 1
        else "{ways} are within one standard error of it: the difference may be chance.",
        ways=join(close, "and"),
    )


def _title(way: str) -> str:
    return say("“{name}”", name=say(dict(MISSING.options)[way]))


def repeats_words(curve: MissingCurve) -> str:
    """Return how many repeats the means are of."""
    n = curve.found.n_repeats
    return say("Mean of {n} repeat." if n == 1 else "Mean of {n} repeats.", n=count(n))


def missing_table(curve: MissingCurve) -> pd.DataFrame:
    """Return a row per share of values removed: of each way the mean error, and its standard error."""
    table = pd.DataFrame({say("values removed"): curve.found.shares})
    for line in _lines(curve, dark=False):
        table[say("{way} error", way=line.name)] = line.mean
        if curve.has_bars:
            table[say("{way} standard error", way=line.name)] = line.bar
    return table

"""Small pictures of forests: the error by the number of trees, votes on a sample, bags of fits.

A mean, a line and a tree all answer by a weighted sum of the targets. What a target weighs in the answer at its
own row is that row's influence (in regression its leverage). Bagging makes influences more equal (Grandvalet 2004,
"Bagging equalizes influence", Machine Learning 55), and so it helps where an influential row is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.data.samples.generators import HIGH, LOW
from espalier.display import ink, svg
from espalier.display.parts import Picture
from espalier.display.svg import Frame, Reel, place
from espalier.display.theme import colours_of, number, percent, rounded_to
from espalier.kernels.forest.bootstrap import draw
from espalier.language import say, to_say
from espalier.learners import RandomForestRegressor
from espalier.predict import leaves

SIZE = WIDTH, HEIGHT = 380, 260  # as wide as a phone, on which letters stay large enough to read
MARGINS = (52, 12, 10, 42)  # left, right, top, bottom: numbers of the axes
LEGEND_LINE, SAMPLE, MOST_ABREAST = (
    19,
    26,
    24,
)  # of a legend: pixels of a line, and of a sample; letters of half one
MOST_POINTS = 400  # of a line; of more, an even selection and the last

TREES = to_say("trees")
NOWHERE = (0.0, 0.0)  # where a line begins that has no points yet


class ErrorLine(NamedTuple):
    """The error of the first 1, 2, … trees of a forest."""

    name: str  # "A, out of bag"
    side: int  # 0: forest A, 1: forest B
    errors: np.ndarray  # (n_trees,) float64; nan where there is none
    dashed: bool = False


def side_colour(side: int, dark: bool) -> str:
    """Return the ink of forest A (0) or B (1), in this and other pictures: hues are for classes."""
    return (ink.LINE if side else ink.TEXT)[ink.theme_of(dark)]


def side_mark(side: int, x: float, y: float, dark: bool) -> svg.Markup:
    """Return the mark of forest A (0), a circle, or of B (1), a square."""
    colour = side_colour(side, dark)
    return svg.rectangle((x - 3.5, y - 3.5, 7, 7), colour) if side else svg.circle(x, y, 3.5, colour)


def finite_ends(*values: np.ndarray) -> tuple[float, float]:
    """Return the least and the greatest of all finite values; 0 and 1 if there are none."""
    numbers = np.concatenate([np.empty(0), *(array[np.isfinite(array)] for array in values)])
    return (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 1.0)


def error_picture(lines: Sequence[ErrorLine], n_trees: int, is_share: bool, steps: str = TREES) -> Picture:
    """Return the lines over 1 to `n_trees`, not all of which may be grown.

    `is_share`: errors are shares. `steps` names what is counted: trees, or the rounds of a sum.
    """
    return Picture(partial(_draw_errors, lines, n_trees, is_share, steps), _error_words(lines, is_share, steps))


def _draw_errors(lines: Sequence[ErrorLine], n_trees: int, is_share: bool, steps: str, dark: bool) -> str:
    there = [line for line in lines if np.isfinite(line.errors).any()]
    format_error = percent if is_share else number
    there = [line._replace(name=f"{line.name} {format_error(_last(line)[1])}") for line in there]
    frame = _frame(there, n_trees, dark)
    parts = [*_axes(frame, format_error, steps), *line_legend(there, dark)]
    for line in there:
        dashes = svg.DASHES if line.dashed else None
        colour = side_colour(line.side, dark)
        parts.append(svg.line(_points(line, frame), colour, stroke_width=2, stroke_dasharray=dashes))
    for line in there:
        tree, error = _last(line)
        parts.append(side_mark(line.side, frame.x(tree), frame.y(error), dark))
    return svg.picture(parts, SIZE, 13)


def _frame(lines: Sequence[ErrorLine], n_trees: int, dark: bool) -> Frame:
    low, high = finite_ends(*(line.errors for line in lines))
    pad = 0.08 * (high - low) or 0.1 * high or 0.5
    left, right, top, bottom = MARGINS
    margins, up = (left, right, top + legend_height(lines), bottom), (max(low - pad, 0.0), high + pad)
    return Frame(SIZE, margins, (1, max(n_trees, 2)), up, dark, 0.75)


def _axes(frame: Frame, format_error: Callable[[float], str], steps: str) -> Iterator[str]:
    yield from frame.grid(svg.round_numbers(*frame.up, 5), format_error)
    trees = svg.round_numbers(*frame.across, 6)
    yield from frame.ticks(sorted({1.0, *(n for n in trees if n == int(n) and n > 1)}), number, 16)
    yield frame.title_below(say(steps), 6)
    yield frame.title_beside(say("error"), 12)


def _abreast(lines: Sequence[ErrorLine]) -> int:
    return 1 if any(len(line.name) > MOST_ABREAST for line in lines) else 2


def legend_height(lines: Sequence[ErrorLine]) -> int:
    """Return the pixels that the legend of these lines takes above a frame."""
    return LEGEND_LINE * -(-len(lines) // _abreast(lines))


def line_legend(lines: Sequence[ErrorLine], dark: bool) -> Iterator[str]:
    """Yield a sample of each line with its name, at the top left of a picture."""
    abreast, text = _abreast(lines), ink.TEXT[ink.theme_of(dark)]
    for i, line in enumerate(lines):
        x, y = WIDTH / abreast * (i % abreast) + 2, LEGEND_LINE * (i // abreast) + 9
        ends, dashes = [(x, y), (x + SAMPLE, y)], svg.DASHES if line.dashed else None
        yield svg.line(ends, side_colour(line.side, dark), stroke_width=2, stroke_dasharray=dashes)
        yield side_mark(line.side, x + SAMPLE / 2, y, dark)
        yield svg.text(x + SAMPLE + 6, y, line.name, text, dy=4)


def _points(line: ErrorLine, frame: Frame) -> list[tuple[float, float]]:
    points = np.flatnonzero(np.isfinite(line.errors))
    if not len(points):
        return []
    every = len(points) // MOST_POINTS + 1
    selection = np.append(points[:-1:every], points[-1])
    return [(frame.x(i + 1), frame.y(float(line.errors[i]))) for i in selection.tolist()]


def reel(lines: Sequence[ErrorLine], counts: Sequence[int], is_share: bool, dark: bool) -> Reel:
    """Return the film of lines that grow: pale from end to end, and full up to each of these numbers of trees."""
    there = [line for line in lines if np.isfinite(line.errors).any()]
    frame = _frame(there, max(counts), dark)
    parts = [*_axes(frame, percent if is_share else number, TREES), *line_legend(there, dark)]
    for i, line in enumerate(there):
        colour, dashes = side_colour(line.side, dark), svg.DASHES if line.dashed else None
        parts.append(svg.line(_points(line, frame), colour, stroke_width=1.5, stroke_opacity=0.25))
        style = {"stroke": colour, "stroke_width": 2.5, "stroke_linejoin": "round", "stroke_dasharray": dashes}
        parts.append(svg.element("path", d=place(i), fill="none", **style))
    some = [[line._replace(errors=line.errors[:n]) for line in there] for n in counts]
    frames = [[svg.way(_points(line, frame) or [NOWHERE]) for line in lines] for lines in some]
    return Reel(svg.picture(parts, SIZE, 13), frames, [_error_words(lines, is_share) for lines in some])


def _last(line: ErrorLine) -> tuple[int, float]:
    """Return the number of trees of the last known error, and that error."""
    at = int(np.flatnonzero(np.isfinite(line.errors))[-1])
    return at + 1, float(line.errors[at])


def _error_words(lines: Sequence[ErrorLine], is_share: bool, steps: str = TREES) -> str:
    """Return the beginning and the end of each line in a sentence."""
    sentences = []
    for line in lines:
        if np.isfinite(line.errors).any():
            trees, last = _last(line)
            first = float(line.errors[np.isfinite(line.errors)][0])
            ends = [percent(v) if is_share else number(v) for v in (first, last)]
            sentences.append(
                say(
                    "{name}: error {first} at first, {last} with {n} {steps}.",
                    name=line.name,
                    first=ends[0],
                    last=ends[1],
                    n=trees,
                    steps=say(steps),
                )
            )
    return " ".join(sentences) or say("No tree is complete yet.")


# ---- votes of all trees on one sample: a strip of classes, or dots along a number

STRIP_WIDTH = 520
CELL, GAP = 24, 2  # pixels of a tree's cell, smaller in large forests, and of the gap
SMALL, MANY = 11, 200
DOT, BINS = 3.4, 60  # radius of a tree's number; stacks along the axis
PLOT_HEIGHT, AXIS = 150, 24
FONT_SIZE = 12


class Votes(NamedTuple):
    """The votes of a forest's trees for one sample."""

    value: np.ndarray  # (n_trees, n_outputs): class shares, or the number
    seen: np.ndarray  # (n_trees,) bool: trees that grew on the sample
    truth: float  # its class number, or the number
    answer: float  # the forest's prediction


def votes_picture(votes: Votes, target: Feature) -> Picture:
    """Return the votes of all trees: a strip of classes, or dots along a number."""
    draw_votes = _draw_strip if target.categories else _draw_dots
    return Picture(
        partial(draw_votes, votes, target), say("Tree by tree: {votes}", votes=votes_words(votes, target))
    )


def _draw_strip(votes: Votes, target: Feature, dark: bool) -> str:
    """Return the SVG of a cell per tree in the colour of its class, paler if it is less sure.

    Cells of trees that grew on the sample have a dot; those of trees that vote for a wrong class have a line
    below.
    """
    n = len(votes.value)
    cell = CELL if n <= MANY else SMALL
    abreast = max((STRIP_WIDTH + GAP) // (cell + GAP), 1)
    height = -(-n // abreast) * (cell + GAP)
    palette, paper = colours_of(target)[ink.theme_of(dark)], ink.PAPER[ink.theme_of(dark)]
    winners = votes.value.argmax(axis=1).tolist()
    fills = [ink.mix(palette[k], paper, float(votes.value[i, k])) for i, k in enumerate(winners)]
    step = cell + GAP
    cells = [_cell(votes, i, (i % abreast) * step, (i // abreast) * step, cell, fills[i]) for i in range(n)]
    return svg.picture((part for parts in cells for part in parts), (STRIP_WIDTH, height), FONT_SIZE)


def _cell(votes: Votes, i: int, x: int, y: int, size: int, colour: str) -> Iterator[str]:
    yield svg.rectangle((x, y, size, size), colour, rx=2)
    mark = ink.readable_on(colour)
    if votes.seen[i]:
        yield svg.circle(x + size / 2, y + size / 2, size / 9, mark)
    if int(votes.value[i].argmax()) != votes.truth:
        below = [(end, y + size - 3) for end in (x + 3, x + size - 3)]
        yield svg.line(below, mark, stroke_width=1.6)


def _draw_dots(votes: Votes, target: Feature, dark: bool) -> str:
    """Return the SVG of a dot per tree over the axis of the target; the forest's mean and the truth as lines.

    Dots of trees that grew on the sample are hollow.
    """
    low, high = finite_ends(np.append(votes.value[:, 0], [votes.truth, votes.answer]))
    pad = 0.06 * (high - low) or max(abs(low), 1.0) / 2
    span = (low - pad, high + pad)
    frame = Frame((STRIP_WIDTH, PLOT_HEIGHT + AXIS), (0, 0, 0, AXIS), span, (0, 1), dark, 0.75)
    axis = [
        svg.line([(frame.left, frame.floor), (frame.right, frame.floor)], ink.LINE[ink.theme_of(dark)]),
        *frame.ticks(svg.round_numbers(*span, 6)),
    ]
    return svg.picture([*axis, *_lines(votes, frame), *_stacks(votes, frame)], frame.size, FONT_SIZE)


def _lines(votes: Votes, frame: Frame) -> Iterator[str]:
    text, paper = (colours[ink.theme_of(frame.dark)] for colours in (ink.TEXT, ink.PAPER))
    lines = ((votes.answer, say("forest"), None, 12), (votes.truth, say("truth"), svg.DASHES, 26))
    rounded_text = rounded_to([*frame.across, votes.answer, votes.truth])
    for value, name, dashes, y in lines:
        x = frame.x(value)
        anchor, shift = ("end", -5) if x > STRIP_WIDTH / 2 else ("start", 5)
        yield svg.line([(x, 4), (x, frame.floor)], text, stroke_width=1.6, stroke_dasharray=dashes)
        yield svg.text(
            x + shift, y, f"{name} {rounded_text(value)}", text, text_anchor=anchor, **svg.halo(paper, 4)
        )


def _stacks(votes: Votes, frame: Frame) -> Iterator[str]:
    """Yield the dots, with dots of nearly the same number stacked, closer if there are many."""
    values, paper = votes.value[:, 0], ink.PAPER[ink.theme_of(frame.dark)]
    colour = ink.LINE[ink.theme_of(frame.dark)]
    low, high = frame.across
    bins = np.floor(BINS * (values - low) / (high - low)).astype(int)
    step = min(2.2 * DOT, (PLOT_HEIGHT - 40) / max(int(np.bincount(bins).max()), 1))
    height = dict.fromkeys(bins.tolist(), 0)
    for value, b, is_known in zip(values.tolist(), bins.tolist(), votes.seen.tolist(), strict=True):
        y = PLOT_HEIGHT - DOT - 1 - step * height[b]
        height[b] += 1
        yield svg.circle(frame.x(value), y, DOT, paper if is_known else colour, stroke=colour, stroke_width=1.2)


def votes_words(votes: Votes, target: Feature) -> str:
    """Return how many trees vote for each class, the most frequent first; for numbers, the mean and the spread."""
    n = len(votes.value)
    if not target.categories:
        values = votes.value[:, 0]
        mean, spread = rounded_to(values)(float(values.mean())), number(float(values.std()))
        return say("{n} trees say {mean} on average, with a spread of {spread}", n=n, mean=mean, spread=spread)
    counts = np.bincount(votes.value.argmax(axis=1), minlength=len(target.categories))
    order = [k for k in np.argsort(-counts, kind="stable") if counts[k]]
    parts = [say("{n} say {answer}", n=counts[k], answer=target.categories[k]) for k in order]
    return say("of {n} trees {votes}", n=n, votes=", ".join(parts))


# ---- one fit beside the mean of many on bootstrap samples, and the influence of single rows

MODELS = ("tree", "line", "mean")


class BaggedFit(NamedTuple):
    """What one fit to all rows answers, and the mean of fits to bootstrap samples, at some places."""

    one: np.ndarray  # (n_at,)
    bags: np.ndarray  # (n_bags, n_at): each fit of the mean
    influence_in_one: np.ndarray  # (n_samples,): how far the answer at a row rises if its target rises by 1
    influence_in_mean: np.ndarray  # (n_samples,): the same of the mean; a tree keeps its splits meanwhile

    @property
    def mean(self) -> np.ndarray:
        """The mean of the bags' answers, (n_at,)."""
        return self.bags.mean(axis=0)


def fit_bags(model: str, x: np.ndarray, y: np.ndarray, at: np.ndarray, n_bags: int) -> BaggedFit:
    """Return the fits of a model, one of `MODELS`, to rows x, y (n_samples,), with answers at (n_at,) places.

    A tree is grown without a limit. The bags are drawn from a fixed seed: more of them begin with the same ones.

    >>> x, y = np.array([0.0, 1.0, 2.0]), np.array([0.0, 2.0, 4.0])
    >>> fit_bags("line", x, y, np.array([3.0]), 10).one.round(6).tolist()
    [6.0]
    """
    places = np.concatenate([at, x])
    single, bags = (_weights(model, x, y, places, n) for n in (0, n_bags))
    rows = np.arange(len(x))
    influences = (weights[:, len(at) + rows, rows].mean(axis=0) for weights in (single, bags))
    return BaggedFit((single[:, : len(at)] @ y)[0], bags[:, : len(at)] @ y, *influences)


def _weights(model: str, x: np.ndarray, y: np.ndarray, places: np.ndarray, n_bags: int) -> np.ndarray:
    """Return what targets weigh in answers, (n_bags, n_places, n_samples); 0 bags: in one fit to all rows."""
    if model == "tree":
        return _tree_weights(x, y, places, n_bags)
    times = np.array([draw(number, len(x))[0] for number in range(n_bags)] or [np.ones(len(x))], dtype=np.float64)
    share = times / times.sum(axis=1, keepdims=True)
    return (
        _line_weights(x, places, share)
        if model == "line"
        else np.repeat(share[:, np.newaxis], len(places), axis=1)
    )


def _line_weights(x: np.ndarray, places: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return the weights of least squares; a bag whose rows all have one x answers their mean."""
    centre = (share @ x)[:, np.newaxis]
    away = x - centre
    spread = (share * away**2).sum(axis=1, keepdims=True)
    slope = np.divide(share * away, spread, out=np.zeros_like(away), where=spread > 1e-12)
    return share[:, np.newaxis, :] + (places - centre)[:, :, np.newaxis] * slope[:, np.newaxis, :]


def _tree_weights(x: np.ndarray, y: np.ndarray, places: np.ndarray, n_bags: int) -> np.ndarray:
    forest = RandomForestRegressor(
        n_estimators=max(n_bags, 1), max_features=None, bootstrap=n_bags > 0, random_state=0, n_jobs=1
    )
    forest.fit(x[:, np.newaxis], y)
    samples, rows = np.asfortranarray(places[:, np.newaxis]), np.asfortranarray(x[:, np.newaxis])
    weights = []
    for tree, times in zip(forest.forest_.trees, forest.in_bag(), strict=True):
        together = (leaves(tree, samples)[:, np.newaxis] == leaves(tree, rows)) * times.astype(np.float64)
        weights.append(together / together.sum(axis=1, keepdims=True))
    return np.array(weights)


SHOWN_BAGS = 20  # faint curves of single bags
DIGITS = 3


def curves(fit: BaggedFit, truth: np.ndarray, names: dict[str, str]) -> list[dict[str, Any]]:
    """Return the curves from back to front, each with its role, its name (empty: none) and its heights."""
    bags = [("bag", "", bag) for bag in fit.bags[:SHOWN_BAGS]] if len(fit.bags) > 1 else []
    rest = (("truth", truth), ("one", fit.one), ("mean", fit.mean))
    every = [*bags, *((role, names[role], heights) for role, heights in rest)]
    return [{"role": role, "name": name, "y": _decimals(heights)} for role, name, heights in every]


def plane(at: np.ndarray) -> dict[str, Any]:
    """Return the plane of the curves, whose heights are those at (n_at,) places."""
    return {"low": LOW, "high": HIGH, "at": _decimals(at)}


def _decimals(values: np.ndarray) -> list[float]:
    return values.round(DIGITS).tolist()

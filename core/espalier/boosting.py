"""A round of boosting as pictures: curves over one column, histograms, the loss.

Rounds are those of Friedman (2001), algorithms 2, 5 and 6; Hastie, Tibshirani & Friedman (ESL), algorithms 10.3
and 10.4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import xlogy

from espalier.data.dataset import Feature
from espalier.display import ink, svg
from espalier.display.parts import Picture
from espalier.display.svg import Frame
from espalier.display.theme import count, number
from espalier.language import say
from espalier.predict import check_sum, linked, shares, through_link
from espalier.trees import Forest

SIZE = WIDTH, HEIGHT = 400, 270
MARGINS = (60, 14, 26, 42)  # left, right, top, bottom
FONT_SIZE = 13
DOT, FAINT = 2.2, 0.45  # radius of a dot; its opacity
PAD = 0.05  # of an axis's range, at either end
BINS = 30  # of a histogram
LEGEND_ROOM, LETTER = 50, 7  # pixels: from one name above the frame to the next, beside its letters


class PlotLine(NamedTuple):
    """A line of a plot, or a histogram."""

    name: str
    values: np.ndarray  # (n,): heights of the line at the plot's `at`; of a histogram what it counts
    is_main: bool = True  # main lines are thick and coloured, others thin and dashed


class CurvePlot(NamedTuple):
    """Points, and lines over the same axis."""

    at: np.ndarray  # (n_at,) ascending: where the lines are known
    lines: tuple[PlotLine, ...]
    x: np.ndarray  # (n,) the points
    y: np.ndarray
    titles: tuple[str, str]  # of the lower axis and the left one
    target: Feature | None = None  # of which main lines tell the answer with this code, in its colour
    answer: int = 0


def curve(plot: CurvePlot, dark: bool) -> str:
    """Return the SVG of the points with the lines over them."""
    there = np.isfinite(plot.x) & np.isfinite(plot.y)
    across = ends_of(plot.at, plot.x)
    frame = Frame(SIZE, MARGINS, across, ends_of(plot.y, *(line.values for line in plot.lines)), dark, 0.75)
    parts = [*_axes(frame, plot.titles, number), *_dots(frame, plot.x[there], plot.y[there])]
    colour = _colour(plot.target, plot.answer, dark)
    parts += [_line(frame, plot.at, line, colour) for line in plot.lines]
    return svg.picture([*parts, *_legend(frame, plot.lines, colour)], SIZE, FONT_SIZE)


def histogram(lines: Sequence[PlotLine], title: str, about: tuple[Feature, int], dark: bool) -> str:
    """Return the SVG of the numbers of rows over the values of each line, outlines in the same bins.

    Main lines have the colour of the answer that they are `about`: of a target, the one with this code.
    """
    low, high = ends_of(*(line.values for line in lines))
    edges = np.linspace(low, high, BINS + 1)
    counts = [np.histogram(line.values, edges)[0] for line in lines]
    most = max(1, *(int(heights.max()) for heights in counts))
    frame = Frame(SIZE, MARGINS, (low, high), (0, 1.05 * most), dark, 0.75)
    parts = list(_axes(frame, (title, say("rows")), lambda n: count(int(n)) if n == int(n) else number(n)))
    colour = _colour(*about, dark)
    for line, heights in zip(lines, counts, strict=True):
        x, y = np.repeat(edges, 2), np.concatenate([[0], np.repeat(heights, 2), [0]])
        parts.append(_line(frame, x, line._replace(values=y), colour))
    return svg.picture([*parts, *_legend(frame, lines, colour)], SIZE, FONT_SIZE)


def loss_picture(lines: Sequence[PlotLine], chosen: int, title: str) -> Picture:
    """Return losses before the first round and after each, with the chosen round marked.

    The last line is the one whose least loss is marked, where there are two.
    """
    sentences = [
        say(
            "{name}: {first} before the first round, {there} after round {chosen}, least after round {best}.",
            name=line.name,
            first=number(float(line.values[0])),
            there=number(float(line.values[chosen])),
            chosen=chosen,
            best=int(np.argmin(line.values)),
        )
        for line in lines
    ]
    return Picture(partial(_draw_losses, lines, chosen, title), " ".join(sentences))


def _draw_losses(lines: Sequence[PlotLine], chosen: int, title: str, dark: bool) -> str:
    rounds = np.arange(len(lines[0].values), dtype=float)
    ends = (0.0, max(float(rounds[-1]), 1.0))
    frame = Frame(SIZE, MARGINS, ends, ends_of(*(line.values for line in lines)), dark, 0.75)
    mark = [(frame.x(chosen), frame.top), (frame.x(chosen), frame.floor)]
    parts = [*_axes(frame, (say("rounds"), title), number), svg.line(mark, _ink(dark), stroke_opacity=0.5)]
    colour = _colour(None, 0, dark)
    parts += [_line(frame, rounds, line, colour) for line in lines]
    if len(lines) > 1:
        best = int(np.argmin(lines[-1].values))
        x, y = frame.x(best), frame.y(float(lines[-1].values[best]))
        side = {"text_anchor": "end"} if x > frame.left + 0.6 * (frame.right - frame.left) else {}
        parts += [
            svg.circle(x, y, 4, colour),
            frame.words(x, y - 9, say("least: round {best}", best=best), **side),
        ]
    return svg.picture([*parts, *_legend(frame, lines, colour)], SIZE, FONT_SIZE)


def ends_of(*values: np.ndarray) -> tuple[float, float]:
    """Return both ends of an axis that holds all these values, a little padded."""
    numbers = np.concatenate([np.ravel(array)[np.isfinite(np.ravel(array))] for array in values])
    low, high = (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 1.0)
    pad = PAD * (high - low) or 0.1 * abs(high) or 0.5
    return low - pad, high + pad


def _axes(frame: Frame, titles: tuple[str, str], format_value: Callable[[float], str]) -> Iterator[str]:
    yield from frame.grid(svg.round_numbers(*frame.up, 5), format_value)
    yield from frame.ticks(svg.round_numbers(*frame.across, 5))
    yield frame.title_below(svg.shortened(titles[0], 44), 6)
    yield frame.title_beside(svg.shortened(titles[1], 30), 12)


def _dots(frame: Frame, x: np.ndarray, y: np.ndarray) -> Iterator[str]:
    colour = _ink(frame.dark)
    for across, up in zip(x.tolist(), y.tolist(), strict=True):
        yield svg.circle(frame.x(across), frame.y(up), DOT, colour, opacity=FAINT)


def _line(frame: Frame, at: np.ndarray, line: PlotLine, colour: str) -> str:
    points = [(frame.x(x), frame.y(y)) for x, y in zip(at.tolist(), line.values.tolist(), strict=True)]
    return _stroke(points, line.is_main, colour, frame.dark)


def _stroke(points: Sequence[tuple[float, float]], is_main: bool, colour: str, dark: bool) -> str:
    if is_main:
        return svg.line(points, colour, stroke_width=2.4)
    return svg.line(points, _ink(dark), stroke_width=1.3, stroke_dasharray=svg.DASHES)


def _legend(frame: Frame, lines: Sequence[PlotLine], colour: str) -> Iterator[str]:
    x, y = frame.left + 4, frame.top - 12
    for line in lines:
        yield _stroke([(x, y), (x + 22, y)], line.is_main, colour, frame.dark)
        yield frame.words(x + 27, y, line.name, dy=4)
        x += LEGEND_ROOM + LETTER * len(line.name)


def _ink(dark: bool) -> str:
    return ink.TEXT[ink.theme_of(dark)]


def _colour(target: Feature | None, answer: int, dark: bool) -> str:
    """Return the colour of main lines; of the loss, which is of all classes, one that few tables have."""
    return _ink(dark) if target is None else ink.answer_colour(target, answer, dark)


# ---- A boosted sum round by round: its scores, the residuals that the next trees learn from, and its loss

LEAST_SHARE = 1e-15  # of a class, so that its logarithm is finite


def stages(forest: Forest, X: np.ndarray, trees_a_round: int) -> np.ndarray:
    """Return the scores before the first round and after each, (n_rounds + 1, n_samples, n_scores) float64.

    X is (n_samples, n_features). Raises ValueError for a forest that is no sum.

    >>> from espalier.data import samples
    >>> from espalier.learners import GradientBoostingRegressor
    >>> sine = samples.load("sine")
    >>> model = GradientBoostingRegressor(n_estimators=3).fit(sine.X, sine.y)
    >>> stages(model.forest_, sine.X, 1).shape == (4, len(sine.y), 1)
    True
    """
    check_sum(forest)
    X = np.asfortranarray(X, dtype=np.float64)
    n_rounds = forest.n_trees // trees_a_round
    score = np.empty((n_rounds + 1, len(X), len(forest.start)))
    score[0] = forest.start
    for i in range(n_rounds):
        score[i + 1] = score[i]
        for tree in forest.trees[i * trees_a_round : (i + 1) * trees_a_round]:
            score[i + 1] += shares(tree, X)
    return score


def predictions(forest: Forest, score: np.ndarray) -> np.ndarray:
    """Return the class shares or numbers, (n_samples, n_outputs), that scores (n_samples, n_scores) predict."""
    return linked(forest._replace(start=np.zeros(len(forest.start))), score)


def residuals(forest: Forest, score: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the parts of the targets y that scores (n_samples, n_scores) leave over, in their shape.

    For numbers these are the target minus the prediction, for classes 1 for the class of the sample and 0 for
    others, minus the predicted share; the log odds of two classes have those of the second. They are the negative
    gradients of the loss, but for the absolute error, whose gradients are their signs.

    >>> from espalier.trees import make_sum, make_tree
    >>> leaf = make_tree([-1], [np.nan], [-1], [-1], [0], [False], [4], [4.0], [[0.0]], [0.0])
    >>> even = make_sum([leaf], [0.0], "logistic", [0.5, 0.5])
    >>> residuals(even, np.zeros((2, 1)), np.array([0, 1])).tolist()
    [[-0.5], [0.5]]
    """
    prediction = predictions(forest, score)
    if forest.link in ("identity", "log"):
        return y[:, None] - prediction
    if forest.link == "logistic":
        return y[:, None] - prediction[:, 1:]
    return np.eye(prediction.shape[1])[y.astype(np.int64)] - prediction


def losses(
    forest: Forest, score: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None, loss: str = "squared_error"
) -> np.ndarray:
    """Return the mean loss at scores (n_rounds + 1, n_samples, n_scores), (n_rounds + 1,).

    Of numbers the squared or absolute error or half the Poisson deviance, as `loss` says, which is that of a
    `GradientBoostingRegressor`; of classes the log loss (natural logarithm). A mean by `weight` (n_samples,) where
    samples do not count the same.
    """
    if forest.link in ("identity", "log"):
        each = _number_losses(y, through_link(score[:, :, 0], forest.link), loss)
        return np.average(each, axis=1, weights=weight)
    rows, right = np.arange(len(y)), y.astype(np.int64)
    right_shares = [predictions(forest, stage)[rows, right] for stage in score]
    return np.average(-np.log(np.maximum(right_shares, LEAST_SHARE)), axis=1, weights=weight)


def _number_losses(y: np.ndarray, answers: np.ndarray, loss: str) -> np.ndarray:
    """Return the loss of each prediction, (n_rounds + 1, n_samples)."""
    if loss == "poisson":
        return xlogy(y, y / answers) - y + answers
    off = np.abs(answers - y)
    return off if loss == "absolute_error" else off**2

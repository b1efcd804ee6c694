"""The parts of one prediction as bars, and pairs of columns that act together, in pictures and words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from espalier.data.dataset import Dataset, Feature
from espalier.display import ink, svg
from espalier.display.boundaries.plane import named_value
from espalier.display.parts import Picture
from espalier.display.plotly import blank, edge, safe
from espalier.display.svg import shortened
from espalier.display.theme import count, number, threshold
from espalier.explanation.shapley import LOG_ODDS, PredictionParts
from espalier.language import say

WIDTH, LINE = 520, 25  # pixels; of the picture, and of a bar with its words
LABEL, AMOUNT = 205, 62  # pixels beside the bars: for names and values, and at both ends for amounts
MOST_BARS = 8  # features with a bar of their own
LETTERS = 31  # of a name with its value
LEAST = 1e-9  # smaller parts are none


class PartBar(NamedTuple):
    """A feature with its value, or all others, and what it adds."""

    label: str
    added: float


def bars_of(parts: PredictionParts, dataset: Dataset, x: np.ndarray) -> list[PartBar]:
    """Return the bars, the longest first, and last the sum of all that have none of their own."""
    order = [int(f) for f in np.argsort(-np.abs(parts.added), kind="stable") if abs(parts.added[f]) > LEAST]
    top, rest = order[:MOST_BARS], order[MOST_BARS:]
    features = dataset.features
    bars = [PartBar(named_value(features[f], float(x[f])), float(parts.added[f])) for f in top]
    if rest:
        label = say("{n} other column" if len(rest) == 1 else "{n} other columns", n=len(rest))
        bars.append(PartBar(label, float(parts.added[rest].sum())))
    return bars


def amount(by: float, link: str, dataset: Dataset) -> str:
    """Return a signed amount: "+12 pts" of a share, "−0.4" of a number or a score."""
    sign = "+" if by > 0 else "−"
    if link == "identity" and dataset.is_classification:
        return sign + say("{n} pts", n=number(100 * abs(by), 2))
    return sign + number(abs(by))


def reasons_picture(parts: PredictionParts, dataset: Dataset, x: np.ndarray) -> Picture:
    """Return a bar for each feature: to the right what it adds, to the left what it takes away.

    Both are ink, whatever class is predicted.
    """
    bars = bars_of(parts, dataset, x)
    amounts = [amount(bar.added, parts.link, dataset) for bar in bars]
    words = say("No column changes this prediction.")
    if bars:
        texts = ", ".join(f"{bar.label} {by}" for bar, by in zip(bars, amounts, strict=True))
        words = say("What each column adds to the prediction: {columns}.", columns=texts)
    return Picture(lambda dark: _draw_reasons(bars, amounts, ink.direction_colours(dark), dark), words)


def _draw_reasons(bars: list[PartBar], words: Sequence[str], fills: tuple[str, str], dark: bool) -> str:
    zero, per_unit = _zero_and_scale(bars)
    body = (
        part
        for i, bar in enumerate(bars)
        for part in _bar(bar, words[i], zero, per_unit, i * LINE, fills[bar.added <= 0], ink.theme_of(dark))
    )
    return svg.picture(body, (WIDTH, max(LINE * len(bars), 1)), 12.5)


def _zero_and_scale(bars: list[PartBar]) -> tuple[float, float]:
    """Return the pixel of 0, and the pixels of a unit."""
    low = min([0.0, *(bar.added for bar in bars)])
    high = max([0.0, *(bar.added for bar in bars)])
    left = LABEL + (AMOUNT if low < 0 else 0)
    room = WIDTH - left - (AMOUNT if high > 0 else 0)
    per_unit = room / max(high - low, LEAST)
    return left - low * per_unit, per_unit


def _bar(bar: PartBar, words: str, zero: float, per_unit: float, y: float, fill: str, theme: str) -> Iterator[str]:
    text = ink.TEXT[theme]
    length = max(abs(bar.added) * per_unit, 1.0)
    left = zero if bar.added > 0 else zero - length
    yield svg.text(LABEL - 10, y + 16, svg.shortened(bar.label, LETTERS), text, text_anchor="end")
    yield svg.rectangle((left, y + 4, length, LINE - 9), fill)
    end, anchor = (left + length + 5, "start") if bar.added > 0 else (left - 5, "end")
    yield svg.text(end, y + 16, words, text, text_anchor=anchor)
    yield svg.line([(zero, y), (zero, y + LINE)], ink.LINE[theme])


# ---- pairs of columns that act together: bars of their sizes, the rows of one pair, and both in words

MOST_PAIRS, PAIR_LETTERS = 8, 18  # that are drawn; of a column's name
BAR, ROWS_HEIGHT = 34, 320  # pixels of a bar, and of the picture of rows
LEAST_DOT, MOST_DOT = 4, 15  # pixels
SPREAD, TURNS = 0.5, (0.618034, 0.754878)  # of the rows of a category; parts of a turn that never meet
LEAST_ROWS, MOST_CATEGORIES = 5, 4  # of a corner that is spoken of; of a column that are told apart


class ColumnPairs(NamedTuple):
    """What pairs of columns add to the answers of some rows, for one class or of a number."""

    added: np.ndarray  # (n_rows, n, n) symmetric
    pairs: Sequence[tuple[int, int]]  # places among the n columns, the greatest first
    X: np.ndarray  # (n_rows, n)
    features: Sequence[Feature]  # (n,)
    columns: np.ndarray  # (n,) int64: their numbers in the table
    link: str  # as `PredictionParts.link`
    target: Feature
    output: int = 0  # the class; 0 of a number

    @property
    def is_share(self) -> bool:
        """Whether the answers are shares of a class."""
        return bool(self.target.categories)

    def in_table(self, pair: tuple[int, int]) -> tuple[int, int]:
        """Return the numbers in the table of a pair's columns, the lesser first."""
        first, second = sorted(int(self.columns[place]) for place in pair)
        return first, second

    def amounts(self, pair: tuple[int, int]) -> np.ndarray:
        """Return what a pair adds to each row, (n_rows,), in the units of the axis."""
        values = self.added[:, pair[0], pair[1]]
        return 100 * values if self.is_share and self.link == "identity" else values

    def size(self, pair: tuple[int, int]) -> float:
        """Return the mean size of what a pair adds."""
        return float(np.abs(self.amounts(pair)).mean())


class Corner(NamedTuple):
    """Rows that have like values of two columns, and what the pair adds to them."""

    places: tuple[int, int]  # of each column's groups
    added: float  # mean
    n: int


def pairs_picture(look: ColumnPairs) -> Picture:
    """Return a bar for each pair, the one that adds or takes away most on top."""
    words = say("No two columns act together: each adds its part whatever the others are.")
    if look.pairs:
        texts = "; ".join(f"{pair_name(look, pair)} {number(look.size(pair), 2)}" for pair in look.pairs[:5])
        words = say(
            "These columns add or take away most together, on average over the rows: {pairs}.", pairs=texts
        )
    return Picture(partial(_draw_pairs, look), words)


def _draw_pairs(look: ColumnPairs, dark: bool) -> go.Figure:
    pairs = look.pairs[:MOST_PAIRS]
    figure = blank(dark, BAR * max(len(pairs), 1) + 70, hovermode="closest", bargap=0.35)
    sizes = [look.size(pair) for pair in pairs]
    names = [safe(pair_name(look, pair)) for pair in pairs]
    figure.add_bar(
        x=sizes, y=list(range(len(pairs))), orientation="h",
        marker={"color": ink.answer_colour(look.target, look.output, dark)},
        hovertext=[f"{name}: {number(size, 2)}" for name, size in zip(names, sizes, strict=True)],
        hoverinfo="text",
    )  # fmt: skip
    labels = [f"{safe(pair_name(look, pair, PAIR_LETTERS))}  {number(look.size(pair), 2)}" for pair in pairs]
    ticks = {"tickvals": list(range(len(pairs))), "ticktext": labels}
    figure.update_yaxes(ticks, autorange="reversed", showgrid=False)
    figure.update_xaxes(title_text=axis_words(look), rangemode="tozero")
    return figure


def pair_name(look: ColumnPairs, pair: tuple[int, int], letters: int = 200) -> str:
    """Return the names of both columns of a pair."""
    first, second = (shortened(look.features[place].name, letters) for place in pair)
    return say("{first} and {second}", first=first, second=second)


def axis_words(look: ColumnPairs) -> str:
    """Return what the bars count."""
    if look.link in LOG_ODDS:
        return say("log odds")
    if look.link == "log":
        return say("logarithm of the answer")
    if look.is_share:
        return say("percentage points")
    return say("what both add")


def pair_picture(look: ColumnPairs, pair: tuple[int, int]) -> Picture:
    """Return the rows at their values of both columns: triangles up where the pair adds, else down.

    Rows of a category are spread around it, each always to the same place.
    """
    first, second = (look.features[place].name for place in pair)
    words = pair_words(look, pair, str).replace("**", "")
    sentence = say(
        "Rows at their values of {first} and {second}. {words}", first=first, second=second, words=words
    )
    return Picture(partial(_draw_pair, look, pair), sentence, pair_name(look, pair))


def _draw_pair(look: ColumnPairs, pair: tuple[int, int], dark: bool) -> go.Figure:
    figure, amounts = blank(dark, ROWS_HEIGHT, hovermode="closest"), look.amounts(pair)
    most = float(np.abs(amounts).max(initial=0.0)) or 1.0
    size = LEAST_DOT + (MOST_DOT - LEAST_DOT) * np.sqrt(np.abs(amounts) / most)
    x, y = (_axis_values(look, place, turn) for place, turn in zip(pair, TURNS, strict=True))
    both = [look.features[place] for place in pair]
    up, down = ink.direction_colours(dark)
    for is_up, symbol, colour in ((True, "triangle-up", up), (False, "triangle-down", down)):
        some = np.flatnonzero((amounts >= 0) == is_up)
        figure.add_scatter(
            x=x[some], y=y[some], mode="markers",
            marker={
                "symbol": symbol, "size": size[some], "color": colour, "opacity": 0.75,
                "line": edge(ink.PAPER[ink.theme_of(dark)], 0.8),
            },
            customdata=amounts[some],
            hovertext=[safe(", ".join(map(named_value, both, look.X[i, list(pair)].tolist()))) for i in some],
            hovertemplate="%{hovertext}: %{customdata:+.3g}<extra></extra>",
        )  # fmt: skip
    figure.update_xaxes(_ticks(both[0]), title_text=safe(both[0].name))
    figure.update_yaxes(_ticks(both[1]), title_text=safe(both[1].name))
    return figure


def _ticks(feature: Feature) -> dict[str, Any]:
    """Return the names of a column's categories at their codes; of a number nothing."""
    names = [safe(shortened(name, PAIR_LETTERS)) for name in feature.categories]
    return {"tickvals": list(range(len(names))), "ticktext": names} if names else {}


def _axis_values(look: ColumnPairs, place: int, turn: float) -> np.ndarray:
    """Return the places of the rows on the axis of a column, (n_rows,): around its code for a category."""
    values = look.X[:, place]
    if not look.features[place].categories:
        return values
    return values + SPREAD * (np.arange(len(values)) * turn % 1 - 0.5)


def pair_table(look: ColumnPairs) -> pd.DataFrame:
    """Return all pairs as a table: both columns, and the mean size of what they add together."""
    names = [[look.features[place].name for place in pair] for pair in look.pairs]
    sizes = [look.size(pair) for pair in look.pairs]
    headings = say("column"), say("with column"), say("mean size, {unit}", unit=axis_words(look))
    return pd.DataFrame({
        headings[0]: [first for first, _ in names], headings[1]: [second for _, second in names],
        headings[2]: sizes,
    })  # fmt: skip


def pair_words(look: ColumnPairs, pair: tuple[int, int], plain: Callable[[str], str]) -> str:
    """Return where a pair adds most and where it takes away most, Markdown; `plain` makes text of names."""
    corners = corners_of(look, pair)
    if len(corners) < 2:
        return say("There are too few rows to say where the two add and where they take away.")
    most, least = max(corners, key=lambda one: one.added), min(corners, key=lambda one: one.added)
    return say(
        "Together, beyond what each does by itself, they add most where {most} (**{more}** on average, {n} rows), "
        "and least where {least} (**{less}**, {m} rows).",
        most=plain(_corner_words(look, pair, most)), more=_signed_text(most.added), n=count(most.n),
        least=plain(_corner_words(look, pair, least)), less=_signed_text(least.added), m=count(least.n),
    )  # fmt: skip


def _signed_text(amount: float) -> str:
    text = number(abs(amount), 2)
    return f"+{text}" if amount > 0 else f"−{text}" if amount < 0 else text


def corners_of(look: ColumnPairs, pair: tuple[int, int]) -> list[Corner]:
    """Return the groups of rows with like values of both columns, and what the pair adds to each, on average."""
    groups, amounts = [_groups(look, place) for place in pair], look.amounts(pair)
    corners = []
    for first, second in product(*(range(int(group.max(initial=-1)) + 1) for group in groups)):
        inside = (groups[0] == first) & (groups[1] == second)
        if inside.sum() >= LEAST_ROWS:
            corners.append(Corner((first, second), float(amounts[inside].mean()), int(inside.sum())))
    return corners


def _groups(look: ColumnPairs, place: int) -> np.ndarray:
    """Return the group of each row: of numbers two halves, of categories the most frequent; -1 for the rest."""
    values, group = look.X[:, place], np.full(len(look.X), -1)
    is_finite = np.isfinite(values)
    if look.features[place].categories:
        for number_, code in enumerate(_frequent(values[is_finite])):
            group[values == code] = number_
    elif is_finite.any():
        group[is_finite] = values[is_finite] > np.median(values[is_finite])
    return group


def _frequent(codes: np.ndarray) -> list[int]:
    """Return the most frequent codes, the most frequent first."""
    n = np.bincount(codes.astype(int), minlength=1)
    return [code for code in np.argsort(-n, kind="stable")[:MOST_CATEGORIES].tolist() if n[code]]


def _corner_words(look: ColumnPairs, pair: tuple[int, int], corner: Corner) -> str:
    parts = [_group_words(look, place, group) for place, group in zip(pair, corner.places, strict=True)]
    return say("{first} and {second}", first=parts[0], second=parts[1])


def _group_words(look: ColumnPairs, place: int, group: int) -> str:
    feature, values = look.features[place], look.X[:, place]
    finite = values[np.isfinite(values)]
    if feature.categories:
        return say(
            "the value of {name} is {value}", name=feature.name, value=feature.categories[_frequent(finite)[group]]
        )
    middle = threshold(float(np.median(finite)))
    if group:
        return say("{name} is above {value}", name=feature.name, value=middle)
    return say("{name} is at most {value}", context="subordinate clause", name=feature.name, value=middle)

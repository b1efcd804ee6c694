"""The different trees as bars, in words, and their features: a column per depth, a bar per structure.

The chart follows Zhou & Hooker (2016), Figures 3 and 5. The height of a bar is the share of the trees, on one
scale for all charts of a page. The shapes are made here once: for the browser, where they can be pointed at and
clicked (`card`), and for the file that is saved (`picture`). They are ink, in the colour of the text around them:
hues are those of classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from espalier.data.dataset import Feature
from espalier.display import ink, svg
from espalier.display.parts import Picture
from espalier.display.theme import count, percent
from espalier.display.tree.small_tree import asked, squeeze
from espalier.language import say
from espalier.stability.splits import FirstDifference
from espalier.trees import AnyTree

WIDTH, HEIGHT = 360, 194  # drawn 420 pixels wide, so that 12 are 14
LEFT, RIGHT, TOP, BOTTOM = 46, 2, 10, 40  # margins: shares on the left, depths below
GAP = 12  # between two columns
WIDEST, LEAST = 22, 3.0  # pixels of a bar with the gap beside it
REST = 16  # pixels of the block for bars that do not fit
INK, PALE, FAINT = "currentColor", 0.5, 0.25  # opacity of bars other than the structure to look for; of the rest

SCALES = (0.1, 0.25, 0.5, 1.0)  # possible ends of the scale of shares
STEPS = 5  # lines of the scale

Shape: TypeAlias = tuple[str, dict[str, Any], str]  # name of an SVG element, its attributes, its text


class Bar(NamedTuple):
    """A structure."""

    n_trees: int  # that have this structure
    tree: int  # the number of one of them
    is_top: bool  # whether it is the structure to look for: the most frequent one of the first draws
    differs: str  # the difference from the most frequent one, in words


class Chart(NamedTuple):
    """The structures of the trees of one learner."""

    n_trees: int
    columns: tuple[tuple[Bar, ...], ...]  # by number of levels: 1, 2, …; in each, the most frequent one first
    most: float = 1.0  # share at the top of the scale, the same for all charts side by side


class Placed(NamedTuple):
    """A bar and its place."""

    depth: int
    bar: Bar
    x: float
    width: float

    @property
    def key(self) -> str:
        """The key for the browser: its depth, and the number of a tree."""
        return f"{self.depth}.{self.bar.tree}"


def n_shown_bars(n_structures: int, n_columns: int) -> int:
    """Return how many bars of a column are drawn; the others become a block beside them."""
    width = _column_width(n_columns)
    return n_structures if n_structures * LEAST <= width else int((width - REST) / LEAST)


def place_bars(chart: Chart) -> list[Placed]:
    """Return the bars that are drawn, column by column, from left to right."""
    n, result = len(chart.columns), []
    for column, bars in enumerate(chart.columns):
        n_shown = n_shown_bars(len(bars), n)
        space = _column_width(n) - (REST if n_shown < len(bars) else 0)
        width = min(space / max(n_shown, 1), WIDEST)
        start = _start(column, n)
        result += [Placed(column + 1, bar, start + i * width, width) for i, bar in enumerate(bars[:n_shown])]
    return result


def scale_charts(charts: Sequence[Chart]) -> list[Chart]:
    """Return the charts on one scale, which fits the highest bar of all."""
    highest = max((bars[0].n_trees / chart.n_trees for chart in charts for bars in chart.columns), default=1.0)
    most = next(scale for scale in SCALES if highest <= scale)
    return [chart._replace(most=most) for chart in charts]


def chart_card(chart: Chart, key: str, selected: str) -> dict[str, Any]:
    """Return the JSON of the chart: its fixed shapes, and the bars with their texts.

    `key` identifies this chart; `selected` is the `key` of the bar whose tree is shown, empty if none is.
    """
    bars = [
        _rectangle(chart, drawn_bar)[1] | {"id": drawn_bar.key, "say": words_of(chart, drawn_bar)}
        for drawn_bar in place_bars(chart)
    ]
    still = [[name, attributes, text] for name, attributes, text in _still(chart)]
    size = {"id": key, "width": WIDTH, "height": HEIGHT, "top": TOP, "floor": HEIGHT - BOTTOM}
    return size | {"alt": chart_alt(chart), "still": still, "bars": bars, "selected": selected}


def chart_picture(chart: Chart, title: str) -> Picture:
    """Return the chart under its title, for paper and for a file."""
    return Picture(partial(_draw_chart, chart, title), chart_alt(chart), is_large=True)


def _draw_chart(chart: Chart, title: str, dark: bool) -> str:
    shapes = [*_still(chart), *(_rectangle(chart, drawn_bar) for drawn_bar in place_bars(chart))]
    head = _text(LEFT, -8, title, {"font-size": 14, "font-weight": "bold"})
    parts = [svg.element(name, words, **attributes) for name, attributes, words in (head, *shapes)]
    drawing = svg.picture(parts, (WIDTH, HEIGHT + 26), None, top=-26)
    return drawing.replace(f'"{INK}"', f'"{ink.TEXT[ink.theme_of(dark)]}"')


def upper(n_levels: int) -> str:
    """Return the words for so many levels of questions, from the root on."""
    return say("at the root") if n_levels == 1 else say("in the first {n} levels", n=n_levels)


def words_of(chart: Chart, one: Placed) -> str:
    """Return a bar in a sentence or two."""
    text = say(
        "{n} of {n_trees} trees ({share}) have this structure {levels}.",
        n=one.bar.n_trees,
        n_trees=chart.n_trees,
        share=percent(one.bar.n_trees / chart.n_trees),
        levels=upper(one.depth),
    )
    return f"{text} {one.bar.differs}".strip()


def chart_alt(chart: Chart) -> str:
    """Return the chart in a sentence."""
    parts = [
        say(
            "{levels} {n} structure, the most frequent {share}"
            if len(bars) == 1
            else "{levels} {n} structures, the most frequent {share}",
            levels=upper(depth),
            n=len(bars),
            share=percent(bars[0].n_trees / chart.n_trees),
        )
        for depth, bars in enumerate(chart.columns, start=1)
    ]
    return say("Structures of {n} trees: {levels}.", n=chart.n_trees, levels="; ".join(parts))


def _column_width(n_columns: int) -> float:
    return (WIDTH - LEFT - RIGHT) / n_columns - GAP


def _start(column: int, n_columns: int) -> float:
    return LEFT + GAP / 2 + column * (WIDTH - LEFT - RIGHT) / n_columns


def _y(part: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - part)


def _rectangle(chart: Chart, one: Placed) -> Shape:
    part = one.bar.n_trees / chart.n_trees / chart.most
    gap = 1.0 if one.width >= 4 else 0.4
    fill = {"fill": INK, "fill-opacity": 1 if one.bar.is_top else PALE}
    place = {"x": _pixel(one.x), "y": _pixel(_y(part)), "width": _pixel(one.width - gap)}
    return "rect", place | {"height": _pixel(HEIGHT - BOTTOM - _y(part))} | fill, ""


def _still(chart: Chart) -> Iterator[Shape]:
    """Yield the scale, the names of the columns, and the blocks for bars that do not fit."""
    for step in range(STEPS):
        part = step / (STEPS - 1)
        path = {"d": f"M{LEFT} {_pixel(_y(part))}H{WIDTH - RIGHT}", "stroke": INK}
        yield "path", path | {"stroke-opacity": 0.12 if step else 0.5}, ""
        yield _text(LEFT - 6, _y(part) + 4, percent(part * chart.most), {"text-anchor": "end"})
    middle, end = {"text-anchor": "middle"}, {"text-anchor": "end"}
    bold, n = {"font-weight": "bold"}, len(chart.columns)
    yield _text(LEFT - 6, HEIGHT - BOTTOM + 16, say("levels"), end)
    yield _text(LEFT - 6, HEIGHT - BOTTOM + 33, say("kinds"), end | bold)
    for column, bars in enumerate(chart.columns):
        x = _start(column, n) + _column_width(n) / 2
        yield _text(x, HEIGHT - BOTTOM + 16, str(column + 1), middle)
        yield _text(x, HEIGHT - BOTTOM + 33, count(len(bars)), middle | bold)
        if (n_shown := n_shown_bars(len(bars), n)) < len(bars):
            yield from _rest(bars[n_shown:], chart, _start(column, n) + _column_width(n) - REST + 2)


def _rest(bars: Sequence[Bar], chart: Chart, x: float) -> Iterator[Shape]:
    """Yield a block as high as the most frequent of these bars, and how many they are."""
    top = _y(bars[0].n_trees / chart.n_trees / chart.most)
    block = {"x": _pixel(x), "y": _pixel(top), "width": REST - 2, "height": _pixel(HEIGHT - BOTTOM - top)}
    yield "rect", block | {"fill": INK, "fill-opacity": FAINT}, ""
    yield _text(x + REST - 2, top - 4, f"+{len(bars)}", {"text-anchor": "end"})


def _text(x: float, y: float, words: str, style: dict[str, Any]) -> Shape:
    place = {"x": _pixel(x), "y": _pixel(y), "font-size": 12, "fill": INK}
    return "text", place | style, words


def _pixel(x: float) -> float:
    return round(x, 2)


# ---- the first difference of two trees in words


def where(way: Sequence[bool]) -> str:
    """Return a place in a tree, by the answers that lead there."""
    if not way:
        return say("at the root")
    return say("after {answers}", answers=", ".join(say("yes" if left else "no") for left in way))


def differs(tree: AnyTree, other: AnyTree, difference: FirstDifference | None, features: Sequence[Feature]) -> str:
    """Return the first difference of a tree from the most frequent one, `other`, in a sentence.

    Empty without one.
    """
    if difference is None:
        return ""
    place = where(difference.way)
    place = f"{place[:1].upper()}{place[1:]}"
    if difference.what == "leaf":
        usual = asked(other, features, difference.other)
        return say("{place} it stops, where the most frequent asks “{usual}”.", place=place, usual=usual)
    question = asked(tree, features, difference.node)
    if difference.what == "split":
        return say("{place} it asks “{question}”, where the most frequent stops.", place=place, question=question)
    usual = asked(other, features, difference.other)
    return say(
        "{place} it asks “{question}”, the most frequent “{usual}”.", place=place, question=question, usual=usual
    )


# ---- the features that trees use at each depth: a table of shares, darker for more trees

TABLE_WIDTH, LINE, HEAD, PAD = 420, 26, 22, 4
NAMES, LETTER = 150, 7.4  # pixels for the features' names; average width of a letter
LEAST_SIGN = 48  # pixels of a cell that has room for a percent sign
MOST = 8  # features with a line of their own


def listed_features(shares: np.ndarray) -> list[int]:
    """Return the features with a line of their own, those used most and nearest to the root first.

    Shares as below.
    """
    weight = 0.5 ** np.arange(len(shares)) @ shares
    order = np.argsort(-weight, kind="stable")
    return [int(f) for f in order[:MOST] if weight[f] > 0]


def used_depths(shares: np.ndarray) -> np.ndarray:
    """Return the shares down to the deepest split of any tree, at least those of the root."""
    depths = np.flatnonzero(shares.any(axis=1))
    return shares[: max(len(depths) and int(depths[-1]) + 1, 1)]


def features_picture(shares: np.ndarray, names: Sequence[str], which: Sequence[int]) -> Picture:
    """Return the table of shares (n_depths, n_features) of trees that use the features `which` at each depth."""
    parts = []
    for depth, row in enumerate(shares):
        features = [f"{names[f]} {percent(float(row[f]))}" for f in sorted(which, key=lambda f: -row[f]) if row[f]]
        where_used = say("At the root") if depth == 0 else say("At depth {n}", n=depth)
        parts.append(f"{where_used}: {', '.join(features) or say('nothing')}.")
    return Picture(partial(_draw_features, shares, names, which), " ".join(parts), is_large=True)


def _draw_features(shares: np.ndarray, names: Sequence[str], which: Sequence[int], dark: bool) -> str:
    paper, text = ink.PAPER[ink.theme_of(dark)], ink.TEXT[ink.theme_of(dark)]
    wide, parts = (TABLE_WIDTH - NAMES) / len(shares), []
    for depth in range(len(shares)):
        words = say("root") if depth == 0 else say("depth {n}", n=depth)
        words = words if len(shares) <= 4 else str(depth)
        parts.append(svg.text(NAMES + (depth + 0.5) * wide, 14, words, text, text_anchor="middle", opacity=0.75))
    for line, feature in enumerate(which):
        y = HEAD + LINE * line
        name = squeeze(names[feature], int((NAMES - 8) / LETTER))
        parts.append(svg.text(NAMES - 8, y + 16, name, text, text_anchor="end"))
        for depth, share in enumerate(shares[:, feature].tolist()):
            x = NAMES + depth * wide
            fill = ink.mix(text, paper, 0.06 + 0.84 * share)
            parts.append(svg.rectangle((x + 1, y, wide - 2, LINE - 2), fill, rx=2))
            if share:
                words = "<1" if share < 0.005 else ">99" if 0.995 <= share < 1 else f"{100 * share:.0f}"
                words = words if wide < LEAST_SIGN else f"{words} %"
                parts.append(svg.text(x + wide / 2, y + 16, words, ink.readable_on(fill), text_anchor="middle"))
    return svg.picture(parts, (TABLE_WIDTH, HEAD + LINE * max(len(which), 1) + PAD), 14)

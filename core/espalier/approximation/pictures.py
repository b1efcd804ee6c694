"""Fidelity of a tree against its depth, as a small picture with a mark at the depth that is enough."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from espalier.approximation.fidelity import FidelityLevel
from espalier.data.dataset import Dataset
from espalier.display import ink, svg
from espalier.display.parts import Picture
from espalier.display.svg import Frame
from espalier.display.theme import number, percent
from espalier.forests.pictures import HEIGHT, WIDTH, ErrorLine, finite_ends, legend_height, line_legend
from espalier.forests.surfaces import SIZE, Plane, frame_picture
from espalier.language import say
from espalier.predict import NO_PRIOR, winners

DEPTH_SIZE = WIDTH, HEIGHT  # of a phone, as curves of forests
LEFT, RIGHT, TOP, BOTTOM = 56, 12, 30, 42  # margins; the legend comes on top


class Measure(NamedTuple):
    """A measure of fidelity, and how it is drawn."""

    key: str  # field of `Fidelity`
    title: str
    is_share: bool

    def text_of(self, value: float) -> str:
        """Return a value as a person writes it."""
        return percent(value) if self.is_share and value == value else number(round(value, 4))


def measures(is_classification: bool) -> tuple[Measure, Measure]:
    """Return the measures: how far predictions are apart, and how often, or how well, they agree."""
    if is_classification:
        gap, agrees = say("average gap in the chances"), say("agrees with the model")
        return Measure("distance", gap, False), Measure("agreement", agrees, True)
    return Measure("distance", say("mean difference"), False), Measure("agreement", say("R² to the model"), False)


def depth_picture(levels: Mapping[str, Sequence[FidelityLevel]], measure: Measure, enough: int | None) -> Picture:
    """Return a line of the levels on each kind of rows, by its name, under the title of their measure.

    Lines after the first are dashed. There is a mark at the depth that is `enough`, if any is.
    """
    lines = [
        ErrorLine(name, 0, np.array([getattr(level.fidelity, measure.key) for level in some]), place > 0)
        for place, (name, some) in enumerate(levels.items())
    ]
    title = f"{measure.title[:1].upper()}{measure.title[1:]}"
    sentences = [
        say(
            "{measure} on {rows}, by depth from 0: {values}.",
            measure=title,
            rows=line.name,
            values=", ".join(measure.text_of(v) for v in line.errors.tolist()),
        )
        for line in lines
    ]
    if enough is not None:
        sentences.append(say("Depth {n} is enough.", n=enough))
    draw = partial(_draw_depths, lines, measure, enough)
    return Picture(draw, " ".join(sentences), title, is_large=True)


def _draw_depths(lines: Sequence[ErrorLine], measure: Measure, enough: int | None, dark: bool) -> str:
    deepest = max((len(line.errors) - 1 for line in lines), default=1)
    there = [line for line in lines if np.isfinite(line.errors).any()]
    # in the legend with the value for the whole tree
    legend = [line._replace(name=f"{line.name} {measure.text_of(float(line.errors[-1]))}") for line in there]
    margins = (LEFT, RIGHT, TOP + legend_height(legend), BOTTOM)
    frame = Frame(DEPTH_SIZE, margins, (0, max(deepest, 1)), _ends(lines, measure), dark, 0.75)
    axes = [
        *frame.grid(svg.round_numbers(*frame.up, 5), measure.text_of),
        *frame.ticks(range(deepest + 1), str, 17),
        frame.title_below(say("questions, at most"), 6),
    ]
    mark = [] if enough is None else _mark(frame, enough, enough == deepest)
    return svg.picture([*line_legend(legend, dark), *axes, *mark, *_curves(there, frame)], DEPTH_SIZE, 13)


def _ends(lines: Sequence[ErrorLine], measure: Measure) -> tuple[float, float]:
    """Return the numbers at the lower and the upper end of the frame."""
    low, high = finite_ends(*(line.errors for line in lines))
    low = 0.0 if measure.key == "distance" else low
    pad = 0.08 * (high - low) or 0.1 * abs(high) or 0.5
    if measure.key == "distance":
        return low, high + pad
    return low - pad, min(high + pad, 1.0) if high < 1 else high


def _mark(frame: Frame, enough: int, is_last: bool) -> Iterator[str]:
    x = frame.x(enough)
    ends = ((x, frame.top - 6), (x, frame.floor))
    yield svg.line(ends, ink.LINE[ink.theme_of(frame.dark)], stroke_width=1.5, stroke_dasharray="2 3")
    anchor = "end" if is_last else "middle"
    yield svg.text(x, frame.top - 12, say("enough"), ink.TEXT[ink.theme_of(frame.dark)], text_anchor=anchor)


def _curves(lines: Sequence[ErrorLine], frame: Frame) -> Iterator[str]:
    text = ink.TEXT[ink.theme_of(frame.dark)]
    for line in lines:
        spots = [(frame.x(depth), frame.y(v)) for depth, v in enumerate(line.errors.tolist())]
        yield svg.line(spots, text, stroke_width=2, stroke_dasharray=svg.DASHES if line.dashed else None)
        yield from (svg.circle(*spot, 3.5, text) for spot in spots)


# ---- the difference of a tree and the model it approximates over a plane, as a picture beside theirs

WEAK = 0.7  # strength of the colour for the greatest difference if the class is the same


def gap(
    model_says: np.ndarray, tree_says: np.ndarray, dataset: Dataset, prior: np.ndarray = NO_PRIOR
) -> tuple[np.ndarray, np.ndarray]:
    """Return the gap between predictions (n, n_outputs), (n,), and whether they are of other classes, (n,) bool.

    The gap is the L1 distance of shares from 0 to 1, or of numbers the part of the target's range, at most 1.
    `prior` is the one by which the model breaks ties.
    """
    apart = np.abs(model_says - tree_says).sum(axis=1)
    if dataset.is_classification:
        return apart / 2, winners(model_says, prior) != winners(tree_says)
    span = float(dataset.y.max() - dataset.y.min()) or 1.0
    return np.minimum(apart / span, 1.0), np.zeros(len(apart), dtype=bool)


def gap_picture(
    gaps: np.ndarray, is_other: np.ndarray, plane: Plane, dataset: Dataset, size: int = SIZE
) -> Picture:
    """Return the gap in the plane's cells: stronger if further apart, full for another class.

    `size` is that of the axes' names, in pixels.
    """
    draw = partial(_draw_gap, np.where(is_other, 1.0, WEAK * gaps)[:, None], plane, dataset, size)
    return Picture(draw, _gap_words(gaps, is_other, dataset), say("Where they differ"))


def _draw_gap(strength: np.ndarray, plane: Plane, dataset: Dataset, size: int, dark: bool) -> str:
    paper, colour = (np.array(ink.rgb(c[ink.theme_of(dark)])) for c in (ink.PAPER, ink.TEXT))
    colours = np.round(strength * colour + (1 - strength) * paper).astype(np.uint8)
    return frame_picture(colours, plane, dataset, dark, size)


def _gap_words(gaps: np.ndarray, is_other: np.ndarray, dataset: Dataset) -> str:
    if not dataset.is_classification:
        share = percent(float(gaps.mean()))
        return say("They are {share} of the target's range apart on average over this plane.", share=share)
    share = percent(float(is_other.mean()))
    return say("Over {share} of this plane they predict different classes.", share=share)


# ---- the tree graph's cards with a mark on the splits that a test did not decide


def mark_unsure(cards: dict[str, Any], nodes: Sequence[int]) -> dict[str, Any]:
    """Return the cards of `display.tree.cards` with "unsure" on the splits `nodes`, with an id of their own."""
    if not nodes:
        return cards
    unsure = set(nodes)
    nodes_with_marks = [card | {"unsure": True} if card["id"] in unsure else card for card in cards["nodes"]]
    name = hashlib.blake2b(repr((cards["id"], sorted(unsure))).encode(), digest_size=8).hexdigest()
    return cards | {"id": name, "nodes": nodes_with_marks}

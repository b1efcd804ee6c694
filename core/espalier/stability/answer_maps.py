"""Agreement of trees from redrawn data in their predictions: by row as a histogram, over a plane as a map."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from espalier.data.dataset import Dataset
from espalier.display import ink, svg
from espalier.display.svg import Frame
from espalier.display.theme import number, percent
from espalier.forests.surfaces import Plane, colour_scale, framed
from espalier.language import say
from espalier.stability.answers import Agreement
from espalier.stability.bars import colour_of

WIDTH, PLOT, LEFT, RIGHT, TOP, BOTTOM = 310, 130, 42, 20, 8, 38
BINS = 20
STRONGEST = 0.85  # of the text's colour on paper, where predictions vary most
LEGEND, STEPS = 300, 24


def rows_picture(agreement: Agreement, most: float, is_share: bool, place: int, dark: bool) -> str:
    """Return the SVG histogram of the rows' agreement, or of differences for numbers; the axis goes to `most`.

    `place` is the learner's, and gives its colour.
    """
    shares = np.histogram(agreement.by_row, BINS, (0, most))[0] / max(len(agreement.by_row), 1)
    size = (WIDTH, TOP + PLOT + BOTTOM)
    frame = Frame(size, (LEFT, RIGHT, TOP, BOTTOM), (0, most), (0, 1), dark)
    words = say("pairs of trees that agree on the row" if is_share else "difference of two trees on the row")
    parts = [
        *frame.grid((0.0, 0.5, 1.0), percent),
        *_bars(shares, frame, colour_of(place, dark)),
        *frame.ticks(svg.round_numbers(0, most, 4), percent if is_share else None),
        frame.title_below(words, 5),
    ]
    return svg.picture(parts, size, 11.5)


def _bars(shares: np.ndarray, frame: Frame, fill: str) -> Iterator[str]:
    wide = (frame.right - frame.left) / len(shares)
    for i, share in enumerate(shares.tolist()):
        if share:
            yield svg.rectangle((frame.left + i * wide, frame.y(share), wide - 1.5, PLOT * share), fill)


def rows_alt(agreement: Agreement, is_share: bool) -> str:
    """Return the histogram in a sentence."""
    if not is_share:
        gap = number(agreement.mean)
        return say("Two trees differ by {gap} (root mean square over the rows).", gap=gap)
    shares = {"share": percent(agreement.mean), "sure": percent(float((agreement.by_row > 1 - 1e-9).mean()))}
    return say("Two trees agree on {share} of the rows; all trees agree on {sure} of them.", **shares)


def difference_end(agreements: Sequence[Agreement]) -> float:
    """Return the end of the axis of differences, the same for all learners."""
    return max([float(one.by_row.max(initial=0.0)) for one in agreements] + [1e-12])


# Map -------------------------------------------------------------------------------------------------


def deviation_map(deviation: np.ndarray, most: float, plane: Plane, dataset: Dataset, dark: bool) -> str:
    """Return the SVG of deviations (n_cells,) in the plane's cells, from none (the colour of paper) to `most`."""
    theme = ink.theme_of(dark)
    paper, text = (np.array(ink.rgb(colour[theme])) for colour in (ink.PAPER, ink.TEXT))
    strength = STRONGEST * np.clip(deviation / most, 0, 1)[:, None] if most > 0 else np.zeros((len(deviation), 1))
    return framed(np.round(strength * text + (1 - strength) * paper).astype(np.uint8), plane, dataset, dark)


def map_legend(most: float, dark: bool) -> str:
    """Return the SVG of the map's scale."""
    text, paper = ink.TEXT[ink.theme_of(dark)], ink.PAPER[ink.theme_of(dark)]
    fills = [ink.mixed(text, paper, STRONGEST * step / (STEPS - 1)) for step in range(STEPS)]
    return svg.picture(colour_scale(("0", number(most)), fills, 14, text), (LEGEND, 20), 13)


def map_alt(deviation: np.ndarray) -> str:
    """Return the map in a sentence."""
    mean = math.sqrt(float((deviation**2).mean())) if len(deviation) else 0.0
    steady = float((deviation < 1e-9).mean()) if len(deviation) else 0.0
    known = {"deviation": number(mean), "share": percent(steady)}
    return say("The standard deviation is {deviation} over this plane, and none in {share} of it.", **known)

"""How alike trees of redrawn data answer: row by row as a histogram, and over a plane as a map."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from espalier.analysis.stability.answers import Agreement
from espalier.data.dataset import Dataset
from espalier.views import ink
from espalier.views.forests.surfaces import Plane, framed
from espalier.views.stability.bars import colour_of
from espalier.views.svg import round_numbers
from espalier.views.theme import FONT, number, percent

WIDTH, PLOT, LEFT, RIGHT, TOP, BOTTOM = 310, 130, 42, 20, 8, 38
BINS = 20
STRONGEST = 0.85  # of the text's colour on paper, where answers vary most
LEGEND, STEPS = 300, 24


def rows_picture(found: Agreement, most: float, is_share: bool, look: tuple[int, bool]) -> str:
    """SVG: how many rows have which agreement, or difference where answers are numbers; the axis goes to `most`.

    `look`: the learner's place, and whether the page is dark.
    """
    place, dark = look
    shares = np.histogram(found.by_row, BINS, (0, most))[0] / max(len(found.by_row), 1)
    height = TOP + PLOT + BOTTOM
    parts = [*_scale(dark), *_bars(shares, colour_of(place, dark)), *_axis(most, is_share, dark)]
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" font-family="{FONT}" '
        f'font-size="11.5" xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


def _y(share: float) -> float:
    return TOP + PLOT * (1 - share)


def _x(part: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * part


def _scale(dark: bool) -> Iterator[str]:
    theme = ink.theme_of(dark)
    for share in (0.0, 0.5, 1.0):
        yield f'<path d="M{LEFT} {_y(share)}H{WIDTH - RIGHT}" stroke="{ink.LINE[theme]}" stroke-opacity="0.35"/>'
        end = f'y="{_y(share)}" dy="4" text-anchor="end" fill="{ink.TEXT[theme]}"'
        yield f'<text x="{LEFT - 6}" {end}>{percent(share)}</text>'


def _bars(shares: np.ndarray, fill: str) -> Iterator[str]:
    wide = (WIDTH - LEFT - RIGHT) / len(shares)
    for i, share in enumerate(shares.tolist()):
        if share:
            size = f'width="{wide - 1.5:.1f}" height="{PLOT * share:.1f}"'
            yield f'<rect x="{LEFT + i * wide:.1f}" y="{_y(share):.1f}" {size} fill="{fill}"/>'


def _axis(most: float, is_share: bool, dark: bool) -> Iterator[str]:
    text = ink.TEXT[ink.theme_of(dark)]
    for value in round_numbers(0, most, 4):
        words = percent(value) if is_share else number(value)
        place = f'x="{_x(value / most):.1f}" y="{TOP + PLOT + 16}" text-anchor="middle"'
        yield f'<text {place} fill="{text}">{words}</text>'
    words = "pairs of trees that agree on the row" if is_share else "difference of two trees on the row"
    place = f'x="{_x(0.5)}" y="{TOP + PLOT + 33}" text-anchor="middle"'
    yield f'<text {place} fill="{text}">{words}</text>'


def rows_alt(found: Agreement, is_share: bool) -> str:
    """The histogram in a sentence."""
    if not is_share:
        return f"Two trees differ by {number(found.mean)} (root mean square over the rows)."
    sure = float((found.by_row > 1 - 1e-9).mean())
    return f"Two trees agree on {percent(found.mean)} of the rows; all trees agree on {percent(sure)} of them."


def difference_end(found: Sequence[Agreement]) -> float:
    """Where the axis of differences ends, the same for all learners."""
    return max([float(one.by_row.max(initial=0.0)) for one in found] + [1e-12])


# Map -------------------------------------------------------------------------------------------------


def deviation_map(deviation: np.ndarray, most: float, plane: Plane, dataset: Dataset, dark: bool) -> str:
    """SVG of deviations (n_cells,) in the plane's cells, from none, the paper, to `most`."""
    theme = ink.theme_of(dark)
    paper, text = (np.array(_rgb(colour[theme])) for colour in (ink.PAPER, ink.TEXT))
    strength = STRONGEST * np.clip(deviation / most, 0, 1)[:, None] if most > 0 else np.zeros((len(deviation), 1))
    return framed(np.round(strength * text + (1 - strength) * paper).astype(np.uint8), plane, dataset, dark)


def _rgb(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def map_legend(most: float, dark: bool) -> str:
    """SVG of the map's scale."""
    theme = ink.theme_of(dark)
    parts = [f'<text x="0" y="14" fill="{ink.TEXT[theme]}">0</text>']
    for step in range(STEPS):
        fill = ink.mixed(ink.TEXT[theme], ink.PAPER[theme], STRONGEST * step / (STEPS - 1))
        parts.append(f'<rect x="{14 + 6 * step}" y="4" width="6.5" height="12" fill="{fill}"/>')
    parts.append(f'<text x="{14 + 6 * STEPS + 8}" y="14" fill="{ink.TEXT[theme]}">{number(most)}</text>')
    return (
        f'<svg viewBox="0 0 {LEGEND} 20" width="{LEGEND}" height="20" font-family="{FONT}" font-size="13" '
        f'xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


def map_alt(deviation: np.ndarray) -> str:
    """The map in a sentence."""
    mean = math.sqrt(float((deviation**2).mean())) if len(deviation) else 0.0
    steady = float((deviation < 1e-9).mean()) if len(deviation) else 0.0
    return f"The standard deviation is {number(mean)} over this plane, and none in {percent(steady)} of it."

"""What every tree of a forest says of one sample: a strip of classes, tree by tree, or dots along a number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.views import ink
from espalier.views.svg import round_numbers
from espalier.views.theme import FONT, class_colours, number

WIDTH = 520
CELL, GAP, ABREAST = 24, 2, 20  # pixels of a tree, and trees in a line; more of them are smaller
SMALL, MANY = 11, 200
DOT, BINS = 3.4, 60  # radius of a tree's number; stacks along the axis
PLOT_HEIGHT, AXIS = 150, 24


class Votes(NamedTuple):
    """What the trees say of a sample."""

    said: np.ndarray  # (n_trees, n_outputs): class shares, or the number
    seen: np.ndarray  # (n_trees,) bool: trees that grew on the sample
    truth: float  # its class number, or the number
    answer: float  # what the forest says


def strip(votes: Votes, target: Feature, dark: bool) -> str:
    """SVG of a cell per tree in the colour of its class, paler where it is less sure.

    A dot is in the cells of trees that grew on the sample; those that say another class than the true one have a
    line below.
    """
    n = len(votes.said)
    cell = CELL if n <= MANY else SMALL
    abreast = max((WIDTH + GAP) // (cell + GAP), 1)
    height = -(-n // abreast) * (cell + GAP)
    body = "".join(_cell(votes, i, (i % abreast, i // abreast, cell), (target, dark)) for i in range(n))
    return _svg(WIDTH, height, body)


def _cell(votes: Votes, i: int, place: tuple[int, int, int], look: tuple[Feature, bool]) -> str:
    column, line, size = place
    target, dark = look
    theme, k = ink.theme_of(dark), int(votes.said[i].argmax())
    colour = ink.mixed(class_colours(len(target.categories))[theme][k], ink.PAPER[theme], float(votes.said[i, k]))
    x, y = column * (size + GAP), line * (size + GAP)
    parts = [f'<rect x="{x}" y="{y}" width="{size}" height="{size}" rx="2" fill="{colour}"/>']
    mark = ink.readable_on(colour)
    if votes.seen[i]:
        parts.append(f'<circle cx="{x + size / 2}" cy="{y + size / 2}" r="{size / 9:.1f}" fill="{mark}"/>')
    if k != votes.truth:
        parts.append(f'<path d="M{x + 3} {y + size - 3}h{size - 6}" stroke="{mark}" stroke-width="1.6"/>')
    return "".join(parts)


def dots(votes: Votes, target: Feature, dark: bool) -> str:
    """SVG of a dot per tree over the axis of the target; the forest's mean and the truth as lines.

    Dots of trees that grew on the sample are hollow.
    """
    theme, said = ink.theme_of(dark), votes.said[:, 0]
    low, high = _span(np.append(said, [votes.truth, votes.answer]))
    body = [*_axis(low, high, theme), *_lines(votes, (low, high), theme), *_stacks(votes, (low, high), theme)]
    return _svg(WIDTH, PLOT_HEIGHT + AXIS, "".join(body))


def _span(values: np.ndarray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    pad = 0.06 * (high - low) or max(abs(low), 1.0) / 2
    return low - pad, high + pad


def _x(value: float, span: tuple[float, float]) -> float:
    return WIDTH * (value - span[0]) / (span[1] - span[0])


def _axis(low: float, high: float, theme: str) -> Iterator[str]:
    yield f'<path d="M0 {PLOT_HEIGHT}H{WIDTH}" stroke="{ink.LINE[theme]}"/>'
    for value in round_numbers(low, high, 6):
        place = f'x="{_x(value, (low, high)):.1f}" y="{PLOT_HEIGHT + 16}" text-anchor="middle"'
        yield f'<text {place} fill="{ink.TEXT[theme]}" opacity="0.75">{number(value)}</text>'


def _lines(votes: Votes, span: tuple[float, float], theme: str) -> Iterator[str]:
    for value, word, dash, y in ((votes.answer, "forest", "", 12), (votes.truth, "truth", "5 3", 26)):
        x = _x(value, span)
        anchor = "end" if x > WIDTH / 2 else "start"
        shift = -5 if x > WIDTH / 2 else 5
        style = f'stroke="{ink.TEXT[theme]}" stroke-width="1.6" stroke-dasharray="{dash or "none"}"'
        yield f'<path d="M{x:.1f} 4V{PLOT_HEIGHT}" {style}/>'
        place = f'x="{x + shift:.1f}" y="{y}" text-anchor="{anchor}" fill="{ink.TEXT[theme]}"'
        halo = f'stroke="{ink.PAPER[theme]}" stroke-width="4" stroke-linejoin="round" paint-order="stroke"'
        yield f"<text {place} {halo}>{word} {number(value)}</text>"


def _stacks(votes: Votes, span: tuple[float, float], theme: str) -> Iterator[str]:
    """Dots of nearly the same number stand on each other, closer where there are many."""
    said, colour = votes.said[:, 0], ink.accent(theme == "dark")
    bins = np.floor(BINS * (said - span[0]) / (span[1] - span[0])).astype(int)
    step = min(2.2 * DOT, (PLOT_HEIGHT - 40) / max(int(np.bincount(bins).max()), 1))
    height = dict.fromkeys(bins.tolist(), 0)
    for value, b, seen in zip(said.tolist(), bins.tolist(), votes.seen.tolist(), strict=True):
        y = PLOT_HEIGHT - DOT - 1 - step * height[b]
        height[b] += 1
        fill = f'fill="{ink.PAPER[theme]}" stroke="{colour}"' if seen else f'fill="{colour}" stroke="{colour}"'
        yield f'<circle cx="{_x(value, span):.1f}" cy="{y:.1f}" r="{DOT}" {fill} stroke-width="1.2"/>'


def _svg(width: int, height: int, body: str) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="{FONT}" '
        f'font-size="12" xmlns="http://www.w3.org/2000/svg">{body}</svg>'
    )


def votes_words(votes: Votes, target: Feature) -> str:
    """How many trees say what, the most frequent first; of numbers, their mean and spread."""
    n = len(votes.said)
    if not target.categories:
        said = votes.said[:, 0]
        return (
            f"{n} trees say {number(float(said.mean()))} on average, with a spread of {number(float(said.std()))}"
        )
    counts = np.bincount(votes.said.argmax(axis=1), minlength=len(target.categories))
    told = [f"{counts[k]} say {target.categories[k]}" for k in np.argsort(-counts, kind="stable") if counts[k]]
    return f"of {n} trees " + ", ".join(told)

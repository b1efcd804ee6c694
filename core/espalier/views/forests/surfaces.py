"""The surface of a forest's first trees beside each other: how averaging smooths what one tree cuts into boxes.

Each surface is a picture of one pixel a cell, drawn with sharp pixels: what is a box stays a box.
"""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from espalier.analysis.grids import samples_over
from espalier.data.dataset import Dataset
from espalier.learners.ties import NO_PRIOR, winners
from espalier.views import ink, svg
from espalier.views.boundaries.plane import drawn_rows, ends_of
from espalier.views.theme import class_colours, number, percent

CELLS = (160, 128)  # along x and y
WIDTH, PLOT = 240, 192  # pixels of a picture, and of its height without the names of the axes
NAMES = 20  # pixels below the plot
STRENGTH = {"light": 0.62, "dark": 0.5}  # of the classes' colours on paper
LETTERS = 9  # of a category's name
NAME_LETTER, NAME_LINE = 6, 12  # pixels that a letter of it takes at most, and its line
MOST_DOTS, DOT = 150, 1.7
LEGEND, LINE, LETTER = 520, 20, 7  # pixels: width of the legend, height of its lines, and a letter, about
STEPS = 20  # of a number's scale
MOST_LETTERS, LIST = 30, 24  # of a class, and classes in the legend
MOST_NAME = 36  # letters that fit below a picture, of both axes together


class Plane(NamedTuple):
    """The plane that all pictures show."""

    axes: tuple[int, ...]  # one or two features
    ends: tuple[tuple[float, float], ...]
    cells: tuple[int, int]  # along x and y

    @property
    def at(self) -> list[np.ndarray]:
        """The values at the middles of the cells, for each axis."""
        return [
            low + (high - low) * (np.arange(n) + 0.5) / n
            for (low, high), n in zip(self.ends, self.cells, strict=False)
        ]

    def samples(self, held: np.ndarray) -> np.ndarray:
        """(n_cells, n_features): the sample in the middle of each cell, x fastest; `held` stands off the axes."""
        return samples_over(self.axes, self.at, held)


def plane_of(dataset: Dataset, axes: Sequence[int]) -> Plane:
    """The plane of one or two features, a cell for each category."""
    ends = tuple(ends_of(dataset.features[a], dataset.X[:, a]) for a in axes)
    sizes = [len(dataset.features[a].categories) or n for a, n in zip(axes, CELLS, strict=False)]
    return Plane(tuple(map(int, axes)), ends, (sizes[0], sizes[1] if len(sizes) == 2 else 1))


def picture(answers: np.ndarray, plane: Plane, dataset: Dataset, dark: bool) -> str:
    """SVG of the answers (n_cells, n_outputs) in the middles of the plane's cells, with some samples on top."""
    return framed(_mixed(answers, dataset, ink.theme_of(dark)), plane, dataset, dark)


def framed(colours: np.ndarray, plane: Plane, dataset: Dataset, dark: bool) -> str:
    """SVG of colours (n_cells, 3) uint8 in the plane's cells, with some samples on top, and the axes' names."""
    theme = ink.theme_of(dark)
    image = svg.element(
        "image", width=WIDTH, height=PLOT, preserveAspectRatio="none", style="image-rendering: pixelated",
        href=f"data:image/png;base64,{_pixels(colours, plane)}",
    )  # fmt: skip
    names = [svg.shortened(dataset.features[a].name, MOST_NAME // len(plane.axes)) for a in plane.axes]
    words = " →, ".join(names) + (" ↑" if len(names) == 2 else " →")
    title = svg.text(2, PLOT + 14, words, ink.TEXT[theme], font_size=11)
    parts = [image, *_dots(plane, dataset, theme), *_categories(plane, dataset, theme), title]
    return svg.picture(parts, (WIDTH, PLOT + NAMES), None)


def _pixels(colours: np.ndarray, plane: Plane) -> str:
    """A PNG file of the colours (n_cells, 3) uint8, in base64."""
    return base64.b64encode(png(colours.reshape(plane.cells[1], plane.cells[0], 3)[::-1])).decode()


def _categories(plane: Plane, dataset: Dataset, theme: str) -> Iterator[str]:
    """The names of categories, along the lower edge for x and the left one for y."""
    halo = svg.halo(ink.PAPER[theme], 3, 0.7)
    for side, (axis, n) in enumerate(zip(plane.axes, plane.cells, strict=False)):
        names = [name[:LETTERS] for name in dataset.features[axis].categories]
        for code in range(0, len(names), _every(names, n, bool(side))):
            middle = (code + 0.5) / n
            x, y = (3, PLOT * (1 - middle) + 3) if side else (WIDTH * middle, PLOT - 4)
            anchor = "start" if side else "middle"
            yield svg.text(x, y, names[code], ink.TEXT[theme], text_anchor=anchor, font_size=10, **halo)


def _every(names: Sequence[str], n: int, is_upright: bool) -> int:
    """Every how many of the names of `n` cells are written, so that no two overlap."""
    if not names:
        return 1
    need = NAME_LINE if is_upright else NAME_LETTER * (max(map(len, names)) + 1)
    return math.ceil(need * n / (PLOT if is_upright else WIDTH))


def png(pixels: np.ndarray) -> bytes:
    """A PNG file of pixels (height, width, 3) uint8, the top line first (Portable Network Graphics, 2003)."""
    height, width, _ = pixels.shape
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(lines, 6)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _mixed(answers: np.ndarray, dataset: Dataset, theme: str) -> np.ndarray:
    """(n_cells, 3) uint8: the classes' colours mixed by their shares; of a number, paper to blue."""
    paper = np.array(ink.rgb(ink.PAPER[theme]), float)
    if dataset.is_classification:
        palette = np.array([ink.rgb(colour) for colour in class_colours(len(dataset.classes))[theme]])
        inked, strength = answers @ palette, STRENGTH[theme]
    else:
        low, high = float(dataset.y.min()), float(dataset.y.max())
        strength = np.clip((answers - low) / ((high - low) or 1.0), 0, 1)
        inked = np.tile(np.array(ink.rgb(ink.accent(theme == "dark")), float), (len(answers), 1))
    return np.round(strength * inked + (1 - np.asarray(strength)) * paper).astype(np.uint8)


def _dots(plane: Plane, dataset: Dataset, theme: str) -> Iterator[str]:
    drawn = drawn_rows(len(dataset.y))
    rows = drawn[:: -(-len(drawn) // MOST_DOTS)]
    xy = _places_of(plane, dataset, rows)
    known = np.isfinite(xy).all(axis=1)
    group = dataset.y if dataset.is_classification else np.zeros(len(dataset.y), int)
    for k, colour in enumerate(class_colours(len(dataset.classes))[theme] or [ink.PAPER[theme]]):
        path = "".join(f"{svg.way([place])}h0" for place in xy[known & (group[rows] == k)].tolist())
        for stroke, width, opacity in ((ink.TEXT[theme], 2 * DOT + 1.2, 0.7), (colour, 2 * DOT, None)):
            style = {"stroke": stroke, "stroke_width": width, "stroke_opacity": opacity}
            yield svg.element("path", d=path, fill="none", stroke_linecap="round", **style)


def _places_of(plane: Plane, dataset: Dataset, rows: np.ndarray) -> np.ndarray:
    """(n_rows, 2) pixels of these samples; by chance up or down where there is no second axis."""
    sides = []
    for axis, (low, high) in zip(plane.axes, plane.ends, strict=True):
        sides.append((dataset.X[rows, axis] - low) / (high - low))
    if len(sides) == 1:
        sides.append(np.random.default_rng(0).uniform(0.1, 0.9, len(rows)))
    return np.column_stack([WIDTH * sides[0], PLOT * (1 - sides[1])])


def legend(dataset: Dataset, dark: bool) -> str:
    """SVG of what the colours say: the class of each, or the ends of a number's scale."""
    theme = ink.theme_of(dark)
    parts, height = _named(dataset, theme) if dataset.is_classification else (_scale(dataset, theme), LINE)
    return svg.picture(parts, (LEGEND, height), 13)


def _named(dataset: Dataset, theme: str) -> tuple[list[str], int]:
    """A square and a name for each class, in as many lines as they take, and the height of these."""
    colours, x, y, parts = class_colours(len(dataset.classes))[theme], 0, 0, []
    names = [svg.shortened(name, MOST_LETTERS) for name in dataset.classes]
    for name, colour in zip(names[:LIST], colours, strict=False):
        wide = 34 + LETTER * len(name)
        x, y = (0, y + LINE) if x + wide > LEGEND else (x, y)
        parts.append(svg.rectangle((x, y + 4, 12, 12), colour, rx=2))
        parts.append(svg.text(x + 17, y + 14, name, ink.TEXT[theme]))
        x += wide
    return parts, y + LINE


def _scale(dataset: Dataset, theme: str) -> list[str]:
    """The least number, steps of colour, and the greatest."""
    ends = number(float(dataset.y.min())), number(float(dataset.y.max()))
    colour, paper = ink.accent(theme == "dark"), ink.PAPER[theme]
    fills = [ink.mixed(colour, paper, step / (STEPS - 1)) for step in range(STEPS)]
    return colour_scale(ends, fills, 8 + LETTER * len(ends[0]), ink.TEXT[theme])


def colour_scale(ends: tuple[str, str], fills: Sequence[str], start: int, text: str) -> list[str]:
    """Steps of colour from the pixel `start` on, between the numbers at either end."""
    steps = [svg.rectangle((start + 6 * i, 4, 6.5, 12), fill) for i, fill in enumerate(fills)]
    return [svg.text(0, 14, ends[0], text), *steps, svg.text(start + 6 * len(fills) + 8, 14, ends[1], text)]


def alt(answers: np.ndarray, dataset: Dataset, prior: np.ndarray = NO_PRIOR) -> str:
    """The picture in a sentence: how often which class is said, and how many different answers there are.

    The prior is that by which the forest breaks ties.
    """
    n = len(np.unique(np.round(answers, 9), axis=0))
    if not dataset.is_classification:
        return f"{n} different answers over this plane."
    counts = np.bincount(winners(answers, prior), minlength=len(dataset.classes)) / len(answers)
    told = [f"{name} {percent(share)}" for name, share in zip(dataset.classes, counts.tolist(), strict=True)]
    return f"Of this plane: {', '.join(told)}; {n} different answers."

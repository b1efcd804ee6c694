"""Surfaces of a forest's first trees side by side: averaging smooths the boxes of single trees.

Each surface is a picture with one pixel per cell, drawn with sharp pixels, so that boxes keep their edges.
"""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.display import ink, svg
from espalier.display.boundaries.plane import card_of, drawn_rows, ends_of, rulers_of
from espalier.display.parts import Picture
from espalier.display.svg import Reel, place
from espalier.display.text.values import all_written
from espalier.display.theme import colours_of, count, percent
from espalier.forests.growth import averages_of_first
from espalier.inert import inert, short_names
from espalier.language import say
from espalier.predict import NO_PRIOR, samples_over, winners
from espalier.trees import Forest

CELLS = (160, 128)  # along x and y
WIDTH, PLOT = 240, 192  # pixels of a picture, and of its height without the names of the axes
SIZE, SMALL = 11, 15  # of the axes' names, in pixels: of a picture as it is, and of one shown at 3 / 4 of its size
GAP = 3  # pixels around the lines of names
STRENGTH = {"light": 0.62, "dark": 0.5}  # of the classes' colours on paper
LETTERS = 9  # of a category's name
NAME_LETTER, NAME_LINE = 0.6, 1.2  # of a category, in its size: greatest width of a letter, height of a line
MOST_DOTS, DOT = 150, 1.7
LEGEND, LINE, LETTER = 520, 20, 7  # pixels: width of the legend, height of its lines, average width of a letter
STEPS = 20  # of a number's scale
MOST_LETTERS, LIST = 30, 24  # letters of a class's name, and classes in the legend
MEAN_LETTER = 0.5  # of an axis's name, in its size: average width of a letter


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
        """Return the sample in the middle of each cell, (n_cells, n_features), x fastest.

        `held` are the other values.
        """
        return samples_over(self.axes, self.at, held)


def plane_of(dataset: Dataset, axes: Sequence[int], cells: tuple[int, int] = CELLS) -> Plane:
    """Return the plane of one or two features, with so many cells along each; a cell for each category."""
    ends = tuple(ends_of(dataset.features[a], dataset.X[:, a]) for a in axes)
    sizes = [len(dataset.features[a].categories) or n for a, n in zip(axes, cells, strict=False)]
    return Plane(tuple(map(int, axes)), ends, (sizes[0], sizes[1] if len(sizes) == 2 else 1))


def picture(answers: np.ndarray, plane: Plane, dataset: Dataset, dark: bool, size: int = SIZE) -> str:
    """Return the SVG of predictions (n_cells, n_outputs) in the plane's cells, with some samples on top.

    `size` is that of the axes' names, in pixels of the picture; categories are a pixel smaller.
    """
    return frame_picture(_mix_colours(answers, dataset, ink.theme_of(dark)), plane, dataset, dark, size)


def surface_picture(
    answers: np.ndarray,
    plane: Plane,
    dataset: Dataset,
    caption: str = "",
    prior: np.ndarray = NO_PRIOR,
    size: int = SMALL,
) -> Picture:
    """Return the part of `picture` with its sentence, `alt`."""
    draw = partial(picture, answers, plane, dataset, size=size)
    return Picture(draw, alt(answers, dataset, prior), caption)


def frame_picture(colours: np.ndarray, plane: Plane, dataset: Dataset, dark: bool, size: int = SIZE) -> str:
    """Return the SVG of colours (n_cells, 3) uint8 in the plane's cells, with some samples and the axes' names."""
    return _around(_pixels(colours, plane), plane, dataset, dark, size)


def reel(answers: Sequence[np.ndarray], plane: Plane, dataset: Dataset, dark: bool) -> Reel:
    """Return the film of predictions (n_cells, n_outputs) each in the plane's cells."""
    theme = ink.theme_of(dark)
    frames = [[_pixels(_mix_colours(answer, dataset, theme), plane)] for answer in answers]
    return Reel(
        _around(place(0), plane, dataset, dark, SIZE), frames, [alt(answer, dataset) for answer in answers]
    )


def _around(image_text: str, plane: Plane, dataset: Dataset, dark: bool, size: int) -> str:
    """Return the SVG of a PNG file in base64, with some samples and the axes' names."""
    theme = ink.theme_of(dark)
    image = svg.element(
        "image", width=WIDTH, height=PLOT, preserveAspectRatio="none", style="image-rendering: pixelated",
        href=f"data:image/png;base64,{image_text}",
    )  # fmt: skip
    lines, line = _names([dataset.features[a].name for a in plane.axes], size), size + GAP
    title = [
        svg.text(2, PLOT + i * line, words, ink.TEXT[theme], font_size=size) for i, words in enumerate(lines, 1)
    ]
    parts = [image, *_dots(plane, dataset, theme), *_categories(plane, dataset, theme, size - 1), *title]
    return svg.picture(parts, (WIDTH, PLOT + len(lines) * line + 2 * GAP), None)


def _names(names: Sequence[str], size: int) -> list[str]:
    """Return the axes' names with arrows: in one line where they fit, otherwise in a line for each."""
    most = int(WIDTH / (MEAN_LETTER * size))
    line = ", ".join(f"{inert(name)} {arrow}" for name, arrow in zip(names, "→↑", strict=False))
    if len(line) <= most:
        return [line]
    return [f"{name} {arrow}" for name, arrow in zip(short_names(names, most - 2), "→↑", strict=False)]


def _pixels(colours: np.ndarray, plane: Plane) -> str:
    """Return a PNG file of the colours (n_cells, 3) uint8, in base64."""
    return base64.b64encode(png(colours.reshape(plane.cells[1], plane.cells[0], 3)[::-1])).decode()


def _categories(plane: Plane, dataset: Dataset, theme: str, size: int = SIZE - 1) -> Iterator[str]:
    """Yield the names of categories, along the lower edge for x and the left one for y."""
    halo = svg.halo(ink.PAPER[theme], 3, 0.7)
    for side, (axis, n) in enumerate(zip(plane.axes, plane.cells, strict=False)):
        names = short_names(dataset.features[axis].categories, LETTERS)
        for code in range(0, len(names), _every(names, n, bool(side), size)):
            middle = (code + 0.5) / n
            x, y = (3, PLOT * (1 - middle) + 3) if side else (WIDTH * middle, PLOT - 4)
            anchor = "start" if side else "middle"
            yield svg.text(x, y, names[code], ink.TEXT[theme], text_anchor=anchor, font_size=size, **halo)


def _every(names: Sequence[str], n: int, is_upright: bool, size: int) -> int:
    """Return the step k such that writing every k-th name of `n` cells lets no two overlap."""
    if not names:
        return 1
    need = size * (NAME_LINE if is_upright else NAME_LETTER * (max(map(len, names)) + 1))
    return math.ceil(need * n / (PLOT if is_upright else WIDTH))


def png(pixels: np.ndarray) -> bytes:
    """Return a PNG file of pixels (height, width, 3) uint8, the top line first (PNG specification, 2003)."""
    height, width, _ = pixels.shape
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(lines, 6)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _mix_colours(answers: np.ndarray, dataset: Dataset, theme: str) -> np.ndarray:
    """Return the classes' colours mixed by their shares, or paper to its own for a number, (n_cells, 3) uint8."""
    paper = np.array(ink.rgb(ink.PAPER[theme]), float)
    if dataset.is_classification:
        palette = np.array([ink.rgb(colour) for colour in colours_of(dataset.target)[theme]])
        colours, strength = answers @ palette, STRENGTH[theme]
    else:
        low, high = float(dataset.y.min()), float(dataset.y.max())
        strength = np.clip((answers - low) / ((high - low) or 1.0), 0, 1)
        colours = np.tile(
            np.array(ink.rgb(ink.answer_colour(dataset.target, 0, theme == "dark")), float), (len(answers), 1)
        )
    return np.round(strength * colours + (1 - np.asarray(strength)) * paper).astype(np.uint8)


def _dots(plane: Plane, dataset: Dataset, theme: str) -> Iterator[str]:
    rows = drawn_rows(len(dataset.y))
    rows = rows[:: -(-len(rows) // MOST_DOTS)]
    xy = _places_of(plane, dataset, rows)
    has_place = np.isfinite(xy).all(axis=1)
    group = dataset.y if dataset.is_classification else np.zeros(len(dataset.y), int)
    colours = colours_of(dataset.target)[theme] if dataset.is_classification else [ink.PAPER[theme]]
    for k, colour in enumerate(colours):
        path = "".join(f"{svg.way([place])}h0" for place in xy[has_place & (group[rows] == k)].tolist())
        for stroke, width, opacity in ((ink.TEXT[theme], 2 * DOT + 1.2, 0.7), (colour, 2 * DOT, None)):
            style = {"stroke": stroke, "stroke_width": width, "stroke_opacity": opacity}
            yield svg.element("path", d=path, fill="none", stroke_linecap="round", **style)


def _places_of(plane: Plane, dataset: Dataset, rows: np.ndarray) -> np.ndarray:
    """Return the pixels of these samples, (n_rows, 2); without a second axis, the height is random."""
    sides = []
    for axis, (low, high) in zip(plane.axes, plane.ends, strict=True):
        sides.append((dataset.X[rows, axis] - low) / (high - low))
    if len(sides) == 1:
        sides.append(np.random.default_rng(0).uniform(0.1, 0.9, len(rows)))
    return np.column_stack([WIDTH * sides[0], PLOT * (1 - sides[1])])


def legend(dataset: Dataset, dark: bool, most: int = LIST) -> str:
    """Return the SVG of the legend: the class of each colour, or the ends of a number's scale.

    Of more than `most` classes the first ones are named, and how many more there are.
    """
    theme = ink.theme_of(dark)
    parts, height = (
        _class_legend(dataset, theme, most) if dataset.is_classification else (_scale(dataset, theme), LINE)
    )
    return svg.picture(parts, (LEGEND, height), 13)


def legend_picture(dataset: Dataset, words: str) -> Picture:
    """Return the part of `legend`, with these words for those who do not see it."""
    return Picture(partial(legend, dataset), words, is_large=True)


def _class_legend(dataset: Dataset, theme: str, most: int) -> tuple[list[str], int]:
    """Return a square and a name for each class, on as many lines as they need, and the height of the lines."""
    colours, x, y, parts = colours_of(dataset.target)[theme], 0, 0, []
    names = short_names(dataset.classes, MOST_LETTERS)
    for name, colour in zip(names[:most], colours, strict=False):
        wide = 34 + LETTER * len(name)
        x, y = (0, y + LINE) if x + wide > LEGEND else (x, y)
        parts.append(svg.rectangle((x, y + 4, 12, 12), colour, rx=2))
        parts.append(svg.text(x + 17, y + 14, name, ink.TEXT[theme]))
        x += wide
    if len(names) > most:
        more = say("and {n} more", n=count(len(names) - most))
        x, y = (0, y + LINE) if x + LETTER * len(more) > LEGEND else (x, y)
        parts.append(svg.text(x, y + 14, more, ink.TEXT[theme]))
    return parts, y + LINE


def _scale(dataset: Dataset, theme: str) -> list[str]:
    """Return the least number, steps of colour, and the greatest."""
    low, high = all_written(dataset.target, (float(dataset.y.min()), float(dataset.y.max())))
    colour, paper = ink.answer_colour(dataset.target, 0, theme == "dark"), ink.PAPER[theme]
    fills = [ink.mix(colour, paper, step / (STEPS - 1)) for step in range(STEPS)]
    return colour_scale((low, high), fills, 8 + LETTER * len(low), ink.TEXT[theme])


def colour_scale(ends: tuple[str, str], fills: Sequence[str], start: int, text: str) -> list[str]:
    """Return steps of colour from the pixel `start` on, between the numbers at either end."""
    steps = [svg.rectangle((start + 6 * i, 4, 6.5, 12), fill) for i, fill in enumerate(fills)]
    return [svg.text(0, 14, ends[0], text), *steps, svg.text(start + 6 * len(fills) + 8, 14, ends[1], text)]


def alt(answers: np.ndarray, dataset: Dataset, prior: np.ndarray = NO_PRIOR) -> str:
    """Return the picture in a sentence: shares of predicted classes, and the number of different predictions.

    `prior` is the one by which the forest breaks ties.
    """
    n = len(np.unique(np.round(answers, 9), axis=0))
    if not dataset.is_classification:
        return say("{n} different answers over this plane.", n=count(n))
    counts = np.bincount(winners(answers, prior), minlength=len(dataset.classes)) / len(answers)
    parts = [f"{name} {percent(share)}" for name, share in zip(dataset.classes, counts.tolist(), strict=True)]
    return say("Of this plane: {classes}; {n} different answers.", classes=", ".join(parts), n=count(n))


# ---- the surface of a forest's answer averaged over rows: `display.boundaries.plane` has that of a tree


def forest_average(forest: Forest, dataset: Dataset, axes: Sequence[int], rows: np.ndarray) -> dict[str, Any]:
    """Return the surface of a forest averaged over rows (n_rows, n_features), as `surface` describes it.

    It has no points. The forest is one that `forests.growth.can_average`.
    """
    rulers = rulers_of(dataset, axes)
    (mean,) = averages_of_first(forest, axes, [ruler.at for ruler in rulers], rows, [forest.n_trees])
    return card_of(dataset, axes, rulers, mean.reshape(-1, len(rulers[0].at), mean.shape[1])) | {
        "held": [],
        "averaged": len(rows),
    }

"""A small picture of a data set: two of its columns, with classes in their colours."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from espalier.data.dataset import Dataset
from espalier.display import svg
from espalier.display.svg import Markup, decimal
from espalier.display.theme import colours_of

WIDTH, HEIGHT, MARGIN, GAP = 320, 88, 6, 3
MOST_POINTS = 250


def thumbnail(dataset: Dataset, x: str, y: str, theme: str) -> str:
    """Return the SVG of the columns `x` and `y` (or of a numeric target as `y`) for the theme "light" or "dark".

    Numbers make points; two columns of categories make a mosaic of class shares. Raises ValueError for a name
    that is not a column.
    """
    names = [feature.name for feature in dataset.features]
    across = dataset.X[:, names.index(x)]
    up = dataset.y if y == dataset.target.name else dataset.X[:, names.index(y)]
    coded = {feature.name for feature in dataset.features if feature.categories}
    draw = _mosaic if {x, y} <= coded else _points
    groups = dataset.y if dataset.is_classification else np.zeros(len(up), np.int64)
    colours = colours_of(dataset.target)[theme]
    paths = Markup("".join(draw(across, np.asarray(up, np.float64), groups, colours)))
    size = {"viewBox": f"0 0 {WIDTH} {HEIGHT}", "width": "100%", "height": HEIGHT}
    return svg.element("svg", paths, **size, role="img", aria_hidden="true", xmlns="http://www.w3.org/2000/svg")


def _points(x: np.ndarray, y: np.ndarray, groups: np.ndarray, colours: list[str]) -> Iterable[str]:
    """Return a path of round dots per class."""
    rows = np.random.default_rng(0).permutation(len(x))[:MOST_POINTS]
    left = _scaled(x, MARGIN, WIDTH - MARGIN)
    top = _scaled(-y, MARGIN, HEIGHT - MARGIN)
    for k, colour in enumerate(colours):
        dots = "".join(f"M{left[i]} {top[i]}h0" for i in rows if groups[i] == k)
        style = {"stroke_width": 4.5, "stroke_linecap": "round", "stroke_opacity": 0.75}
        yield svg.element("path", d=dots, fill="none", stroke=colour, **style)


def _mosaic(x: np.ndarray, y: np.ndarray, groups: np.ndarray, colours: list[str]) -> Iterable[str]:
    """Return a cell per pair of categories, filled from left to right by the shares of the classes in it."""
    shares = _shares(x.astype(int), y.astype(int), groups, len(colours))
    n_rows, n_columns, _ = shares.shape
    width, height = WIDTH / n_columns, HEIGHT / n_rows
    starts = shares.cumsum(axis=2) - shares
    for k, colour in enumerate(colours):
        cells = "".join(
            f"M{decimal(column * width + starts[row, column, k] * (width - GAP))} {decimal(row * height)}"
            f"h{decimal(shares[row, column, k] * (width - GAP))}v{decimal(height - GAP)}"
            f"h{decimal(-shares[row, column, k] * (width - GAP))}z"
            for row, column in np.argwhere(shares[:, :, k] > 0)
        )
        yield svg.element("path", d=cells, fill=colour)


def _shares(x: np.ndarray, y: np.ndarray, groups: np.ndarray, n_classes: int) -> np.ndarray:
    """Return share of each class among the rows of a pair, (categories of y, categories of x, n_classes)."""
    counts = np.zeros((y.max() + 1, x.max() + 1, n_classes))
    np.add.at(counts, (y, x, groups), 1.0)
    return counts / np.maximum(counts.sum(axis=2, keepdims=True), 1)


def _scaled(values: np.ndarray, low: float, high: float) -> np.ndarray:
    spread = np.ptp(values) or 1.0
    return np.round(low + (values - values.min()) / spread * (high - low)).astype(int)

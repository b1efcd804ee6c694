"""Two columns of a data set in small, and a warning of a column with many categories."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from espalier.data.dataset import Dataset
from espalier.display import svg
from espalier.display.svg import Markup, decimal
from espalier.display.theme import colours_of, count
from espalier.language import say
from espalier.tree.nodes import has_many_levels

SMALL_WIDTH, SMALL_HEIGHT, SMALL_MARGIN, SMALL_GAP = 320, 88, 6, 3
SMALL_POINTS, SMALL_ROWS = 250, 2_000
SCHEMES = " ".join(("light", "dark"))  # in which a picture can be seen


def many_levels_words(n_categories: int, n_samples: int) -> str:
    """Return a warning of a column with many categories for its rows; empty if it has not.

    >>> many_levels_words(30, 200)[:48]
    '30 categories on 200 rows are many: some set sui'
    """
    if not has_many_levels(n_categories, n_samples):
        return ""
    return say(
        "{n} categories on {rows} rows are many: some set suits these rows by chance, and the column wins splits "
        "that do not hold on new ones.",
        n=count(n_categories),
        rows=count(n_samples),
    )


def thumbnail(dataset: Dataset, x: str, y: str) -> str:
    """Return the SVG of the columns `x` and `y` (or of a numeric target as `y`), light or dark as its page is.

    Numbers make points; two columns of categories make a mosaic of class shares. Raises ValueError for a name
    that is not a column.
    """
    names = [feature.name for feature in dataset.features]
    across = dataset.X[:, names.index(x)]
    up = dataset.y if y == dataset.target.name else dataset.X[:, names.index(y)]
    categorical = {feature.name for feature in dataset.features if feature.categories}
    draw = _mosaic if {x, y} <= categorical else _points
    groups = dataset.y if dataset.is_classification else np.zeros(len(up), np.int64)
    colours = colours_of(dataset.target)
    inks = [f"light-dark({light}, {dark})" for light, dark in zip(colours["light"], colours["dark"], strict=True)]
    finite = np.isfinite(across) & np.isfinite(up)
    paths = Markup("".join(draw(across[finite], np.asarray(up, np.float64)[finite], groups[finite], inks)))
    size = {"viewBox": f"0 0 {SMALL_WIDTH} {SMALL_HEIGHT}", "width": "100%", "height": SMALL_HEIGHT}
    terms = {"role": "img", "aria_hidden": "true", "xmlns": "http://www.w3.org/2000/svg"}
    return svg.element("svg", paths, **size, **terms, style=f"color-scheme:{SCHEMES}")


def telling_pair(dataset: Dataset) -> tuple[str, str]:
    """Return the names of the two columns that part the target most by themselves, for `thumbnail`.

    A number that is predicted stands upright beside the column that goes with it most.

    >>> from espalier.data import samples
    >>> telling_pair(samples.load("iris"))
    ('petal width', 'petal length')
    """
    rows = slice(None, None, max(len(dataset.y) // SMALL_ROWS, 1))
    X, y = np.nan_to_num(dataset.X[rows]), dataset.y[rows]
    X, y = X - X.mean(axis=0), y - y.mean()
    strength = np.abs(y @ X) / np.maximum(
        np.sqrt((X**2).sum(axis=0)), 1e-300
    )  # as their correlation with the target
    names = [dataset.features[f].name for f in np.argsort(-strength, kind="stable")[:2].tolist()]
    return names[0], names[-1] if dataset.is_classification else dataset.target.name


def _points(x: np.ndarray, y: np.ndarray, groups: np.ndarray, inks: list[str]) -> Iterable[str]:
    """Return a path of round dots per class."""
    rows = np.random.default_rng(0).permutation(len(x))[:SMALL_POINTS]
    left = _scale(x, SMALL_MARGIN, SMALL_WIDTH - SMALL_MARGIN)
    top = _scale(-y, SMALL_MARGIN, SMALL_HEIGHT - SMALL_MARGIN)
    for k, ink_of_class in enumerate(inks):
        dots = "".join(f"M{left[i]} {top[i]}h0" for i in rows if groups[i] == k)
        style = f"stroke:{ink_of_class};stroke-width:6;stroke-linecap:round;stroke-opacity:0.75"
        yield svg.element("path", d=dots, fill="none", style=style)


def _mosaic(x: np.ndarray, y: np.ndarray, groups: np.ndarray, inks: list[str]) -> Iterable[str]:
    """Return a cell per pair of categories, filled from left to right by the shares of the classes in it."""
    shares = _shares(x.astype(int), y.astype(int), groups, len(inks))
    n_rows, n_columns, _ = shares.shape
    width, height = SMALL_WIDTH / n_columns, SMALL_HEIGHT / n_rows
    starts = shares.cumsum(axis=2) - shares
    for k, ink_of_class in enumerate(inks):
        cells = "".join(
            f"M{decimal(column * width + starts[row, column, k] * (width - SMALL_GAP))} {decimal(row * height)}"
            f"h{decimal(shares[row, column, k] * (width - SMALL_GAP))}v{decimal(height - SMALL_GAP)}"
            f"h{decimal(-shares[row, column, k] * (width - SMALL_GAP))}z"
            for row, column in np.argwhere(shares[:, :, k] > 0)
        )
        yield svg.element("path", d=cells, style=f"fill:{ink_of_class}")


def _shares(x: np.ndarray, y: np.ndarray, groups: np.ndarray, n_classes: int) -> np.ndarray:
    """Return share of each class among the rows of a pair, (categories of y, categories of x, n_classes)."""
    counts = np.zeros((y.max() + 1, x.max() + 1, n_classes))
    np.add.at(counts, (y, x, groups), 1.0)
    return counts / np.maximum(counts.sum(axis=2, keepdims=True), 1)


def _scale(values: np.ndarray, low: float, high: float) -> np.ndarray:
    if not len(values):
        return np.zeros(0, int)
    spread = np.ptp(values) or 1.0
    return np.round(low + (values - values.min()) / spread * (high - low)).astype(int)

"""Pictures of columns: categories as bars with the cut between them, and two columns of a data set in small."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset, Feature
from espalier.display import ink, svg
from espalier.display.parts import Picture
from espalier.display.svg import Frame, Markup, decimal
from espalier.display.theme import colours_of, count, number, percent, rounded_to
from espalier.language import say
from espalier.tree.nodes import MEAN, CategorySearch, has_many_levels

SIZE = WIDTH, HEIGHT = 560, 230
MARGINS = (60, 12, 26, 62)  # left, right, top, bottom: numbers of the axes, names of the categories
MOST_BARS = 24  # with more, the names of the categories have no room
LETTER = 6.4  # pixels of a name's letter, about
MOST_SETS = 10**9  # more sets than these are written as a power of two


class CategoryBars(NamedTuple):
    """The inputs of the picture and its words."""

    search: CategorySearch
    feature: Feature
    target: Feature


def category_picture(bars: CategoryBars) -> Picture:
    """Return the categories in their order, each with its share or mean, and the best cut."""
    format_level = rounded_to(bars.search.level) if bars.search.ordered_by == MEAN else percent
    pairs = zip(bars.search.codes.tolist(), bars.search.level.tolist(), strict=True)
    words = [f"{bars.feature.categories[code]} {format_level(level)}" for code, level in pairs]
    listing = words if len(words) <= MOST_BARS else [*words[:MOST_BARS], "…"]
    sentence = say(
        "Categories of {name} by {measure}: {values}.",
        name=bars.feature.name,
        measure=_measure(bars),
        values=", ".join(listing),
    )
    return Picture(partial(_draw_categories, bars), sentence)


def _draw_categories(bars: CategoryBars, dark: bool) -> str:
    frame = _frame(bars, dark)
    return svg.picture([*_axes(bars, frame), *_rectangles(bars, frame), *_cut(bars, frame)], SIZE, 13)


def _frame(bars: CategoryBars, dark: bool) -> Frame:
    level = bars.search.level
    if bars.search.ordered_by != MEAN:
        up = (0.0, 1.0)
    else:
        low, high = min(float(level.min()), 0.0), max(float(level.max()), 0.0)
        up = (low, high if high > low else low + 1.0)
    return Frame(SIZE, MARGINS, (0.0, float(len(level))), up, dark, 0.75)


def _axes(bars: CategoryBars, frame: Frame) -> Iterator[str]:
    is_share = bars.search.ordered_by != MEAN
    yield from frame.grid(svg.round_numbers(*frame.up, 5), percent if is_share else None)
    step = frame.x(1) - frame.x(0)
    most = max(int(step / LETTER), 1)
    if len(bars.search.codes) <= MOST_BARS:
        for i, code in enumerate(bars.search.codes.tolist()):
            name = svg.shortened(bars.feature.categories[code], most)
            yield frame.words(frame.x(i + 0.5), frame.floor + 16, name, text_anchor="middle")
            rows = count(int(bars.search.n_samples[i]))
            yield frame.words(frame.x(i + 0.5), frame.floor + 32, rows, text_anchor="middle")
    name = svg.shortened(bars.feature.name, 30)
    yield frame.title_below(say("{name}: categories, and rows of each", name=name), 8)
    yield frame.title_beside(svg.shortened(_measure(bars), 24), 12)


def _measure(bars: CategoryBars) -> str:
    by = bars.search.ordered_by
    if by == MEAN:
        return say("mean {target}", target=bars.target.name)
    return say("share of {name}", name=bars.target.categories[by])


def _rectangles(bars: CategoryBars, frame: Frame) -> Iterator[str]:
    theme, by = ink.theme_of(frame.dark), max(bars.search.ordered_by, 0)
    colour, zero = colours_of(bars.target)[theme][by], frame.y(0.0)
    for i, level in enumerate(bars.search.level.tolist()):
        top, left, right = frame.y(level), frame.x(i + 0.12), frame.x(i + 0.88)
        box = (left, min(top, zero), right - left, abs(zero - top))
        yield svg.rectangle(box, colour, fill_opacity=1.0 if i < bars.search.n_left else 0.45)


def _cut(bars: CategoryBars, frame: Frame) -> Iterator[str]:
    n_left = bars.search.n_left
    if not 0 < n_left < len(bars.search.codes):
        return
    x, colour = frame.x(n_left), ink.TEXT[ink.theme_of(frame.dark)]
    yield svg.line([(x, frame.top - 4), (x, frame.floor)], colour, stroke_width=1.5)
    yield svg.text(x - 8, frame.top - 8, say("left"), colour, text_anchor="end", font_weight=600)
    yield svg.text(x + 8, frame.top - 8, say("right"), colour, font_weight=600)


# Words -----------------------------------------------------------------------------------------------


def search_words(bars: CategoryBars) -> list[str]:
    """Return sentences on the search: how many sets there are, which are tried, and one against the rest."""
    search = bars.search
    q = len(search.codes)
    if q < 2:
        name = bars.feature.name
        return [say("Only one category of {name} is among these rows, so there is nothing to part.", name=name)]
    sets = say(
        "{n} categories can be parted into two sets in {ways} way."
        if q == 2
        else "{n} categories can be parted into two sets in {ways} ways.",
        n=count(q),
        ways=_sets(search),
    )
    return [f"{sets} {_search_sentence(bars)}", _alone(bars)]


def _sets(search: CategorySearch) -> str:
    if search.n_sets <= MOST_SETS:
        return count(search.n_sets)
    return f"2{str(len(search.codes) - 1).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))} − 1"


def _search_sentence(bars: CategoryBars) -> str:
    search, q = bars.search, len(bars.search.codes)
    cuts, measure = count(q - 1), _measure(bars)
    if search.is_exact:
        return say(
            "In order of the {measure}, only {n} cut needs to be tried: the best of all sets (Breiman et al. "
            "1984, theorem 4.5; Fisher 1958)."
            if q == 2
            else "In order of the {measure}, only {n} cuts need to be tried: the best of them is the best of all "
            "sets (Breiman et al. 1984, theorem 4.5; Fisher 1958).",
            measure=measure,
            n=cuts,
        )
    if search.n_orders == 1:
        return say(
            "Only {n} cuts are tried, in order of the {measure}. A better set may exist.", n=cuts, measure=measure
        )
    return say(
        "With {n} classes no single order has the best set. Each class gives an order, by its share, and {cuts} "
        "cuts of each are tried, {tried} in all; the best is in the order of the {measure}. A better set may "
        "exist.",
        n=search.n_orders,
        cuts=cuts,
        tried=count(search.n_tried),
        measure=measure,
    )


def _alone(bars: CategoryBars) -> str:
    search = bars.search
    words = say(
        "The best set gains {gain}; one category against the rest, at best {name}, gains the same."
        if np.isclose(search.gain, search.gain_alone, rtol=1e-9, atol=1e-12)
        else "The best set gains {gain}; one category against the rest, at best {name}, gains {less}.",
        gain=number(search.gain),
        name=bars.feature.categories[search.alone],
        less=number(search.gain_alone),
    )
    rest = say("Columns of 0 and 1, one per category (one-hot), offer only splits of one against the rest.")
    return f"{words} {rest}"


def many_levels_words(n_categories: int, n_samples: int) -> str:
    """Return a warning of a column with many categories for its rows; empty if it has not.

    >>> many_levels_words(30, 200)[:48]
    '30 categories on 200 rows are many: a set that s'
    """
    if not has_many_levels(n_categories, n_samples):
        return ""
    return say(
        "{n} categories on {rows} rows are many: a set that suits these rows is easily found by chance, and such "
        "a column wins splits that do not hold on new rows.",
        n=count(n_categories),
        rows=count(n_samples),
    )


# Two columns of a data set ---------------------------------------------------------------------------

SMALL_WIDTH, SMALL_HEIGHT, SMALL_MARGIN, SMALL_GAP = 320, 88, 6, 3
SMALL_POINTS, SMALL_ROWS = 250, 2_000
SCHEMES = " ".join(("light", "dark"))  # in which a picture can be seen


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

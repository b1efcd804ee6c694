"""SVG: elements with their texts escaped, the picture around them, and a frame with linear axes.

All pictures that must look the same on a page, in a file and in print are written as text, from these parts.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from espalier.display import ink
from espalier.display.theme import FONT, rounded_to
from espalier.inert import legible
from espalier.inert import shortened as shortened

DASHES = "5 3"
GRID_OPACITY = 0.35
DIGIT, TICK_GAP = 7.5, 10  # pixels: width of a digit below the frame, and least gap between two numbers

Attribute = str | float | None


class Markup(str):
    """Finished SVG, whose texts are escaped."""

    __slots__ = ()


def element(name: str, *content: str, **attributes: Attribute) -> Markup:
    """Return an element with its content; everything but Markup is escaped, and safe to stand beside other words.

    Attributes: `_` stands for `-`; fractions have at most two decimal places; those that are None are left out.
    """
    pairs = "".join(f' {key.replace("_", "-")}="{_value(v)}"' for key, v in attributes.items() if v is not None)
    inside = "".join(part if isinstance(part, Markup) else html.escape(legible(part)) for part in content)
    return Markup(f"<{name}{pairs}>{inside}</{name}>" if inside else f"<{name}{pairs}/>")


def _value(value: str | float) -> str:
    if not isinstance(value, str):
        return decimal(value, 2)
    return html.escape(legible(value), quote=False).replace('"', "&quot;")


def picture(
    parts: Iterable[str], size: tuple[float, float], font_size: float | None = None, top: float = 0
) -> str:
    """Return the outer element around the parts, `size` (width, height) pixels large; y counts from `top`."""
    width, height = (decimal(side, 2) for side in size)
    return element(
        "svg",
        Markup("".join(parts)),
        viewBox=f"0 {decimal(top, 2)} {width} {height}",
        width=width,
        height=height,
        font_family=FONT,
        font_size=font_size,
        xmlns="http://www.w3.org/2000/svg",
    )


def text(x: float, y: float, words: str, fill: str, **style: Attribute) -> Markup:
    """Return a text element at a place, rounded to a tenth of a pixel."""
    return element("text", words, x=decimal(x), y=decimal(y), **style, fill=fill)


def rectangle(box: tuple[float, float, float, float], fill: str, **style: Attribute) -> Markup:
    """Return a rectangle (x, y, width, height), rounded to a tenth of a pixel."""
    x, y, width, height = map(decimal, box)
    return element("rect", x=x, y=y, width=width, height=height, **style, fill=fill)


def circle(x: float, y: float, radius: float, fill: str, **style: Attribute) -> Markup:
    """Return a circle around a place, rounded to a tenth of a pixel."""
    return element("circle", cx=decimal(x), cy=decimal(y), r=decimal(radius), fill=fill, **style)


def line(points: Iterable[tuple[float, float]], stroke: str, **style: Attribute) -> Markup:
    """Return a line through the points, rounded to a tenth of a pixel."""
    return element("path", d=way(points), fill="none", stroke=stroke, **style)


def way(points: Iterable[tuple[float, float]]) -> str:
    """Return the `d` of a path through the points."""
    return "M" + " L".join(f"{decimal(x)} {decimal(y)}" for x, y in points)


def halo(paper: str, width: float, opacity: float | None = None) -> dict[str, Attribute]:
    """Return the style of words with a halo in the paper's colour, which are readable on top of lines, too."""
    ring = {"stroke": paper, "stroke_opacity": opacity, "stroke_width": width}
    return ring | {"stroke_linejoin": "round", "paint_order": "stroke"}


def decimal(x: float, places: int = 1) -> str:
    """Return x with at most so many decimal places, and no trailing zeros."""
    digits = f"{x:.{places}f}"
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


# Axes ------------------------------------------------------------------------------------------------


class Frame(NamedTuple):
    """The plot area of a picture, and the ranges of its axes."""

    size: tuple[float, float]  # width and height of the whole picture
    margins: tuple[float, float, float, float]  # left, right, top, bottom
    across: tuple[float, float]  # the numbers at the left and the right end
    up: tuple[float, float]  # the numbers at the bottom and the top
    dark: bool
    opacity: float | None = None  # of the words along the axes

    @property
    def left(self) -> float:
        """Pixel of the left end."""
        return self.margins[0]

    @property
    def right(self) -> float:
        """Pixel of the right end."""
        return self.size[0] - self.margins[1]

    @property
    def top(self) -> float:
        """Pixel of the upper end."""
        return self.margins[2]

    @property
    def floor(self) -> float:
        """Pixel of the lower end."""
        return self.size[1] - self.margins[3]

    def x(self, value: float) -> float:
        """Return the x, in pixels, of a number along the lower axis."""
        low, high = self.across
        return self.left + (self.right - self.left) * ((value - low) / (high - low))

    def y(self, value: float) -> float:
        """Return the y, in pixels, of a number along the left axis."""
        low, high = self.up
        return self.top + (self.floor - self.top) * (1 - (value - low) / (high - low))

    def words(self, x: float, y: float, words: str, **style: Attribute) -> Markup:
        """Return the text of a label at an axis."""
        return text(x, y, words, ink.TEXT[ink.theme_of(self.dark)], **style, opacity=self.opacity)

    def grid(self, values: Sequence[float], written: Callable[[float], str] | None = None) -> Iterator[Markup]:
        """Yield a line across the frame at each of the values, with the value at its left end.

        Without `written`, they are numbers, rounded by their spread.
        """
        written = written or rounded_to(values)
        for value in values:
            ends = ((self.left, self.y(value)), (self.right, self.y(value)))
            yield line(ends, ink.LINE[ink.theme_of(self.dark)], stroke_opacity=GRID_OPACITY)
            yield self.words(self.left - 6, self.y(value), written(value), dy=4, text_anchor="end")

    def ticks(
        self, values: Sequence[float], written: Callable[[float], str] | None = None, below: float = 16
    ) -> Iterator[Markup]:
        """Yield the values below the frame, so many pixels lower; without `written`, they are as in `grid`."""
        written = written or rounded_to(values)
        for value in values:
            yield self.words(self.x(value), self.floor + below, written(value), text_anchor="middle")

    def spaced_ticks(self, ticks: Iterable[tuple[float, str]]) -> Iterator[Markup]:
        """Yield the words below the frame at their places, which ascend, without those that have no room."""
        last = -math.inf
        for place, words in ticks:
            x, half = self.x(place), DIGIT * len(words) / 2
            if x - half - last >= TICK_GAP:
                last = x + half
                yield self.words(x, self.floor + 16, words, text_anchor="middle")

    def anchor(self, x: float, near: float) -> str:
        """Return the anchor of words at the pixel x that keeps them inside, so near either end of the frame."""
        return "start" if x < self.left + near else "end" if x > self.right - near else "middle"

    def ring(self, x: float, y: float, name: str, below: float, near: float) -> Iterator[Markup]:
        """Yield a ring around a point with its name, so many pixels below; `near` as in `anchor`."""
        theme = ink.theme_of(self.dark)
        yield circle(x, y, 6, "none", stroke=ink.TEXT[theme], stroke_width=1.6)
        style = halo(ink.PAPER[theme], 3)
        yield text(x, y + below, name, ink.TEXT[theme], text_anchor=self.anchor(x, near), **style)

    def title_below(self, words: str, above_end: float, **style: Attribute) -> Markup:
        """Return the title of the lower axis, so many pixels above the end of the picture."""
        middle = (self.left + self.right) / 2
        return self.words(middle, self.size[1] - above_end, words, text_anchor="middle", **style)

    def title_beside(self, words: str, x: float) -> Markup:
        """Return the title of the left axis, written upwards at x."""
        transform = f"translate({decimal(x)} {decimal((self.top + self.floor) / 2)}) rotate(-90)"
        fill = ink.TEXT[ink.theme_of(self.dark)]
        return element("text", words, transform=transform, text_anchor="middle", fill=fill, opacity=self.opacity)


def round_numbers(low: float, high: float, most: int, least_step: float = 0.0) -> list[float]:
    """Return round numbers from `low` to `high`, at most about so many and at least so far apart."""
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(factor * power for factor in (1, 2, 5, 10) if (high - low) / (factor * power) <= most)
    step = max(step, least_step)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    places = max(12, 3 - math.floor(math.log10(step)))
    return [round(i * step, places) for i in range(first, last + 1)]


def apart(heights: Sequence[float], gap: float) -> list[float]:
    """Return the heights moved down until any two are `gap` apart, then all up by half of the shift."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    result, lowest = list(heights), -math.inf
    for i in order:
        result[i] = lowest = max(heights[i], lowest + gap)
    shift = max((new - old for new, old in zip(result, heights, strict=True)), default=0.0) / 2
    return [y - shift for y in result]


# Films -----------------------------------------------------------------------------------------------


class Reel(NamedTuple):
    """A picture of a film, which a browser draws by itself."""

    svg: str  # with {0}, {1}, … where steps differ
    frames: list[list[str]]  # by step, the text at each of these places
    alts: list[str]  # by step, the picture in a sentence

    def frame(self, step: int) -> str:
        """Return the SVG of a step.

        >>> Reel("<title>Step {0}</title>", [["1"], ["2"]], ["", ""]).frame(1)
        '<title>Step 2</title>'
        """
        svg = self.svg
        for number, part in enumerate(self.frames[step]):
            svg = svg.replace(place(number), part)
        return svg


def place(number: int) -> str:
    """Return the mark of a place in the text of a reel: what differs from step to step stands there."""
    return f"{{{number}}}"

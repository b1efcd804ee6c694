"""Draw what `benchmarks.scale.table` measured, light and dark: python -m benchmarks.scale.picture."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.scale.table import PROGRAMS, RESULTS
from espalier.display import ink, svg
from espalier.display.theme import DARK, LIGHT, number

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"
WIDTH, HEIGHT, BESIDE, LEGEND = 440, 260, 20, 46
MARGINS = (58, 16, 12, 46)  # of a panel: left, right, top, bottom
DASHED = "scikit-learn"
Lines = Mapping[str, Sequence[Sequence[float]]]  # by program: value on the axis, seconds


class Panel(NamedTuple):
    """One axis of the measurement: its name, its lines, and the decimal logarithms that it shows."""

    axis: str
    lines: Lines

    def frame(self, dark: bool) -> svg.Frame:
        """Return the plot area, whose axes are logarithmic and end at measured values."""
        pairs = [pair for line in self.lines.values() for pair in line]
        across, up = ([math.log10(pair[i]) for pair in pairs] for i in (0, 1))
        whole = (math.floor(min(up)), math.ceil(max(up)))
        return svg.Frame((WIDTH, HEIGHT), MARGINS, (min(across), max(across)), whole, dark)


def picture(measured: Mapping[str, Any], dark: bool) -> str:
    """Return the SVG of all axes, two beside each other."""
    parts = [*_legend(dark)]
    for place, (axis, kept) in enumerate(measured.items()):
        x, y = (place % 2) * (WIDTH + BESIDE), LEGEND + (place // 2) * HEIGHT
        inside = svg.Markup("".join(_panel(Panel(axis, kept["seconds"]), dark)))
        parts.append(svg.element("g", inside, transform=f"translate({x} {y})"))
    rows = -(-len(measured) // 2)
    return svg.picture(parts, (2 * WIDTH + BESIDE, LEGEND + rows * HEIGHT), 13)


def _colours(dark: bool) -> dict[str, str]:
    """Return the colour of each program: that of its kind, whoever wrote it."""
    palette = DARK if dark else LIGHT
    return {name: palette[0 if name.endswith("CART") else 1] for name in PROGRAMS}


def _dashes(name: str) -> str | None:
    return svg.DASHES if name.startswith(DASHED) else None


def _legend(dark: bool) -> Iterator[str]:
    x, text = MARGINS[0], ink.TEXT[ink.theme_of(dark)]
    for name, colour in _colours(dark).items():
        words = name if name.startswith(DASHED) else f"Espalier, {name}"
        yield svg.line([(x, 18), (x + 28, 18)], colour, stroke_width=2, stroke_dasharray=_dashes(name))
        yield svg.text(x + 34, 22, words, text)
        x += 60 + 7 * len(words)


def _panel(panel: Panel, dark: bool) -> Iterator[str]:
    frame, colours = panel.frame(dark), _colours(dark)
    yield from frame.grid(range(int(frame.up[0]), int(frame.up[1]) + 1), lambda power: f"{number(10**power)} s")
    longest = max(panel.lines.values(), key=len)
    for value, _ in longest:
        yield frame.words(frame.x(math.log10(value)), frame.floor + 16, short(value), text_anchor="middle")
    yield frame.title_below(panel.axis, 8)
    for name, line in panel.lines.items():
        points = [(frame.x(math.log10(value)), frame.y(math.log10(seconds))) for value, seconds in line]
        yield svg.line(points, colours[name], stroke_width=2, stroke_dasharray=_dashes(name))
        yield from (svg.circle(x, y, 3, colours[name]) for x, y in points)


def short(value: float) -> str:
    """Return a number as the axis has it.

    >>> short(300), short(30_000), short(1_000_000)
    ('300', '30k', '1M')
    """
    for least, letter in ((1_000_000, "M"), (1_000, "k")):
        if value >= least:
            return f"{value / least:g}{letter}"
    return f"{value:g}"


def growth(line: Sequence[Sequence[float]]) -> float:
    """Return the power of the axis that time grows with, from the middle of a line to its end.

    >>> growth([(1, 5.0), (10, 1.0), (100, 100.0)])
    2.0
    """
    (start, first), (end, last) = line[len(line) // 2], line[-1]
    return math.log(last / first) / math.log(end / start) if end > start else math.nan


def main() -> None:
    """Write both pictures, and print how time grows."""
    measured = json.loads(RESULTS.read_text("utf-8"))
    for dark in (False, True):
        path = FOLDER / f"scale-{ink.theme_of(dark)}.svg"
        path.write_text(picture(measured, dark) + "\n", encoding="utf-8")
    for axis, kept in measured.items():
        for name, line in kept["seconds"].items():
            print(f"{axis:<10}{name:<30} grows with the power {growth(line):.2f}")


if __name__ == "__main__":
    main()

"""The palette, and the formatting of numbers, for all of the app: in the marks of the language that is spoken.

Colours are near Okabe and Ito's (2008) colour-blind safe set: any two are told apart with each kind of colour
blindness, on light pages and on dark ones. That holds for eight classes; of more, the words beside them tell.
"""

from __future__ import annotations

import colorsys
import functools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_DOWN, Decimal

import numpy as np

from espalier.data.dataset import Feature
from espalier.language import in_style

LIGHT = ("#0072B2", "#E69F00", "#009E73", "#CC7AAB", "#56B4E9", "#D55E00", "#F0E442", "#555555")
DARK = ("#56B4E9", "#E69F00", "#009E73", "#CC7AAB", "#3168D6", "#DE6520", "#F0E442", "#C9C9C9")
FONT = "'Source Sans', 'Source Sans 3', 'Source Sans Pro', Arial, sans-serif"  # the page's own, of every figure
MOST_DIGITS, ENOUGH_DIGITS = 12, 6  # of a threshold: digits written in full; digits written of a longer one
FLOAT_ERROR = 2e-15  # of a threshold, relative: so little is a rounding error of floats
NOISE = 1e-14  # relative: numbers no farther apart are one number, of which sums and means have rounding errors
SURE_DIGITS = 15  # of a float: so many tell any two numbers apart that differ by more than noise
MOST_OFF = 0.01  # of the spread of numbers that are compared: how far a text may be off
GROUPS_FROM = 9_999.5  # numbers from here on are written in groups of three digits: 12,500, but the year 1985
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def class_colours(n: int) -> dict[str, list[str]]:
    """Return `n` colours for classes under the keys "light" and "dark"; past the palette, evenly spread hues."""
    return {"light": [*_spread(LIGHT, n, 0.42)], "dark": [*_spread(DARK, n, 0.62)]}


def colours_of(target: Feature) -> dict[str, list[str]]:
    """Return the colour of each class of a target, as `class_colours` does; of a number, the first one.

    A class keeps its colour when the order of the classes is another, and when some of them are left out. Of two
    classes, the one that counts is warm (`ClassMarks.places`).

    >>> from espalier.data.dataset import ClassMarks
    >>> fruit = Feature("fruit", "category", ("plum", "apple"), marks=ClassMarks(colours=(1, 0)))
    >>> colours_of(fruit)["light"]
    ['#E69F00', '#0072B2']
    """
    places = target.marks.places(max(len(target.categories), 1))
    palettes = class_colours(max(places) + 1)
    return {theme: [palette[place] for place in places] for theme, palette in palettes.items()}


@functools.cache
def _spread(palette: tuple[str, ...], n: int, lightness: float) -> tuple[str, ...]:
    extra = [colorsys.hls_to_rgb((0.1 + 0.618 * i) % 1, lightness, 0.55) for i in range(n - len(palette))]
    return (*palette[:n], *("#" + "".join(f"{round(255 * c):02X}" for c in rgb) for rgb in extra))


def number(x: float, digits: int = 3) -> str:
    """Return the number as a person writes it: `digits` significant digits, no trailing zeros.

    Every digit in front of the decimal point is kept (5123.4 is 5123, never 5.12e3), in groups of three from
    ten thousand on. Only tiny numbers, and huge ones, get a power of ten.
    """
    if x is None or math.isnan(x):
        return "–"
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    if x == 0:
        return "0"
    if not 1e-4 <= abs(x) < 1e15:
        return _scientific(x, digits)
    places = 0 if x == round(x) else max(digits - 1 - math.floor(math.log10(abs(x))), 0)
    text = f"{x:,.{places}f}" if abs(x) >= GROUPS_FROM else f"{x:.{places}f}"
    text = text.rstrip("0").rstrip(".") if places else text
    return in_style(text.replace("-", "−"))


def rounded_to(values: Iterable[float], digits: int = 3) -> Callable[[float], str]:
    """Return how numbers are written that are compared with each other, such as the answers of a tree's nodes.

    They are written as by `number`, with more digits where they need them: no text is off by more than `MOST_OFF`
    of the spread of `values`, and no two of them that differ by more than `NOISE` have the same text. Numbers that
    are not among the values have as many digits as those nearest to them need.

    >>> [rounded_to([52.51, 52.514, 52.518])(x) for x in (52.51, 52.514, 52.518)]
    ['52.51', '52.514', '52.518']
    >>> [rounded_to([115.21, 250.8, 250.9])(x) for x in (115.21, 250.8, 250.9)]
    ['115', '250.8', '250.9']
    """
    distinct: list[float] = []  # ascending; of those within noise of each other the first
    for x in sorted({_sure(float(x)) for x in values if math.isfinite(x)}):
        if not distinct or x - distinct[-1] > NOISE * abs(x):
            distinct.append(x)
    most_off = MOST_OFF * (distinct[-1] - distinct[0]) if distinct else 0.0

    def written(x: float) -> str:
        if not math.isfinite(x) or x == 0:
            return number(x)
        x = _sure(x)
        noise = NOISE * abs(x)
        first = bisect_left(distinct, x - noise)
        x = distinct[first] if first < len(distinct) and distinct[first] <= x + noise else x
        beside = [
            *distinct[max(first - 1, 0) : first],
            *distinct[(after := bisect_right(distinct, x + noise)) : after + 1],
        ]
        power = math.floor(math.log10(abs(x)))
        enough = digits_within(x, most_off, digits)
        while enough < SURE_DIGITS and any(_reads_alike(x, other, enough - 1 - power) for other in beside):
            enough += 1
        return number(x, enough)

    return written


def digits_within(x: float, most_off: float, least: int = 3) -> int:
    """Return how many digits keep a number's text within so much of it; the least for 0 and infinity."""
    if not most_off > 0 or not x or math.isinf(x):
        return least
    more = math.floor(math.log10(abs(x))) - math.floor(math.log10(2 * most_off))
    return min(max(least, more + 1), SURE_DIGITS)


def _sure(x: float) -> float:
    """Return the number with the digits of which a float is sure: a mean of 0.09795 may be 0.0979500000000001."""
    return float(f"{x:.{SURE_DIGITS}g}")


def _reads_alike(x: float, y: float, places: int) -> bool:
    """Return whether two numbers are the same when both are rounded to so many decimal places."""
    if abs(x) < 1e15:
        places = places if abs(x) < 1e-4 else max(places, 0)
    unit = Decimal(1).scaleb(-places)
    return abs(x - y) <= unit and Decimal(x).quantize(unit) == Decimal(y).quantize(unit)


def threshold(x: float, exact: bool = False, beside: Iterable[float] = (), spread: float = 0.0) -> str:
    """Return the threshold as it is written everywhere: with all its digits, but without rounding errors.

    The midpoint of 175.6 and 175.7 is 175.65, which a float holds as 175.64999999999998. Of a threshold with more
    than `MOST_DIGITS` digits, as random numbers have, the first `ENOUGH_DIGITS` are written and an ellipsis, which
    says that more follow: "0.333333…". More are written where they tell it from the numbers `beside` it, such as
    the other thresholds of its column, or where the `spread` of its column is small. If it is to be `exact`, all
    are written.

    >>> threshold(175.64999999999998), threshold(0.1234567885), threshold(1 / 3)
    ('175.65', '0.1234567885', '0.333333…')
    >>> threshold(1 / 3, beside=[0.3333333])
    '0.3333333333…'
    """
    if not math.isfinite(x):
        return number(x)
    least = digits_within(x, MOST_OFF * spread, ENOUGH_DIGITS)
    most = max(MOST_DIGITS, min(least + 2, SURE_DIGITS - 1))
    if not is_long(x, most):
        return number(x, most)
    if not exact:
        neighbours = [Decimal(repr(float(other))) for other in beside if math.isfinite(other) and other != x]
        starts = (_beginning(x, digits, neighbours) for digits in range(least, SURE_DIGITS + 1))
        if start := next(filter(None, starts), ""):
            return in_style(start)
    return in_style(repr(float(x)).replace("-", "−"))


def is_long(x: float, most: int = MOST_DIGITS) -> bool:
    """Return whether a threshold has more digits than are written in full."""
    return math.isfinite(x) and not math.isclose(x, float(f"{x:.{most - 1}e}"), rel_tol=FLOAT_ERROR)


def _beginning(x: float, digits: int, others: Sequence[Decimal]) -> str:
    """Return the first digits of a long number, unrounded, and an ellipsis: "1,234,567.8…", "1.23456…·10⁻⁹".

    It is empty if they are the first digits of one of the others as well, or farther off than their spread allows.
    """
    all_digits = Decimal(repr(float(x)))
    power = 0 if 1e-4 <= abs(x) < 1e15 else all_digits.adjusted()
    places = max(digits - 1 - all_digits.adjusted(), 1 - power)
    unit = Decimal(1).scaleb(-places)
    start = all_digits.quantize(unit, ROUND_DOWN)
    spread = max((abs(other - all_digits) for other in others), default=None)
    if spread is not None and float(unit) > MOST_OFF * float(spread):
        return ""
    if any(abs(other - all_digits) <= unit and other.quantize(unit, ROUND_DOWN) == start for other in others):
        return ""
    factor = start.scaleb(-power)
    text = f"{factor:,f}…" if abs(x) >= GROUPS_FROM and not power else f"{factor:f}…"
    return (text + (_power_of_ten(power) if power else "")).replace("-", "−")


def _power_of_ten(power: int) -> str:
    return f"·10{str(power).translate(SUPERSCRIPT)}"


def _scientific(x: float, digits: int) -> str:
    factor, power = f"{x:.{digits - 1}e}".split("e")
    factor = factor.rstrip("0").rstrip(".") if "." in factor else factor
    return in_style((factor + _power_of_ten(int(power))).replace("-", "−"))


def count(n: int) -> str:
    """Return a count in words of digits: "150", "4,500", "30,000"."""
    return in_style(f"{int(n):,}")


def column_format(most: float, digits: int = 3) -> str:
    """Return the format of a column of numbers up to `most`: as `number` writes it, or of tiny ones with e."""
    if 0 < most < 1e-4:
        return f"%.{digits - 1}e"
    return f"%.{max(digits - 1 - math.floor(math.log10(most)), 0) if most > 0 else 0}f"


def percent(share: float) -> str:
    """Return the share as a percentage with at most one decimal place; only 0 and 1 become 0 % and 100 %."""
    text = f"{100 * share:.1f}".rstrip("0").rstrip(".")
    if text == "-0":
        return "0 %"
    if text == "0" and share > 0:
        return in_style("<0.1 %")
    if text == "100" and share < 1:
        return in_style(">99.9 %")
    return in_style(f"{text} %")


# ---- numbers for the browser

PLACES, EXACT = 7, 17  # significant digits of what a browser draws; of a float, all


def round_digits(x: float, span: float = 0.0) -> float:
    """Return x to seven digits, more than a screen shows: short, and the same bytes everywhere.

    Of a number in a range, such as that of an axis, these are seven digits of the range's `span`.

    >>> round_digits(1e9 + 1 / 4), round_digits(1e9 + 1 / 4, 0.5)
    (1000000000.0, 1000000000.25)
    """
    more = math.floor(math.log10(abs(x))) - math.floor(math.log10(span)) if span > 0 and x else 0
    return float(f"{x:.{min(max(PLACES, PLACES + more), EXACT)}g}")


def all_rounded(values: np.ndarray) -> list[float]:
    """Return each of the values (n,), rounded by their range."""
    finite = values[np.isfinite(values)]
    span = float(np.ptp(finite)) if len(finite) else 0.0
    return [round_digits(x, span) if math.isfinite(x) else x for x in values.tolist()]

"""The palette, and the formatting of numbers, for all of the app: in the marks of the language that is spoken.

Colours are near Okabe and Ito's (2008) colour-blind safe set: any two are told apart with each kind of colour
blindness, on light pages and on dark ones. That holds for eight classes; of more, the words beside them tell.
"""

from __future__ import annotations

import colorsys
import math
from decimal import ROUND_DOWN, Decimal

from espalier.data.dataset import Feature
from espalier.language import in_style

LIGHT = ("#0072B2", "#E69F00", "#009E73", "#CC7AAB", "#56B4E9", "#D55E00", "#F0E442", "#555555")
DARK = ("#56B4E9", "#E69F00", "#009E73", "#CC7AAB", "#3168D6", "#DE6520", "#F0E442", "#C9C9C9")
FONT = "'Source Sans', 'Source Sans 3', 'Source Sans Pro', Arial, sans-serif"  # the page's own, of every figure
MOST_DIGITS, ENOUGH_DIGITS = 12, 6  # of a threshold: digits written in full; digits written of a longer one
FLOAT_ERROR = 2e-15  # of a threshold, relative: so little is a rounding error of floats
GROUPED = 9_999.5  # numbers from here on are written in groups of three digits: 12,500, but the year 1985
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def class_colours(n: int) -> dict[str, list[str]]:
    """Return `n` colours for classes under the keys "light" and "dark"; past the palette, evenly spread hues."""
    return {"light": _spread(LIGHT, n, 0.42), "dark": _spread(DARK, n, 0.62)}


def colours_of(target: Feature) -> dict[str, list[str]]:
    """Return the colour of each class of a target, as `class_colours` does; of a number, the first one.

    A class keeps its colour when the order of the classes is another, and when some of them are left out.

    >>> from espalier.data.class_marks import ClassMarks
    >>> fruit = Feature("fruit", "category", ("plum", "apple"), marks=ClassMarks(colours=(1, 0)))
    >>> colours_of(fruit)["light"]
    ['#E69F00', '#0072B2']
    """
    places = target.marks.places(max(len(target.categories), 1))
    palettes = class_colours(max(places) + 1)
    return {theme: [palette[place] for place in places] for theme, palette in palettes.items()}


def _spread(palette: tuple[str, ...], n: int, lightness: float) -> list[str]:
    extra = [colorsys.hls_to_rgb((0.1 + 0.618 * i) % 1, lightness, 0.55) for i in range(n - len(palette))]
    return [*palette[:n], *("#" + "".join(f"{round(255 * c):02X}" for c in rgb) for rgb in extra)]


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
        return _with_power_of_ten(x, digits)
    places = 0 if x == round(x) else max(digits - 1 - math.floor(math.log10(abs(x))), 0)
    text = f"{x:,.{places}f}" if abs(x) >= GROUPED else f"{x:.{places}f}"
    return in_style(_without_trailing_zeros(text).replace("-", "−"))


def threshold(x: float, exact: bool = False) -> str:
    """Return the threshold as it is written everywhere: with all its digits, but without rounding errors.

    The midpoint of 175.6 and 175.7 is 175.65, which a float holds as 175.64999999999998. Of a threshold with more
    than `MOST_DIGITS` digits, as random numbers have, the first `ENOUGH_DIGITS` are written and an ellipsis, which
    says that more follow: "0.333333…". If it is to be `exact`, all are.

    >>> threshold(175.64999999999998), threshold(0.1234567885), threshold(1 / 3)
    ('175.65', '0.1234567885', '0.333333…')
    """
    if not math.isfinite(x):
        return number(x)
    if math.isclose(x, float(f"{x:.{MOST_DIGITS - 1}e}"), rel_tol=FLOAT_ERROR):
        return number(x, MOST_DIGITS)
    return in_style(repr(float(x)).replace("-", "−") if exact else _beginning(x))


def _beginning(x: float) -> str:
    """Return the first digits of a long number, unrounded, and an ellipsis: "1,234,567.8…", "1.23456…·10⁻⁹"."""
    digits = Decimal(repr(float(x)))
    power = 0 if 1e-4 <= abs(x) < 1e15 else digits.adjusted()
    factor = digits.scaleb(-power)
    places = max(ENOUGH_DIGITS - 1 - factor.adjusted(), 1)
    factor = factor.quantize(Decimal(1).scaleb(-places), ROUND_DOWN)
    text = f"{factor:,f}…" if abs(x) >= GROUPED and not power else f"{factor:f}…"
    return (text + (_power_of_ten(power) if power else "")).replace("-", "−")


def _power_of_ten(power: int) -> str:
    return f"·10{str(power).translate(SUPERSCRIPT)}"


def _with_power_of_ten(x: float, digits: int) -> str:
    factor, power = f"{x:.{digits - 1}e}".split("e")
    return in_style((_without_trailing_zeros(factor) + _power_of_ten(int(power))).replace("-", "−"))


def _without_trailing_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def count(n: int) -> str:
    """Return a count in words of digits: "150", "4,500", "30,000"."""
    return in_style(f"{int(n):,}")


def column_format(most: float, digits: int = 3) -> str:
    """Return the format of a column of numbers up to `most`, which is written as by `number`."""
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

"""The one palette and the one way of writing a number.

Colours are Okabe and Ito's (2008) colour-blind safe set, ordered so that neighbours differ in lightness too.
"""

from __future__ import annotations

import colorsys
import math

LIGHT = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#555555")
DARK = ("#56B4E9", "#E69F00", "#2BBF94", "#CC79A7", "#3C8FD6", "#F07B3F", "#F0E442", "#CCCCCC")
FONT = "'Source Sans', 'Source Sans 3', 'Source Sans Pro', Arial, sans-serif"  # the page's own, of every figure
FLOAT_DIGITS = 13  # of a threshold: later ones come from how computers add
MOST_DIGITS, ENOUGH_DIGITS = 8, 6  # of a threshold: written in full; written of a longer one
GROUPED = 9_999.5  # from here on digits stand in groups: 12,500, but the year 1985
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def class_colours(n: int) -> dict[str, list[str]]:
    """`n` colours for classes under the keys "light" and "dark"; past the palette, evenly spread hues."""
    return {"light": _spread(LIGHT, n, 0.42), "dark": _spread(DARK, n, 0.62)}


def _spread(palette: tuple[str, ...], n: int, lightness: float) -> list[str]:
    extra = [colorsys.hls_to_rgb((0.1 + 0.618 * i) % 1, lightness, 0.55) for i in range(n - len(palette))]
    return [*palette[:n], *("#" + "".join(f"{round(255 * c):02X}" for c in rgb) for rgb in extra)]


def number(x: float, digits: int = 3) -> str:
    """Number as a person writes it: `digits` significant digits, whole numbers whole, no trailing zeros.

    Every digit in front of the decimal point is kept (5123.4 is 5123, never 5.12e3), in groups of three from
    ten thousand on. Only what is tiny or beyond any count gets a power of ten.
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
    return _without_trailing_zeros(text).replace("-", "−")


def threshold(x: float, exact: bool = False) -> str:
    """Threshold as it is written everywhere: with all its digits, without the tail that floats have.

    Between 175.6 and 175.7 lies 175.65, which a computer keeps as 175.64999999999998. Of what has more than
    `MOST_DIGITS` digits the first `ENOUGH_DIGITS` stand there; all, if it is to be `exact`.
    """
    if not math.isfinite(x):
        return number(x)
    factor = f"{x:.{FLOAT_DIGITS - 1}e}".split("e")[0]
    digits = len(_without_trailing_zeros(factor).lstrip("-").replace(".", ""))
    if digits > MOST_DIGITS and exact:
        return repr(float(x)).replace("-", "−")
    return number(x, digits if digits <= MOST_DIGITS else ENOUGH_DIGITS)


def _with_power_of_ten(x: float, digits: int) -> str:
    factor, power = f"{x:.{digits - 1}e}".split("e")
    text = f"{_without_trailing_zeros(factor)}·10{str(int(power)).translate(SUPERSCRIPT)}"
    return text.replace("-", "−")


def _without_trailing_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def count(n: int) -> str:
    """How many there are: 150, 4,500, 30,000."""
    return f"{int(n):,}"


def column_format(most: float, digits: int = 3) -> str:
    """Format of a column of numbers up to `most`, of which that one is written as `number` writes it."""
    return f"%.{max(digits - 1 - math.floor(math.log10(most)), 0) if most > 0 else 0}f"


def percent(share: float) -> str:
    """Share as a percentage with at most one decimal place; never rounds to 0 % or 100 % what is not."""
    text = f"{100 * share:.1f}".rstrip("0").rstrip(".")
    if text == "-0":
        return "0 %"
    if text == "0" and share > 0:
        return "<0.1 %"
    if text == "100" and share < 1:
        return ">99.9 %"
    return f"{text} %"

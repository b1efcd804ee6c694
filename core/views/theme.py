"""The one palette and the one way of writing a number.

Colours are Okabe and Ito's (2008) colour-blind safe set, ordered so that neighbours differ in lightness too.
"""

from __future__ import annotations

import colorsys
import math

LIGHT = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#555555")
DARK = ("#56B4E9", "#E69F00", "#2BBF94", "#CC79A7", "#3C8FD6", "#F07B3F", "#F0E442", "#CCCCCC")


def class_colours(n: int) -> dict[str, list[str]]:
    """`n` colours for classes under the keys "light" and "dark"; past the palette, evenly spread hues."""
    return {"light": _spread(LIGHT, n, 0.42), "dark": _spread(DARK, n, 0.62)}


def _spread(palette: tuple[str, ...], n: int, lightness: float) -> list[str]:
    extra = [colorsys.hls_to_rgb((0.1 + 0.618 * i) % 1, lightness, 0.55) for i in range(n - len(palette))]
    return [*palette[:n], *("#" + "".join(f"{round(255 * c):02X}" for c in rgb) for rgb in extra)]


def number(x: float, digits: int = 3) -> str:
    """Number as a person writes it: `digits` significant digits, whole numbers whole, no trailing zeros."""
    if x is None or math.isnan(x):
        return "–"
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    if x == round(x) and abs(x) < 1e6:
        return f"{x:.0f}".replace("-", "−") if x else "0"
    # Keep every digit in front of the decimal point: 5123.4 is 5123, never 5.12e3.
    if 1e-4 <= abs(x) < 1e6:
        places = max(digits - 1 - math.floor(math.log10(abs(x))), 0)
        text = f"{x:.{places}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        text = f"{x:.{digits}g}"
    return text.replace("-", "−")


def percent(share: float) -> str:
    """Share as a percentage with at most one decimal place; never rounds to 0 % or 100 % what is not."""
    text = f"{100 * share:.1f}".rstrip("0").rstrip(".")
    if text == "0" and share > 0:
        return "<0.1 %"
    if text == "100" and share < 1:
        return ">99.9 %"
    return f"{text} %"

"""The one text of a number, and of a value that names a category: nothing else in the project writes them exactly.

Equal values have equal texts, values that differ have texts that differ, and a number's text reads as that number.
Exported Python has these functions, too (`export.python_cells`). Numbers for people are rounded elsewhere
(`display.theme`).
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np

DIGITS_BELOW = 1e21  # whole numbers from here on have an exponent, as in JavaScript


def number_text(number: float) -> str:
    """Return the text of a number: of a whole one its digits, else the fewest digits that read as the same number.

    >>> [number_text(number) for number in (2.0, -0.0, 1 / 3, 0.1 + 0.2, 1e-7, 2**60 + 1, 1e22)]
    ['2', '0', '0.3333333333333333', '0.30000000000000004', '1e-07', '1152921504606846977', '1e+22']
    """
    if abs(number) < DIGITS_BELOW and number == int(number):
        return str(int(number))
    return repr(float(number))


def value_text(value: Any) -> str:
    """Return the text of a value that names a category: a text itself, "true", a number's text, or ``str(value)``.

    >>> [value_text(value) for value in ("3.0", 3.0, 3, True, np.float32(0.5))]
    ['3.0', '3', '3', 'true', '0.5']
    """
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return number_text(value) if isinstance(value, Real) else str(value)  # type: ignore[arg-type]


def exact_number(text: str) -> float | int | None:
    """Return the number whose `number_text` this is, a whole one as int; None for any other text.

    >>> exact_number("1"), exact_number("0.30000000000000004"), exact_number("01"), exact_number("one")
    (1, 0.30000000000000004, None, None)
    """
    try:
        number = int(text) if text.removeprefix("-").isdecimal() else float(text)
        return number if math.isfinite(number) and number_text(number) == text else None
    except (ValueError, OverflowError):  # no number, or one of thousands of digits
        return None

"""Columns of codes that look like numbers: versions, phones, wells of a plate, numbers of more than 15 digits.

What a cell could be says little: 1E1 is a well of plate 1, or ten. The other cells of the column decide, and the
rest of the file.
"""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple

import pyarrow as pa
import pyarrow.compute

from espalier.data.columns import numbers

pc: Any = pyarrow.compute  # makes most of its functions at import, where type checkers cannot see them

Sign = Literal["zeros", "digits", "other"]
GROUPED = re.compile(rf"(?<=\d)[.,'’{numbers.SPACES}](?=\d{{3}}(?!\d))")  # marks between thousands


class Code(NamedTuple):
    """A cell that makes its column text, though each of them could be a number."""

    text: str
    sign: Sign  # zeros in front, more digits than a float has, or any other


def code_in(values: Any) -> Code | None:
    """Return a code in a text column (n_rows,) whose every cell could be a number; None for any other column."""
    cells = pc.unique(pc.utf8_trim_whitespace(pa.array(values.dropna().unique(), pa.string())))
    texts = numbers.present(cells)
    if not len(texts) or not pc.all(pc.match_substring_regex(texts, numbers.LOOSE)).as_py():
        return None
    some = texts.slice(0, numbers.SAMPLE_ROWS)
    if numbers.read_some(some, numbers.guess_format(some)).null_count:
        return None
    zeros = texts.filter(pc.match_substring_regex(texts, numbers.CODE))
    if len(zeros):
        return Code(zeros[0].as_py(), "zeros")
    long = texts.filter(pc.greater(pc.utf8_length(texts), numbers.DIGITS_EXACT))
    inexact = (text for text in long.to_pylist() if numbers.is_inexact(GROUPED.sub("", text)))
    text = next(inexact, None)
    return Code(texts[0].as_py(), "other") if text is None else Code(text, "digits")

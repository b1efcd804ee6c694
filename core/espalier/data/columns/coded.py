"""The record of a column of a table as numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.data.options import NumberFormat


class CodedColumn(NamedTuple):
    """A column as numbers: itself, or the codes of its categories; missing is nan."""

    values: np.ndarray  # (n_rows,) float64
    feature: Feature
    notes: list[str]
    pooled: tuple[str, ...] = ()  # values pooled as the last category
    is_lossy: bool = False  # whether texts that are not numbers, or no dates, became missing
    format: NumberFormat | None = None  # of numbers that were read as words at first

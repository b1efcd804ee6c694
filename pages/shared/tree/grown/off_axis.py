"""What the features on no axis of a surface have."""

from __future__ import annotations

from typing import NamedTuple

AVERAGE = "average"  # what the address says of it


class OffAxis(NamedTuple):
    """The values of the features that are on no axis: by default typical ones."""

    row: int | None = None  # those of this row
    averaged: bool = False  # each row keeps its own, and the answers are averaged
    is_brief: bool = False  # over fewer rows, where that takes long: of a picture that the next one soon replaces

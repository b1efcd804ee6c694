"""Tables of points that a person drew on a plane, and their text, which is short enough for a link."""

from __future__ import annotations

import base64
import binascii
import re
from typing import NamedTuple

import numpy as np

from espalier.data.class_marks import ClassMarks
from espalier.data.dataset import Dataset, Feature, make_dataset
from espalier.language import Phrase, Title, to_say

CLASSES = ("A", "B", "C", "D")
TARGET = Feature("class", "category", CLASSES)
MOST_POINTS = 2_000
LONGEST = 4_000  # letters of a text in an address
STEPS = 4095  # of a coordinate from 0 to 10: 12 bits each
SPAN = 10.0
WORD, SEPARATOR = "drawn", "~"
_NAME = re.compile(r"[\w -]{1,30}")
USUAL_NAME = to_say("Drawn points")


class PaintedTable(NamedTuple):
    """Points of up to four classes on a square from 0 to 10."""

    name: str
    x: np.ndarray  # (n_points, 2) float64
    y: np.ndarray  # (n_points,) int64: class numbers

    @property
    def text(self) -> str:
        """The text that names it, which `painted_of` reads: four bytes for a point, in the alphabet of links."""
        steps = np.round(self.x * (STEPS / SPAN)).astype(np.uint32)
        packed = (self.y.astype(np.uint32) << 24 | steps[:, 0] << 12 | steps[:, 1]).astype(">u4")
        letters = base64.urlsafe_b64encode(packed.tobytes()).decode().rstrip("=")
        return SEPARATOR.join([WORD, self.name, letters])

    @property
    def dataset(self) -> Dataset:
        """The table as a data set, with the classes that have points. Raises ValueError if it has no point."""
        if not len(self.y):
            raise ValueError("there is no point; draw some first")
        there, codes = np.unique(self.y, return_inverse=True)
        classes = tuple(CLASSES[number] for number in there)
        colours = tuple(there.tolist()) if len(there) <= there[-1] else ()  # those of the plane, also with a gap
        target = TARGET._replace(categories=classes, marks=ClassMarks(colours=colours))
        name = Title(Phrase(self.name, {})) if self.name == USUAL_NAME else self.name
        return make_dataset(name, self.x, [Feature("x1"), Feature("x2")], codes, target)


def painted(name: str, points: list[tuple[float, float, int]]) -> PaintedTable:
    """Return the table of points (x, y, class number), rounded as its text has them.

    A name of other characters than letters, digits, blanks and hyphens gives way to the usual one.

    >>> painted("Two points", [(0, 0, 0), (10, 5, 1)]).dataset.classes
    ('A', 'B')
    """
    rows = np.array(points, dtype=np.float64).reshape(-1, 3)[:MOST_POINTS]
    steps = np.round(np.clip(rows[:, :2], 0, SPAN) * (STEPS / SPAN))
    own = name.strip() if _NAME.fullmatch(name.strip()) else USUAL_NAME
    return PaintedTable(own, (steps * (SPAN / STEPS)).round(4), rows[:, 2].astype(np.int64))


def painted_of(text: str) -> PaintedTable | None:
    """Return the table that a text names; None for a text that names none.

    >>> table = painted("Two points", [(0, 0, 0), (10, 5, 1)])
    >>> painted_of(table.text).dataset.digest == table.dataset.digest
    True
    """
    word, *parts = text.split(SEPARATOR)
    if word != WORD or len(parts) != 2 or not _NAME.fullmatch(parts[0]) or len(text) > LONGEST:
        return None
    try:
        raw = base64.b64decode(parts[1] + "=" * (-len(parts[1]) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    if not raw or len(raw) % 4:
        return None
    packed = np.frombuffer(raw, ">u4").astype(np.int64)
    number = packed >> 24
    if number.max() >= len(CLASSES):
        return None
    steps = np.column_stack([packed >> 12 & STEPS, packed & STEPS])
    return PaintedTable(parts[0], (steps * (SPAN / STEPS)).round(4), number)

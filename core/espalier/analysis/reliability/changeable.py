"""What may change of a sample: which of its features, in which direction, and to which values.

A change is to be plausible: a category stays one that was seen, a whole number whole, and no value leaves the
range of the data. A person may say more: what stays as it is, what may only go up, and what only down.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.analysis.tree.rules import Bound, admits
from espalier.data.dataset import Dataset

UNKNOWN_COST = 1.0  # spans that it takes to make a missing value known, or to change a category


class Allowed(NamedTuple):
    """What a person allows to change, by the features' numbers; all else is free."""

    fixed: tuple[int, ...] = ()  # stay as they are
    up: tuple[int, ...] = ()  # may only become more: numbers, and categories with an order
    down: tuple[int, ...] = ()  # may only become less


FREE = Allowed()


class ValueRange(NamedTuple):
    """The values that one feature of a sample may take: from `low` to `high`, or one of `codes`."""

    feature: int
    before: float  # its value; nan where it is missing
    low: float
    high: float
    codes: np.ndarray  # (n,) categories; ascending, but those without an order by how often they were seen
    span: float  # what counts as one unit of change
    is_free: bool
    is_whole: bool


def spans_of(dataset: Dataset) -> np.ndarray:
    """(n_features,): the range of every feature in the data, 1 where it has none."""
    spans = np.ones(len(dataset.features))
    for f in range(len(dataset.features)):
        known = dataset.X[np.isfinite(dataset.X[:, f]), f]
        if len(known) and known.max() > known.min():
            spans[f] = known.max() - known.min()
    return spans


def rooms(dataset: Dataset, x: np.ndarray, allowed: Allowed = FREE) -> list[ValueRange]:
    """For every feature of the sample x (n_features,) what it may become, by the data and by what is allowed."""
    return [_room(dataset, f, float(x[f]), allowed) for f in range(len(dataset.features))]


def _room(dataset: Dataset, f: int, before: float, allowed: Allowed) -> ValueRange:
    feature, column = dataset.features[f], dataset.X[:, f]
    seen, count = np.unique(column[np.isfinite(column)], return_counts=True)
    low, high = (float(seen[0]), float(seen[-1])) if len(seen) else (math.inf, -math.inf)
    if not math.isnan(before) and feature.kind != "category":
        low, high = (
            (max(low, before) if f in allowed.up else low),
            (min(high, before) if f in allowed.down else high),
        )
    if feature.categories:
        if feature.kind == "category":
            seen = seen[np.argsort(-count, kind="stable")]
        codes, span = seen[(seen >= low) & (seen <= high)], float(max(len(feature.categories) - 1, 1))
    else:
        codes, span = np.empty(0), float(seen[-1] - seen[0]) if len(seen) > 1 else 1.0
    span = math.inf if feature.kind == "category" else span
    return ValueRange(
        f, before, low, high, codes, span, f not in allowed.fixed and len(seen) > 0, feature.is_whole
    )


def cost(room: ValueRange, after: np.ndarray) -> np.ndarray:
    """(n,) spans from the sample's value to others; `UNKNOWN_COST` for a category, and where it was missing."""
    if math.isnan(room.before) or math.isinf(room.span):
        return np.where(after == room.before, 0.0, UNKNOWN_COST)
    return np.abs(after - room.before) / room.span


def nearest_value(room: ValueRange, bound: Bound) -> float | None:
    """The nearest value of the room that a bound admits; None where there is none."""
    if not room.is_free or bound.is_empty:
        return None
    if len(room.codes):
        codes = room.codes[admits(bound, room.codes)]
        return float(codes[np.argmin(cost(room, codes))]) if len(codes) else None
    found = cells(room, np.array([bound.low]), np.array([bound.high]))
    return float(found.value[0]) if len(found.value) else None


class ThresholdCells(NamedTuple):
    """The parts into which a model's thresholds cut the values of a feature, each by its nearest value."""

    value: np.ndarray  # (n,) ascending; of categories their codes
    low: np.ndarray  # (n,) the thresholds below and above it, -inf and inf at the ends
    high: np.ndarray


def cells(room: ValueRange, low: np.ndarray, high: np.ndarray) -> ThresholdCells:
    """The ranges low < x <= high that hold a value of the room, each with the value nearest to the sample's."""
    first = np.floor(low) + 1 if room.is_whole else np.nextafter(low, np.inf)
    last = np.floor(high) if room.is_whole else high
    first, last = np.maximum(first, room.low), np.minimum(last, room.high)
    if math.isnan(room.before):  # any known value; at an end that a threshold makes, since it can be named
        value = np.where(np.isfinite(high), last, first)
    else:
        value = np.clip(room.before, first, np.maximum(first, last))
    kept = first <= last
    return ThresholdCells(value[kept], low[kept], high[kept])


def cells_of(room: ValueRange, cuts: np.ndarray) -> ThresholdCells:
    """All parts of the room that these thresholds, ascending, make; of categories every code is one."""
    if len(room.codes):
        codes = np.sort(room.codes)
        return ThresholdCells(codes, codes - 0.5, codes + 0.5)
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    return cells(room, ends[:-1], ends[1:])


def without_own(found: ThresholdCells, room: ValueRange) -> ThresholdCells:
    """The cells that the sample is not in."""
    own = (found.low < room.before) & (room.before <= found.high)
    return ThresholdCells(*(part[~own] for part in found))


def changed_to(x: np.ndarray, values: Sequence[tuple[int, float]]) -> np.ndarray:
    """(n_features,): the sample with other values for some features."""
    made = np.array(x, dtype=np.float64)
    for feature, value in values:
        made[feature] = value
    return made

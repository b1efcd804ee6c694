"""Possible changes of a sample: which features, in which direction, to which values.

Changes must be plausible: a category is one of those seen, a whole number stays whole, and no value leaves the
range of the data. The user may restrict more: features that stay, that may only increase, or only decrease, and
the values to which they may change.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from espalier.data.dataset import Dataset, Feature
from espalier.data.features import column_parts
from espalier.tree.rules import Bound, admits

Interval: TypeAlias = tuple[float, float]
UNKNOWN_COST = 1.0  # cost, in spans, of making a missing value known, or of changing a category


class TypedRange(NamedTuple):
    """The values to which a feature may change, from `low` to `high`; infinite where nothing was typed."""

    feature: int
    low: float = -math.inf
    high: float = math.inf


class Allowed(NamedTuple):
    """Changes that the user allows, by the features' numbers; all others are free."""

    fixed: tuple[int, ...] = ()  # must not change; of a date, then no part may
    up: tuple[int, ...] = ()  # may only increase: numbers, and ordered categories
    down: tuple[int, ...] = ()  # may only decrease
    within: tuple[TypedRange, ...] = ()  # may only change to these values: numbers, and ordered categories


FREE = Allowed()


class ValueRange(NamedTuple):
    """The values that one feature of a sample may take: from `low` to `high`, or one of `codes`."""

    feature: int
    before: float  # its value; nan where it is missing
    low: float
    high: float
    codes: np.ndarray  # (n,) categories; ascending, but unordered ones by frequency
    span: float  # unit of change
    is_free: bool
    is_whole: bool


def spans_of(dataset: Dataset) -> np.ndarray:
    """Return the range of every feature in the data, (n_features,); 1 without a range."""
    spans = np.ones(len(dataset.features))
    for f in range(len(dataset.features)):
        known = dataset.X[np.isfinite(dataset.X[:, f]), f]
        if len(known) and known.max() > known.min():
            spans[f] = known.max() - known.min()
    return spans


def rooms(dataset: Dataset, x: np.ndarray, allowed: Allowed = FREE) -> list[ValueRange]:
    """Return for every feature of x (n_features,) its values allowed by the data and the user."""
    return [value_range(dataset, f, float(x[f]), allowed) for f in range(len(dataset.features))]


def value_range(dataset: Dataset, f: int, before: float, allowed: Allowed = FREE) -> ValueRange:
    """Return the values that a feature may take, of a sample that has the value `before`."""
    feature, column = dataset.features[f], dataset.X[:, f]
    seen, count = _values_seen(feature, column[np.isfinite(column)])
    low, high = (float(seen[0]), float(seen[-1])) if len(seen) else (math.inf, -math.inf)
    if not math.isnan(before) and feature.kind != "category":
        low, high = (
            (max(low, before) if f in allowed.up else low),
            (min(high, before) if f in allowed.down else high),
        )
    low, high = _typed(feature, allowed, f, low, high)
    if feature.categories:
        if feature.kind == "category":
            seen = seen[np.argsort(-count, kind="stable")]
        codes, span = seen[(seen >= low) & (seen <= high)], float(max(len(feature.categories) - 1, 1))
    else:
        codes, span = np.empty(0), float(seen[-1] - seen[0]) if len(seen) > 1 else 1.0
    span = math.inf if feature.kind == "category" else span
    parts = [f] if feature.moment is None else column_parts(dataset.features, [f])  # of one date, which is fixed
    is_free = (
        set(parts).isdisjoint(allowed.fixed)
        and len(seen) > 0
        and (len(codes) > 0 if feature.categories else low <= high)
    )
    return ValueRange(f, before, low, high, codes, span, is_free, feature.is_whole)


def _values_seen(feature: Feature, known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what a feature has been, ascending, and how often: each category, but of numbers both ends alone."""
    if feature.categories:
        count = np.bincount(known.astype(np.int64))
        return np.flatnonzero(count).astype(np.float64), count[count > 0]
    ends = np.array([known.min(), known.max()]) if len(known) else known
    return ends[: 1 + (len(ends) > 1 and ends[0] < ends[1])], np.ones(len(ends))


def _typed(feature: Feature, allowed: Allowed, f: int, low: float, high: float) -> Interval:
    """Return both ends within what was typed; of whole numbers whole ones."""
    for typed in allowed.within:
        if typed.feature == f and feature.kind != "category":
            low, high = max(low, typed.low), min(high, typed.high)
    if feature.is_whole and math.isfinite(low) and math.isfinite(high):
        return float(math.ceil(low)), float(math.floor(high))
    return low, high


def cost(room: ValueRange, after: np.ndarray) -> np.ndarray:
    """Return spans from the sample's value to others, (n,); `UNKNOWN_COST` for a category or a missing value."""
    if math.isnan(room.before) or math.isinf(room.span):
        return np.where(after == room.before, 0.0, UNKNOWN_COST)
    return np.abs(after - room.before) / room.span


def nearest_value(room: ValueRange, bound: Bound) -> float | None:
    """Return the nearest value of the range that a bound admits; None if there is none."""
    if not room.is_free or bound.is_empty:
        return None
    if len(room.codes):
        codes = room.codes[admits(bound, room.codes)]
        return float(codes[np.argmin(cost(room, codes))]) if len(codes) else None
    cell = cells(room, np.array([bound.low]), np.array([bound.high]))
    return float(cell.value[0]) if len(cell.value) else None


class ThresholdCells(NamedTuple):
    """Intervals between a model's thresholds on a feature, each represented by its nearest value."""

    value: np.ndarray  # (n,) ascending; of categories their codes
    low: np.ndarray  # (n,) thresholds below and above it, -inf and inf at the ends
    high: np.ndarray


def cells(room: ValueRange, low: np.ndarray, high: np.ndarray) -> ThresholdCells:
    """Return the intervals low < x <= high with a value of the range, and in each the value nearest to x."""
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
    """Return all intervals of the range between these thresholds, ascending; for categories every code is one."""
    if len(room.codes):
        codes = np.sort(room.codes)
        return ThresholdCells(codes, codes - 0.5, codes + 0.5)
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    return cells(room, ends[:-1], ends[1:])


def without_own(among: ThresholdCells, room: ValueRange) -> ThresholdCells:
    """Return the cells without the sample's own."""
    own = (among.low < room.before) & (room.before <= among.high)
    return ThresholdCells(*(part[~own] for part in among))


def changed_to(x: np.ndarray, values: Sequence[tuple[int, float]]) -> np.ndarray:
    """Return the sample with other values for some features, (n_features,)."""
    made = np.array(x, dtype=np.float64)
    for feature, value in values:
        made[feature] = value
    return made


# ---- predictions along a feature


class PredictionStrip(NamedTuple):
    """Predictions as one feature of a sample varies over its range and the others stay fixed."""

    feature: int
    values: np.ndarray  # (n,) ascending
    answers: np.ndarray  # (n, n_outputs)


def strip(dataset: Dataset, says: Callable, x: np.ndarray, feature: int, n: int = 60) -> PredictionStrip:
    """Return the strip of a feature; of a number, n even steps over its range, which includes the sample.

    `says` makes predictions (n, n_outputs) of samples (n, n_features).
    """
    names = dataset.features[feature].categories
    if names:
        values = np.arange(float(len(names)))
    else:
        known = np.append(dataset.X[:, feature], x[feature])
        known = known[np.isfinite(known)]
        values = np.linspace(known.min(), known.max(), n) if len(known) else np.empty(0)
    varied = np.tile(x, (len(values), 1))
    varied[:, feature] = values
    return PredictionStrip(feature, values, says(varied) if len(values) else np.empty((0, 1)))

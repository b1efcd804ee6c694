"""The range of a column and the bins of its histograms, which are the same in every node that shows it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.display.text.values import all_written, subject
from espalier.inert import inert, legible
from espalier.tree.nodes import bins_up_to

PLACES, EXACT = 7, 17  # significant digits of what a browser draws; of a float, all


class Scale(NamedTuple):
    """The bins of a column: the bin of x is ``floor((x - low) / width)``."""

    low: float
    width: float
    bins: int

    @property
    def span(self) -> float:
        """The range that all bins cover."""
        return self.width * self.bins


def scale_of(feature: Feature, x: np.ndarray, bins: int) -> Scale:
    """Return bins over the known values of x: one per category.

    Bins of whole numbers or tenths hold equally many.
    """
    if feature.categories:
        return Scale(-0.5, 1.0, len(feature.categories))
    finite = x[np.isfinite(x)]
    if not len(finite):
        return Scale(-0.5, 1.0, 1)
    low, high = float(finite.min()), float(finite.max())
    unit = _unit(finite)
    if unit:
        values = round((high - low) / unit) + 1
        step = -(-values // bins)
        return Scale(low - unit / 2, step * unit, -(-values // step))
    return Scale(low, (high - low) / bins, bins)


def _unit(x: np.ndarray) -> float:
    """Return 1, 0.1 or 0.01 if all of x are multiples of it, else 0.

    Bins that hold unequally many of the possible values would show a comb that is not in the data.
    """
    for unit in (1.0, 0.1, 0.01):
        for some in (x[:50], x):  # the first few are enough to rule out measurements
            steps = some / unit
            if np.abs(steps - np.round(steps)).max() > 1e-6:
                break
        else:
            return unit
    return 0.0


def beside_cuts(scale: Scale, cut: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how many bins lie left and right of each cut (n,) if one of them ends there; 0 of either elsewhere.

    They are as wide as the scale's; the outermost reach to its ends or just beyond them. A cut that is not within
    the scale, or none at all (nan), has no bins.
    """
    high = scale.low + scale.span
    left, right = np.zeros(len(cut), np.int64), np.zeros(len(cut), np.int64)
    for i in np.flatnonzero((scale.low < cut) & (cut < high)).tolist():
        left[i] = max(bins_up_to(float(cut[i]), scale.low, scale.width), 1)
        right[i] = max(bins_up_to(high, float(cut[i]), scale.width), 1)
    return left, right


def bin_of(x: np.ndarray, low: np.ndarray, width: np.ndarray, bins: np.ndarray) -> np.ndarray:
    """Return the bin of each known x; values outside, and the greatest one, go to the bin at that end."""
    return np.clip(np.floor((x - low) / width), 0, bins - 1).astype(np.int64)


def scale_card(feature: Feature, scale: Scale, x: np.ndarray) -> dict[str, Any]:
    """Return the JSON of the scale of a column with values x, as `display.tree.cards` describes it."""
    low, high = round_digits(scale.low, scale.span), round_digits(scale.low + scale.span, scale.span)
    card: dict[str, Any] = {"name": subject(feature), "low": low, "high": high, "bins": scale.bins}
    card |= {"meaning": legible(feature.meaning)} if feature.meaning else {}
    if feature.categories:
        return card | {"names": [inert(name) for name in feature.categories]}
    finite = x[np.isfinite(x)]
    ends = (float(finite.min()), float(finite.max())) if len(finite) else ()
    return card | {"ends": all_written(feature, ends) or ["", ""]}


def round_digits(x: float, span: float = 0.0) -> float:
    """Return x to seven digits, more than a screen shows: short, and the same bytes everywhere.

    Of a number in a range, such as that of an axis, these are seven digits of the range's `span`.

    >>> round_digits(1e9 + 1 / 4), round_digits(1e9 + 1 / 4, 0.5)
    (1000000000.0, 1000000000.25)
    """
    more = math.floor(math.log10(abs(x))) - math.floor(math.log10(span)) if span > 0 and x else 0
    return float(f"{x:.{min(max(PLACES, PLACES + more), EXACT)}g}")


def all_rounded(values: np.ndarray) -> list[float]:
    """Return each of the values (n,), rounded by their range."""
    finite = values[np.isfinite(values)]
    span = float(np.ptp(finite)) if len(finite) else 0.0
    return [round_digits(x, span) if math.isfinite(x) else x for x in values.tolist()]


def short_between(low: float, high: float) -> float:
    """Return the number of the fewest significant digits from `low` to below `high`; neither is negative.

    >>> short_between(0.011904, 0.0131), short_between(0.0, 0.2), short_between(0.5, math.inf)
    (0.012, 0.0, 0.5)
    """
    for digits in range(1, 17):
        step = 10.0 ** (math.floor(math.log10(low)) - digits + 1) if low > 0 else 1.0
        short = float(f"{math.ceil(low / step) * step:.{digits}g}")
        if low <= short < high:
            return short
    return low

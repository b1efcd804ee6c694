"""Columns that know a numeric target: copies, columns that alone predict it, or that do so only in training."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import stats

from espalier.data.dataset import Feature
from espalier.findings.finding import ALONE, COPY, ONLY_TRAINING, Finding, Inspection

NEARLY = 0.02  # share of the variance that is left
HALF = 0.5  # of the variance: a column that explains as much knows a lot
EXACT = 1e-9  # share of the variance that rounding may leave
FEW = 20  # rows with a value: fewer say nothing


def number_columns(table: Inspection) -> Iterator[Finding]:
    """Yield what columns know of a number to predict, at most one finding for each."""
    data = table.dataset
    if data.is_classification:
        return
    for column in table.features():
        feature, x = data.features[column], data.X[:, column]
        whole = explained(x, data.y, feature)
        grown, held = (explained(x[rows], data.y[rows], feature) for rows in (~table.held, table.held))
        figures = {"n": len(data.y), "right": whole, "training": grown, "held": held}
        if _is_multiple(x, data.y, feature):
            yield Finding(COPY, (column,), (), figures)
        elif whole >= 1 - NEARLY:
            yield Finding(ALONE, (column,), (), figures)
        elif grown >= HALF and held < HALF * grown and _falls_off(x, table):
            yield Finding(ONLY_TRAINING, (column,), (), figures)


def explained(x: np.ndarray, y: np.ndarray, feature: Feature) -> float:
    """Return the share of the variance of y (n,) that the feature's values x (n,) alone explain, 0 to 1.

    Of numbers it is the square of the greater of Pearson's and Spearman's correlation, of categories the adjusted
    η² (Ezekiel 1930). Rows without a value count as not explained; fewer than `FEW` values explain nothing.

    >>> x = np.arange(50.0)
    >>> explained(x, -3 * x, Feature("x"))
    1.0
    """
    known = ~np.isnan(x)
    if known.sum() < FEW or np.ptp(y[known]) == 0 or np.ptp(x[known]) == 0:
        return 0.0
    part = y[known].var() * known.sum() / max(y.var() * len(y), 1e-300)
    if feature.kind == "category":
        return round(part * _of_categories(x[known], y[known]), 12)
    linear = np.corrcoef(x[known], y[known])[0, 1]
    monotone = _spearman(x[known], y[known])
    return round(float(min(part, 1.0) * max(linear**2, monotone**2)), 12)


def _spearman(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.corrcoef(stats.rankdata(x), stats.rankdata(y))[0, 1])


def _of_categories(x: np.ndarray, y: np.ndarray) -> float:
    codes = x.astype(np.int64)
    sizes = np.bincount(codes)
    means = np.bincount(codes, y) / np.maximum(sizes, 1)
    n, m = len(y), np.count_nonzero(sizes)
    left = ((y - means[codes]) ** 2).sum() / max(((y - y.mean()) ** 2).sum(), 1e-300)
    return max(1 - left * (n - 1) / (n - m), 0.0) if n > m else 0.0


def _is_multiple(x: np.ndarray, y: np.ndarray, feature: Feature) -> bool:
    """Return whether the target is the column times a number plus a number, where both are known."""
    known = ~np.isnan(x)
    if feature.kind == "category" or known.sum() < max(FEW, len(y) / 2) or np.ptp(x[known]) * np.ptp(y) == 0:
        return False
    return bool(1 - np.corrcoef(x[known], y[known])[0, 1] ** 2 < EXACT)


def _falls_off(x: np.ndarray, table: Inspection) -> bool:
    """Return whether the correlation with the target differs between the parts (Fisher's z; Fisher 1921)."""
    y, known = table.dataset.y, ~np.isnan(x)
    z, spread = [], 0.0
    for rows in (~table.held & known, table.held & known):
        if rows.sum() < FEW or np.ptp(x[rows]) == 0 or np.ptp(y[rows]) == 0:
            return False
        z.append(np.arctanh(np.clip(_spearman(x[rows], y[rows]), -1 + EXACT, 1 - EXACT)))
        spread += 1.06 / (rows.sum() - 3)  # of Spearman's coefficient (Fieller, Hartley & Pearson 1957)
    return float(2 * stats.norm.sf(abs(z[0] - z[1]) / spread**0.5)) < table.level

"""How often the intervals of a regression forest hold, on samples that its trees have not seen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels.forest.quantiles import LeafSamples
from espalier.learners.forests.quantiles import interval_levels, quantiles_by
from espalier.trees import Forest

STATED = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)  # coverages that are measured


class IntervalCoverage(NamedTuple):
    """Stated coverages of intervals, and what was measured."""

    stated: np.ndarray  # (n,) float64
    measured: np.ndarray  # (n,) float64: share of the samples inside, by weight
    width: np.ndarray  # (n,) float64: mean width of the intervals, in units of the target
    n_samples: int  # measured on: those that some tree has not seen


class JudgedSamples(NamedTuple):
    """Samples on which intervals are measured."""

    X: np.ndarray  # (n_samples, n_features)
    y: np.ndarray  # (n_samples,)
    seen: np.ndarray | None = None  # (n_trees, n_samples) uint8: how often each tree has each; None: never
    weight: np.ndarray | None = None  # (n_samples,): how much each counts; None: all the same


def interval_coverage(
    forest: Forest, samples: LeafSamples, judged: JudgedSamples, stated: tuple[float, ...] = STATED
) -> IntervalCoverage:
    """Return how often intervals of the stated coverages hold, each sample judged by trees that have not seen it.

    Examples
    --------
    >>> from espalier.data import samples
    >>> from espalier.learners import RandomForestRegressor
    >>> sine = samples.load("sine")
    >>> model = RandomForestRegressor(keep_leaves=True, min_samples_leaf=5, random_state=0).fit(sine.X, sine.y)
    >>> judged = JudgedSamples(sine.X, sine.y, model.in_bag())
    >>> found = interval_coverage(model.forest_, model.leaf_samples_, judged, (0.5, 0.9))
    >>> found.n_samples == len(sine.y), bool(found.measured[0] < found.measured[1])
    (True, True)
    """
    levels = np.array([interval_levels(one) for one in stated]).ravel()
    ends = quantiles_by(forest, samples, judged.X, levels, judged.seen).reshape(len(judged.X), len(stated), 2)
    known = ~np.isnan(ends[:, 0, 0])
    low, high, y = ends[known, :, 0], ends[known, :, 1], judged.y[known, None]
    if not known.any():
        nothing = np.full(len(stated), np.nan)
        return IntervalCoverage(np.array(stated), nothing, nothing, 0)
    inside = (low <= y) & (y <= high)
    weight = None if judged.weight is None else judged.weight[known]
    share, width = (np.average(part, axis=0, weights=weight) for part in (inside, high - low))
    return IntervalCoverage(np.array(stated), share, width, int(known.sum()))

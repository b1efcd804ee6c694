"""The samples that the cards of a tree draw: counts in bins for every node, and some samples as dots.

A sample is in one node of each depth of a `Tree`, and in many, in fractions, of a `CultivatedTree`; a histogram
counts fractions as such.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from espalier.data.dataset import Dataset, Feature
from espalier.display.text.values import all_written, subject
from espalier.display.theme import round_digits
from espalier.inert import inert, legible
from espalier.kernels.cultivated.fractions import reach
from espalier.language import spoken
from espalier.predict import leaves
from espalier.tree.nodes import bins_beside, bins_up_to
from espalier.tree.rules import boxed
from espalier.trees import AnyTree, CultivatedTree, is_leaf, parents, subtree_end

BINS = 20  # of a histogram
FEW_BINS = 10  # of a histogram in a tree of more than MANY nodes
MANY = 255
ALL_COUNTS = 120_000  # numbers in all histograms together, at most
ALL_DOTS = 4_000  # samples drawn in all cards of a regression together, at most
DOTS = 60  # samples drawn in one card at most
ALL_PARTS = 1_500_000  # samples counted, summed over all nodes; of more rows, an even selection is counted
GOLDEN = (5**0.5 - 1) / 2

Visits: TypeAlias = Iterator[tuple[np.ndarray, np.ndarray, np.ndarray | None]]


class Sample(NamedTuple):
    """The rows that the cards show, each with the leaf it falls into."""

    X: np.ndarray  # (n_rows, n_features)
    y: np.ndarray  # (n_rows,)
    leaf: np.ndarray  # (n_rows,) int32


class Reached(NamedTuple):
    """The rows that the cards of a cultivated tree show, with the fraction of each in every node it reaches."""

    X: np.ndarray  # (n_rows, n_features)
    y: np.ndarray  # (n_rows,)
    start: np.ndarray  # (n_nodes + 1,): node i has ``row[start[i]:start[i + 1]]``
    row: np.ndarray  # index of the row
    fraction: np.ndarray  # fraction of the row in the node, times the number of rows that it represents

    def node_of(self) -> np.ndarray:
        """Return the node of each of `row`."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))


def sample_of(tree: AnyTree, X: np.ndarray, y: np.ndarray) -> Sample | Reached:
    """Return the rows X (n_rows, n_features) and y (n_rows,), with their places in the tree."""
    tree = boxed(tree, "the drawing")
    if not isinstance(tree, CultivatedTree):
        return Sample(X, y, leaves(tree, X))
    parts = int(tree.n_samples.sum()) / max(int(tree.n_samples[0]), 1) * len(y)
    rows = np.flatnonzero(
        np.arange(len(y)) * GOLDEN % 1 <= ALL_PARTS / max(parts, 1)
    )  # a step that matches no period of the rows
    start, row, fraction = reach(tree, X[rows])
    return Reached(X[rows], y[rows], start, row, fraction * (len(y) / max(len(rows), 1)))


def drawings(
    tree: AnyTree, dataset: Dataset, sample: Sample | Reached, scales: dict[int, Scale], splits: np.ndarray
) -> tuple[dict[int, list[int]], dict[int, int], dict[int, list[int]], dict[int, float]]:
    """Return what the cards draw, by node; `splits` are the nodes whose split feature is shown, on its scale.

    These are the counts of histograms, how many of their bins lie left of the cut, which is the edge of one, dots,
    and the numbers of missing values.
    """
    if dataset.is_classification:
        cuts = cuts_drawn(tree, dataset, splits)
        hist, left, missing = histograms(tree, sample, splits, scales, cuts, len(dataset.classes))
        return hist, left, {}, missing
    single_class, no_cuts = sample._replace(y=np.zeros(len(sample.y), np.int64)), np.full(len(splits), np.nan)
    *_, missing = histograms(tree, single_class, splits, scales, no_cuts, 1)
    dots = _dots(tree, dataset, sample, scales, splits)
    return _leaf_histograms(tree, dataset, sample), {}, dots, missing


def scales_of(tree: AnyTree, dataset: Dataset, X: np.ndarray, splits: np.ndarray) -> dict[int, Scale]:
    """Return the scale of each feature that one of `splits` shows, over the rows X."""
    affordable = ALL_COUNTS // max(len(splits) * max(len(dataset.classes), 1), 1)
    bins = int(np.clip(affordable, 4, BINS if 2 * len(splits) + 1 <= MANY else FEW_BINS))
    features, cuts = np.unique(tree.feature[splits]).tolist(), cuts_drawn(tree, dataset, splits)
    scales = {f: scale_of(dataset.features[f], X[:, f], bins) for f in features}
    for f, scale in scales.items():
        if scale.width > 0 and (cuts[tree.feature[splits] == f] == scale.low).any():
            # a cut at the very beginning: a bin more for the rows that are just there
            scales[f] = scale._replace(low=scale.low - scale.width, bins=scale.bins + 1)
    return scales


def cuts_drawn(tree: AnyTree, dataset: Dataset, splits: np.ndarray) -> np.ndarray:
    """Return the cut that is drawn of each of `splits`, of a module that of the best option; nan: categories."""
    is_module = isinstance(tree, CultivatedTree)
    cuts = tree.decisions.threshold[tree.decisions.start[splits]] if is_module else tree.threshold[splits]
    is_named = np.array([bool(feature.categories) for feature in dataset.features])[tree.feature[splits]]
    return np.where(is_named, np.nan, cuts)


# Histograms ------------------------------------------------------------------------------------------


def histograms(
    tree: AnyTree,
    sample: Sample | Reached,
    splits: np.ndarray,
    scales: dict[int, Scale],
    cut: np.ndarray,
    n_classes: int,
) -> tuple[dict[int, list], dict[int, int], dict[int, float]]:
    """Return counts (bins × classes, flat) of the split feature at each of `splits`, bins left of cuts, and lost.

    The `cut` (n_splits,) is the edge of a bin, so that bars beside it have just the samples that go to that side.
    Categories (nan), and cuts beyond all values, have the bins of the scale, and the number left of them is none.
    """
    feature, slot = tree.feature, np.full(tree.n_nodes, -1)
    slot[splits] = np.arange(len(splits))
    left, right = np.zeros(len(splits), np.int64), np.zeros(len(splits), np.int64)
    n_features = sample.X.shape[1]
    low, width, bins = np.zeros(n_features), np.ones(n_features), np.ones(n_features, np.int64)
    for f, scale in scales.items():
        low[f], width[f], bins[f] = scale.low, scale.width or 1.0, scale.bins
        here = feature[splits] == f
        left[here], right[here] = beside_cuts(scale, cut[here])
    n_bins = np.where(left > 0, left + right, bins[feature[splits]])
    most = int(n_bins.max(initial=1))
    counts, missing = np.zeros(len(splits) * most * n_classes, np.int64), np.zeros(len(splits), np.int64)
    for node, row, part in _passing(tree, sample):
        is_drawn = slot[node] >= 0
        node, row, part = node[is_drawn], row[is_drawn], None if part is None else part[is_drawn]
        f, x, at = feature[node], sample.X[row, feature[node]], slot[node]
        is_missing = np.isnan(x)
        x = np.where(is_missing, low[f], x)
        is_cut = left[at] > 0
        beside = bins_beside(np.where(is_cut, cut[at], 0.0), width[f], x) + left[at]
        bin_ = np.where(is_cut, np.clip(beside, 0, n_bins[at] - 1), bin_of(x, low[f], width[f], bins[f]))
        cell = at * most + bin_
        counts = counts + _count(cell * n_classes + sample.y[row], part, ~is_missing, len(counts))
        missing = missing + _count(slot[node], part, is_missing, len(splits))
    sizes = (n_bins * n_classes).tolist()
    table = short(counts.reshape(len(splits), most * n_classes))
    hist = {node: line[:n] for node, line, n in zip(splits.tolist(), table, sizes, strict=True)}
    lefts = {node: n for node, n in zip(splits.tolist(), left.tolist(), strict=True) if n}
    return hist, lefts, dict(zip(splits.tolist(), short(missing), strict=True))


def _count(cell: np.ndarray, part: np.ndarray | None, which: np.ndarray, n: int) -> np.ndarray:
    return np.bincount(cell[which], None if part is None else part[which], minlength=n)


def short(counts: np.ndarray) -> list:
    """Return counts as lists; fractions with two decimal places, whole numbers without."""
    if counts.dtype.kind == "i":
        return counts.tolist()
    hundredths = np.round(100 * counts).astype(np.int64)
    if counts.ndim > 1:
        return [short(line) for line in counts]
    return [h // 100 if h % 100 == 0 else h / 100 for h in hundredths.tolist()]


def _passing(tree: AnyTree, sample: Sample | Reached) -> Visits:
    """Return nodes above the leaves, with the rows there and their fractions (None: all of each)."""
    if isinstance(sample, Reached):
        yield sample.node_of(), sample.row, sample.fraction
        return
    parent = parents(tree)
    node, row = parent[sample.leaf], np.arange(len(sample.leaf))
    while True:  # all rows at once, from their leaves to the root
        below = node >= 0
        node, row = node[below], row[below]
        if not len(row):
            return
        yield node, row, None
        node = parent[node]


def _leaf_histograms(tree: AnyTree, dataset: Dataset, sample: Sample | Reached) -> dict[int, list]:
    scale = scale_of(dataset.target, dataset.y, BINS)
    if isinstance(sample, Reached):
        rests = is_leaf(tree)[sample.node_of()]
        node, row, part = sample.node_of()[rests], sample.row[rests], sample.fraction[rests]
    else:
        node, row, part = sample.leaf, slice(None), None
    leaves, at = np.unique(node, return_inverse=True)
    cell = at * scale.bins + bin_of(sample.y[row], *map(np.asarray, (scale.low, scale.width or 1.0, scale.bins)))
    counts = np.bincount(cell, part, minlength=len(leaves) * scale.bins).reshape(len(leaves), scale.bins)
    return dict(zip(leaves.tolist(), short(counts), strict=True))


# Dots ------------------------------------------------------------------------------------------------


def _dots(
    tree: AnyTree, dataset: Dataset, sample: Sample | Reached, scales: dict[int, Scale], splits: np.ndarray
) -> dict[int, list[int]]:
    """Return samples of each split as x and y in hundredths of the ranges."""
    most = int(np.clip(ALL_DOTS // max(len(splits), 1), 6, DOTS))
    goal = scale_of(dataset.target, dataset.y, BINS)
    feature, dots = tree.feature, {}
    for node, rows in _sampled_rows(tree, sample, splits.tolist(), most):
        f = int(feature[node])
        x, y = _hundredths(sample.X[rows, f], scales[f]), _hundredths(sample.y[rows], goal)
        is_there = ~np.isnan(x)
        dots[node] = np.stack([x[is_there], y[is_there]], axis=1).astype(int).ravel().tolist()
    return dots


def _sampled_rows(
    tree: AnyTree, sample: Sample | Reached, splits: Sequence[int], most: int
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield each split with some of its rows: spread evenly over its leaves, or at equal steps of weight."""
    if isinstance(sample, Reached):
        for node in splits:
            here = slice(sample.start[node], sample.start[node + 1])
            yield node, sample.row[here][_evenly(sample.fraction[here], most)]
        return
    order = np.argsort(sample.leaf, kind="stable")  # a subtree's rows are then adjacent
    leaf = sample.leaf[order]
    for node in splits:
        start, stop = np.searchsorted(leaf, [node, subtree_end(tree, node)])
        yield (
            node,
            order[start + np.unique(np.arange(most) * (stop - start) // most)] if stop > start else order[:0],
        )


def _evenly(fraction: np.ndarray, most: int) -> np.ndarray:
    """Return at most `most` places in steps of equal weight."""
    until = np.cumsum(fraction)
    if not len(until):
        return np.zeros(0, np.int64)
    return np.unique(np.searchsorted(until, (np.arange(most) + 0.5) / most * until[-1]))


def _hundredths(x: np.ndarray, scale: Scale) -> np.ndarray:
    return np.round(100 * (x - scale.low) / ((scale.width or 1.0) * scale.bins))


# ---- the range of a column and the bins of its histograms, which are the same in every node that shows it


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

    Bins of whole numbers, tenths or hundredths hold equally many of the possible values: others would show a comb
    that is not in the data.
    """
    if feature.categories:
        return Scale(-0.5, 1.0, len(feature.categories))
    finite = x[np.isfinite(x)]
    if not len(finite):
        return Scale(-0.5, 1.0, 1)
    low, high = float(finite.min()), float(finite.max())
    for unit in (1.0, 0.1, 0.01):
        for some in (finite[:50], finite):  # the first few are enough to rule out measurements
            steps = some / unit
            if np.abs(steps - np.round(steps)).max() > 1e-6:
                break
        else:
            values = round((high - low) / unit) + 1
            step = -(-values // bins)
            return Scale(low - unit / 2, step * unit, -(-values // step))
    return Scale(low, (high - low) / bins, bins)


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
    return card | {"ends": [*_written_ends(feature, ends, spoken())] or ["", ""]}


@lru_cache(maxsize=1_000)  # since all trees of a table have the same
def _written_ends(feature: Feature, ends: tuple[float, ...], _language: str) -> list[str]:
    return all_written(feature, ends)

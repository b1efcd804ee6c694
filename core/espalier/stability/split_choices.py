"""The features and thresholds that trees choose, by depth; and how many a neighbourhood covers.

A cultivated tree replaces the single best cut t0 by a neighbourhood of cuts, since other data would have another
best cut. Nalenz & Augustin (2021, section 3, robust split module) cite Bühlmann & Yu (2002, Analyzing bagging):
split points of bagging without replacement lie within an N^(1/3) neighbourhood of the best one; and take a
slightly larger one of k = √W samples on either side, "due to the suboptimality of found splits in practice".
`windows` measures this: the share of the thresholds, chosen by replicates for a feature at the root, that is
within so many samples of the cut on the whole data::

    choices = split_choices(replicates.trees)                   # SplitChoices: every split of every tree
    at_root = choices.at(feature, 0)                            # choices.threshold[at_root], choices.tree[at_root]
    around = neighbourhoods(data)[feature]                      # cut, low, high, value, weight
    windows(data.X[:, feature], around, choices.threshold[at_root])     # itself, N^(1/3), √N, with their coverage
    reach(away(data.X[:, feature], around.cut, thresholds), 0.9)        # samples on either side that cover 90 %
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.fitting import fit
from espalier.learners.cultivated import CultivatedClassifier, CultivatedRegressor
from espalier.stability.structures import splits_of
from espalier.tree.nodes import midpoint
from espalier.trees import LEAF, AnyTree

ANY_TOLERANCE = 1e9  # of options, so large that every feature with a gain joins


class SplitChoices(NamedTuple):
    """All splits of all trees; arrays (n_splits,)."""

    tree: np.ndarray  # int64: position of the tree
    node: np.ndarray  # int64
    depth: np.ndarray  # int64: 0 at the root
    feature: np.ndarray  # int64: of a cultivated node its first decision's
    threshold: np.ndarray  # float64; nan for categories
    n_trees: int

    def at(self, feature: int, depth: int) -> np.ndarray:
        """Return the positions of the splits on the feature at this depth."""
        return np.flatnonzero((self.feature == feature) & (self.depth == depth))

    def splits(self, n_features: int) -> np.ndarray:
        """Return how many splits at each depth are on each feature, (n_depths, n_features) int64."""
        return self._counted(np.arange(len(self.tree)), n_features)

    def trees(self, n_features: int) -> np.ndarray:
        """Return in how many trees any split at each depth asks each feature, (n_depths, n_features) int64."""
        keys = np.stack([self.tree, self.depth, self.feature])
        return self._counted(np.unique(keys, axis=1, return_index=True)[1], n_features)

    def _counted(self, which: np.ndarray, n_features: int) -> np.ndarray:
        counts = np.zeros((int(self.depth.max(initial=-1)) + 1, n_features), np.int64)
        np.add.at(counts, (self.depth[which], self.feature[which]), 1)
        return counts


def split_choices(trees: Sequence[AnyTree]) -> SplitChoices:
    """Return the splits of all trees, depth by depth, and within a depth tree by tree."""
    splits = [splits_of(tree) for tree in trees]
    start = np.append(0, np.cumsum([len(one.feature) for one in splits]))
    feature, threshold = (np.concatenate([np.empty(0), *(one[i] for one in splits)]) for i in (0, 1))
    left, right = (
        np.concatenate([np.empty(0, np.int64), *(one[i] + at for one, at in zip(splits, start, strict=False))])
        for i in (3, 4)
    )
    here, nodes, depth = start[:-1], [], []
    while len(here := here[feature[here] != LEAF]):
        nodes.append(here)
        depth.append(np.full(len(here), len(depth)))
        here = np.sort(np.concatenate([left[here], right[here]]))
    at = np.concatenate([np.empty(0, np.int64), *nodes])
    tree = np.searchsorted(start, at, "right") - 1
    deep = np.concatenate([np.empty(0, np.int64), *depth])
    return SplitChoices(tree, at - start[tree], deep, feature[at].astype(np.int64), threshold[at], len(trees))


# ---- neighbourhoods on the whole data


class Neighbourhood(NamedTuple):
    """A feature's best cut at the root of the whole data, and the cuts around it."""

    feature: int
    cut: float  # t0: values up to it go left
    value: np.ndarray  # (n_cuts,) ascending
    weight: np.ndarray  # (n_cuts,) phi of each
    impurity: float  # mean impurity over the cuts; the feature with the least is the one a tree splits on

    @property
    def low(self) -> float:
        """The least cut."""
        return float(self.value[0])

    @property
    def high(self) -> float:
        """The greatest cut."""
        return float(self.value[-1])


class Window(NamedTuple):
    """A window around the best cut, given by the number of samples on either side."""

    name: str
    samples: float  # on either side
    low: float
    high: float
    coverage: float  # share of the replicates' thresholds inside; nan where there are none


def neighbourhoods(data: Dataset, k: str | float = "sqrt") -> dict[int, Neighbourhood]:
    """Return, by feature, the neighbourhood of width `k` of every number with a gain at the root.

    These are the decisions at the root of a cultivated tree in which every feature joins; `k` is the estimator's.
    Categories have none.
    """
    make = CultivatedClassifier if data.is_classification else CultivatedRegressor
    one_module = make(max_depth=1, eta=ANY_TOLERANCE, k=k, categorical_features=data.categorical)
    stump = fit(one_module, data, slice(None))
    decisions, cuts = stump.tree_.decisions, stump.tree_.cuts
    by_feature = {}
    for d, (feature, cut) in enumerate(zip(decisions.feature.tolist(), decisions.threshold.tolist(), strict=True)):
        if not np.isnan(cut):
            span = slice(cuts.start[d], cuts.start[d + 1])
            impurity = float(decisions.impurity[d])
            by_feature[feature] = Neighbourhood(feature, cut, cuts.value[span], cuts.weight[span], impurity)
    return by_feature


def tolerances(data: Dataset, k: str | float = "sqrt") -> np.ndarray:
    """Return half the width of each feature's neighbourhood, (n_features,); 0 without one.

    As the tolerance of `structures`, it makes thresholds of plain trees equal that lie within the cultivated
    tree's neighbourhood.
    """
    width = np.zeros(len(data.features))
    for feature, around in neighbourhoods(data, k).items():
        width[feature] = (around.high - around.low) / 2
    return width


def away(column: np.ndarray, cut: float, thresholds: np.ndarray) -> np.ndarray:
    """Return how many samples of the column (n_samples,) are between the cut and each threshold, (m,) int64.

    The cut and each threshold are replaced by the greatest value of the column up to them, which splits the column
    in the same way; a threshold that splits it as the cut does has -1. Missing values (nan) do not count. A
    neighbourhood of k samples on either side takes whole values outwards until it has k; it therefore contains a
    threshold if and only if fewer than k samples are between.
    """
    values = np.sort(column[~np.isnan(column)])
    here, there = (np.searchsorted(values, at, "right") for at in (cut, np.asarray(thresholds, np.float64)))
    own = values[np.maximum(there - 1, 0)]  # the value that replaces a threshold
    begin = np.searchsorted(values, own, "left")
    before = np.searchsorted(values, values[max(int(here) - 1, 0)], "left") - there
    return np.where(there == here, -1, np.where(there > here, begin - here, before))


def covered(samples_away: np.ndarray, k: float) -> float:
    """Return the share of thresholds within k samples of the cut on either side, by `away`.

    Nan if there are none.
    """
    return float((samples_away < k).mean()) if len(samples_away) else np.nan


def reach(samples_away: np.ndarray, share: float) -> int:
    """Return the least whole k whose window covers at least this share of the thresholds; 0: the cut is enough."""
    if not len(samples_away):
        raise ValueError("no threshold was chosen, so there is none to cover")
    nearest = np.sort(samples_away)
    return int(nearest[max(int(np.ceil(share * len(nearest) - 1e-9)), 1) - 1]) + 1


def windows(column: np.ndarray, around: Neighbourhood, thresholds: np.ndarray) -> list[Window]:
    """Return the neighbourhood, and windows of N^(1/3) and √N samples on either side of its cut, with coverages.

    Coverage is the share of the thresholds (m,) inside; N is the number of known values of the column
    (n_samples,).
    """
    between, n = away(column, around.cut, thresholds), int(np.count_nonzero(~np.isnan(column)))
    ends = away(column, around.cut, around.value[[0, -1]])
    inside = (_place(column, thresholds) >= _place(column, around.low)) & (
        _place(column, thresholds) <= _place(column, around.high)
    )
    share = float(inside.mean()) if len(inside) else np.nan
    own = Window("neighbourhood", float(max(ends.max() + 1, 0)), around.low, around.high, share)
    return [own, *(_window(name, column, around.cut, k, between) for name, k in widths(n).items())]


def widths(n: int) -> dict[str, float]:
    """Return the numbers of samples on either side by name: Bühlmann & Yu's rate, and Nalenz & Augustin's."""
    return {"cube root": float(np.cbrt(n)), "square root": n**0.5}


def _window(name: str, column: np.ndarray, cut: float, k: float, between: np.ndarray) -> Window:
    values = np.unique(column[~np.isnan(column)])
    inside = np.flatnonzero(away(column, cut, values) < k)
    cuts = np.append(midpoint(values[:-1], values[1:]), values[-1])  # as in a cultivated tree
    return Window(name, k, float(cuts[inside[0]]), float(cuts[inside[-1]]), covered(between, k))


def _place(column: np.ndarray, at: np.ndarray | float) -> np.ndarray:
    """Return how many known values are at most each of these."""
    return np.searchsorted(np.sort(column[~np.isnan(column)]), at, "right")

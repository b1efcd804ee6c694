"""Records that every part of tree growing reads: the task, the limits of growth, and sweeps over cuts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel

TO_BETTER_SIDE, AS_CATEGORY, BY_SURROGATES = range(3)  # ways of missing values, see `GrowthLimits.missing`


class Task(NamedTuple):
    """Target, weights and criterion."""

    criterion: int  # espalier.kernels.impurity.CODES
    n_classes: int  # 0 for regression
    label: np.ndarray  # (n_samples,) uint16 class of each sample; empty for regression
    y: np.ndarray  # (n_samples,) float64, less its mean; empty for classification
    weight: np.ndarray  # (n_samples,) float64
    unit: bool  # whether every weight is one
    pairs: bool  # two classes and unit weights: the entries of the lists then carry the class
    table: np.ndarray  # x ln x of whole numbers, for classes of unit weight under entropy; else (1,)
    by_ratio: bool = (
        False  # under entropy: whether features compete by gain ratio (espalier.kernels.cart.gain_ratio)
    )


class GrowthLimits(NamedTuple):
    """Limits of growth, as in scikit-learn, and the choice of features at a split."""

    max_depth: int
    min_split: int  # samples that a node needs to be split
    min_leaf: int  # samples
    min_leaf_weight: float
    min_decrease: float  # impurity decrease times the node's share of all weight
    max_leaves: int  # 0: no limit, depth first; otherwise best first
    max_features: int  # features tried at a node
    random: bool  # one random threshold per feature instead of the best
    min_weight: float = 0.0  # least weight of a node that is split
    # Missing values go to the side that gains more; or, at a threshold, to the right, as if beyond all numbers; or
    # a split is chosen without them, and surrogates decide (espalier.kernels.cart.surrogates).
    missing: int = TO_BETTER_SIDE
    max_surrogates: int = 0  # at a node
    one_category: bool = False  # a split on categories parts one of them from all others, instead of any set


class Sweep(NamedTuple):
    """One pass over the cuts of a list: cut i separates entries 0..i (left) from the rest.

    An entry is a row number times two, plus the class for tasks with pairs. Missing values come after the
    `known` entries and go left or right together. Only cuts from `first` to `last` are candidates.
    """

    entries: np.ndarray  # (n,) uint32, ordered by value
    known: int
    column: np.ndarray  # (n_samples,) float64: the feature
    distinct: bool  # whether no two known values of the whole column are equal
    missing_left: bool
    first: int
    last: int


class LevelSweep(NamedTuple):
    """One pass over the cuts of a feature's levels, in the order given; see `Sweep`."""

    order: np.ndarray  # (n_levels,) int64: the levels that occur
    missing_left: bool
    first: int
    last: int
    sums: np.ndarray  # (65, n_sums) float64 by level
    counts: np.ndarray  # (65,) int64 samples by level


class Split(NamedTuple):
    """A split of one node on one feature; feature -1 stands for no split."""

    score: float  # S(left) + S(right); see espalier.kernels.impurity
    feature: int
    cut: int  # position in the feature's list
    threshold: float  # nan for categories, and for cuts of sorted lists before the best one is known
    categories: int  # uint64 mask of those that go left
    missing_left: bool


class SearchWorkspace(NamedTuple):
    """Scratch memory for the search on one feature."""

    sums: np.ndarray  # (65, n_sums) float64, by level
    counts: np.ndarray  # (65,) int64, by level
    up_to: np.ndarray  # float64: see espalier.kernels.cart.level_counts.count_levels
    best: np.ndarray  # (width,) float64: see espalier.kernels.cart.level_counts.score_levels
    levels: np.ndarray  # (65,) int64
    sequence: np.ndarray  # (n_samples,) uint32, for absolute error and Poisson; else (1,)
    state: np.ndarray  # (1,) uint64: random state


@kernel
def midpoint(low, high):
    """Return a threshold t with low <= t < high: the midpoint, or low if rounding moves the midpoint outside."""
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low

"""What trees from redrawn data ask and answer: their features and thresholds by depth, and how far they agree.

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
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.fitting import fit
from espalier.kernels.cultivated.fractions import Slice, predict_slice
from espalier.learners.cultivated import CultivatedClassifier, CultivatedRegressor
from espalier.predict import predictions, samples_over, shares
from espalier.stability.structures import ROUNDING, Equality, check_equality, ends_of, pool_splits, splits_of
from espalier.tree.nodes import midpoint
from espalier.trees import LEAF, AnyTree, CultivatedTree

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
        return self._count(np.arange(len(self.tree)), n_features)

    def trees(self, n_features: int) -> np.ndarray:
        """Return in how many trees any split at each depth asks each feature, (n_depths, n_features) int64."""
        keys = np.stack([self.tree, self.depth, self.feature])
        return self._count(np.unique(keys, axis=1, return_index=True)[1], n_features)

    def _count(self, which: np.ndarray, n_features: int) -> np.ndarray:
        counts = np.zeros((int(self.depth.max(initial=-1)) + 1, n_features), np.int64)
        np.add.at(counts, (self.depth[which], self.feature[which]), 1)
        return counts


def split_choices(trees: Sequence[AnyTree]) -> SplitChoices:
    """Return the splits of all trees, depth by depth, and within a depth tree by tree."""
    pool, start = pool_splits([splits_of(tree) for tree in trees])
    here, nodes, depth = start, [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    while len(here := here[pool.feature[here] != LEAF]):
        depth.append(np.full(len(here), len(depth) - 1))
        nodes.append(here)
        here = np.sort(np.concatenate([pool.left[here], pool.right[here]]))
    at = np.concatenate(nodes)
    tree = np.searchsorted(start, at, "right") - 1
    return SplitChoices(
        tree, at - start[tree], np.concatenate(depth), pool.feature[at], pool.threshold[at], len(trees)
    )


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
    result = {}
    for d, (feature, cut) in enumerate(zip(decisions.feature.tolist(), decisions.threshold.tolist(), strict=True)):
        if not np.isnan(cut):
            span = slice(cuts.start[d], cuts.start[d + 1])
            impurity = float(decisions.impurity[d])
            result[feature] = Neighbourhood(feature, cut, cuts.value[span], cuts.weight[span], impurity)
    return result


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


def coverage_of(samples_away: np.ndarray, k: float) -> float:
    """Return the share of thresholds within k samples of the cut on either side, by `away`.

    Nan if there are none.
    """
    return float((samples_away < k).mean()) if len(samples_away) else np.nan


def windows(column: np.ndarray, around: Neighbourhood, thresholds: np.ndarray) -> list[Window]:
    """Return the neighbourhood, and windows of N^(1/3) and √N samples on either side of its cut, with coverages.

    Coverage is the share of the thresholds (m,) inside; N is the number of known values of the column
    (n_samples,).
    """
    between, n = away(column, around.cut, thresholds), int(np.count_nonzero(~np.isnan(column)))
    ends = away(column, around.cut, around.value[[0, -1]])
    values = np.sort(column[~np.isnan(column)])
    places, low, high = (np.searchsorted(values, at, "right") for at in (thresholds, around.low, around.high))
    inside = (low <= places) & (places <= high)
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
    return Window(name, k, float(cuts[inside[0]]), float(cuts[inside[-1]]), coverage_of(between, k))


# ---- predictions of trees from redrawn data for the same rows: pairwise agreement and variance

AT_ONCE = 32  # trees whose answers are in memory at a time


class Agreement(NamedTuple):
    """Agreement of trees over all pairs of different trees."""

    by_row: np.ndarray  # (n_samples,): classes: share of pairs that agree; numbers: mean difference of a pair, see
    #                     `pairwise_difference`
    mean: float  # over the rows; of numbers their root mean square


def votes_of(trees: Sequence[AnyTree], X: np.ndarray, n_threads: int = 1) -> np.ndarray:
    """Return each tree's class number (int64) or number (float64) for each row of X, (n_trees, n_samples)."""
    X = np.asfortranarray(X, dtype=np.float64)
    with ThreadPoolExecutor(n_threads) as pool:
        return np.stack(list(pool.map(lambda tree: predictions(tree, X), trees)))


def pairwise_agreement(votes: np.ndarray) -> Agreement:
    """Return the share of pairs of trees that vote alike, from votes (n_trees, n_samples) int64 (class numbers).

    Of n trees, n_c of which vote for class c, n_c (n_c - 1) of n (n - 1) ordered pairs agree on it.
    Raises ValueError for fewer than two trees.
    """
    _demand(votes)
    n, alike = len(votes), np.zeros(votes.shape[1])
    for k in range(int(votes.max(initial=0)) + 1):
        count = (votes == k).sum(axis=0)
        alike += count * (count - 1.0)
    shares = alike / (n * (n - 1))
    return Agreement(shares, float(shares.mean()))


def pairwise_difference(numbers: np.ndarray) -> Agreement:
    """Return the root mean squared difference between two trees' predictions (n_trees, n_samples), over all pairs.

    That is √2 times the standard deviation. Raises ValueError for fewer than two trees.
    """
    _demand(numbers)
    squares = 2 * numbers.var(axis=0, ddof=1)
    return Agreement(np.sqrt(squares), float(np.sqrt(squares.mean())))


def _demand(answers: np.ndarray) -> None:
    if len(answers) < 2:
        raise ValueError("one tree has none to agree with; there must be at least two")


def spread(trees: Sequence[AnyTree], X: np.ndarray, n_threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance of the trees' predictions for each row of X (n_samples, n_features).

    The mean is (n_samples, n_outputs), the variance (n_samples,): of a number, or of class shares half the summed
    variances. It is that between trees (divisor n_trees), not that within a cultivated tree. The result does not
    depend on the number of threads. Raises ValueError for no trees.
    """
    X = np.asfortranarray(X, dtype=np.float64)
    return _over(trees, lambda tree: shares(tree, X), n_threads)


def surface(trees: Sequence[AnyTree], plane: Slice, n_threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return the `spread` in the cells of a plane of one or two features, x fastest: a map of instability."""
    cells = cells_of(plane)

    def ask(tree: AnyTree) -> np.ndarray:
        if isinstance(tree, CultivatedTree):
            return predict_slice(tree, plane)[0].reshape(len(cells), -1)
        return shares(tree, cells)

    return _over(trees, ask, n_threads)


def cells_of(plane: Slice) -> np.ndarray:
    """Return the sample in each cell, (ny * nx, n_features), x fastest."""
    return np.asfortranarray(samples_over(plane.axes, (plane.x, plane.y), plane.held))


def _over(
    trees: Sequence[AnyTree], ask: Callable[[AnyTree], np.ndarray], n_threads: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance over the trees of the results of `ask` (n_samples, n_outputs).

    By Welford (1962).
    """
    if not trees:
        raise ValueError("there are no trees to ask")
    mean = squares = np.zeros((1, 1))
    with ThreadPoolExecutor(n_threads) as pool:
        for start in range(0, len(trees), AT_ONCE):  # not all answers in memory at a time
            for number, value in enumerate(pool.map(ask, trees[start : start + AT_ONCE]), start + 1):
                off = value - mean
                mean = mean + off / number
                squares = squares + off * (value - mean)
    variance = squares.sum(axis=1) / len(trees)
    return mean, variance / (2 if mean.shape[1] > 1 else 1)


# ---- how often each split of a tree comes back in trees from redrawn data


# A split *comes back* in another tree if that tree has an equal split in the same place, and all splits on the
# way there are equal, too: from both roots, the same turns to the left and right pass the same questions. An
# `Equality` says which splits are equal, as for the structures of whole trees (Zhou & Hooker 2016, section 4.1.2,
# compare trees down to a depth by covariates and the values they are split at). So the root comes back as often
# as the tree's structure of depth 1, and no split comes back more often than the one above it.
class SplitRecurrence(NamedTuple):
    """How often each split of a tree came back."""

    times: np.ndarray  # (n_nodes,) int64: trees in which it came back; 0 at leaves
    n_trees: int  # that were searched for it

    @property
    def share(self) -> np.ndarray:
        """The share of the trees in which each split came back, (n_nodes,) float64; 0 at leaves."""
        return self.times / self.n_trees


class _Splits(NamedTuple):
    """The splits of one tree, or of several one after the other; arrays (n_nodes,), but `start`."""

    feature: np.ndarray
    threshold: np.ndarray
    categories: np.ndarray
    left: np.ndarray  # positions in these arrays
    right: np.ndarray
    low: np.ndarray  # of the neighbourhood; the threshold itself in a plain tree
    high: np.ndarray
    is_soft: np.ndarray  # bool: whether the tree is a cultivated one
    start: np.ndarray  # (n_trees,) positions of the roots


def split_recurrence(
    tree: AnyTree,
    others: Sequence[AnyTree],
    equality: Equality = Equality("features"),  # noqa: B008
) -> SplitRecurrence:
    """Return how often each split of the tree comes back in the others; see the head of this file.

    Cultivated trees are compared by the first decision of every node. Raises ValueError if there are no others,
    for equality as functions or an unknown one, and for trees whose splits weigh several features.

    >>> from espalier.analysis import Plan, Redraw, replicate
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris, learner = samples.load("iris"), CartClassifier(max_depth=2)
    >>> others = replicate(learner, iris, Plan(Redraw("bootstrap"), n_replicates=20)).trees
    >>> split_recurrence(learner.fit(iris.X, iris.y).tree_, others).times.tolist()
    [18, 0, 5, 0, 0]
    """
    if not others:
        raise ValueError("there are no other trees in which a split could come back")
    kinds = ("features", "exact", "tolerance", "neighbourhood")
    if equality.kind not in kinds:
        raise ValueError(f"splits cannot be compared by {equality.kind!r}; there are {', '.join(kinds)}")
    own, pool = _pool([tree]), _pool(others)
    here = np.full((len(own.feature), len(others)), LEAF, np.int64)  # the node in the same place; LEAF: none
    here[0] = pool.start
    count = np.zeros(len(own.feature), np.int64)
    for node in np.flatnonzero(own.feature != LEAF):  # preorder: a parent stands before its children
        again = np.flatnonzero(here[node] != LEAF)
        again = again[_are_equal(own, int(node), pool, here[node, again], equality)]
        count[node] = len(again)
        here[own.left[node], again] = pool.left[here[node, again]]
        here[own.right[node], again] = pool.right[here[node, again]]
    return SplitRecurrence(count, len(others))


def counterparts(tree: AnyTree, other: AnyTree) -> np.ndarray:
    """Return the node of the other tree in the place of each node, (n_nodes,) int64; -1 where it has none.

    A place is the turns to the left and right from the root; what is asked there does not count.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> small, large = (CartClassifier(max_depth=d).fit(iris.X, iris.y).tree_ for d in (1, 2))
    >>> counterparts(large, small).tolist()
    [0, 1, 2, -1, -1]
    """
    place = np.full(tree.n_nodes, LEAF, np.int64)
    place[0] = 0
    for node in np.flatnonzero(tree.left != LEAF):
        if place[node] != LEAF:
            place[tree.left[node]] = other.left[place[node]]
            place[tree.right[node]] = other.right[place[node]]
    return place


def _pool(trees: Sequence[AnyTree]) -> _Splits:
    """Return the splits of the trees, one tree after the other."""
    splits, start = pool_splits([splits_of(tree) for tree in trees])
    low, high = (np.concatenate(ends) for ends in zip(*map(ends_of, trees), strict=True))
    soft = np.repeat([isinstance(tree, CultivatedTree) for tree in trees], [tree.n_nodes for tree in trees])
    return _Splits(*splits, low, high, soft, start)


def _are_equal(own: _Splits, node: int, pool: _Splits, others: np.ndarray, equality: Equality) -> np.ndarray:
    """Return which of the other nodes (n,) have a split equal to that of the node, (n,) bool."""
    same = pool.feature[others] == own.feature[node]
    if equality.kind == "features":
        return same
    is_set = np.isnan(own.threshold[node])
    same &= (np.isnan(pool.threshold[others]) == is_set) & (pool.categories[others] == own.categories[node])
    return same if is_set else same & _are_near(own, node, pool, others, equality)


def _are_near(own: _Splits, node: int, pool: _Splits, others: np.ndarray, equality: Equality) -> np.ndarray:
    """Return whose thresholds are equal, or near enough, to that of the node, (n,) bool."""
    cut, cuts = own.threshold[node], pool.threshold[others]
    near = cuts == cut
    if equality.kind in ("exact", "function"):
        return near
    width = np.asarray(equality.tolerance, dtype=np.float64)
    most = float(width if width.ndim == 0 else width[own.feature[node]])
    with np.errstate(invalid="ignore"):  # of inf and inf, which are equal
        near |= np.abs(cuts - cut) <= most * ROUNDING
    if equality.kind == "tolerance":
        return near
    both = (own.low[node] <= cuts) & (cuts <= own.high[node])
    both &= (pool.low[others] <= cut) & (cut <= pool.high[others])
    return np.where(own.is_soft[node] & pool.is_soft[others], both, near)


# ---- the first node at which two trees differ


class FirstDifference(NamedTuple):
    """The first node, depth by depth from left to right, at which two trees differ."""

    what: str  # "feature", "threshold", "categories"; "leaf": the tree has a leaf, the other splits; "split"
    way: tuple[bool, ...]  # path from the root: whether to the left
    node: int  # in the tree
    other: int  # in the other tree

    @property
    def depth(self) -> int:
        """Depth of the node; the root is at 0."""
        return len(self.way)


def difference(tree: AnyTree, other: AnyTree, max_depth: int, equality: Equality) -> FirstDifference | None:
    """Return the first node above `max_depth` at which the trees differ, depth by depth, left to right; or None.

    Two trees of one group may differ if the equality is not transitive; trees compared as functions are
    distinguished by features and exact thresholds.
    """
    check_equality(equality)
    own, pool = _pool([tree]), _pool([other])
    here: list[tuple[tuple[bool, ...], int, int]] = [((), 0, 0)]
    for _ in range(max_depth):
        below = []
        for way, a, b in here:
            what = _differs(own, a, pool, b, equality)
            if what:
                return FirstDifference(what, way, a, b)
            if tree.left[a] != LEAF:
                below.append(((*way, True), int(tree.left[a]), int(other.left[b])))
                below.append(((*way, False), int(tree.right[a]), int(other.right[b])))
        here = below
    return None


def _differs(own: _Splits, a: int, pool: _Splits, b: int, equality: Equality) -> str:
    """Return the difference of two nodes; empty if there is none."""
    feature, other = int(own.feature[a]), int(pool.feature[b])
    if feature != other:
        return "leaf" if feature == LEAF else "split" if other == LEAF else "feature"
    if feature == LEAF or _are_equal(own, a, pool, np.array([b]), equality)[0]:
        return ""
    return "categories" if np.isnan([own.threshold[a], pool.threshold[b]]).any() else "threshold"

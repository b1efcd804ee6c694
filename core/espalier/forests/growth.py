"""A forest tree by tree: answers and errors of its first trees, importance by shuffling, coverage of intervals."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple, TypeAlias, cast

import numpy as np
from joblib import effective_n_jobs

from espalier.data.roles import weighted_mean
from espalier.kernels.forest.out_of_bag import LeafSamples, OutOfBag, WeightedTarget, rise
from espalier.kernels.forest.packed import pack_forest, rows_of
from espalier.kernels.route import averages, shares_of_rows
from espalier.kinds import are_boxes, are_cultivated
from espalier.language import Refusal
from espalier.learners.conventions import gains_of
from espalier.learners.forests.forest import (
    ForestOfClasses,
    ForestOfNumbers,
    interval_levels,
    judge_any,
    quantiles_by,
)
from espalier.predict import check_votes, linked, packed, samples_over, shares, staged, winners
from espalier.trees import Forest, Tree, is_leaf, read_only

LEAST = 1e-300  # least sum of votes to divide by: trees without any vote predict nothing


def first_trees(forest: Forest, X: np.ndarray, counts: Sequence[int]) -> list[np.ndarray]:
    """Return predictions of the first 1, 2, … trees for X: (n_rows, n_outputs) for each of `counts`.

    Weighted means or sums, as for the whole forest; `counts` ascend. Raises ValueError for a count beyond the
    trees.
    """
    if list(counts) != [n for n in range(1, forest.n_trees + 1) if n in counts] or not counts:
        raise ValueError(f"{list(counts)} are no ascending numbers of trees from 1 to {forest.n_trees}")
    if forest.combine == "sum":
        parts = (forest._replace(trees=forest.trees[:n], weight=forest.weight[:n]) for n in counts)
        return [shares(part, X) for part in parts]
    predictions, total = [], np.zeros((len(X), forest.trees[0].value.shape[1]))
    for before, count in pairwise([0, *counts]):
        more = forest._replace(trees=forest.trees[before:count], weight=forest.weight[before:count])
        total = total + shares(more, X)
        predictions.append(total / max(float(forest.weight[:count].sum()), LEAST))
    return predictions


def judge(
    forest: Forest,
    X: np.ndarray,
    y: np.ndarray,
    in_bag: np.ndarray | None = None,
    weight: np.ndarray | None = None,
) -> OutOfBag:
    """Return the errors against y (n,) of each row of X (n, n_features), by the trees that did not see it.

    `in_bag` (n_trees, n) is how often each tree saw each row; None: no tree saw any. Classes are numbers; the
    error of the first 1, 2, … trees is their share of wrong classes, or the mean squared difference, by `weight`
    (n,) where rows do not count the same. Raises ValueError for a boosted sum with an `in_bag`: without some of
    its steps it predicts nothing.
    """
    if forest.combine == "sum" and in_bag is None:
        return _judged_sum(forest, X, y, weight)
    in_bag = np.zeros((forest.n_trees, len(X)), np.uint8) if in_bag is None else in_bag
    counts = np.ones(len(y)) if weight is None else weight
    target = WeightedTarget(np.asarray(y, np.float64), counts, bool(len(forest.prior)), forest.prior)
    return judge_any(forest, packed(forest), np.asfortranarray(X), in_bag, target)


def _judged_sum(forest: Forest, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> OutOfBag:
    """Return the predictions of a boosted sum, and the error after each of its trees."""
    value, errors = linked(forest, np.zeros((len(X), len(forest.start)))), []
    for value in staged(forest, X):
        off = winners(value, forest.prior) != y if len(forest.prior) else (value[:, 0] - y) ** 2
        errors.append(weighted_mean(off, weight))
    return OutOfBag(value, np.array(errors))


def own_errors(
    forest: Forest,
    X: np.ndarray,
    y: np.ndarray,
    in_bag: np.ndarray | None = None,
    weight: np.ndarray | None = None,
) -> np.ndarray:
    """Return the error of each tree on the rows that it did not see, (n_trees,).

    It is nan for a tree that saw all of them. Arguments as for `judge`.
    """
    check_votes(forest)
    X, errors = np.asfortranarray(X), np.full(forest.n_trees, np.nan)
    for number, tree in enumerate(forest.trees):
        unseen = np.ones(len(X), bool) if in_bag is None else in_bag[number] == 0
        if unseen.any():
            prediction = shares(tree, X[unseen])
            off = (
                prediction.argmax(axis=1) != y[unseen]
                if len(forest.prior)
                else (prediction[:, 0] - y[unseen]) ** 2
            )
            errors[number] = weighted_mean(off, None if weight is None else weight[unseen])
    return errors


def gains(forest: Forest, n_features: int) -> np.ndarray:
    """Return the decrease of impurity by the splits on each feature, summed over the trees, (n_features,).

    Breiman et al. (1984), section 5.3, without surrogates; the options of a module share its decrease.
    """
    return sum((gains_of(tree, n_features) for tree in forest.trees), np.zeros(n_features))


# ---- answers of a forest's first trees over a plane: exact partial dependence (Friedman, 2001)

CORNERS = ((0, 0, 1.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 1.0))  # low or high along x, and y; its sign


def can_average(forest: Forest) -> bool:
    """Whether the mean of the forest's answers is that of its trees: not of sums that pass through a link.

    >>> from espalier.data import samples
    >>> from espalier.learners import GradientBoostingClassifier, RandomForestClassifier
    >>> iris = samples.load("iris")
    >>> kinds = RandomForestClassifier(n_estimators=2), GradientBoostingClassifier(n_estimators=2)
    >>> [can_average(kind.fit(iris.X, iris.y).forest_) for kind in kinds]
    [True, False]
    """
    return forest.link == "identity" and are_boxes(forest)


def averages_of_first(
    forest: Forest, axes: Sequence[int], at: Sequence[np.ndarray], rows: np.ndarray, counts: Sequence[int]
) -> list[np.ndarray]:
    """Return the mean answers of the first 1, 2, … trees: (n_cells, n_outputs) for each of `counts`, x fastest.

    `at` has the values along each of one or two axes, ascending; `rows` (n_rows, n_features) keep their own values
    of all other features. The forest is one that `can_average`; `counts` ascend.
    """
    total, means = 0.0, []
    trees = cast("Sequence[Tree]", forest.trees)
    if forest.combine == "votes":  # a whole vote in each leaf
        values = (read_only(np.eye(tree.value.shape[1])[tree.value.argmax(axis=1)]) for tree in trees)
        trees = [tree._replace(value=value) for tree, value in zip(trees, values, strict=True)]
    for before, count in pairwise([0, *counts]):
        for tree, weight in zip(trees[before:count], forest.weight[before:count], strict=True):
            total = total + weight * _average(tree, axes, at, rows)
        weights = float(forest.weight[:count].sum())
        means.append(total + forest.start if forest.combine == "sum" else total / max(weights, LEAST))
    return means


def _average(tree: Tree, axes: Sequence[int], at: Sequence[np.ndarray], rows: np.ndarray) -> np.ndarray:
    share = shares_of_rows(tree, rows, axes)
    if np.isnan(tree.threshold[np.isin(tree.feature, axes)]).any():  # a set of categories is no box
        return averages(tree, samples_over(axes, at, rows[0]), axes, share)
    leaf = is_leaf(tree) & (share > 0)
    low, high = _boxes(tree, axes, at)
    ends, says = (low[leaf], high[leaf]), share[leaf, np.newaxis] * tree.value[leaf]
    size = [len(values) for values in at] + [1] * (2 - len(at))
    plane = np.zeros((size[1] + 1, size[0] + 1, says.shape[1]))
    for x, y, sign in CORNERS:
        np.add.at(plane, (ends[y][:, 1], ends[x][:, 0]), sign * says)
    return plane.cumsum(axis=0).cumsum(axis=1)[:-1, :-1].reshape(-1, says.shape[1])


def _boxes(tree: Tree, axes: Sequence[int], at: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the first cell of each node's box, and one past the last, along x and y: both (n_nodes, 2)."""
    low, high = np.zeros((tree.n_nodes, 2), np.int64), np.ones((tree.n_nodes, 2), np.int64)
    high[0, : len(at)] = [len(values) for values in at]
    nodes = np.zeros(1, np.int64)
    while nodes.size:
        nodes = nodes[tree.feature[nodes] >= 0]
        left, right = tree.left[nodes], tree.right[nodes]
        low[left], low[right], high[left], high[right] = low[nodes], low[nodes], high[nodes], high[nodes]
        for j, axis in enumerate(axes):
            here = tree.feature[nodes] == axis
            cut = np.searchsorted(at[j], tree.threshold[nodes[here]], side="right")
            high[left[here], j] = np.minimum(high[left[here], j], cut)
            low[right[here], j] = np.maximum(low[right[here], j], cut)
        nodes = np.concatenate([left, right])
    return low, np.maximum(low, high)


# ---- permutation importance: how much worse a forest's trees become if a feature's values are shuffled

AnyForest: TypeAlias = ForestOfClasses | ForestOfNumbers


class Importance(NamedTuple):
    """Increase of the out-of-bag error of the trees after shuffling a feature."""

    # (n_features,): mean over the trees; error is the share of wrong classes, or the mean squared error
    mean: np.ndarray
    spread: np.ndarray  # (n_features,): standard deviation over the trees
    rises: np.ndarray  # (n_trees, n_features): for each tree with out-of-bag samples

    @property
    def error(self) -> np.ndarray:
        """Standard error of the mean over the trees, s / √(number of trees), (n_features,); nan for a single tree.

        Covers the chance in growing the trees, not that in the data.
        """
        n = len(self.rises)
        return self.rises.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.full(len(self.mean), np.nan)


def permutation_importance(forest: AnyForest, X, y, sample_weight=None, seed: int = 0) -> Importance:
    """Return the permutation importance on out-of-bag samples (Breiman 2001, section 10).

    X (n_samples, n_features), y (n_samples,) and sample_weight (n_samples,) must be those given to `forest.fit`.
    Raises ValueError if they cannot be, if every tree saw every sample, or for cultivated trees.

    >>> from espalier.data import samples
    >>> from espalier.learners import RandomForestClassifier
    >>> iris = samples.load("iris")
    >>> forest = RandomForestClassifier(n_estimators=20, random_state=0).fit(iris.X, iris.y)
    >>> iris.features[permutation_importance(forest, iris.X, iris.y).mean.argmax()].name
    'petal length'
    """
    in_bag = forest.in_bag()
    y = np.asarray(y)
    if isinstance(forest, ForestOfClasses):
        if not np.isin(y, forest.classes_).all():
            raise ValueError("y has classes that the forest did not grow on")
        y = np.searchsorted(forest.classes_, y)
    weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
    is_classifier = isinstance(forest, ForestOfClasses)
    X, target = rows_of(X), WeightedTarget(y.astype(np.float64), weight.astype(np.float64), is_classifier)
    _check_shapes(X, target, (in_bag.shape[1], forest.n_features_in_))
    return importance_of(forest.forest_, X, target, in_bag, seed, effective_n_jobs(forest.n_jobs or 1))


def importance_of(
    forest: Forest, X: np.ndarray, target: WeightedTarget, in_bag: np.ndarray, seed: int = 0, n_threads: int = 1
) -> Importance:
    """Return `permutation_importance` on any rows X (n_samples, n_features); trees predict only unseen samples.

    in_bag (n_trees, n_samples) is how often a tree saw a sample.
    """
    check_votes(forest)
    if are_cultivated(forest):
        raise Refusal(
            "a sample is in several leaves of a cultivated tree, and shuffling is done for one leaf only"
        )
    X, packed = rows_of(X), pack_forest(forest)
    seeds = np.random.default_rng(seed).integers(2**31, size=len(in_bag))

    def rise_of_tree(number: int) -> np.ndarray | None:
        left_out = np.flatnonzero((in_bag[number] == 0) & (target.weight > 0))
        if len(left_out) == 0:
            return None
        judges = target._replace(y=target.y[left_out], weight=target.weight[left_out])
        return rise(packed, number, X[left_out], judges, int(seeds[number]))

    with ThreadPoolExecutor(n_threads) as pool:
        rises = [each for each in pool.map(rise_of_tree, range(len(in_bag))) if each is not None]
    if not rises:
        raise Refusal("every tree saw every sample; grow the forest with bootstrap=True, on more samples")
    table = np.stack(rises)
    return Importance(table.mean(axis=0), table.std(axis=0), table)


def _check_shapes(X: np.ndarray, target: WeightedTarget, shape: tuple[int, int]) -> None:
    if X.shape != shape:
        raise ValueError(f"the forest grew on X of shape {shape}; this X has the shape {X.shape}")
    for name, array in (("y", target.y), ("sample_weight", target.weight)):
        if array.shape != shape[:1]:
            raise ValueError(f"{name} has the shape {array.shape}; X has {shape[0]} samples")


# ---- how often the intervals of a regression forest hold, on samples that its trees have not seen

COVERAGES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)  # coverages that are measured


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
    forest: Forest, samples: LeafSamples, judged: JudgedSamples, stated: tuple[float, ...] = COVERAGES
) -> IntervalCoverage:
    """Return how often intervals of the stated coverages hold, each sample judged by trees that have not seen it.

    Examples
    --------
    >>> from espalier.data import samples
    >>> from espalier.learners import RandomForestRegressor
    >>> sine = samples.load("sine")
    >>> model = RandomForestRegressor(keep_leaves=True, min_samples_leaf=5, random_state=0).fit(sine.X, sine.y)
    >>> judged = JudgedSamples(sine.X, sine.y, model.in_bag())
    >>> coverage = interval_coverage(model.forest_, model.leaf_samples_, judged, (0.5, 0.9))
    >>> coverage.n_samples == len(sine.y), bool(coverage.measured[0] < coverage.measured[1])
    (True, True)
    """
    levels = np.array([interval_levels(share) for share in stated]).ravel()
    ends = quantiles_by(forest, samples, judged.X, levels, judged.seen).reshape(len(judged.X), len(stated), 2)
    has_ends = ~np.isnan(ends[:, 0, 0])
    low, high, y = ends[has_ends, :, 0], ends[has_ends, :, 1], judged.y[has_ends, None]
    if not has_ends.any():
        nothing = np.full(len(stated), np.nan)
        return IntervalCoverage(np.array(stated), nothing, nothing, 0)
    inside = (low <= y) & (y <= high)
    weight = None if judged.weight is None else judged.weight[has_ends]
    share, width = (np.average(part, axis=0, weights=weight) for part in (inside, high - low))
    return IntervalCoverage(np.array(stated), share, width, int(has_ends.sum()))

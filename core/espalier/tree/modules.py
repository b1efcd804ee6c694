"""Ensemble modules in detail: why a node's split is soft, and how a prediction is composed.

Modules are recomputed from the samples and the definitions alone (Nalenz & Augustin 2021, section 3), without the
kernels that grow trees, so that each checks the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.kernels.cultivated.fractions import fractions_of, reach
from espalier.learners.pruning import prices
from espalier.tree import nodes
from espalier.tree.impurity import SortedTarget, node_impurity, sides, target
from espalier.trees import CultivatedTree, depths, is_leaf, make_cultivated, parents, prune_to

TIE = 1e-10  # impurities that differ by less are tied, in units of `unit_of`
LEAST_GAIN = 1e-9  # least gain of a split, in the same units
EMPTY = 1e-12  # a neighbourhood with less of k than this is empty
WIDTHS = {"sqrt": (1.0, 0.5), "cbrt": (1.0, 1 / 3), "all": (1.0, 1.0)}  # k = scale * W ** power


class CultivatedAnswer(NamedTuple):
    """A tree's prediction for one sample, with the leaves that it is composed of."""

    mean: np.ndarray  # (n_outputs,) weighted mean of the leaves' values
    spread: float  # sigma, as `espalier.kernels.cultivated.fractions.predict` defines it
    leaves: np.ndarray  # (n,) int64: leaves with a fraction of the sample, the largest first
    fractions: np.ndarray  # (n,) float64; they sum to 1
    spreads: np.ndarray  # (n_outputs,) standard deviation of each output over the leaves, by fractions


def answer(tree: CultivatedTree, x: np.ndarray) -> CultivatedAnswer:
    """Return the tree's prediction for the sample x (n_features,)."""
    fraction = np.where(is_leaf(tree), fractions_of(tree, x), 0.0)
    leaves = np.argsort(-fraction, kind="stable")[: np.count_nonzero(fraction)]
    mean = fraction[leaves] @ tree.value[leaves]
    variance = fraction[leaves] @ (tree.value[leaves] - mean) ** 2
    spread = math.sqrt(variance.sum() / (2 if len(mean) > 1 else 1))
    return CultivatedAnswer(mean, spread, leaves, fraction[leaves], np.sqrt(variance))


def leading_leaves(tree: CultivatedTree, x: np.ndarray, n: int) -> list[tuple[int, float]]:
    """Return the n leaves with the largest fractions of the sample x (n_features,), each with its fraction."""
    all_leaves = answer(tree, x)
    return list(zip(all_leaves.leaves[:n].tolist(), all_leaves.fractions[:n].tolist(), strict=True))


class Habits(NamedTuple):
    """Those parameters of `CultivatedClassifier` that form modules: softness, and columns that are left out."""

    k: str | float = "sqrt"  # weight on either side of t0, 0 without robust splits
    eta: float = 0.3  # tolerance of the root, 0 without options
    share_power: float = 0.0
    thresholds: str = "midpoint"
    left_out: tuple[int, ...] = ()  # features that no split asks about

    @property
    def is_sharp(self) -> bool:
        """Whether every node has one cut of one feature, as in CART."""
        return self.k == 0 and self.eta == 0


class Offer(NamedTuple):
    """Possible cuts of one feature in a node: all cuts, the best one t0, and the neighbourhood T(t0) around it."""

    feature: int
    is_category: bool
    value: np.ndarray  # (m,) cuts, ascending; codes of categories in order of their mean target
    impurity: np.ndarray  # (m,) after a cut at each, per unit of weight
    left_weight: np.ndarray  # (m,) at most the cut, with what is missing divided as the known weight is
    phi: np.ndarray  # (m,) weight of each cut in T(t0), 0 outside
    at: int  # position of t0; -1 where no cut gains anything
    mean_impurity: float  # h_j, over T(t0) by phi; inf where no cut gains anything
    turn: np.ndarray  # (n_targets,) how the mean target changes from the left of t0 to its right
    between: np.ndarray  # (m,) bool: the cut lies between two values of the node, not on one
    missing_left: np.ndarray  # (m,) bool: missing values go left, as a whole; False also where they are divided

    @property
    def near(self) -> slice:
        """Positions of T(t0) among the cuts; empty if no cut gains anything."""
        inside = np.flatnonzero(self.phi)
        return slice(int(inside[0]), int(inside[-1]) + 1) if len(inside) else slice(0, 0)

    @property
    def part(self) -> np.ndarray:
        """Fraction psi of a sample with each value that is at most the cuts, (m,)."""
        above = np.cumsum(self.phi[::-1])[::-1]
        return above / max(float(self.phi.sum()), 1e-300)


class Module(NamedTuple):
    """The offers of all features at a node, and their shares in its module."""

    offers: list[Offer]  # in order of mean impurity; equal ones in the order of features
    shares: np.ndarray  # (n_features,) share of each offer in the pooled decision, 0 outside the module
    reversed: np.ndarray  # (n_features,) bool: for each offer, whether values up to the cuts go right
    node_impurity: float
    tolerance: float  # eta_l
    k: float  # weight on either side of t0

    @property
    def limit(self) -> float:
        """Mean impurity up to which features join: h_min + eta_l."""
        return self.offers[0].mean_impurity + self.tolerance


def unit_of(tree: CultivatedTree, is_classification: bool) -> float:
    """Return the unit of tolerances: 1 for gini; for regression twice the variance, so that both mean the same."""
    return 1.0 if is_classification else 2 * float(tree.impurity[0])


def module(dataset: Dataset, tree: CultivatedTree, node: int, weight: np.ndarray, habits: Habits) -> Module:
    """Return the module of a node, from the weights (n_samples,) of all samples in it: weight times fraction.

    Samples of weight 0 are not in the node. The module is computed whether or not the node is split.
    """
    rows = np.flatnonzero(weight)
    unit = unit_of(tree, dataset.is_classification)
    goal = _target(dataset, tree, rows, weight[rows])
    width = width_of(habits.k, float(weight[rows].sum()))
    offers = [
        _sharp_offer(feature, bool(is_category), dataset.X[rows, feature], goal, habits.thresholds)
        if habits.is_sharp
        else _offer(feature, bool(is_category), dataset.X[rows, feature], goal, width, unit, habits.thresholds)
        for feature, is_category in enumerate(dataset.categorical)
        if feature not in habits.left_out
    ]
    tolerance = habits.eta * unit / (int(depths(tree)[node]) + 1) ** 3
    return _pool_offers(offers, goal, tolerance, unit, habits.share_power)._replace(k=width)


def record_shares(module: Module, tree: CultivatedTree, node: int) -> Module:
    """Replace shares and directions by those of the tree, in which features may be missing by chance."""
    decisions = range(int(tree.decisions.start[node]), int(tree.decisions.start[node + 1]))
    of = {int(tree.decisions.feature[d]): d for d in decisions}
    here = [of.get(offer.feature, -1) for offer in module.offers]
    shares = [float(tree.decisions.share[d]) if d >= 0 else 0.0 for d in here]
    directions = [
        bool(tree.decisions.reversed[d] if d >= 0 else r) for d, r in zip(here, module.reversed, strict=True)
    ]
    return module._replace(shares=np.array(shares), reversed=np.array(directions))


def width_of(k: str | float, weight: float) -> float:
    """Return the weight on either side of t0 in a node of this weight. Raises KeyError for an unknown name."""
    scale, power = WIDTHS[k] if isinstance(k, str) else (float(k), 0.0)
    return min(scale * weight**power, weight)


def _target(dataset: Dataset, tree: CultivatedTree, rows: np.ndarray, weight: np.ndarray) -> SortedTarget:
    if not dataset.is_classification:
        return target(dataset.y[rows], weight, "squared_error")
    present = tree.value[0] > 0  # the learner does not count a class without rows
    return target((np.cumsum(present) - 1)[dataset.y[rows]], weight, "gini", int(np.count_nonzero(present)))


def _means_of(goal: SortedTarget) -> np.ndarray:
    """Return weight times target, (n_targets, n): the last of two classes, each of more classes, or the number."""
    return goal.sums[1:2] if goal.criterion == "squared_error" or len(goal.sums) <= 2 else goal.sums


def _offer(
    feature: int,
    is_category: bool,
    x: np.ndarray,
    goal: SortedTarget,
    width: float,
    unit: float,
    thresholds: str,
) -> Offer:
    there = np.flatnonzero(~np.isnan(x))
    value, place = np.unique(x[there], return_inverse=True)
    if len(value) < 2:
        return _nothing(feature, is_category, value, goal)
    cut, between = _cuts_at(value, is_category, thresholds)
    if is_category:
        means = np.bincount(place, _means_of(goal)[0, there]) / np.bincount(place, goal.weight[there])
        order = np.argsort(means, kind="stable")  # the categories in order of their mean target
        cut, place = value[order], np.argsort(order)[place]
    order = np.argsort(place, kind="stable")
    here = np.bincount(place, goal.weight[there], len(cut))
    impurity, left_weight = sides(_divide_missing(goal, there), order, np.cumsum(np.bincount(place)))
    at = int(np.flatnonzero(impurity <= impurity.min() + TIE * unit)[0])
    if node_impurity(goal) - impurity[at] <= LEAST_GAIN * unit:
        nothing = _nothing(feature, is_category, cut, goal)
        return nothing._replace(impurity=impurity, left_weight=left_weight, between=between)
    phi = neighbourhood(here, at, width)
    mean = float(phi @ impurity / phi.sum())
    turn = _turn(_means_of(goal)[:, there], goal.weight[there], place <= at)
    no_missing = np.zeros(len(cut), dtype=bool)
    return Offer(feature, is_category, cut, impurity, left_weight, phi, at, mean, turn, between, no_missing)


def _cuts_at(value: np.ndarray, is_category: bool, thresholds: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the cuts after each of a node's values (m,), and which of them lie between two values."""
    between = np.zeros(len(value), dtype=bool)
    if is_category or thresholds != "midpoint":
        return value, between
    between[:-1] = True
    return np.append(nodes.midpoint(value[:-1], value[1:]), value[-1]), between


def _sharp_offer(feature: int, is_category: bool, x: np.ndarray, goal: SortedTarget, thresholds: str) -> Offer:
    """Return CART's offer: one cut, missing values all on the better side, and no least gain."""
    curve = nodes.curve_of(feature, is_category, x, goal)
    cut, impurity, left_weight, missing_left = curve[1:5]
    if not len(cut):
        return _nothing(feature, is_category, np.unique(x[~np.isnan(x)]), goal)
    if is_category:
        more = len(curve.order) - len(cut)  # without missing values, no cut is after the last
        cut = curve.order.astype(np.float64)
        impurity, left_weight = (
            np.append(impurity, [curve.node_impurity] * more),
            np.append(left_weight, [0.0] * more),
        )
        missing_left = np.append(missing_left, [False] * more)
    elif thresholds != "midpoint":
        cut = np.append(np.unique(x[~np.isnan(x)])[: np.count_nonzero(np.isfinite(cut))], cut[np.isinf(cut)])
    between = np.isfinite(cut) & (thresholds == "midpoint") & (not is_category)
    phi, turn = np.zeros(len(cut)), np.zeros(len(_means_of(goal)))
    phi[curve.best] = 1.0
    least = float(impurity[curve.best])
    return Offer(
        feature, is_category, cut, impurity, left_weight, phi, curve.best, least, turn, between, missing_left
    )  # fmt: skip


def _nothing(feature: int, is_category: bool, value: np.ndarray, goal: SortedTarget) -> Offer:
    none, zeros = np.full(len(value), node_impurity(goal)), np.zeros(len(value))
    turn = np.zeros(len(_means_of(goal)))
    no = np.zeros(len(value), dtype=bool)
    return Offer(feature, is_category, value, none, zeros, zeros, -1, math.inf, turn, no, no)


def _divide_missing(goal: SortedTarget, known: np.ndarray) -> SortedTarget:
    """Return the target of the known samples, with the missing ones divided among them in proportion to weight."""
    weight = goal.weight[known]
    missing = goal.sums.sum(axis=1) - goal.sums[:, known].sum(axis=1)
    if len(known) == len(goal.weight):
        missing = np.zeros_like(missing)
    sums = goal.sums[:, known] + missing[:, None] * (weight / weight.sum())
    return SortedTarget(goal.criterion, goal.y[known], weight, sums)


def neighbourhood(weight: np.ndarray, at: int, k: float) -> np.ndarray:
    """Return phi of every cut, (m,): T(t0) around cut `at`, from the weight (m,) of each value.

    Include whole values outwards until their weight reaches k on a side; the outermost gets the rest of k.
    """
    phi = np.zeros(len(weight))
    phi[at] = weight[at]
    phi[:at] = _outwards(weight[:at][::-1], k)[::-1]
    phi[at + 1 :] = _outwards(weight[at + 1 :], k)
    return phi


def _outwards(weight: np.ndarray, k: float) -> np.ndarray:
    room = k - (np.cumsum(weight) - weight)
    return np.where(room > EMPTY * k, np.minimum(weight, room), 0.0)


def _turn(sums: np.ndarray, weight: np.ndarray, left: np.ndarray) -> np.ndarray:
    def mean(side: np.ndarray) -> np.ndarray:
        return sums[:, side].sum(axis=1) / max(float(weight[side].sum()), 1e-300)

    return mean(~left) - mean(left)


def _pool_offers(
    candidates: list[Offer], goal: SortedTarget, tolerance: float, unit: float, share_power: float
) -> Module:
    before = node_impurity(goal)
    least = min(offer.mean_impurity for offer in candidates)
    best = next(offer for offer in candidates if offer.mean_impurity <= least + TIE * unit)
    offers = [best, *sorted((o for o in candidates if o is not best), key=lambda o: o.mean_impurity)]
    h = np.array([offer.mean_impurity for offer in offers])
    joins = np.isfinite(h) & (tolerance > 0) & (h <= least + tolerance + TIE * unit)
    joins[0] = math.isfinite(least)
    gains = np.where(joins, np.maximum(before - np.where(joins, h, 0.0), 1e-300) ** share_power, 0.0)
    axis = best.turn if best.turn @ np.arange(1, len(best.turn) + 1) >= 0 else -best.turn
    directions = np.array([offer.turn @ axis < 0 for offer in offers])
    return Module(offers, gains / max(float(gains.sum()), 1e-300), directions, before, tolerance, 0.0)


def stump(offer: Offer, is_reversed: bool = False) -> CultivatedTree:
    """Return an offer as a tree of one decision and two leaves without values."""
    near = slice(0, len(offer.value)) if offer.is_category else offer.near
    threshold = math.nan if offer.is_category else float(offer.value[offer.at])
    decision = ([0, 1, 1, 1], [offer.feature], [threshold], [is_reversed], [1], [0.5], [offer.mean_impurity])
    cuts = ([0, near.stop - near.start], offer.value[near], offer.phi[near])
    none = np.zeros(3)
    return make_cultivated([1, -1, -1], [2, -1, -1], none, none, none[:, None], none, decision, cuts)


def gate_of_codes(tree: CultivatedTree, d: int, n: int) -> np.ndarray:
    """Return the fraction of a sample with code 0, 1, …, n - 1 that decision d sends left, (n,)."""
    cuts, part = _gate(tree, d)
    codes = np.arange(n)
    if not np.isnan(tree.decisions.threshold[d]):
        below = np.append(part, 0.0)[np.searchsorted(cuts, codes)]
        return 1 - below if tree.decisions.reversed[d] else below
    gate = np.full(n, float(tree.decisions.missing_left[d]))
    has_code = cuts < n
    gate[cuts[has_code].astype(np.int64)] = (1 - part if tree.decisions.reversed[d] else part)[has_code]
    return gate


def gate_of_cuts(tree: CultivatedTree, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the cuts (m,) of decision d, ascending, and the fractions (m + 1,) that go left between them.

    Entry i is for values above cut i - 1 and at most cut i. Raises ValueError for a decision on categories.
    """
    if np.isnan(tree.decisions.threshold[d]):
        raise ValueError(f"decision {d} is on categories, which have no thresholds")
    cuts, part = _gate(tree, d)
    below = np.append(part, 0.0)
    return cuts, 1 - below if tree.decisions.reversed[d] else below


def part_left(tree: CultivatedTree, d: int, values: np.ndarray) -> np.ndarray:
    """Return the part that decision d sends left of samples with these values of its feature, (n,)."""
    if np.isnan(tree.decisions.threshold[d]):
        parts = gate_of_codes(tree, d, int(max(values[~np.isnan(values)].max(initial=0), 0)) + 1)
        share = parts[np.nan_to_num(values).astype(int)]
    else:
        cuts, part = gate_of_cuts(tree, d)
        share = part[np.searchsorted(cuts, values, "left")]
    return np.where(np.isnan(values), tree.decisions.missing_left[d], share)


def _gate(tree: CultivatedTree, d: int) -> tuple[np.ndarray, np.ndarray]:
    here = slice(int(tree.cuts.start[d]), int(tree.cuts.start[d + 1]))
    # Summed one by one from the end, as in the kernel, so that exports give identical numbers.
    above = np.cumsum(tree.cuts.weight[here][::-1])[::-1]
    return tree.cuts.value[here], above / above[0]


# ---- A cultivated tree with fewer levels: which splits stay, and what it answers, for all levels at once

NEVER = 10**9  # more than there are levels


def kept_by_level(tree: CultivatedTree, alpha: float = 0.0) -> list[np.ndarray]:
    """Return which splits are left in the tree of each level from 1 on, pruned at alpha, (n_nodes,) bool each.

    A split that is left in one of them is left in all with more levels.

    >>> from espalier.data import samples
    >>> from espalier.learners import CultivatedClassifier
    >>> iris = samples.load("iris")
    >>> tree = CultivatedClassifier(max_depth=3).fit(iris.X, iris.y).tree_
    >>> [int(kept.sum()) for kept in kept_by_level(tree)]
    [1, 3, 6]
    """
    depth, splits_of_level = depths(tree), []
    for level in range(1, tree.depth + 1):
        keep = (depth < level) & ~is_leaf(tree)
        if alpha > 0:
            keep[depth <= level] &= prices(prune_to(tree, depth < level)) > alpha
        splits_of_level.append(keep)
    return splits_of_level


def stops(kept: Sequence[np.ndarray]) -> list[int]:
    """Return for each node the number of levels up to which it is no split, and `NEVER` if it always is a leaf."""
    if not len(kept):
        return [NEVER]
    times = np.sum(kept, axis=0)
    return np.where(times > 0, len(kept) - times, NEVER).tolist()


def answers_of_cuts(tree: CultivatedTree, X: np.ndarray, kept: Sequence[np.ndarray]) -> Iterator[np.ndarray]:
    """Yield what the tree answers to X (n_samples, n_features) if only these splits stay, (n_samples, n_outputs).

    The samples go through the tree once for all.
    """
    (start, rows, fraction), parent = reach(tree, X), parents(tree)
    for keep in kept:
        answers = np.zeros((len(X), tree.value.shape[1]))
        for leaf in np.flatnonzero(~keep & ((parent < 0) | keep[parent])).tolist():  # no split, below one
            here = slice(int(start[leaf]), int(start[leaf + 1]))
            answers[rows[here]] += fraction[here, np.newaxis] * tree.value[leaf]
        yield answers

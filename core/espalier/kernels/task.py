"""The basis of tree growing: the task, its criteria, the limits of growth, steps on arrays, the tree in arrays.

Impurity criteria as one family: each is a score S of a node's sums, and a split's gain is a sum of scores. For
every criterion the impurity of a node times its weight W is ``pure - S``, where ``pure`` is the same for a node
and for its two children together. A split therefore gains ``S(left) + S(right) - S(node)``, and the best split is
the one with the largest ``S(left) + S(right)``. S is convex and homogeneous of degree one, hence ``S(a + d) <=
S(a) + S(d)``, which lets the search skip whole blocks of thresholds.

=================  ======================  ==========================================
criterion          S                       impurity (Breiman et al. 1984, ch. 4 and 8)
=================  ======================  ==========================================
gini               sum_k w_k^2 / W         1 - sum_k p_k^2
entropy            sum_k w_k ln(w_k / W)   -sum_k p_k log2 p_k
misclassification  max_k w_k               1 - max_k p_k
squared error      (sum w y)^2 / W         mean of (y - mean)^2
absolute error     -sum w abs(y - median)  mean of abs(y - median)
poisson            m ln(m / W)             mean of y ln(y / mean): half the deviance
=================  ======================  ==========================================

Here W is the sum of the weights w, and m the sum of w y, which counts events. Friedman's improvement of a split,
``W_left W_right / W * (mean_left - mean_right)^2`` (Friedman 2001, equation 35), is the gain in squared error.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.trees import LEAF

TO_BETTER_SIDE, AS_CATEGORY, BY_SURROGATES = range(3)  # ways of missing values, see `GrowthLimits.missing`


class Task(NamedTuple):
    """Target, weights and criterion."""

    criterion: int  # espalier.kernels.task.CODES
    n_classes: int  # 0 for regression
    label: np.ndarray  # (n_samples,) uint16 class of each sample; empty for regression
    y: np.ndarray  # (n_samples,) float64, less its mean; empty for classification
    weight: np.ndarray  # (n_samples,) float64
    unit: bool  # whether every weight is one
    pairs: bool  # two classes and unit weights: the entries of the lists then carry the class
    table: np.ndarray  # x ln x of whole numbers, for classes of unit weight under entropy; else (1,)
    by_ratio: bool = (
        False  # under entropy: whether features compete by gain ratio (espalier.kernels.cart.best_split)
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

    score: float  # S(left) + S(right); see espalier.kernels.task
    feature: int
    cut: int  # position in the feature's list
    threshold: float  # nan for categories, and for cuts of sorted lists before the best one is known
    categories: int  # uint64 mask of those that go left
    missing_left: bool


class SearchWorkspace(NamedTuple):
    """Scratch memory for the search on one feature."""

    sums: np.ndarray  # (65, n_sums) float64, by level
    counts: np.ndarray  # (65,) int64, by level
    up_to: np.ndarray  # float64: see espalier.kernels.cart.fast_split.count_levels
    best: np.ndarray  # (width,) float64: see espalier.kernels.cart.fast_split.score_levels
    levels: np.ndarray  # (65,) int64
    sequence: np.ndarray  # (n_samples,) uint32, for absolute error and Poisson; else (1,)
    state: np.ndarray  # (1,) uint64: random state


@kernel
def midpoint(low, high):
    """Return a threshold t with low <= t < high: the midpoint, or low if rounding moves the midpoint outside."""
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


# ---- Criteria

GINI, ENTROPY, MISCLASSIFICATION, SQUARED_ERROR, ABSOLUTE_ERROR, POISSON = range(6)
ROUNDING = 1e-11  # of a score, which is made of sums of up to millions of numbers
CODES = {
    "gini": GINI,
    "entropy": ENTROPY,
    "log_loss": ENTROPY,
    "gain_ratio": ENTROPY,  # espalier.kernels.cart.best_split then chooses the feature
    "misclassification": MISCLASSIFICATION,
    "squared_error": SQUARED_ERROR,
    "friedman_mse": SQUARED_ERROR,
    "absolute_error": ABSOLUTE_ERROR,
    "poisson": POISSON,
}


@kernel
def beyond(score):
    """Return the bar above which a score is greater by more than the rounding of sums of numbers.

    Features that split a node into the same two sets then tie, and the first one wins.
    """
    return score + ROUNDING * abs(score) if score > -np.inf else score


@inlined
def score_of_squares(left_squares, right_squares, left, right):
    """Return S(left) + S(right) from the squares and the weights of both sides: numbers, or vectors of `simd`.

    Squares are those of a side's sums: one for each class, added up, or that of the sum of w y. There is a single
    division, so that equal gains of whole weights are equal to the last bit.
    """
    return (left_squares * right + right_squares * left) / (left * right)


@kernel
def x_log_x(x):
    """Return ``x ln x``, and 0 at 0."""
    return x * math.log(x) if x > 0 else 0.0


@kernel
def score_of_events(weight, events):
    """Return S of the Poisson deviance, of a weight and the events counted in it."""
    return events * math.log(events / weight) if events > 0 else 0.0


@kernel
def score(sums, criterion):
    """Return S of class weights (n_classes,), or of (weight, weighted sum of y) for squared error and poisson."""
    if criterion == SQUARED_ERROR:
        return sums[1] * sums[1] / sums[0] if sums[0] > 0 else 0.0
    if criterion == POISSON:
        return score_of_events(sums[0], sums[1])
    weight, result = 0.0, 0.0
    for value in sums:
        weight += value
        if criterion == GINI:
            result += value * value
        elif criterion == ENTROPY:
            result += x_log_x(value)
        else:
            result = max(result, value)
    if criterion == GINI:
        return result / weight if weight > 0 else 0.0
    return result - x_log_x(weight) if criterion == ENTROPY else result


@kernel
def score_of_sides(left, right, criterion):
    """Return the score of a split, S(left) + S(right), from the sums of both sides."""
    if criterion != GINI:
        return score(left, criterion) + score(right, criterion)
    left_weight, right_weight, left_squares, right_squares = 0.0, 0.0, 0.0, 0.0
    for k in range(len(left)):
        left_weight += left[k]
        right_weight += right[k]
        left_squares += left[k] * left[k]
        right_squares += right[k] * right[k]
    if left_weight > 0 and right_weight > 0:
        return score_of_squares(left_squares, right_squares, left_weight, right_weight)
    return score(left, criterion) + score(right, criterion)


@kernel
def class_impurity(sums, criterion):
    """Return the impurity of a node with class weights (n_classes,); entropy is in bits."""
    weight = total(sums)
    if criterion == ENTROPY:
        return max(-score(sums, criterion) / (weight * math.log(2)), 0.0) + 0.0  # never -0.0
    return max(1 - score(sums, criterion) / weight, 0.0) + 0.0


@kernel
def score_of_two(n0, n1, criterion, table):
    """Return S of whole counts of two classes; `table` holds ``x ln x`` of 0, 1, 2, … for entropy."""
    if criterion == GINI:
        n = n0 + n1
        return (float(n0) * n0 + float(n1) * n1) / n if n > 0 else 0.0
    if criterion == ENTROPY:
        return table[n0] + table[n1] - table[n0 + n1]
    return float(max(n0, n1))


def table_of_x_log_x(n: int) -> np.ndarray:
    """Return ``x ln x`` of the whole numbers 0 to n, (n + 1,) float64."""
    x = np.arange(n + 1, dtype=np.float64)
    return x * np.log(np.maximum(x, 1))


# ---- Steps on arrays


@kernel
def total(sums):
    """Return the total of sums (n,). A plain loop compiles in a fraction of the time of an array method."""
    result = 0.0
    for value in sums:
        result += value
    return result


@kernel
def clear(array):
    """Set array (n,) to zero."""
    for i in range(len(array)):
        array[i] = 0


@kernel
def longer(array):
    """Return an array of twice the length that begins with this one."""
    copy = np.empty(2 * len(array), array.dtype)
    for i in range(len(array)):
        copy[i] = array[i]
    return copy


@kernel
def taller(array):
    """Return a matrix with twice as many rows that begins with this one."""
    copy = np.empty((2 * array.shape[0], array.shape[1]))
    for i in range(array.shape[0]):
        for k in range(array.shape[1]):
            copy[i, k] = array[i, k]
    return copy


@kernel
def first_not_below(values, start, stop, x):
    """Return the place of the first value >= x among the ascending values[start:stop]; `stop` if there is none."""
    while start < stop:
        middle = (start + stop) // 2
        if values[middle] < x:
            start = middle + 1
        else:
            stop = middle
    return start


# ---- Writing a tree


class TreeArrays(NamedTuple):
    """The fields of `espalier.trees.Tree`, but for surrogates, in their order; nodes in preorder."""

    feature: np.ndarray  # (n_nodes,) int32
    threshold: np.ndarray  # float64
    left: np.ndarray  # int32
    right: np.ndarray  # int32
    categories: np.ndarray  # uint64
    missing_left: np.ndarray  # bool
    n_samples: np.ndarray  # int64
    weight: np.ndarray  # float64
    value: np.ndarray  # (n_nodes, n_outputs) float64
    impurity: np.ndarray  # float64


@kernel
def write_tree(nodes, values):
    """Return (`TreeArrays`, own_seen (n_nodes,) uint64, place of each node in preorder) of all NODE records.

    Every node is reached from node 0.
    """
    n, n_outputs = len(nodes), values.shape[1]
    tree = TreeArrays(
        np.empty(n, np.int32), np.empty(n), np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.uint64),
        np.empty(n, np.bool_), np.empty(n, np.int64), np.empty(n), np.empty((n, n_outputs)), np.empty(n),
    )  # fmt: skip
    own_seen, place, waiting = np.empty(n, np.uint64), np.empty(n, np.int32), np.empty(n + 1, np.int32)
    waiting[0] = 0
    n_waiting = 1
    for at in range(n):
        n_waiting -= 1
        number = waiting[n_waiting]
        node = nodes[number]
        place[number] = at
        is_leaf = node.feature == LEAF
        tree.feature[at], tree.threshold[at] = node.feature, np.nan if is_leaf else node.threshold
        tree.left[at], tree.right[at] = LEAF if is_leaf else at + 1, LEAF
        tree.categories[at] = np.uint64(0) if is_leaf else node.categories
        tree.missing_left[at] = node.missing_left and not is_leaf
        tree.n_samples[at], tree.weight[at], tree.impurity[at] = node.stop - node.start, node.weight, node.impurity
        own_seen[at] = np.uint64(0) if is_leaf else node.seen
        for k in range(n_outputs):
            tree.value[at, k] = values[number, k]
        if not is_leaf:
            waiting[n_waiting], waiting[n_waiting + 1] = node.right, node.left
            n_waiting += 2
    for number in range(n):
        if nodes[number].feature != LEAF:
            tree.right[place[number]] = place[nodes[number].right]
    return tree, own_seen, place

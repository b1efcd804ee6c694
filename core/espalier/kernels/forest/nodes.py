"""The nodes of trees of a random forest as they are made: their records, and what is written of each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import inlined, kernel
from espalier.kernels.forest.gini import drawn
from espalier.kernels.randomness import below
from espalier.kernels.vectors.simd import borrow
from espalier.trees import LEAF

GREATEST = np.int32(2147483647)  # beyond every code


class Nodes(NamedTuple):
    """The nodes of several trees, one tree after the other, in the order they are made."""

    feature: np.ndarray  # (2 n_samples, and room for more trees,) int32
    threshold: np.ndarray  # float64
    right: np.ndarray  # int32
    missing_left: np.ndarray  # bool
    weight: np.ndarray  # float64
    value: np.ndarray  # (the same, n_outputs) float64
    impurity: np.ndarray  # float64


@inlined
def borrowed_nodes(v):
    """Return the nodes with borrowed arrays (espalier.kernels.vectors.simd)."""
    return Nodes(
        borrow(v.feature), borrow(v.threshold), borrow(v.right), borrow(v.missing_left), borrow(v.weight),
        borrow(v.value), borrow(v.impurity),
    )  # fmt: skip


@inlined
def write_leaf(nodes, node, weight, impurity):
    """Write of a node what its samples weigh and how they differ, and that it is a leaf."""
    nodes.weight[node], nodes.impurity[node] = weight, impurity
    nodes.feature[node], nodes.right[node] = LEAF, LEAF
    nodes.threshold[node], nodes.missing_left[node] = np.nan, False


@inlined
def may_split(nodes, node, depth, limits):
    """Return whether a node may be split."""
    weight = nodes.weight[node]
    enough = weight >= limits.min_split and weight >= 2 * limits.min_leaf
    return enough and depth < limits.max_depth and nodes.impurity[node] > 0


@inlined
def wait(waiting, at, start, stop, depth, parent):
    """Let a node wait at a place: its samples, its depth, and a right child's parent (else -1)."""
    waiting[at, 0], waiting[at, 1], waiting[at, 2], waiting[at, 3] = start, stop, depth, parent


@inlined
def draw_feature(features, i, state):
    """Draw the i-th feature to be tried, (n_features,) int64, which are in order before the first is drawn."""
    j = i + below(state, len(features) - i)
    features[i], features[j] = features[j], features[i]


@kernel
def describe_numbers(entries, y, value):
    """Fill value (1,) of the entries' numbers; return (weight, sum, variance); exactly 0 where all are equal."""
    weight, total = 0.0, 0.0
    low, high = np.inf, -np.inf
    for i in range(len(y)):
        w = float(drawn(entries[i]))
        weight += w
        total += w * y[i]
        low, high = min(low, y[i]), max(high, y[i])
    value[0] = total / weight if low < high else low
    spread = 0.0
    for i in range(len(y)):  # a second pass: exact where the deviations are small beside the mean
        off = y[i] - value[0]
        spread += float(drawn(entries[i])) * (off * off)
    return weight, total, spread / weight

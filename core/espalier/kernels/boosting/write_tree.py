"""The grown tree as a record: preorder, real thresholds, and the spread of the residuals in every node."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.boosting.best_split import step_of
from espalier.kernels.boosting.bins import BinnedTable
from espalier.kernels.boosting.gradients import PackedDerivatives
from espalier.kernels.boosting.workspace import LeafwiseWorkspace
from espalier.trees import LEAF, Tree, make_tree


class BoostingStep(NamedTuple):
    """How far a tree steps."""

    rate: float  # learning rate: part of the full step that is taken
    ridge: float  # added to the sum of second derivatives
    output: int  # which score the tree adds to
    n_outputs: int
    is_log: bool = False  # whether the score is the logarithm of the prediction


class OutputDerivatives(NamedTuple):
    """What a tree of one output learns from."""

    packed: PackedDerivatives
    first: np.ndarray  # (n_samples,) float64: the first derivatives as they are
    weight: np.ndarray  # (n_samples,) float64, positive
    residual: np.ndarray  # (n_samples,) float64: the leaves step by its medians; (0,): as the derivatives say
    direction: np.ndarray  # (n_features,) int64 as in `SplitLimits`


class _TreeArrays(NamedTuple):
    """The fields of a `Tree`, to be filled; weight and impurity of the leaves are."""

    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    categories: np.ndarray
    missing_left: np.ndarray
    n_samples: np.ndarray
    weight: np.ndarray
    value: np.ndarray
    impurity: np.ndarray


@kernel
def _write_preorder(table, nodes, origin, out):
    """Write the splits in preorder; origin (n_nodes,) gets the number that each node had when it was made."""
    stack = np.empty(len(origin), np.int64)
    parent = np.empty(len(origin), np.int64)
    stack[0], parent[0], waiting = 0, LEAF, 1
    for at in range(len(origin)):
        waiting -= 1
        node = stack[waiting]
        if parent[waiting] >= 0:
            out.right[parent[waiting]] = at
        origin[at] = node
        child = nodes.child[node]
        if child < 0:
            continue
        feature = nodes.feature[node]
        out.feature[at], out.left[at] = feature, at + 1
        out.categories[at], out.missing_left[at] = nodes.mask[node], nodes.missing_left[node]
        if not table.is_category[feature]:
            out.threshold[at] = table.threshold[table.start[feature] + nodes.bin[node]]
        stack[waiting], parent[waiting] = child + 1, at
        stack[waiting + 1], parent[waiting + 1] = child, LEAF
        waiting += 2


@kernel
def _write_steps(nodes, origin, units, step, out):
    """Write every node's count and step, -G / (H + ridge) times the rate."""
    first_unit, second_unit, n_bits = units.first, units.second, units.n_bits
    for at in range(len(origin)):
        node = origin[at]
        first = nodes.total[node, 0] * first_unit
        second = (nodes.total[node, 1] >> n_bits) * second_unit + step.ridge
        out.n_samples[at] = nodes.stop[node] - nodes.start[node]
        out.value[at, step.output] = -step.rate * first / second if second > 0 else 0.0
        low, high = nodes.low[node], nodes.high[node]
        if low > -np.inf or high < np.inf:
            unit = step.rate * first_unit / second_unit
            ridge = step.ridge / second_unit
            packed = np.float64(nodes.total[node, 0]), np.float64(nodes.total[node, 1] >> n_bits) + ridge
            out.value[at, step.output] = unit * step_of(packed[0], packed[1], low, high)
        if step.is_log and out.value[at, step.output] > 0:
            # Not past the best one, log(sum of targets / sum of predictions), which is nearer if it is above 0.
            out.value[at, step.output] = step.rate * math.log1p(out.value[at, step.output] / step.rate)


@kernel
def _median(values, weights):
    """Return the weighted median: the mean of two values if exactly half of the weight lies below."""
    order = np.argsort(values)
    half, below = weights.sum() / 2, 0.0
    for i in range(len(order) - 1):
        below += weights[order[i]]
        if below > half:
            return values[order[i]]
        if below == half:
            return (values[order[i]] + values[order[i + 1]]) / 2
    return values[order[-1]]


@kernel
def _average_children(out, value):
    """Fill the values of inner nodes: the means of their children's."""
    for at in range(len(value) - 1, -1, -1):
        one, other = out.left[at], out.right[at]
        if one != LEAF:
            share = out.weight[one] / (out.weight[one] + out.weight[other])
            value[at] = value[other] + share * (value[one] - value[other])


@kernel
def _bound_leaves(out, direction, value):
    """Move the values of leaves so that they only rise, or fall, with columns that have a direction."""
    low, high = np.full(len(value), -np.inf), np.full(len(value), np.inf)
    for at in range(len(value)):
        one, other = out.left[at], out.right[at]
        if one == LEAF:
            value[at] = min(max(value[at], low[at]), high[at])
            continue
        low[one], high[one], low[other], high[other] = low[at], high[at], low[at], high[at]
        way = direction[out.feature[at]]
        if way != 0:
            middle = min(max((value[one] + value[other]) / 2, low[at]), high[at])
            below, above = (one, other) if way > 0 else (other, one)
            high[below], low[above] = middle, middle


@kernel
def _write_medians(room, origin, residual, weight, direction, step, out):
    """Write steps of leaves by the medians of the residuals (Friedman 2001, section 4.3), times the rate."""
    nodes, value = room.nodes, np.empty(len(origin))
    for at in range(len(origin)):
        if out.left[at] == LEAF:
            rows = room.rows[nodes.start[origin[at]] : nodes.stop[origin[at]]]
            value[at] = _median(residual[rows], weight[rows])
    _average_children(out, value)
    if len(direction) > 0:
        _bound_leaves(out, direction, value)
        _average_children(out, value)
    for at in range(len(origin)):
        out.value[at, step.output] = step.rate * value[at]


@kernel
def _moments(rows, first, weight):
    """(weight, mean, squared deviations from it) of the residuals of some rows, turned around."""
    total, mean, spread = 0.0, 0.0, 0.0
    for row in rows:
        total += weight[row]
        mean += first[row]
    mean /= total
    for row in rows:  # a second pass: exact where the deviations are small beside the mean
        off = first[row] / weight[row] - mean
        spread += weight[row] * (off * off)
    return total, mean, spread


@kernel
def _write_spreads(room, origin, first, weight, out):
    """Write every node's weight and the variance of its residuals, children before their parents."""
    nodes, mean = room.nodes, np.empty(len(origin))
    for at in range(len(origin) - 1, -1, -1):
        node, one, other = origin[at], out.left[at], out.right[at]
        if one == LEAF:
            total, mean[at], spread = _moments(room.rows[nodes.start[node] : nodes.stop[node]], first, weight)
        else:
            total, apart = out.weight[one] + out.weight[other], mean[one] - mean[other]
            mean[at] = mean[other] + apart * (out.weight[one] / total)
            spread = out.weight[one] * out.impurity[one] + out.weight[other] * out.impurity[other]
            spread += out.weight[one] * (out.weight[other] / total) * (apart * apart)
        out.weight[at], out.impurity[at] = total, spread / total


@kernel
def add_steps(room, n_nodes, values, score):
    """Add to the scores (n_samples,) of the rows grown on the values of their leaves, in the order of making."""
    nodes = room.nodes
    for node in range(n_nodes):
        if nodes.child[node] < 0:
            for row in room.rows[nodes.start[node] : nodes.stop[node]]:
                score[row] += values[node]


def boosted_tree(
    table: BinnedTable, room: LeafwiseWorkspace, n_nodes: int, derivatives: OutputDerivatives, step: BoostingStep
) -> tuple[Tree, np.ndarray]:
    """The tree, its values the steps of the score, and them again in the order in which nodes were made."""
    out, origin = _empty_arrays(n_nodes, step.n_outputs), np.empty(n_nodes, np.int64)
    packed = derivatives.packed
    _write_preorder(table, room.nodes, origin, out)
    _write_steps(room.nodes, origin, packed.units, step, out)
    weight, residual = derivatives.weight, derivatives.residual
    _write_spreads(room, origin, derivatives.first, weight, out)
    if len(residual):
        _write_medians(room, origin, residual, weight, derivatives.direction, step, out)
    values = np.empty(n_nodes)
    values[origin] = out.value[:, step.output]
    return make_tree(*out), values


def _empty_arrays(n: int, n_outputs: int) -> _TreeArrays:
    """Arrays of a tree of n leaves."""
    return _TreeArrays(
        np.full(n, LEAF, np.int32), np.full(n, np.nan), np.full(n, LEAF, np.int32), np.full(n, LEAF, np.int32),
        np.zeros(n, np.uint64), np.zeros(n, np.bool_), np.empty(n, np.int64), np.empty(n),
        np.zeros((n, n_outputs)), np.empty(n),
    )  # fmt: skip

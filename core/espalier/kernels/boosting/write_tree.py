"""Derivatives of the loss, and the grown tree as a record, with the spread of the residuals in every node.

First and second derivatives of the loss by each sample's score, and their sums in whole numbers. The score of a
sample is the sum of the trees so far. Derivatives are rounded to whole multiples of a power of two before they are
summed: sums of whole numbers are exact, so that neither the order of the samples nor the number of threads changes
a tree, and a sibling's sums are exactly its parent's less the other child's.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.boosting.bins import BinnedTable, LeafwiseWorkspace
from espalier.kernels.boosting.grow import step_of
from espalier.trees import LEAF, Tree, make_tree

SMALL = 1e-300  # a share below this counts as this much in the loss


class Derivatives(NamedTuple):
    """Derivatives of the loss by the scores, times the samples' weights, one row for each output."""

    first: np.ndarray  # (n_outputs, n_samples) float64: the negative residuals
    second: np.ndarray  # (n_outputs, n_samples) float64


class DerivativeUnits(NamedTuple):
    """What whole numbers in `PackedDerivatives` stand for; units are powers of two."""

    first: float
    second: float
    n_bits: int  # bits of the count of samples


class PackedDerivatives(NamedTuple):
    """Derivatives of one output as whole numbers."""

    pair: np.ndarray  # (n_samples, 2) int64: first derivative; second derivative << n_bits, plus 1 that counts
    units: DerivativeUnits


@kernel
def squared_error(y, score, weight, derivatives):
    """Fill the derivatives of (y - score)^2 / 2; returns the weighted sum of (y - score)^2."""
    loss = 0.0
    for row in range(len(y)):
        off = score[0, row] - y[row]
        loss += weight[row] * (off * off)
        derivatives.first[0, row] = weight[row] * off
        derivatives.second[0, row] = weight[row]
    return loss


@kernel
def absolute_error(y, score, weight, derivatives):
    """Fill the signs of (score - y); returns the weighted sum of absolute differences.

    Trees are grown on the signs, and their leaves step by medians (Friedman 2001, section 4.3). The second
    derivative is 0, and 1 stands in for it.
    """
    loss = 0.0
    for row in range(len(y)):
        off = score[0, row] - y[row]
        loss += weight[row] * abs(off)
        derivatives.first[0, row] = weight[row] * np.sign(off)
        derivatives.second[0, row] = weight[row]
    return loss


@kernel
def poisson(y, score, weight, derivatives):
    """Fill the derivatives of half the Poisson deviance of exp(score) from y; returns its weighted sum."""
    loss = 0.0
    for row in range(len(y)):
        mean = math.exp(score[0, row])
        off = mean - y[row]
        if y[row] > 0:
            loss += weight[row] * (y[row] * (math.log(y[row]) - score[0, row]) + off)
        else:
            loss += weight[row] * off
        derivatives.first[0, row] = weight[row] * off
        derivatives.second[0, row] = weight[row] * mean
    return loss


@kernel
def log_loss(y, score, weight, derivatives):
    """Fill the derivatives of the log loss of two classes; returns its weighted sum.

    The score is the log odds of class 1: Friedman (2001), section 4.5, with half his scores.
    """
    loss = 0.0
    for row in range(len(y)):
        s, w = score[0, row], weight[row]
        e = math.exp(-abs(s))
        p = (1.0 if s >= 0 else e) / (1.0 + e)
        loss += w * (math.log1p(e) + max(s if y[row] == 0 else -s, 0.0))
        derivatives.first[0, row] = w * (p - y[row])
        derivatives.second[0, row] = w * (e / ((1.0 + e) * (1.0 + e)))
    return loss


@kernel
def log_loss_of_many(y, score, weight, derivatives):
    """Fill the derivatives of the log loss of three classes or more; returns its weighted sum.

    Shares are the softmax of the scores (n_classes, n_samples): Friedman (2001), section 4.6.
    """
    loss, n_classes = 0.0, len(score)
    share = np.empty(n_classes)
    for row in range(len(y)):
        greatest, total = -np.inf, 0.0
        for k in range(n_classes):
            greatest = max(greatest, score[k, row])
        for k in range(n_classes):
            share[k] = math.exp(score[k, row] - greatest)
            total += share[k]
        w, own = weight[row], np.int64(y[row])
        loss -= w * (score[own, row] - greatest - math.log(total))
        for k in range(n_classes):
            p = share[k] / total
            derivatives.first[k, row] = w * (p - (own == k))
            derivatives.second[k, row] = w * (p * (1.0 - p))
    return loss


@kernel
def _pack(first, second, units, pair):
    for row in range(len(first)):
        pair[row, 0] = np.int64(np.rint(first[row] / units.first))
        pair[row, 1] = (np.int64(np.rint(second[row] / units.second)) << units.n_bits) + 1


def pack_derivatives(first: np.ndarray, second: np.ndarray, pair: np.ndarray) -> PackedDerivatives:
    """Derivatives (n_samples,) as whole numbers, so fine that no sum of them overflows; written into pair."""
    n_bits = len(first).bit_length()
    units = DerivativeUnits(_unit(np.abs(first).sum(), 61), _unit(second.sum(), 61 - n_bits), n_bits)
    _pack(first, second, units, pair)
    return PackedDerivatives(pair, units)


def _unit(total: float, n_bits: int) -> float:
    """Power of two of which `total` is at most 2 ** n_bits; 1 where there is nothing to add."""
    return math.ldexp(1.0, math.frexp(float(total))[1] - n_bits) if total > 0 else 1.0


# ---- The tree as a record: preorder, real thresholds, and the spread of the residuals in every node


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
            sums = np.float64(nodes.total[node, 0]), np.float64(nodes.total[node, 1] >> n_bits) + ridge
            out.value[at, step.output] = unit * step_of(sums[0], sums[1], low, high)
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
        left, right = out.left[at], out.right[at]
        if left != LEAF:
            share = out.weight[left] / (out.weight[left] + out.weight[right])
            value[at] = value[right] + share * (value[left] - value[right])


@kernel
def _bound_leaves(out, direction, value):
    """Move the values of leaves so that they only rise, or fall, with columns that have a direction."""
    low, high = np.full(len(value), -np.inf), np.full(len(value), np.inf)
    for at in range(len(value)):
        left, right = out.left[at], out.right[at]
        if left == LEAF:
            value[at] = min(max(value[at], low[at]), high[at])
            continue
        low[left], high[left], low[right], high[right] = low[at], high[at], low[at], high[at]
        way = direction[out.feature[at]]
        if way != 0:
            middle = min(max((value[left] + value[right]) / 2, low[at]), high[at])
            below, above = (left, right) if way > 0 else (right, left)
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
        node, left, right = origin[at], out.left[at], out.right[at]
        if left == LEAF:
            total, mean[at], spread = _moments(room.rows[nodes.start[node] : nodes.stop[node]], first, weight)
        else:
            total, apart = out.weight[left] + out.weight[right], mean[left] - mean[right]
            mean[at] = mean[right] + apart * (out.weight[left] / total)
            spread = out.weight[left] * out.impurity[left] + out.weight[right] * out.impurity[right]
            spread += out.weight[left] * (out.weight[right] / total) * (apart * apart)
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
    pairs = derivatives.packed
    _write_preorder(table, room.nodes, origin, out)
    _write_steps(room.nodes, origin, pairs.units, step, out)
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

"""Predictions of a cultivated tree over a grid of one or two features, with all others held fixed.

In such a slice a decision depends on one axis at most, so the gate of a node is the sum of a row and a column.
Mean and variance of a subtree follow from its children's, from the leaves up, by the law of total variance:

    mean     = g * mean_left + (1 - g) * mean_right
    variance = g * variance_left + (1 - g) * variance_right + g * (1 - g) * (mean_left - mean_right) ** 2

Each node has a window: the cells from which any fraction of a sample can reach it. Nothing is calculated outside.
A subtree whose prediction does not vary over its window is flat: it is stored as one number per output.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.gate import parts_of, psi
from espalier.trees import LEAF, CultivatedTree, path_to

NOTHING = 1e-14  # fraction of a sample that is only rounding of the shares


class Slice(NamedTuple):
    """A grid over one or two features, and the values of all others."""

    axes: np.ndarray  # (2,) int64: columns of X; -1 where there is no second one
    x: np.ndarray  # (nx,) float64
    y: np.ndarray  # (ny,) float64; any one number where there is no second axis
    held: np.ndarray  # (n_features,) float64


@kernel
def _gate(tree, part, node, plane, across, up):
    """Fill across (nx,) and up (ny,): their sum is the fraction that the node sends left."""
    across[:], up[:] = 0.0, 0.0
    fixed = 0.0
    for d in range(tree.decisions.start[node], tree.decisions.start[node + 1]):
        f, share = tree.decisions.feature[d], tree.decisions.share[d]
        if f == plane.axes[0]:
            for i in range(len(across)):
                across[i] += share * psi(tree, part, d, plane.x[i])
        elif f == plane.axes[1]:
            for j in range(len(up)):
                up[j] += share * psi(tree, part, d, plane.y[j])
        else:
            fixed += share * psi(tree, part, d, plane.held[f])
    for j in range(len(up)):
        up[j] += fixed


@kernel
def _shrink(across, up, left, window, child):
    """Set a child's window: the node's, without outer rows and columns from which nothing goes to the child."""
    base, sign = (0.0, 1.0) if left else (1.0, -1.0)
    i0, i1, j0, j1 = window[0], window[1], window[2], window[3]
    most_across, most_up = -np.inf, -np.inf
    for i in range(i0, i1):
        most_across = max(most_across, sign * across[i])
    for j in range(j0, j1):
        most_up = max(most_up, sign * up[j])
    while i0 < i1 and base + sign * across[i0] + most_up <= NOTHING:
        i0 += 1
    while i0 < i1 and base + sign * across[i1 - 1] + most_up <= NOTHING:
        i1 -= 1
    while j0 < j1 and base + sign * up[j0] + most_across <= NOTHING:
        j0 += 1
    while j0 < j1 and base + sign * up[j1 - 1] + most_across <= NOTHING:
        j1 -= 1
    child[0], child[1], child[2], child[3] = i0, i1, j0, j1


@kernel
def _is_flat(values):
    return values.min() == values.max()


@kernel
def _gates(tree, part, plane):
    """Return the gates, across (n_nodes, nx) and up (n_nodes, ny), windows (n_nodes, 4) and the greatest depth."""
    n_nodes, nx, ny = len(tree.left), len(plane.x), len(plane.y)
    across, up = np.empty((n_nodes, nx)), np.empty((n_nodes, ny))
    window, depth = np.zeros((n_nodes, 4), np.int64), np.zeros(n_nodes, np.int64)
    window[0, 1], window[0, 3] = nx, ny
    for node in range(n_nodes):
        i0, i1, j0, j1 = window[node]
        if tree.left[node] == LEAF or i0 >= i1 or j0 >= j1:
            continue
        left, right = tree.left[node], tree.right[node]
        near = Slice(plane.axes, plane.x[i0:i1], plane.y[j0:j1], plane.held)
        _gate(tree, part, node, near, across[node, i0:i1], up[node, j0:j1])
        _shrink(across[node], up[node], True, window[node], window[left])
        _shrink(across[node], up[node], False, window[node], window[right])
        depth[left] = depth[right] = depth[node] + 1
    return across, up, window, depth.max()


@kernel
def _mix_numbers(gate, left, right):
    """Combine the predictions of two flat subtrees, (n_outputs + 1,) means and a variance, into `right`."""
    g, last = min(max(gate, 0.0), 1.0), len(right) - 1
    right[last] = g * left[last] + (1.0 - g) * right[last]
    for k in range(last):
        off = left[k] - right[k]
        right[last] += g * (1.0 - g) * off * off
        right[k] += g * off


@kernel
def _mix_grids(across, up, left, right, window):
    """Combine the predictions of two subtrees, (n_outputs + 1, ny, nx) means and a variance, into `right`."""
    last = len(right) - 1
    i0, i1 = window[0], window[1]
    gate = np.empty(i1 - i0)
    for j in range(window[2], window[3]):
        spread_left, spread = left[last, j, i0:i1], right[last, j, i0:i1]
        for i in range(i1 - i0):
            gate[i] = min(max(across[i0 + i] + up[j], 0.0), 1.0)
            spread[i] = gate[i] * spread_left[i] + (1.0 - gate[i]) * spread[i]
        for k in range(last):
            mean_left, mean = left[k, j, i0:i1], right[k, j, i0:i1]
            for i in range(i1 - i0):
                off = mean_left[i] - mean[i]
                spread[i] += gate[i] * (1.0 - gate[i]) * off * off
                mean[i] += gate[i] * off


@kernel
def _spread_out(number, grid, window):
    """Write the prediction of a flat subtree into every cell of the window."""
    for k in range(len(number)):
        for j in range(window[2], window[3]):
            for i in range(window[0], window[1]):
                grid[k, j, i] = number[k]


@kernel
def _slice(tree, part, plane):
    """Return the mean of each output, then the summed variances, (n_outputs + 1, ny, nx).

    A stack: in reverse preorder a node finds its left child's prediction on top, and its right child's below.
    """
    across, up, window, depth = _gates(tree, part, plane)
    n_outputs = tree.value.shape[1]
    grids = np.zeros((depth + 2, n_outputs + 1, len(plane.y), len(plane.x)))
    numbers, flat = np.zeros((depth + 2, n_outputs + 1)), np.ones(depth + 2, np.bool_)
    top = -1
    for node in range(len(tree.left) - 1, -1, -1):
        i0, i1, j0, j1 = window[node]
        if i0 >= i1 or j0 >= j1:
            continue
        if tree.left[node] == LEAF:
            top += 1
            numbers[top, :n_outputs], numbers[top, n_outputs], flat[top] = tree.value[node], 0.0, True
            continue
        a, b = window[tree.left[node]], window[tree.right[node]]
        if a[0] >= a[1] or a[2] >= a[3] or b[0] >= b[1] or b[2] >= b[3]:
            continue  # all goes to one child, whose prediction is on the stack already
        top -= 1
        even = _is_flat(across[node, i0:i1]) and _is_flat(up[node, j0:j1])
        if even and flat[top] and flat[top + 1]:
            _mix_numbers(across[node, i0] + up[node, j0], numbers[top + 1], numbers[top])
            continue
        for slot in (top, top + 1):
            if flat[slot]:
                _spread_out(numbers[slot], grids[slot], window[node])
        _mix_grids(across[node], up[node], grids[top + 1], grids[top], window[node])
        flat[top] = False
    if flat[0]:
        _spread_out(numbers[0], grids[0], window[0])
    return grids[0]


@kernel
def _fraction(tree, part, plane, path):
    fraction = np.ones((len(plane.y), len(plane.x)))
    across, up = np.empty(len(plane.x)), np.empty(len(plane.y))
    for step in range(len(path) - 1):
        node = path[step]
        _gate(tree, part, node, plane, across, up)
        for j in range(len(up)):
            for i in range(len(across)):
                left = min(max(across[i] + up[j], 0.0), 1.0)
                fraction[j, i] *= left if tree.left[node] == path[step + 1] else 1.0 - left
    return fraction


def predict_slice(tree: CultivatedTree, plane: Slice) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean (ny, nx, n_outputs) and spread (ny, nx) at every cell, as `gate.predict` but faster."""
    values = _slice(tree, parts_of(tree.cuts), plane)
    n_outputs = tree.value.shape[1]
    return np.moveaxis(values[:-1], 0, -1), np.sqrt(values[-1] / (2 if n_outputs > 1 else 1))


def fraction_slice(tree: CultivatedTree, plane: Slice, node: int) -> np.ndarray:
    """Return the fraction of a sample at each cell that is in the node, (ny, nx) float64."""
    return _fraction(tree, parts_of(tree.cuts), plane, np.array(path_to(tree, node)))

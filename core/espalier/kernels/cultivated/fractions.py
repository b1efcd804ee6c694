"""Soft routing: the gates psi of a node's decisions divide a sample between its children.

Nalenz & Augustin 2021, section 3.

Predictions of a cultivated tree over a grid of one or two features, with all others held fixed. In such a slice a
decision depends on one axis at most, so the gate of a node is the sum of a row and a column. Mean and variance of
a subtree follow from its children's, from the leaves up, by the law of total variance:

    mean     = g * mean_left + (1 - g) * mean_right
    variance = g * variance_left + (1 - g) * variance_right + g * (1 - g) * (mean_left - mean_right) ** 2

Each node has a window: the cells from which any fraction of a sample can reach it. Nothing is calculated outside.
A subtree whose prediction does not vary over its window is flat: it is stored as one number per output.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel, uncounted
from espalier.kernels.route import columns_of
from espalier.kernels.task import first_not_below, longer
from espalier.trees import LEAF, CultivatedTree, path_to

DROPPED = 1e-15  # fractions below this are dropped
CHUNK = 512  # samples sent through a tree together, so that their fractions stay in the processor's cache


@kernel
def parts_of(cuts):
    """Return the part of a neighbourhood's weight that is at each cut or after it, (n_cuts,) float64."""
    part = np.empty(len(cuts.value))
    for d in range(len(cuts.start) - 1):
        above = 0.0
        for i in range(cuts.start[d + 1] - 1, cuts.start[d] - 1, -1):
            above += cuts.weight[i]
            part[i] = above
        for i in range(cuts.start[d], cuts.start[d + 1]):
            part[i] /= above
    return part


@uncounted
def place_of(value, start, end, x):
    """Return the position of x in value[start:end], which need not be sorted; `end` if it is not there."""
    while start < end and value[start] != x:
        start += 1
    return start


@uncounted
def psi(tree, part, d, x):
    """Return the fraction of a sample with value x that decision d sends left; `part` comes from `parts_of`.

    As a kernel of its own it would be handed every field of the tree for each value, and take six times as long.
    """
    decisions, cuts = tree.decisions, tree.cuts
    start, end = cuts.start[d], cuts.start[d + 1]
    is_number = not np.isnan(decisions.threshold[d])
    at = first_not_below(cuts.value, start, end, x) if is_number else place_of(cuts.value, start, end, x)
    if np.isnan(x) or (at == end and not is_number):
        return decisions.missing_left[d]
    below = part[at] if at < end else 0.0
    return 1.0 - below if decisions.reversed[d] else below


@kernel
def _add_psi(tree, part, d, column, rows, left):
    """Add `psi` of decision d, times its share, to left (n_rows,) for many rows at a time."""
    decisions, cuts = tree.decisions, tree.cuts
    start, end, share = cuts.start[d], cuts.start[d + 1], decisions.share[d]
    if np.isnan(decisions.threshold[d]):
        for i in range(len(rows)):
            left[i] += share * psi(tree, part, d, column[rows[i]])
        return
    lowest, highest, missing = cuts.value[start], cuts.value[end - 1], share * decisions.missing_left[d]
    at_most, above = (0.0, share) if decisions.reversed[d] else (share, 0.0)
    for i in range(len(rows)):
        x = column[rows[i]]
        if x <= lowest:
            left[i] += at_most
        elif x > highest:
            left[i] += above
        elif np.isnan(x):
            left[i] += missing
        else:
            gate = part[first_not_below(cuts.value, start, end, x)]
            left[i] += share * (1.0 - gate if decisions.reversed[d] else gate)


@kernel
def _reach(tree, part, columns, first, last):
    """Return `reach` of the samples from `first` to `last` - 1."""
    n_nodes = len(tree.left)
    start = np.zeros(n_nodes + 1, np.int64)
    parent = np.full(n_nodes, -1, np.int64)
    size = max(16 * (last - first), 16)
    rows, fraction, left = np.empty(size, np.uint32), np.empty(size), np.empty(size)
    for row in range(first, last):
        rows[row - first], fraction[row - first] = row, 1.0
    start[1] = last - first
    for node in range(n_nodes):
        up, end = parent[node], start[node]
        if up >= 0:
            while end + start[up + 1] - start[up] > len(rows):
                rows, fraction, left = longer(rows), longer(fraction), longer(left)
            for i in range(start[up], start[up + 1]):
                part_here = left[i] if tree.left[up] == node else 1.0 - left[i]
                rows[end], fraction[end] = rows[i], fraction[i] * part_here
                end += fraction[end] > DROPPED
            start[node + 1] = end
        if tree.left[node] != LEAF:
            parent[tree.left[node]] = parent[tree.right[node]] = node
            here, goes = rows[start[node] : start[node + 1]], left[start[node] : start[node + 1]]
            for i in range(len(goes)):
                goes[i] = 0.0
            for d in range(tree.decisions.start[node], tree.decisions.start[node + 1]):
                _add_psi(tree, part, d, columns[tree.decisions.feature[d]], here, goes)
            for i in range(len(goes)):
                goes[i] = min(goes[i], 1.0)
    return start, rows[: start[n_nodes]], fraction[: start[n_nodes]]


@kernel
def _predict(tree, columns, mean, spread):
    part = parts_of(tree.cuts)
    n_outputs = tree.value.shape[1]
    for first in range(0, columns.shape[1], CHUNK):
        last = min(first + CHUNK, columns.shape[1])
        start, rows, fraction = _reach(tree, part, columns, first, last)
        for node in range(len(tree.left)):
            if tree.left[node] == LEAF:
                for i in range(start[node], start[node + 1]):
                    for k in range(n_outputs):
                        mean[rows[i], k] += fraction[i] * tree.value[node, k]
        for node in range(len(tree.left)):
            if tree.left[node] == LEAF:
                for i in range(start[node], start[node + 1]):
                    for k in range(n_outputs):
                        off = tree.value[node, k] - mean[rows[i], k]
                        spread[rows[i]] += fraction[i] * off * off


def reach(tree: CultivatedTree, X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which samples are in which node, and with what fraction: (start, rows, fraction).

    The samples in node i are ``rows[start[i]:start[i + 1]]``, ascending; the same slice of ``fraction`` holds
    their fractions. Fractions
    of a sample sum to 1 over the leaves, and over the nodes of any depth together with the leaves above it.
    """
    columns = columns_of(X)
    return _reach(tree, parts_of(tree.cuts), columns, 0, columns.shape[1])


def fractions_of(tree: CultivatedTree, x: np.ndarray) -> np.ndarray:
    """Return the fraction of the sample x (n_features,) in each node, (n_nodes,) float64."""
    start, _, fraction = reach(tree, np.asarray(x, dtype=np.float64)[None, :])
    fractions = np.zeros(tree.n_nodes)
    here = np.flatnonzero(np.diff(start))
    fractions[here] = fraction[start[here]]
    return fractions


def predict(tree: CultivatedTree, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean (n_samples, n_outputs) of the leaves' values, by fractions, and its spread (n_samples,).

    The spread of a number is its standard deviation over the leaves, weighted by fractions. For classes it is
    the square root of half the summed variances of the shares, which for two classes is the standard deviation
    of either share (Nalenz & Augustin 2021, section 3, predictions).
    """
    columns = columns_of(X)
    mean = np.zeros((columns.shape[1], tree.value.shape[1]))
    spread = np.zeros(columns.shape[1])
    _predict(tree, columns, mean, spread)
    return mean, np.sqrt(spread / (2 if tree.value.shape[1] > 1 else 1))


def log_ensemble_size(tree: CultivatedTree) -> float:
    """Return log10 of the number of trees that the tree pools: one decision and one cut chosen at every node.

    Nalenz & Augustin 2021, equation (1): the size of the Cartesian product of all modules.
    """
    stands = np.append(0, np.cumsum(tree.cuts.weight > 0))  # a category may be no cut of the neighbourhood
    n_cuts = np.diff(stands[tree.cuts.start[tree.decisions.start]])
    return float(np.log10(n_cuts[tree.left != LEAF]).sum())


# ---- Predictions over a grid

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
    base = 0.0
    for d in range(tree.decisions.start[node], tree.decisions.start[node + 1]):
        f, share = tree.decisions.feature[d], tree.decisions.share[d]
        if f == plane.axes[0]:
            for i in range(len(across)):
                across[i] += share * psi(tree, part, d, plane.x[i])
        elif f == plane.axes[1]:
            for j in range(len(up)):
                up[j] += share * psi(tree, part, d, plane.y[j])
        else:
            base += share * psi(tree, part, d, plane.held[f])
    for j in range(len(up)):
        up[j] += base


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

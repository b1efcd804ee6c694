"""Soft routing: the gates psi of a node's decisions divide a sample between its children.

Nalenz & Augustin 2021, section 3.
"""

from __future__ import annotations

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.arrays import first_not_below, longer
from espalier.kernels.route import columns_of
from espalier.trees import LEAF, CultivatedTree

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


@kernel
def place_of(value, start, end, x):
    """Return the position of x in value[start:end], which need not be sorted; `end` if it is not there."""
    while start < end and value[start] != x:
        start += 1
    return start


@kernel
def psi(tree, part, d, x):
    """Return the fraction of a sample with value x that decision d sends left; `part` comes from `parts_of`."""
    decisions, cuts = tree.decisions, tree.cuts
    start, end = cuts.start[d], cuts.start[d + 1]
    ordered = not np.isnan(decisions.threshold[d])
    at = first_not_below(cuts.value, start, end, x) if ordered else place_of(cuts.value, start, end, x)
    if np.isnan(x) or (at == end and not ordered):
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

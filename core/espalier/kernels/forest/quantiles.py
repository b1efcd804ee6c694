"""Quantiles of forests: the targets of the samples that share a leaf with a row, over all trees.

A row has one leaf in every tree. Each sample in that leaf has a part of the tree's
say; summed over the trees, these parts are a distribution of the target (Meinshausen 2006, equations 4 to 6).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel

ROUNDING = 1e-12  # of summed shares


class LeafSamples(NamedTuple):
    """The samples in every leaf of every tree: node i of tree t has those from ``start[first[t] + i]`` on."""

    first: np.ndarray  # (n_trees,) int64: number of each tree's root among the nodes of all trees
    start: np.ndarray  # (n_nodes of all trees + 1,) int64
    rank: np.ndarray  # (n_entries,) int32: place of the sample's target in `target`
    share: np.ndarray  # (n_entries,) float64: share of the sample in its leaf; those of a leaf sum to 1
    target: np.ndarray  # (n_targets,) float64: the different targets, ascending
    weight: np.ndarray  # (n_trees,) float64: weight of each tree


@kernel
def _spread_row(leaves, row, samples, seen, mass):
    """Add the shares of the samples that share a leaf with a row to mass (n_targets,).

    Only trees that have not seen it count. Return (least rank touched, greatest rank touched, weight).
    """
    low, high, weight = len(mass), -1, 0.0
    for tree in range(len(samples.first)):
        if seen[tree, row] > 0:
            continue
        node = samples.first[tree] + leaves[tree, row]
        weight += samples.weight[tree]
        for at in range(samples.start[node], samples.start[node + 1]):
            rank = np.int64(samples.rank[at])
            mass[rank] += samples.share[at] * samples.weight[tree]
            low, high = min(low, rank), max(high, rank)
    return low, high, weight


@kernel
def quantiles_of_rows(leaves, samples, seen, levels, out):
    """Write the quantiles of each row into out (n_rows, n_levels); nan where every tree has seen the row.

    leaves (n_trees, n_rows) int32; seen (n_trees, n_rows) uint8, 0 for the trees that count; levels (n_levels,)
    ascending. A quantile is the least target up to which the shares sum to its level (Meinshausen 2006, equation
    2).
    """
    mass = np.zeros(len(samples.target))
    for row in range(leaves.shape[1]):
        low, high, weight = _spread_row(leaves, row, samples, seen, mass)
        rank, run = low, mass[low] if weight > 0 else 0.0
        for k in range(len(levels)):
            while weight > 0 and rank < high and run < (levels[k] - ROUNDING) * weight:
                rank += 1
                run += mass[rank]
            out[row, k] = samples.target[rank] if weight > 0 else np.nan
        for rank in range(low, high + 1):
            mass[rank] = 0.0

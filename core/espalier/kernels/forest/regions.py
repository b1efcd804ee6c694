"""A partition of the feature space into regions in which every tree of a forest is small.

Inside a region a tree needs only the splits that divide the region. A region is cut in two, at the feature that
its trees use most, until none of them has more leaves than a word has bits. A leaf is then found without
descending: each split that sends a row right strikes out the leaves on its left, and the first remaining leaf is
the row's (Lucchese et al. 2015, "QuickScorer", section 3). All rows of a region pass the same splits, 16 rows at
a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.forest.packed import PackedForest
from espalier.kernels.ranks import ThresholdRanks, make_ranks

FEATURE, RANK, NEXT, LEAF = range(4)  # of a node while cutting; NEXT as in `PackedForest`
NO_FEATURE = -1  # a leaf's
MOST_LEAVES = 32
MOST_NODES = 1 << 21  # written while cutting, at most


class ForestRegions(NamedTuple):
    """The trees in every region: tree t in region i has the splits from ``first[i * n_trees + t]`` on.

    Its leaves begin at the same place of `first_leaf`.
    """

    ranks: ThresholdRanks
    router: np.ndarray  # (n_steps, 3) int32: used feature, rank, left step; for a region 0, its number, -1
    n_trees: int
    first: np.ndarray  # (n_regions * n_trees + 1,) int64
    first_leaf: np.ndarray  # (n_regions * n_trees + 1,) int64
    feature: np.ndarray  # (n_splits,) int32: number of the used feature
    rank: np.ndarray  # (n_splits,) int32: of the threshold; rows of a greater rank go right
    mask: np.ndarray  # (n_splits,) int32: the leaves that remain after going right, as bits
    leaf: np.ndarray  # (n_leaves,) int32: number of each leaf in the packed forest, from left to right


class RegionSide(NamedTuple):
    """One side of the cut of a region."""

    feature: int  # number of the used feature
    rank: int  # of the threshold
    is_left: bool


class MaskedSplits(NamedTuple):
    """The splits and leaves of small trees; see `ForestRegions`."""

    feature: np.ndarray
    rank: np.ndarray
    mask: np.ndarray
    leaf: np.ndarray


def make_regions(packed: PackedForest) -> ForestRegions | None:
    """Return the regions of trees without categories, for values not missing; None if they would be too many."""
    if packed.has_categories or len(packed.nodes) > MOST_NODES:
        return None
    ranks, nodes = _by_ranks(packed)
    roots = np.append(packed.root, len(nodes)).astype(np.int64)[None]
    router, small, n_steps, n_small, n_nodes = [], [], 1, 0, 0
    while len(roots):
        is_small = np.diff(roots).max(axis=1) < 2 * MOST_LEAVES
        large = roots[~is_small]
        small.append(_masked(nodes, roots[is_small]))
        steps = np.empty((len(roots), 3), np.int32)
        steps[is_small] = [(0, n_small + i, -1) for i in range(len(roots) - len(large))] or 0
        cuts = steps[~is_small, :2] = _cuts(nodes, large, ranks.start)
        steps[~is_small, 2] = n_steps + 2 * np.arange(len(large))
        router.append(steps)
        n_steps, n_small = n_steps + 2 * len(large), n_small + len(roots) - len(large)
        n_nodes += len(nodes)
        if n_nodes > MOST_NODES:
            return None
        nodes, roots = _halved(nodes, large, cuts)
    n_splits, *parts = (np.concatenate(arrays) for arrays in zip(*small, strict=True))
    first, first_leaf = (np.append(0, np.cumsum(n)) for n in (n_splits, n_splits + 1))
    return ForestRegions(ranks, np.concatenate(router), len(packed.root), first, first_leaf, *parts)


def _by_ranks(packed: PackedForest) -> tuple[ThresholdRanks, np.ndarray]:
    """Return the thresholds, and the nodes (n_nodes, 4) int32 that refer to them by rank."""
    step, is_split = packed.nodes, packed.leaf < 0
    used = np.unique(step["feature"][is_split]).astype(np.int64)
    nodes = np.empty((len(step), 4), np.int32)
    nodes[:, FEATURE], nodes[:, RANK], nodes[:, NEXT], nodes[:, LEAF] = NO_FEATURE, 0, step["next"], packed.leaf
    thresholds = []
    for number, feature in enumerate(used):
        here = is_split & (step["feature"] == feature)
        distinct, rank = np.unique(step["threshold"][here], return_inverse=True)
        thresholds.append(distinct)
        nodes[here, FEATURE], nodes[here, RANK] = number, rank
    return make_ranks(used, thresholds), nodes


@kernel
def _open(nodes, node, side):
    """Return the first node, from this one down, whose split is not decided on this side of a cut."""
    while nodes[node, FEATURE] == side.feature:
        if side.is_left and nodes[node, RANK] >= side.rank:
            node = np.uint32(nodes[node, NEXT])
        elif not side.is_left and nodes[node, RANK] <= side.rank:
            node = np.uint32(nodes[node, NEXT] + 1)
        else:
            break
    return node


@kernel
def _cut_tree(nodes, root, side, into, first):
    """Write the part of a tree on one side of a cut, from place `first` on; return its end."""
    one, two = np.uint32(1), np.uint32(2)
    into[first, NEXT] = _open(nodes, np.uint32(root), side)
    at, free = np.uint32(first), np.uint32(first + 1)
    while at < free:
        node = np.uint32(into[at, NEXT])  # until its turn, a place holds the number of its source node
        into[at] = nodes[node]
        if nodes[node, FEATURE] == NO_FEATURE:
            into[at, NEXT] = at
        else:
            below = np.uint32(nodes[node, NEXT])
            into[at, NEXT] = free
            into[free, NEXT] = _open(nodes, below, side)
            into[free + one, NEXT] = _open(nodes, below + one, side)
            free = np.uint32(free + two)
        at = np.uint32(at + one)
    return np.int64(free)


@kernel
def _cut_all(nodes, roots, cuts, into, new_roots):
    """Cut every region in two; return how many nodes the new trees have."""
    free = 0
    for region in range(len(roots)):
        for number in range(2):
            side, made = RegionSide(cuts[region, 0], cuts[region, 1], number == 0), 2 * region + number
            for tree in range(roots.shape[1] - 1):
                new_roots[made, tree] = free
                free = _cut_tree(nodes, roots[region, tree], side, into, free)
            new_roots[made, -1] = free
    return free


def _halved(nodes: np.ndarray, roots: np.ndarray, cuts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the regions with these roots (n, n_trees + 1), each cut in two."""
    into = np.empty((2 * int((roots[:, -1] - roots[:, 0]).sum()), 4), np.int32)
    new_roots = np.empty((2 * len(roots), roots.shape[1]), np.int64)
    return into[: _cut_all(nodes, roots, cuts, into, new_roots)], new_roots


@kernel
def _weigh_steps(nodes, root, share, steps):
    """Add the use of each feature by a region's large trees to steps (n_used,), and fill share (n_nodes,).

    share is how often each node is reached if half of the rows go each way; the use of a feature is its sum.
    """
    first = np.uint32(root[0])
    for tree in range(len(root) - 1):
        is_large = root[tree + 1] - root[tree] >= 2 * MOST_LEAVES
        share[root[tree] - root[0]] = 1.0 if is_large else 0.0
        for at in range(np.uint32(root[tree]), np.uint32(root[tree + 1])):
            if nodes[at, FEATURE] != NO_FEATURE:
                here, below = share[at - first], np.uint32(nodes[at, NEXT] - root[0])
                steps[nodes[at, FEATURE]] += here
                share[below] = share[below + np.uint32(1)] = here / 2


@kernel
def _cut_of(nodes, root, start, share):
    """Return where to cut a region: the feature that its large trees use most, and its median rank there."""
    steps = np.zeros(len(start) - 1)
    _weigh_steps(nodes, root, share, steps)
    feature = np.argmax(steps)
    asked = np.zeros(start[feature + 1] - start[feature])
    first = np.uint32(root[0])
    for at in range(first, np.uint32(root[-1])):
        if nodes[at, FEATURE] == feature:
            asked[nodes[at, RANK]] += share[at - first]
    rank, running = 0, asked[0]
    while running < steps[feature] / 2 and rank < len(asked) - 1:
        rank += 1
        running += asked[rank]
    return feature, rank


@kernel
def _cuts(nodes, roots, start):
    """Return the feature and rank of each region's cut, (n_regions, 2) int32."""
    cuts, share = np.empty((len(roots), 2), np.int32), np.empty(len(nodes))
    for region in range(len(roots)):
        cuts[region] = _cut_of(nodes, roots[region], start, share)
    return cuts


@kernel
def _mask_tree(nodes, first, last, into, split, leaf):
    """Write a tree's splits and leaves into `into`, from these places on; return the next free places."""
    size, begin = np.ones(2 * MOST_LEAVES, np.int64), np.zeros(2 * MOST_LEAVES, np.int64)
    for at in range(last - 1, first - 1, -1):
        if nodes[at, FEATURE] != NO_FEATURE:
            below = nodes[at, NEXT] - first
            size[at - first] = size[below] + size[below + 1]
    for at in range(first, last):
        here = begin[at - first]
        if nodes[at, FEATURE] == NO_FEATURE:
            into.leaf[leaf + here] = nodes[at, LEAF]
            continue
        below = nodes[at, NEXT] - first
        begin[below], begin[below + 1] = here, here + size[below]
        into.feature[split], into.rank[split] = nodes[at, FEATURE], nodes[at, RANK]
        into.mask[split] = np.int32(~(((np.int64(1) << size[below]) - 1) << here))
        split += 1
    return split, leaf + size[0]


@kernel
def _mask_all(nodes, roots, into):
    split, leaf = 0, 0
    for region in range(len(roots)):
        for tree in range(roots.shape[1] - 1):
            first, last = roots[region, tree], roots[region, tree + 1]
            split, leaf = _mask_tree(nodes, first, last, into, split, leaf)


def _masked(nodes: np.ndarray, roots: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return each tree's number of splits in regions of small trees, and `ForestRegions` from `feature` on."""
    n_splits = (np.diff(roots).ravel() - 1) // 2
    into = MaskedSplits(*(np.empty(int(n), np.int32) for n in (*(n_splits.sum(),) * 3, (n_splits + 1).sum())))
    _mask_all(nodes, roots, into)
    return n_splits, *into

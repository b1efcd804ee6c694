"""A forest cut into parcels of the features' space, in each of which all its trees are small.

In a part of the space a tree needs only the splits that part it further. A parcel is cut in two, where its trees
ask most, until none of them has more leaves than bits in a word. A leaf is then found without going down: each
split that sends a row right strikes out the leaves on its left, and the first leaf left is the row's (Lucchese et
al. 2015, "QuickScorer", section 3). All rows of a parcel are asked the same splits, 16 at a time.
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
MOST_NODES = 1 << 21  # that are written while cutting


class ForestRegions(NamedTuple):
    """The trees in every parcel: tree t in parcel i has the splits from ``first[i * n_trees + t]`` on, and so on.

    The leaves likewise, by `first_leaf`.
    """

    ranks: ThresholdRanks
    router: np.ndarray  # (n_steps, 3) int32: used feature, rank, left step; of a parcel 0, its number, -1
    n_trees: int
    first: np.ndarray  # (n_parcels * n_trees + 1,) int64
    first_leaf: np.ndarray  # (n_parcels * n_trees + 1,) int64
    feature: np.ndarray  # (n_splits,) int32: number of the used feature
    rank: np.ndarray  # (n_splits,) int32: of the threshold; rows of a greater rank go right
    mask: np.ndarray  # (n_splits,) int32: the leaves that going right leaves, as bits
    leaf: np.ndarray  # (n_leaves,) int32: the grove's number of each leaf, from left to right


def make_regions(grove: PackedForest) -> ForestRegions | None:
    """The parcels of trees without categories, for known values; None if they would be too many."""
    if grove.has_categories or len(grove.nodes) > MOST_NODES:
        return None
    ranks, nodes = _by_ranks(grove)
    roots = np.append(grove.root, len(nodes)).astype(np.int64)[None]
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
    return ForestRegions(ranks, np.concatenate(router), len(grove.root), first, first_leaf, *parts)


def _by_ranks(grove: PackedForest) -> tuple[ThresholdRanks, np.ndarray]:
    """The thresholds, and the nodes (n_nodes, 4) int32 that name them by their ranks."""
    step, is_split = grove.nodes, grove.leaf < 0
    used = np.unique(step["feature"][is_split]).astype(np.int64)
    nodes = np.empty((len(step), 4), np.int32)
    nodes[:, FEATURE], nodes[:, RANK], nodes[:, NEXT], nodes[:, LEAF] = NO_FEATURE, 0, step["next"], grove.leaf
    thresholds = []
    for number, feature in enumerate(used):
        here = is_split & (step["feature"] == feature)
        known, rank = np.unique(step["threshold"][here], return_inverse=True)
        thresholds.append(known)
        nodes[here, FEATURE], nodes[here, RANK] = number, rank
    return make_ranks(used, thresholds), nodes


@kernel
def _open(nodes, node, cut):
    """The first node from this one on that asks what the cut (feature, rank, whether left of it) leaves open."""
    feature, rank, is_left = cut
    while nodes[node, FEATURE] == feature:
        if is_left and nodes[node, RANK] >= rank:
            node = np.uint32(nodes[node, NEXT])
        elif not is_left and nodes[node, RANK] <= rank:
            node = np.uint32(nodes[node, NEXT] + 1)
        else:
            break
    return node


@kernel
def _cut_tree(nodes, root, cut, into, first):
    """Write what a cut leaves of a tree from place `first` on; returns the place behind it."""
    one, two = np.uint32(1), np.uint32(2)
    into[first, NEXT] = _open(nodes, np.uint32(root), cut)
    at, free = np.uint32(first), np.uint32(first + 1)
    while at < free:
        node = np.uint32(into[at, NEXT])  # the place it comes from stands there till its turn has come
        into[at] = nodes[node]
        if nodes[node, FEATURE] == NO_FEATURE:
            into[at, NEXT] = at
        else:
            below = np.uint32(nodes[node, NEXT])
            into[at, NEXT] = free
            into[free, NEXT] = _open(nodes, below, cut)
            into[free + one, NEXT] = _open(nodes, below + one, cut)
            free = np.uint32(free + two)
        at = np.uint32(at + one)
    return np.int64(free)


@kernel
def _cut_all(nodes, roots, cuts, into, new_roots):
    """Cut every parcel in two; returns how many nodes there are then."""
    free = 0
    for parcel in range(len(roots)):
        for side in range(2):
            cut, made = (cuts[parcel, 0], cuts[parcel, 1], side == 0), 2 * parcel + side
            for tree in range(roots.shape[1] - 1):
                new_roots[made, tree] = free
                free = _cut_tree(nodes, roots[parcel, tree], cut, into, free)
            new_roots[made, -1] = free
    return free


def _halved(nodes: np.ndarray, roots: np.ndarray, cuts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The parcels with these roots (n, n_trees + 1), each cut in two."""
    into = np.empty((2 * int((roots[:, -1] - roots[:, 0]).sum()), 4), np.int32)
    new_roots = np.empty((2 * len(roots), roots.shape[1]), np.int64)
    return into[: _cut_all(nodes, roots, cuts, into, new_roots)], new_roots


@kernel
def _weigh_steps(nodes, root, share, steps):
    """Add to steps (n_used,) how often the large trees of a parcel ask for each feature, and write into share
    (n_nodes,) how often each node is reached, as if half of the rows went either way."""
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
    """Where to cut a parcel: the feature that its large trees ask most for, and the median of what they ask."""
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
    """(n_parcels, 2) int32: feature and rank of the cut of each."""
    found, share = np.empty((len(roots), 2), np.int32), np.empty(len(nodes))
    for parcel in range(len(roots)):
        found[parcel] = _cut_of(nodes, roots[parcel], start, share)
    return found


@kernel
def _mask_tree(nodes, first, last, into, free):
    """Write a tree's splits and leaves into `into` from the places `free` on."""
    feature, rank, mask, leaf = into
    size, begin = np.ones(2 * MOST_LEAVES, np.int64), np.zeros(2 * MOST_LEAVES, np.int64)
    for at in range(last - 1, first - 1, -1):
        if nodes[at, FEATURE] != NO_FEATURE:
            below = nodes[at, NEXT] - first
            size[at - first] = size[below] + size[below + 1]
    split = free[0]
    for at in range(first, last):
        here = begin[at - first]
        if nodes[at, FEATURE] == NO_FEATURE:
            leaf[free[1] + here] = nodes[at, LEAF]
            continue
        below = nodes[at, NEXT] - first
        begin[below], begin[below + 1] = here, here + size[below]
        feature[split], rank[split] = nodes[at, FEATURE], nodes[at, RANK]
        mask[split] = np.int32(~(((np.int64(1) << size[below]) - 1) << here))
        split += 1
    return split, free[1] + size[0]


@kernel
def _mask_all(nodes, roots, into):
    free = (0, 0)
    for parcel in range(len(roots)):
        for tree in range(roots.shape[1] - 1):
            free = _mask_tree(nodes, roots[parcel, tree], roots[parcel, tree + 1], into, free)


def _masked(nodes: np.ndarray, roots: np.ndarray) -> tuple[np.ndarray, ...]:
    """Of parcels with small trees: the number of each tree's splits, and `ForestRegions` from `feature` on."""
    n_splits = (np.diff(roots).ravel() - 1) // 2
    into = tuple(np.empty(int(n), np.int32) for n in (*(n_splits.sum(),) * 3, (n_splits + 1).sum()))
    _mask_all(nodes, roots, into)
    return n_splits, *into
